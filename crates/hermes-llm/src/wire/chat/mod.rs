//! The chat-completions wire, as OpenAI began it and everybody else varies it.

pub mod dialect;
pub mod request;
pub mod stream;
