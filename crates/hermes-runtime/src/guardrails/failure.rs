//! Whether a result means that the call failed.
//!
//! Tools answer in JSON of their own shapes and plugins in anything, so this is a judgement from
//! the text. It steers advice and display, never what the model is told. An `error` that is null or
//! empty says that nothing went wrong, wherever it stands.

use hermes_tool::{CallJudgement, FailureKind, FailureRule, ToolOutput};
use serde_json::{Map, Value};

/// How far into a text without structure signs of failure are looked for, in characters.
const SCANNED_CHARS: usize = 500;

/// Judges the output of a tool. Results with images never count as failures.
#[must_use]
pub fn classify_output(rule: FailureRule, output: &ToolOutput) -> CallJudgement {
    match output {
        ToolOutput::Text(text) | ToolOutput::Foreign(Value::String(text)) => {
            classify_failure(rule, text)
        }
        ToolOutput::Multimodal { .. } | ToolOutput::Foreign(_) => CallJudgement::Ok,
    }
}

/// Judges the text of a result by the rule its tool declares.
#[must_use]
pub fn classify_failure(rule: FailureRule, result: &str) -> CallJudgement {
    let object = serde_json::from_str::<Map<String, Value>>(result).ok();
    let verdict = object.as_ref().and_then(|object| judge_object(rule, object));
    if let Some(outcome) = verdict {
        return outcome;
    }
    if matches!(rule, FailureRule::ExitCode) {
        return CallJudgement::Ok;
    }
    if result.starts_with("Error") || mentions_failure(result) {
        return CallJudgement::Failed(FailureKind::Error);
    }
    CallJudgement::Ok
}

/// What the fields of an object say; `None` when they say nothing clear.
fn judge_object(rule: FailureRule, object: &Map<String, Value>) -> Option<CallJudgement> {
    match rule {
        FailureRule::General => {}
        FailureRule::ExitCode => {
            let code = object.get("exit_code").filter(|code| !code.is_null())?;
            let failed = code.as_f64() != Some(0.0);
            return failed.then(|| CallJudgement::Failed(FailureKind::ExitCode(code.as_i64())));
        }
        FailureRule::Custom(judge) => {
            if let Some(outcome) = judge(object) {
                return Some(outcome);
            }
        }
    }
    let error = object.get("error").filter(|error| !is_nothing(error));
    let success = object.get("success").and_then(Value::as_bool);
    let message = object.get("message").filter(|message| !is_nothing(message));
    let explained = [error, message].into_iter().flatten().any(Value::is_string);
    (explained && (success == Some(false) || error.is_some()))
        .then_some(CallJudgement::Failed(FailureKind::Error))
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

    fn failed(result: &Value) -> bool {
        classify_failure(FailureRule::General, &result.to_string()).is_failure()
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
                assert!(!failed(&result), "{result}");
            }
            assert!(failed(&json!({"error": error, "results": [{"error": "x"}]})));
        }
        assert!(!classify_failure(FailureRule::General, "{ \"error\" :\n null }").is_failure());
    }

    #[test]
    fn errors_with_text_are_failures() {
        assert!(failed(&json!({"error": "no such file"})));
        assert!(failed(&json!({"success": false, "message": "no"})));
        assert!(failed(&json!({"error": {"code": 7}})), "by the word");
        assert!(failed(&json!({"status": "failed"})), "by the word");
        assert!(!failed(&json!({"success": true, "message": "fine"})));
        assert!(!failed(&json!({"success": false})));
    }

    #[test]
    fn only_the_exit_code_decides_for_commands() {
        let outcome = |result: Value| classify_failure(FailureRule::ExitCode, &result.to_string());
        assert_eq!(
            outcome(json!({"exit_code": 2, "output": ""})),
            CallJudgement::Failed(FailureKind::ExitCode(Some(2)))
        );
        for fine in [
            json!({"exit_code": 0, "error": "noise"}),
            json!({"exit_code": null, "error": "noise"}),
            json!({"error": "noise"}),
        ] {
            assert_eq!(outcome(fine.clone()), CallJudgement::Ok, "{fine}");
        }
        assert!(outcome(json!({"exit_code": "1"})).is_failure());
    }

    #[test]
    fn a_tool_may_judge_for_itself_and_leave_the_rest_to_the_rule() {
        let rule = FailureRule::Custom(|fields| {
            fields.contains_key("bytes_written").then_some(CallJudgement::Ok)
        });
        let failed = |result: Value| classify_failure(rule, &result.to_string()).is_failure();
        assert!(!failed(json!({"bytes_written": 3, "lint": {"status": "failed"}})));
        assert!(failed(json!({"error": "disk full"})));
    }

    #[test]
    fn plain_text_is_judged_by_its_beginning() {
        assert!(classify_failure(FailureRule::General, "Error executing tool 'x'").is_failure());
        assert!(!classify_failure(FailureRule::General, "error: lower case").is_failure());
        assert!(classify_failure(FailureRule::General, r#"oops "ERROR": 1"#).is_failure());
        let late = format!("{}\"error\": 1", "é".repeat(494));
        assert!(!classify_failure(FailureRule::General, &late).is_failure(), "cut inside the word");
        let early = format!("{}\"error\": 1", "é".repeat(493));
        assert!(classify_failure(FailureRule::General, &early).is_failure());
        assert!(!classify_failure(FailureRule::General, "").is_failure());
    }

    #[test]
    fn results_with_images_are_fine() {
        let output = ToolOutput::Multimodal {
            content: vec![json!({"type": "text", "text": "Error"})],
            text_summary: None,
        };
        assert_eq!(classify_output(FailureRule::General, &output), CallJudgement::Ok);
        assert!(classify_output(FailureRule::General, &ToolOutput::text("Error")).is_failure());
    }
}
