//! DingTalk: calls come over a socket that we open (stream mode); answers go to the address that came with the call for as
//! long as it lasts, then through the robot's own interface.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_store::clock::now;
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, Addressing, ChatKind, ChatSource, InboundEvent,
    InboundMedia, InboundMessage, Inbox, LengthUnit, LinkError, MediaKind, MessageLimit, Outgoing,
    Platform, Receiving, SendClass, SendError, SetupError, Socket, SocketEvent, Target, Variable,
    download, exchange, is_on_host,
};
use crate::markdown::{Document, MarkupRules, Rendered, markup};

static DINGTALK: Platform = Platform {
    label: "DingTalk",
    emoji: "📌",
    required: &[
        Variable::open("DINGTALK_CLIENT_ID", "Client id (AppKey) of the robot")
            .from("https://open-dev.dingtalk.com"),
        Variable::secret("DINGTALK_CLIENT_SECRET", "Client secret (AppSecret) of the robot"),
    ],
    limit: MessageLimit { length: 20_000, unit: LengthUnit::Characters },
    open: |setup| Ok(Arc::new(DingTalk::new(&setup)?)),
    ..Platform::named("dingtalk", "DINGTALK", "hermes-dingtalk")
};
crate::register_platform!(&DINGTALK);

/// What a robot is told of: words to it.
const TOPIC: &str = "/v1.0/im/bot/messages/get";
/// The service pings at least this often.
const SILENCE: Duration = Duration::from_secs(150);
/// A token is renewed this long before its end.
const MARGIN: Duration = Duration::from_secs(120);
/// An address for answers is not used in its last seconds.
const LAST_SECONDS: f64 = 30.0;
/// How chats with one person are named here, since answers to them name the person.
const PERSON: &str = "user:";

struct Robot {
    http: reqwest::Client,
    socket_http: reqwest::Client,
    base: String,
    id: String,
    secret: String,
    key: Mutex<Option<(String, Instant)>>,
    inbox: Mutex<Option<Inbox>>,
}

struct DingTalk {
    robot: Arc<Robot>,
}

impl DingTalk {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let base = setup.base_url("https://api.dingtalk.com");
        let robot = Robot {
            http: setup.http(&base)?,
            socket_http: setup.socket_http(&base)?,
            base,
            id: setup.required("DINGTALK_CLIENT_ID")?,
            secret: setup.required("DINGTALK_CLIENT_SECRET")?,
            key: Mutex::default(),
            inbox: Mutex::default(),
        };
        Ok(Self { robot: Arc::new(robot) })
    }
}

/// Under which the address for answers in a chat is remembered, with its end in front.
fn mark_of(chat: &str) -> String {
    format!("answers:{chat}")
}

impl Robot {
    async fn post(&self, path: &str, body: &Value, key: Option<&str>) -> Result<Value, SendError> {
        let mut request = self.http.post(format!("{}{path}", self.base)).json(body);
        if let Some(key) = key {
            request = request.header("x-acs-dingtalk-access-token", key);
        }
        exchange(request).await?.accepted("DingTalk", &["message"])
    }

    async fn key(&self) -> Result<String, SendError> {
        let mut key = self.key.lock().await;
        if let Some((key, _)) = key.as_ref().filter(|(_, until)| *until > Instant::now()) {
            return Ok(key.clone());
        }
        let body = json!({"appKey": self.id, "appSecret": self.secret});
        let told = self.post("/v1.0/oauth2/accessToken", &body, None).await?;
        let fresh = told["accessToken"].as_str().unwrap_or_default().to_owned();
        let lasts = Duration::from_secs(told["expireIn"].as_u64().unwrap_or(7_200));
        *key = Some((fresh.clone(), Instant::now() + lasts.saturating_sub(MARGIN)));
        Ok(fresh)
    }

    async fn socket(&self) -> Result<Socket, LinkError> {
        let body = json!({"clientId": self.id, "clientSecret": self.secret, "ua": "hermes",
            "subscriptions": [{"type": "CALLBACK", "topic": TOPIC}]});
        let told = self.post("/v1.0/gateway/connections/open", &body, None).await;
        let told = told.map_err(|error| match error.class {
            SendClass::Forbidden | SendClass::BadFormat => LinkError::fatal(
                error.what,
                "Check DINGTALK_CLIENT_ID and DINGTALK_CLIENT_SECRET, and that the robot is in stream mode.",
            ),
            _ => LinkError::Retry { what: error.what, after: error.retry_after },
        })?;
        let text = |name: &str| told[name].as_str().unwrap_or_default();
        let ticket: String =
            url::form_urlencoded::byte_serialize(text("ticket").as_bytes()).collect();
        let address = format!("{}?ticket={ticket}", text("endpoint"));
        Ok(Socket::open(&self.socket_http, &address).await?)
    }

