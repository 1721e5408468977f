//! Slack in Socket Mode: envelopes over a socket, acknowledged once they are stored; everything else by requests.
//!
//! A mention in a channel is answered in its thread. In a thread where we were mentioned once no more mention is needed; which
//! threads those are is a mark beside the stored events.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, Addressing, Button, ButtonPress, ButtonStyle,
    Capabilities, ChannelInfo, ChatKind, ChatSource, DisplayDefaults, InboundEvent, InboundMedia,
    InboundMessage, Inbox, LengthUnit, LinkError, MediaKind, MessageLimit, Outgoing, OutgoingFile,
    Platform, Receiving, SendClass, SendError, SetupError, Socket, SocketEvent, Target, Variable,
    download, exchange, is_on_host,
};
use crate::markdown::{Document, MarkupRules, Rendered, markup};

static SLACK: Platform = Platform {
    label: "Slack",
    emoji: "💼",
    required: &[
        Variable::secret("SLACK_BOT_TOKEN", "Bot token (xoxb-…)")
            .from("https://api.slack.com/apps"),
        Variable::secret("SLACK_APP_TOKEN", "App token with connections:write (xapp-…)")
            .from("https://api.slack.com/apps"),
    ],
    optional: &[
        Variable::open("SLACK_REPLY_IN_THREAD", "Whether mentions are answered in a thread (yes)"),
        Variable::open("SLACK_STRICT_MENTION", "Whether each message needs a mention (no)"),
    ],
    limit: MessageLimit { length: 12_000, unit: LengthUnit::Characters },
    capabilities: Capabilities {
        edit: true,
        delete: true,
        buttons: true,
        threads: true,
        files: true,
        ..Capabilities::NONE
    },
    display: DisplayDefaults::CHAT,
    open: |setup| Ok(Arc::new(Slack::new(&setup)?)),
    ..Platform::named("slack", "SLACK", "hermes-slack")
};
crate::register_platform!(&SLACK);

/// Slack's own marks. Names of everybody come out as text.
const MRKDWN: MarkupRules = MarkupRules {
    bold: "*",
    italic: "_",
    strike: "~",
    escape: |text| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"),
    escapes_code: true,
    link: |url, text| format!("<{url}|{text}>"),
    keeps_headings: false,
    names_languages: false,
    bullet: "• ",
};
/// Longest text of one block.
const MAX_SECTION: usize = 2_900;
/// Slack sends a ping every few seconds; this much silence is a dead connection.
const SILENCE: Duration = Duration::from_secs(90);
/// Names that are remembered.
const MAX_NAMES: usize = 2_000;

struct Wire {
    http: reqwest::Client,
    socket_http: reqwest::Client,
    base: String,
    bot_token: String,
    app_token: String,
    names: Mutex<HashMap<String, String>>,
}

impl Wire {
    async fn call_as(&self, token: &str, method: &str, body: &Value) -> Result<Value, SendError> {
        let request = self.http.post(format!("{}/{method}", self.base)).bearer_auth(token);
        answer(request.json(body)).await
    }

    async fn call(&self, method: &str, body: &Value) -> Result<Value, SendError> {
        self.call_as(&self.bot_token, method, body).await
    }

    /// For methods that read their arguments as a form only.
    async fn ask(&self, method: &str, fields: &[(&str, &str)]) -> Result<Value, SendError> {
        let body =
            url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let request =
            self.http.post(format!("{}/{method}", self.base)).bearer_auth(&self.bot_token);
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        answer(request.body(body)).await
    }

    async fn name_of(&self, user: &str) -> Option<String> {
        if let Some(known) = self.names.lock().ok().and_then(|names| names.get(user).cloned()) {
            return Some(known);
        }
        let found = self.ask("users.info", &[("user", user)]).await.ok()?;
        let profile = &found["user"]["profile"];
        let name = profile["display_name"].as_str().filter(|name| !name.is_empty());
        let name = name.or_else(|| found["user"]["real_name"].as_str())?.to_owned();
        if let Ok(mut names) = self.names.lock() {
            if names.len() >= MAX_NAMES {
                names.clear();
            }
            names.insert(user.to_owned(), name.clone());
        }
        Some(name)
    }
}

