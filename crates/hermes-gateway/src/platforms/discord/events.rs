//! What Discord says, as events.

use std::collections::HashMap;
use std::sync::Mutex;

use serde_json::Value;

use super::{DISCORD, Wire};
use crate::adapter::{
    AdapterSetup, Addressing, ButtonPress, ChatKind, ChatSource, InboundEvent, InboundMedia,
    InboundMessage, MediaKind, QuotedMessage,
};

/// Channels that are remembered.
const MAX_CHANNELS: usize = 1_000;

/// What the settings say about answers.
#[derive(Clone, Debug)]
pub(super) struct Habits {
    pub(super) auto_thread: bool,
    pub(super) thread_mention: bool,
    pub(super) roles: Vec<String>,
    pub(super) no_thread: Vec<String>,
}

impl Habits {
    pub(super) fn read(setup: &AdapterSetup) -> Self {
        Self {
            auto_thread: setup.is_on("DISCORD_AUTO_THREAD", true),
            thread_mention: setup.is_on("DISCORD_THREAD_REQUIRE_MENTION", false),
            roles: setup.list("DISCORD_ALLOWED_ROLES"),
            no_thread: setup.list("DISCORD_NO_THREAD_CHANNELS"),
        }
    }
}

/// What is known of a channel.
#[derive(Clone, Debug, Default)]
pub(super) struct ChannelFacts {
    name: Option<String>,
    topic: Option<String>,
    /// The channel a thread hangs below.
    parent: Option<String>,
    /// Whether we opened the thread.
    is_ours: bool,
}

/// Channels that were looked up.
#[derive(Default)]
pub(super) struct Channels(Mutex<HashMap<String, ChannelFacts>>);

impl Channels {
    pub(super) async fn get(&self, wire: &Wire, id: &str, me: &str) -> ChannelFacts {
        let known = self.0.lock().ok().and_then(|known| known.get(id).cloned());
        if let Some(known) = known {
            return known;
        }
        let Ok(found) = wire.get(&format!("/channels/{id}")).await else {
            return ChannelFacts::default();
        };
        let facts = facts_of(&found, me);
        if let Ok(mut known) = self.0.lock() {
            if known.len() >= MAX_CHANNELS {
                known.clear();
            }
            known.insert(id.to_owned(), facts.clone());
        }
        facts
    }
}

fn facts_of(channel: &Value, me: &str) -> ChannelFacts {
    let text = |name: &str| channel[name].as_str().map(str::to_owned);
    let is_thread = matches!(channel["type"].as_u64(), Some(10..=12));
    ChannelFacts {
        name: text("name"),
        topic: text("topic"),
        parent: text("parent_id").filter(|_| is_thread),
        is_ours: channel["owner_id"] == me,
    }
}

/// A message as an event; ours are none.
pub(super) fn message_of(
    message: &Value,
    channel: &ChannelFacts,
    me: &str,
    habits: &Habits,
) -> Option<InboundMessage> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let (id, place) = (text(&message["id"])?, text(&message["channel_id"])?);
    let author = &message["author"];
    // 0 is a message, 19 one that answers another, 20 and 23 commands.
    let is_said = matches!(message["type"].as_u64(), None | Some(0 | 19 | 20 | 23));
    if author["id"] == me || !is_said {
        return None;
    }
    let is_dm = message["guild_id"].is_null();
    let mentions = message["mentions"].as_array().into_iter().flatten();
    let reply = message.get("referenced_message").filter(|reply| reply.is_object());
    let answers_us = reply.is_some_and(|reply| reply["author"]["id"] == me);
    let is_named = mentions.into_iter().any(|one| one["id"] == me) || answers_us;
    let in_thread = channel.parent.is_some();
    let addressing = match () {
        () if is_dm || is_named => Addressing::Direct,
        () if in_thread && channel.is_ours && !habits.thread_mention => Addressing::Direct,
        () => Addressing::Ambient,
    };
    let opens_thread =
        !is_dm && !in_thread && habits.auto_thread && !habits.no_thread.contains(&place);
    let (kind, chat_id, thread_id) = match (&channel.parent, is_dm) {
        (_, true) => (ChatKind::Dm, place, None),
        (Some(parent), false) => (ChatKind::Thread, parent.clone(), Some(place)),
        // The thread that the answer opens has the number of this message.
        (None, false) if opens_thread && is_named => (ChatKind::Thread, place, Some(id.clone())),
        (None, false) => (ChatKind::Group, place, None),
    };
    let member = &message["member"];
    let roles = member["roles"].as_array().into_iter().flatten();
    let is_vouched = roles
        .into_iter()
        .filter_map(Value::as_str)
        .any(|role| habits.roles.iter().any(|r| r == role));
    let source = ChatSource {
        platform: DISCORD.name.to_owned(),
        chat_id,
        chat_name: channel.name.clone(),
        kind,
        user_id: text(&author["id"]),
        user_name: text(&member["nick"])
            .or_else(|| text(&author["global_name"]))
            .or_else(|| text(&author["username"])),
        user_id_alt: text(&author["username"]),
        thread_id,
        chat_topic: channel.topic.clone(),
        is_bot: author["bot"] == true,
        scope_id: text(&message["guild_id"]),
        message_id: Some(id.clone()),
        ..ChatSource::default()
    };
    let words = message["content"].as_str().unwrap_or_default();
    let words = words.replace(&format!("<@{me}>"), "").replace(&format!("<@!{me}>"), "");
    Some(InboundMessage {
        source,
        message_id: id,
        revision: message["edited_timestamp"].as_str().unwrap_or_default().to_owned(),
        text: words.trim().to_owned(),
        media: media_of(message),
        addressing,
        reply_to: reply.map(|reply| QuotedMessage {
            message_id: text(&reply["id"]).unwrap_or_default(),
            text: text(&reply["content"]).unwrap_or_default(),
            author: text(&reply["author"]["username"]),
            is_ours: answers_us,
        }),
        sent_at: message["timestamp"]
            .as_str()
            .and_then(|time| time.parse::<jiff::Timestamp>().ok())
            .map(|time| time.as_second() as f64),
        is_vouched,
        ..InboundMessage::default()
    })
}

