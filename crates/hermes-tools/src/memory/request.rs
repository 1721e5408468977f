//! What a model, or a person, wants done to the notes.

use std::borrow::Cow;

use hermes_tool::read_arguments;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// Arguments of `memory`: one change, or a list of them that wins over it. Serialised, it is what
/// waits for a person's word.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
pub struct Memory {
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<MemoryAction>,
    /// Which notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("default" = "memory"))]
    pub target: Option<MemoryTarget>,
    /// The new entry, for `add` and `replace`.
    #[serde(default, deserialize_with = "text_or_number", skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// A part of the one entry to `replace` or `remove`, long enough to fit no other.
    #[serde(default, deserialize_with = "text_or_number", skip_serializing_if = "Option::is_none")]
    pub old_text: Option<String>,
    /// Several changes in order, all or none, instead of `action`; only the final size must fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<Vec<MemoryOperation>>,
}

/// Arguments of `memory` as a model wrote them. What cannot be read is answered like any other failure, with
/// what the notes hold, and so is no failure to read.
#[derive(Debug)]
pub(super) enum MemoryArguments {
    Readable(Memory),
    Unreadable {
        /// Whose notes are meant, as far as that can be told.
        target: MemoryTarget,
        why: String,
    },
}

impl<'de> Deserialize<'de> for MemoryArguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let args = Map::deserialize(deserializer)?;
        let target = args.get("target").cloned().map(serde_json::from_value);
        Ok(match read_arguments(args) {
            Ok(memory) => Self::Readable(memory),
            Err(problem) => Self::Unreadable {
                target: target.and_then(Result::ok).unwrap_or_default(),
                why: problem.message().to_owned(),
            },
        })
    }
}

impl JsonSchema for MemoryArguments {
    fn schema_name() -> Cow<'static, str> {
        Memory::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Memory::json_schema(generator)
    }
}

/// One change of several.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
pub struct MemoryOperation {
    /// What to do.
    pub action: MemoryAction,
    /// The new entry, for `add` and `replace`.
    #[serde(default, deserialize_with = "text_or_number", skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// A part of the entry to `replace` or `remove`.
    #[serde(default, deserialize_with = "text_or_number", skip_serializing_if = "Option::is_none")]
    pub old_text: Option<String>,
}

/// A kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words say it, to the model as well")]
pub enum MemoryAction {
    Add,
    Replace,
    Remove,
}

/// Whose notes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MemoryTarget {
    /// your own, on surroundings, conventions and lessons.
    #[default]
    Memory,
    /// on who the user is and what they prefer.
    User,
}

/// A model that notes a number means its digits.
fn text_or_number<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(deserializer)? {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        Value::Number(number) => Ok(Some(number.to_string())),
        Value::Bool(other) => Err(D::Error::invalid_type(Unexpected::Bool(other), &"text")),
        Value::Array(_) => Err(D::Error::invalid_type(Unexpected::Seq, &"text")),
        Value::Object(_) => Err(D::Error::invalid_type(Unexpected::Map, &"text")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(args: Value) -> Result<Memory, hermes_tool::ToolError> {
        let Value::Object(args) = args else { panic!() };
        read_arguments(args)
    }

    #[test]
    fn a_number_is_read_as_text_and_null_as_absent() {
        let memory =
            read(json!({"action": "add", "content": 42, "old_text": null, "target": null}))
                .unwrap();
        assert_eq!(memory.content.as_deref(), Some("42"));
        assert_eq!((memory.old_text, memory.target), (None, None));
    }

    #[test]
    fn an_unknown_action_is_answered_with_the_known_ones() {
        let error = read(json!({"operations": [{"action": "append"}]})).unwrap_err();
        assert!(error.message().contains("`operations[0].action`"), "{error}");
        assert!(error.message().contains("`replace`"), "{error}");
    }

    #[test]
    fn content_that_is_no_text_is_named() {
        let error = read(json!({"content": ["a"]})).unwrap_err();
        assert!(error.message().contains("`content`"), "{error}");
        assert!(error.message().contains("expected text"), "{error}");
    }
}
