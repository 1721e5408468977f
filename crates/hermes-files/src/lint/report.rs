//! What a write broke, as opposed to what was broken before.

use std::path::Path;

use serde_json::{Value, json};

use super::language::{self, Language};
use super::{Lint, LintError, check_as, json as json_text};

/// At most this many errors are shown; the rest is counted.
pub const MAX_SHOWN: usize = 5;

/// The outcome of a check after a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Report {
    /// The new content parses.
    Ok,
    /// The write broke something.
    Introduced {
        /// The new errors; never empty.
        errors: Vec<LintError>,
        /// How many other errors were there before.
        inherited: usize,
    },
    /// The new content does not parse, for reasons that were there before the write.
    Inherited(Vec<LintError>),
    /// Nothing is claimed, for this reason.
    Skipped(String),
}

/// Checks content that was written to `path` over `before`.
///
/// The old content is only looked at if the new one fails.
pub fn check_write(path: &Path, before: Option<&[u8]>, after: &[u8]) -> Report {
    let Some(mut language) = Language::of(path) else {
        return Report::Skipped(language::unknown(path));
    };
    if matches!(language, Language::Json(_)) && before.is_some_and(json_text::has_comments) {
        // Whoever reads this file lives with comments.
        language = Language::Json(json_text::Dialect::Comments);
    }
    let after = check_as(language, after);
    let before = match after {
        Lint::Errors(_) => before.map(|before| check_as(language, before)),
        _ => None,
    };
    delta(before.as_ref(), after)
}

/// Drops from `after` the errors that were in `before`.
///
/// Errors are the same if they say the same about a line with the same text, wherever that line
/// stands now.
pub fn delta(before: Option<&Lint>, after: Lint) -> Report {
    let errors = match after {
        Lint::Ok => return Report::Ok,
        Lint::Skipped(reason) => return Report::Skipped(reason),
        Lint::Errors(errors) => errors,
    };
    let mut known = match before {
        Some(Lint::Errors(errors)) => errors.iter().collect(),
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
        return Report::Inherited(errors);
    }
    let inherited = errors.len() - introduced.len();
    Report::Introduced { errors: introduced, inherited }
}

fn same(old: &LintError, new: &LintError) -> bool {
    (old.kind, &old.message, &old.excerpt) == (new.kind, &new.message, &new.excerpt)
}

impl Report {
    /// The `lint` field of a tool's result.
    pub fn to_json(&self) -> Value {
        match self {
            Report::Ok => json!({"status": "ok", "output": ""}),
            Report::Skipped(reason) => json!({"status": "skipped", "message": reason}),
            Report::Introduced { errors, inherited: 0 } => {
                json!({"status": "error", "output": output(errors)})
            }
            Report::Introduced { errors, inherited } => json!({
                "status": "error",
                "output": output(errors),
                "message": format!("{inherited} more that were there before this edit are left out."),
            }),
            Report::Inherited(errors) => json!({
                "status": "error",
                "output": output(errors),
                "message": "This edit added no errors: the file did not parse before it either.",
            }),
        }
    }
}

/// One line per error.
fn output(errors: &[LintError]) -> String {
    let mut lines: Vec<String> = errors.iter().take(MAX_SHOWN).map(ToString::to_string).collect();
    if let Some(more @ 1..) = errors.len().checked_sub(MAX_SHOWN) {
        lines.push(format!("… and {more} more"));
    }
    lines.join("\n")
}
