//! What a homeserver tells of rooms, as events.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::{MATRIX, SINCE, Wire, enc, refused};
use crate::adapter::{
    AdapterSetup, Addressing, ChatKind, ChatSource, InboundEvent, InboundMedia, InboundMessage,
    Inbox, LinkError, MediaKind, QuotedMessage, ReactionEvent,
};

/// Rooms that are remembered.
const MAX_ROOMS: usize = 1_000;
/// Pages of what a poll left out.
const MAX_PAGES: usize = 10;

/// Whose invitations are followed.
#[derive(Clone, Debug)]
pub(super) struct Invites {
    from: Vec<String>,
    anybody: bool,
}

impl Invites {
    pub(super) fn read(setup: &AdapterSetup) -> Self {
        let mut from = setup.list("MATRIX_ALLOWED_USERS");
        from.extend(setup.list("GATEWAY_ALLOWED_USERS"));
        // Without a list whoever invites can be offered a code, and nothing else.
        let anybody = from.is_empty() || from.iter().any(|one| one == "*");
        Self { from, anybody }
    }

    fn welcome(&self, who: &str) -> bool {
        self.anybody || self.from.iter().any(|one| one == who)
    }
}

/// What is known of a room.
#[derive(Clone, Debug, Default)]
struct RoomFacts {
    name: Option<String>,
    is_direct: bool,
}

/// Rooms we are in.
pub(super) struct Rooms {
    wire: Arc<Wire>,
    me: String,
    invites: Invites,
    known: Mutex<HashMap<String, RoomFacts>>,
}

impl Rooms {
    pub(super) fn new(wire: Arc<Wire>, me: String, invites: Invites) -> Self {
        Self { wire, me, invites, known: Mutex::default() }
    }

    /// Polls until something goes wrong. The next poll begins where the stored events end.
    pub(super) async fn receive(self, mut since: String, inbox: Inbox) -> LinkError {
        loop {
            let told = match self.wire.sync(Some(&since)).await {
                Ok(told) => told,
                Err(error) => return refused(error),
            };
            self.join_invited(&told).await;
            let Some(next) = told["next_batch"].as_str().map(str::to_owned) else {
                return LinkError::retry("the homeserver does not say where it is");
            };
            let mut events = Vec::new();
            for (room, joined) in told["rooms"]["join"].as_object().into_iter().flatten() {
                events.extend(self.room_events(room, &joined["timeline"], &since).await);
            }
            if let Err(error) = inbox.accept(events, &[(SINCE, next.clone())]).await {
                return error.into();
            }
            since = next;
        }
    }

    /// Follows invitations of people who may talk.
    pub(super) async fn join_invited(&self, told: &Value) {
        for (room, invited) in told["rooms"]["invite"].as_object().into_iter().flatten() {
            let events = invited["invite_state"]["events"].as_array().into_iter().flatten();
            let mut own = events.filter(|event| {
                event["type"] == "m.room.member" && event["state_key"] == self.me.as_str()
            });
            let who = own.next().and_then(|event| event["sender"].as_str()).unwrap_or_default();
            if !self.invites.welcome(who) {
                tracing::info!(platform = MATRIX.name, "an invitation of a stranger was ignored");
                continue;
            }
            if let Err(error) = self.wire.post(&format!("join/{}", enc(room)), &json!({})).await {
                tracing::warn!(%error, "a room could not be joined");
            }
        }
    }

    async fn room_events(&self, room: &str, timeline: &Value, since: &str) -> Vec<InboundEvent> {
        let mut all = Vec::new();
        if timeline["limited"] == true {
            all = self.left_out(room, timeline["prev_batch"].as_str(), since).await;
        }
        all.extend(timeline["events"].as_array().into_iter().flatten().cloned());
        if all.iter().any(|event| event["type"] == "m.room.member")
            && let Ok(mut known) = self.known.lock()
        {
            known.remove(room);
        }
        let mut events = Vec::new();
        for event in all {
            if event["sender"] == self.me.as_str() {
                continue;
            }
            let facts = self.facts(room).await;
            events.extend(event_of(&event, room, &facts, &self.me));
        }
        events
    }

