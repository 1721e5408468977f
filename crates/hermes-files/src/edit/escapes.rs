//! Backslashes that the caller wrote but did not mean: `\n` for a line break, `\t` for a tab,
//! `\"` for a quote.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::blank::trim_start;

/// The escapes that may stand for a character, by their letter.
const LETTERS: [(u8, &str); 3] = [(b'n', "\n"), (b't', "\t"), (b'r', "\r")];

/// Letters of the escapes that occur in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Escapes(Vec<(u8, &'static str)>);

impl Escapes {
    /// The escapes in the text, if there are any.
    pub(super) fn in_text(text: &str) -> Option<Self> {
        let found: Vec<_> = LETTERS
            .into_iter()
            .filter(|(letter, _)| memmem::find(text.as_bytes(), &[b'\\', *letter]).is_some())
            .collect();
        (!found.is_empty()).then_some(Self(found))
    }

    /// The text with these escapes replaced by what they stand for.
    pub(super) fn resolve(&self, text: &str) -> String {
        let mut resolved = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = memchr(b'\\', rest.as_bytes()) {
            let letter = rest.as_bytes().get(at + 1);
            let known = self.0.iter().find(|(known, _)| Some(known) == letter);
            let (keep, skip, put) =
                known.map_or((at + 1, at + 1, ""), |(_, put)| (at, at + 2, put));
            resolved.push_str(&rest[..keep]);
            resolved.push_str(put);
            rest = &rest[skip..];
        }
        resolved.push_str(rest);
        resolved
    }
}

/// The replacement with `\t` made a tab where it can only have been meant as one.
///
/// The matched text must have a tab, the replacement none, and no backslash may occur in the
/// matched text: where the file itself uses them, `\t` is probably meant as it is written. If
/// the file's tabs are all indentation, `\t` deeper in a line is more likely part of a string
/// literal, a regex or a path and stays.
pub(super) fn resolve_tabs<'n>(new: &'n str, matched: &[u8]) -> Cow<'n, str> {
    if memchr(b'\t', matched).is_none()
        || new.contains('\t')
        || !new.contains("\\t")
        || memchr(b'\\', matched).is_some()
    {
        return Cow::Borrowed(new);
    }
    let inside = matched.split(|byte| *byte == b'\n').any(|line| trim_start(line).contains(&b'\t'));
    let mut resolved = String::with_capacity(new.len());
    for line in new.split_inclusive('\n') {
        let mut rest = line;
        loop {
            let blanks = rest.len() - rest.trim_start_matches(' ').len();
            let Some(after) = rest[blanks..].strip_prefix("\\t") else { break };
            resolved.push_str(&rest[..blanks]);
            resolved.push('\t');
            rest = after;
        }
        if inside {
            push_with_tabs(&mut resolved, rest);
        } else {
            resolved.push_str(rest);
        }
    }
    Cow::Owned(resolved)
}

/// Appends the text with `\t` made a tab; `\\t` is an escaped backslash and a letter.
fn push_with_tabs(resolved: &mut String, text: &str) {
    let mut parts = text.split("\\\\");
    resolved.push_str(&parts.next().unwrap_or_default().replace("\\t", "\t"));
    for part in parts {
        resolved.push_str("\\\\");
        resolved.push_str(&part.replace("\\t", "\t"));
    }
}

/// Whether old and new escape a kind of quote that the matched text does not escape.
pub(super) fn drifted(old: &str, new: &str, matched: &[u8]) -> bool {
    ["\\'", "\\\""].into_iter().any(|escaped| {
        old.contains(escaped)
            && new.contains(escaped)
            && memmem::find(matched, escaped.as_bytes()).is_none()
    })
}

/// The text without backslashes before quotes, if there are any.
pub(super) fn without_quote_escapes(text: &str) -> Option<String> {
    (text.contains("\\'") || text.contains("\\\""))
        .then(|| text.replace("\\'", "'").replace("\\\"", "\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_only_the_escapes_that_the_quotation_used() {
        let escapes = Escapes::in_text(r"a\nb").unwrap();
        assert_eq!(escapes.resolve(r"x\ny\tz\"), "x\ny\\tz\\");
        assert_eq!(Escapes::in_text("a\nb \\x"), None);
    }

    #[test]
    fn tabs_are_resolved_only_where_the_file_has_such_tabs() {
        assert_eq!(resolve_tabs(r"\t\tx = '\t'", b"\tx"), "\t\tx = '\\t'");
        assert_eq!(resolve_tabs(r"a\tc", b"a\tb"), "a\tc");
        for (new, matched) in [
            (r"a\tb", &b"a b"[..]),
            ("\tx\\ty", b"a\tb"),
            (r"print('\tb')", b"\tprint('\\ta')"),
            (r"C:\\temp", b"a\tb"),
        ] {
            assert_eq!(resolve_tabs(new, matched), new);
        }
    }

    #[test]
    fn drift_is_told_by_kind_of_quote() {
        assert!(drifted(r#"a\"b"#, r#"c\"d"#, b"a\"b"));
        assert!(!drifted(r#"a\"b"#, r#"c\"d"#, b"a\\\"b"));
        assert!(!drifted(r#"a\"b"#, r"c\'d", b"a\"b"));
        assert_eq!(without_quote_escapes(r#"\'a\" \\n"#).unwrap(), "'a\" \\\\n");
    }
}
