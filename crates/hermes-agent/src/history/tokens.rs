//! Token counting for a conversation: how much of a model's window it takes up, roughly.

use hermes_llm::message::Message;
use hermes_llm::metadata::estimate_message;

/// Tokens of several messages.
#[must_use]
pub fn estimate_tokens(messages: &[Message]) -> u64 {
    messages.iter().map(estimate_message).sum()
}
