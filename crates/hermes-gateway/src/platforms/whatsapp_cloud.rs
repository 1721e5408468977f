//! WhatsApp by the Cloud API of Meta: it calls us for what comes in; every call is signed with the app's secret.

use std::sync::Arc;
use std::time::Duration;

use ring::hmac;
use serde_json::{Value, json};

use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, Button, ButtonPress, Capabilities, ChatSource,
    InboundEvent, InboundMedia, InboundMessage, Inbox, LengthUnit, LinkError, ListenAt, MediaKind,
    MessageLimit, Multipart, Outgoing, OutgoingFile, Platform, QuotedMessage, Receiving, SendClass,
    SendError, SetupError, Target, Variable, WebhookRequest, WebhookResponse, download, exchange,
    hex, is_on_host, receive_calls, same_secret, signed,
};
use crate::markdown::{Document, MarkupRules, Rendered, markup};

static WHATSAPP_CLOUD: Platform = Platform {
    label: "WhatsApp",
    emoji: "🟢",
    required: &[
        Variable::open("WHATSAPP_CLOUD_PHONE_NUMBER_ID", "Id of the number, not the number")
            .from("https://developers.facebook.com/apps"),
        Variable::secret("WHATSAPP_CLOUD_ACCESS_TOKEN", "Access token"),
        Variable::secret("WHATSAPP_CLOUD_APP_SECRET", "Secret of the app"),
        Variable::secret("WHATSAPP_CLOUD_VERIFY_TOKEN", "A word of your own, entered there too"),
    ],
    optional: &[
        Variable::open("WHATSAPP_CLOUD_WEBHOOK_HOST", "Where to listen (127.0.0.1)"),
        Variable::open("WHATSAPP_CLOUD_WEBHOOK_PORT", "The port (8090)"),
        Variable::open("WHATSAPP_CLOUD_WEBHOOK_PATH", "The path (/whatsapp/webhook)"),
    ],
    limit: MessageLimit { length: 4_096, unit: LengthUnit::Characters },
    capabilities: Capabilities { buttons: true, files: true, ..Capabilities::NONE },
    binds_port: true,
    open: |setup| Ok(Arc::new(WhatsApp::new(&setup)?)),
    ..Platform::named("whatsapp_cloud", "WHATSAPP_CLOUD", "hermes-whatsapp")
};
crate::register_platform!(&WHATSAPP_CLOUD);

const MAX_BODY: usize = 3 * 1024 * 1024;
/// Longest text beside buttons.
const MAX_WITH_BUTTONS: usize = 1_024;

const MARKS: MarkupRules = MarkupRules {
    bold: "*",
    italic: "_",
    strike: "~",
    escape: str::to_owned,
    escapes_code: false,
    link: |url, text| format!("{text} ({url})"),
    keeps_headings: false,
    names_languages: false,
    bullet: "• ",
};

struct Account {
    http: reqwest::Client,
    base: String,
    phone: String,
    token: String,
    secret: String,
    verify: String,
    path: String,
}

struct WhatsApp {
    account: Arc<Account>,
    at: ListenAt,
}

impl WhatsApp {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let base = setup.base_url("https://graph.facebook.com/v20.0");
        let path = setup.variable("WHATSAPP_CLOUD_WEBHOOK_PATH");
        let account = Account {
            http: setup.http(&base)?,
            base,
            phone: setup.required("WHATSAPP_CLOUD_PHONE_NUMBER_ID")?,
            token: setup.required("WHATSAPP_CLOUD_ACCESS_TOKEN")?,
            secret: setup.required("WHATSAPP_CLOUD_APP_SECRET")?,
            verify: setup.required("WHATSAPP_CLOUD_VERIFY_TOKEN")?,
            path: path.unwrap_or_else(|| "/whatsapp/webhook".to_owned()),
        };
        let at = ListenAt::read(setup, "WHATSAPP_CLOUD_WEBHOOK", 8_090)?;
        Ok(Self { account: Arc::new(account), at })
    }
}

