//! What can be wrong with a configuration file, told so that it can be repaired.

use std::fmt;
use std::path::{Path, PathBuf};
use std::string::FromUtf8Error;

use serde_json::Value;

use crate::atomic::AtomicError;
use crate::dotenv::is_secret_name;
use crate::yaml::SyntaxProblem;

/// Widest part of a line shown in an [`Excerpt`], in characters.
pub const MAX_EXCERPT_CHARS: usize = 100;

/// Why a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file could not be read.
    #[error(transparent)]
    Read(#[from] AtomicError),
    /// The file is not valid YAML, or holds a key twice.
    #[error("{}:{line}:{column}: {found}{excerpt}", .file.display())]
    Syntax {
        /// The file.
        file: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// Column in characters, counted from 1.
        column: usize,
        /// What the reader stumbled over.
        found: String,
        /// The line itself.
        excerpt: Excerpt,
    },
    /// The file is valid YAML, but not `key: value` lines.
    #[error(
        "{}: the file must consist of `key: value` settings, but it is {found}", .file.display()
    )]
    NotAMapping {
        /// The file.
        file: PathBuf,
        /// What it is instead: "a list", "a text".
        found: &'static str,
    },
}

impl ConfigError {
    /// Where the problem is, when a line is to blame.
    pub fn line(&self) -> Option<usize> {
        match self {
            ConfigError::Syntax { line, .. } => Some(*line),
            ConfigError::Read(_) | ConfigError::NotAMapping { .. } => None,
        }
    }

    /// The same error, about this file.
    pub(crate) fn in_file(mut self, place: &Path) -> ConfigError {
        match &mut self {
            ConfigError::Read(_) => {}
            ConfigError::Syntax { file, .. } | ConfigError::NotAMapping { file, .. } => {
                *file = place.to_path_buf();
            }
        }
        self
    }

    pub(crate) fn syntax(text: &str, file: &Path, problem: SyntaxProblem) -> ConfigError {
        let SyntaxProblem { line, column, found } = problem;
        let excerpt = Excerpt::of(text, line, column);
        ConfigError::Syntax { file: file.to_path_buf(), line, column, found, excerpt }
    }

    pub(crate) fn not_a_mapping(file: &Path, value: &Value) -> ConfigError {
        ConfigError::NotAMapping { file: file.to_path_buf(), found: kind_of(value) }
    }

    pub(crate) fn not_utf8(file: &Path, error: &FromUtf8Error) -> ConfigError {
        let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let start = good.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        ConfigError::Syntax {
            file: file.to_path_buf(),
            line: good.iter().filter(|byte| **byte == b'\n').count() + 1,
            column: String::from_utf8_lossy(&good[start..]).chars().count() + 1,
            found: "a byte that is not UTF-8; save the file in that encoding".to_string(),
            excerpt: Excerpt::default(),
        }
    }
}

/// A value's kind with its article, for messages.
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a section",
    }
}

/// One line of a file with a mark under the offending column.
///
/// It is made to be printed: control characters are replaced, long lines are cut around the
/// column, and the value of a key that looks like a credential is hidden.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The line, or a part of it.
    pub line: String,
    /// How many characters of `line` stand before the mark.
    pub caret: usize,
}

impl Excerpt {
    /// The excerpt for a place; empty when the text has no such line.
    pub(crate) fn of(text: &str, line: usize, column: usize) -> Excerpt {
        let Some(raw) = line.checked_sub(1).and_then(|index| text.lines().nth(index)) else {
            return Excerpt::default();
        };
        let shown: Vec<char> = hide_secret(raw).chars().map(printable).collect();
        let caret = column.saturating_sub(1).min(shown.len());
        let start = caret.saturating_sub(MAX_EXCERPT_CHARS * 2 / 3);
        let end = shown.len().min(start + MAX_EXCERPT_CHARS);
        Excerpt { line: shown[start..end].iter().collect(), caret: caret - start }
    }
}

impl fmt::Display for Excerpt {
    /// Two indented lines, each after a line break; nothing for an empty excerpt.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line.trim().is_empty() {
            return Ok(());
        }
        write!(f, "\n    {}\n    {:>width$}", self.line, '^', width = self.caret + 1)
    }
}

/// Keeps columns aligned: one character stays one character.
fn printable(c: char) -> char {
    match c {
        '\t' => '→',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

/// Cuts a line behind the first `name:` that looks like a credential's.
fn hide_secret(line: &str) -> String {
    for (at, _) in line.match_indices(':') {
        let before = line[..at].trim_end_matches(['"', '\'', ' ']);
        let name_start = before
            .rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        if is_secret_name(&before[name_start..]) && !line[at + 1..].trim().is_empty() {
            return format!("{}: ***", &line[..at]);
        }
    }
    line.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_the_column() {
        let excerpt = Excerpt::of("a: 1\nschön: b: c\n", 2, 9);
        assert_eq!(excerpt.to_string(), "\n    schön: b: c\n            ^");
        assert_eq!(excerpt.line.chars().nth(excerpt.caret), Some(':'));
    }

    #[test]
    fn cuts_long_lines_around_the_column() {
        let text = format!("{}X{}", "a".repeat(500), "b".repeat(500));
        let excerpt = Excerpt::of(&text, 1, 501);
        assert_eq!(excerpt.line.chars().count(), MAX_EXCERPT_CHARS);
        assert_eq!(excerpt.line.chars().nth(excerpt.caret), Some('X'));
    }

    #[test]
    fn never_prints_control_characters_or_credentials() {
        assert_eq!(Excerpt::of("a:\tb\u{1b}[31m", 1, 3).line, "a:→b\u{fffd}[31m");
        for line in [
            "  api_key: sk-123: x",
            "- \"client_secret\": hush: x",
            "PASSWORD: p: q",
            "x: {a: 1, é token: t",
        ] {
            let shown = Excerpt::of(line, 1, 5).line;
            assert!(shown.ends_with(": ***"), "{shown}");
        }
        assert_eq!(Excerpt::of("max_tokens: 5: 6", 1, 3).line, "max_tokens: 5: 6");
    }

    #[test]
    fn a_place_outside_the_text_gives_nothing() {
        for (line, column) in [(0, 0), (0, 5), (9, 1), (usize::MAX, usize::MAX)] {
            assert_eq!(Excerpt::of("a\n", line, column).to_string(), "");
        }
        assert_eq!(Excerpt::of("ab\n", 1, 99).caret, 2);
    }
}
