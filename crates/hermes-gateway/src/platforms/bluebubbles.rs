//! BlueBubbles: iMessage through a Mac of one's own. Its server calls us for what comes in, at an address that we register
//! there and that holds a secret made of the server's password; everything else are requests with that password.

use std::sync::Arc;
use std::time::Duration;

use ring::hmac;
use serde_json::{Value, json};

use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, Addressing, Capabilities, ChatKind, ChatSource,
    InboundEvent, InboundMedia, InboundMessage, Inbox, LengthUnit, LinkError, ListenAt, MediaKind,
    MessageLimit, Multipart, Outgoing, OutgoingFile, Platform, Receiving, RestReply, SendError,
    SetupError, Target, Variable, WebhookRequest, WebhookResponse, download, exchange, hex,
    receive_calls, same_secret, signed,
};

static BLUEBUBBLES: Platform = Platform {
    label: "BlueBubbles (iMessage)",
    emoji: "🫧",
    required: &[
        Variable::open("BLUEBUBBLES_SERVER_URL", "Address of the BlueBubbles server"),
        Variable::secret("BLUEBUBBLES_PASSWORD", "Its password"),
    ],
    optional: &[
        Variable::open("BLUEBUBBLES_WEBHOOK_HOST", "Where to listen (127.0.0.1)"),
        Variable::open("BLUEBUBBLES_WEBHOOK_PORT", "The port (8645)"),
        Variable::open("BLUEBUBBLES_WEBHOOK_PATH", "The path of our address (/bluebubbles)"),
        Variable::open(
            "BLUEBUBBLES_WEBHOOK_URL",
            "How the Mac reaches us, if not at host and port",
        ),
        Variable::open("BLUEBUBBLES_PRIVATE_API", "Whether the Mac has the private API (false)"),
    ],
    limit: MessageLimit { length: 16_000, unit: LengthUnit::Characters },
    capabilities: Capabilities { typing: true, files: true, ..Capabilities::NONE },
    binds_port: true,
    open: |setup| Ok(Arc::new(BlueBubbles::new(&setup)?)),
    ..Platform::named("bluebubbles", "BLUEBUBBLES", "hermes-bluebubbles")
};
crate::register_platform!(&BLUEBUBBLES);

const MAX_BODY: usize = 1024 * 1024;
const TRANSFER: Duration = Duration::from_secs(180);
/// The one event that is wanted.
const EVENT: &str = "new-message";

struct Mac {
    http: reqwest::Client,
    base: String,
    password: String,
    /// Where it calls, without the secret.
    path: String,
    ours: String,
    has_private_api: bool,
}

struct BlueBubbles {
    mac: Arc<Mac>,
    at: ListenAt,
}

impl BlueBubbles {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let base = setup.base_url(&setup.required("BLUEBUBBLES_SERVER_URL")?);
        let at = ListenAt::read(setup, "BLUEBUBBLES_WEBHOOK", 8_645)?;
        let path = setup.variable("BLUEBUBBLES_WEBHOOK_PATH").unwrap_or_default();
        let path = format!("/{}", path.trim_matches('/'));
        let path = if path == "/" { "/bluebubbles".to_owned() } else { path };
        let ours = setup
            .variable("BLUEBUBBLES_WEBHOOK_URL")
            .unwrap_or_else(|| format!("http://{}:{}{path}", at.host, at.port));
        let mac = Mac {
            http: setup.http(&base)?,
            base,
            password: setup.required("BLUEBUBBLES_PASSWORD")?,
            path,
            ours,
            has_private_api: setup.is_on("BLUEBUBBLES_PRIVATE_API", false),
        };
        Ok(Self { mac: Arc::new(mac), at })
    }
}

impl Mac {
    /// What calls must carry: known to us and to whom we have told our address.
    fn secret(&self) -> String {
        let tag = signed(hmac::HMAC_SHA256, self.password.as_bytes(), &[b"hermes webhook"]);
        hex(tag.as_ref().get(..20).unwrap_or_default())
    }

