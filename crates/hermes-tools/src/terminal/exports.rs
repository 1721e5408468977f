//! What hosts use of the terminal.

use serde_json::{Value, json};

/// The call that runs a command line as an agent would: the tool's name, and the arguments.
#[must_use]
pub fn command_call(command: &str) -> (&'static str, Value) {
    ("terminal", json!({"command": command}))
}
