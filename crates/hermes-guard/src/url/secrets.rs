//! Keys of known services inside a URL.
//!
//! A URL is written to logs on both ends and handed on by redirects and referrers. A key that shows by its prefix
//! has no business in one, wherever it stands: in the path, the query, or escaped so that a look at the text misses it.

use std::borrow::Cow;

use crate::redact::redact_file;

use super::iri::normalise;

/// How the redactor marks a key that it knows by its prefix.
const MARK: &str = "«redacted:";

/// Whether a key of a known service is in the URL: as it is written, as the wire would have it, or with the escapes of
/// either undone.
#[must_use]
pub fn carries_vendor_key(url: &str) -> bool {
    let normal = normalise(url);
    [url, &unescaped(url), &normal, &unescaped(&normal)]
        .iter()
        .any(|form| !form.contains(MARK) && redact_file(form).contains(MARK))
}

/// The text with `%XX` undone; what then is no UTF-8 is replaced.
fn unescaped(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find('%') else { return Cow::Borrowed(text) };
    let bytes = text.as_bytes();
    let mut plain = bytes[..first].to_vec();
    let mut at = first;
    while at < bytes.len() {
        let digit = |place: usize| bytes.get(place).and_then(|&byte| char::from(byte).to_digit(16));
        match (bytes[at], digit(at + 1), digit(at + 2)) {
            // Two hexadecimal digits fit a byte.
            (b'%', Some(high), Some(low)) => {
                plain.push((high * 16 + low) as u8);
                at += 3;
            }
            (byte, _, _) => {
                plain.push(byte);
                at += 1;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&plain).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_wherever_they_stand_and_however_they_are_escaped() {
        let key = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        let escaped: String = key.bytes().map(|byte| format!("%{byte:02x}")).collect();
        for url in [
            format!("https://x.example/{key}"),
            format!("https://x.example/?q={key}"),
            format!("https://x.example/?q={}", key.replace('_', "%5F")),
            format!("https://x.example/a/{escaped}#x"),
            format!("https:// x.example/ü?q={}", key.replace("ghp", "%67hp")),
        ] {
            assert!(carries_vendor_key(&url), "{url}");
        }
        for url in [
            "https://x.example/ghp_short",
            "https://x.example/?token=abc",
            "https://user:pass@x.example/",
            "https://x.example/%zz%",
        ] {
            assert!(!carries_vendor_key(url), "{url}");
        }
    }
}
