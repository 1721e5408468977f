//! An old result in one line: what was done and what came of it.

use hermes_runtime::repair::arguments::parse_arguments;
use serde_json::{Map, Value};

/// Results up to this length stay as they are; no line is longer.
pub(super) const RESULT_CHARS: usize = 200;
/// What a line shows of the arguments.
const SHOWN_CHARS: usize = 100;
/// What a line shows of an error.
const ERROR_CHARS: usize = 60;

/// The line for a call and its result.
pub(super) fn one_line(tool: &str, arguments: &str, result: &str) -> String {
    let arguments = parse_arguments(arguments).map(|parsed| parsed.object).unwrap_or_default();
    let outcome = serde_json::Deserializer::from_str(result).into_iter::<Value>().next();
    let outcome = outcome.and_then(Result::ok).unwrap_or_default();
    let chars = result.chars().count();
    let text = |key: &str| arguments.get(key).and_then(Value::as_str);
    let line = if let Some(command) = text("command") {
        let lines = outcome["output"].as_str().map_or(0, |output| output.lines().count());
        let exit = &outcome["exit_code"];
        format!("ran {} -> exit {exit}, {lines} lines output", shown(command))
    } else if let (Some(path), true) = (text("path"), outcome.get("content").is_some()) {
        let from = arguments.get("offset").and_then(Value::as_u64).unwrap_or(1);
        format!("read {} from line {from} ({chars} chars)", shown(path))
    } else if let Some(pattern) = text("pattern") {
        let place = text("path").unwrap_or(".");
        format!("searched {} in {} ({chars} chars)", shown(pattern), shown(place))
    } else {
        format!("{} ({chars} chars result)", generic(&arguments))
    };
    let error = match outcome["error"].as_str() {
        Some(error) if !error.is_empty() => format!(" error: {}", clip(error, ERROR_CHARS)),
        _ => String::new(),
    };
    clip(&format!("[{tool}] {line}{error}"), RESULT_CHARS)
}

fn generic(arguments: &Map<String, Value>) -> String {
    shown(&Value::Object(arguments.clone()).to_string())
}

fn shown(text: &str) -> String {
    clip(text, SHOWN_CHARS)
}

/// On one line, and no longer than the limit.
fn clip(text: &str, limit: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(limit) {
        Some(_) => line.chars().take(limit - 1).chain(['…']).collect(),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

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
