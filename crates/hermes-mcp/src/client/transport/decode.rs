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

/// The first number of a request of ours: the SDK counts in 32 bits.
pub(crate) const FIRST: i64 = 1 << 32;

/// What a program answered.
pub(crate) type RpcReply = Result<Value, ErrorData>;

/// One message of a server.
#[expect(clippy::large_enum_variant, reason = "it is passed on at once, never kept")]
pub(crate) enum ServerMessage {
    /// The answer to a request of ours.
    Answer(i64, RpcReply),
    /// Something for the SDK.
    Other(ServerJsonRpcMessage),
}

/// The parts of a message that tell its kind.
#[derive(Deserialize)]
struct Outline {
    method: Option<IgnoredAny>,
    id: Option<Id>,
    result: Option<Value>,
    error: Option<ErrorData>,
}

/// Some servers send numbers back as texts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Id {
    Number(i64),
    Text(String),
}

impl Id {
    /// The number, if it is one of ours.
    fn ours(&self) -> Option<i64> {
        let number = match self {
            Self::Number(number) => *number,
            Self::Text(text) => text.parse().ok()?,
        };
        (number >= FIRST).then_some(number)
    }
}

impl From<Id> for RequestId {
    fn from(id: Id) -> Self {
        match id {
            Id::Number(number) => Self::Number(number),
            Id::Text(text) => Self::String(text.into()),
        }
    }
}

/// Reads messages, and knows whether the handshake is behind us.
#[derive(Debug, Default)]
pub(crate) struct MessageDecoder {
    shook_hands: bool,
}

impl MessageDecoder {
    /// Gives the messages of one text: one, or several in a batch. Text that is no JSON-RPC gives none.
    pub(crate) fn decode(&mut self, text: &[u8], mut give: impl FnMut(ServerMessage)) {
        let text = text.trim_ascii();
        match text.first() {
            Some(b'{') => self.one(text).map(give).unwrap_or_default(),
            Some(b'[') => match serde_json::from_slice::<Vec<Value>>(text) {
                Ok(batch) => batch
                    .into_iter()
                    .filter_map(|part| self.one(part.to_string().as_bytes()))
                    .for_each(&mut give),
                Err(_) => skipped(text),
            },
            Some(_) => skipped(text),
            None => {}
        }
    }

