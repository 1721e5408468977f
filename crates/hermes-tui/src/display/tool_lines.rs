//! The line that tells of a tool call.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use hermes_guard::redact::{RedactMode, Redactor};
use hermes_protocol::text::seconds;
use hermes_tool::{
    CallDisplay, CallJudgement, CountedAs, CutAt, FailureKind, FailureRule, ResultView, ShownCall,
    ToolPolicy,
};
use serde_json::Value;

use super::call_rows::{read_result, written};
use super::fit::{columns, cut, cut_left, on_one_line, padded, shown};
use super::style::{Ink, Style};
use super::syntax::Highlighter;

/// Columns that verbs are padded to.
const VERB_COLUMNS: usize = 9;
/// Longest piece of an error in a line.
const MAX_ERROR: usize = 48;
/// A detail keeps at least this much room, whatever else is in the line.
const MIN_DETAIL: usize = 12;

/// How much of a call's arguments a line shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArgumentPreview {
    /// As much as fits into the row.
    #[default]
    Row,
    /// At most this many columns.
    Columns(usize),
    /// All.
    Unlimited,
}

/// How calls of one tool are shown, as it declares.
#[derive(Clone, Debug)]
pub struct ToolLook {
    emoji: String,
    display: CallDisplay,
    failure: FailureRule,
}

impl ToolLook {
    /// For tools without an emoji of their own.
    pub(crate) const ANY_TOOL: &str = hermes_tool::DEFAULT_EMOJI;

    /// Takes what matters here from a tool's declarations.
    #[must_use]
    pub fn new(emoji: &str, policy: &ToolPolicy) -> Self {
        Self { emoji: emoji.to_owned(), display: policy.display, failure: policy.failure }
    }

    fn is_full(&self, result: &Value) -> bool {
        let FailureRule::Custom(judge) = self.failure else { return false };
        let outcome = result.as_object().and_then(judge);
        outcome == Some(CallJudgement::Failed(FailureKind::Full))
    }
}

impl Default for ToolLook {
    fn default() -> Self {
        Self::new(Self::ANY_TOOL, &ToolPolicy::DEFAULT)
    }
}

/// Draws lines about tool calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolLines {
    /// How each tool wants its calls shown, by its name.
    pub(crate) looks: HashMap<String, ToolLook>,
    pub(crate) preview: ArgumentPreview,
    pub(crate) redactor: Redactor,
}

/// A call that has ended.
#[derive(Clone, Copy)]
pub(crate) struct FinishedCall<'a> {
    pub(crate) tool: &'a str,
    pub(crate) args: &'a Value,
    pub(crate) output: &'a str,
    pub(crate) failed: bool,
    pub(crate) took: Duration,
    /// Which subagent made it, from zero, if one did.
    pub(crate) child: Option<usize>,
}

/// What stands in front of everything a subagent does.
pub(crate) fn child_mark(task: usize) -> String {
    format!("  [{}] ", task + 1)
}

impl ToolLines {
    /// The line of a call that has ended: `┊ 💻 $         ls -l  0.3s [exit 1]`.
    pub(crate) fn finished(&self, call: FinishedCall<'_>, style: &Style) -> String {
        let result = read_result(call.output);
        let took = seconds(call.took);
        let look = self.look(call.tool);
        let told = ShownCall { args: call.args, result: result.as_ref() };
        let (emoji, verb) = (&look.emoji, on_one_line(look.display.verb_of(call.tool, &told)));
        let child = call.child.map(child_mark).unwrap_or_default();
        let lead = format!("┊ {child}{emoji} {}", padded(&verb, VERB_COLUMNS));
        let room = style.width.saturating_sub(columns(&lead) + took.len() + 4);
        let failure = failure(&look, call.failed, result.as_ref()).unwrap_or_default();
        let failure = match failure.len() {
            0 => failure,
            _ => format!("[{}]", cut(&failure, room.saturating_sub(MIN_DETAIL + 2))),
        };
        let added = written(&told, look.display.result_view()).filter(|_| !call.failed);
        let added = added.map(|added| format!(" ({added})")).unwrap_or_default();
        let room = room.saturating_sub(columns(&failure) + columns(&added));
        let detail = self.detail(look.display, &told, room);
        let detail = match look.display.result_view() {
            ResultView::Output => highlighted(&detail, style),
            _ => detail,
        };
        let gap = if detail.is_empty() && added.is_empty() { "" } else { "  " };
        // What was done stands out; what it printed, below, does not.
        format!(
            "{}{detail}{}{}",
            style.paint(Ink::DIM, &format!("{lead} ")),
            style.paint(Ink::DIM, &format!("{added}{gap}{took}")),
            match failure.as_str() {
                "" => String::new(),
                failure => format!(" {}", style.paint(Ink::RED, failure)),
            }
        )
    }