    fn request(&self, method: reqwest::Method, path: &[&str]) -> reqwest::RequestBuilder {
        let mut address = url::Url::parse(&self.base).ok();
        if let Some(address) = &mut address {
            if let Ok(mut segments) = address.path_segments_mut() {
                segments.pop_if_empty().extend(["api", "v1"]).extend(path);
            }
            address.query_pairs_mut().append_pair("password", &self.password);
        }
        // Without an address the request fails when it is sent, which says so.
        self.http.request(method, address.map(String::from).unwrap_or_default())
    }

    async fn ask(&self, request: reqwest::RequestBuilder) -> Result<Value, SendError> {
        let RestReply { status, retry_after, body } = exchange(request).await?;
        if (200..300).contains(&status) {
            return Ok(body["data"].clone());
        }
        let said = body["error"]["message"].as_str().or(body["message"].as_str());
        let said: String =
            said.unwrap_or_default().chars().filter(|c| !c.is_control()).take(200).collect();
        let what = format!("BlueBubbles: {status} {}", said.replace(&self.password, "***"));
        Err(SendError { retry_after, ..SendError::from_status(status, what.trim_end()) })
    }

    /// Has the server call us, unless it does already.
    async fn register(&self) -> Result<(), SendError> {
        let address = format!("{}?key={}", self.ours, self.secret());
        let known = self.ask(self.request(reqwest::Method::GET, &["webhook"])).await?;
        let is_ours = |one: &Value| one["url"] == address.as_str();
        if known.as_array().is_some_and(|all| all.iter().any(is_ours)) {
            return Ok(());
        }
        let body = json!({"url": address, "events": [EVENT]});
        let request = self.request(reqwest::Method::POST, &["webhook"]).json(&body);
        self.ask(request).await.map(drop)
    }

    async fn answer(&self, call: &WebhookRequest, inbox: &Inbox) -> WebhookResponse {
        if call.path.trim_end_matches('/') != self.path.trim_end_matches('/') {
            return WebhookResponse::status(404);
        }
        let mut query = url::form_urlencoded::parse(call.query.as_bytes());
        let given = query.find(|(name, _)| name == "key").map(|(_, value)| value.into_owned());
        if !same_secret(&self.secret(), given.as_deref().unwrap_or_default()) {
            return WebhookResponse::status(403);
        }
        let Ok(told) = serde_json::from_slice::<Value>(&call.body) else {
            return WebhookResponse::status(400);
        };
        let said = (told["type"] == EVENT).then(|| message_of(&told["data"])).flatten();
        let events = said.map(|said| InboundEvent::Message(Box::new(said)));
        match inbox.accept(events.into_iter().collect(), &[]).await {
            Ok(()) => WebhookResponse::status(200),
            Err(_) => WebhookResponse::status(503),
        }
    }

    /// A chat that there is, by its id.
    async fn say(&self, message: &Outgoing) -> Result<String, SendError> {
        let (chat, text) = (&message.target.chat_id, &message.content.text);
        if !chat.contains(';') {
            let body = json!({"addresses": [chat], "message": text, "service": "iMessage"});
            let made =
                self.ask(self.request(reqwest::Method::POST, &["chat", "new"]).json(&body)).await?;
            return Ok(made["messages"][0]["guid"].as_str().unwrap_or_default().to_owned());
        }
        let mut body = json!({"chatGuid": chat, "tempGuid": self.temporary(&message.key),
            "message": text, "method": "apple-script"});
        if self.has_private_api {
            body["method"] = json!("private-api");
            if let Some(id) = &message.reply_to {
                body["selectedMessageGuid"] = json!(id);
            }
        }
        let request = self.request(reqwest::Method::POST, &["message", "text"]).json(&body);
        let sent = self.ask(request).await?;
        Ok(sent["guid"].as_str().unwrap_or_default().to_owned())
    }

    fn temporary(&self, key: &str) -> String {
        match key {
            "" => format!("temp-{:016x}", hermes_store::clock::random()),
            key => format!("temp-{key}"),
        }
    }
}