async fn answer(request: reqwest::RequestBuilder) -> Result<Value, SendError> {
    let reply = exchange(request).await?;
    let retry_after = reply.retry_after;
    if !(200..300).contains(&reply.status) {
        return reply.accepted("Slack", &["error"]);
    }
    if reply.body["ok"] == true {
        return Ok(reply.body);
    }
    let said = reply.body["error"].as_str().unwrap_or("unknown");
    let class = match said {
        "channel_not_found" | "message_not_found" | "user_not_found" => SendClass::NotFound,
        "not_in_channel"
        | "is_archived"
        | "restricted_action"
        | "missing_scope"
        | "invalid_auth"
        | "not_authed"
        | "account_inactive"
        | "token_revoked"
        | "token_expired"
        | "not_allowed_token_type" => SendClass::Forbidden,
        "thread_not_found" => SendClass::NoThread,
        "ratelimited" | "rate_limited" => SendClass::RateLimited,
        "msg_too_long" => SendClass::TooLong,
        "invalid_blocks" | "invalid_blocks_format" => SendClass::BadFormat,
        "internal_error" | "fatal_error" | "service_unavailable" | "request_timeout" => {
            SendClass::Transient
        }
        _ => SendClass::Unknown,
    };
    Err(SendError { retry_after, ..SendError::new(class, format!("Slack: {said}")) })
}

fn refused(error: SendError) -> LinkError {
    LinkError::while_connecting(
        error,
        "Check SLACK_BOT_TOKEN (xoxb-), SLACK_APP_TOKEN (xapp-) and that Socket Mode is on.",
    )
}

/// Who we are there.
#[derive(Clone, Debug, Default)]
struct Me {
    user: String,
    bot: String,
}

struct Slack {
    wire: Arc<Wire>,
    reply_in_thread: bool,
    strict: bool,
}

impl Slack {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let base = setup.base_url("https://slack.com/api");
        let wire = Wire {
            http: setup.http(&base)?,
            socket_http: setup.socket_http(&base)?,
            base,
            bot_token: setup.required("SLACK_BOT_TOKEN")?,
            app_token: setup.required("SLACK_APP_TOKEN")?,
            names: Mutex::default(),
        };
        Ok(Self {
            wire: Arc::new(wire),
            reply_in_thread: setup.is_on("SLACK_REPLY_IN_THREAD", true),
            strict: setup.is_on("SLACK_STRICT_MENTION", false),
        })
    }

    /// The channel of a target; a person's is opened.
    async fn channel(&self, target: &Target) -> Result<String, SendError> {
        if !target.chat_id.starts_with('U') {
            return Ok(target.chat_id.clone());
        }
        let opened =
            self.wire.call("conversations.open", &json!({"users": target.chat_id})).await?;
        Ok(opened["channel"]["id"].as_str().unwrap_or_default().to_owned())
    }

    async fn body(&self, message: &Outgoing) -> Result<Value, SendError> {
        let mut body = json!({
            "channel": self.channel(&message.target).await?,
            "text": message.content.text,
            "unfurl_links": false,
            "unfurl_media": false,
        });
        body["blocks"] = match message.buttons.is_empty() {
            true => json!([]),
            false => blocks(&message.content.text, &message.buttons),
        };
        Ok(body)
    }
}

fn blocks(text: &str, rows: &[Vec<Button>]) -> Value {
    let letters: Vec<char> = text.chars().collect();
    let section = |part: &[char]| {
        let text: String = part.iter().collect();
        json!({"type": "section", "text": {"type": "mrkdwn", "text": text}})
    };
    let mut all: Vec<Value> = letters.chunks(MAX_SECTION).map(section).collect();
    for row in rows {
        let button = |button: &Button| {
            let label: String = button.label.chars().take(75).collect();
            let mut one = json!({
                "type": "button", "value": button.data, "action_id": button.data,
                "text": {"type": "plain_text", "text": label},
            });
            match button.style {
                ButtonStyle::Primary => one["style"] = json!("primary"),
                ButtonStyle::Danger => one["style"] = json!("danger"),
                ButtonStyle::Plain => {}
            }
            one
        };
        let buttons: Vec<Value> = row.iter().take(5).map(button).collect();
        all.push(json!({"type": "actions", "elements": buttons}));
    }
    all.truncate(50);
    json!(all)
}

