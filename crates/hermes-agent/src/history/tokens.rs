//! How much of a model's window messages take up, roughly.
//!
//! The one place that knows the rule of thumb, so that a better one can take its place.

use hermes_llm::message::{Content, Message, Part};

/// Characters that make one token, roughly.
const CHARS_PER_TOKEN: u64 = 4;
/// What an image costs, roughly, whatever its size in bytes.
const IMAGE_TOKENS: u64 = 1_500;
/// What a message costs beside its text.
const MESSAGE_TOKENS: u64 = 4;

/// Tokens of a text.
#[must_use]
pub fn estimate_text_tokens(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(CHARS_PER_TOKEN)
}

/// Tokens of a message as it is sent: text, images and calls.
#[must_use]
pub fn estimate_message_tokens(message: &Message) -> u64 {
    let content = match (&message.api_content, &message.content) {
        (Some(sent), _) => estimate_text_tokens(sent),
        (None, Content::Text(text)) => estimate_text_tokens(text),
        (None, Content::Parts(parts)) => parts
            .iter()
            .map(|part| match part {
                Part::Text { text } => estimate_text_tokens(text),
                Part::ImageUrl { .. } => IMAGE_TOKENS,
            })
            .sum(),
    };
    let calls: u64 = message
        .tool_calls
        .iter()
        .map(|call| estimate_text_tokens(&call.name) + estimate_text_tokens(&call.arguments))
        .sum();
    MESSAGE_TOKENS + content + calls
}

/// Tokens of several messages.
#[must_use]
pub fn estimate_tokens(messages: &[Message]) -> u64 {
    messages.iter().map(estimate_message_tokens).sum()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn characters_count_and_not_bytes() {
        assert_eq!(estimate_text_tokens("äöüß"), 1);
        assert_eq!(estimate_text_tokens("abcde"), 2);
        assert_eq!(estimate_text_tokens(""), 0);
    }

    #[test]
    fn an_image_does_not_cost_its_bytes() {
        let url = format!("data:image/png;base64,{}", "A".repeat(1_000_000));
        let parts = json!([{"type": "image_url", "image_url": {"url": url}}]);
        let content: Content = serde_json::from_value(parts).unwrap();
        assert_eq!(estimate_message_tokens(&Message::user(content)), 1_504);
    }
}
