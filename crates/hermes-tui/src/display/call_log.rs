//! The calls of a conversation, kept so that any of them can be looked at whole.

use std::collections::VecDeque;
use std::time::Duration;

use hermes_guard::redact::{RedactMode, Redactor};
use hermes_protocol::text::seconds;
use hermes_tool::ShownCall;
use serde_json::Value;

use super::call_rows::read_result;
use super::diff::{self, DiffExtent};
use super::fit::{cut, shown, split_at_columns};
use super::style::{Ink, Style};
use super::tool_lines::FinishedCall;

/// Calls that are kept.
const MAX_CALLS: usize = 500;
/// Characters of output that all kept calls have together.
const MAX_CHARS: usize = 8 * 1024 * 1024;

/// A call that has ended.
#[derive(Debug)]
pub(crate) struct CallRecord {
    /// Counts from one through the conversation.
    pub(crate) number: usize,
    tool: String,
    args: Value,
    output: String,
    failed: bool,
    took: Duration,
}

/// The last calls, newest last.
#[derive(Debug, Default)]
pub(crate) struct CallLog {
    calls: VecDeque<CallRecord>,
    chars: usize,
    count: usize,
}

impl CallLog {
    pub(crate) fn add(&mut self, call: &FinishedCall<'_>) {
        self.count += 1;
        self.chars += call.output.len();
        self.calls.push_back(CallRecord {
            number: self.count,
            tool: call.tool.to_owned(),
            args: call.args.clone(),
            output: call.output.to_owned(),
            failed: call.failed,
            took: call.took,
        });
        while self.calls.len() > MAX_CALLS || (self.chars > MAX_CHARS && self.calls.len() > 1) {
            let dropped = self.calls.pop_front();
            self.chars -= dropped.map_or(0, |call| call.output.len());
        }
    }

    /// The call with this number; the newest without one.
    pub(crate) fn get(&self, number: Option<usize>) -> Option<&CallRecord> {
        match number {
            None => self.calls.back(),
            Some(number) => self.calls.iter().find(|call| call.number == number),
        }
    }

    /// The numbers that can be looked at.
    pub(crate) fn numbers(&self) -> Option<(usize, usize)> {
        Some((self.calls.front()?.number, self.calls.back()?.number))
    }
}

impl CallRecord {
    /// What a pager says of it in its first row.
    pub(crate) fn title(&self) -> String {
        let result = read_result(&self.output);
        let code = result.as_ref().and_then(|result| result.get("exit_code")?.as_i64());
        let code = code.map(|code| format!(" · exit {code}")).unwrap_or_default();
        let failed = if self.failed { " · failed" } else { "" };
        format!("#{} {} · {}{code}{failed}", self.number, self.tool, seconds(self.took))
    }

    /// Everything about it: arguments, output and what else the result says.
    pub(crate) fn rows(&self, redactor: &Redactor, style: &Style) -> Vec<String> {
        let mut rows = Vec::new();
        let heading = |rows: &mut Vec<String>, text: &str| {
            if !rows.is_empty() {
                rows.push(String::new());
            }
            rows.push(style.paint(Ink::BOLD, &cut(&shown(text), style.width)));
        };
        let add = |rows: &mut Vec<String>, text: &str| {
            let text = redactor.redact(text, RedactMode::Full);
            rows.extend(text.lines().flat_map(|line| wrapped(line, style)));
        };
        let result = read_result(&self.output);
        let call = ShownCall { args: &self.args, result: result.as_ref() };
        for (name, value) in call.args.as_object().into_iter().flatten() {
            heading(&mut rows, name);
            add(&mut rows, &plain(value));
        }
        match &result {
            Some(Value::Object(fields)) => {
                for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
                    heading(&mut rows, &format!("→ {name}"));
                    match (name.as_str(), value.as_str()) {
                        ("diff", Some(diff)) => {
                            rows.extend(diff::rows(diff, DiffExtent::Whole, style));
                        }
                        _ => add(&mut rows, &plain(value)),
                    }
                }
            }
            _ => {
                heading(&mut rows, "→");
                add(&mut rows, &self.output);
            }
        }
        rows
    }
}

/// A value as people read it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(_) | Value::Array(_) => {
            serde_json::to_string_pretty(value).unwrap_or_default()
        }
        other => other.to_string(),
    }
}

/// A line in rows, with a mark where it goes on.
fn wrapped(line: &str, style: &Style) -> Vec<String> {
    let line = shown(line);
    let mut rows = Vec::new();
    let mut rest = line.as_str();
    loop {
        let (piece, more) = split_at_columns(rest, style.width - 1);
        if more.is_empty() {
            rows.push(piece.to_owned());
            return rows;
        }
        rows.push(format!("{piece}{}", style.paint(Ink::DIM, "↩")));
        rest = more;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::display::style::Colour;

    fn call<'a>(args: &'a Value, output: &'a str) -> FinishedCall<'a> {
        let took = Duration::from_millis(1_500);
        FinishedCall { tool: "run", args, output, failed: true, took, child: None }
    }

    #[test]
    fn a_call_is_shown_whole() {
        let mut log = CallLog::default();
        let args = json!({"command": "make all"});
        log.add(&call(
            &args,
            r#"{"output": "one\n0123456789012345678901234", "exit_code": 2, "error": null}"#,
        ));
        let record = log.get(None).unwrap();
        assert_eq!(record.title(), "#1 run · 1.5s · exit 2 · failed");
        assert_eq!(
            record.rows(&Redactor::default(), &Style::new(Colour::Off, 20)).join("\n"),
            "command\nmake all\n\n→ output\none\n0123456789012345678↩\n901234\n\n→ exit_code\n2"
        );
    }

    #[test]
    fn old_calls_make_room_and_numbers_stay() {
        let mut log = CallLog::default();
        let args = json!({});
        for _ in 0..MAX_CALLS + 10 {
            log.add(&call(&args, "plain"));
        }
        assert_eq!(log.numbers(), Some((11, MAX_CALLS + 10)));
        assert!(log.get(Some(3)).is_none() && log.get(Some(11)).is_some());
        log.add(&call(&args, &"x".repeat(MAX_CHARS + 1)));
        assert_eq!(log.numbers(), Some((MAX_CALLS + 11, MAX_CALLS + 11)));
    }
}
