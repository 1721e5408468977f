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

use hermes_tool::Vars;
use hermes_tool::settings::{
    Kind, RawSetting, SettingOrigin, SettingProblem, SettingValue, Settings,
};
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

    fn below(place: &str, wrong: &SettingProblem) -> Self {
        let message = format!("is {}, but must be {}", wrong.given, wrong.expected);
        let place = match &wrong.origin {
            SettingOrigin::Key(key) if key.starts_with('[') => format!("{place}{key}"),
            SettingOrigin::Key(key) => format!("{place}.{key}"),
            SettingOrigin::Variable(_) => place.to_owned(),
        };
        Self { place, message }
    }
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// What the configuration defines.
#[derive(Settings)]
pub(crate) struct CustomToolsets {
    /// Your own toolsets by name.
    pub(crate) custom_toolsets: RawSetting<BTreeMap<String, ToolsetSection>>,
}

/// One definition, written in full.
#[derive(Settings)]
#[settings(manual, about = "One toolset of your own")]
pub(crate) struct ToolsetSection {
    /// What it is for.
    description: Option<String>,
    /// Tools in it.
    tools: ToolsetNames,
    /// Other toolsets in it.
    includes: ToolsetNames,
    /// Whether it is a way to work, chosen as a whole, and no choice among others.
    posture: bool,
}

/// A list of names, or a single one.
#[derive(Default)]
struct ToolsetNames(Vec<Arc<str>>);

impl SettingValue for ToolsetNames {
    const KIND: Kind = Kind::TextList;

    fn from_config(value: &Value) -> Option<Self> {
        Self::from_written(value, &mut Vec::new())
    }

    fn from_written(value: &Value, problems: &mut Vec<SettingProblem>) -> Option<Self> {
        let items = match value {
            Value::String(name) => return Some(Self(vec![name.as_str().into()])),
            Value::Array(items) => items,
            _ => return None,
        };
        let mut names = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            match item {
                Value::String(name) => names.push(name.as_str().into()),
                other => {
                    let origin = SettingOrigin::Key(format!("[{at}]"));
                    problems.push(SettingProblem::new(origin, other, "a name"));
                }
            }
        }
        Some(Self(names))
    }

    fn expected() -> String {
        "a list of names".to_owned()
    }

    fn to_config(&self) -> String {
        "[]".to_owned()
    }
}

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
        Value::Array(_) => {
            let mut wrong = Vec::new();
            let names = ToolsetNames::from_written(value, &mut wrong).unwrap_or_default();
            problems.extend(wrong.into_iter().map(|wrong| ConfigProblem::below(place, &wrong)));
            Some(Toolset::default().with_tools(names.0))
        }
        Value::Object(fields) => Some(full_definition(place, value, fields, problems)),
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
    value: &Value,
    fields: &Map<String, Value>,
    problems: &mut Vec<ConfigProblem>,
) -> Toolset {
    let (written, wrong) = ToolsetSection::read_with_problems(value, &Vars::default());
    problems.extend(wrong.into_iter().map(|wrong| ConfigProblem::below(place, &wrong)));
    let known = ToolsetSection::keys();
    let is_known = |field: &&String| known.iter().any(|key| key.path == **field);
    for unknown in fields.keys().filter(|field| !is_known(field)) {
        let hint = closest(unknown, known.iter().map(|key| key.path.as_str()))
            .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let at = format!("{place}.{unknown}");
        problems.push(ConfigProblem::new(at, format!("no such field{hint}")));
    }
    let kind = if written.posture { ToolsetKind::Posture } else { ToolsetKind::default() };
    let described = Toolset::new(written.description.unwrap_or_default());
    Toolset { kind, ..described }.with_tools(written.tools.0).including(written.includes.0)
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
                "custom_toolsets.mixed.description: is a list, but must be a text",
                "custom_toolsets.mixed.tools[1]: is 1, but must be a name",
                "custom_toolsets.mixed.includes: is 7, but must be a list of names",
                "custom_toolsets.mixed.tols: no such field; did you mean `tools`?",
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
