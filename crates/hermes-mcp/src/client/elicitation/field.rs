//! One field of a form: what it takes, and how typed text becomes its value.
//!
//! [`Field::parse`] is for what people type: choices by number or title, yes and no in several words.
//! [`Field::check`] is for values, wherever they come from: entered, or a default of the server's. Both say in a
//! line what is wrong. Formats are looked at just closely enough to catch slips.

use serde_json::{Number, Value};

/// One thing a server wants to know from the person, with what it accepts.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The server's name for it.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it is about.
    pub description: Option<String>,
    /// What it takes.
    pub kind: FieldKind,
    /// Whether it has to be filled in.
    pub is_required: bool,
    /// What is sent when it is left alone.
    pub default: Option<Value>,
}

/// What a field takes.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldKind {
    /// Text.
    Text {
        /// What kind of text: `email`, `uri`, `date`, `date-time`, `password` …
        format: Option<String>,
        /// How many characters.
        length: FieldLimits,
    },
    /// A whole number.
    Integer(FieldLimits),
    /// A number.
    Number(FieldLimits),
    /// Yes or no.
    Boolean,
    /// One of several.
    One(Vec<FieldChoice>),
    /// Any of several.
    Many {
        /// What there is to choose from.
        choices: Vec<FieldChoice>,
        /// How many have to be chosen.
        count: FieldLimits,
    },
}

/// One of several answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChoice {
    /// What is sent.
    pub value: String,
    /// What is shown.
    pub title: String,
}

/// The least and the most of something.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FieldLimits {
    /// Not less than this.
    pub least: Option<f64>,
    /// Not more than this.
    pub most: Option<f64>,
}

impl FieldLimits {
    fn check(self, value: f64, of: &str) -> Result<(), String> {
        match self {
            Self { least: Some(least), .. } if value < least => {
                Err(format!("at least {least}{of}, please"))
            }
            Self { most: Some(most), .. } if value > most => {
                Err(format!("at most {most}{of}, please"))
            }
            _ => Ok(()),
        }
    }
}

impl Field {
    /// What people call it.
    #[must_use]
    pub fn label(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }

    /// Whether what is typed must not be seen.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        matches!(&self.kind, FieldKind::Text { format: Some(format), .. } if format == "password")
    }

    /// What to enter, in a word or two; choices are not repeated.
    #[must_use]
    pub fn hint(&self) -> String {
        match &self.kind {
            FieldKind::Text { format: Some(format), .. } => format.clone(),
            FieldKind::Text { .. } => "text".to_owned(),
            FieldKind::Integer(limits) => format!("whole number{}", range(*limits)),
            FieldKind::Number(limits) => format!("number{}", range(*limits)),
            FieldKind::Boolean => "yes or no".to_owned(),
            FieldKind::One(_) => "one of these".to_owned(),
            FieldKind::Many { .. } => "any of these, separated by commas".to_owned(),
        }
    }

    /// The value of typed text.
    ///
    /// # Errors
    ///
    /// A line for the person when it does not fit.
    pub fn parse(&self, typed: &str) -> Result<Value, String> {
        let trimmed = typed.trim();
        let value = match &self.kind {
            FieldKind::Text { .. } if self.is_secret() => Value::from(typed),
            FieldKind::Text { .. } => Value::from(trimmed),
            FieldKind::Integer(_) => Value::from(
                trimmed.parse::<i64>().map_err(|_| "a whole number, please".to_owned())?,
            ),
            FieldKind::Number(_) => number(trimmed).ok_or("a number, please")?,
            FieldKind::Boolean => Value::from(yes_or_no(trimmed).ok_or("yes or no, please")?),
            FieldKind::One(choices) => Value::from(chosen(choices, trimmed)?),
            FieldKind::Many { choices, .. } => trimmed
                .split(',')
                .map(str::trim)
                .filter(|word| !word.is_empty())
                .map(|word| chosen(choices, word))
                .collect::<Result<Vec<_>, _>>()?
                .into(),
        };
        self.check(&value)?;
        Ok(value)
    }

    /// Whether a value fits.
    ///
    /// # Errors
    ///
    /// A line for the person when it does not.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        match (&self.kind, value) {
            #[expect(clippy::cast_precision_loss, reason = "no text is that long")]
            (FieldKind::Text { format, length }, Value::String(text)) => {
                length.check(text.chars().count() as f64, " characters")?;
                format.as_deref().map_or(Ok(()), |format| check_format(format, text))
            }
            (FieldKind::Integer(limits), Value::Number(number)) if is_whole(number) => {
                limits.check(number.as_f64().unwrap_or_default(), "")
            }
            (FieldKind::Number(limits), Value::Number(number)) => {
                limits.check(number.as_f64().unwrap_or_default(), "")
            }
            (FieldKind::Boolean, Value::Bool(_)) => Ok(()),
            (FieldKind::One(choices), Value::String(text)) => among(choices, text),
            #[expect(clippy::cast_precision_loss, reason = "no list is that long")]
            (FieldKind::Many { choices, count }, Value::Array(values)) => {
                for value in values {
                    among(choices, value.as_str().ok_or("a list of choices, please")?)?;
                }
                count.check(values.len() as f64, " of these")
            }
            _ => Err(format!("{}, please", self.hint())),
        }
    }

    /// A value as people would type it.
    #[must_use]
    pub fn show(&self, value: &Value) -> String {
        match value {
            Value::String(_) if self.is_secret() => "•••".to_owned(),
            Value::String(text) => text.clone(),
            Value::Bool(true) => "yes".to_owned(),
            Value::Bool(false) => "no".to_owned(),
            Value::Array(values) => {
                values.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        }
    }
}

