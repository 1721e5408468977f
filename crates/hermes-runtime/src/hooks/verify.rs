//! What a hook says when the model wants to stop.
//!
//! There are two ways to say that the turn goes on: `{"action": "continue", "message": …}` and
//! `{"decision": "block", "reason": …}`. Shell hooks and plugins are read alike. A hook that says both yes
//! and no in one answer has a defect, and guessing which it means could keep a turn going for ever; it is
//! told so, and the turn ends as it would without it.

use serde_json::{Map, Value};

/// What an answer on `pre_verify` means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verification<'a> {
    /// Nothing: the turn may end.
    Silent,
    /// The turn goes on with this text for the model.
    GoOn(&'a str),
    /// It says something that cannot be followed, and why.
    Ignored(&'static str),
}

/// What one of the two keys says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Nothing,
    GoOn,
    MayEnd,
}

impl<'a> Verification<'a> {
    /// Reads an answer.
    #[must_use]
    pub fn read(answer: &'a Map<String, Value>) -> Self {
        let order = match (word(answer, "action"), word(answer, "decision")) {
            (Word::GoOn, Word::MayEnd) | (Word::MayEnd, Word::GoOn) => {
                return Self::Ignored("`action` and `decision` contradict each other");
            }
            (Word::GoOn, _) => ["message", "reason"],
            (_, Word::GoOn) => ["reason", "message"],
            _ => return Self::Silent,
        };
        let texts = order.into_iter().filter_map(|key| answer.get(key)?.as_str());
        match texts.into_iter().find(|text| !text.trim().is_empty()) {
            Some(text) => Self::GoOn(text),
            None => Self::Ignored("the turn only goes on with a `message` or `reason`"),
        }
    }
}

fn word(answer: &Map<String, Value>, key: &str) -> Word {
    match answer.get(key) {
        None | Some(Value::Null) => Word::Nothing,
        Some(Value::String(word)) => match word.trim().to_ascii_lowercase().as_str() {
            "" => Word::Nothing,
            "continue" | "block" => Word::GoOn,
            _ => Word::MayEnd,
        },
        Some(_) => Word::MayEnd,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn read(answer: &Value) -> Option<Result<String, ()>> {
        match Verification::read(answer.as_object().unwrap()) {
            Verification::Silent => None,
            Verification::GoOn(text) => Some(Ok(text.to_owned())),
            Verification::Ignored(_) => Some(Err(())),
        }
    }

    #[test]
    fn either_key_keeps_a_turn_going_in_any_case_of_letters() {
        for answer in [
            json!({"action": "continue", "message": "m"}),
            json!({"action": "CONTINUE ", "reason": "m"}),
            json!({"action": "block", "message": "m", "reason": "r"}),
            json!({"decision": "block", "reason": "m", "message": "x"}),
            json!({"decision": "Block", "message": "m"}),
            json!({"action": "continue", "decision": "block", "message": "m", "reason": "r"}),
            json!({"action": "continue", "decision": null, "message": "m"}),
        ] {
            assert_eq!(read(&answer), Some(Ok("m".to_owned())), "{answer}");
        }
    }

    #[test]
    fn contradictions_and_missing_texts_are_ignored_with_a_reason() {
        for answer in [
            json!({"action": "stop", "decision": "block", "reason": "r"}),
            json!({"action": "continue", "decision": "approve", "message": "m"}),
            json!({"action": "allow", "decision": "block", "reason": "r"}),
            json!({"action": false, "decision": "block", "reason": "r"}),
            json!({"action": "continue"}),
            json!({"decision": "block", "reason": " "}),
        ] {
            assert_eq!(read(&answer), Some(Err(())), "{answer}");
        }
    }

    #[test]
    fn everything_else_lets_the_turn_end() {
        for answer in [json!({}), json!({"action": "stop"}), json!({"decision": "approve"})] {
            assert_eq!(read(&answer), None, "{answer}");
        }
    }
}
