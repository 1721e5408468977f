//! What a handler gives back.

use serde::Serialize;
use serde_json::{Value, json};

use crate::ToolError;

/// The result of one call, before limits are applied.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolOutput {
    /// Text that goes to the model as it is; by convention a JSON document.
    Text(String),
    /// Text and images together.
    Multimodal {
        /// Message parts in the chat-completions form.
        content: Vec<Value>,
        /// What a model that takes no images gets instead.
        text_summary: Option<String>,
    },
    /// A value of code we do not know (a plugin); the pipeline accepts a string or a multimodal
    /// envelope and refuses anything else.
    Foreign(Value),
}

impl ToolOutput {
    /// A value as JSON text.
    ///
    /// # Errors
    /// When the value cannot be written as JSON (a map with keys that are not text).
    pub fn json(value: &impl Serialize) -> Result<Self, ToolError> {
        Ok(Self::Text(serde_json::to_string(value)?))
    }

    /// The result as a JSON value: a string, or the multimodal envelope.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Text(text) => Value::String(text.clone()),
            Self::Multimodal { content, text_summary } => {
                json!({"_multimodal": true, "content": content, "text_summary": text_summary})
            }
            Self::Foreign(value) => value.clone(),
        }
    }

    /// Text for the model, word for word.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

/// What `#[tool]` functions may return: anything that serialises, or a [`ToolOutput`] built by hand.
pub trait IntoToolOutput {
    /// Converts into the result of the call.
    ///
    /// # Errors
    /// When the value cannot be written as JSON.
    fn into_output(self) -> Result<ToolOutput, ToolError>;
}

impl IntoToolOutput for ToolOutput {
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        Ok(self)
    }
}

impl<T: Serialize> IntoToolOutput for T {
    fn into_output(self) -> Result<ToolOutput, ToolError> {
        ToolOutput::json(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialisable_values_become_json_text() {
        let output = json!({"a": 1}).into_output().unwrap();
        assert_eq!(output, ToolOutput::text(r#"{"a":1}"#));
    }

    #[test]
    fn text_built_by_hand_is_left_alone() {
        let output = ToolOutput::text("plain").into_output().unwrap();
        assert_eq!(output, ToolOutput::text("plain"));
    }
}
