//! LINE: it calls us for what comes in, signed with the channel's secret; answers are pushed with a key that makes a repeated
//! one the same.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use ring::hmac;
use serde_json::{Value, json};

use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, Addressing, Capabilities, ChatKind, ChatSource,
    InboundEvent, InboundMedia, InboundMessage, Inbox, LengthUnit, LinkError, ListenAt, MediaKind,
    MessageLimit, Outgoing, Platform, Receiving, SendError, SetupError, Target, Variable,
    WebhookRequest, WebhookResponse, download, exchange, hex, receive_calls, same_secret, signed,
};

static LINE: Platform = Platform {
    label: "LINE",
    emoji: "💚",
    required: &[
        Variable::secret("LINE_CHANNEL_ACCESS_TOKEN", "Channel access token")
            .from("https://developers.line.biz/console"),
        Variable::secret("LINE_CHANNEL_SECRET", "Channel secret"),
    ],
    optional: &[
        Variable::open("LINE_HOST", "Where to listen (127.0.0.1)"),
        Variable::open("LINE_PORT", "The port (8646)"),
    ],
    limit: MessageLimit { length: 5_000, unit: LengthUnit::Utf16 },
    capabilities: Capabilities {
        idempotent_for: Duration::from_secs(86_400),
        ..Capabilities::NONE
    },
    binds_port: true,
    open: |setup| Ok(Arc::new(Line::new(&setup)?)),
    ..Platform::named("line", "LINE", "hermes-line")
};
crate::register_platform!(&LINE);

const MAX_BODY: usize = 1024 * 1024;

struct Channel {
    http: reqwest::Client,
    base: String,
    data: String,
    token: String,
    secret: String,
}

struct Line {
    channel: Arc<Channel>,
    at: ListenAt,
}

impl Line {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let base = setup.base_url("https://api.line.me");
        let channel = Channel {
            http: setup.http(&base)?,
            data: base.replace("//api.line.me", "//api-data.line.me"),
            base,
            token: setup.required("LINE_CHANNEL_ACCESS_TOKEN")?,
            secret: setup.required("LINE_CHANNEL_SECRET")?,
        };
        Ok(Self { channel: Arc::new(channel), at: ListenAt::read(setup, "LINE", 8_646)? })
    }
}

impl Channel {
    async fn answer(&self, call: &WebhookRequest, inbox: &Inbox) -> WebhookResponse {
        let tag = signed(hmac::HMAC_SHA256, self.secret.as_bytes(), &[&call.body]);
        let ours = base64::engine::general_purpose::STANDARD.encode(tag);
        if !same_secret(&ours, call.header("x-line-signature").unwrap_or_default()) {
            return WebhookResponse::status(403);
        }
        let Ok(told) = serde_json::from_slice::<Value>(&call.body) else {
            return WebhookResponse::status(400);
        };
        let events = told["events"].as_array().into_iter().flatten();
        let events = events.filter_map(message_of).map(|m| InboundEvent::Message(Box::new(m)));
        match inbox.accept(events.collect(), &[]).await {
            Ok(()) => WebhookResponse::status(200),
            Err(_) => WebhookResponse::status(503),
        }
    }
}

fn message_of(event: &Value) -> Option<InboundMessage> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if event["type"] != "message" {
        return None;
    }
    let (source, message) = (&event["source"], &event["message"]);
    let user = text(&source["userId"]);
    let (chat_id, kind) = match source["type"].as_str()? {
        "group" => (text(&source["groupId"])?, ChatKind::Group),
        "room" => (text(&source["roomId"])?, ChatKind::Group),
        _ => (user.clone()?, ChatKind::Dm),
    };
    let id = text(&message["id"])?;
    let mentioned = message["mention"]["mentionees"].as_array().into_iter().flatten();
    let is_named = mentioned.into_iter().any(|one| one["isSelf"] == true);
    let media = match message["type"].as_str()? {
        "image" => Some(MediaKind::Photo),
        "audio" => Some(MediaKind::Audio),
        "video" => Some(MediaKind::Video),
        "file" => Some(MediaKind::Document),
        _ => None,
    };
    let media = media.map(|kind| InboundMedia {
        kind,
        handle: id.clone(),
        name: text(&message["fileName"]),
        size: message["fileSize"].as_u64(),
        ..InboundMedia::default()
    });
    Some(InboundMessage {
        source: ChatSource {
            platform: LINE.name.to_owned(),
            chat_id,
            kind,
            user_id: user,
            message_id: Some(id.clone()),
            ..ChatSource::default()
        },
        message_id: id,
        text: text(&message["text"]).unwrap_or_default(),
        media: media.into_iter().collect(),
        addressing: match kind == ChatKind::Dm || is_named {
            true => Addressing::Direct,
            false => Addressing::Ambient,
        },
        sent_at: event["timestamp"].as_f64().map(|milliseconds| milliseconds / 1_000.0),
        ..InboundMessage::default()
    })
}

