//! The protocol between Hermes and a plugin: JSON objects, one a line, on the plugin's standard
//! input and output.
//!
//! Both sides may send a *request* (`id`, `method`, `params`), which is answered once with the same
//! `id` and either `result` or `error`, in any order; and a *notice* (no `id`), which is not. This
//! module knows what lines look like; `docs/plugin-protocol.md` tells the whole story for authors.
//!
//! What never happens here: a line longer than [`MAX_LINE_BYTES`] is held in memory, or a line that
//! makes no sense ends a conversation.

pub(crate) mod lines;
mod registrations;

use serde_json::{Map, Value, json};

pub use registrations::{
    CliCommand, CommandEntry, HookEntry, MiddlewareEntry, OtherEntry, Registrations, SkillEntry,
    ToolEntry,
};

/// The version both sides name in their first messages.
pub const VERSION: u64 = 1;
/// Longest line that is read; a longer one is skipped.
pub const MAX_LINE_BYTES: usize = 4 * 1024 * 1024;

/// Something a plugin sent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ProtocolMessage {
    /// The answer to a request of ours.
    Answer { id: u64, outcome: Result<Value, RemoteFailure> },
    /// It asks for something.
    Request { id: Value, method: String, params: Map<String, Value> },
    /// It tells something.
    Notice { method: String, params: Map<String, Value> },
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemoteFailure {
    /// A short name of the sort of error, if the plugin gave one.
    pub(crate) kind: Option<String>,
    pub(crate) message: String,
}

impl RemoteFailure {
    fn read(error: &Value) -> Self {
        let text = |key: &str| error.get(key).and_then(Value::as_str).map(str::to_owned);
        let message = match error {
            Value::String(text) => text.clone(),
            _ => text("message").unwrap_or_else(|| error.to_string()),
        };
        Self { kind: text("type").filter(|kind| !kind.is_empty()), message }
    }
}

impl ProtocolMessage {
    /// Reads a line; `None` if it is no message.
    pub(crate) fn read(line: &[u8]) -> Option<Self> {
        let Ok(Value::Object(mut fields)) = serde_json::from_slice(line) else { return None };
        let id = fields.shift_remove("id").filter(|id| !id.is_null());
        let Some(method) = fields.shift_remove("method") else {
            let id = id?.as_u64()?;
            return match (fields.shift_remove("error"), fields.shift_remove("result")) {
                (Some(error), _) if !error.is_null() => {
                    Some(Self::Answer { id, outcome: Err(RemoteFailure::read(&error)) })
                }
                (_, Some(result)) => Some(Self::Answer { id, outcome: Ok(result) }),
                (Some(_), None) => Some(Self::Answer { id, outcome: Ok(Value::Null) }),
                (None, None) => None,
            };
        };
        let method = method.as_str()?.to_owned();
        let params = match fields.shift_remove("params") {
            Some(Value::Object(params)) => params,
            _ => Map::new(),
        };
        Some(match id {
            Some(id) => Self::Request { id, method, params },
            None => Self::Notice { method, params },
        })
    }
}

/// The line of a request of ours.
pub(crate) fn request(id: u64, method: &str, params: &Value) -> Vec<u8> {
    line(&json!({"id": id, "method": method, "params": params}))
}

/// The line of a notice of ours.
pub(crate) fn notice(method: &str, params: &Value) -> Vec<u8> {
    line(&json!({"method": method, "params": params}))
}

/// The line of an answer of ours.
pub(crate) fn answer(id: &Value, outcome: Result<Value, String>) -> Vec<u8> {
    match outcome {
        Ok(result) => line(&json!({"id": id, "result": result})),
        Err(message) => line(&json!({"id": id, "error": {"message": message}})),
    }
}

fn line(message: &Value) -> Vec<u8> {
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Whose answer a line too long to be read was, going by its beginning.
pub(crate) fn answered_id(beginning: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(beginning);
    let rest = text.trim_start().strip_prefix('{')?.trim_start().strip_prefix("\"id\"")?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart_by_their_fields() {
        let read = |line: &str| ProtocolMessage::read(line.as_bytes());
        assert_eq!(
            read(r#"{"id": 3, "result": null}"#),
            Some(ProtocolMessage::Answer { id: 3, outcome: Ok(Value::Null) })
        );
        let failed = RemoteFailure { kind: Some("ValueError".into()), message: "no".into() };
        assert_eq!(
            read(r#"{"jsonrpc":"2.0","id":3,"error":{"type":"ValueError","message":"no"}}"#),
            Some(ProtocolMessage::Answer { id: 3, outcome: Err(failed) })
        );
        assert!(matches!(
            read(r#"{"id":"p1","method":"next"}"#),
            Some(ProtocolMessage::Request { .. })
        ));
        assert!(matches!(read(r#"{"method":"log"}"#), Some(ProtocolMessage::Notice { .. })));
        for garbage in
            ["", "hello", "[1]", "{}", r#"{"id":1}"#, r#"{"id":"x","result":1}"#, "{\"id"]
        {
            assert_eq!(read(garbage), None, "{garbage}");
        }
    }

    #[test]
    fn the_beginning_of_a_long_answer_says_whose_it_is() {
        assert_eq!(answered_id(br#" { "id" : 42, "result": "aaaa"#), Some(42));
        assert_eq!(answered_id(b"garbage"), None);
        assert_eq!(answered_id(br#"{"result": "#), None);
    }
}
