//! The messages of a conversation, in the one shape that loop, store and wires share.
//!
//! The JSON form is the chat-completions one, so that what is stored reads like what was said.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The standing instructions.
    System,
    /// The person, or a note to the model in the person's place.
    User,
    /// The model.
    Assistant,
    /// A tool, answering a call.
    Tool,
}

impl Role {
    /// The word on the wire and in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
        }
    }
}

/// What is said: plain text, or parts with images.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MessageContent {
    /// Text.
    Text(String),
    /// Several parts.
    Parts(Vec<ContentPart>),
}

impl Default for MessageContent {
    fn default() -> Self {
        Self::Text(String::new())
    }
}

impl MessageContent {
    /// All text, parts joined by a line break; images are left out.
    #[must_use]
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        match self {
            Self::Text(text) => text.into(),
            Self::Parts(parts) => {
                let texts: Vec<&str> = parts.iter().filter_map(ContentPart::as_text).collect();
                texts.join("\n").into()
            }
        }
    }

    /// Whether nothing is said: no part, and no text but white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        match self {
            Self::Text(text) => text.trim().is_empty(),
            Self::Parts(parts) => {
                parts.iter().all(|part| part.as_text().is_some_and(|text| text.trim().is_empty()))
            }
        }
    }

    /// How many images there are.
    #[must_use]
    pub fn images(&self) -> usize {
        match self {
            Self::Text(_) => 0,
            Self::Parts(parts) => {
                parts.iter().filter(|part| matches!(part, ContentPart::ImageUrl { .. })).count()
            }
        }
    }
}

impl From<String> for MessageContent {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for MessageContent {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// Text, or an image beside it, for models that see.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContentPart {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image, by address or as a `data:` URL.
    ImageUrl {
        /// Where it is.
        image_url: ImageUrl,
    },
}

impl ContentPart {
    /// The text, unless it is an image.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            Self::ImageUrl { .. } => None,
        }
    }
}

/// Where an image is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImageUrl {
    /// An `https:` or `data:` URL.
    pub url: String,
}

/// A model's wish to call a tool. The argument text is kept as it was written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "WireCall", into = "WireCall")]
pub struct RequestedCall {
    /// The model's id of the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The argument text.
    pub arguments: String,
    /// What a provider wants to see again with the call, such as a signature.
    pub extra_content: Option<Value>,
}

#[derive(Serialize, Deserialize)]
struct WireCall {
    #[serde(default)]
    id: String,
    #[serde(rename = "type", default = "function")]
    kind: String,
    function: WireFunction,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    extra_content: Option<Value>,
}

#[derive(Serialize, Deserialize)]
struct WireFunction {
    #[serde(default)]
    name: String,
    #[serde(default)]
    arguments: String,
}

fn function() -> String {
    "function".to_owned()
}

impl From<WireCall> for RequestedCall {
    fn from(call: WireCall) -> Self {
        Self {
            id: call.id,
            name: call.function.name,
            arguments: call.function.arguments,
            extra_content: call.extra_content,
        }
    }
}

impl From<RequestedCall> for WireCall {
    fn from(call: RequestedCall) -> Self {
        Self {
            id: call.id,
            kind: function(),
            function: WireFunction { name: call.name, arguments: call.arguments },
            extra_content: call.extra_content,
        }
    }
}

/// One message. Fields that do not belong to its role are empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said.
    #[serde(default)]
    pub content: MessageContent,
    /// The tools an assistant message asks for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<RequestedCall>,
    /// The call a tool message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// The tool that answers.
    #[serde(rename = "name", default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// What the model thought, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// What the model thought, for providers that want it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_content: Option<String>,
    /// Signed thinking, to be returned unchanged to the provider that made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_details: Option<Value>,
    /// Why the model stopped, in its provider's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// What was really sent, where it differs from what is shown.
    #[serde(skip)]
    pub api_content: Option<String>,
}

impl Message {
    fn new(role: Role, content: impl Into<MessageContent>) -> Self {
        Self {
            role,
            content: content.into(),
            tool_calls: Vec::new(),
            tool_call_id: None,
            tool_name: None,
            reasoning: None,
            reasoning_content: None,
            reasoning_details: None,
            finish_reason: None,
            api_content: None,
        }
    }

    /// Standing instructions.
    #[must_use]
    pub fn system(content: impl Into<MessageContent>) -> Self {
        Self::new(Role::System, content)
    }

    /// Something a person says.
    #[must_use]
    pub fn user(content: impl Into<MessageContent>) -> Self {
        Self::new(Role::User, content)
    }

    /// Something the model says.
    #[must_use]
    pub fn assistant(content: impl Into<MessageContent>) -> Self {
        Self::new(Role::Assistant, content)
    }

    /// A tool's answer to a call.
    #[must_use]
    pub fn tool(call: &str, tool: &str, content: impl Into<MessageContent>) -> Self {
        Self {
            tool_call_id: Some(call.to_owned()),
            tool_name: Some(tool.to_owned()),
            ..Self::new(Role::Tool, content)
        }
    }

    /// The text of the content.
    #[must_use]
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        self.content.text()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_reads_like_the_chat_wire() {
        let mut message = Message::assistant("");
        message.tool_calls.push(RequestedCall {
            id: "call_1".into(),
            name: "todo".into(),
            arguments: "{}".into(),
            extra_content: None,
        });
        let value = serde_json::to_value(&message).unwrap();
        let call = json!({"id": "call_1", "type": "function",
            "function": {"name": "todo", "arguments": "{}"}});
        assert_eq!(value, json!({"role": "assistant", "content": "", "tool_calls": [call]}));
        assert_eq!(serde_json::from_value::<Message>(value).unwrap(), message);
    }

    #[test]
    fn text_of_parts_leaves_images_out() {
        let parts = json!([{"type": "text", "text": "a"},
            {"type": "image_url", "image_url": {"url": "data:x"}}, {"type": "text", "text": "b"}]);
        let content: MessageContent = serde_json::from_value(parts).unwrap();
        assert_eq!((content.text().as_ref(), content.images()), ("a\nb", 1));
    }
}