/// The same for the same message, in the form of a UUID.
fn retry_key(key: &str) -> String {
    let hash = ring::digest::digest(&ring::digest::SHA256, key.as_bytes());
    let digits = hex(hash.as_ref().get(..16).unwrap_or_default());
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

impl Adapter for Line {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        let channel = Arc::clone(&self.channel);
        Box::pin(receive_calls(&self.at, MAX_BODY, channel, inbox, |channel, call, inbox| {
            Box::pin(channel.answer(call, inbox))
        }))
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let channel = &self.channel;
            let body = json!({"to": message.target.chat_id,
                "messages": [{"type": "text", "text": message.content.text}]});
            let request = channel.http.post(format!("{}/v2/bot/message/push", channel.base));
            let request = request.bearer_auth(&channel.token).json(&body);
            let request = match message.key.is_empty() {
                true => request,
                false => request.header("x-line-retry-key", retry_key(&message.key)),
            };
            let reply = exchange(request).await?;
            // 409 says that a message with this key was taken before.
            let body = match reply.status {
                409 => reply.body,
                _ => reply.accepted("LINE", &["message"])?,
            };
            Ok(body["sentMessages"][0]["id"].as_str().unwrap_or_default().to_owned())
        })
    }

    fn fetch<'a>(
        &'a self,
        media: &'a InboundMedia,
        most: u64,
    ) -> AdapterFuture<'a, Result<Vec<u8>, SendError>> {
        let address = format!("{}/v2/bot/message/{}/content", self.channel.data, media.handle);
        let request = self.channel.http.get(address).bearer_auth(&self.channel.token);
        Box::pin(download(request, most))
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        Box::pin(async move {
            let request = self.channel.http.get(format!("{}/v2/bot/info", self.channel.base));
            let found = exchange(request.bearer_auth(&self.channel.token)).await?;
            let found = found.accepted("LINE", &["message"])?;
            Ok(found["displayName"].as_str().unwrap_or_default().to_owned())
        })
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        let text = text.trim();
        let is_id = text.len() == 33
            && text.starts_with(['U', 'C', 'R'])
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        match is_id {
            true => Ok(Target::chat(text)),
            false => Err(format!("`{text}` is no id of LINE: U…, C… or R… with 32 digits")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_uuids_and_the_same_for_the_same() {
        assert_eq!(retry_key("a"), retry_key("a"));
        assert_ne!(retry_key("a"), retry_key("b"));
        assert_eq!(retry_key("a").split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
    }

    #[test]
    fn a_group_is_answered_when_it_names_us() {
        let event = |source: Value, mention: Value| {
            json!({"type": "message", "timestamp": 1, "source": source,
                "message": {"type": "text", "id": "1", "text": "hi", "mention": mention}})
        };
        let group = json!({"type": "group", "groupId": "C1", "userId": "U1"});
        let said = message_of(&event(group.clone(), Value::Null)).unwrap();
        assert_eq!((said.addressing, said.source.chat_id.as_str()), (Addressing::Ambient, "C1"));
        let named = json!({"mentionees": [{"isSelf": true}]});
        assert_eq!(message_of(&event(group, named)).unwrap().addressing, Addressing::Direct);
        let alone = json!({"type": "user", "userId": "U1"});
        assert_eq!(message_of(&event(alone, Value::Null)).unwrap().source.kind, ChatKind::Dm);
        assert!(message_of(&json!({"type": "follow"})).is_none());
    }
}
