//! Which letters the bytes of a body stand for.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// How far into a document its own declaration is looked for, as browsers do.
const DECLARED_WITHIN: usize = 1024;
/// How much of a document is looked at when nobody says what its letters are.
const GUESSED_FROM: usize = 64 << 10;

/// The text of a body: by its byte-order mark, else by the content type, else by what the document declares of
/// itself, else UTF-8 if it is that, else by which bytes occur, as browsers guess. Never fails: what has no letter
/// becomes U+FFFD.
#[must_use]
pub fn decode_text(body: &[u8], content_type: Option<&str>) -> String {
    if let Some((encoding, mark)) = Encoding::for_bom(body) {
        return encoding.decode_without_bom_handling(&body[mark..]).0.into_owned();
    }
    let named = content_type.and_then(charset_of).or_else(|| declared(body));
    if let Some(encoding) = named {
        return encoding.decode_without_bom_handling(body).0.into_owned();
    }
    match std::str::from_utf8(body) {
        Ok(text) => text.to_owned(),
        // A body that was cut in mid-letter is still UTF-8, if it showed that before.
        Err(error) if error.error_len().is_none() && !body[..error.valid_up_to()].is_ascii() => {
            UTF_8.decode(body).0.into_owned()
        }
        Err(_) => guessed(body).decode_without_bom_handling(body).0.into_owned(),
    }
}

/// The encoding whose letters make the likeliest text.
fn guessed(body: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Allow);
    detector.feed(&body[..body.len().min(GUESSED_FROM)], true);
    detector.guess(None, Utf8Detection::Deny)
}

/// The `charset` of a content type, if it is one we know.
fn charset_of(content_type: &str) -> Option<&'static Encoding> {
    let after = after_word(content_type, "charset")?;
    let value = after.trim_start().strip_prefix('=')?.trim_start();
    let value = value.trim_start_matches(['"', '\'']);
    let end = value.find(['"', '\'', ';', ' ', '>', '/']).unwrap_or(value.len());
    Encoding::for_label(&value.as_bytes()[..end])
}

/// What a page says in a `meta` element, or an XML document in its first line.
fn declared(body: &[u8]) -> Option<&'static Encoding> {
    let start = String::from_utf8_lossy(&body[..body.len().min(DECLARED_WITHIN)]);
    if start.trim_start().starts_with("<?xml") {
        let line = &start[..start.find("?>")?];
        let after = after_word(line, "encoding")?.trim_start().strip_prefix('=')?.trim_start();
        let value = after.trim_start_matches(['"', '\'']);
        let end = value.find(['"', '\'']).unwrap_or(value.len());
        return Encoding::for_label(&value.as_bytes()[..end]);
    }
    let mut rest = &*start;
    while let Some(tag) = after_word(rest, "<meta") {
        let end = tag.find('>').unwrap_or(tag.len());
        if let Some(encoding) = charset_of(&tag[..end]) {
            // Whoever could read the declaration byte by byte was not reading two bytes a letter.
            let wide = encoding == UTF_16LE || encoding == UTF_16BE;
            return Some(if wide { UTF_8 } else { encoding });
        }
        rest = &tag[end..];
    }
    None
}

/// The text behind a word in any case of ASCII letters.
fn after_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let at = text
        .as_bytes()
        .windows(word.len())
        .position(|part| part.eq_ignore_ascii_case(word.as_bytes()))?;
    text.get(at + word.len()..)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn mark_header_declaration_and_guess_count_in_this_order() {
        for (body, kind, wanted) in [
            (&b"\xef\xbb\xbfgr\xc3\xbc\xc3\x9f"[..], Some("text/plain; charset=latin1"), "grüß"),
            (b"\xff\xfeh\0i\0", None, "hi"),
            (b"gr\xfc\xdf", Some("text/html; charset=ISO-8859-1"), "grüß"),
            (b"\x82\xa0", Some("text/html; Charset=\"Shift_JIS\""), "あ"),
            (b"<meta charset=windows-1251>\xcf", None, "<meta charset=windows-1251>П"),
            (
                b"<META http-equiv=x content='text/html; charset=koi8-r'>\xf0",
                None,
                "<META http-equiv=x content='text/html; charset=koi8-r'>П",
            ),
            (
                b"<?xml version='1.0' encoding='ISO-8859-2'?>\xb1",
                None,
                "<?xml version='1.0' encoding='ISO-8859-2'?>ą",
            ),
            (b"gr\xc3\xbc", Some("text/plain; charset=nonsense"), "grü"),
            (b"caf\xe9", None, "café"),
            (b"<meta charset=utf-16>gr\xc3\xbc", None, "<meta charset=utf-16>grü"),
            (
                b"\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0! \xca\xe0\xea \xe4\xe5\xeb\xe0?",
                None,
                "Привет, мир! Как дела?",
            ),
            (b"gr\xc3\xbc\xc3", None, "grü\u{fffd}"),
        ] {
            assert_eq!(decode_text(body, kind), wanted, "{kind:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_some_text(body in proptest::collection::vec(any::<u8>(), 0..200), kind in "\\PC{0,40}") {
            let _ = decode_text(&body, Some(&kind));
            let page = [b"<meta charset=".as_slice(), &body].concat();
            let _ = decode_text(&page, None);
        }
    }
}
