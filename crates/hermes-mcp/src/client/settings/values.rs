//! Reading single values of a server's entry, as forgiving as people are when they write YAML.

use std::sync::LazyLock;
use std::time::Duration;

use hermes_tool::Vars;
use regex::{Captures, Regex};
use serde_json::Value;

/// What is wrong with one key of a server's entry. The default is in force instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("mcp_servers.{server}.{key}: {text}")]
pub struct McpSettingProblem {
    /// Its name below `mcp_servers`.
    pub server: String,
    /// The key below it, with dots.
    pub key: String,
    /// What is wrong, and what holds instead.
    pub text: String,
}

/// Collects what is wrong with one entry.
pub(super) struct Problems<'a> {
    server: &'a str,
    found: Vec<McpSettingProblem>,
}

impl<'a> Problems<'a> {
    pub(super) fn of(server: &'a str) -> Self {
        Self { server, found: Vec::new() }
    }

    pub(super) fn add(&mut self, key: &str, text: impl Into<String>) {
        self.found.push(McpSettingProblem {
            server: self.server.to_owned(),
            key: key.to_owned(),
            text: text.into(),
        });
    }

    pub(super) fn into_found(self) -> Vec<McpSettingProblem> {
        self.found
    }

    /// A switch: a boolean or one of the usual words. Numbers are no switches.
    pub(super) fn switch(&mut self, key: &str, value: &Value, usual: bool) -> bool {
        match value {
            Value::Null => usual,
            Value::Bool(on) => *on,
            Value::String(word) => parse_switch(word).unwrap_or_else(|| {
                self.add(key, format!("{word:?} is neither yes nor no; {usual} holds"));
                usual
            }),
            other => {
                self.add(key, format!("{other} is neither true nor false; {usual} holds"));
                usual
            }
        }
    }

    /// A number, also one written as text.
    pub(super) fn number(&mut self, key: &str, value: &Value) -> Option<f64> {
        let parsed = match value {
            Value::Null => return None,
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let finite = parsed.filter(|number: &f64| number.is_finite());
        if finite.is_none() {
            self.add(key, format!("{} is no number; the default holds", shown(value)));
        }
        finite
    }

    /// A time in seconds that must be above zero.
    pub(super) fn seconds(&mut self, key: &str, value: &Value, usual: Duration) -> Duration {
        match self.number(key, value) {
            None => usual,
            Some(seconds) if seconds > 0.0 => bounded_seconds(seconds),
            Some(_) => {
                self.add(key, format!("must be above zero; {} s holds", usual.as_secs()));
                usual
            }
        }
    }

    /// A time in seconds, where zero means never.
    pub(super) fn limit(&mut self, key: &str, value: &Value) -> Option<Duration> {
        let seconds = self.number(key, value)?;
        if seconds < 0.0 {
            self.add(key, "is negative; there is no such limit");
            return None;
        }
        (seconds > 0.0).then(|| bounded_seconds(seconds))
    }

    /// A whole number of at least zero.
    pub(super) fn count(&mut self, key: &str, value: &Value, usual: u64) -> u64 {
        match self.number(key, value) {
            None => usual,
            Some(number) if number >= 0.0 => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a float above the range becomes the largest count"
                )]
                let count = number as u64;
                count
            }
            Some(_) => {
                self.add(key, format!("is negative; {usual} holds"));
                usual
            }
        }
    }

    /// A text; numbers and switches count as their text.
    pub(super) fn text(&mut self, key: &str, value: &Value) -> Option<String> {
        let text = scalar_text(value);
        if text.is_none() && !value.is_null() {
            self.add(key, "is no text; it is left out");
        }
        text
    }

    /// One text or a list of texts; none when absent or of another kind.
    pub(super) fn texts(&mut self, key: &str, value: &Value) -> Option<Vec<String>> {
        match value {
            Value::Null => None,
            Value::String(text) => Some(vec![text.clone()]),
            Value::Array(items) => Some(items.iter().map(item_text).collect()),
            _ => {
                self.add(key, "is neither a text nor a list; it is left out");
                None
            }
        }
    }

    /// Names with texts.
    pub(super) fn pairs(&mut self, key: &str, value: &Value) -> Vec<(String, String)> {
        match value {
            Value::Null => Vec::new(),
            Value::Object(map) => map
                .iter()
                .filter_map(|(name, value)| {
                    let text = self.text(&format!("{key}.{name}"), value)?;
                    Some((name.clone(), text))
                })
                .collect(),
            _ => {
                self.add(key, "is no map of names and values; it is left out");
                Vec::new()
            }
        }
    }
}

