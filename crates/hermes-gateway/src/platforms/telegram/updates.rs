//! Updates of the Bot API, as events. Offsets in them count UTF-16 units.

use serde_json::Value;

use crate::adapter::{
    Addressing, ButtonPress, ChatKind, ChatSource, InboundEvent, InboundMedia, InboundMessage,
    MediaKind, MemberJoined, QuotedMessage, ReactionEvent,
};

/// Who we are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bot {
    pub(super) id: i64,
    pub(super) username: String,
}

impl Bot {
    pub(super) fn of(me: &Value) -> Self {
        let username = me["username"].as_str().unwrap_or_default().to_owned();
        Self { id: me["id"].as_i64().unwrap_or_default(), username }
    }
}

/// What an update says, if it is something to us.
pub(super) fn event_of(update: &Value, bot: &Bot) -> Option<InboundEvent> {
    if let Some(message) = update.get("message") {
        return message_of(message, bot).map(|message| InboundEvent::Message(Box::new(message)));
    }
    if let Some(message) = update.get("edited_message") {
        return message_of(message, bot).map(|message| InboundEvent::Edited(Box::new(message)));
    }
    if let Some(query) = update.get("callback_query") {
        let message = &query["message"];
        let source = source_of(message, Some(&query["from"]))?;
        return Some(InboundEvent::Button(Box::new(ButtonPress {
            source,
            id: query["id"].as_str()?.to_owned(),
            message_id: message["message_id"].as_i64()?.to_string(),
            data: query["data"].as_str().unwrap_or_default().to_owned(),
        })));
    }
    let id = update["update_id"].as_i64().unwrap_or_default().to_string();
    if let Some(reaction) = update.get("message_reaction") {
        let newest = reaction["new_reaction"].as_array().and_then(|all| all.last());
        let emoji = newest.and_then(|one| one["emoji"].as_str()).unwrap_or_default().to_owned();
        return Some(InboundEvent::Reaction(Box::new(ReactionEvent {
            source: source_of(reaction, reaction.get("user"))?,
            id,
            message_id: reaction["message_id"].as_i64()?.to_string(),
            emoji,
        })));
    }
    let member = update.get("my_chat_member")?;
    let is_in = matches!(
        member["new_chat_member"]["status"].as_str(),
        Some("member" | "administrator" | "creator")
    );
    let source = source_of(member, member.get("from"))?;
    is_in.then(|| InboundEvent::MemberJoined(Box::new(MemberJoined { source, id, is_us: true })))
}

fn source_of(message: &Value, from: Option<&Value>) -> Option<ChatSource> {
    let chat = &message["chat"];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let topic = match message["is_topic_message"].as_bool() {
        Some(true) => message["message_thread_id"].as_i64(),
        _ => None,
    };
    let kind = match chat["type"].as_str().unwrap_or_default() {
        "private" => ChatKind::Dm,
        "channel" => ChatKind::Channel,
        _ if chat["is_forum"] == true => ChatKind::Forum,
        _ => ChatKind::Group,
    };
    let person = from.or_else(|| message.get("from")).or_else(|| message.get("sender_chat"));
    let name = |person: &Value| {
        let names = [person["first_name"].as_str(), person["last_name"].as_str()];
        let whole = names.into_iter().flatten().collect::<Vec<_>>().join(" ");
        let other = || text(&person["title"]).or_else(|| text(&person["username"]));
        if whole.is_empty() { other() } else { Some(whole) }
    };
    Some(ChatSource {
        platform: "telegram".to_owned(),
        chat_id: chat["id"].as_i64()?.to_string(),
        chat_name: text(&chat["title"]).or_else(|| name(chat)),
        kind,
        user_id: person.and_then(|person| person["id"].as_i64()).map(|id| id.to_string()),
        user_name: person.and_then(name),
        thread_id: topic.map(|topic| topic.to_string()),
        is_bot: person.is_some_and(|person| person["is_bot"] == true),
        message_id: message["message_id"].as_i64().map(|id| id.to_string()),
        ..ChatSource::default()
    })
}

