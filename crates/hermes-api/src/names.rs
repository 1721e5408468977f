//! Names and times as this wire has them.

use axum::http::HeaderMap;
use hermes_store::clock::random;

use crate::problem::Refusal;

/// Longest name of a session or of a person.
const MAX_NAME: usize = 256;

/// A name in a header: short, and nothing that could be part of a path or of a log's layout.
pub(crate) fn header_name(headers: &HeaderMap, name: &str) -> Result<Option<String>, Refusal> {
    let Some(value) = headers.get(name) else { return Ok(None) };
    let text = value.to_str().unwrap_or_default().trim();
    let is_bad = |c: char| c.is_control() || matches!(c, '/' | '\\');
    if text.is_empty() || text.len() > MAX_NAME || text.contains("..") || text.contains(is_bad) {
        let why = format!(
            "The header `{name}` must be 1 to {MAX_NAME} characters without control characters, `/`, `\\` and `..`"
        );
        return Err(Refusal::bad("invalid_header", why).about(name));
    }
    Ok(Some(text.to_owned()))
}

/// A name that nobody else has, after a word on what it names.
pub(crate) fn new_id(prefix: &str) -> String {
    format!("{prefix}{:016x}{:08x}", random(), random() & 0xffff_ffff)
}

/// Seconds since 1970, as this wire tells times.
pub(crate) fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_headers_are_not_paths() {
        let read = |value: &str| {
            let headers = HeaderMap::from_iter([(
                axum::http::HeaderName::from_static("x-hermes-session-id"),
                value.parse().unwrap(),
            )]);
            header_name(&headers, "x-hermes-session-id")
        };
        assert_eq!(read("chat-1").unwrap().as_deref(), Some("chat-1"));
        for bad in ["", "../up", "a/b", "a\\b", &"x".repeat(300)] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
