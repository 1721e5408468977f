//! What a session is told of its skills, for those who put the prompt together.

pub use super::inline::{limit_of_commands, put_in_outputs};
pub use super::session::session_tools;
