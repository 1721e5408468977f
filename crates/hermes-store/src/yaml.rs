//! Reading and printing YAML, the one way this crate does it.
//!
//! Values are `serde_json::Value`s. `yes`/`no`/`on`/`off` are booleans, dates stay text, a key
//! that occurs twice is an error, and hostile input (nesting, alias bombs) runs into the reader's
//! budgets instead of exhausting the machine.

pub(crate) mod layout;

use serde_json::Value;
use serde_saphyr::Error;

/// What is wrong with a text, and where (counted from 1; 0 when the reader cannot tell).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SyntaxProblem {
    pub(crate) line: usize,
    pub(crate) column: usize,
    pub(crate) found: String,
}

/// Parses a text with one document.
pub(crate) fn parse(text: &str) -> Result<Value, SyntaxProblem> {
    let options = serde_saphyr::options! {
        with_snippet: false,
        // Nobody asks the reader for comments, and collecting them fails on files with a long
        // run of comment lines, which is exactly what a documented configuration looks like.
        emit_comments: false,
    };
    serde_saphyr::from_str_with_options(text, options).map_err(|error| problem(&error))
}

/// Prints a value in block style, with a line break at the end.
///
/// Strings that would read back as something else are quoted; texts of several lines become
/// literal blocks; nothing is folded, so that long values stay searchable.
pub(crate) fn render(value: &Value) -> Result<String, serde_saphyr::SerializeError> {
    let options = serde_saphyr::ser_options! {
        compact_list_indent: false,
        folded_wrap_chars: usize::MAX,
    };
    let mut text = serde_saphyr::to_string_with_options(value, options)?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

fn problem(error: &Error) -> SyntaxProblem {
    let (line, column) = error.location().map_or((0, 0), |place| {
        let number = |n: u64| usize::try_from(n).unwrap_or(0);
        (number(place.line()), number(place.column()))
    });
    SyntaxProblem { line, column, found: describe(error, line, column) }
}

/// The reader's message in words for the person who wrote the file: no advice about the API, and
/// no position, which is shown separately.
fn describe(error: &Error, line: usize, column: usize) -> String {
    match error.without_snippet() {
        Error::DuplicateMappingKey { key: Some(key), .. } => {
            format!("the key `{key}` is there twice")
        }
        Error::DuplicateMappingKey { key: None, .. } => "a key is there twice".to_string(),
        Error::MultipleDocuments { .. } => {
            "a second document begins here; the file must hold one".to_string()
        }
        Error::NonFiniteFloat { value, .. } => format!("`{value}` is not a finite number"),
        Error::NullIntoString { .. } => "an empty key".to_string(),
        other => {
            let text = other.to_string();
            let place = format!(" at line {line}, column {column}");
            text.strip_suffix(&place).unwrap_or(&text).to_string()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_scalars_as_people_expect() {
        let value = parse("a: yes\nb: off\nc: 42\nd: 1.5\ne: 2024-01-31\nf: ~\ng: text\n").unwrap();
        assert_eq!(
            value,
            json!({"a": true, "b": false, "c": 42, "d": 1.5, "e": "2024-01-31", "f": null, "g": "text"})
        );
    }

    #[test]
    fn a_long_run_of_comments_is_no_problem() {
        let text = format!("a:\n{}  b: 1\n", "  # explained at length\n".repeat(500));
        assert_eq!(parse(&text).unwrap(), json!({"a": {"b": 1}}));
    }

    #[test]
    fn problems_have_a_place_and_plain_words() {
        let cases = [
            ("a: 1\nb: 2\na: 3\n", (3, 1), "the key `a` is there twice"),
            ("a: b: c\n", (1, 5), "mapping values are not allowed"),
            ("a: 1\n---\nb: 2\n", (2, 1), "a second document"),
            ("a: {b: 1\n", (1, 4), "unclosed"),
            ("a: .inf\n", (1, 4), "not a finite number"),
            ("a: *nowhere\n", (1, 4), "unknown anchor"),
        ];
        for (text, place, words) in cases {
            let problem = parse(text).unwrap_err();
            assert!(problem.found.contains(words), "{text:?}: {problem:?}");
            assert!(!problem.found.contains("line"), "{problem:?}");
            if !text.contains("---") {
                assert_eq!((problem.line, problem.column), place, "{text:?}");
            }
        }
    }

    #[test]
    fn alias_bombs_and_deep_nesting_are_refused() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for n in 1..12 {
            let last = n - 1;
            bomb += &format!("a{n}: &a{n} [{}]\n", vec![format!("*a{last}"); 9].join(", "));
        }
        assert!(parse(&bomb).is_err());
        assert!(parse(&"[".repeat(100_000)).is_err());
        assert!(parse(&"- ".repeat(100_000)).is_err());
    }

    #[test]
    fn what_is_rendered_reads_back() {
        let value = json!({
            "text": "line1\nline2\n", "indented": "  lead\nx", "word": "yes", "number": "007",
            "colon": "a: b", "hash": "a #b", "dash": "- x", "empty": "", "tab": "a\tb",
            "unicode": "é ☃ 😀", "breaks": "a\r\nb\u{85}c\u{2028}d", "long": "word ".repeat(60),
            "list": [1, [2, {"x": []}], {}, null, true, 1.0, -1e300, u64::MAX, i64::MIN],
            "k: #": 1, "": 2, "on": 3, "~": 4, "12": 5,
        });
        let text = render(&value).unwrap();
        assert_eq!(parse(&text).unwrap(), value, "{text}");
        assert!(text.contains("text: |\n  line1\n  line2\n"), "{text}");
    }
}
