//! What a write broke, as opposed to what was broken before.

use std::path::Path;

use serde_json::{Value, json};

use super::language::{self, Language};
use super::{SyntaxError, SyntaxVerdict, check_as, json as json_text};

/// At most this many errors are shown; the rest is counted.
pub const MAX_SHOWN: usize = 5;

/// The outcome of a check after a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteReport {
    /// The new content parses.
    Ok,
    /// The write broke something.
    Introduced {
        /// The new errors; never empty.
        errors: Vec<SyntaxError>,
        /// How many other errors were there before.
        inherited: usize,
    },
    /// The new content does not parse, for reasons that were there before the write.
    Inherited(Vec<SyntaxError>),
    /// Nothing is claimed, for this reason.
    Skipped(String),
}

/// Checks content that was written to `path` over `before`.
///
/// The old content is only looked at if the new one fails.
pub fn check_write(path: &Path, before: Option<&[u8]>, after: &[u8]) -> WriteReport {
    let Some(mut language) = Language::of(path) else {
        return WriteReport::Skipped(language::unknown(path));
    };
    if matches!(language, Language::Json(_)) && before.is_some_and(json_text::has_comments) {
        // Whoever reads this file lives with comments.
        language = Language::Json(json_text::JsonDialect::Comments);
    }
    let after = check_as(language, after);
    let before = match after {
        SyntaxVerdict::Errors(_) => before.map(|before| check_as(language, before)),
        _ => None,
    };
    delta(before.as_ref(), after)
}

/// Drops from `after` the errors that were in `before`.
///
/// Errors are the same if they say the same about a line with the same text, wherever that line
/// stands now.
pub fn delta(before: Option<&SyntaxVerdict>, after: SyntaxVerdict) -> WriteReport {
    let errors = match after {
        SyntaxVerdict::Ok => return WriteReport::Ok,
        SyntaxVerdict::Skipped(reason) => return WriteReport::Skipped(reason),
        SyntaxVerdict::Errors(errors) => errors,
    };
    let mut known = match before {
        Some(SyntaxVerdict::Errors(errors)) => errors.iter().collect(),
        _ => Vec::new(),
    };
    let mut introduced = Vec::new();
    for error in &errors {
        match known.iter().position(|old| same(old, error)) {
            Some(at) => drop(known.swap_remove(at)),
            None => introduced.push(error.clone()),
        }
    }
    if introduced.is_empty() {
        return WriteReport::Inherited(errors);
    }
    let inherited = errors.len() - introduced.len();
    WriteReport::Introduced { errors: introduced, inherited }
}

fn same(old: &SyntaxError, new: &SyntaxError) -> bool {
    (old.kind, &old.message, &old.excerpt) == (new.kind, &new.message, &new.excerpt)
}

impl WriteReport {
    /// The `lint` field of a tool's result.
    pub fn to_json(&self) -> Value {
        match self {
            WriteReport::Ok => json!({"status": "ok", "output": ""}),
            WriteReport::Skipped(reason) => json!({"status": "skipped", "message": reason}),
            WriteReport::Introduced { errors, inherited: 0 } => {
                json!({"status": "error", "output": output(errors)})
            }
            WriteReport::Introduced { errors, inherited } => json!({
                "status": "error",
                "output": output(errors),
                "message": format!("{inherited} more that were there before this edit are left out."),
            }),
            WriteReport::Inherited(errors) => json!({
                "status": "error",
                "output": output(errors),
                "message": "This edit added no errors: the file did not parse before it either.",
            }),
        }
    }
}

/// One line per error.
fn output(errors: &[SyntaxError]) -> String {
    let mut lines: Vec<String> = errors.iter().take(MAX_SHOWN).map(ToString::to_string).collect();
    if let Some(more @ 1..) = errors.len().checked_sub(MAX_SHOWN) {
        lines.push(format!("… and {more} more"));
    }
    lines.join("\n")
}
