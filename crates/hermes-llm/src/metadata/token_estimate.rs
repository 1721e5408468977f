//! Token counting, roughly: how many tokens a text, a message or a request is.
//!
//! Four characters are about a token. That is wrong by a fifth either way, which is good enough to decide
//! when a conversation grows too long; the true number comes with every answer and replaces it. Counted is
//! everything that is sent: instructions and tools too, which are often the larger part.

use serde_json::Value;

use crate::message::{Message, MessageContent};
use crate::model::ModelRequest;

/// Tokens of an image.
const IMAGE: u64 = 1500;

/// Characters of a token.
const CHARACTERS: u64 = 4;

/// The tokens of a text.
#[must_use]
pub fn estimate_text(text: &str) -> u64 {
    characters(text).div_ceil(CHARACTERS)
}

/// The tokens of a message.
#[must_use]
pub fn estimate_message(message: &Message) -> u64 {
    let (characters, images) = measure(message);
    characters.div_ceil(CHARACTERS) + images * IMAGE
}

/// The tokens of a request: instructions, tools and messages.
#[must_use]
pub fn estimate(request: &ModelRequest) -> u64 {
    let mut total = request.system.as_deref().map_or(0, characters);
    total += request.tools.iter().map(json_characters).sum::<u64>();
    let mut images = 0;
    for message in &request.messages {
        let (more, pictures) = measure(message);
        total += more;
        images += pictures;
    }
    total.div_ceil(CHARACTERS) + images * IMAGE
}

fn characters(text: &str) -> u64 {
    text.chars().count() as u64
}

fn measure(message: &Message) -> (u64, u64) {
    let text = match (&message.api_content, &message.content) {
        (Some(sent), _) => characters(sent),
        (None, MessageContent::Text(text)) => characters(text),
        (None, MessageContent::Parts(parts)) => {
            parts.iter().filter_map(|part| part.as_text()).map(characters).sum()
        }
    };
    let calls = message.tool_calls.iter();
    let calls: u64 = calls.map(|call| characters(&call.name) + characters(&call.arguments)).sum();
    (text + calls, message.content.images() as u64)
}

/// The length of a value written as JSON, without writing it.
fn json_characters(value: &Value) -> u64 {
    match value {
        Value::String(text) => characters(text) + 2,
        Value::Array(items) => items.iter().map(|item| json_characters(item) + 1).sum::<u64>() + 1,
        Value::Object(fields) => {
            let field =
                |(name, value): (&String, &Value)| characters(name) + json_characters(value) + 4;
            fields.iter().map(field).sum::<u64>() + 1
        }
        Value::Null => 4,
        Value::Bool(yes) => 5 - u64::from(*yes),
        Value::Number(number) => number.to_string().len() as u64,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::message::{ContentPart, ImageUrl, RequestedCall};

    #[test]
    fn everything_that_is_sent_is_counted() {
        let tool = json!({"name": "a", "list": [1, true, null]});
        let written = tool.to_string().len() as u64;
        let mut request = ModelRequest {
            system: Some("x".repeat(400).into()),
            tools: Arc::from([tool]),
            ..ModelRequest::default()
        };
        assert_eq!(estimate(&request), (400 + written).div_ceil(4));
        request.tools = Arc::from([]);
        let mut calling = Message::assistant("äöüß");
        calling.tool_calls.push(RequestedCall {
            name: "look".into(),
            arguments: "{}ab".into(),
            ..RequestedCall::default()
        });
        assert_eq!(estimate_message(&calling), 3);
        request.messages = vec![calling];
        assert_eq!(estimate(&request), 103);
    }

    #[test]
    fn an_image_has_a_fixed_price_and_its_data_none() {
        let url = format!("data:image/png;base64,{}", "A".repeat(100_000));
        let parts = vec![
            ContentPart::Text { text: "12345".into() },
            ContentPart::ImageUrl { image_url: ImageUrl { url } },
        ];
        assert_eq!(estimate_message(&Message::user(MessageContent::Parts(parts))), 2 + 1500);
        assert_eq!(estimate_text(""), 0);
    }
}
