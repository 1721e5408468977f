//! What a session is told of its skills, for those who put the prompt together.

pub use super::session::session_tools;
