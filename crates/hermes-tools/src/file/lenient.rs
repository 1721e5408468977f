//! Arguments as models write them: a number out of range, as text, or no number at all is never a
//! reason to refuse a call that is clear otherwise.

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A whole number. What lies below zero counts as zero, what is no number as `DEFAULT`.
pub(super) fn number_or<'de, const DEFAULT: u64, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<u64, D::Error> {
    let number = match Value::deserialize(deserializer)? {
        Value::Number(number) => number.as_u64().or_else(|| number.as_i64().map(|_| 0)),
        Value::String(text) => match text.trim().parse::<i128>() {
            Ok(number) => Some(u64::try_from(number.max(0)).unwrap_or(u64::MAX)),
            Err(_) => None,
        },
        _ => None,
    };
    Ok(number.unwrap_or(DEFAULT))
}

/// Whether something is meant: any number but zero, any word but those for no.
pub(super) fn truth<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    const NO: [&str; 6] = ["", "false", "no", "off", "0", "none"];
    Ok(match Value::deserialize(deserializer)? {
        Value::Bool(truth) => truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(word) => !NO.contains(&word.trim().to_lowercase().as_str()),
        _ => false,
    })
}

/// One of several words; any other counts as the default.
pub(super) fn word_or_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: serde::de::DeserializeOwned + Default,
    D: Deserializer<'de>,
{
    Ok(serde_json::from_value(Value::deserialize(deserializer)?).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_of_all_kinds() {
        for (given, expected) in [
            (json!(3), 3),
            (json!(" 4 "), 4),
            (json!(-1), 0),
            (json!("-7"), 0),
            (json!("99999999999999999999999"), u64::MAX),
            (json!("all"), 50),
            (json!(null), 50),
            (json!([1]), 50),
        ] {
            assert_eq!(number_or::<50, _>(&given).unwrap(), expected, "{given}");
        }
    }

    #[test]
    fn truth_of_all_kinds() {
        for given in [json!(true), json!(1), json!("yes"), json!("True")] {
            assert!(truth(&given).unwrap(), "{given}");
        }
        for given in [json!(false), json!(0), json!("no"), json!("False"), json!(""), json!(null)] {
            assert!(!truth(&given).unwrap(), "{given}");
        }
    }
}
