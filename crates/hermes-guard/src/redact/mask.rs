//! What stands in place of a secret.

use std::borrow::Cow;

/// Stands for a private key.
pub const PRIVATE_KEY: &str = "[REDACTED PRIVATE KEY]";
/// Stands for a secret of which nothing is shown.
pub const MASK: &str = "***";

/// Values at least this long show their ends.
const SHOWN_FROM: usize = 18;
const HEAD: usize = 6;
const TAIL: usize = 4;
const GAP: &str = "...";
const MARKER_START: &str = "«redacted:";
const MARKER_END: &str = "…»";

/// The value with its middle hidden, or hidden altogether when it is short.
pub(super) fn shorten(value: &str) -> Cow<'static, str> {
    let at = |nth: usize| value.char_indices().nth(nth).map(|(at, _)| at);
    let tail = value.char_indices().nth_back(TAIL - 1).map(|(at, _)| at);
    match (at(SHOWN_FROM - 1), at(HEAD), tail) {
        (Some(_), Some(head), Some(tail)) => {
            format!("{}{GAP}{}", &value[..head], &value[tail..]).into()
        }
        _ => MASK.into(),
    }
}

/// The marker for a key with a known prefix, in text that may be written back.
pub(super) fn marker(prefix: &str) -> Cow<'static, str> {
    format!("{MARKER_START}{prefix}{MARKER_END}").into()
}

/// Whether a value is one of our own masks. A rule may see only one half of a marker.
pub(super) fn is_masked(value: &str) -> bool {
    value.starts_with(MASK)
        || value.contains(MARKER_START)
        || value.contains(MARKER_END)
        || value.starts_with(PRIVATE_KEY)
        || masked_length(value) == Some(value.len())
}

/// The length of the shortened value that a text begins with, if it begins with one.
pub(super) fn masked_length(text: &str) -> Option<usize> {
    let head = text.char_indices().nth(HEAD)?.0;
    let rest = text[head..].strip_prefix(GAP)?;
    let mut tail = rest.char_indices().take(TAIL);
    let (last, character) = tail.nth(TAIL - 1)?;
    Some(head + GAP.len() + last + character.len_utf8())
}

/// A phone number with its ends shown.
pub(super) fn phone(number: &str) -> Cow<'static, str> {
    let shown = if number.len() <= 8 { 2 } else { 4 };
    format!("{}****{}", &number[..shown], &number[number.len() - shown..]).into()
}
