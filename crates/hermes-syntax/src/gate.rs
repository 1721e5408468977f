//! Refuses to write data files that would not parse.
//!
//! Only JSON, YAML and TOML: a broken one stops whatever reads it, and is hardly ever meant.
//! Never when that would be in the way: a file that is broken already may be repaired step by
//! step, and JSON that allows comments is only reported on afterwards.

use std::path::Path;

use super::language::{self, Language};
use super::{SyntaxError, SyntaxVerdict, check_as, json};

/// The error for which `after` must not be written to `path`; `before` is what is there now.
pub fn gate(path: &Path, before: Option<&[u8]>, after: &[u8]) -> Option<SyntaxError> {
    if !matches!(language::extension(path)?.as_str(), "json" | "yaml" | "yml" | "toml") {
        return None;
    }
    let language = Language::of(path)?;
    if language == Language::Json(json::JsonDialect::Comments) {
        return None;
    }
    let SyntaxVerdict::Errors(errors) = check_as(language, after) else { return None };
    if before.is_some_and(|before| check_as(language, before) != SyntaxVerdict::Ok) {
        return None;
    }
    errors.into_iter().next()
}
