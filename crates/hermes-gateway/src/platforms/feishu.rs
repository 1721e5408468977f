//! Feishu, and Lark outside of China: it calls us for events, signed and hidden with the app's encrypt key; we answer with
//! cards, which show Markdown and can be changed.

mod envelope;

use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_media::chat_services::feishu::usual_address;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use self::envelope::{Envelope, Opened};
use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, Addressing, Capabilities, ChatKind, ChatSource,
    DisplayDefaults, InboundEvent, InboundMedia, InboundMessage, Inbox, LengthUnit, LinkError,
    ListenAt, MediaKind, MessageLimit, Multipart, Outgoing, OutgoingFile, Pace, Platform,
    QuotedMessage, Receiving, SendClass, SendError, SetupError, Target, Variable, WebhookRequest,
    WebhookResponse, download, exchange, receive_calls,
};
use crate::markdown::{Document, MarkupRules, Rendered, markup};

static FEISHU: Platform = Platform {
    label: "Feishu / Lark",
    emoji: "🪽",
    required: &[
        Variable::open("FEISHU_APP_ID", "App ID").from("https://open.feishu.cn/app"),
        Variable::secret("FEISHU_APP_SECRET", "App secret"),
    ],
    optional: &[
        Variable::secret("FEISHU_ENCRYPT_KEY", "Encrypt key, from the app's page of events"),
        Variable::secret("FEISHU_VERIFICATION_TOKEN", "Verification token, from the same page"),
        Variable::open("FEISHU_DOMAIN", "feishu, or lark outside of China (feishu)"),
        Variable::open("FEISHU_HOST", "Where to listen (127.0.0.1)"),
        Variable::open("FEISHU_PORT", "The port (8647)"),
    ],
    limit: MessageLimit { length: 8_000, unit: LengthUnit::Characters },
    capabilities: Capabilities {
        edit: true,
        delete: true,
        files: true,
        threads: true,
        idempotent_for: Duration::from_secs(3_600),
        ..Capabilities::NONE
    },
    pace: Pace { per_chat: 4.0, ..Pace::UNHURRIED },
    display: DisplayDefaults::CHAT,
    binds_port: true,
    open: |setup| Ok(Arc::new(Feishu::new(&setup)?)),
    ..Platform::named("feishu", "FEISHU", "hermes-feishu")
};
crate::register_platform!(&FEISHU);

const MAX_BODY: usize = 1024 * 1024;
const TRANSFER: Duration = Duration::from_secs(180);
/// A token is renewed this long before its end.
const MARGIN: Duration = Duration::from_secs(300);
/// What Feishu answers to haste.
const HASTY: [i64; 3] = [99_991_400, 230_020, 230_049];
/// The chat or message is gone, or we are not in it.
const MISSING: [i64; 4] = [230_002, 230_011, 230_110, 232_009];

struct App {
    http: reqwest::Client,
    base: String,
    id: String,
    secret: String,
    envelope: Envelope,
    key: Mutex<Option<(String, Instant)>>,
    /// Our own id, once it is known.
    me: Mutex<Option<String>>,
}

struct Feishu {
    app: Arc<App>,
    at: ListenAt,
}

impl Feishu {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let domain = setup.variable("FEISHU_DOMAIN");
        let base = setup.base_url(usual_address(domain.as_deref()));
        let app = App {
            http: setup.http(&base)?,
            base,
            id: setup.required("FEISHU_APP_ID")?,
            secret: setup.required("FEISHU_APP_SECRET")?,
            envelope: Envelope {
                key: setup.variable("FEISHU_ENCRYPT_KEY"),
                token: setup.variable("FEISHU_VERIFICATION_TOKEN"),
            },
            key: Mutex::default(),
            me: Mutex::default(),
        };
        Ok(Self { app: Arc::new(app), at: ListenAt::read(setup, "FEISHU", 8_647)? })
    }
}

fn refused(code: i64, said: &str, status: u16) -> SendError {
    let said: String = said.chars().filter(|c| !c.is_control()).take(200).collect();
    let what = format!("Feishu: {code} {said}");
    match code {
        _ if HASTY.contains(&code) => SendError::rate_limited(what, None),
        _ if MISSING.contains(&code) => SendError::new(SendClass::NotFound, what),
        10_003 | 10_014 | 99_991_663 => SendError::new(SendClass::Forbidden, what),
        _ => SendError::from_status(status, what),
    }
}