/// A century: above it, times overflow clocks.
const LONGEST_SECONDS: f64 = 3.2e9;

fn bounded_seconds(seconds: f64) -> Duration {
    Duration::from_secs_f64(seconds.min(LONGEST_SECONDS))
}

fn parse_switch(word: &str) -> Option<bool> {
    match word.trim().to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "on" => Some(true),
        "false" | "0" | "no" | "off" => Some(false),
        _ => None,
    }
}

fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

fn item_text(item: &Value) -> String {
    scalar_text(item).unwrap_or_else(|| item.to_string())
}

/// A value for a message, short.
fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 40 {
        text
    } else {
        text.chars().take(40).collect::<String>() + "…"
    }
}

#[expect(clippy::expect_used, reason = "a constant pattern, compiled in a test")]
static PLACEHOLDER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\$\{\s*(?:env:)?([^}]*)\}").expect("the pattern is a constant"));

/// Replaces `${NAME}` and `${env:NAME}` in every text of a value. Keys stay as they are, and so does
/// a placeholder whose variable is unset or empty: seeing it in an error beats a silent blank.
#[must_use]
pub fn interpolate(value: &Value, vars: &Vars) -> Value {
    match value {
        Value::String(text) => Value::String(interpolate_text(text, vars)),
        Value::Array(items) => items.iter().map(|item| interpolate(item, vars)).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), interpolate(value, vars))).collect()
        }
        other => other.clone(),
    }
}

fn interpolate_text(text: &str, vars: &Vars) -> String {
    if !text.contains("${") {
        return text.to_owned();
    }
    let put = |found: &Captures<'_>| {
        let value = vars.get(found[1].trim()).filter(|value| !value.is_empty());
        value.unwrap_or(&found[0]).to_owned()
    };
    PLACEHOLDER.replace_all(text, put).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn vars(pairs: &[(&str, &str)]) -> Vars {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn both_spellings_of_a_placeholder_are_replaced_and_keys_are_not() {
        let vars = vars(&[("KEY", "s3"), ("EMPTY", ""), ("odd name", "x")]);
        let value = json!({
            "${KEY}": "a ${KEY} ${env:KEY} ${ KEY } ${ env: KEY } ${odd name}",
            "list": ["${UNSET}", "${EMPTY}", "$KEY", 7, {"deep": "${KEY}"}],
        });
        let expected = json!({
            "${KEY}": "a s3 s3 s3 s3 x",
            "list": ["${UNSET}", "${EMPTY}", "$KEY", 7, {"deep": "s3"}],
        });
        assert_eq!(interpolate(&value, &vars), expected);
    }

    #[test]
    fn switches_take_words_and_no_numbers() {
        let mut problems = Problems::of("s");
        for (value, expected) in [
            (json!(" YES "), true),
            (json!("off"), false),
            (json!("1"), true),
            (json!(false), false),
            (json!(null), true),
        ] {
            assert_eq!(problems.switch("k", &value, true), expected, "{value}");
        }
        assert!(problems.found.is_empty());
        for value in [json!(1), json!(0), json!("maybe"), json!([])] {
            assert!(problems.switch("k", &value, true), "{value}");
        }
        assert_eq!(problems.found.len(), 4);
    }

    #[test]
    fn numbers_may_be_text_and_nonsense_gives_the_default() {
        let mut problems = Problems::of("s");
        let usual = Duration::from_secs(9);
        assert_eq!(problems.seconds("k", &json!(" 2.5 "), usual), Duration::from_millis(2500));
        for value in [json!("soon"), json!("inf"), json!("NaN"), json!(-1), json!(0), json!({})] {
            assert_eq!(problems.seconds("k", &value, usual), usual, "{value}");
        }
        assert_eq!(problems.limit("k", &json!(0)), None);
        assert_eq!(problems.limit("k", &json!(-3)), None);
        assert_eq!(problems.limit("k", &json!("3")), Some(Duration::from_secs(3)));
    }

    proptest! {
        #[test]
        fn text_without_placeholders_is_never_changed(text in "[^$]*") {
            prop_assert_eq!(interpolate_text(&text, &vars(&[("A", "b")])), text);
        }

        #[test]
        fn unknown_names_stay_and_nothing_panics(text in ".*\\$\\{.*\\}?.*") {
            prop_assert_eq!(interpolate_text(&text, &Vars::default()), text);
        }
    }
}
