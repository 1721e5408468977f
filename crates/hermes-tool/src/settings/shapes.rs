//! Types of settings with parts: lists of sections, short forms, and what is read elsewhere.

use std::fmt;
use std::marker::PhantomData;

use serde_json::Value;

use super::scalar::as_text;
use super::value::{keys_of_entries, read_entry};
use super::{KeyInfo, Kind, SettingProblem, SettingValue};

/// A list of sections, or of whatever else has parts of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Entries<T>(pub Vec<T>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: SettingValue> SettingValue for Entries<T> {
    const KIND: Kind = Kind::List;

    fn from_config(value: &Value) -> Option<Self> {
        Self::from_written(value, &mut Vec::new())
    }

    /// Entries that make no sense are left out.
    fn from_written(value: &Value, problems: &mut Vec<SettingProblem>) -> Option<Self> {
        let entries = value.as_array()?.iter().enumerate();
        let read = entries.filter_map(|(at, entry)| read_entry(format!("[{at}]"), entry, problems));
        Some(Self(read.collect()))
    }

    fn to_config(&self) -> String {
        "[]".to_owned()
    }

    fn keys_below(path: &str) -> Vec<KeyInfo> {
        keys_of_entries::<T>(path)
    }
}

/// A text that says the most important part, or all parts in a section.
#[derive(Clone, Debug, PartialEq)]
pub enum TextOr<T> {
    /// Just the text.
    Text(String),
    /// Everything.
    Parts(T),
}

impl<T> TextOr<T> {
    /// What is written in full, made from the text where only that is given.
    pub fn into_parts(self, from_text: impl FnOnce(String) -> T) -> T {
        match self {
            Self::Text(text) => from_text(text),
            Self::Parts(parts) => parts,
        }
    }
}

impl<T: Default> Default for TextOr<T> {
    fn default() -> Self {
        Self::Parts(T::default())
    }
}

impl<T: SettingValue> TextOr<T> {
    const PARTS: &'static Kind = &T::KIND;
}

impl<T: SettingValue> SettingValue for TextOr<T> {
    const KIND: Kind = Kind::TextOr(Self::PARTS);
    const ABOUT: &'static str = T::ABOUT;

    fn from_config(value: &Value) -> Option<Self> {
        Self::from_written(value, &mut Vec::new())
    }

    fn from_written(value: &Value, problems: &mut Vec<SettingProblem>) -> Option<Self> {
        match as_text(value) {
            Some(text) => Some(Self::Text(text.trim().to_owned())),
            None => T::from_written(value, problems).map(Self::Parts),
        }
    }

    fn to_config(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Parts(parts) => parts.to_config(),
        }
    }

    fn keys_below(path: &str) -> Vec<KeyInfo> {
        T::keys_below(path)
    }
}

/// What is written behind a key whose shape is that of `T`, for a reader of its own. That reader says what is wrong.
pub struct RawSetting<T>(pub Value, PhantomData<T>);

impl<T> Clone for RawSetting<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone(), PhantomData)
    }
}

impl<T> Default for RawSetting<T> {
    fn default() -> Self {
        Self(Value::Null, PhantomData)
    }
}

/// Shows nothing: there may be secrets in it.
impl<T> fmt::Debug for RawSetting<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawSetting").finish_non_exhaustive()
    }
}

impl<T: SettingValue> SettingValue for RawSetting<T> {
    const KIND: Kind = T::KIND;
    const ABOUT: &'static str = T::ABOUT;

    fn from_config(value: &Value) -> Option<Self> {
        Some(Self(value.clone(), PhantomData))
    }

    fn to_config(&self) -> String {
        String::new()
    }

    fn keys_below(path: &str) -> Vec<KeyInfo> {
        T::keys_below(path)
    }
}
