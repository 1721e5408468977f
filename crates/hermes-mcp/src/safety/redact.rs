//! Redaction of the errors of servers; the redaction of everything else is [`hermes_guard::redact`].
//!
//! Servers quote requests, headers and addresses in their errors. Here a hidden place shows nothing
//! at all of what stood there, not even the name: unlike a log for people, an error needs no hint of
//! which key it was. Afterwards the shared redaction looks for everything else it knows.

use std::sync::LazyLock;

use hermes_guard::redact::{RedactMode, redact};
use regex::Regex;

/// What stands where a secret was.
pub const REDACTED: &str = "[REDACTED]";

/// The password part of an address: `//user:password@` or `//token@`.
static USER_INFO: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(://)[^\s/@]+@").ok());

/// Shapes that show by themselves, then words that announce a value.
static SECRETS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let shapes = [
        r"(?:sk|rk|pk)[-_][A-Za-z0-9_-]{8,}",
        r"gh[a-z]_[A-Za-z0-9]{8,}",
        r"github_pat_[A-Za-z0-9_]{8,}",
        r"glpat-[A-Za-z0-9_-]{8,}",
        r"xox[a-z]-[A-Za-z0-9-]{6,}",
        r"xapp-[A-Za-z0-9-]{6,}",
        r"A(?:KIA|SIA)[A-Z0-9]{12,}",
        r"AIza[A-Za-z0-9_-]{20,}",
        r"(?:hf|npm|gsk|r8)_[A-Za-z0-9]{10,}",
        r"(?:pypi|tvly|pplx|xai)-[A-Za-z0-9_-]{10,}",
        r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?",
    ]
    .join("|");
    let bearer = r"(?i:bearer)\s+[A-Za-z0-9._~+/=-]+";
    let named =
        r#"(?i:token|key|api_key|password|secret)\b["']?\s*[=:]\s*(?:"[^"]*"|'[^']*'|[^\s&,;"']+)"#;
    Regex::new(&format!(r"\b(?:{bearer}|{named}|{shapes})")).ok()
});

/// The text without secrets. Whole matches disappear, name and value.
#[must_use]
pub fn redact_error(text: &str) -> String {
    let mut text = text.to_owned();
    for (pattern, with) in [(&USER_INFO, "${1}[REDACTED]@"), (&SECRETS, REDACTED)] {
        match pattern.as_ref() {
            Some(pattern) => text = pattern.replace_all(&text, with).into_owned(),
            // Cannot happen with a constant pattern; then nothing may pass.
            None => return REDACTED.to_owned(),
        }
    }
    redact(&text, RedactMode::UrlCredentials).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_secret_is_left() {
        for (text, secret) in [
            ("bad key sk-ant-api03-AbCd-EfGh_1234567890", "api03"),
            ("ghp_0123456789abcdefghij rejected", "0123456789"),
            ("github_pat_11AAAA_bbbbbbbbbb", "bbbb"),
            ("xoxb-123-456-abcdef", "456"),
            ("AKIAIOSFODNN7EXAMPLE", "IOSFODNN"),
            ("AIzaSyA1234567890abcdefghijklmnopqrstuvw", "SyA123"),
            ("Authorization: Bearer abc.def-ghi", "abc.def"),
            ("password: hunter2, next", "hunter2"),
            ("token=abc123&x=1", "abc123"),
            ("secret=\"with blank\" end", "with blank"),
            ("API_KEY: 'quoted'", "quoted"),
            ("postgres://me:pa55@db.test/x", "pa55"),
            ("https://tok3n@git.test/x", "tok3n"),
        ] {
            let shown = redact_error(text);
            assert!(!shown.contains(secret), "{text} -> {shown}");
            assert!(shown.contains(REDACTED), "{text} -> {shown}");
        }
    }

    #[test]
    fn bare_values_end_where_the_next_part_begins() {
        assert_eq!(redact_error("key=abc;mode=1"), "[REDACTED];mode=1");
        assert_eq!(redact_error("token=a&page=2"), "[REDACTED]&page=2");
        assert_eq!(redact_error("https://u:p@host/x"), "https://[REDACTED]@host/x");
    }

    #[test]
    fn ordinary_errors_are_left_alone() {
        for text in ["file not found: /tmp/x", "keyboard layout unknown", "HTTP 404 at /a/b"] {
            assert_eq!(redact_error(text), text);
        }
    }
}
