//! Anthropic's messages wire, and those who speak it too.

pub mod request;
pub mod stream;
pub mod thinking;