/// A message as an event; ours and notices are none.
fn message_of(event: &Value, me: &Me, reply_in_thread: bool) -> Option<InboundMessage> {
    let text = |name: &str| event[name].as_str().map(str::to_owned);
    let is_said = matches!(
        event["subtype"].as_str(),
        None | Some("file_share" | "thread_broadcast" | "bot_message")
    );
    let user = text("user");
    let is_ours = user.as_deref() == Some(me.user.as_str()) || event["bot_id"] == me.bot.as_str();
    if !is_said || is_ours {
        return None;
    }
    let (ts, channel) = (text("ts")?, text("channel")?);
    let words = event["text"].as_str().unwrap_or_default();
    let mention = format!("<@{}>", me.user);
    let is_dm = event["channel_type"] == "im" || channel.starts_with('D');
    let is_named = words.contains(&mention) || event["type"] == "app_mention";
    let thread =
        text("thread_ts").or_else(|| (!is_dm && is_named && reply_in_thread).then(|| ts.clone()));
    let answers_us = event["parent_user_id"] == me.user.as_str();
    let source = ChatSource {
        platform: SLACK.name.to_owned(),
        chat_id: channel,
        kind: if is_dm { ChatKind::Dm } else { ChatKind::Group },
        user_id: user,
        thread_id: thread,
        is_bot: event["bot_id"].is_string(),
        scope_id: text("team"),
        message_id: Some(ts.clone()),
        ..ChatSource::default()
    };
    let files = event["files"].as_array().into_iter().flatten();
    Some(InboundMessage {
        source,
        text: plain_words(&words.replace(&mention, "")),
        media: files.filter_map(media_of).collect(),
        addressing: match is_dm || is_named || answers_us {
            true => Addressing::Direct,
            false => Addressing::Ambient,
        },
        sent_at: ts.split('.').next().and_then(|seconds| seconds.parse().ok()),
        message_id: ts,
        ..InboundMessage::default()
    })
}

/// Slack writes three signs as entities.
fn plain_words(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").trim().to_owned()
}

fn media_of(file: &Value) -> Option<InboundMedia> {
    let mime = file["mimetype"].as_str().unwrap_or_default();
    let handle = file["url_private_download"].as_str().or_else(|| file["url_private"].as_str())?;
    Some(InboundMedia {
        kind: match mime.split('/').next() {
            Some("image") => MediaKind::Photo,
            Some("audio") => MediaKind::Audio,
            Some("video") => MediaKind::Video,
            _ => MediaKind::Document,
        },
        handle: handle.to_owned(),
        name: file["name"].as_str().map(str::to_owned),
        mime: Some(mime.to_owned()),
        size: file["size"].as_u64(),
        description: None,
    })
}

fn press_of(payload: &Value) -> Option<ButtonPress> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let action = payload["actions"].as_array()?.first()?;
    let message = &payload["message"];
    let channel = text(&payload["channel"]["id"])?;
    Some(ButtonPress {
        source: ChatSource {
            platform: SLACK.name.to_owned(),
            kind: if channel.starts_with('D') { ChatKind::Dm } else { ChatKind::Group },
            chat_id: channel,
            user_id: text(&payload["user"]["id"]),
            user_name: text(&payload["user"]["name"]),
            thread_id: text(&message["thread_ts"]),
            ..ChatSource::default()
        },
        id: format!(
            "{}-{}",
            text(&payload["trigger_id"])?,
            text(&action["action_ts"]).unwrap_or_default()
        ),
        message_id: text(&message["ts"]).unwrap_or_default(),
        data: text(&action["value"])?,
    })
}

/// `/hermes new` is `/new`; `/hermes what is new?` are words.
fn command_of(payload: &Value) -> Option<InboundMessage> {
    let text = |name: &str| payload[name].as_str().map(str::to_owned);
    let words = text("text").unwrap_or_default();
    let channel = text("channel_id")?;
    Some(InboundMessage {
        message_id: text("trigger_id")?,
        text: if words.contains(' ') {
            words
        } else {
            format!("/{}", words.trim_start_matches('/'))
        },
        source: ChatSource {
            platform: SLACK.name.to_owned(),
            kind: if channel.starts_with('D') { ChatKind::Dm } else { ChatKind::Group },
            chat_id: channel,
            user_id: text("user_id"),
            user_name: text("user_name"),
            ..ChatSource::default()
        },
        ..InboundMessage::default()
    })
}

struct Receiver {
    wire: Arc<Wire>,
    me: Me,
    inbox: Inbox,
    reply_in_thread: bool,
    strict: bool,
}

impl Receiver {
    async fn run(self, mut socket: Socket) -> LinkError {
        loop {
            let told = match socket.next(SILENCE).await {
                Ok(SocketEvent::Json(told)) => told,
                Ok(SocketEvent::Closed(_)) => return at_once("Slack has closed the connection"),
                Err(error) => return error,
            };
            if told["type"] == "disconnect" {
                return at_once("Slack asks us to connect anew");
            }
            let Some(envelope) = told["envelope_id"].as_str() else { continue };
            let (event, marks) = self.event_of(&told).await;
            let marks: Vec<(&str, String)> =
                marks.iter().map(|name| (name.as_str(), "1".to_owned())).collect();
            if let Err(error) = self.inbox.accept(event.into_iter().collect(), &marks).await {
                return error.into();
            }
            if let Err(error) = socket.send(&json!({"envelope_id": envelope})).await {
                return error;
            }
        }
    }

