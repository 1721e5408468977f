//! JSON as servers write it.
//!
//! A tokenizer that cuts an emoji in two makes some servers send one half of it, escaped, in a chunk of its
//! own. Text cannot hold half a character, and a strict reader refuses the whole chunk for it.

use serde_json::Value;

/// Reads a document. A lone half of a surrogate pair becomes U+FFFD, the rest stays as it is; `None` if it
/// is no JSON even so.
pub(crate) fn read(text: &str) -> Option<Value> {
    let strict = serde_json::from_str(text);
    strict.ok().or_else(|| serde_json::from_str(&whole_characters(text)?).ok())
}

/// The text with every lone half replaced; `None` if there is none.
fn whole_characters(text: &str) -> Option<String> {
    let mut whole = String::new();
    let mut rest = text;
    let mut is_changed = false;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        whole.push_str(before);
        let length = match (unit(escape), escape.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                is_changed = true;
                whole.push_str("\\uFFFD");
                rest = &escape[6..];
                continue;
            }
            (Some(_), _) => 6,
            // A backslash and whatever it escapes, which may be another one.
            (None, _) => escape.chars().take(2).map(char::len_utf8).sum(),
        };
        let (kept, after) = escape.split_at(length);
        whole.push_str(kept);
        rest = after;
    }
    whole.push_str(rest);
    is_changed.then_some(whole)
}

/// The number of a `\uXXXX` that a text begins with.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let are_digits = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    are_digits.then(|| u32::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_lone_surrogate_becomes_a_replacement_character_and_the_rest_is_kept() {
        for (text, expected) in [
            (r#"{"a": "x\ud83dy"}"#, json!({"a": "x\u{fffd}y"})),
            (r#"{"a": "\uDE00"}"#, json!({"a": "\u{fffd}"})),
            (r#"{"\ud83d": "\ud83d\ud83d\ude00"}"#, json!({"\u{fffd}": "\u{fffd}😀"})),
            (r#"["\\ud83d", "\ud83d\n"]"#, json!(["\\ud83d", "\u{fffd}\n"])),
            (r#"["\ud83d\ude00"]"#, json!(["😀"])),
            (r#"["é\ud83d é"]"#, json!(["é\u{fffd} é"])),
        ] {
            assert_eq!(read(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_stays_none() {
        for text in ["", "{", "{\"a\": \"\\ud83d", "\\", "\"\\u12", "ping", "{\"a\": \\ud83d}"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_a_strict_reader_takes_is_read_the_same(
            text in r#"(\\u[dD][89a-fA-F][0-9]{2}|\\[\\"nu]|[a"é😀]){0,12}"#,
        ) {
            let document = format!("\"{text}\"");
            if let Ok(value) = serde_json::from_str::<Value>(&document) {
                prop_assert_eq!(read(&document), Some(value));
                prop_assert_eq!(whole_characters(&document), None);
            }
            let _ = whole_characters(&text);
        }
    }
}
