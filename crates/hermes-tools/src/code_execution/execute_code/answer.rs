//! What came of a script, as the model is answer.

use std::time::Duration;

use hermes_approval::ApprovalRefusal;
use hermes_exec::code::{CutOutput, ScriptEnd, ScriptRan};
use hermes_guard::ansi;
use hermes_tool::{ToolOutput, ToolResult};
use serde_json::{Map, Value, json};

use crate::terminal::context::TerminalContext;

/// The code where none was to be learnt.
const UNKNOWN: i32 = -1;

/// The result of a script that ran.
pub(super) fn ran(
    terminal: &TerminalContext,
    ran: &ScriptRan,
    calls: u64,
    limit: Duration,
) -> ToolResult {
    let read = |cut: &CutOutput, name| terminal.redacted_code(&ansi::strip(&cut.text(name)));
    let (stdout, stderr) = (read(&ran.stdout, "stdout"), read(&ran.stderr, "stderr"));
    let answer = ScriptAnswer::of(ran.end, stdout, &stderr, limit);
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| {
        fields.insert(name.to_owned(), value);
    };
    put("status", answer.status.into());
    put("output", answer.output.into());
    put("exit_code", answer.code.into());
    put("tool_calls_made", calls.into());
    put("duration_seconds", rounded(ran.duration).into());
    put("stdout_truncated", ran.stdout.is_cut().into());
    put("stdout_bytes_captured", ran.stdout.captured.into());
    put("stdout_bytes_total", ran.stdout.total.into());
    put("stdout_bytes_omitted", ran.stdout.omitted().into());
    if ran.stdout.is_cut() {
        let warning = format!(
            "{} of {} bytes of output are missing in the middle; print less, or write it to a file",
            ran.stdout.omitted(),
            ran.stdout.total
        );
        put("warning", warning.into());
    }
    if answer.status == "success" && !stderr.trim().is_empty() {
        put("stderr", stderr.into());
    }
    if let Some(error) = answer.error {
        put("error", error.into());
    }
    ToolOutput::json(&Value::Object(fields))
}

/// What depends on how it ended.
struct ScriptAnswer {
    status: &'static str,
    output: String,
    code: i32,
    error: Option<String>,
}

impl ScriptAnswer {
    fn of(end: ScriptEnd, stdout: String, stderr: &str, limit: Duration) -> Self {
        match end {
            ScriptEnd::Finished(Some(0)) => {
                Self { status: "success", output: stdout, code: 0, error: None }
            }
            ScriptEnd::Finished(code) => {
                let code = code.unwrap_or(UNKNOWN);
                let error = match stderr.trim_end() {
                    "" if code < 0 => format!("Script was ended by signal {}", -code),
                    "" => format!("Script exited with code {code}"),
                    stderr => stderr.to_owned(),
                };
                let output = with_stderr(stdout, stderr);
                Self { status: "error", output, code, error: Some(error) }
            }
            ScriptEnd::TimedOut(code) => {
                let error =
                    format!("Script timed out after {} seconds and was killed", limit.as_secs());
                let output = behind(&with_stderr(stdout, stderr), &error);
                let code = code.unwrap_or(UNKNOWN);
                Self { status: "timeout", output, code, error: Some(error) }
            }
            ScriptEnd::Interrupted(code) => {
                let note = "[Script interrupted: the user sent a new message or pressed Ctrl-C]";
                let output = behind(&with_stderr(stdout, stderr), note);
                Self { status: "interrupted", output, code: code.unwrap_or(UNKNOWN), error: None }
            }
        }
    }
}

fn with_stderr(stdout: String, stderr: &str) -> String {
    match stderr {
        "" => stdout,
        stderr => behind(&stdout, &format!("--- stderr ---\n{stderr}")),
    }
}

/// A note on a line of its own.
fn behind(text: &str, note: &str) -> String {
    match text {
        "" => note.to_owned(),
        text if text.ends_with('\n') => format!("{text}{note}"),
        text => format!("{text}\n{note}"),
    }
}

fn rounded(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 100.0).round() / 100.0
}

/// The result of a script that could not be started.
pub(super) fn not_run(why: &str) -> ToolResult {
    ToolOutput::json(&json!({
        "status": "error", "error": why, "tool_calls_made": 0, "duration_seconds": 0
    }))
}

/// The result of a script that may not run.
pub(super) fn refused(refusal: &ApprovalRefusal) -> ToolResult {
    let mut fields = refusal.to_result();
    fields.shift_remove("output");
    fields.shift_remove("exit_code");
    fields.insert("status".to_owned(), "error".into());
    fields.insert("error".to_owned(), refusal.message().into());
    fields.insert("tool_calls_made".to_owned(), 0.into());
    fields.insert("duration_seconds".to_owned(), 0.into());
    ToolOutput::json(&Value::Object(fields))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(end: ScriptEnd, stdout: &str, stderr: &str) -> ScriptAnswer {
        ScriptAnswer::of(end, stdout.to_owned(), stderr, Duration::from_secs(7))
    }

    #[test]
    fn a_failure_is_told_by_its_error_output_or_its_code() {
        let failed = answer(ScriptEnd::Finished(Some(3)), "out\n", "Traceback\nKeyError: 1\n");
        assert_eq!(failed.error.as_deref(), Some("Traceback\nKeyError: 1"));
        assert_eq!(failed.output, "out\n--- stderr ---\nTraceback\nKeyError: 1\n");
        let silent = answer(ScriptEnd::Finished(Some(3)), "", "");
        assert_eq!(silent.error.as_deref(), Some("Script exited with code 3"));
        let killed = answer(ScriptEnd::Finished(Some(-9)), "", "");
        assert_eq!(
            (killed.code, killed.error.as_deref()),
            (-9, Some("Script was ended by signal 9"))
        );
    }

    #[test]
    fn a_limit_is_named_in_the_error_and_at_the_end_of_the_output() {
        let late = answer(ScriptEnd::TimedOut(Some(-15)), "so far", "");
        let error = late.error.unwrap();
        assert!(error.contains("7 seconds"), "{error}");
        assert_eq!((late.code, late.status), (-15, "timeout"));
        assert_eq!(late.output, format!("so far\n{error}"));
        assert_eq!(answer(ScriptEnd::TimedOut(None), "", "").code, -1);
    }

    #[test]
    fn an_interrupted_script_says_so_in_brackets() {
        let stopped = answer(ScriptEnd::Interrupted(Some(-15)), "so far\n", "");
        assert!(stopped.output.starts_with("so far\n[Script interrupted"), "{}", stopped.output);
        assert!(stopped.output.ends_with(']') && stopped.error.is_none());
    }
}
