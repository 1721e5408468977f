//! Reading toolset definitions out of the configuration.
//!
//! ```yaml
//! custom_toolsets:
//!   lab:
//!     description: Instruments and notes
//!     tools: [measure, read_file]
//!     includes: [web]
//!   quick: [terminal, read_file]      # just the tools
//! ```
//!
//! A file that people edit by hand has slips in it. None of them stops anything: the part that
//! makes no sense is left out, a [`ConfigProblem`] says where it stands and what would be right,
//! and everything else counts. Whether the tools exist is not asked.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::name::check_name;
use super::suggest::closest;
use super::{Toolset, ToolsetKind};

/// Something in the configuration that was left out, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigProblem {
    /// Where it stands, as a dotted path of keys.
    pub place: String,
    /// What is wrong with it and what would be right.
    pub message: String,
}

impl ConfigProblem {
    pub(crate) fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

const FIELDS: [&str; 4] = ["description", "tools", "includes", "posture"];

/// The definitions under `custom_toolsets`, and whatever could not be used.
pub(super) fn definitions(
    toolsets: &Value,
) -> (BTreeMap<Arc<str>, Arc<Toolset>>, Vec<ConfigProblem>) {
    let mut found = BTreeMap::new();
    let mut problems = Vec::new();
    match toolsets {
        // A list selects toolsets for the session; that is somebody else's to read.
        Value::Null | Value::Array(_) => {}
        Value::Object(entries) => {
            for (name, value) in entries {
                let place = format!("custom_toolsets.{name}");
                if let Err(reserved) = check_name(name) {
                    problems.push(ConfigProblem::new(place, reserved.to_string()));
                } else if let Some(toolset) = definition(&place, value, &mut problems) {
                    found.insert(name.as_str().into(), Arc::new(toolset));
                }
            }
        }
        other => problems.push(ConfigProblem::new(
            "custom_toolsets",
            format!("expected definitions by name, found {}", kind_of(other)),
        )),
    }
    (found, problems)
}

fn definition(place: &str, value: &Value, problems: &mut Vec<ConfigProblem>) -> Option<Toolset> {
    match value {
        // Short form: just the tools.
        Value::Array(_) => Some(Toolset::default().with_tools(names(place, value, problems))),
        Value::Object(fields) => Some(full_definition(place, fields, problems)),
        other => {
            let message =
                format!("expected `description`, `tools` and `includes`, found {}", kind_of(other));
            problems.push(ConfigProblem::new(place, message));
            None
        }
    }
}

fn full_definition(
    place: &str,
    fields: &Map<String, Value>,
    problems: &mut Vec<ConfigProblem>,
) -> Toolset {
    let mut toolset = Toolset::default();
    for (field, value) in fields {
        let at = format!("{place}.{field}");
        match (field.as_str(), value) {
            ("description", Value::String(text)) => toolset.description = text.as_str().into(),
            ("tools", _) => toolset = toolset.with_tools(names(&at, value, problems)),
            ("includes", _) => toolset = toolset.including(names(&at, value, problems)),
            ("posture", Value::Bool(true)) => toolset.kind = ToolsetKind::Posture,
            ("description", Value::Null) | ("posture", Value::Bool(false) | Value::Null) => {}
            ("description", other) => {
                let message = format!("expected text, found {}", kind_of(other));
                problems.push(ConfigProblem::new(at, message));
            }
            ("posture", other) => {
                let message = format!("expected true or false, found {}", kind_of(other));
                problems.push(ConfigProblem::new(at, message));
            }
            (unknown, _) => {
                let hint = closest(unknown, FIELDS)
                    .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                problems.push(ConfigProblem::new(at, format!("no such field{hint}")));
            }
        }
    }
    toolset
}

/// A list of names, or a single one.
fn names(place: &str, value: &Value, problems: &mut Vec<ConfigProblem>) -> Vec<Arc<str>> {
    let items = match value {
        Value::Null => return Vec::new(),
        Value::String(name) => return vec![name.as_str().into()],
        Value::Array(items) => items,
        other => {
            let message = format!("expected a list of names, found {}", kind_of(other));
            problems.push(ConfigProblem::new(place, message));
            return Vec::new();
        }
    };
    let mut found = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        match item {
            Value::String(name) => found.push(name.as_str().into()),
            other => problems.push(ConfigProblem::new(
                format!("{place}[{index}]"),
                format!("expected a name, found {}", kind_of(other)),
            )),
        }
    }
    found
}

/// What a value is, in words that fit "found …".
pub(crate) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn texts(problems: &[ConfigProblem]) -> Vec<String> {
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn reads_full_and_short_definitions() {
        let (found, problems) = definitions(&json!({
            "lab": {"description": "Lab work", "tools": ["b", "a"], "includes": ["web"]},
            "short": ["x"],
            "mode": {"tools": "terminal", "posture": true},
        }));
        assert_eq!(problems, []);
        let lab = Toolset::new("Lab work").with_tools(["a", "b"]).including(["web"]);
        assert_eq!(*found["lab"], lab);
        assert_eq!(*found["short"], Toolset::default().with_tools(["x"]));
        assert_eq!(found["mode"].kind, ToolsetKind::Posture);
    }

    #[test]
    fn a_list_selects_and_defines_nothing() {
        assert_eq!(definitions(&json!(["hermes-cli"])), (BTreeMap::new(), vec![]));
        assert_eq!(definitions(&Value::Null), (BTreeMap::new(), vec![]));
    }

    #[test]
    fn reports_what_it_leaves_out_and_uses_the_rest() {
        let (found, problems) = definitions(&json!({
            "all": {"tools": ["a"]},
            "odd": 3,
            "mixed": {"tools": ["a", 1], "tols": [], "includes": 7, "description": []},
        }));
        assert_eq!(found.keys().map(|name| &**name).collect::<Vec<_>>(), ["mixed"]);
        assert_eq!(*found["mixed"], Toolset::default().with_tools(["a"]));
        assert_eq!(
            texts(&problems)[1..],
            [
                "custom_toolsets.odd: expected `description`, `tools` and `includes`, found a number",
                "custom_toolsets.mixed.tools[1]: expected a name, found a number",
                "custom_toolsets.mixed.tols: no such field; did you mean `tools`?",
                "custom_toolsets.mixed.includes: expected a list of names, found a number",
                "custom_toolsets.mixed.description: expected text, found a list",
            ]
        );
        assert_eq!(problems[0].place, "custom_toolsets.all");
    }

    #[test]
    fn something_else_under_the_key_is_reported() {
        let (found, problems) = definitions(&json!("web"));
        assert!(found.is_empty());
        assert_eq!(texts(&problems), ["custom_toolsets: expected definitions by name, found text"]);
    }
}
