//! Which session a chat talks in.
//!
//! The key is a text the Python program writes too. Ids may hold colons, so two chats can spell one key; who they really are
//! is the tuple of their parts, and a second chat that spells a known key gets a mark behind it.

use crate::adapter::{ChatKind, ChatSource};

/// How keys are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KeyRules {
    pub(crate) group_per_user: bool,
    pub(crate) thread_per_user: bool,
}

/// What makes a chat itself.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct ChatIdentity {
    pub(crate) platform: String,
    pub(crate) kind: ChatKind,
    pub(crate) chat_id: String,
    pub(crate) thread_id: Option<String>,
    pub(crate) user: Option<String>,
}

/// An id that could lead out of a folder, or is none at all, never becomes part of a key.
pub(crate) fn is_sane(id: &str) -> bool {
    let mut start = id.chars();
    let drive = matches!((start.next(), start.next()), (Some(a), Some(':')) if a.is_ascii_alphabetic())
        && matches!(id.chars().nth(2), Some('\\' | '/'));
    !(id.contains("..") || id.starts_with(['/', '\\']) || drive || id.chars().any(char::is_control))
}

/// The identity and the key of a chat; nothing if an id in it cannot be used.
pub(crate) fn key_of(source: &ChatSource, rules: KeyRules) -> Option<(ChatIdentity, String)> {
    let ids = [Some(&source.chat_id), source.thread_id.as_ref(), source.user_id.as_ref()];
    if !ids.into_iter().flatten().all(|id| is_sane(id)) {
        return None;
    }
    let user = source.user_id_alt.clone().or_else(|| source.user_id.clone());
    let has_user = match (source.kind, &source.thread_id) {
        (ChatKind::Dm, _) => false,
        (_, Some(_)) => rules.thread_per_user,
        (_, None) => rules.group_per_user,
    };
    let chat_id = match (source.kind, source.chat_id.is_empty()) {
        (ChatKind::Dm, true) => user.clone().unwrap_or_default(),
        _ => source.chat_id.clone(),
    };
    let identity = ChatIdentity {
        platform: source.platform.clone(),
        kind: source.kind,
        chat_id,
        thread_id: source.thread_id.clone(),
        user: user.filter(|_| has_user),
    };
    let profile = source.profile.as_deref().unwrap_or("main");
    let mut key = format!("agent:{profile}:{}:{}", source.platform, source.kind.word());
    let parts = [
        Some(&identity.chat_id).filter(|id| !id.is_empty()),
        identity.thread_id.as_ref(),
        identity.user.as_ref(),
    ];
    for part in parts.into_iter().flatten() {
        key.push(':');
        key.push_str(part);
    }
    Some((identity, key))
}

/// The key for a chat that spells a key which belongs to another.
pub(crate) fn marked(key: &str, identity: &ChatIdentity) -> String {
    let text = serde_json::to_string(identity).unwrap_or_default();
    let hash = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    let mark: String = hash.as_ref().iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("{key}~{mark}")
}

/// A name somebody chose, as data: on one line, short, without signs that change how text reads.
pub(crate) fn harmless(name: &str) -> String {
    let is_trick = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '[' | ']')
    };
    name.chars().filter(|c| !is_trick(*c)).take(200).collect::<String>().trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: KeyRules = KeyRules { group_per_user: true, thread_per_user: false };

    fn source(kind: ChatKind, chat: &str, thread: Option<&str>, user: &str) -> ChatSource {
        ChatSource {
            platform: "telegram".into(),
            chat_id: chat.into(),
            kind,
            thread_id: thread.map(str::to_owned),
            user_id: Some(user.into()),
            ..ChatSource::default()
        }
    }

    fn key(source: &ChatSource) -> String {
        key_of(source, RULES).unwrap().1
    }

    #[test]
    fn keys_are_those_of_the_python_program() {
        assert_eq!(key(&source(ChatKind::Dm, "5", None, "5")), "agent:main:telegram:dm:5");
        assert_eq!(key(&source(ChatKind::Dm, "", None, "5")), "agent:main:telegram:dm:5");
        assert_eq!(
            key(&source(ChatKind::Group, "-5", None, "9")),
            "agent:main:telegram:group:-5:9"
        );
        assert_eq!(
            key(&source(ChatKind::Forum, "-5", Some("7"), "9")),
            "agent:main:telegram:forum:-5:7"
        );
    }

    #[test]
    fn two_chats_that_spell_one_key_are_two() {
        let one = source(ChatKind::Group, "a:b", None, "c");
        let other = source(ChatKind::Group, "a", Some("b:c"), "x");
        let (first, second) = (key_of(&one, RULES).unwrap(), key_of(&other, RULES).unwrap());
        assert_eq!(first.1, second.1);
        assert_ne!(first.0, second.0);
        assert_ne!(marked(&first.1, &first.0), marked(&second.1, &second.0));
    }

    #[test]
    fn ids_that_are_paths_have_no_key() {
        for bad in ["../x", "/etc", "\\\\x", "C:\\x", "a\nb"] {
            assert!(key_of(&source(ChatKind::Dm, bad, None, "5"), RULES).is_none(), "{bad}");
        }
        assert_eq!(harmless("Ann\u{202e}\n] system"), "Ann system");
    }
}
