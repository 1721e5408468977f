//! The usual meaning of scalars, for values that are handed on as JSON.

use serde_json::{Map, Number, Value};

use super::{YamlNode, YamlStyle, YamlValue};

impl YamlNode {
    /// The value as JSON: what is not a number, and infinity, are null; dates are texts; keys are texts.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match &self.value {
            YamlValue::Scalar { text, style: YamlStyle::Plain } => scalar(text),
            YamlValue::Scalar { text, style: YamlStyle::Text } => Value::String(text.clone()),
            YamlValue::Scalar { text, style: YamlStyle::Binary } => {
                Value::String(text.split_whitespace().collect())
            }
            YamlValue::Sequence(items) => items.iter().map(YamlNode::to_json).collect(),
            YamlValue::Mapping(entries) => entries
                .iter()
                .map(|(key, node)| (key.clone(), node.to_json()))
                .collect::<Map<_, _>>()
                .into(),
        }
    }
}

/// The text of a key; one that is a list or mapping is written as JSON.
pub(super) fn key(node: &YamlNode) -> String {
    match &node.value {
        YamlValue::Scalar { text, .. } => text.clone(),
        _ => node.to_json().to_string(),
    }
}

pub(super) fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

fn scalar(text: &str) -> Value {
    match text {
        _ if is_null(text) => Value::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Value::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => {
            Value::Bool(false)
        }
        _ => integer(text)
            .or_else(|| decimal(text))
            .or_else(|| timestamp(text))
            .unwrap_or_else(|| Value::String(text.to_owned())),
    }
}

/// Whole numbers. One with a leading zero stays a text: readers differ about what it means.
fn integer(text: &str) -> Option<Value> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (radix, digits) = match digits.get(..2) {
        Some("0x") => (16, &digits[2..]),
        Some("0o") => (8, &digits[2..]),
        Some("0b") => (2, &digits[2..]),
        _ if digits.len() > 1 && digits.starts_with('0') => return None,
        _ => (10, digits),
    };
    if !digits.starts_with(|c: char| c.is_digit(radix)) {
        return None;
    }
    let digits = format!("{sign}{}", digits.replace('_', ""));
    i64::from_str_radix(&digits, radix)
        .map(Value::from)
        .or_else(|_| u64::from_str_radix(&digits, radix).map(Value::from))
        .ok()
}

fn decimal(text: &str) -> Option<Value> {
    let plain = text.trim_start_matches(['-', '+']);
    if matches!(plain, ".inf" | ".Inf" | ".INF" | ".nan" | ".NaN" | ".NAN") {
        return Some(Value::Null);
    }
    let looks_right = plain.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && plain.contains(|c: char| c.is_ascii_digit())
        && plain.contains(['.', 'e', 'E'])
        && plain.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '-' | '+'));
    if !looks_right {
        return None;
    }
    let number: f64 = text.parse().ok()?;
    Some(Number::from_f64(number).map_or(Value::Null, Value::Number))
}

/// A date with a time after a blank, in the form of ISO 8601.
fn timestamp(text: &str) -> Option<Value> {
    let (date, time) = text.split_once(' ')?;
    let digits = |text: &str, groups: &[usize], between: char| {
        let parts: Vec<&str> = text.split(between).collect();
        parts.len() == groups.len()
            && parts.iter().zip(groups).all(|(part, count)| {
                part.len() == *count && part.bytes().all(|byte| byte.is_ascii_digit())
            })
    };
    let clock = time.get(..8).unwrap_or_default();
    (digits(date, &[4, 2, 2], '-') && digits(clock, &[2, 2, 2], ':'))
        .then(|| Value::String(format!("{date}T{time}")))
}
