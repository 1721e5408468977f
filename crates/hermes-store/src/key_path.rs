//! The way to one setting: `terminal.backend`, `hooks.pre_tool_call.0.command`.
//!
//! A path is a row of segments joined by dots. In a list a segment is a position counted from 0;
//! everywhere else it is a key. A key that itself contains a dot, a quote or nothing at all is
//! written in double quotes: `mcp_servers."files.local".command`; inside quotes `\"` and `\\`
//! stand for a quote and a backslash. A quoted segment means the same as a plain one otherwise.

use std::fmt;

use serde_json::Value;

/// Deepest path accepted; the YAML reader gives up at about the same depth.
pub const MAX_SEGMENTS: usize = 48;

/// The way to one setting; never empty.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyPath {
    segments: Vec<String>,
}

/// Why some text is not a path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not the name of a setting: {problem}")]
pub struct KeyPathError {
    /// The text as given.
    pub text: String,
    /// What is wrong with it.
    pub problem: &'static str,
}

impl KeyPath {
    /// Reads a dotted path.
    pub fn parse(text: &str) -> Result<KeyPath, KeyPathError> {
        let fail = |problem| Err(KeyPathError { text: text.to_string(), problem });
        let mut segments = Vec::new();
        let mut rest = text;
        loop {
            let (segment, after) = match rest.strip_prefix('"') {
                Some(quoted) => match read_quoted(quoted) {
                    Some(read) => read,
                    None => return fail("a quoted part does not end"),
                },
                None => {
                    let end = rest.find('.').unwrap_or(rest.len());
                    let (plain, after) = rest.split_at(end);
                    if plain.is_empty() {
                        return fail("a part between dots is empty");
                    }
                    if plain.contains('"') {
                        return fail("a quote must enclose a whole part, as in a.\"b.c\"");
                    }
                    (plain.to_string(), after)
                }
            };
            segments.push(segment);
            if segments.len() > MAX_SEGMENTS {
                return fail("it has too many parts");
            }
            rest = match after.strip_prefix('.') {
                Some(rest) => rest,
                None if after.is_empty() => return Ok(KeyPath { segments }),
                None => return fail("after a quoted part comes a dot or the end"),
            };
        }
    }

    /// The path with these segments; `None` when there are none or too many.
    pub fn from_segments<S: Into<String>>(
        segments: impl IntoIterator<Item = S>,
    ) -> Option<KeyPath> {
        let segments: Vec<String> = segments.into_iter().map(Into::into).collect();
        (1..=MAX_SEGMENTS).contains(&segments.len()).then_some(KeyPath { segments })
    }

    /// The segments, at least one.
    pub fn segments(&self) -> &[String] {
        &self.segments
    }

    /// The first segment: a key at the top level of the file.
    pub fn top(&self) -> &str {
        self.segments.first().map_or("", String::as_str)
    }

    /// The value this path leads to, if it leads anywhere.
    pub fn find<'v>(&self, root: &'v Value) -> Option<&'v Value> {
        self.segments.iter().try_fold(root, |value, segment| step(value, segment))
    }
}

/// One step down from `value`.
pub(crate) fn step<'v>(value: &'v Value, segment: &str) -> Option<&'v Value> {
    match value {
        Value::Object(map) => map.get(segment),
        Value::Array(list) => list.get(list_index(segment)?),
        _ => None,
    }
}

/// A segment as a list position: digits only, so that `+1` or `01` are not positions.
pub(crate) fn list_index(segment: &str) -> Option<usize> {
    let index: usize = segment.parse().ok()?;
    (index.to_string() == segment).then_some(index)
}

/// Reads up to the closing quote; gives the text and what follows the quote.
fn read_quoted(text: &str) -> Option<(String, &str)> {
    let mut segment = String::new();
    let mut chars = text.chars();
    loop {
        match chars.next()? {
            '"' => return Some((segment, chars.as_str())),
            '\\' => segment.push(chars.next()?),
            other => segment.push(other),
        }
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, segment) in self.segments.iter().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            if segment.is_empty() || segment.contains(['.', '"']) {
                write!(f, "\"{}\"", segment.replace('\\', "\\\\").replace('"', "\\\""))?;
            } else {
                f.write_str(segment)?;
            }
        }
        Ok(())
    }
}

impl std::str::FromStr for KeyPath {
    type Err = KeyPathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        KeyPath::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn segments(text: &str) -> Vec<String> {
        KeyPath::parse(text).unwrap().segments
    }

    #[test]
    fn dots_separate_and_quotes_protect() {
        assert_eq!(segments("a.b.c"), ["a", "b", "c"]);
        assert_eq!(segments(r#"a."b.c".0"#), ["a", "b.c", "0"]);
        assert_eq!(segments(r#""say \"hi\" \\ now""#), [r#"say "hi" \ now"#]);
        assert_eq!(segments(r#"a."""#), ["a", ""]);
        assert_eq!(segments("schlüssel.with space"), ["schlüssel", "with space"]);
    }

    #[test]
    fn malformed_paths_are_refused() {
        for bad in ["", ".", "a.", ".a", "a..b", r#""a"#, r#"a"b"#, r#""a"b"#, r#"a.""b"#] {
            let error = KeyPath::parse(bad).unwrap_err();
            assert!(error.to_string().contains("not the name of a setting"), "{error}");
        }
        assert!(KeyPath::parse(&"a.".repeat(MAX_SEGMENTS)).is_err());
        assert!(KeyPath::parse(&vec!["a"; MAX_SEGMENTS + 1].join(".")).is_err());
        assert!(KeyPath::from_segments(Vec::<String>::new()).is_none());
    }

    #[test]
    fn finds_keys_and_list_positions() {
        let root = json!({"a": [{"b.c": 1}, 2], "m": {"0": "zero"}});
        let find = |text| KeyPath::parse(text).unwrap().find(&root).cloned();
        assert_eq!(find(r#"a.0."b.c""#), Some(json!(1)));
        assert_eq!(find("a.1"), Some(json!(2)));
        assert_eq!(find("m.0"), Some(json!("zero")));
        for nothing in ["a.2", "a.01", "a.+1", "a.-1", "a.x", "a.1.x", "b"] {
            assert_eq!(find(nothing), None, "{nothing}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(segments in prop::collection::vec(".{0,6}", 1..6)) {
            let path = KeyPath::from_segments(segments).unwrap();
            prop_assert_eq!(KeyPath::parse(&path.to_string()), Ok(path));
        }

        #[test]
        fn parsing_never_panics(text in "\\PC*") {
            let _ = KeyPath::parse(&text);
        }
    }
}
