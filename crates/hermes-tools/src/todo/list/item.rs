//! One step, and how a step is read from what a model wrote.

use hermes_tool::ToolError;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Characters of one item's content, the mark of a cut included.
pub const MAX_CONTENT_CHARS: usize = 4_000;
/// Stands for a content that is missing.
const NO_CONTENT: &str = "(no description)";
/// Stands for something that is no item.
const INVALID: &str = "(invalid item)";
/// Ends a content that was cut.
const CUT: &str = "… [truncated]";

/// A step as the list keeps it: whole, whatever the model left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TodoEntry {
    /// Unique in the list; later calls name the step by it.
    pub id: String,
    /// At most [`MAX_CONTENT_CHARS`] characters.
    pub content: String,
    /// `pending` unless the model said otherwise.
    pub status: TodoStatus,
}

impl TodoEntry {
    pub(super) fn to_value(&self) -> Value {
        json!({"id": self.id, "content": self.content, "status": self.status.as_str()})
    }
}

/// How far a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words say it, to the model as well")]
pub enum TodoStatus {
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

impl TodoStatus {
    /// All, in the order they are counted.
    pub const ALL: [Self; 4] = [Self::Pending, Self::InProgress, Self::Completed, Self::Cancelled];

    /// The word for the model.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The mark before a step in a list for people.
    #[must_use]
    pub fn mark(self) -> &'static str {
        match self {
            Self::Pending => "[ ]",
            Self::InProgress => "[>]",
            Self::Completed => "[x]",
            Self::Cancelled => "[~]",
        }
    }

    fn read(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str().eq_ignore_ascii_case(word))
    }
}

/// A status as it was given.
#[derive(Debug)]
pub(super) enum Given {
    Nothing,
    Known(TodoStatus),
    Unknown(String),
}

impl Given {
    pub(super) fn known(&self) -> Option<TodoStatus> {
        match self {
            Self::Known(status) => Some(*status),
            Self::Nothing | Self::Unknown(_) => None,
        }
    }
}

/// What was given of an item.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) id: Option<String>,
    pub(super) content: Option<String>,
    pub(super) status: Given,
}

impl Draft {
    /// The item, with what was not given filled in.
    pub(super) fn into_item(self, id: String) -> TodoEntry {
        TodoEntry {
            id,
            status: self.status.known().unwrap_or(TodoStatus::Pending),
            content: self.content.unwrap_or_else(|| NO_CONTENT.to_owned()),
        }
    }
}

/// The items of an argument of any shape: a list with at least one object in it, an empty list, a single
/// item, or text that holds one of these.
///
/// # Errors
/// It is none of these, such as text that was cut. A list made of that would wipe the plan out.
pub(crate) fn given_items(given: Value) -> Result<Vec<Value>, ToolError> {
    let refused = |what: &str| {
        ToolError::answer(format!(
            "`todos` must be a list of objects with id, content and status, but it is {what}. Nothing was \
             changed; the list is kept. Send the whole list again."
        ))
    };
    match given {
        Value::Array(items) if items.is_empty() || items.iter().any(Value::is_object) => Ok(items),
        // Coercion puts a lone value into a list.
        Value::Array(mut items) => match items.pop() {
            Some(Value::String(text)) if items.is_empty() => text_items(&text, &refused),
            _ => Err(refused("a list without any")),
        },
        item @ Value::Object(_) => Ok(vec![item]),
        Value::String(text) => text_items(&text, &refused),
        Value::Number(_) => Err(refused("a number")),
        Value::Bool(_) | Value::Null => Err(refused("no list")),
    }
}

fn text_items(text: &str, refused: &dyn Fn(&str) -> ToolError) -> Result<Vec<Value>, ToolError> {
    match serde_json::from_str(text) {
        Ok(Value::Array(items)) if items.is_empty() || items.iter().any(Value::is_object) => {
            Ok(items)
        }
        Ok(item @ Value::Object(_)) => Ok(vec![item]),
        Ok(_) => Err(refused("text")),
        Err(_) if text.trim_start().starts_with(['[', '{']) => {
            Err(refused("JSON that is cut off or broken"))
        }
        Err(_) => Err(refused("text")),
    }
}

/// Reads one item of any shape.
pub(super) fn mend(at: usize, value: Value, warnings: &mut Vec<String>) -> Draft {
    let Value::Object(fields) = value else {
        warnings.push(format!(
            "item {} is no object with id, content and status, so it became {INVALID}",
            at + 1
        ));
        return Draft { id: None, content: Some(INVALID.to_owned()), status: Given::Nothing };
    };
    let field = |name: &str| fields.get(name).and_then(text);
    let status = match field("status") {
        None => Given::Nothing,
        Some(word) => match TodoStatus::read(&word) {
            Some(status) => Given::Known(status),
            None => Given::Unknown(word),
        },
    };
    Draft { id: field("id"), content: field("content").map(cut), status }
}

/// Text, or what can only be meant as text; blank is nothing.
fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    (!text.is_empty()).then_some(text)
}

fn cut(content: String) -> String {
    if content.chars().nth(MAX_CONTENT_CHARS).is_none() {
        return content;
    }
    let kept = MAX_CONTENT_CHARS - CUT.chars().count();
    content.chars().take(kept).chain(CUT.chars()).collect()
}
