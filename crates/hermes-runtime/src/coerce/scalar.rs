//! Numbers, booleans and null that came as text.

use serde_json::{Number, Value};

use super::JsonKind;

/// Whether text spells null: the word, in any letter case, with whitespace around it.
pub(super) fn is_null(text: &str) -> bool {
    text.trim().eq_ignore_ascii_case("null")
}

/// Convert text to a scalar of the given kind; `None` leaves it text.
pub(super) fn parse(text: &str, kind: JsonKind) -> Option<Value> {
    match kind {
        JsonKind::Integer | JsonKind::Number => numeric(text.trim(), kind).map(Value::Number),
        JsonKind::Boolean => boolean(text.trim()).map(Value::Bool),
        JsonKind::Null => is_null(text).then_some(Value::Null),
        JsonKind::String | JsonKind::Array | JsonKind::Object => None,
    }
}

/// Only the two words: `1`, `yes` and `on` could as well be meant as they stand.
fn boolean(trimmed: &str) -> Option<bool> {
    if trimmed.eq_ignore_ascii_case("true") {
        Some(true)
    } else if trimmed.eq_ignore_ascii_case("false") {
        Some(false)
    } else {
        None
    }
}

/// Decimal text: sign, digits with an optional dot at any place, exponent.
///
/// Plain integers that fit 64 bits convert exactly, since chat and message ids exceed what a
/// double can hold. Everything else goes through a double: without a fraction it becomes an
/// integer if 64 bits hold it. What they do not hold is a float for `number`, and stays text for
/// `integer`, where any digit lost would be a different integer.
fn numeric(trimmed: &str, kind: JsonKind) -> Option<Number> {
    let unsigned = trimmed.strip_prefix(['+', '-']).unwrap_or(trimmed).as_bytes();
    // Rust's own float syntax is the wanted one plus the words for infinity and not-a-number.
    if !unsigned.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.') {
        return None;
    }
    if unsigned.iter().all(u8::is_ascii_digit) {
        if let Ok(integer) = trimmed.parse::<i64>() {
            return Some(integer.into());
        }
        if let Ok(integer) = trimmed.parse::<u64>() {
            return Some(integer.into());
        }
    }
    let double: f64 = trimmed.parse().ok().filter(|double: &f64| double.is_finite())?;
    match whole(double) {
        Some(integer) if !unsigned.iter().all(u8::is_ascii_digit) => Some(integer),
        _ if kind == JsonKind::Number => Number::from_f64(double),
        _ => None,
    }
}

/// The integer a double stands for, if it has no fraction and 64 bits hold it.
fn whole(double: f64) -> Option<Number> {
    const SIGNED_END: f64 = 9_223_372_036_854_775_808.0; // 2^63
    const UNSIGNED_END: f64 = 18_446_744_073_709_551_616.0; // 2^64
    if double.fract() != 0.0 {
        None
    } else if (-SIGNED_END..SIGNED_END).contains(&double) {
        Some((double as i64).into())
    } else if (0.0..UNSIGNED_END).contains(&double) {
        Some((double as u64).into())
    } else {
        None
    }
}
