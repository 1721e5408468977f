//! Questions of MCP servers to the person: forms, filled in field by field, and pages to visit.
//!
//! The dialogue is the same wherever it takes place; [`Lines`] is the place: it shows a few rows, asks for
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

pub(crate) use dialogue::{fill, visit};
pub(crate) use terminal::{TerminalLines, TerminalPerson};

/// How the first row of a question begins.
pub(crate) const LEAD: &str = "? ";

/// One line is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AskedLine {
    /// What is shown above, a row each; already free of control characters.
    pub(crate) statement: Vec<String>,
    /// What stands before the line.
    pub(crate) prompt: String,
    /// Whether what is typed may be seen.
    pub(crate) echo: Echo,
    /// When nobody waits any more.
    pub(crate) until: Instant,
}

/// Whether what is typed may be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Echo {
    Seen,
    Unseen,
}

/// Where lines are asked for. No line: the person left, or was never there.
pub(crate) trait Lines: Send + Sync {
    /// The line that was typed.
    fn line(&self, asked: AskedLine) -> BoxFuture<Option<String>>;
}
