//! What a command wrote, made fit to be read.

use hermes_exec::manager::EnvironmentLease;
use hermes_guard::ansi;
use hermes_guard::command_line::sudo;
use hermes_tool::{ToolOutput, ToolResult};
use serde_json::{Map, Value, json};

use super::context::TerminalContext;

/// Output for the model, with what else is to be said.
pub(super) struct Readable {
    pub(super) text: String,
    pub(super) notes: Map<String, Value>,
}

/// In this order: a tip where sudo found no terminal, the fate of a wrong password, plugins, the
/// limit once more, terminal codes, blanks, secrets.
pub(super) async fn for_reading(
    terminal: &TerminalContext,
    environment: &EnvironmentLease,
    command: &str,
    code: i32,
    output: String,
) -> Readable {
    let mut notes = Map::new();
    let mut text = output;
    if terminal.is_gateway() && sudo::needs_terminal(&text) {
        text.push_str("\n\nTip: sudo asked for a password and nobody can type one here; set SUDO_PASSWORD in .env of the Hermes home.");
    }
    if sudo::refused(&text) && sudo::asks(command) {
        notes.insert("sudo_auth_failed".into(), true.into());
        // A configured password is not forgotten: it is the user's to correct.
        if terminal.sudo().forget() {
            notes.insert("sudo_cache_cleared".into(), true.into());
        }
    }
    let text = terminal.transformed(environment, command, code, text).await;
    let text = cut(text, environment.settings.max_output_chars);
    let text = ansi::strip(&text);
    let text = terminal.redacted(text.trim(), command);
    Readable { text, notes }
}

/// The limit again, for text that a plugin has made longer.
fn cut(text: String, most: usize) -> String {
    let total = text.chars().count();
    if total <= most {
        return text;
    }
    let notice = format!(
        "\n\n... [OUTPUT TRUNCATED - {} chars omitted out of {total} total] ...\n\n",
        total - most
    );
    let budget = most.saturating_sub(notice.chars().count());
    let head = budget * 2 / 5;
    let at = |count: usize| text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
    let tail_from = at(total - (budget - head));
    format!("{}{notice}{}", &text[..at(head)], &text[tail_from..])
}

/// The answer of a command that was not run.
pub(super) fn failed(status: &str, message: &str) -> ToolResult {
    ToolOutput::json(&json!({
        "output": "", "exit_code": -1, "error": message, "status": status
    }))
}

/// An answer with more fields.
pub(super) fn with_fields(output: ToolOutput, more: Map<String, Value>) -> ToolOutput {
    let ToolOutput::Text(text) = &output else { return output };
    match serde_json::from_str(text) {
        Ok(Value::Object(mut fields)) => {
            fields.extend(more);
            ToolOutput::Text(Value::Object(fields).to_string())
        }
        _ => output,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_plugin_made_too_long_is_cut_again() {
        let cut = cut("x".repeat(1_000), 200);
        assert!(cut.chars().count() <= 200, "{}", cut.len());
        assert!(cut.contains("OUTPUT TRUNCATED - 800 chars omitted out of 1000 total"));
        assert_eq!(super::cut("short".into(), 200), "short");
    }
}