    /// What one poll left out of a room, oldest first.
    async fn left_out(&self, room: &str, before: Option<&str>, since: &str) -> Vec<Value> {
        let mut all = Vec::new();
        let mut from = before.map(str::to_owned);
        for _ in 0..MAX_PAGES {
            let Some(at) = from.take() else { break };
            let path = format!(
                "rooms/{}/messages?dir=b&limit=100&from={}&to={}",
                enc(room),
                enc(&at),
                enc(since)
            );
            let Ok(page) = self.wire.get(&path).await else { break };
            let chunk = page["chunk"].as_array().cloned().unwrap_or_default();
            if !chunk.is_empty() {
                from = page["end"].as_str().map(str::to_owned);
            }
            all.extend(chunk);
        }
        all.reverse();
        all
    }

    async fn facts(&self, room: &str) -> RoomFacts {
        if let Some(known) = self.known.lock().ok().and_then(|known| known.get(room).cloned()) {
            return known;
        }
        let members = self.wire.get(&format!("rooms/{}/joined_members", enc(room))).await;
        let Ok(members) = members else { return RoomFacts::default() };
        let count = members["joined"].as_object().map_or(0, serde_json::Map::len);
        let name = self.wire.get(&format!("rooms/{}/state/m.room.name", enc(room))).await;
        let name = name.ok().and_then(|name| name["name"].as_str().map(str::to_owned));
        let facts = RoomFacts { name, is_direct: count <= 2 };
        if let Ok(mut known) = self.known.lock() {
            if known.len() >= MAX_ROOMS {
                known.clear();
            }
            known.insert(room.to_owned(), facts.clone());
        }
        facts
    }
}

fn event_of(event: &Value, room: &str, facts: &RoomFacts, me: &str) -> Option<InboundEvent> {
    let sender = event["sender"].as_str()?.to_owned();
    let id = event["event_id"].as_str()?.to_owned();
    let content = &event["content"];
    let relation = &content["m.relates_to"];
    let source = ChatSource {
        platform: MATRIX.name.to_owned(),
        chat_id: room.to_owned(),
        chat_name: facts.name.clone(),
        kind: if facts.is_direct { ChatKind::Dm } else { ChatKind::Group },
        user_name: sender.trim_start_matches('@').split(':').next().map(str::to_owned),
        user_id: Some(sender),
        message_id: Some(id.clone()),
        ..ChatSource::default()
    };
    match event["type"].as_str()? {
        "m.reaction" => Some(InboundEvent::Reaction(Box::new(ReactionEvent {
            source,
            id,
            message_id: relation["event_id"].as_str()?.to_owned(),
            emoji: relation["key"].as_str()?.to_owned(),
        }))),
        "m.room.message" => {
            let kind = content["msgtype"].as_str()?;
            // Notices are what bots say; an edit replaces what was said before.
            if kind == "m.notice" || relation["rel_type"] == "m.replace" {
                return None;
            }
            let thread =
                relation["event_id"].as_str().filter(|_| relation["rel_type"] == "m.thread");
            let source = ChatSource { thread_id: thread.map(str::to_owned), ..source };
            Some(InboundEvent::Message(Box::new(message(event, source, me, kind))))
        }
        _ => None,
    }
}

fn message(event: &Value, source: ChatSource, me: &str, kind: &str) -> InboundMessage {
    let content = &event["content"];
    let relation = &content["m.relates_to"];
    let body = content["body"].as_str().unwrap_or_default();
    let is_file = matches!(kind, "m.image" | "m.file" | "m.audio" | "m.video");
    let (quoted, words) = without_fallback(body);
    let is_ours = quoted.contains(me);
    let local = me.trim_start_matches('@').split(':').next().unwrap_or_default();
    let listed = content["m.mentions"]["user_ids"].as_array().into_iter().flatten();
    let is_named = listed.into_iter().any(|one| one == me) || words.contains(me);
    let begins = begins_with_name(words, local);
    let reply = relation["m.in_reply_to"]["event_id"].as_str();
    let reply = reply.filter(|_| relation["is_falling_back"] != true);
    let text = match begins {
        Some(rest) => rest.to_owned(),
        None => words.replace(me, ""),
    };
    let is_direct = !source.kind.is_shared() || is_named || begins.is_some() || is_ours;
    InboundMessage {
        message_id: source.message_id.clone().unwrap_or_default(),
        // The name of a file is no text.
        text: if is_file { String::new() } else { text.trim().to_owned() },
        media: if is_file { media_of(content, kind).into_iter().collect() } else { Vec::new() },
        addressing: if is_direct { Addressing::Direct } else { Addressing::Ambient },
        reply_to: reply.map(|id| QuotedMessage {
            message_id: id.to_owned(),
            text: quoted.trim().to_owned(),
            author: None,
            is_ours,
        }),
        sent_at: event["origin_server_ts"].as_f64().map(|milliseconds| milliseconds / 1_000.0),
        source,
        ..InboundMessage::default()
    }
}

