//! Settings that are pickier than a text or a list: what they hold goes to other programs.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hermes_tool::settings::scalar::as_text;
use hermes_tool::settings::{Kind, SettingValue};
use serde_json::Value;

/// A text that becomes an argument of a program: without blanks, and not to be taken for an option.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Word(pub(super) String);

impl SettingValue for Word {
    const KIND: Kind = Kind::Text;

    fn from_config(value: &Value) -> Option<Self> {
        let text = trimmed(value)?;
        let odd =
            text.starts_with('-') || text.contains(|c: char| c.is_whitespace() || c.is_control());
        (!odd).then_some(Self(text))
    }

    fn expected() -> String {
        "a name without blanks or a leading '-'".to_owned()
    }

    fn to_config(&self) -> String {
        self.0.clone()
    }
}

/// A list of which no item may be left out. In the file a single text is a list of one.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Texts(pub(super) Vec<String>);

impl SettingValue for Texts {
    const KIND: Kind = Kind::TextList;

    fn from_config(value: &Value) -> Option<Self> {
        match unpacked(value).as_ref() {
            Value::Array(items) => items.iter().map(trimmed).collect::<Option<_>>().map(Self),
            Value::String(text) => Some(Self(vec![text.clone()])),
            _ => None,
        }
    }

    fn from_variable(text: &str) -> Option<Self> {
        let items: Vec<Value> = serde_json::from_str(text).ok()?;
        Self::from_config(&Value::Array(items))
    }

    fn to_config(&self) -> String {
        self.0.to_config()
    }
}

/// Mounts as docker takes them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Mounts(pub(super) Vec<String>);

impl Mounts {
    fn of(texts: Texts) -> Option<Self> {
        texts.0.iter().all(|mount| mount.contains(':')).then_some(Self(texts.0))
    }
}

impl SettingValue for Mounts {
    const KIND: Kind = Texts::KIND;

    fn from_config(value: &Value) -> Option<Self> {
        Texts::from_config(value).and_then(Self::of)
    }

    fn from_variable(text: &str) -> Option<Self> {
        Texts::from_variable(text).and_then(Self::of)
    }

    fn expected() -> String {
        "a list of texts, each a mount written as source:target".to_owned()
    }

    fn to_config(&self) -> String {
        self.0.to_config()
    }
}

/// Variables of a container. A value that is neither text, number nor boolean, and a name that could not be a
/// variable's, are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct VariableMap(pub(super) BTreeMap<String, String>);

impl SettingValue for VariableMap {
    const KIND: Kind = Kind::Map;

    fn from_config(value: &Value) -> Option<Self> {
        let value = unpacked(value);
        let entries = value.as_object()?.iter().filter(|(name, _)| is_variable_name(name));
        Some(Self(
            entries.filter_map(|(name, value)| Some((name.clone(), trimmed(value)?))).collect(),
        ))
    }

    fn expected() -> String {
        "a section of names and texts".to_owned()
    }

    fn to_config(&self) -> String {
        "{}".to_owned()
    }
}

/// Paths, each a text or a section with a `path`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Paths(pub(super) Vec<String>);

impl SettingValue for Paths {
    const KIND: Kind = Kind::List;

    fn from_config(value: &Value) -> Option<Self> {
        let value = unpacked(value);
        let items = match value.as_ref() {
            Value::Array(items) => items.as_slice(),
            single => std::slice::from_ref(single),
        };
        let path = |item: &Value| Some(item.get("path").unwrap_or(item).as_str()?.to_owned());
        items.iter().map(path).collect::<Option<_>>().map(Self)
    }

    fn expected() -> String {
        "a list of paths".to_owned()
    }

    fn to_config(&self) -> String {
        self.0.to_config()
    }
}

/// Whether a variable can have this name.
pub(super) fn is_variable_name(name: &str) -> bool {
    let is_part = |c: char| c == '_' || c.is_ascii_alphanumeric();
    !name.is_empty() && name.chars().all(is_part) && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn trimmed(value: &Value) -> Option<String> {
    as_text(value).map(|text| text.trim().to_owned())
}

/// What is written, with JSON in a text of the file taken as what it says.
fn unpacked(value: &Value) -> Cow<'_, Value> {
    let json = value.as_str().filter(|text| text.trim_start().starts_with(['[', '{']));
    match json.and_then(|json| serde_json::from_str(json).ok()) {
        Some(value) => Cow::Owned(value),
        None => Cow::Borrowed(value),
    }
}
