//! An old result in one line: what was done and what came of it.

use hermes_runtime::repair::arguments::parse_arguments;
use hermes_tool::{PastCall, Summary, clipped_line};
use serde_json::Value;

/// Results up to this length stay as they are; no line is longer.
pub(super) const RESULT_CHARS: usize = 200;
/// What a line shows of an error.
const ERROR_CHARS: usize = 60;

/// The line for a call and its result: what the tool declares, or else the arguments.
pub(super) fn one_line(
    tool: &str,
    summary: Option<Summary>,
    arguments: &str,
    result: &str,
) -> String {
    let args = parse_arguments(arguments).map(|parsed| parsed.object).unwrap_or_default();
    let outcome = serde_json::Deserializer::from_str(result).into_iter::<Value>().next();
    let outcome = outcome.and_then(Result::ok).unwrap_or_default();
    let call = PastCall { args: &args, result: &outcome, chars: result.chars().count() };
    let line = summary
        .and_then(|tell| tell(&call))
        .unwrap_or_else(|| format!("{} ({} chars result)", call.arguments(), call.chars));
    let error = match outcome["error"].as_str() {
        Some(error) if !error.is_empty() => {
            format!(" error: {}", clipped_line(error, ERROR_CHARS))
        }
        _ => String::new(),
    };
    clipped_line(&format!("[{tool}] {line}{error}"), RESULT_CHARS)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn one_line(tool: &str, arguments: &str, result: &str) -> String {
        let tools = hermes_tool::linked_tools();
        let declared = tools.iter().find(|(_, known)| &**known.name() == tool);
        let summary = declared.and_then(|(_, tool)| tool.policy().summary);
        super::one_line(tool, summary, arguments, result)
    }

    #[test]
    fn common_tools_say_what_they_did() {
        let result = json!({"output": "a\nb\nc", "exit_code": 2}).to_string();
        assert_eq!(
            one_line("terminal", r#"{"command":"cargo\ntest"}"#, &result),
            "[terminal] ran cargo test -> exit 2, 3 lines output"
        );
        let result = json!({"content": "1|x"}).to_string();
        assert_eq!(
            one_line("read_file", r#"{"path":"a.rs","offset":7}"#, &result),
            "[read_file] read a.rs from line 7 (17 chars)"
        );
        assert_eq!(
            one_line("search_files", r#"{"pattern":"x"}"#, "text"),
            "[search_files] searched x in . (4 chars)"
        );
    }

    #[test]
    fn other_tools_and_broken_arguments_get_a_line_too() {
        assert_eq!(one_line("web", r#"{"u":1}"#, "page"), "[web] {\"u\":1} (4 chars result)");
        assert_eq!(one_line("web", "{\"u", "page"), "[web] {} (4 chars result)");
        let failed = json!({"error": "no such\nfile"}).to_string();
        assert!(one_line("patch", "{}", &failed).ends_with(" error: no such file"));
        let long = json!({"a": "é".repeat(9_000)}).to_string();
        assert!(one_line("x", &long, &long).chars().count() <= RESULT_CHARS);
    }
}
