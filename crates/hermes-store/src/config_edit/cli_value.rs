//! Values typed on a command line.

use serde_json::Value;

use crate::yaml;

/// Reads a value as a person types it after `config set`.
///
/// | typed | meant |
/// |---|---|
/// | `true` `yes` `on`, `false` `no` `off` | boolean |
/// | `42` `-1` `0.5` `1e3` | number |
/// | `null` | null |
/// | `[a, b]`, `{k: v}` | list, section, as in YAML |
/// | `"42"` `'yes'` | the text between the quotes |
/// | anything else | text, exactly as typed |
///
/// Text is the safe guess, so everything doubtful is text: `~` (a folder), `y`, `007` and numbers
/// too long to be exact (ids), a list that does not parse.
pub fn parse_cli_value(text: &str) -> Value {
    let trimmed = text.trim();
    let special = match trimmed.chars().next() {
        Some('[' | '{') => yaml::parse(trimmed).ok().filter(|v| v.is_array() || v.is_object()),
        Some('"' | '\'') => yaml::parse(trimmed).ok().filter(Value::is_string),
        _ => word(trimmed).or_else(|| number(trimmed)),
    };
    special.unwrap_or_else(|| Value::String(text.to_string()))
}

fn word(text: &str) -> Option<Value> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" => Some(Value::Bool(true)),
        "false" | "no" | "off" => Some(Value::Bool(false)),
        "null" => Some(Value::Null),
        _ => None,
    }
}

fn number(text: &str) -> Option<Value> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let padded = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    if padded || !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return text
            .parse::<i64>()
            .map(Value::from)
            .or_else(|_| text.parse::<u64>().map(Value::from))
            .ok();
    }
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || b".eE+-".contains(&byte));
    text.parse::<f64>().ok().filter(|n| plain && n.is_finite()).map(Value::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn words_and_numbers() {
        let cases = [
            ("true", json!(true)),
            ("Yes", json!(true)),
            ("off", json!(false)),
            ("null", json!(null)),
            ("42", json!(42)),
            (" 42 ", json!(42)),
            ("-1", json!(-1)),
            ("+5", json!(5)),
            ("0", json!(0)),
            ("0.5", json!(0.5)),
            ("1e3", json!(1000.0)),
            ("18446744073709551615", json!(u64::MAX)),
        ];
        for (typed, meant) in cases {
            assert_eq!(parse_cli_value(typed), meant, "{typed}");
        }
    }

    #[test]
    fn lists_sections_and_quoted_text() {
        assert_eq!(parse_cli_value("[a, b]"), json!(["a", "b"]));
        assert_eq!(parse_cli_value("[]"), json!([]));
        assert_eq!(parse_cli_value("{k: 1, l: [x]}"), json!({"k": 1, "l": ["x"]}));
        assert_eq!(parse_cli_value(r#"{"k": "v"}"#), json!({"k": "v"}));
        assert_eq!(parse_cli_value("'yes'"), json!("yes"));
        assert_eq!(parse_cli_value(r#""a\tb""#), json!("a\tb"));
    }

    #[test]
    fn everything_else_is_text_as_typed() {
        for text in [
            "",
            " ",
            "hello",
            " padded ",
            "~",
            "~/x",
            "y",
            "n",
            "007",
            "-01",
            "0x1f",
            "1_000",
            "12:30",
            "99999999999999999999",
            "nan",
            ".inf",
            "1e999",
            "infinity",
            "a: b",
            "- x",
            "# c",
            "*a",
            "&a",
            "!t x",
            "[a",
            "{k: 1",
            "'open",
            "[a] b",
            "'a' b",
            "1.2.3",
            "1e",
            "2024-01-31",
            "-",
            "@x",
            "%x",
            "line1\nline2",
        ] {
            assert_eq!(parse_cli_value(text), json!(text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in "\\PC{0,20}") {
            let _ = parse_cli_value(&text);
        }

        #[test]
        fn a_number_means_what_the_file_would_say(text in "[-+]?[0-9]{1,3}(\\.[0-9]{1,2})?") {
            if let number @ Value::Number(_) = parse_cli_value(&text) {
                prop_assert_eq!(Ok(number), yaml::parse(&text));
            }
        }
    }
}