impl App {
    async fn accepted(&self, request: reqwest::RequestBuilder) -> Result<Value, SendError> {
        let reply = exchange(request).await?;
        match reply.body["code"].as_i64() {
            Some(0) => Ok(reply.body),
            Some(code) if reply.status != 429 => {
                Err(refused(code, reply.body["msg"].as_str().unwrap_or_default(), reply.status))
            }
            _ if reply.status == 200 => {
                Err(SendError::new(SendClass::Unknown, "Feishu: an answer without a code"))
            }
            _ => reply.accepted("Feishu", &["msg"]),
        }
    }

    async fn key(&self) -> Result<String, SendError> {
        let mut key = self.key.lock().await;
        if let Some((key, _)) = key.as_ref().filter(|(_, until)| *until > Instant::now()) {
            return Ok(key.clone());
        }
        let address = format!("{}/open-apis/auth/v3/tenant_access_token/internal", self.base);
        let login = json!({"app_id": self.id, "app_secret": self.secret});
        let told = self.accepted(self.http.post(address).json(&login)).await?;
        let fresh = told["tenant_access_token"].as_str().unwrap_or_default().to_owned();
        let lasts = Duration::from_secs(told["expire"].as_u64().unwrap_or(7_200));
        *key = Some((fresh.clone(), Instant::now() + lasts.saturating_sub(MARGIN)));
        Ok(fresh)
    }