    /// The address for answers in a chat, while it lasts.
    async fn answers(&self, chat: &str) -> Option<String> {
        let inbox = self.inbox.lock().await.clone()?;
        let mark = inbox.mark(&mark_of(chat)).await?;
        let (end, address) = mark.split_once(' ')?;
        let lasts = end.parse::<f64>().is_ok_and(|end| end > now() + LAST_SECONDS);
        let is_theirs = is_on_host(address, &[".dingtalk.com"], &self.base);
        (lasts && is_theirs).then(|| address.to_owned())
    }

    async fn say(&self, chat: &str, text: &str) -> Result<String, SendError> {
        let title = title(text);
        if let Some(address) = self.answers(chat).await {
            let body = json!({"msgtype": "markdown", "markdown": {"title": title, "text": text}});
            let reply = exchange(self.http.post(address).json(&body)).await?;
            let told = reply.accepted("DingTalk", &["errmsg"])?;
            return match told["errcode"].as_i64() {
                None | Some(0) => Ok(String::new()),
                // Too many words to one chat in a minute.
                Some(130_101 | 660_026) => Err(SendError::rate_limited("DingTalk: too fast", None)),
                Some(code) => {
                    let said = told["errmsg"].as_str().unwrap_or_default();
                    let said: String = said.chars().take(200).collect();
                    let what = format!("DingTalk: {code} {said}");
                    Err(SendError::new(SendClass::Unknown, what))
                }
            };
        }
        let words = json!({"title": title, "text": text}).to_string();
        let mut body = json!({"robotCode": self.id, "msgKey": "sampleMarkdown", "msgParam": words});
        let path = match chat.strip_prefix(PERSON) {
            Some(person) => {
                body["userIds"] = json!([person]);
                "/v1.0/robot/oToMessages/batchSend"
            }
            None => {
                body["openConversationId"] = json!(chat);
                "/v1.0/robot/groupMessages/send"
            }
        };
        let sent = self.post(path, &body, Some(&self.key().await?)).await?;
        Ok(sent["processQueryKey"].as_str().unwrap_or_default().to_owned())
    }
}

/// What a phone shows of a message before it is opened.
fn title(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("…");
    let line = line.trim_matches(|c: char| matches!(c, '#' | '*' | ' ' | '`' | '>'));
    line.chars().take(40).collect()
}