    async fn event_of(&self, told: &Value) -> (Option<InboundEvent>, Vec<String>) {
        let payload = &told["payload"];
        match told["type"].as_str() {
            Some("interactive") => {
                (press_of(payload).map(|press| InboundEvent::Button(Box::new(press))), Vec::new())
            }
            Some("slash_commands") => {
                let said = command_of(payload);
                (said.map(|said| InboundEvent::Message(Box::new(said))), Vec::new())
            }
            Some("events_api") => {
                let event = &payload["event"];
                let is_words = matches!(event["type"].as_str(), Some("message" | "app_mention"));
                let said = message_of(event, &self.me, self.reply_in_thread);
                let Some(mut said) = said.filter(|_| is_words) else { return (None, Vec::new()) };
                let marks = self.remember_thread(&mut said).await;
                if let Some(user) = said.source.user_id.clone() {
                    said.source.user_name = self.wire.name_of(&user).await;
                }
                (Some(InboundEvent::Message(Box::new(said))), marks)
            }
            _ => (None, Vec::new()),
        }
    }

    /// A thread where we were mentioned once is ours from then on.
    async fn remember_thread(&self, said: &mut InboundMessage) -> Vec<String> {
        let Some(thread) = said.source.thread_id.clone() else { return Vec::new() };
        let mark = format!("thread:{}:{thread}", said.source.chat_id);
        match said.addressing {
            Addressing::Direct if said.source.kind.is_shared() => vec![mark],
            Addressing::Ambient if !self.strict && self.inbox.mark(&mark).await.is_some() => {
                said.addressing = Addressing::Direct;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }
}

fn at_once(what: &str) -> LinkError {
    LinkError::Retry { what: what.to_owned(), after: Some(Duration::from_millis(50)) }
}

impl Adapter for Slack {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        Box::pin(async move {
            let who = self.wire.call("auth.test", &json!({})).await.map_err(refused)?;
            let text = |name: &str| who[name].as_str().unwrap_or("none").to_owned();
            let me = Me { user: text("user_id"), bot: text("bot_id") };
            let wire = Arc::clone(&self.wire);
            let opened = wire.call_as(&wire.app_token, "apps.connections.open", &json!({})).await;
            let opened = opened.map_err(refused)?;
            let address = opened["url"].as_str().unwrap_or_default();
            let mut socket = Socket::open(&wire.socket_http, address).await?;
            match socket.next(Duration::from_secs(20)).await? {
                SocketEvent::Json(hello) if hello["type"] == "hello" => {}
                _ => return Err(LinkError::retry("Slack did not say hello")),
            }
            let (reply_in_thread, strict) = (self.reply_in_thread, self.strict);
            let receiver = Receiver { wire, me, inbox, reply_in_thread, strict };
            Ok(Box::pin(receiver.run(socket)) as Receiving)
        })
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let mut body = self.body(message).await?;
            if let Some(thread) = &message.target.thread_id {
                body["thread_ts"] = json!(thread);
            }
            let sent = self.wire.call("chat.postMessage", &body).await?;
            Ok(sent["ts"].as_str().unwrap_or_default().to_owned())
        })
    }

    fn edit<'a>(
        &'a self,
        id: &'a str,
        message: &'a Outgoing,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let mut body = self.body(message).await?;
            body["ts"] = json!(id);
            self.wire.call("chat.update", &body).await.map(drop)
        })
    }

    fn delete<'a>(
        &'a self,
        target: &'a Target,
        id: &'a str,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let body = json!({"channel": target.chat_id, "ts": id});
            self.wire.call("chat.delete", &body).await.map(drop)
        })
    }

    fn send_file<'a>(
        &'a self,
        target: &'a Target,
        file: &'a OutgoingFile,
    ) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let length = file.bytes.len().to_string();
            let place = [("filename", file.name.as_str()), ("length", length.as_str())];
            let place = self.wire.ask("files.getUploadURLExternal", &place).await?;
            let (address, id) = (place["upload_url"].as_str(), place["file_id"].as_str());
            let (Some(address), Some(id)) = (address, id) else {
                return Err(SendError::new(
                    SendClass::Unknown,
                    "Slack names no place for the file",
                ));
            };
            if !is_on_host(address, &[".slack.com"], &self.wire.base) {
                return Err(SendError::new(SendClass::Forbidden, "the place is not on Slack"));
            }
            let upload = self.wire.http.post(address).timeout(Duration::from_secs(180));
            exchange(upload.body(file.bytes.clone())).await?.accepted("Slack", &[])?;
            let mut done = json!({
                "files": [{"id": id, "title": file.name}],
                "channel_id": self.channel(target).await?,
            });
            if let Some(thread) = &target.thread_id {
                done["thread_ts"] = json!(thread);
            }
            if let Some(caption) = &file.caption {
                done["initial_comment"] = json!(caption);
            }
            self.wire.call("files.completeUploadExternal", &done).await?;
            Ok(id.to_owned())
        })
    }

    fn fetch<'a>(
        &'a self,
        media: &'a InboundMedia,
        most: u64,
    ) -> AdapterFuture<'a, Result<Vec<u8>, SendError>> {
        Box::pin(async move {
            if !is_on_host(&media.handle, &[".slack.com"], &self.wire.base) {
                return Err(SendError::new(SendClass::Forbidden, "the file is not on Slack"));
            }
            let request = self.wire.http.get(&media.handle).bearer_auth(&self.wire.bot_token);
            download(request, most).await
        })
    }

    fn answer_button<'a>(
        &'a self,
        press: &'a ButtonPress,
        line: &'a str,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let body = json!({
                "channel": press.source.chat_id, "user": press.source.user_id, "text": line,
            });
            self.wire.call("chat.postEphemeral", &body).await.map(drop)
        })
    }

    fn list_channels(&self) -> AdapterFuture<'_, Result<Vec<ChannelInfo>, SendError>> {
        Box::pin(async move {
            let wanted = [
                ("types", "public_channel,private_channel"),
                ("limit", "200"),
                ("exclude_archived", "true"),
            ];
            let listed = self.wire.ask("conversations.list", &wanted).await?;
            let one = |channel: &Value| {
                Some(ChannelInfo {
                    id: channel["id"].as_str()?.to_owned(),
                    name: channel["name"].as_str()?.to_owned(),
                    kind: "channel".to_owned(),
                })
            };
            Ok(listed["channels"].as_array().into_iter().flatten().filter_map(one).collect())
        })
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        Box::pin(async move {
            let who = self.wire.call("auth.test", &json!({})).await?;
            let text = |name: &str| who[name].as_str().unwrap_or_default().to_owned();
            Ok(format!("@{} in {}", text("user"), text("team")))
        })
    }

    fn render(&self, document: &Document) -> Rendered {
        Rendered::text(markup(document, &MRKDWN))
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        let text = text.trim();
        let (place, thread) = text.split_once(':').map_or((text, None), |(a, b)| (a, Some(b)));
        let is_id = place.len() >= 9
            && place.starts_with(['C', 'G', 'D', 'U'])
            && place.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
        let is_ts =
            |ts: &str| ts.contains('.') && ts.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        match thread {
            None if is_id => Ok(Target::chat(place)),
            Some(thread) if is_id && is_ts(thread) => Ok(Target::thread(place, thread)),
            _ => Err(format!(
                "`{text}` is no channel of Slack: write its id (C0123456789), id:thread, or #name"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn me() -> Me {
        Me { user: "U0BOT".to_owned(), bot: "B0BOT".to_owned() }
    }

    #[test]
    fn a_mention_opens_a_thread_and_everybody_is_not_called() {
        let event = json!({"type": "message", "channel": "C012345678", "channel_type": "channel",
            "user": "U1", "ts": "1700000000.000100", "text": "<@U0BOT> 1 &lt; 2"});
        let said = message_of(&event, &me(), true).unwrap();
        assert_eq!((said.text.as_str(), said.addressing), ("1 < 2", Addressing::Direct));
        assert_eq!(said.source.thread_id.as_deref(), Some("1700000000.000100"));
        assert_eq!(markup(&Document::parse("hi <!here> **a**"), &MRKDWN), "hi &lt;!here&gt; *a*");
        let own = json!({"type": "message", "channel": "C1", "bot_id": "B0BOT", "ts": "1.1", "text": "x"});
        assert!(message_of(&own, &me(), true).is_none());
        let changed =
            json!({"type": "message", "subtype": "message_changed", "channel": "C1", "ts": "1.1"});
        assert!(message_of(&changed, &me(), true).is_none());
    }

    #[test]
    fn commands_are_told_from_questions() {
        let payload = |text: &str| json!({"text": text, "channel_id": "C1", "user_id": "U1", "trigger_id": "t"});
        assert_eq!(command_of(&payload("new")).unwrap().text, "/new");
        assert_eq!(command_of(&payload("what is new?")).unwrap().text, "what is new?");
    }
}