    fn one(&mut self, text: &[u8]) -> Option<ServerMessage> {
        let Ok(outline) = serde_json::from_slice::<Outline>(text) else {
            skipped(text);
            return None;
        };
        if outline.method.is_some() {
            let message = serde_json::from_slice(text).inspect_err(|_| skipped(text)).ok();
            return message.map(ServerMessage::Other);
        }
        let ours = outline.id.as_ref().and_then(Id::ours);
        let message = match (outline.result, outline.error, outline.id) {
            (Some(result), None, Some(id)) => match ours {
                Some(number) => return Some(ServerMessage::Answer(number, Ok(result))),
                None => ServerJsonRpcMessage::response(self.result(result), id.into()),
            },
            (_, Some(error), id) => match ours {
                Some(number) => return Some(ServerMessage::Answer(number, Err(error))),
                None => ServerJsonRpcMessage::error(error, id.map(RequestId::from)),
            },
            _ => {
                skipped(text);
                return None;
            }
        };
        Some(ServerMessage::Other(message))
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

/// The request of ours that a message answers of which only both ends are known. Servers write the
/// number before the result or as the last member; inside the result it would be one of ours only
/// by a lie, and then the liar's own request is the one that fails.
pub(crate) fn request_of_ends(head: &[u8], tail: &[u8]) -> Option<i64> {
    request_of_head(head).or_else(|| request_of_tail(tail))
}

/// The number in front of everything else, as far as the beginning of a message goes.
pub(crate) fn request_of_head(head: &[u8]) -> Option<i64> {
    let head = String::from_utf8_lossy(head);
    let (before, after) = head.split_once("\"id\"")?;
    if before.contains("\"result\"") || before.contains("\"error\"") {
        return None;
    }
    number(after)
}

fn request_of_tail(tail: &[u8]) -> Option<i64> {
    let tail = String::from_utf8_lossy(tail);
    let tail = tail.trim_end().strip_suffix('}')?;
    let (_, last) = tail.rsplit_once("\"id\"")?;
    // Anything behind the number belongs to something else.
    last.chars().all(|letter| letter.is_ascii_digit() || " :\"".contains(letter)).then_some(())?;
    number(last)
}

/// The number behind a key, plain or as a text, if it is one of ours.
fn number(after_key: &str) -> Option<i64> {
    let value = after_key.trim_start().strip_prefix(':')?.trim_start();
    let value = value.strip_prefix('"').unwrap_or(value);
    let end = value.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(value.len());
    Id::Text(value.get(..end)?.to_owned()).ours()
}

/// How much of a useless line is worth a log entry.
const SHOWN: usize = 200;

fn skipped(text: &[u8]) {
    let start = String::from_utf8_lossy(text.get(..SHOWN).unwrap_or(text));
    tracing::debug!(%start, "a line that is no message was skipped");
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn decode(decoder: &mut MessageDecoder, text: &str) -> Vec<ServerJsonRpcMessage> {
        let mut found = Vec::new();
        decoder.decode(text.as_bytes(), |message| match message {
            ServerMessage::Other(message) => found.push(message),
            ServerMessage::Answer(number, _) => panic!("{number} is none of ours"),
        });
        found
    }

    #[test]
    fn answers_to_us_are_told_by_their_number() {
        let mut decoder = MessageDecoder::default();
        let number = FIRST + 7;
        for id in [json!(number), json!(number.to_string())] {
            let mut found = Vec::new();
            let fine = json!({"jsonrpc": "2.0", "id": id, "result": {"a": 1}});
            let refused = json!({"jsonrpc": "2.0", "id": id, "error": {"code": 1, "message": "x"}});
            for answer in [fine, refused] {
                decoder.decode(answer.to_string().as_bytes(), |message| found.push(message));
            }
            let [ServerMessage::Answer(a, Ok(result)), ServerMessage::Answer(b, Err(error))] =
                &found[..]
            else {
                panic!("{id}")
            };
            assert_eq!((*a, *b, result), (number, number, &json!({"a": 1})));
            assert_eq!(error.message, "x");
        }
    }

    #[test]
    fn the_request_is_found_at_either_end_of_an_answer_and_nowhere_else() {
        let ours = FIRST + 7;
        let first = format!(r#"{{"jsonrpc": "2.0", "id": {ours}, "result": {{"content": [{{"te"#);
        assert_eq!(request_of_ends(first.as_bytes(), b"...\"}]}}"), Some(ours));
        let text = format!(r#"{{"id":"{ours}","result":"#);
        assert_eq!(request_of_ends(text.as_bytes(), b"}"), Some(ours));
        let last = format!(r#"xxx"}}]}},"jsonrpc":"2.0","id":{ours}}}"#);
        assert_eq!(request_of_ends(b"{\"result\":{\"content\":[", last.as_bytes()), Some(ours));
        let inside = format!(r#"{{"result": {{"id": {ours}, "#);
        assert_eq!(request_of_ends(inside.as_bytes(), b"}}"), None);
        let deep = format!(r#""row": {{"id": {ours}, "a": 1}}}}}}"#);
        assert_eq!(request_of_ends(b"{\"result\":", deep.as_bytes()), None);
        assert_eq!(request_of_ends(b"{\"id\":3,\"result\":", b"}"), None, "the SDK's");
    }

    #[test]
    fn noise_is_skipped_and_batches_are_taken_apart() {
        let mut decoder = MessageDecoder::default();
        for noise in ["", "Starting server…", "{}", "{\"a\":", "[1, 2]", "null", "\u{1b}[0m{}"] {
            assert!(decode(&mut decoder, noise).is_empty(), "{noise}");
        }
        let batch = r#"[{"jsonrpc":"2.0","id":1,"result":{}},
            {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}]"#;
        assert_eq!(decode(&mut decoder, batch).len(), 2);
    }

    #[test]
    fn results_stay_plain_values_after_the_handshake() {
        let mut decoder = MessageDecoder::default();
        let hello = json!({"jsonrpc": "2.0", "id": 0, "result": {"protocolVersion": "2025-06-18",
            "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}}});
        let messages = decode(&mut decoder, &hello.to_string());
        let [ServerJsonRpcMessage::Response(answer)] = &messages[..] else { panic!() };
        assert!(matches!(answer.result, ServerResult::InitializeResult(_)));
        let again = decode(&mut decoder, &hello.to_string());
        let [ServerJsonRpcMessage::Response(answer)] = &again[..] else { panic!() };
        assert!(matches!(answer.result, ServerResult::CustomResult(_)));
    }

    #[test]
    fn errors_with_and_without_an_id_are_errors() {
        let mut decoder = MessageDecoder::default();
        let text = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#;
        let messages = decode(&mut decoder, text);
        assert!(
            matches!(&messages[..], [ServerJsonRpcMessage::Error(error)] if error.id.is_none())
        );
    }

    proptest! {
        #[test]
        fn whatever_a_server_writes_is_read_or_skipped(text in any::<Vec<u8>>()) {
            MessageDecoder::default().decode(&text, |_| {});
            request_of_ends(&text, &text);
        }

        #[test]
        fn an_answer_reaches_the_one_who_asked_whatever_is_in_it(
            number in FIRST..i64::MAX,
            text in ".*",
            extra in "[a-z]{1,8}",
        ) {
            prop_assume!(!["id", "method", "result", "error"].contains(&extra.as_str()));
            let answer = json!({"id": number, "result": {"text": text}, extra: [text]}).to_string();
            let mut found = Vec::new();
            MessageDecoder::default().decode(answer.as_bytes(), |message| found.push(message));
            let [ServerMessage::Answer(id, Ok(result))] = &found[..] else { panic!("{answer}") };
            prop_assert_eq!(*id, number);
            prop_assert_eq!(&result["text"], &text);
        }
    }
}
