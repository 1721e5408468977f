//! Finding a setting and making sense of it.
//!
//! A setting stands in the `terminal` section of `config.yaml` or in a variable. A [`Reader`] knows
//! which of the two counts, a [`Found`] turns what is there into what is needed. A key that is null
//! or blank, and a variable that is blank, count as not there.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use hermes_tool::Vars;
use serde_json::{Map, Value};

use super::error::{Origin, SettingsError, shown};

/// The section read here.
const SECTION: &str = "terminal";

/// The settings as they are written.
pub(super) struct Reader<'a> {
    section: Option<&'a Map<String, Value>>,
    vars: &'a Vars,
}

/// A setting as it is written.
#[derive(Debug)]
pub(super) struct Found<'a> {
    origin: Origin,
    raw: Raw<'a>,
}

#[derive(Debug)]
enum Raw<'a> {
    Value(&'a Value),
    Text(&'a str),
}

impl<'a> Reader<'a> {
    /// Fails if there is a `terminal` in the file that is no section.
    pub(super) fn new(config: &'a Value, vars: &'a Vars) -> Result<Self, SettingsError> {
        let section = match config.get(SECTION) {
            None | Some(Value::Null) => None,
            Some(Value::Object(section)) => Some(section),
            Some(other) => {
                let origin = Origin::Key(SECTION.to_owned());
                return Err(Found { origin, raw: Raw::Value(other) }.unusable("a section"));
            }
        };
        Ok(Self { section, vars })
    }

    /// The setting of this key. What the section says wins over the variable, which is named after
    /// the key: `TERMINAL_TIMEOUT` for `timeout`.
    pub(super) fn get(&self, key: &str) -> Option<Found<'a>> {
        self.key(key).or_else(|| self.variable(&variable_of(key)))
    }

    /// The same for a setting without a variable.
    pub(super) fn key(&self, key: &str) -> Option<Found<'a>> {
        let value = self.section?.get(key).filter(|value| match value {
            Value::Null => false,
            Value::String(text) => !text.trim().is_empty(),
            _ => true,
        })?;
        Some(Found { origin: Origin::Key(format!("{SECTION}.{key}")), raw: Raw::Value(value) })
    }

    /// The same for a setting with nothing but a variable.
    pub(super) fn variable(&self, name: &str) -> Option<Found<'a>> {
        let text = self.vars.non_blank(name)?.trim();
        Some(Found { origin: Origin::Variable(name.to_owned()), raw: Raw::Text(text) })
    }

    /// The text of a setting the backend cannot do without.
    pub(super) fn needed(&self, backend: &'static str, key: &str) -> Result<String, SettingsError> {
        match self.get(key) {
            Some(found) => found.word(),
            None => Err(SettingsError::Missing {
                backend,
                key: format!("{SECTION}.{key}"),
                variable: variable_of(key),
            }),
        }
    }

    /// Whether a setting is on, or `default`.
    pub(super) fn flag(&self, key: &str, default: bool) -> Result<bool, SettingsError> {
        self.get(key).map_or(Ok(default), |found| found.flag())
    }

    /// The list of a setting, or none.
    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, SettingsError> {
        self.get(key).map_or_else(|| Ok(Vec::new()), |found| found.texts())
    }
}

/// The variable that stands for a key.
pub(super) fn variable_of(key: &str) -> String {
    match key {
        "backend" => "TERMINAL_ENV".to_owned(),
        _ => format!("TERMINAL_{}", key.to_ascii_uppercase()),
    }
}