fn media_of(message: &Value) -> Vec<InboundMedia> {
    let one = |file: &Value| {
        let mime = file["content_type"].as_str().unwrap_or_default();
        Some(InboundMedia {
            kind: match mime.split('/').next() {
                Some("image") => MediaKind::Photo,
                Some("audio") => MediaKind::Audio,
                Some("video") => MediaKind::Video,
                _ => MediaKind::Document,
            },
            handle: file["url"].as_str()?.to_owned(),
            name: file["filename"].as_str().map(str::to_owned),
            mime: Some(mime.to_owned()).filter(|mime| !mime.is_empty()),
            size: file["size"].as_u64(),
            description: None,
        })
    };
    message["attachments"].as_array().into_iter().flatten().filter_map(one).collect()
}

/// A pressed button; other interactions are not ours.
pub(super) fn press_of(event: &Value, channel: &ChannelFacts) -> Option<InboundEvent> {
    if event["type"].as_u64() != Some(3) {
        return None;
    }
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let user = if event["member"].is_object() { &event["member"]["user"] } else { &event["user"] };
    let place = text(&event["channel_id"])?;
    let (chat_id, thread_id) = match &channel.parent {
        Some(parent) => (parent.clone(), Some(place)),
        None => (place, None),
    };
    let source = ChatSource {
        platform: DISCORD.name.to_owned(),
        chat_id,
        thread_id,
        kind: if event["guild_id"].is_null() { ChatKind::Dm } else { ChatKind::Group },
        user_id: text(&user["id"]),
        user_name: text(&user["global_name"]).or_else(|| text(&user["username"])),
        ..ChatSource::default()
    };
    Some(InboundEvent::Button(Box::new(ButtonPress {
        source,
        id: format!("{}:{}", text(&event["id"])?, text(&event["token"])?),
        message_id: text(&event["message"]["id"]).unwrap_or_default(),
        data: text(&event["data"]["custom_id"])?,
    })))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn habits() -> Habits {
        Habits {
            auto_thread: true,
            thread_mention: false,
            roles: vec!["7".to_owned()],
            no_thread: vec!["33".to_owned()],
        }
    }

    fn said(message: &Value, channel: &ChannelFacts) -> InboundMessage {
        message_of(message, channel, "1", &habits()).unwrap()
    }

    fn message(content: &str, guild: Option<&str>) -> Value {
        json!({"id": "50", "channel_id": "30", "guild_id": guild, "content": content, "type": 0,
            "timestamp": "2026-01-01T00:00:00.000000+00:00",
            "author": {"id": "9", "username": "ann", "global_name": "Ann"}, "member": {"roles": ["7"]},
            "mentions": if content.contains("<@1>") { json!([{"id": "1"}]) } else { json!([]) }})
    }

    #[test]
    fn a_mention_in_a_channel_is_a_thread_of_its_own_and_in_ours_no_mention_is_needed() {
        let channel = ChannelFacts::default();
        let named = said(&message("<@1> hello", Some("5")), &channel);
        assert_eq!((named.text.as_str(), named.addressing), ("hello", Addressing::Direct));
        assert_eq!(named.source.thread_id.as_deref(), Some("50"));
        assert!(named.is_vouched, "by a role");
        let ambient = said(&message("hello", Some("5")), &channel);
        assert_eq!(
            (ambient.addressing, ambient.source.kind),
            (Addressing::Ambient, ChatKind::Group)
        );
        let thread = facts_of(&json!({"type": 11, "parent_id": "30", "owner_id": "1"}), "1");
        let within = Value::Object({
            let mut within = message("and more", Some("5")).as_object().cloned().unwrap();
            within.insert("channel_id".to_owned(), json!("50"));
            within
        });
        let within = said(&within, &thread);
        assert_eq!(within.addressing, Addressing::Direct);
        assert_eq!(
            (within.source.chat_id.as_str(), within.source.thread_id.as_deref()),
            ("30", Some("50"))
        );
        let dm = said(&message("hello", None), &channel);
        assert_eq!((dm.source.kind, dm.addressing), (ChatKind::Dm, Addressing::Direct));
    }

    #[test]
    fn our_own_words_and_notices_of_the_server_are_nothing() {
        let mut own = message("x", None);
        own["author"]["id"] = json!("1");
        assert!(message_of(&own, &ChannelFacts::default(), "1", &habits()).is_none());
        let mut joined = message("x", Some("5"));
        joined["type"] = json!(7);
        assert!(message_of(&joined, &ChannelFacts::default(), "1", &habits()).is_none());
    }
}