/// What a robot was told, with the mark that goes along.
fn message_of(told: &Value) -> Option<(InboundMessage, Option<(String, String)>)> {
    let text = |name: &str| told[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let is_dm = told["conversationType"] == "1";
    let user = text("senderStaffId").or_else(|| text("senderId"))?;
    let chat_id = match (is_dm, text("senderStaffId")) {
        (true, Some(person)) => format!("{PERSON}{person}"),
        _ => text("conversationId")?,
    };
    let content = &told["content"];
    let kind = told["msgtype"].as_str().unwrap_or_default();
    let file = |kind: MediaKind, code: &Value, name: &Value| {
        Some(InboundMedia {
            kind,
            handle: code.as_str()?.to_owned(),
            name: name.as_str().map(str::to_owned),
            ..InboundMedia::default()
        })
    };
    let mut words = String::new();
    let mut media = Vec::new();
    match kind {
        "text" => words.push_str(told["text"]["content"].as_str().unwrap_or_default()),
        "richText" => {
            for part in content["richText"].as_array().into_iter().flatten() {
                words.push_str(part["text"].as_str().unwrap_or_default());
                media.extend(file(MediaKind::Photo, &part["downloadCode"], &Value::Null));
            }
        }
        "picture" => media.extend(file(MediaKind::Photo, &content["downloadCode"], &Value::Null)),
        "video" => media.extend(file(MediaKind::Video, &content["downloadCode"], &Value::Null)),
        "file" => {
            media.extend(file(MediaKind::Document, &content["downloadCode"], &content["fileName"]));
        }
        // What was said is told in words, too.
        "audio" => match content["recognition"].as_str().filter(|said| !said.is_empty()) {
            Some(said) => words.push_str(said),
            None => media.extend(file(MediaKind::Voice, &content["downloadCode"], &Value::Null)),
        },
        _ => return None,
    }
    let id = text("msgId")?;
    let lasts = told["sessionWebhookExpiredTime"].as_f64().unwrap_or_default() / 1_000.0;
    let answers = text("sessionWebhook")
        .map(|address| (mark_of(&chat_id), format!("{} {address}", lasts.floor())));
    let said = InboundMessage {
        source: ChatSource {
            platform: DINGTALK.name.to_owned(),
            chat_id,
            chat_name: text("conversationTitle"),
            kind: if is_dm { ChatKind::Dm } else { ChatKind::Group },
            user_id: Some(user),
            user_name: text("senderNick"),
            scope_id: text("senderCorpId"),
            message_id: Some(id.clone()),
            ..ChatSource::default()
        },
        message_id: id,
        text: words.trim().to_owned(),
        media,
        addressing: match is_dm || told["isInAtList"] == true {
            true => Addressing::Direct,
            false => Addressing::Ambient,
        },
        sent_at: told["createAt"].as_f64().map(|milliseconds| milliseconds / 1_000.0),
        ..InboundMessage::default()
    };
    Some((said, answers))
}

/// That a frame was taken.
fn taken(frame: &Value, data: &str) -> Value {
    json!({"code": 200, "message": "OK", "data": data, "headers": {
        "messageId": frame["headers"]["messageId"], "contentType": "application/json"}})
}

async fn listen(mut socket: Socket, inbox: Inbox) -> LinkError {
    loop {
        let frame = match socket.next(SILENCE).await {
            Ok(SocketEvent::Json(frame)) => frame,
            Ok(SocketEvent::Closed(_)) => return LinkError::retry("DingTalk has closed it"),
            Err(error) => return error,
        };
        let data = frame["data"].as_str().unwrap_or_default();
        let answer = match (frame["type"].as_str(), frame["headers"]["topic"].as_str()) {
            (Some("SYSTEM"), Some("ping")) => taken(&frame, data),
            (Some("SYSTEM"), Some("disconnect")) => {
                return LinkError::retry("DingTalk wants a new connection");
            }
            (Some("CALLBACK"), Some(TOPIC)) => {
                let told: Value = serde_json::from_str(data).unwrap_or_default();
                if let Some((said, answers)) = message_of(&told) {
                    let marks: Vec<(&str, String)> = answers
                        .iter()
                        .map(|(name, value)| (name.as_str(), value.clone()))
                        .collect();
                    let event = InboundEvent::Message(Box::new(said));
                    if let Err(error) = inbox.accept(vec![event], &marks).await {
                        return error.into();
                    }
                }
                taken(&frame, "{\"response\":null}")
            }
            _ => taken(&frame, "{}"),
        };
        if let Err(error) = socket.send(&answer).await {
            return error;
        }
    }
}

impl Adapter for DingTalk {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        Box::pin(async move {
            let socket = self.robot.socket().await?;
            *self.robot.inbox.lock().await = Some(inbox.clone());
            Ok(Box::pin(listen(socket, inbox)) as Receiving)
        })
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(self.robot.say(&message.target.chat_id, &message.content.text))
    }

    fn fetch<'a>(
        &'a self,
        media: &'a InboundMedia,
        most: u64,
    ) -> AdapterFuture<'a, Result<Vec<u8>, SendError>> {
        Box::pin(async move {
            let robot = &self.robot;
            let body = json!({"downloadCode": media.handle, "robotCode": robot.id});
            let path = "/v1.0/robot/messageFiles/download";
            let told = robot.post(path, &body, Some(&robot.key().await?)).await?;
            let address = told["downloadUrl"].as_str().unwrap_or_default();
            // Signed addresses of their store: no token of ours goes along.
            if !is_on_host(address, &[".aliyuncs.com", ".dingtalk.com"], &robot.base) {
                return Err(SendError::new(SendClass::Forbidden, "the file is not at DingTalk"));
            }
            download(robot.http.get(address), most).await
        })
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        Box::pin(async move {
            self.robot.key().await?;
            Ok(format!("the robot {}", self.robot.id))
        })
    }

    fn render(&self, document: &Document) -> Rendered {
        Rendered::text(markup(document, &MarkupRules::MARKDOWN))
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        let text = text.trim();
        let is_place = text.strip_prefix(PERSON).is_some_and(|person| !person.is_empty())
            || text.starts_with("cid");
        match is_place && !text.contains(char::is_whitespace) {
            true => Ok(Target::chat(text)),
            false => Err(format!("`{text}` is no chat of DingTalk: write cid… or user:STAFF-ID")),
        }
    }
}

#[cfg(test)]
mod tests;