    async fn request(
        &self,
        method: reqwest::Method,
        path: &str,
    ) -> Result<reqwest::RequestBuilder, SendError> {
        let request = self.http.request(method, format!("{}/open-apis/{path}", self.base));
        Ok(request.bearer_auth(self.key().await?))
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value, SendError> {
        let told =
            self.accepted(self.request(reqwest::Method::POST, path).await?.json(body)).await?;
        Ok(told["data"].clone())
    }

    /// Who we are there: name and id.
    async fn about(&self) -> Result<(String, String), SendError> {
        let told = self.accepted(self.request(reqwest::Method::GET, "bot/v3/info").await?).await?;
        let text = |name: &str| told["bot"][name].as_str().unwrap_or_default().to_owned();
        Ok((text("app_name"), text("open_id")))
    }

    async fn answer(&self, call: &WebhookRequest, inbox: &Inbox) -> WebhookResponse {
        let told = match self.envelope.open(call) {
            Opened::Event(told) => told,
            Opened::Challenge(challenge) => {
                return WebhookResponse::json(200, &json!({"challenge": challenge}));
            }
            Opened::Refused(status) => return WebhookResponse::status(status),
        };
        let me = self.me.lock().await.clone().unwrap_or_default();
        let said = message_of(&told, &me).map(|said| InboundEvent::Message(Box::new(said)));
        match inbox.accept(said.into_iter().collect(), &[]).await {
            Ok(()) => WebhookResponse::json(200, &json!({})),
            Err(_) => WebhookResponse::status(503),
        }
    }

    /// Puts something into a chat, or below a message of it.
    async fn put(
        &self,
        target: &Target,
        reply_to: Option<&str>,
        kind: &str,
        content: &Value,
        key: &str,
    ) -> Result<String, SendError> {
        let mut body = json!({"msg_type": kind, "content": content.to_string()});
        if !key.is_empty() {
            body["uuid"] = json!(key.chars().take(50).collect::<String>());
        }
        let root = reply_to.or(target.thread_id.as_deref().filter(|id| id.starts_with("om_")));
        let sent = match root {
            Some(root) => {
                body["reply_in_thread"] = json!(target.thread_id.is_some());
                self.post(&format!("im/v1/messages/{root}/reply"), &body).await?
            }
            None => {
                body["receive_id"] = json!(target.chat_id);
                let kind = if target.chat_id.starts_with("ou_") { "open_id" } else { "chat_id" };
                self.post(&format!("im/v1/messages?receive_id_type={kind}"), &body).await?
            }
        };
        Ok(sent["message_id"].as_str().unwrap_or_default().to_owned())
    }
}

/// Markdown on a card that can be changed later.
fn card(text: &str) -> Value {
    json!({"config": {"wide_screen_mode": true, "update_multi": true},
        "elements": [{"tag": "markdown", "content": text}]})
}

/// The words of a text with paragraphs, and the keys of its pictures.
fn read_post(content: &Value) -> (String, Vec<String>) {
    let (mut lines, mut pictures) = (Vec::new(), Vec::new());
    lines.extend(content["title"].as_str().filter(|title| !title.is_empty()).map(str::to_owned));
    for paragraph in content["content"].as_array().into_iter().flatten() {
        let mut line = String::new();
        for part in paragraph.as_array().into_iter().flatten() {
            match part["tag"].as_str() {
                Some("img") => pictures.extend(part["image_key"].as_str().map(str::to_owned)),
                Some("at") => line.push_str(part["user_id"].as_str().unwrap_or_default()),
                _ => line.push_str(part["text"].as_str().unwrap_or_default()),
            }
        }
        lines.push(line);
    }
    (lines.join("\n"), pictures)
}

fn message_of(told: &Value, me: &str) -> Option<InboundMessage> {
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    if told["header"]["event_type"] != "im.message.receive_v1" {
        return None;
    }
    let (sender, message) = (&told["event"]["sender"], &told["event"]["message"]);
    let id = text(&message["message_id"])?;
    let content: Value =
        serde_json::from_str(message["content"].as_str().unwrap_or_default()).ok()?;
    let file = |kind: MediaKind, key: &Value, name: &Value| {
        let form = if kind == MediaKind::Photo { "image" } else { "file" };
        Some(InboundMedia {
            kind,
            handle: format!("{id}/resources/{}?type={form}", key.as_str()?),
            name: name.as_str().map(str::to_owned),
            ..InboundMedia::default()
        })
    };
    let mut words = String::new();
    let mut media = Vec::new();
    match message["message_type"].as_str()? {
        "text" => words = text(&content["text"]).unwrap_or_default(),
        "post" => {
            let (said, pictures) = read_post(&content);
            words = said;
            let pictures = pictures.iter().map(|key| json!(key));
            media.extend(pictures.filter_map(|key| file(MediaKind::Photo, &key, &Value::Null)));
        }
        "image" => media.extend(file(MediaKind::Photo, &content["image_key"], &Value::Null)),
        "audio" => media.extend(file(MediaKind::Voice, &content["file_key"], &Value::Null)),
        "media" => {
            media.extend(file(MediaKind::Video, &content["file_key"], &content["file_name"]));
        }
        "file" => {
            media.extend(file(MediaKind::Document, &content["file_key"], &content["file_name"]));
        }
        _ => return None,
    }
    let mut is_named = false;
    for mention in message["mentions"].as_array().into_iter().flatten() {
        let Some(key) = mention["key"].as_str().filter(|key| !key.is_empty()) else { continue };
        let is_us = !me.is_empty() && mention["id"]["open_id"] == me;
        is_named |= is_us;
        let name = format!("@{}", mention["name"].as_str().unwrap_or_default());
        words = words.replace(key, if is_us { "" } else { &name });
    }
    let is_dm = message["chat_type"] == "p2p";
    let ids = &sender["sender_id"];
    Some(InboundMessage {
        source: ChatSource {
            platform: FEISHU.name.to_owned(),
            chat_id: text(&message["chat_id"])?,
            kind: if is_dm { ChatKind::Dm } else { ChatKind::Group },
            user_id: Some(text(&ids["open_id"])?),
            user_id_alt: text(&ids["union_id"]),
            // A thread is answered below the message it begins with.
            thread_id: text(&message["thread_id"]).and_then(|_| text(&message["root_id"])),
            scope_id: text(&sender["tenant_key"]),
            is_bot: sender["sender_type"] == "app",
            message_id: Some(id.clone()),
            ..ChatSource::default()
        },
        text: words.trim().to_owned(),
        media,
        addressing: if is_dm || is_named { Addressing::Direct } else { Addressing::Ambient },
        reply_to: text(&message["parent_id"])
            .map(|id| QuotedMessage { message_id: id, ..QuotedMessage::default() }),
        sent_at: message["create_time"]
            .as_str()
            .and_then(|at| at.parse::<f64>().ok())
            .map(|milliseconds| milliseconds / 1_000.0),
        message_id: id,
        ..InboundMessage::default()
    })
}

impl Adapter for Feishu {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        Box::pin(async move {
            if !self.app.envelope.can_tell() {
                return Err(LinkError::fatal(
                    "neither FEISHU_ENCRYPT_KEY nor FEISHU_VERIFICATION_TOKEN is set, so nobody can tell \
                     whether Feishu calls",
                    "Copy one of them from the app's page of events. Sending works without.",
                ));
            }
            let (_, id) = self.app.about().await.map_err(|error| {
                LinkError::while_connecting(
                    error,
                    "Check FEISHU_APP_ID, FEISHU_APP_SECRET and FEISHU_DOMAIN.",
                )
            })?;
            *self.app.me.lock().await = Some(id);
            let app = Arc::clone(&self.app);
            receive_calls(&self.at, MAX_BODY, app, inbox, |app, call, inbox| {
                Box::pin(app.answer(call, inbox))
            })
            .await
        })
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let content = card(&message.content.text);
            let reply_to = message.reply_to.as_deref();
            self.app.put(&message.target, reply_to, "interactive", &content, &message.key).await
        })
    }

    fn edit<'a>(
        &'a self,
        id: &'a str,
        message: &'a Outgoing,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let body = json!({"content": card(&message.content.text).to_string()});
            let path = format!("im/v1/messages/{id}");
            let request = self.app.request(reqwest::Method::PATCH, &path).await?;
            self.app.accepted(request.json(&body)).await.map(drop)
        })
    }

    fn delete<'a>(
        &'a self,
        _: &'a Target,
        id: &'a str,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let path = format!("im/v1/messages/{id}");
            let request = self.app.request(reqwest::Method::DELETE, &path).await?;
            self.app.accepted(request).await.map(drop)
        })
    }

    fn send_file<'a>(
        &'a self,
        target: &'a Target,
        file: &'a OutgoingFile,
    ) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let is_picture = file.kind == MediaKind::Photo;
            let (path, form) = match is_picture {
                true => ("im/v1/images", Multipart::new().text("image_type", "message")),
                false => (
                    "im/v1/files",
                    Multipart::new().text("file_type", "stream").text("file_name", &file.name),
                ),
            };
            let field = if is_picture { "image" } else { "file" };
            let form = form.file(field, &file.name, &file.mime, &file.bytes);
            let request = self.app.request(reqwest::Method::POST, path).await?.timeout(TRANSFER);
            let stored = self.app.accepted(form.into_request(request)).await?;
            let name = format!("{field}_key");
            let mut content = json!({});
            content[name.as_str()] = stored["data"][name.as_str()].clone();
            self.app.put(target, file.reply_to.as_deref(), field, &content, "").await
        })
    }

    fn fetch<'a>(
        &'a self,
        media: &'a InboundMedia,
        most: u64,
    ) -> AdapterFuture<'a, Result<Vec<u8>, SendError>> {
        Box::pin(async move {
            let path = format!("im/v1/messages/{}", media.handle);
            download(self.app.request(reqwest::Method::GET, &path).await?, most).await
        })
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        Box::pin(async move { self.app.about().await.map(|(name, _)| name) })
    }

    fn render(&self, document: &Document) -> Rendered {
        Rendered::text(markup(document, &MarkupRules::MARKDOWN))
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        let is_id = |text: &str, begin: &str| {
            text.strip_prefix(begin).is_some_and(|rest| {
                !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_alphanumeric())
            })
        };
        let text = text.trim();
        match text.split_once(':') {
            Some((chat, root)) if is_id(chat, "oc_") && is_id(root, "om_") => {
                Ok(Target::thread(chat, root))
            }
            None if is_id(text, "oc_") || is_id(text, "ou_") => Ok(Target::chat(text)),
            _ => Err(format!("`{text}` is no chat of Feishu: write oc_…, oc_…:om_… or ou_…")),
        }
    }
}

#[cfg(test)]
mod tests;