/// Clients write our name before what they say to us: `hermes: hello`.
fn begins_with_name<'a>(words: &'a str, local: &str) -> Option<&'a str> {
    let words = words.trim_start().trim_start_matches('@');
    let head = words.get(..local.len()).filter(|head| head.eq_ignore_ascii_case(local))?;
    let rest = words.get(head.len()..)?;
    rest.strip_prefix([':', ',']).map(str::trim_start)
}

/// What is quoted, and what is said: a reply begins with lines of what it answers.
fn without_fallback(body: &str) -> (&str, &str) {
    if !body.starts_with("> <") {
        return ("", body);
    }
    match body.split_once("\n\n") {
        Some((quoted, rest)) => (quoted, rest),
        None => ("", body),
    }
}

fn media_of(content: &Value, kind: &str) -> Option<InboundMedia> {
    Some(InboundMedia {
        kind: match kind {
            "m.image" => MediaKind::Photo,
            "m.audio" => MediaKind::Audio,
            "m.video" => MediaKind::Video,
            _ => MediaKind::Document,
        },
        handle: content["url"].as_str()?.to_owned(),
        name: content["filename"].as_str().or_else(|| content["body"].as_str()).map(str::to_owned),
        mime: content["info"]["mimetype"].as_str().map(str::to_owned),
        size: content["info"]["size"].as_u64(),
        description: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(content: &Value, is_direct: bool) -> Option<InboundMessage> {
        let event = json!({"type": "m.room.message", "sender": "@ann:s", "event_id": "$1",
            "origin_server_ts": 1_700_000_000_000_u64, "content": content});
        let facts = RoomFacts { is_direct, ..RoomFacts::default() };
        match event_of(&event, "!r:s", &facts, "@hermes:s")? {
            InboundEvent::Message(message) => Some(*message),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn names_are_found_and_cut_and_quotes_are_not_said() {
        let named = said(&json!({"msgtype": "m.text", "body": "hermes: hello"}), false).unwrap();
        assert_eq!((named.text.as_str(), named.addressing), ("hello", Addressing::Direct));
        let listed = json!({"msgtype": "m.text", "body": "you there?",
            "m.mentions": {"user_ids": ["@hermes:s"]}});
        assert_eq!(said(&listed, false).unwrap().addressing, Addressing::Direct);
        let ambient = said(&json!({"msgtype": "m.text", "body": "hermesian"}), false).unwrap();
        assert_eq!(ambient.addressing, Addressing::Ambient);
        let reply = json!({"msgtype": "m.text", "body": "> <@hermes:s> I said\n\nreally?",
            "m.relates_to": {"m.in_reply_to": {"event_id": "$0"}}});
        let reply = said(&reply, false).unwrap();
        assert_eq!((reply.text.as_str(), reply.addressing), ("really?", Addressing::Direct));
        assert!(reply.reply_to.unwrap().is_ours);
    }

    #[test]
    fn notices_and_edits_are_nothing_and_a_file_has_no_words() {
        assert!(said(&json!({"msgtype": "m.notice", "body": "x"}), true).is_none());
        let edit = json!({"msgtype": "m.text", "body": "* x",
            "m.relates_to": {"rel_type": "m.replace", "event_id": "$0"}});
        assert!(said(&edit, true).is_none());
        let picture = json!({"msgtype": "m.image", "body": "a.png", "url": "mxc://s/1"});
        let picture = said(&picture, true).unwrap();
        assert_eq!((picture.text.as_str(), picture.media[0].handle.as_str()), ("", "mxc://s/1"));
    }
}
