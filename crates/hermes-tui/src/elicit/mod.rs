//! Questions of MCP servers to the person: forms, filled in field by field, and pages to visit.
//!
//! The dialogue is the same wherever it takes place; [`LinePrompter`] is the place: it shows a few rows, asks for
//! one line and gives what was typed. There are two, the terminal of a single command ([`TerminalPerson`])
//! and the chat.
//!
//! What never happens here: something is sent that the person did not see and say yes to, a server's words
//! move the cursor or colour the screen, or a secret is shown while it is typed or afterwards.

mod dialogue;
mod terminal;
#[cfg(test)]
mod tests;

use std::time::Instant;

use hermes_tool::BoxFuture;

pub use crate::line_prompt::EchoMode;
pub(crate) use dialogue::{fill, visit};
pub use terminal::{TerminalLines, TerminalPerson};

/// How the first row of a question begins.
pub const LEAD: &str = "? ";

/// One line is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineQuestion {
    /// What is shown above, a row each; already free of control characters.
    pub statement: Vec<String>,
    /// What stands before the line.
    pub prompt: String,
    /// Whether what is typed may be seen.
    pub echo: EchoMode,
    /// When nobody waits any more.
    pub until: Instant,
}

/// Where lines are asked for. No line: the person left, or was never there.
pub trait LinePrompter: Send + Sync {
    /// The line that was typed.
    fn line(&self, asked: LineQuestion) -> BoxFuture<Option<String>>;
}