impl Account {
    async fn answer(&self, call: &WebhookRequest, inbox: &Inbox) -> WebhookResponse {
        if call.path != self.path {
            return WebhookResponse::status(404);
        }
        if call.method == "GET" {
            let query = |wanted: &str| {
                let mut all = url::form_urlencoded::parse(call.query.as_bytes());
                all.find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
            };
            let is_ours = query("hub.mode").as_deref() == Some("subscribe")
                && same_secret(&self.verify, &query("hub.verify_token").unwrap_or_default());
            return match (is_ours, query("hub.challenge")) {
                (true, Some(challenge)) => WebhookResponse::text(200, challenge),
                _ => WebhookResponse::status(403),
            };
        }
        let tag = signed(hmac::HMAC_SHA256, self.secret.as_bytes(), &[&call.body]);
        let ours = format!("sha256={}", hex(tag.as_ref()));
        if !same_secret(&ours, call.header("x-hub-signature-256").unwrap_or_default()) {
            return WebhookResponse::status(403);
        }
        let Ok(told) = serde_json::from_slice::<Value>(&call.body) else {
            return WebhookResponse::status(400);
        };
        match inbox.accept(events_of(&told, &self.phone), &[]).await {
            Ok(()) => WebhookResponse::status(200),
            Err(_) => WebhookResponse::status(503),
        }
    }

    async fn post(&self, what: &str, body: &Value) -> Result<Value, SendError> {
        let request = self.http.post(format!("{}/{}/{what}", self.base, self.phone));
        answer(request.bearer_auth(&self.token).json(body)).await
    }

    async fn message(&self, to: &str, mut body: Value) -> Result<String, SendError> {
        body["messaging_product"] = json!("whatsapp");
        body["to"] = json!(to.trim_start_matches('+'));
        let sent = self.post("messages", &body).await?;
        Ok(sent["messages"][0]["id"].as_str().unwrap_or_default().to_owned())
    }
}

async fn answer(request: reqwest::RequestBuilder) -> Result<Value, SendError> {
    let reply = exchange(request).await?;
    let error = reply.body["error"].clone();
    let status = reply.status;
    if (200..300).contains(&status) {
        return Ok(reply.body);
    }
    let code = error["code"].as_u64().unwrap_or_default();
    let (class, advice) = match code {
        131_047 => (SendClass::Forbidden, " (more than 24 hours since they last wrote)"),
        190 => (SendClass::Forbidden, " (the access token has expired)"),
        130_429 | 131_056 | 80_007 => (SendClass::RateLimited, ""),
        _ => (SendError::from_status(status, "").class, ""),
    };
    let said: String = error["message"].as_str().unwrap_or_default().chars().take(160).collect();
    Err(SendError::new(class, format!("WhatsApp: {code} {said}{advice}")))
}

fn events_of(told: &Value, phone: &str) -> Vec<InboundEvent> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut events = Vec::new();
    for entry in list(&told["entry"]) {
        for change in list(&entry["changes"]) {
            let value = &change["value"];
            if value["metadata"]["phone_number_id"] != phone {
                continue;
            }
            let contacts = list(&value["contacts"]);
            events.extend(list(&value["messages"]).iter().filter_map(|m| event_of(m, &contacts)));
        }
    }
    events
}

