//! The types that a setting can have.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::scalar::{as_bool, as_f64, as_i64, as_text};
use super::{FieldSpec, KeyInfo, Kind, SettingOrigin, SettingProblem, SettingsSource};

/// A type that can be read from one key.
pub trait SettingValue: Sized {
    /// What the reference and the check say may be written.
    const KIND: Kind;

    /// What one of many is for, where they stand in a list or under names of the user's choice.
    const ABOUT: &'static str = "One of them, under a name of your choice";

    /// Makes sense of what is written; `None` if it makes none.
    fn from_config(value: &Value) -> Option<Self>;

    /// The same, telling of parts that make no sense and are left out.
    fn from_written(value: &Value, _problems: &mut Vec<SettingProblem>) -> Option<Self> {
        Self::from_config(value)
    }

    /// The same for the text of a variable, where lists and sections are written as JSON.
    #[must_use]
    fn from_variable(text: &str) -> Option<Self> {
        let text = text.trim();
        match text.as_bytes().first() {
            Some(b'[' | b'{') => Self::from_config(&serde_json::from_str(text).ok()?),
            _ => Self::from_config(&Value::String(text.to_owned())),
        }
    }

    /// What a message about a wrong value says would be right, with an article. For types that are pickier than
    /// their kind.
    #[must_use]
    fn expected() -> String {
        Self::KIND.to_string()
    }

    /// The value as one would type it on a command line; empty for "nothing".
    fn to_config(&self) -> String;

    /// Keys that stand below this one.
    #[must_use]
    fn keys_below(_path: &str) -> Vec<KeyInfo> {
        Vec::new()
    }

    /// Finds the value for a field. A section goes on to its own fields, everything else is one key.
    fn read_field(spec: &FieldSpec<'_>, source: &mut SettingsSource<'_>, default: Self) -> Self {
        source.field(spec, default)
    }
}

impl SettingValue for bool {
    const KIND: Kind = Kind::Bool;

    fn from_config(value: &Value) -> Option<Self> {
        as_bool(value)
    }

    fn to_config(&self) -> String {
        self.to_string()
    }
}

macro_rules! whole_numbers {
    ($($type:ty),*) => {$(
        impl SettingValue for $type {
            const KIND: Kind = Kind::Integer;

            fn from_config(value: &Value) -> Option<Self> {
                as_i64(value).and_then(|number| number.try_into().ok())
            }

            fn to_config(&self) -> String {
                self.to_string()
            }
        }
    )*};
}

whole_numbers!(u16, u32, u64, usize, i64);

impl SettingValue for f64 {
    const KIND: Kind = Kind::Number;

    fn from_config(value: &Value) -> Option<Self> {
        as_f64(value)
    }

    fn to_config(&self) -> String {
        self.to_string()
    }
}

impl SettingValue for String {
    const KIND: Kind = Kind::Text;

    fn from_config(value: &Value) -> Option<Self> {
        as_text(value)
    }

    fn from_variable(text: &str) -> Option<Self> {
        Some(text.to_owned())
    }

    fn to_config(&self) -> String {
        self.clone()
    }
}

impl SettingValue for Vec<String> {
    const KIND: Kind = Kind::TextList;

    /// A single text is a list of one; items that are no texts are left out, and the check names them.
    fn from_config(value: &Value) -> Option<Self> {
        match value {
            Value::Array(items) => Some(items.iter().filter_map(as_text).collect()),
            single => as_text(single).map(|text| vec![text]),
        }
    }

    fn from_variable(text: &str) -> Option<Self> {
        Self::from_config(&serde_json::from_str(text).ok()?)
    }

    fn to_config(&self) -> String {
        format!("[{}]", self.join(", "))
    }
}

impl SettingValue for Vec<Value> {
    const KIND: Kind = Kind::List;

    fn from_config(value: &Value) -> Option<Self> {
        value.as_array().cloned()
    }

    fn to_config(&self) -> String {
        Value::Array(self.clone()).to_string()
    }
}

impl SettingValue for Map<String, Value> {
    const KIND: Kind = Kind::Map;

    fn from_config(value: &Value) -> Option<Self> {
        value.as_object().cloned()
    }

    fn to_config(&self) -> String {
        Value::Object(self.clone()).to_string()
    }
}

impl<T: SettingValue> SettingValue for BTreeMap<String, T> {
    const KIND: Kind = Kind::Map;

    fn from_config(value: &Value) -> Option<Self> {
        Self::from_written(value, &mut Vec::new())
    }

    /// Entries that make no sense are left out.
    fn from_written(value: &Value, problems: &mut Vec<SettingProblem>) -> Option<Self> {
        let entries = value.as_object()?.iter();
        let read = entries.filter_map(|(name, entry)| {
            Some((name.clone(), read_entry(name.clone(), entry, problems)?))
        });
        Some(read.collect())
    }

    fn to_config(&self) -> String {
        "{}".to_owned()
    }

    fn keys_below(path: &str) -> Vec<KeyInfo> {
        keys_of_entries::<T>(path)
    }
}

/// One of many, and what is wrong with it or in it. Nothing is as good as not there.
pub(super) fn read_entry<T: SettingValue>(
    name: String,
    entry: &Value,
    problems: &mut Vec<SettingProblem>,
) -> Option<T> {
    if entry.is_null() {
        return None;
    }
    let mut below = Vec::new();
    let read = T::from_written(entry, &mut below);
    problems.extend(below.into_iter().map(|problem| problem.below(&name)));
    if read.is_none() {
        problems.push(SettingProblem::new(SettingOrigin::Key(name), entry, T::expected()));
    }
    read
}

/// The keys of many under one: `*` stands for the name, or for the place in a list.
pub(super) fn keys_of_entries<T: SettingValue>(path: &str) -> Vec<KeyInfo> {
    let path = format!("{path}.*");
    let below = T::keys_below(&path);
    let entry = KeyInfo {
        path,
        kind: T::KIND,
        default: String::new(),
        about: T::ABOUT,
        variable: None,
        hidden: false,
    };
    std::iter::once(entry).chain(below).collect()
}

impl SettingValue for Value {
    const KIND: Kind = Kind::Any;

    fn from_config(value: &Value) -> Option<Self> {
        Some(value.clone())
    }

    fn to_config(&self) -> String {
        if self.is_null() { String::new() } else { self.to_string() }
    }
}

impl<T: SettingValue> SettingValue for Option<T> {
    const KIND: Kind = T::KIND;

    const ABOUT: &'static str = T::ABOUT;

    fn from_config(value: &Value) -> Option<Self> {
        T::from_config(value).map(Some)
    }

    fn from_written(value: &Value, problems: &mut Vec<SettingProblem>) -> Option<Self> {
        T::from_written(value, problems).map(Some)
    }

    fn from_variable(text: &str) -> Option<Self> {
        T::from_variable(text).map(Some)
    }

    fn expected() -> String {
        T::expected()
    }

    fn to_config(&self) -> String {
        self.as_ref().map(T::to_config).unwrap_or_default()
    }

    fn keys_below(path: &str) -> Vec<KeyInfo> {
        T::keys_below(path)
    }
}