    /// A call that runs, for the line of the moment: `💻 ls -l`.
    pub(crate) fn running(&self, tool: &str, args: &Value, width: usize) -> String {
        let look = self.look(tool);
        let call = ShownCall { args, result: None };
        let detail = self.detail(look.display, &call, width.saturating_sub(3));
        let what = if detail.is_empty() { tool.to_owned() } else { detail };
        format!("{} {what}", look.emoji)
    }

    /// What a call looked at and is counted as, if it may be told together with others.
    pub(crate) fn look_of(&self, call: &FinishedCall<'_>) -> Option<(CountedAs, String)> {
        let counted_as = self.look(call.tool).display.counts_as()?;
        let told = ShownCall { args: call.args, result: None };
        let is_quiet = !call.failed && call.child.is_none();
        let room = usize::MAX;
        is_quiet.then(|| (counted_as, self.detail(self.look(call.tool).display, &told, room)))
    }

    /// What the tool wants shown of a result below its line.
    pub(crate) fn result_view(&self, tool: &str) -> ResultView {
        self.look(tool).display.result_view()
    }

    fn look(&self, tool: &str) -> Cow<'_, ToolLook> {
        match self.looks.get(tool) {
            Some(look) => Cow::Borrowed(look),
            None => Cow::Owned(ToolLook::default()),
        }
    }

    fn detail(&self, display: CallDisplay, call: &ShownCall<'_>, room: usize) -> String {
        let detail = shown(&display.detail_of(call)).replace(['\n', '\r'], " ");
        let detail = self.redactor.redact(&detail, RedactMode::Full);
        let most = match self.preview {
            ArgumentPreview::Row => room.max(MIN_DETAIL),
            ArgumentPreview::Columns(columns) => columns,
            ArgumentPreview::Unlimited => return detail.into_owned(),
        };
        match display.cuts_at() {
            CutAt::End => cut(&detail, most),
            CutAt::Start => cut_left(&detail, most),
        }
    }
}

/// A command line in the colours of code.
fn highlighted(command: &str, style: &Style) -> String {
    let spans = Highlighter::new("sh").line(command);
    spans.iter().map(|span| style.paint(span.ink, &span.text)).collect()
}

