//! What a hook's output means.

use hermes_runtime::hooks::{HookEvent, Verification};
use serde_json::{Map, Value, json};

/// What the model reads when a hook blocks a call without saying why.
pub const DEFAULT_BLOCK_NOTICE: &str = "Blocked by a shell hook, which gave no reason.";

/// What a hook wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookAnswer {
    /// Nothing.
    Silent,
    /// This, in the form the runtime understands.
    Directive(Value),
    /// Something, but not in a way that counts; the text says why.
    Ignored(String),
}

impl HookAnswer {
    /// Reads what a hook has written: nothing, or one JSON object.
    #[must_use]
    pub fn read(event: HookEvent, output: &str) -> Self {
        let output = output.trim();
        if output.is_empty() {
            return Self::Silent;
        }
        match serde_json::from_str(output) {
            Ok(Value::Object(answer)) => Self::interpret(event, &answer),
            Ok(_) => Self::ignored("the output is JSON, but not an object"),
            Err(error) => Self::ignored(format!("the output is not one JSON object: {error}")),
        }
    }

    pub(super) fn ignored(why: impl Into<String>) -> Self {
        Self::Ignored(why.into())
    }

    fn interpret(event: HookEvent, answer: &Map<String, Value>) -> Self {
        match event {
            HookEvent::PreToolCall => Self::gate(answer),
            HookEvent::PreVerify => Self::verify(answer),
            _ => match answer.get("context") {
                None => Self::Silent,
                Some(_) => match first_text(answer, ["context"]) {
                    Some(text) => Self::Directive(json!({ "context": text })),
                    None => Self::ignored("`context` is not text, or blank"),
                },
            },
        }
    }

    fn gate(answer: &Map<String, Value>) -> Self {
        let says_block = |key| answer.get(key).and_then(Value::as_str) == Some("block");
        let order = if says_block("action") {
            ["message", "reason"]
        } else if says_block("decision") {
            ["reason", "message"]
        } else if answer.contains_key("action") || answer.contains_key("decision") {
            return Self::ignored(
                "`action` and `decision` only understand the word `block`, in small letters; \
                 shell hooks cannot approve",
            );
        } else {
            return Self::Silent;
        };
        let message = first_text(answer, order).unwrap_or(DEFAULT_BLOCK_NOTICE);
        Self::Directive(json!({ "action": "block", "message": message }))
    }

    fn verify(answer: &Map<String, Value>) -> Self {
        match Verification::read(answer) {
            Verification::Silent => Self::Silent,
            Verification::GoOn(text) => {
                Self::Directive(json!({ "action": "continue", "message": text }))
            }
            Verification::Ignored(why) => Self::ignored(why),
        }
    }
}

/// The first of these fields that holds more than blanks.
fn first_text<'a, const N: usize>(
    answer: &'a Map<String, Value>,
    keys: [&str; N],
) -> Option<&'a str> {
    keys.into_iter()
        .filter_map(|key| answer.get(key)?.as_str())
        .find(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(event: HookEvent, answer: &Value) -> HookAnswer {
        HookAnswer::read(event, &answer.to_string())
    }

    fn blocked(answer: &Value) -> Option<String> {
        match read(HookEvent::PreToolCall, answer) {
            HookAnswer::Directive(directive) => {
                assert_eq!(directive["action"], "block");
                Some(directive["message"].as_str().unwrap().to_owned())
            }
            _ => None,
        }
    }

    #[test]
    fn each_way_to_block_has_its_own_order_of_texts() {
        let both = |key: &str| json!({key: "block", "message": "m", "reason": "r"});
        assert_eq!(blocked(&both("action")).as_deref(), Some("m"));
        assert_eq!(blocked(&both("decision")).as_deref(), Some("r"));
        assert_eq!(blocked(&json!({"action": "block", "reason": "r"})).as_deref(), Some("r"));
        assert_eq!(blocked(&json!({"decision": "block", "message": "m"})).as_deref(), Some("m"));
        let two = json!({"decision": "block", "action": "block", "message": "m", "reason": "r"});
        assert_eq!(blocked(&two).as_deref(), Some("m"));
    }

    #[test]
    fn a_block_without_text_still_blocks() {
        for answer in [
            json!({"action": "block"}),
            json!({"action": "block", "message": 5, "reason": {}}),
            json!({"decision": "block", "reason": " "}),
        ] {
            assert_eq!(blocked(&answer).as_deref(), Some(DEFAULT_BLOCK_NOTICE), "{answer}");
        }
    }

    #[test]
    fn only_the_exact_word_blocks_and_nothing_approves() {
        for answer in [
            json!({"action": "Block", "message": "m"}),
            json!({"action": "block ", "message": "m"}),
            json!({"decision": "deny", "reason": "r"}),
            json!({"action": "approve", "message": "m", "rule_key": "k"}),
        ] {
            let read = read(HookEvent::PreToolCall, &answer);
            assert!(matches!(read, HookAnswer::Ignored(_)), "{answer}: {read:?}");
        }
        assert_eq!(read(HookEvent::PreToolCall, &json!({"context": "x"})), HookAnswer::Silent);
    }

    #[test]
    fn a_turn_goes_on_in_any_case_of_letters_but_not_without_text() {
        for answer in [
            json!({"action": "continue", "message": "run the tests"}),
            json!({"action": "CONTINUE", "reason": "run the tests"}),
            json!({"decision": "Block", "reason": "run the tests", "message": "m"}),
        ] {
            assert_eq!(
                read(HookEvent::PreVerify, &answer),
                HookAnswer::Directive(json!({"action": "continue", "message": "run the tests"})),
                "{answer}"
            );
        }
        let blank = read(HookEvent::PreVerify, &json!({"action": "continue", "message": "\n"}));
        assert!(matches!(blank, HookAnswer::Ignored(_)));
        assert_eq!(read(HookEvent::PreVerify, &json!({"action": "stop"})), HookAnswer::Silent);
        let both = json!({"action": "stop", "decision": "block", "reason": "run the tests"});
        assert!(matches!(read(HookEvent::PreVerify, &both), HookAnswer::Ignored(_)));
    }

    #[test]
    fn other_events_take_context() {
        assert_eq!(
            read(HookEvent::PreLlmCall, &json!({"context": "It rains.", "action": "block"})),
            HookAnswer::Directive(json!({"context": "It rains."}))
        );
        let number = read(HookEvent::PreLlmCall, &json!({"context": 3}));
        assert!(matches!(number, HookAnswer::Ignored(_)));
        assert_eq!(read(HookEvent::PostToolCall, &json!({"ok": true})), HookAnswer::Silent);
    }

    #[test]
    fn anything_but_one_object_is_ignored() {
        assert_eq!(HookAnswer::read(HookEvent::PreToolCall, " \n"), HookAnswer::Silent);
        for output in ["done", "[1]", "\"block\"", "{} {}", "log line\n{\"action\":\"block\"}", "{"]
        {
            let read = HookAnswer::read(HookEvent::PreToolCall, output);
            assert!(matches!(read, HookAnswer::Ignored(_)), "{output}: {read:?}");
        }
    }
}
