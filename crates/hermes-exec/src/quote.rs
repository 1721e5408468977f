//! Text as one word of a shell.

/// The text in single quotes, as every POSIX shell reads it back unchanged.
#[must_use]
pub fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:=@%,".contains(c);
    if !text.is_empty() && text.chars().all(plain) && !text.starts_with('=') {
        return text.to_owned();
    }
    always_quoted(text)
}

/// The text in single quotes even if it needs none.
#[must_use]
pub(crate) fn always_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('\'');
    for c in text.chars() {
        match c {
            '\'' => out.push_str("'\\''"),
            c => out.push(c),
        }
    }
    out.push('\'');
    out
}

/// A directory as an argument of `cd`: a leading `~` stays for the shell to expand.
#[must_use]
pub(crate) fn directory(path: &str) -> String {
    match path.strip_prefix('~') {
        Some("") => "~".to_owned(),
        Some(rest) if rest.starts_with('/') => match rest.trim_start_matches('/') {
            "" => "~".to_owned(),
            rest => format!("\"$HOME\"/{}", quoted(rest)),
        },
        _ => quoted(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_plain_words_alone_and_quotes_the_rest() {
        for (text, expected) in [
            ("/usr/bin", "/usr/bin"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
            ("$HOME", "'$HOME'"),
            ("=x", "'=x'"),
            ("ä", "'ä'"),
        ] {
            assert_eq!(quoted(text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_shell_expands_a_leading_tilde_only() {
        assert_eq!(directory("~"), "~");
        assert_eq!(directory("~/"), "~");
        assert_eq!(directory("~/a b"), "\"$HOME\"/'a b'");
        assert_eq!(directory("/a/~"), "'/a/~'");
    }
}