fn message_of(message: &Value, bot: &Bot) -> Option<InboundMessage> {
    let source = source_of(message, None)?;
    if source.user_id.as_deref() == Some(bot.id.to_string().as_str()) {
        return None;
    }
    let (text, entities) = match message["text"].as_str() {
        Some(text) => (text, &message["entities"]),
        None => (message["caption"].as_str().unwrap_or_default(), &message["caption_entities"]),
    };
    let reply = message.get("reply_to_message").filter(|reply| {
        // In topics every message "answers" the one that opened the topic.
        reply["message_id"] != message["message_thread_id"] || message["is_topic_message"] != true
    });
    let answers_us = reply.is_some_and(|reply| reply["from"]["id"].as_i64() == Some(bot.id));
    let (text, named) = without_mention(text, entities, bot);
    let addressing = match (source.kind, named) {
        (_, Named::Other) => Addressing::Elsewhere,
        (ChatKind::Dm, _) | (_, Named::Us) => Addressing::Direct,
        _ if answers_us => Addressing::Direct,
        _ => Addressing::Ambient,
    };
    let media = media_of(message);
    let words = place_of(message).unwrap_or(text);
    if words.trim().is_empty() && media.is_empty() {
        return None;
    }
    let quoted = reply.map(|reply| QuotedMessage {
        message_id: reply["message_id"].as_i64().unwrap_or_default().to_string(),
        text: message["quote"]["text"]
            .as_str()
            .or_else(|| reply["text"].as_str())
            .or_else(|| reply["caption"].as_str())
            .unwrap_or_default()
            .to_owned(),
        author: reply["from"]["first_name"].as_str().map(str::to_owned),
        is_ours: answers_us,
    });
    // Some servers count milliseconds.
    let seconds = |date: f64| if date > 1e11 { date / 1000.0 } else { date };
    Some(InboundMessage {
        message_id: source.message_id.clone()?,
        revision: message["edit_date"].as_i64().unwrap_or_default().to_string(),
        text: words,
        media,
        addressing,
        reply_to: quoted,
        forwarded_from: message.get("forward_origin").map(|origin| {
            let user = origin["sender_user"]["first_name"].as_str();
            let other = origin["sender_user_name"].as_str().or(origin["chat"]["title"].as_str());
            user.or(other).unwrap_or("somebody").to_owned()
        }),
        album: message["media_group_id"].as_str().map(str::to_owned),
        sent_at: message["date"].as_f64().map(seconds),
        source,
        ..InboundMessage::default()
    })
}

/// Whom a message names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Nobody,
    Us,
    Other,
}

/// The text without our name, and whether it names us. Commands for another bot name another.
fn without_mention(text: &str, entities: &Value, bot: &Bot) -> (String, Named) {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut named = Named::Nobody;
    let mut cut: Vec<(usize, usize)> = Vec::new();
    for entity in entities.as_array().into_iter().flatten() {
        let number = |name: &str| entity[name].as_u64().and_then(|n| usize::try_from(n).ok());
        let (Some(start), Some(length)) = (number("offset"), number("length")) else { continue };
        let end = start.saturating_add(length);
        let Some(range) = units.get(start..end) else { continue };
        let words = String::from_utf16_lossy(range);
        match entity["type"].as_str() {
            Some("mention") if is_name(&words, &bot.username) => {
                named = Named::Us;
                cut.push((start, end));
            }
            Some("text_mention") if entity["user"]["id"].as_i64() == Some(bot.id) => {
                named = Named::Us;
                cut.push((start, end));
            }
            Some("bot_command") if start == 0 => {
                if let Some((command, name)) = words.split_once('@') {
                    if name.eq_ignore_ascii_case(&bot.username) {
                        named = Named::Us;
                        cut.push((command.encode_utf16().count(), end));
                    } else if named == Named::Nobody {
                        named = Named::Other;
                    }
                }
            }
            _ => {}
        }
    }
    if cut.is_empty() {
        return (text.to_owned(), named);
    }
    let is_kept = |at: usize| !cut.iter().any(|(start, end)| (*start..*end).contains(&at));
    let kept: Vec<u16> =
        units.iter().enumerate().filter(|(at, _)| is_kept(*at)).map(|(_, unit)| *unit).collect();
    (String::from_utf16_lossy(&kept).trim().to_owned(), named)
}

fn is_name(words: &str, username: &str) -> bool {
    words.strip_prefix('@').is_some_and(|name| name.eq_ignore_ascii_case(username))
}