impl Found<'_> {
    /// A text; a number or boolean is taken as it would be written.
    pub(super) fn text(&self) -> Result<String, SettingsError> {
        self.scalar().map(Cow::into_owned).ok_or_else(|| self.unusable("a text"))
    }

    /// A text that becomes an argument of a program: without blanks, and not to be taken for an
    /// option.
    pub(super) fn word(&self) -> Result<String, SettingsError> {
        let text = self.text()?;
        let odd =
            text.starts_with('-') || text.contains(|c: char| c.is_whitespace() || c.is_control());
        if odd { Err(self.unusable("a name without blanks or a leading '-'")) } else { Ok(text) }
    }

    /// A whole number in a range.
    pub(super) fn whole(&self, range: RangeInclusive<u64>) -> Result<u64, SettingsError> {
        let text = self.scalar();
        // A file may well say 180.0 for 180.
        let text = text.as_deref().map(|text| text.strip_suffix(".0").unwrap_or(text));
        let number = text.and_then(|text| text.parse().ok());
        number.filter(|number| range.contains(number)).ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            self.unusable(&if *most == u64::MAX {
                format!("a whole number of at least {least}")
            } else {
                format!("a whole number from {least} to {most}")
            })
        })
    }

    /// A number that is not negative, of at most `most`.
    pub(super) fn number(&self, most: f64) -> Result<f64, SettingsError> {
        let number = self.scalar().and_then(|text| text.parse::<f64>().ok());
        number
            .filter(|number| (0.0..=most).contains(number))
            .ok_or_else(|| self.unusable(&format!("a number from 0 to {most}")))
    }

    /// Yes or no.
    pub(super) fn flag(&self) -> Result<bool, SettingsError> {
        self.one_of(&[
            ("true", true),
            ("false", false),
            ("yes", true),
            ("no", false),
            ("on", true),
            ("off", false),
            ("1", true),
            ("0", false),
        ])
        .map_err(|_| self.unusable("true or false"))
    }

    /// One of these words, in any letter case.
    pub(super) fn one_of<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, SettingsError> {
        let text = self.scalar();
        let found = text
            .and_then(|text| words.iter().find(|(word, _)| word.eq_ignore_ascii_case(text.trim())));
        found.map(|(_, value)| *value).ok_or_else(|| {
            let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            self.unusable(&format!("one of {}", words.join(", ")))
        })
    }

    /// A list of texts. In a variable it is written as JSON; in the file a single text is a list
    /// of one.
    pub(super) fn texts(&self) -> Result<Vec<String>, SettingsError> {
        let wrong = || self.unusable("a list of texts");
        match self.structured()?.as_ref() {
            Value::Array(items) => {
                { items.iter().map(|item| Some(scalar(item)?.into_owned())).collect::<Option<_>>() }
                    .ok_or_else(wrong)
            }
            Value::String(text) if matches!(self.raw, Raw::Value(_)) => Ok(vec![text.clone()]),
            _ => Err(wrong()),
        }
    }

    /// The names and texts of a section, or of a JSON object in a variable. A value that is
    /// neither text, number nor boolean, and a name that could not be a variable's, are left out.
    pub(super) fn variables(&self) -> Result<BTreeMap<String, String>, SettingsError> {
        match self.structured()?.as_ref() {
            Value::Object(entries) => Ok(entries
                .iter()
                .filter(|(name, _)| is_variable_name(name))
                .filter_map(|(name, value)| Some((name.clone(), scalar(value)?.into_owned())))
                .collect()),
            _ => Err(self.unusable("a section of names and texts")),
        }
    }

    /// The paths of a list, whose items are texts or sections with a `path`.
    pub(super) fn paths(&self) -> Result<Vec<String>, SettingsError> {
        let value = self.structured()?;
        let items = match value.as_ref() {
            Value::Array(items) => items.as_slice(),
            single => std::slice::from_ref(single),
        };
        let path = |item: &Value| Some(item.get("path").unwrap_or(item).as_str()?.to_owned());
        items
            .iter()
            .map(path)
            .collect::<Option<_>>()
            .ok_or_else(|| self.unusable("a list of paths"))
    }

    /// An error about this setting.
    pub(super) fn unusable(&self, expected: &str) -> SettingsError {
        let given = match &self.raw {
            Raw::Text(text) if text.starts_with(['[', '{']) => "something else".to_owned(),
            Raw::Value(Value::Array(_)) => "a list".to_owned(),
            Raw::Value(Value::Object(_)) => "a section".to_owned(),
            Raw::Value(Value::String(text)) => shown(text),
            Raw::Text(text) => shown(text),
            Raw::Value(other) => other.to_string(),
        };
        SettingsError::Unusable {
            origin: self.origin.clone(),
            given,
            expected: expected.to_owned(),
        }
    }

    fn scalar(&self) -> Option<Cow<'_, str>> {
        match &self.raw {
            Raw::Text(text) => Some(Cow::Borrowed(text)),
            Raw::Value(value) => scalar(value),
        }
    }

    /// What is written, with JSON in a text taken as what it says.
    fn structured(&self) -> Result<Cow<'_, Value>, SettingsError> {
        let json = match &self.raw {
            Raw::Text(text) => text,
            Raw::Value(Value::String(text)) if text.trim_start().starts_with(['[', '{']) => {
                text.as_str()
            }
            Raw::Value(value) => return Ok(Cow::Borrowed(value)),
        };
        serde_json::from_str(json).map(Cow::Owned).map_err(|error| SettingsError::Unusable {
            origin: self.origin.clone(),
            given: format!("not valid JSON ({error})"),
            expected: "a list or section written as JSON".to_owned(),
        })
    }
}

/// Whether a variable can have this name.
pub(super) fn is_variable_name(name: &str) -> bool {
    let is_part = |c: char| c == '_' || c.is_ascii_alphanumeric();
    !name.is_empty() && name.chars().all(is_part) && !name.starts_with(|c: char| c.is_ascii_digit())
}

fn scalar(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text.trim())),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        Value::Bool(flag) => Some(Cow::Borrowed(if *flag { "true" } else { "false" })),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}
