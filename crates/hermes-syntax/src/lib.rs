//! Syntax checks for files that were, or are about to be, written.
//!
//! A model that has just written a file learns at once whether it still parses. Everything runs
//! in process on the bytes given: no file is opened, no child is started, no project is needed.
//!
//! | question | asked by | answer |
//! |---|---|---|
//! | does this parse? | [`check`] | [`SyntaxVerdict`] |
//! | may this be written at all? | [`gate`] | the error that forbids it, for JSON, YAML and TOML |
//! | what did this write break? | [`check_write`] | [`WriteReport`], the `lint` field of a result |
//!
//! One rule stands above all others: **never a false error**. A wrong "this is broken" sends a
//! model off to repair good code, which is worse than silence. So each language is read by the
//! parser that agrees best with the language's own tools, and whatever cannot be judged (another
//! dialect, a template, too large, too deep, too slow) is [`SyntaxVerdict::Skipped`] with the reason.
//!
//! The second rule: no content can hurt the process. Parsers written by others run on a thread
//! of their own with a stack sized for the content and a deadline (see `bounded`); the JSON
//! validator here needs neither. A check may therefore block for up to two seconds, so
//! asynchronous callers use a blocking task.

mod bounded;
mod gate;
mod go;
mod javascript;
mod json;
mod language;
mod python;
mod report;
mod rust;
mod shell;
mod template;
mod text;
mod toml;
mod yaml;

#[cfg(test)]
mod samples;
#[cfg(test)]
mod tests;

use std::path::Path;

pub use self::gate::gate;
use self::language::Language;
pub use self::report::{MAX_SHOWN, WriteReport, check_write, delta};

/// Content above this many bytes is not checked.
pub const MAX_BYTES: usize = 2 * 1024 * 1024;

/// As [`MAX_BYTES`] for JSON, whose validator is linear and cheap.
pub const MAX_JSON_BYTES: usize = 16 * 1024 * 1024;

/// At most this many errors are kept per file.
pub const MAX_ERRORS: usize = 20;

/// Whether content parses; three-valued, because silence beats a false error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyntaxVerdict {
    /// The content parses.
    Ok,
    /// The content does not parse; never empty, at most [`MAX_ERRORS`], in the order found.
    Errors(Vec<SyntaxError>),
    /// Nothing is claimed about the content, for this reason.
    Skipped(String),
}

impl SyntaxVerdict {
    fn from_errors(errors: Vec<SyntaxError>) -> SyntaxVerdict {
        if errors.is_empty() { SyntaxVerdict::Ok } else { SyntaxVerdict::Errors(errors) }
    }

    fn skipped(reason: impl Into<String>) -> SyntaxVerdict {
        SyntaxVerdict::Skipped(reason.into())
    }
}

/// One place where content does not parse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: {message} (line {line}, column {column})")]
pub struct SyntaxError {
    /// The family of the error, e.g. `SyntaxError`.
    pub kind: &'static str,
    /// What is wrong, on one line.
    pub message: String,
    /// The line of the error, from one.
    pub line: usize,
    /// 1-based column, in characters.
    pub column: usize,
    /// The text of that line, trimmed and capped: it tells whether two checks of a file met the
    /// same error even when lines moved in between.
    pub excerpt: String,
}

/// Checks `content` as the kind of file that `path` names.
pub fn check(path: &Path, content: &[u8]) -> SyntaxVerdict {
    match Language::of(path) {
        Some(language) => check_as(language, content),
        None => SyntaxVerdict::Skipped(language::unknown(path)),
    }
}

/// Checks `content` as a text in `language`.
fn check_as(language: Language, content: &[u8]) -> SyntaxVerdict {
    let limit = if matches!(language, Language::Json(_)) { MAX_JSON_BYTES } else { MAX_BYTES };
    if content.len() > limit {
        return SyntaxVerdict::skipped(format!("Not checked: larger than {limit} bytes"));
    }
    let Ok(text) = std::str::from_utf8(content) else {
        return SyntaxVerdict::skipped("Not checked: not UTF-8 text");
    };
    // Editors put the mark there, and every reader worth the name ignores it.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lint = match language {
        Language::Json(dialect) => json::check(text, dialect),
        Language::Yaml => bounded::run(text, bounded::Stack::FIXED, yaml::check),
        Language::Toml => bounded::run(text, bounded::Stack::FIXED, toml::check),
        Language::Python => bounded::run(text, python::STACK, python::check),
        Language::JavaScript(dialect) => {
            bounded::run(text, javascript::STACK, move |text| javascript::check(text, dialect))
        }
        Language::Rust => bounded::run(text, rust::STACK, rust::check),
        Language::Go => bounded::run(text, bounded::Stack::FIXED, go::check),
        Language::Shell => bounded::run(text, shell::STACK, shell::check),
    };
    match lint {
        SyntaxVerdict::Errors(errors) if template::explains(language, text, &errors) => {
            SyntaxVerdict::skipped("Not checked: looks like a template")
        }
        other => other,
    }
}
