//! Variables in a server's entry, and what is told about a key that cannot be used.

use std::sync::LazyLock;

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
