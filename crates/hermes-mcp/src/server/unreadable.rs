//! What a client hears whose message cannot be read, in the words of JSON-RPC.

use serde_json::{Value, json};

const PARSE_ERROR: i64 = -32_700;
const INVALID_REQUEST: i64 = -32_600;

/// Why a text is no message.
#[derive(Debug, PartialEq)]
pub(super) enum Unreadable {
    /// It is no JSON.
    NoJson(String),
    /// It is JSON, but no message of the protocol.
    NoMessage {
        /// The number by which the client knows its request, if it can be made out.
        id: Value,
    },
}

impl Unreadable {
    /// What is wrong with a text that is no message. Nothing when nobody waits for an answer: for
    /// notices, and for answers, which could otherwise be answered for ever.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let value: Value = match serde_json::from_slice(text) {
            Ok(value) => value,
            Err(why) => return Some(Self::NoJson(why.to_string())),
        };
        let id = value.get("id").filter(|id| id.is_string() || id.is_number());
        let is_notice = value.get("method").is_some_and(Value::is_string) && id.is_none();
        let is_answer = value.get("result").is_some() || value.get("error").is_some();
        (!is_notice && !is_answer)
            .then(|| Self::NoMessage { id: id.cloned().unwrap_or(Value::Null) })
    }

    /// The answer to it.
    pub(super) fn answer(&self) -> Value {
        match self {
            Self::NoJson(why) => parse_error(why),
            Self::NoMessage { id } => {
                let message = "Invalid request: this is JSON, but no message of the protocol";
                error(id, INVALID_REQUEST, message)
            }
        }
    }
}

/// The answer to what is no JSON.
pub(super) fn parse_error(why: &str) -> Value {
    error(&Value::Null, PARSE_ERROR, &format!("Parse error: {why}"))
}

fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_for_an_answer_gets_one() {
        let code = |text: &[u8]| Unreadable::of(text)?.answer()["error"]["code"].as_i64();
        for text in [&b"{"[..], b"nonsense", b"\xff\xfe", b"{\"a\":}", b""] {
            assert_eq!(code(text), Some(-32_700), "{text:?}");
        }
        for text in [&b"[]"[..], b"1", b"{}", br#"{"jsonrpc":"2.0","id":3,"method":5}"#] {
            assert_eq!(code(text), Some(-32_600), "{text:?}");
        }
        let known = Unreadable::of(br#"{"id":"x","method":5}"#).unwrap().answer();
        assert_eq!(known["id"], "x");
        for text in [&br#"{"method":"notifications/odd"}"#[..], br#"{"id":1,"error":{}}"#] {
            assert_eq!(code(text), None, "{text:?}");
        }
    }
}