fn event_of(message: &Value, contacts: &[Value]) -> Option<InboundEvent> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let (from, id) = (text(&message["from"])?, text(&message["id"])?);
    let name = contacts.iter().find(|one| one["wa_id"] == from.as_str());
    let source = ChatSource {
        platform: WHATSAPP_CLOUD.name.to_owned(),
        chat_id: from.clone(),
        user_name: name.and_then(|one| text(&one["profile"]["name"])),
        user_id: Some(from),
        message_id: Some(id.clone()),
        ..ChatSource::default()
    };
    let pressed = text(&message["interactive"]["button_reply"]["id"])
        .or_else(|| text(&message["interactive"]["list_reply"]["id"]))
        .or_else(|| text(&message["button"]["payload"]));
    if let Some(data) = pressed {
        let message_id = text(&message["context"]["id"]).unwrap_or_default();
        return Some(InboundEvent::Button(Box::new(ButtonPress { source, id, message_id, data })));
    }
    let kinds = [
        ("image", MediaKind::Photo),
        ("audio", MediaKind::Audio),
        ("video", MediaKind::Video),
        ("document", MediaKind::Document),
        ("sticker", MediaKind::Photo),
    ];
    let media = kinds.iter().filter_map(|(field, kind)| {
        let file = message.get(*field)?;
        Some(InboundMedia {
            kind: if file["voice"] == true { MediaKind::Voice } else { *kind },
            handle: text(&file["id"])?,
            name: text(&file["filename"]),
            mime: text(&file["mime_type"]),
            ..InboundMedia::default()
        })
    });
    let media: Vec<InboundMedia> = media.collect();
    let caption = kinds.iter().find_map(|(field, _)| text(&message[*field]["caption"]));
    Some(InboundEvent::Message(Box::new(InboundMessage {
        source,
        message_id: id,
        text: text(&message["text"]["body"]).or(caption).unwrap_or_default(),
        media,
        reply_to: text(&message["context"]["id"])
            .map(|message_id| QuotedMessage { message_id, ..QuotedMessage::default() }),
        sent_at: message["timestamp"].as_str().and_then(|seconds| seconds.parse().ok()),
        ..InboundMessage::default()
    })))
}

/// Three buttons stand below a text; more are a list.
fn interactive(text: &str, buttons: &[&Button]) -> Value {
    let cut = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    let body = json!({"text": cut(text, MAX_WITH_BUTTONS)});
    let action = if buttons.len() <= 3 {
        let one = |button: &&Button| json!({"type": "reply", "reply": {"id": button.data, "title": cut(&button.label, 20)}});
        json!({"buttons": buttons.iter().map(one).collect::<Vec<_>>()})
    } else {
        let one = |button: &&Button| json!({"id": button.data, "title": cut(&button.label, 24)});
        let rows: Vec<Value> = buttons.iter().take(10).map(one).collect();
        json!({"button": "Choose", "sections": [{"title": "Choices", "rows": rows}]})
    };
    let kind = if buttons.len() <= 3 { "button" } else { "list" };
    json!({"type": "interactive", "interactive": {"type": kind, "body": body, "action": action}})
}

