//! From a line of JSON to messages.
//!
//! The SDK finds out what kind of result it has by trying one type after the other. We know what we
//! asked for, so a result is kept as the plain value it is and read by whoever asked; only the answer
//! to the handshake, which the SDK itself asks for, gets its type here.

use rmcp::model::{
    CustomResult, ErrorData, InitializeResult, RequestId, ServerJsonRpcMessage, ServerResult,
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

/// The parts of a message that tell its kind.
#[derive(Deserialize)]
struct Outline {
    method: Option<IgnoredAny>,
    id: Option<RequestId>,
    result: Option<Value>,
    error: Option<ErrorData>,
}

/// Reads messages, and knows whether the handshake is behind us.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    shook_hands: bool,
}

impl Decoder {
    /// The messages of one text: one, or several in a batch. Text that is no JSON-RPC gives none.
    pub(crate) fn decode(&mut self, text: &[u8]) -> Vec<ServerJsonRpcMessage> {
        let text = text.trim_ascii();
        match text.first() {
            Some(b'{') => self.one(text).into_iter().collect(),
            Some(b'[') => match serde_json::from_slice::<Vec<Value>>(text) {
                Ok(batch) => batch
                    .into_iter()
                    .filter_map(|part| self.one(part.to_string().as_bytes()))
                    .collect(),
                Err(_) => skipped(text),
            },
            Some(_) => skipped(text),
            None => Vec::new(),
        }
    }

    fn one(&mut self, text: &[u8]) -> Option<ServerJsonRpcMessage> {
        let Ok(outline) = serde_json::from_slice::<Outline>(text) else {
            skipped(text);
            return None;
        };
        if outline.method.is_some() {
            return serde_json::from_slice(text).inspect_err(|_| drop(skipped(text))).ok();
        }
        match (outline.result, outline.error, outline.id) {
            (Some(result), None, Some(id)) => {
                Some(ServerJsonRpcMessage::response(self.result(result), id))
            }
            (_, Some(error), id) => Some(ServerJsonRpcMessage::error(error, id)),
            _ => {
                skipped(text);
                None
            }
        }
    }

    fn result(&mut self, result: Value) -> ServerResult {
        if !self.shook_hands && result.get("protocolVersion").is_some() {
            match serde_json::from_value::<InitializeResult>(result.clone()) {
                Ok(answer) => {
                    self.shook_hands = true;
                    return ServerResult::InitializeResult(answer);
                }
                Err(error) => tracing::debug!(%error, "an answer to the handshake makes no sense"),
            }
        }
        ServerResult::CustomResult(CustomResult(result))
    }
}

/// How much of a useless line is worth a log entry.
const SHOWN: usize = 200;

fn skipped(text: &[u8]) -> Vec<ServerJsonRpcMessage> {
    let start = String::from_utf8_lossy(text.get(..SHOWN).unwrap_or(text));
    tracing::debug!(%start, "a line that is no message was skipped");
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn noise_is_skipped_and_batches_are_taken_apart() {
        let mut decoder = Decoder::default();
        for noise in ["", "Starting server…", "{}", "{\"a\":", "[1, 2]", "null", "\u{1b}[0m{}"] {
            assert!(decoder.decode(noise.as_bytes()).is_empty(), "{noise}");
        }
        let batch = r#"[{"jsonrpc":"2.0","id":1,"result":{}},
            {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}]"#;
        assert_eq!(decoder.decode(batch.as_bytes()).len(), 2);
    }

    #[test]
    fn results_stay_plain_values_after_the_handshake() {
        let mut decoder = Decoder::default();
        let hello = json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "2025-06-18",
            "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}});
        let messages = decoder.decode(hello.to_string().as_bytes());
        let [ServerJsonRpcMessage::Response(answer)] = &messages[..] else { panic!() };
        assert!(matches!(answer.result, ServerResult::InitializeResult(_)));
        let again = decoder.decode(hello.to_string().as_bytes());
        let [ServerJsonRpcMessage::Response(answer)] = &again[..] else { panic!() };
        assert!(matches!(answer.result, ServerResult::CustomResult(_)));
    }

    #[test]
    fn errors_with_and_without_an_id_are_errors() {
        let mut decoder = Decoder::default();
        let text = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#;
        let messages = decoder.decode(text.as_bytes());
        assert!(
            matches!(&messages[..], [ServerJsonRpcMessage::Error(error)] if error.id.is_none())
        );
    }
}