/// A place on the map, in words.
fn place_of(message: &Value) -> Option<String> {
    let venue = message.get("venue");
    let location = venue.map(|venue| &venue["location"]).or_else(|| message.get("location"))?;
    let (latitude, longitude) = (location["latitude"].as_f64()?, location["longitude"].as_f64()?);
    let called = venue.and_then(|venue| venue["title"].as_str()).map(|title| format!("{title}, "));
    Some(format!("[Location: {}{latitude}, {longitude}]", called.unwrap_or_default()))
}

fn media_of(message: &Value) -> Vec<InboundMedia> {
    let one = |file: &Value, kind: MediaKind| {
        Some(InboundMedia {
            kind,
            handle: file["file_id"].as_str()?.to_owned(),
            name: file["file_name"].as_str().map(str::to_owned),
            mime: file["mime_type"].as_str().map(str::to_owned),
            size: file["file_size"].as_u64(),
            description: file["emoji"].as_str().map(|emoji| format!("a sticker: {emoji}")),
        })
    };
    let largest = message["photo"]
        .as_array()
        .and_then(|sizes| sizes.iter().max_by_key(|size| size["width"].as_u64().unwrap_or(0)));
    let kinds = [
        ("voice", MediaKind::Voice),
        ("audio", MediaKind::Audio),
        ("video", MediaKind::Video),
        ("video_note", MediaKind::Video),
        ("document", MediaKind::Document),
        ("sticker", MediaKind::Photo),
    ];
    let others = kinds.iter().filter_map(|(name, kind)| one(message.get(*name)?, *kind));
    largest.and_then(|size| one(size, MediaKind::Photo)).into_iter().chain(others).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn bot() -> Bot {
        Bot { id: 42, username: "HermesBot".to_owned() }
    }

    fn message(update: &Value) -> InboundMessage {
        match event_of(update, &bot()) {
            Some(InboundEvent::Message(message)) => *message,
            other => panic!("{other:?}"),
        }
    }

    fn group(text: &str, entities: &Value) -> Value {
        json!({"update_id": 1, "message": {
            "message_id": 7, "date": 1_700_000_000, "text": text, "entities": entities,
            "chat": {"id": -5, "type": "supergroup", "title": "Us"},
            "from": {"id": 9, "is_bot": false, "first_name": "Ann", "last_name": "Lee"},
        }})
    }

    #[test]
    fn a_mention_behind_an_emoji_is_found_and_cut() {
        let entities = json!([{"type": "mention", "offset": 3, "length": 10}]);
        let said = message(&group("😀 @hermesbot hello", &entities));
        assert_eq!(said.text, "😀  hello");
        assert_eq!(said.addressing, Addressing::Direct);
        assert_eq!(said.source.user_name.as_deref(), Some("Ann Lee"));
        assert_eq!((said.source.kind, said.source.chat_id.as_str()), (ChatKind::Group, "-5"));
    }

    #[test]
    fn a_command_for_another_bot_is_not_ours() {
        let entities = json!([{"type": "bot_command", "offset": 0, "length": 10}]);
        assert_eq!(message(&group("/new@Other", &entities)).addressing, Addressing::Elsewhere);
        let entities = json!([{"type": "bot_command", "offset": 0, "length": 14}]);
        let ours = message(&group("/new@HermesBot now", &entities));
        assert_eq!((ours.text.as_str(), ours.addressing), ("/new now", Addressing::Direct));
        assert_eq!(message(&group("hi", &json!([]))).addressing, Addressing::Ambient);
    }

    #[test]
    fn the_largest_photograph_of_an_album_is_taken() {
        let update = json!({"update_id": 1, "message": {
            "message_id": 7, "media_group_id": "a1", "caption": "look",
            "chat": {"id": 5, "type": "private", "first_name": "Ann"},
            "from": {"id": 5, "first_name": "Ann"},
            "photo": [{"file_id": "s", "width": 90}, {"file_id": "l", "width": 1280}],
        }});
        let said = message(&update);
        assert_eq!((said.media[0].handle.as_str(), said.album.as_deref()), ("l", Some("a1")));
        assert_eq!((said.text.as_str(), said.source.kind), ("look", ChatKind::Dm));
    }

    proptest::proptest! {
        #[test]
        fn offsets_out_of_the_text_do_no_harm(text in ".{0,20}", offset in 0_u64..40, length in 0_u64..40) {
            let entities = json!([{"type": "mention", "offset": offset, "length": length}]);
            let _ = without_mention(&text, &entities, &bot());
        }
    }
}