impl Adapter for WhatsApp {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        let account = Arc::clone(&self.account);
        Box::pin(receive_calls(&self.at, MAX_BODY, account, inbox, |account, call, inbox| {
            Box::pin(account.answer(call, inbox))
        }))
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let to = &message.target.chat_id;
            let buttons: Vec<&Button> = message.buttons.iter().flatten().collect();
            let text = &message.content.text;
            let plain = json!({"type": "text", "text": {"body": text}});
            let mut body = match buttons.is_empty() {
                true => plain,
                false => {
                    // What does not fit beside buttons goes before them.
                    if text.chars().count() > MAX_WITH_BUTTONS {
                        self.account.message(to, plain).await?;
                    }
                    interactive(text, &buttons)
                }
            };
            if let Some(id) = &message.reply_to {
                body["context"] = json!({"message_id": id});
            }
            self.account.message(to, body).await
        })
    }

    fn send_file<'a>(
        &'a self,
        target: &'a Target,
        file: &'a OutgoingFile,
    ) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let (kind, most) = match file.kind {
                MediaKind::Photo => ("image", 5),
                MediaKind::Voice | MediaKind::Audio => ("audio", 16),
                MediaKind::Video => ("video", 16),
                MediaKind::Document => ("document", 100),
            };
            let is_large = file.bytes.len() > most * 1024 * 1024;
            let kind = if is_large { "document" } else { kind };
            let account = &self.account;
            let form = Multipart::new().text("messaging_product", "whatsapp").file(
                "file",
                &file.name,
                &file.mime,
                &file.bytes,
            );
            let request = account.http.post(format!("{}/{}/media", account.base, account.phone));
            let request = request.bearer_auth(&account.token).timeout(Duration::from_secs(180));
            let stored = answer(form.into_request(request)).await?;
            let mut media = json!({"id": stored["id"]});
            if kind == "document" {
                media["filename"] = json!(file.name);
            }
            if let Some(caption) = file.caption.as_ref().filter(|_| kind != "audio") {
                media["caption"] = json!(caption);
            }
            let mut body = json!({"type": kind});
            body[kind] = media;
            account.message(&target.chat_id, body).await
        })
    }

    fn fetch<'a>(
        &'a self,
        media: &'a InboundMedia,
        most: u64,
    ) -> AdapterFuture<'a, Result<Vec<u8>, SendError>> {
        Box::pin(async move {
            let account = &self.account;
            let about = account.http.get(format!("{}/{}", account.base, media.handle));
            let about = answer(about.bearer_auth(&account.token)).await?;
            let address = about["url"].as_str().unwrap_or_default();
            let hosts = ["lookaside.fbsbx.com", ".facebook.com", ".whatsapp.net"];
            if !is_on_host(address, &hosts, &account.base) {
                return Err(SendError::new(SendClass::Forbidden, "the file is not at WhatsApp"));
            }
            download(account.http.get(address).bearer_auth(&account.token), most).await
        })
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        Box::pin(async move {
            let account = &self.account;
            let request = account.http.get(format!("{}/{}", account.base, account.phone));
            let found = answer(request.bearer_auth(&account.token)).await?;
            Ok(found["display_phone_number"].as_str().unwrap_or_default().to_owned())
        })
    }

    fn render(&self, document: &Document) -> Rendered {
        Rendered::text(markup(document, &MARKS))
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        let digits = text.trim().trim_start_matches('+');
        match (7..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit()) {
            true => Ok(Target::chat(digits)),
            false => Err(format!("`{text}` is no number: write +15551234567")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(message: &Value) -> Value {
        json!({"entry": [{"changes": [{"value": {
            "metadata": {"phone_number_id": "1"},
            "contacts": [{"wa_id": "49123", "profile": {"name": "Ann"}}],
            "messages": [message],
        }}]}]})
    }

    #[test]
    fn words_and_presses_are_heard_and_other_numbers_are_not() {
        let words = json!({"from": "49123", "id": "wamid.1", "timestamp": "1700000000",
            "type": "text", "text": {"body": "hello"}});
        let events = events_of(&told(&words), "1");
        let InboundEvent::Message(said) = &events[0] else { panic!("{events:?}") };
        assert_eq!((said.text.as_str(), said.source.user_name.as_deref()), ("hello", Some("Ann")));
        assert!(events_of(&told(&words), "2").is_empty());
        let press = json!({"from": "49123", "id": "wamid.2", "type": "interactive",
            "context": {"id": "wamid.0"},
            "interactive": {"type": "button_reply", "button_reply": {"id": "ap:x:deny"}}});
        let events = events_of(&told(&press), "1");
        let InboundEvent::Button(press) = &events[0] else { panic!("{events:?}") };
        assert_eq!((press.data.as_str(), press.message_id.as_str()), ("ap:x:deny", "wamid.0"));
    }

    #[test]
    fn four_choices_are_a_list() {
        let button = |data: &str| Button {
            label: "A label that is longer than it may be".to_owned(),
            data: data.to_owned(),
            style: crate::adapter::ButtonStyle::Plain,
        };
        let all = [button("1"), button("2"), button("3"), button("4")];
        let few: Vec<&Button> = all.iter().take(3).collect();
        assert_eq!(interactive("x", &few)["interactive"]["type"], "button");
        let title =
            &interactive("x", &few)["interactive"]["action"]["buttons"][0]["reply"]["title"];
        assert_eq!(title.as_str().unwrap().chars().count(), 20);
        let many: Vec<&Button> = all.iter().collect();
        assert_eq!(interactive("x", &many)["interactive"]["type"], "list");
    }
}
