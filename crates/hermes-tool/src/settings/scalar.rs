//! Scalars read with the leniency that expanded variables need.

use serde_json::Value;

/// A yes/no value: a boolean, 0 or 1, or one of the usual words in any letter case.
pub fn as_bool(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(answer) => Some(*answer),
        Value::Number(number) => match number.as_i64() {
            Some(0) => Some(false),
            Some(1) => Some(true),
            _ => None,
        },
        Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "1" | "enabled" => Some(true),
            "false" | "no" | "off" | "0" | "disabled" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

/// A whole number, also as text or as a float without fraction.
pub fn as_i64(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => {
            let text = text.trim();
            text.strip_suffix(".0").unwrap_or(text).parse().ok()
        }
        _ => None,
    }
}

/// A finite number, also as text.
pub fn as_f64(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}

/// A text; numbers and booleans as printed. Lists, sections and null are not text.
pub fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(answer) => Some(answer.to_string()),
        _ => None,
    }
}

fn whole(number: f64) -> Option<i64> {
    /// Up to here every whole float is exactly one integer.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn booleans_come_in_many_spellings() {
        for yes in
            [json!(true), json!(1), json!("Yes"), json!(" ON "), json!("1"), json!("enabled")]
        {
            assert_eq!(as_bool(&yes), Some(true), "{yes}");
        }
        for no in [json!(false), json!(0), json!("no"), json!("Off"), json!("disabled")] {
            assert_eq!(as_bool(&no), Some(false), "{no}");
        }
        for neither in [json!(2), json!("maybe"), json!(""), json!(null), json!([true]), json!(1.5)]
        {
            assert_eq!(as_bool(&neither), None, "{neither}");
        }
    }

    #[test]
    fn numbers_may_be_text() {
        assert_eq!(as_i64(&json!("8080")), Some(8080));
        assert_eq!(as_i64(&json!(180.0)), Some(180));
        assert_eq!(as_i64(&json!(1.5)), None);
        assert_eq!(as_i64(&json!(1e300)), None);
        assert_eq!(as_i64(&json!("1.0")), Some(1));
        assert_eq!(as_i64(&json!("1.5")), None);
        assert_eq!(as_i64(&json!(u64::MAX)), None);
        assert_eq!(as_i64(&json!(true)), None);
        assert_eq!(as_f64(&json!("0.5")), Some(0.5));
        assert_eq!(as_f64(&json!(3)), Some(3.0));
        assert_eq!(as_f64(&json!("inf")), None);
    }

    #[test]
    fn text_is_what_would_be_printed() {
        assert_eq!(as_text(&json!(42)).as_deref(), Some("42"));
        assert_eq!(as_text(&json!(true)).as_deref(), Some("true"));
        assert_eq!(as_text(&json!(null)), None);
        assert_eq!(as_text(&json!(["a"])), None);
    }
}