/// What went wrong, in a few words.
fn failure(look: &ToolLook, failed: bool, result: Option<&Value>) -> Option<String> {
    let exit = result.and_then(|result| result.get("exit_code")).and_then(Value::as_i64);
    let error = result.and_then(|result| result.get("error")).and_then(Value::as_str);
    let error = error.map(on_one_line).filter(|error| !error.is_empty());
    // The words are for the model; the person has just said no, or sees the rule in the message.
    let is_blocked = error.as_deref().is_some_and(|error| error.starts_with("BLOCKED"));
    match (exit, error) {
        _ if is_blocked => Some("blocked".to_owned()),
        (Some(code), _) if code > 0 => Some(format!("exit {code}")),
        _ if !failed => None,
        _ if result.is_some_and(|result| look.is_full(result)) => Some("full".to_owned()),
        (_, Some(error)) => Some(cut(&error, MAX_ERROR)),
        _ => Some("failed".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::display::style::Colour;

    fn activity() -> ToolLines {
        crate::test_looks::tool_lines(&[
            ("terminal", "💻"),
            ("read_file", "📖"),
            ("todo", "📋"),
            ("memory", "🧠"),
        ])
    }

    fn line(tool: &str, args: &Value, output: &str, failed: bool) -> String {
        wide(tool, args, output, failed, 80)
    }

    fn wide(tool: &str, args: &Value, output: &str, failed: bool, width: usize) -> String {
        let took = Duration::from_millis(312);
        let call = FinishedCall { tool, args, output, failed, took, child: None };
        activity().finished(call, &Style::new(Colour::Off, width))
    }

    #[test]
    fn each_kind_of_call_has_its_line() {
        let long = "日本語の長いコマンド ".repeat(8);
        let calls = [
            ("terminal", json!({"command": "ls -l\n  | wc"}), r#"{"exit_code": 0}"#, false),
            ("terminal", json!({"command": "false"}), r#"{"exit_code": 1}"#, true),
            ("terminal", json!({"command": long}), "{}", false),
            ("process", json!({"action": "poll", "session_id": "p1"}), "{}", false),
            ("read_file", json!({"path": "src/main.rs", "offset": 10, "limit": 5}), "", false),
            ("read_file", json!({"path": "no"}), r#"{"error": "no such file: no"}"#, true),
            ("write_file", json!({"path": format!("{}end.rs", "deep/".repeat(20))}), "", false),
            (
                "patch",
                json!({"mode": "patch", "patch": "*** Update File: a.rs\n*** Add File: b"}),
                "",
                false,
            ),
            (
                "search_files",
                json!({"pattern": "fn", "target": "content", "path": "src"}),
                "",
                false,
            ),
            ("search_files", json!({"pattern": "*.rs", "target": "files"}), "", false),
            ("web_extract", json!({"urls": ["https://a.org/x", "b"]}), "", false),
            ("todo", json!({"todos": [{}, {}]}), "", false),
            ("todo", json!({}), r#"{"summary": {"total": 4, "completed": 1}}"#, false),
            ("memory", json!({"action": "add", "content": "likes tea"}), "{}", false),
            (
                "memory",
                json!({"action": "remove", "old_text": "tea", "target": "user"}),
                r#"{"success": false, "error": "over the limit", "over_limit_by": 9}"#,
                true,
            ),
            (
                "delegate_task",
                json!({"tasks": [{"goal": "a"}, {"goal": "b"}, {"goal": null}]}),
                "",
                false,
            ),
            ("execute_code", json!({"code": "\nprint(1)\nprint(2)"}), "", false),
            ("my_tool", json!({"name": "x"}), "plain text", true),
        ];
        let lines = |width: usize| {
            let line = |(tool, args, output, failed): &(&str, Value, &str, bool)| {
                wide(tool, args, output, *failed, width)
            };
            calls.iter().map(line).collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!("calls_at_80_columns", lines(80));
        insta::assert_snapshot!("calls_at_200_columns", lines(200));
    }

    #[test]
    fn a_row_is_never_wider_than_the_terminal() {
        let command = json!({"command": "日".repeat(200)});
        let error = format!(r#"{{"error": "{}"}}"#, "bad ".repeat(40));
        assert!(columns(&line("terminal", &command, &error, true)) <= 80);
    }

    #[test]
    fn secrets_in_a_command_are_not_shown() {
        let command = json!({"command": "curl -H 'Authorization: Bearer sk-abcdefghijklmnopqrstuvwxyz012345' x"});
        let line = line("terminal", &command, "", false);
        assert!(!line.contains("abcdefghijklmnop"), "{line}");
    }

    #[test]
    fn the_length_of_previews_can_be_chosen() {
        let args = json!({"command": "x".repeat(100)});
        let with = |preview| ToolLines { preview, ..activity() }.running("terminal", &args, 40);
        assert_eq!(columns(&with(ArgumentPreview::Row)), 40);
        assert_eq!(columns(&with(ArgumentPreview::Columns(10))), 13);
        assert_eq!(columns(&with(ArgumentPreview::Unlimited)), 103);
    }
}