fn range(limits: FieldLimits) -> String {
    match limits {
        FieldLimits { least: Some(least), most: Some(most) } => format!(" from {least} to {most}"),
        FieldLimits { least: Some(least), most: None } => format!(", at least {least}"),
        FieldLimits { least: None, most: Some(most) } => format!(", at most {most}"),
        FieldLimits { least: None, most: None } => String::new(),
    }
}

fn is_whole(number: &Number) -> bool {
    number.as_f64().is_some_and(|value| value.fract() == 0.0)
}

fn number(text: &str) -> Option<Value> {
    if let Ok(whole) = text.parse::<i64>() {
        return Some(Value::from(whole));
    }
    let value = text.parse::<f64>().ok()?;
    Number::from_f64(value).map(Value::Number)
}

fn yes_or_no(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "y" | "yes" | "true" | "on" | "1" => Some(true),
        "n" | "no" | "false" | "off" | "0" => Some(false),
        _ => None,
    }
}

fn among(choices: &[FieldChoice], value: &str) -> Result<(), String> {
    match choices.iter().any(|choice| choice.value == value) {
        true => Ok(()),
        false => Err(format!("{value:?} is not one of the choices")),
    }
}

/// A choice by its value, its title in any case, or its number in the list.
fn chosen(choices: &[FieldChoice], typed: &str) -> Result<String, String> {
    let by_value = choices.iter().find(|choice| choice.value == typed);
    let by_title = || choices.iter().find(|choice| choice.title.eq_ignore_ascii_case(typed));
    let by_number = || choices.get(typed.parse::<usize>().ok()?.checked_sub(1)?);
    by_value
        .or_else(by_title)
        .or_else(by_number)
        .map(|choice| choice.value.clone())
        .ok_or_else(|| format!("{typed:?} is not one of the choices"))
}

/// Catches slips, not every wrong address: the server checks for itself.
fn check_format(format: &str, text: &str) -> Result<(), String> {
    let is_right = match format {
        "email" => text.split_once('@').is_some_and(|(name, host)| {
            !name.is_empty() && !host.is_empty() && !host.contains(['@', ' '])
        }),
        "uri" => url::Url::parse(text).is_ok(),
        "date" => text.parse::<jiff::civil::Date>().is_ok(),
        "date-time" => text.parse::<jiff::Timestamp>().is_ok(),
        _ => true,
    };
    if is_right { Ok(()) } else { Err(format!("that is no {format}")) }
}
