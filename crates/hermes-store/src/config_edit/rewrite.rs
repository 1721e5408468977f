//! The plain way: the lines of one top-level key are printed anew.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::yaml::layout::{Layout, Root};
use crate::yaml::render;

/// The text with the lines of `key` replaced by what `meant` says about it; `None` where the
/// text has no such lines to replace.
pub(super) fn block(text: &str, layout: &Layout, key: &str, meant: &Value) -> Option<String> {
    let value = meant.as_object()?.get(key);
    let printed = |indent| match value {
        Some(value) => print(&Map::from_iter([(key.to_string(), value.clone())]), indent, text),
        None => Some(String::new()),
    };
    match &layout.root {
        Root::Empty => Some(appended(text, &printed(0)?)),
        Root::Block(entries) => match entries.iter().find(|entry| entry.key == key) {
            Some(entry) => Some(replaced(text, &entry.lines, &printed(entry.indent)?)),
            None => {
                let indent = entries.first().map_or(0, |entry| entry.indent);
                Some(appended(text, &printed(indent)?))
            }
        },
        Root::Flow(range) => {
            let all = print(meant.as_object()?, 0, text)?;
            Some(replaced(text, range, all.trim_end()))
        }
        Root::Other => None,
    }
}

/// Settings as lines, indented and with the line ends of the file.
fn print(settings: &Map<String, Value>, indent: usize, text: &str) -> Option<String> {
    let margin = " ".repeat(indent);
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let plain = render(&Value::Object(settings.clone())).ok()?;
    Some(plain.lines().map(|line| format!("{margin}{line}{line_end}")).collect())
}

fn replaced(text: &str, range: &Range<usize>, with: &str) -> String {
    let (before, after) = (&text[..range.start], &text[range.end..]);
    // The last line of a file may have no line end; then its replacement has none either.
    let open_end = after.is_empty() && !text.ends_with('\n');
    let with = if open_end { with.trim_end_matches(['\r', '\n']) } else { with };
    format!("{before}{with}{after}")
}

fn appended(text: &str, lines: &str) -> String {
    let gap = match text {
        "" | "\u{feff}" => "",
        text if text.ends_with('\n') => "",
        text if text.contains("\r\n") => "\r\n",
        _ => "\n",
    };
    format!("{text}{gap}{lines}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rewritten(text: &str, key: &str, meant: &Value) -> String {
        block(text, &Layout::of(text).unwrap(), key, meant).unwrap()
    }

    #[test]
    fn replaces_adds_and_removes_whole_keys() {
        let text = "# top\na: 1 # one\n# about b\nb:\n  x: 1 # lost\n# end\n";
        assert_eq!(
            rewritten(text, "b", &json!({"a": 1, "b": {"z": [1]}})),
            "# top\na: 1 # one\n# about b\nb:\n  z:\n    - 1\n# end\n"
        );
        assert_eq!(rewritten(text, "b", &json!({"a": 1})), "# top\na: 1 # one\n# about b\n# end\n");
        assert_eq!(rewritten(text, "c", &json!({"c": 2})), format!("{text}c: 2\n"));
    }

    #[test]
    fn follows_indentation_and_line_ends() {
        let text = "  a: 1\r\n  b: 2";
        assert_eq!(
            rewritten(text, "b", &json!({"b": {"x": "l1\nl2\n"}})),
            "  a: 1\r\n  b:\r\n    x: |\r\n      l1\r\n      l2"
        );
        assert_eq!(rewritten(text, "c", &json!({"c": 1})), "  a: 1\r\n  b: 2\r\n  c: 1\r\n");
    }

    #[test]
    fn starts_files_and_opens_braces() {
        assert_eq!(rewritten("", "a", &json!({"a": 1})), "a: 1\n");
        assert_eq!(rewritten("# only", "a", &json!({"a": 1})), "# only\na: 1\n");
        assert_eq!(
            rewritten("# c\n{a: 1} # d\n", "b", &json!({"a": 1, "b": 2})),
            "# c\na: 1\nb: 2 # d\n"
        );
    }
}
