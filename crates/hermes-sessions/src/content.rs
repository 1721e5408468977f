//! What a message says: text, or parts such as images.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Before anything that is not plain text: no text of a person begins like this.
const JSON_MARK: &str = "\0json:";

/// The content of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Content {
    /// Text.
    Text(String),
    /// Anything else: a list of parts, mostly.
    Json(Value),
}

impl Content {
    /// The stored form.
    pub(super) fn encode(&self) -> Cow<'_, str> {
        match self {
            // A text that looks like the stored form of something else must come back as it is.
            Self::Text(text) if text.starts_with(JSON_MARK) => {
                format!("{JSON_MARK}{}", Value::String(text.clone())).into()
            }
            Self::Text(text) => text.into(),
            Self::Json(value) => format!("{JSON_MARK}{value}").into(),
        }
    }

    /// What a stored form means; a damaged one is shown as text.
    pub(super) fn decode(stored: String) -> Self {
        let Some(json) = stored.strip_prefix(JSON_MARK) else { return Self::Text(stored) };
        match serde_json::from_str(json) {
            Ok(Value::String(text)) => Self::Text(text),
            Ok(value) => Self::Json(value),
            Err(_) => Self::Text(json.to_owned()),
        }
    }

    /// All text in it, parts joined by line breaks.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => text.into(),
            Self::Json(Value::Array(parts)) => {
                let text = |part: &Value| match part {
                    Value::String(text) => Some(text.clone()),
                    part => part.get("text").and_then(Value::as_str).map(str::to_owned),
                };
                parts.iter().filter_map(text).collect::<Vec<_>>().join("\n").into()
            }
            Self::Json(other) => other.to_string().into(),
        }
    }

    pub(super) fn into_value(self) -> Value {
        match self {
            Self::Text(text) => Value::String(text),
            Self::Json(value) => value,
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Value> for Content {
    /// A JSON string is text.
    fn from(value: Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text),
            other => Self::Json(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn parts_are_marked_and_text_is_not() {
        let parts = Content::from(json!([{"type": "text", "text": "a"}, {"type": "image_url"}]));
        assert_eq!(
            parts.encode(),
            "\0json:[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"image_url\"}]"
        );
        assert_eq!(Content::decode(parts.encode().into_owned()), parts);
        assert_eq!(parts.text(), "a");
        assert_eq!(Content::from("a").encode(), "a");
        assert_eq!(Content::decode("\0json:{".to_owned()), Content::from("{"));
    }

    proptest! {
        #[test]
        fn any_text_comes_back(text in "(\0json:)?\\PC*") {
            let content = Content::Text(text);
            prop_assert_eq!(Content::decode(content.encode().into_owned()), content);
        }
    }
}
