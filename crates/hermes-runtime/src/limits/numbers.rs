//! Numbers as people write them in configuration.

use serde_json::Value;

/// A whole number as people write them in configuration: a number (fractions are cut off) or text
/// that holds an integer. Booleans are not numbers. Out-of-range values saturate.
pub(crate) fn whole_number(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number
            .as_i64()
            .or_else(|| number.as_u64().map(|_| i64::MAX))
            // `as` saturates; JSON has neither NaN nor infinities.
            .or_else(|| number.as_f64().map(|float| float as i64)),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn reads_numbers_and_numeric_text_only() {
        assert_eq!(whole_number(&json!(7)), Some(7));
        assert_eq!(whole_number(&json!(-7.9)), Some(-7));
        assert_eq!(whole_number(&json!(" 12 ")), Some(12));
        assert_eq!(whole_number(&json!(u64::MAX)), Some(i64::MAX));
        assert_eq!(whole_number(&json!(1e300)), Some(i64::MAX));
        for invalid in [json!(true), json!(null), json!("ten"), json!("1.5"), json!([1])] {
            assert_eq!(whole_number(&invalid), None, "{invalid}");
        }
    }
}
