//! Whether a result means that the call failed.
//!
//! Tools answer in JSON of their own shapes and plugins in anything, so this is a judgement from
//! the text. It steers advice and display, never what the model is told. An `error` that is null or
//! empty says that nothing went wrong, wherever it stands.

use hermes_tool::ToolOutput;
use serde_json::{Map, Value};

/// How far into a text without structure signs of failure are looked for, in characters.
const SCANNED_CHARS: usize = 500;

/// How a call went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// Nothing says that it failed.
    Ok,
    /// It failed.
    Failed(FailureKind),
}

impl CallOutcome {
    /// Whether the call failed.
    #[must_use]
    pub const fn is_failure(self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

/// What sort of failure, for display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A command ended with another exit code than zero (absent when it is not a whole number).
    ExitCode(Option<i64>),
    /// The memory is full.
    MemoryFull,
    /// Anything else.
    Error,
}

/// Judges the output of a tool. Results with images never count as failures.
#[must_use]
pub fn classify_output(tool: &str, output: &ToolOutput) -> CallOutcome {
    match output {
        ToolOutput::Text(text) | ToolOutput::Foreign(Value::String(text)) => {
            classify_failure(tool, text)
        }
        ToolOutput::Multimodal { .. } | ToolOutput::Foreign(_) => CallOutcome::Ok,
    }
}

/// Judges the text of a result.
#[must_use]
pub fn classify_failure(tool: &str, result: &str) -> CallOutcome {
    let object = serde_json::from_str::<Map<String, Value>>(result).ok();
    let verdict = object.as_ref().and_then(|object| judge_object(tool, object));
    if let Some(outcome) = verdict {
        return outcome;
    }
    // The exit code alone decides for commands: their output may say "error" and mean well.
    if tool != "terminal" && (result.starts_with("Error") || mentions_failure(result)) {
        return CallOutcome::Failed(FailureKind::Error);
    }
    CallOutcome::Ok
}

/// What the fields of an object say; `None` when they say nothing clear.
fn judge_object(tool: &str, object: &Map<String, Value>) -> Option<CallOutcome> {
    let error = object.get("error").filter(|error| !is_nothing(error));
    let success = object.get("success").and_then(Value::as_bool);
    match tool {
        "terminal" => {
            let code = object.get("exit_code").filter(|code| !code.is_null())?;
            let failed = code.as_f64() != Some(0.0);
            return failed.then(|| CallOutcome::Failed(FailureKind::ExitCode(code.as_i64())));
        }
        "write_file" if object.contains_key("bytes_written") && error.is_none() => {
            return Some(CallOutcome::Ok);
        }
        "patch" if success == Some(true) => return Some(CallOutcome::Ok),
        "memory" if success == Some(false) && object.contains_key("usage") => {
            return Some(CallOutcome::Failed(FailureKind::MemoryFull));
        }
        _ => {}
    }
    let message = object.get("message").filter(|message| !is_nothing(message));
    let explained = [error, message].into_iter().flatten().any(Value::is_string);
    (explained && (success == Some(false) || error.is_some()))
        .then_some(CallOutcome::Failed(FailureKind::Error))
}

/// Values of `error` that mean there was none.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// Looks for the words `"error"` and `"failed"`, in quotes and any letter case, near the beginning.
/// An `"error"` that is a key with nothing behind it does not count.
fn mentions_failure(text: &str) -> bool {
    let end = text.char_indices().nth(SCANNED_CHARS).map_or(text.len(), |(end, _)| end);
    let head = text[..end].to_ascii_lowercase(); // keeps every byte in its place
    head.contains("\"failed\"")
        || head
            .match_indices("\"error\"")
            .any(|(start, word)| !is_empty_field(&text[start + word.len()..]))
}

/// Whether the text after a key gives it an empty value.
fn is_empty_field(after_key: &str) -> bool {
    const EMPTY_PAIRS: [(char, char); 3] = [('"', '"'), ('[', ']'), ('{', '}')];
    let Some(value) = after_key.trim_start().strip_prefix(':') else {
        return false;
    };
    let value = value.trim_start();
    value.starts_with("null")
        || value.starts_with("false")
        || EMPTY_PAIRS.iter().any(|(open, close)| {
            value.strip_prefix(*open).is_some_and(|inner| inner.trim_start().starts_with(*close))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn failed(tool: &str, result: &Value) -> bool {
        classify_failure(tool, &result.to_string()).is_failure()
    }

    #[test]
    fn null_error_is_not_a_failure() {
        for error in [json!(null), json!(""), json!("  "), json!([]), json!({}), json!(false)] {
            for result in [
                json!({"error": error}),
                json!({"error": error, "message": "done"}),
                json!({"results": [{"error": error}]}),
                json!({"bytes_written": 3, "error": error}),
            ] {
                assert!(!failed("any", &result), "{result}");
                assert!(!failed("write_file", &result), "{result}");
            }
            assert!(failed("any", &json!({"error": error, "results": [{"error": "x"}]})));
        }
        assert!(!classify_failure("any", "{ \"error\" :\n null }").is_failure());
    }

    #[test]
    fn errors_with_text_are_failures() {
        assert!(failed("any", &json!({"error": "no such file"})));
        assert!(failed("any", &json!({"success": false, "message": "no"})));
        assert!(failed("any", &json!({"error": {"code": 7}})), "by the word");
        assert!(failed("any", &json!({"status": "failed"})), "by the word");
        assert!(!failed("any", &json!({"success": true, "message": "fine"})));
        assert!(!failed("any", &json!({"success": false})));
    }

    #[test]
    fn only_the_exit_code_decides_for_commands() {
        let outcome = |result: Value| classify_failure("terminal", &result.to_string());
        assert_eq!(
            outcome(json!({"exit_code": 2, "output": ""})),
            CallOutcome::Failed(FailureKind::ExitCode(Some(2)))
        );
        for fine in [
            json!({"exit_code": 0, "error": "noise"}),
            json!({"exit_code": null, "error": "noise"}),
            json!({"error": "noise"}),
        ] {
            assert_eq!(outcome(fine.clone()), CallOutcome::Ok, "{fine}");
        }
        assert!(outcome(json!({"exit_code": "1"})).is_failure());
    }

    #[test]
    fn files_written_and_patches_applied_are_fine_whatever_else_they_say() {
        assert!(!failed("write_file", &json!({"bytes_written": 3, "lint": {"status": "failed"}})));
        assert!(failed("write_file", &json!({"bytes_written": 0, "error": "disk full"})));
        assert!(!failed("patch", &json!({"success": true, "lint": {"error": "x"}})));
        assert!(failed("patch", &json!({"success": false, "error": "no match"})));
    }

    #[test]
    fn a_full_memory_is_told_apart() {
        let full = json!({"success": false, "error": "too long", "usage": "2190/2200"});
        assert_eq!(
            classify_failure("memory", &full.to_string()),
            CallOutcome::Failed(FailureKind::MemoryFull)
        );
        let other = json!({"success": false, "error": "no entry matches"});
        assert_eq!(
            classify_failure("memory", &other.to_string()),
            CallOutcome::Failed(FailureKind::Error)
        );
    }

    #[test]
    fn plain_text_is_judged_by_its_beginning() {
        assert!(classify_failure("any", "Error executing tool 'x'").is_failure());
        assert!(!classify_failure("any", "error: lower case").is_failure());
        assert!(classify_failure("any", r#"oops "ERROR": 1"#).is_failure());
        let late = format!("{}\"error\": 1", "é".repeat(494));
        assert!(!classify_failure("any", &late).is_failure(), "cut inside the word");
        let early = format!("{}\"error\": 1", "é".repeat(493));
        assert!(classify_failure("any", &early).is_failure());
        assert!(!classify_failure("any", "").is_failure());
    }

    #[test]
    fn results_with_images_are_fine() {
        let output = ToolOutput::Multimodal {
            content: vec![json!({"type": "text", "text": "Error"})],
            text_summary: None,
        };
        assert_eq!(classify_output("any", &output), CallOutcome::Ok);
        assert!(classify_output("any", &ToolOutput::text("Error")).is_failure());
    }
}
