//! Files that only become YAML, shell or code once a template engine has run.
//!
//! They cannot be judged by the language their name promises, so errors around a template's
//! marks say nothing.

use super::SyntaxError;
use super::language::Language;

/// Whether marks of a template explain these errors.
pub(super) fn explains(language: Language, text: &str, errors: &[SyntaxError]) -> bool {
    let Some(first) = errors.first() else { return false };
    let braces = matches!(language, Language::Yaml | Language::Toml | Language::Shell);
    if matches!(language, Language::Json(_)) {
        // Two braces in a row are a common slip there.
        return false;
    }
    let at_error = text.lines().skip(first.line.saturating_sub(2)).take(2);
    at_error
        .into_iter()
        .any(|line| line.contains("{%") || line.contains("<%") || (braces && has_placeholder(line)))
        || (language == Language::Yaml && text.lines().any(is_directive))
}

/// A `{{`, except that of `${{ … }}`, which is plain text to YAML.
fn has_placeholder(line: &str) -> bool {
    line.match_indices("{{").any(|(at, _)| !line[..at].ends_with('$'))
}

/// A line of its own for the engine, e.g. `{{- if .Values.enabled }}`.
fn is_directive(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("{{") || line.starts_with("{%")
}
