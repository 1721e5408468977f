//! Path names as git prints them: plain, or in quotes with escapes.
//!
//! With its default settings git quotes every name with a control character, a quote, a backslash
//! or a byte above ASCII. What it prints is therefore always plain ASCII, survives being read as
//! text, and still stands for any name a file system allows.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

/// The path a printed name stands for.
pub(super) fn unquote(printed: &str) -> PathBuf {
    let Some(inner) = printed.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return PathBuf::from(printed);
    };
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b't') => bytes.push(b'\t'),
            Some(b'n') => bytes.push(b'\n'),
            Some(b'v') => bytes.push(11),
            Some(b'f') => bytes.push(12),
            Some(b'r') => bytes.push(b'\r'),
            Some(first @ b'0'..=b'7') => {
                let digits = [first, rest.next().unwrap_or(b'0'), rest.next().unwrap_or(b'0')];
                let octal = digits.iter().fold(0_u8, |value, digit| {
                    value.wrapping_mul(8).wrapping_add(digit.wrapping_sub(b'0'))
                });
                bytes.push(octal);
            }
            Some(other) => bytes.push(other),
            None => bytes.push(b'\\'),
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    /// What git's quoting does, for the way back.
    fn quote(bytes: &[u8]) -> String {
        let escaped: String = bytes
            .iter()
            .map(|&byte| match byte {
                b'"' | b'\\' => format!("\\{}", byte as char),
                b'\n' => "\\n".to_owned(),
                b'\t' => "\\t".to_owned(),
                0x20..=0x7e => (byte as char).to_string(),
                _ => format!("\\{byte:03o}"),
            })
            .collect();
        format!("\"{escaped}\"")
    }

    #[test]
    fn plain_names_stay_as_they_are() {
        assert_eq!(unquote("a b/c.rs"), PathBuf::from("a b/c.rs"));
    }

    proptest! {
        #[test]
        fn undoes_quoting(bytes in prop::collection::vec(1_u8.., 1..20)) {
            prop_assert_eq!(unquote(&quote(&bytes)), PathBuf::from(OsStr::from_bytes(&bytes)));
        }

        #[test]
        fn takes_any_text(text in "\\PC*") {
            unquote(&text);
            unquote(&format!("\"{text}\""));
        }
    }
}