fn message_of(data: &Value) -> Option<InboundMessage> {
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    // Reactions come as messages about another one.
    if data["isFromMe"] == true || text(&data["associatedMessageGuid"]).is_some() {
        return None;
    }
    let (id, who) = (text(&data["guid"])?, text(&data["handle"]["address"])?);
    let chat = &data["chats"][0];
    let chat_id = text(&chat["guid"])?;
    let is_group = chat_id.contains(";+;");
    let files = data["attachments"].as_array().into_iter().flatten();
    let files = files.filter_map(|file| {
        let mime = text(&file["mimeType"]);
        let kind = match mime.as_deref().and_then(|mime| mime.split_once('/')) {
            Some(("image", _)) => MediaKind::Photo,
            Some(("audio", _)) => MediaKind::Audio,
            Some(("video", _)) => MediaKind::Video,
            _ => MediaKind::Document,
        };
        Some(InboundMedia {
            kind,
            handle: text(&file["guid"])?,
            name: text(&file["transferName"]),
            mime,
            size: file["totalBytes"].as_u64(),
            ..InboundMedia::default()
        })
    });
    Some(InboundMessage {
        source: ChatSource {
            platform: BLUEBUBBLES.name.to_owned(),
            chat_id,
            chat_name: text(&chat["displayName"]),
            kind: if is_group { ChatKind::Group } else { ChatKind::Dm },
            user_id: Some(who),
            message_id: Some(id.clone()),
            ..ChatSource::default()
        },
        message_id: id,
        // Where a picture stands in the text there is a sign for it.
        text: text(&data["text"]).unwrap_or_default().replace('\u{fffc}', "").trim().to_owned(),
        media: files.collect(),
        addressing: if is_group { Addressing::Ambient } else { Addressing::Direct },
        sent_at: data["dateCreated"].as_f64().map(|milliseconds| milliseconds / 1_000.0),
        ..InboundMessage::default()
    })
}

impl Adapter for BlueBubbles {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        Box::pin(async move {
            // First the port, so that nobody calls in vain.
            let mac = Arc::clone(&self.mac);
            let receiving = receive_calls(&self.at, MAX_BODY, mac, inbox, |mac, call, inbox| {
                Box::pin(mac.answer(call, inbox))
            });
            let receiving = receiving.await?;
            self.mac.register().await.map_err(|error| {
                LinkError::while_connecting(error, "Check BLUEBUBBLES_PASSWORD.")
            })?;
            Ok(receiving)
        })
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(self.mac.say(message))
    }

    fn typing<'a>(&'a self, target: &'a Target) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            if !self.mac.has_private_api {
                return Ok(());
            }
            let path = ["chat", target.chat_id.as_str(), "typing"];
            self.mac.ask(self.mac.request(reqwest::Method::POST, &path)).await.map(drop)
        })
    }

    fn send_file<'a>(
        &'a self,
        target: &'a Target,
        file: &'a OutgoingFile,
    ) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let mac = &self.mac;
            let form = Multipart::new()
                .text("chatGuid", &target.chat_id)
                .text("tempGuid", &mac.temporary(""))
                .text("name", &file.name)
                .file("attachment", &file.name, &file.mime, &file.bytes);
            let request = mac.request(reqwest::Method::POST, &["message", "attachment"]);
            let sent = mac.ask(form.into_request(request.timeout(TRANSFER))).await?;
            Ok(sent["guid"].as_str().unwrap_or_default().to_owned())
        })
    }

    fn fetch<'a>(
        &'a self,
        media: &'a InboundMedia,
        most: u64,
    ) -> AdapterFuture<'a, Result<Vec<u8>, SendError>> {
        let path = ["attachment", media.handle.as_str(), "download"];
        Box::pin(download(self.mac.request(reqwest::Method::GET, &path), most))
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        Box::pin(async move {
            self.mac.ask(self.mac.request(reqwest::Method::GET, &["ping"])).await?;
            Ok("the Mac answers".to_owned())
        })
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        let text = text.trim();
        let is_chat = text.split(';').count() == 3;
        let is_mail = text.split_once('@').is_some_and(|(name, host)| {
            !name.is_empty() && host.contains('.') && !text.contains(char::is_whitespace)
        });
        let digits = text.strip_prefix('+').unwrap_or_default();
        let is_number =
            (7..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        match is_chat || is_mail || is_number {
            true => Ok(Target::chat(text)),
            false => Err(format!(
                "`{text}` is no chat of iMessage: write +15551234567, an address, or the chat's guid"
            )),
        }
    }
}

#[cfg(test)]
mod tests;
