//! Where values come from: the configuration as read, and the variables.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};

use serde_json::Value;

use super::problem::TOP;
use super::{Kind, SettingOrigin, SettingProblem, SettingValue};
use crate::Vars;

/// What the derive knows about a field besides its type.
#[derive(Clone, Debug, Default)]
pub struct FieldSpec<'a> {
    /// Dotted path in the file; empty for what only a variable can say.
    pub path: String,
    /// The paths of older spellings, of which the first that is used counts where the newer one is not.
    pub older: Vec<String>,
    /// A variable that wins over the file.
    pub variable: Option<&'a str>,
    /// A variable that counts where the file says nothing.
    pub fallback: Option<String>,
}

/// A configuration and variables, with what was found wrong in them so far.
#[derive(Debug)]
pub struct SettingsSource<'a> {
    config: &'a Value,
    vars: &'a Vars,
    problems: Vec<SettingProblem>,
}

impl<'a> SettingsSource<'a> {
    /// Nothing has been read yet.
    #[must_use]
    pub fn new(config: &'a Value, vars: &'a Vars) -> Self {
        Self { config, vars, problems: Vec::new() }
    }

    /// What could not be used, in the order in which it was read.
    #[must_use]
    pub fn into_problems(self) -> Vec<SettingProblem> {
        self.problems
    }

    /// The value of a field, or `default` where none is given or what is given makes no sense.
    pub fn field<T: SettingValue>(&mut self, spec: &FieldSpec<'_>, default: T) -> T {
        self.given(spec, |_| true, T::expected).unwrap_or(default)
    }

    /// The same for a number that must lie in a range.
    pub fn field_in<T, B>(
        &mut self,
        spec: &FieldSpec<'_>,
        default: T,
        range: &impl RangeBounds<B>,
    ) -> T
    where
        T: SettingValue + Ranged<B>,
        B: Display,
    {
        let lies_in = |value: &T| value.lies_in(range);
        let expected = || format!("{}{}", T::expected(), in_words(range));
        self.given(spec, lies_in, expected).unwrap_or(default)
    }

    fn given<T: SettingValue>(
        &mut self,
        spec: &FieldSpec<'_>,
        is_right: impl Fn(&T) -> bool,
        expected: impl Fn() -> String,
    ) -> Option<T> {
        let (origin, written) = match self.find(spec) {
            Ok(found) => found?,
            Err(problem) => {
                // A section that is none has many fields; it is told once.
                if !self.problems.contains(&problem) {
                    self.problems.push(problem);
                }
                return None;
            }
        };
        let value = match written {
            Written::InFile(value) => {
                let mut below = Vec::new();
                let read = T::from_written(value, &mut below);
                if let SettingOrigin::Key(path) = &origin {
                    self.problems.extend(below.into_iter().map(|problem| problem.below(path)));
                }
                read
            }
            Written::InVariable(text) => T::from_variable(text),
        };
        let value = value.filter(is_right);
        if value.is_none() {
            self.problems.push(match written {
                Written::InFile(value) => SettingProblem::new(origin, value, expected()),
                Written::InVariable(text) => problem_of_variable(origin, text, T::KIND, expected()),
            });
        }
        value
    }

    /// The source that counts, if any does.
    fn find(
        &self,
        spec: &FieldSpec<'_>,
    ) -> Result<Option<(SettingOrigin, Written<'a>)>, SettingProblem> {
        let vars = self.vars;
        let variable = |name: &str| {
            let text = vars.non_blank(name)?;
            Some((SettingOrigin::Variable(name.to_owned()), Written::InVariable(text)))
        };
        if let Some(found) = spec.variable.and_then(variable) {
            return Ok(Some(found));
        }
        for path in std::iter::once(&spec.path).chain(&spec.older) {
            if let Some(value) = self.written(path)? {
                let origin = SettingOrigin::Key(path.clone());
                return Ok(Some((origin, Written::InFile(value))));
            }
        }
        Ok(spec.fallback.as_deref().and_then(variable))
    }

    /// What stands at a path. Null and blank text count as not given.
    fn written(&self, path: &str) -> Result<Option<&'a Value>, SettingProblem> {
        if path.is_empty() {
            return Ok(None);
        }
        let mut value = self.config;
        let mut walked = 0;
        for name in path.split('.') {
            value = match value {
                Value::Object(entries) => match entries.get(name) {
                    Some(value) => value,
                    None => return Ok(None),
                },
                Value::Null => return Ok(None),
                other if walked == 0 => {
                    let origin = SettingOrigin::Key(TOP.to_owned());
                    return Err(SettingProblem::new(origin, other, "a section"));
                }
                other => {
                    let origin = SettingOrigin::Key(path[..walked - 1].to_owned());
                    return Err(SettingProblem::new(origin, other, "a section"));
                }
            };
            walked += name.len() + 1;
        }
        let given = match value {
            Value::Null => false,
            Value::String(text) => !text.trim().is_empty(),
            _ => true,
        };
        Ok(given.then_some(value))
    }
}

/// What was found, where it counts.
#[derive(Clone, Copy)]
enum Written<'a> {
    InFile(&'a Value),
    InVariable(&'a str),
}

/// Lists and sections are JSON in a variable. If it is none, the message says so and shows nothing of it.
fn problem_of_variable(
    origin: SettingOrigin,
    text: &str,
    kind: Kind,
    expected: String,
) -> SettingProblem {
    let not_json = || serde_json::from_str::<Value>(text).err();
    match Some(kind).filter(|kind| kind.is_structured()).and_then(|_| not_json()) {
        Some(error) => SettingProblem {
            origin,
            given: format!("not valid JSON ({error})"),
            expected: "a list or section written as JSON".to_owned(),
        },
        None => SettingProblem::new(origin, &Value::String(text.to_owned()), expected),
    }
}

/// A range, to follow "a number".
fn in_words<B: Display>(range: &impl RangeBounds<B>) -> String {
    let most = match range.end_bound() {
        Bound::Included(most) => Some(most.to_string()),
        Bound::Excluded(limit) => Some(format!("below {limit}")),
        Bound::Unbounded => None,
    };
    match (range.start_bound(), most) {
        (Bound::Included(least) | Bound::Excluded(least), Some(most)) => {
            format!(" from {least} to {most}")
        }
        (Bound::Included(least) | Bound::Excluded(least), None) => format!(" of at least {least}"),
        (Bound::Unbounded, Some(most)) => format!(" up to {most}"),
        (Bound::Unbounded, None) => String::new(),
    }
}

/// What a range can be asked about: a number, or one that may be absent.
pub trait Ranged<B> {
    /// Whether the number, if there is one, lies in the range.
    fn lies_in(&self, range: &impl RangeBounds<B>) -> bool;
}

impl<T: PartialOrd> Ranged<T> for T {
    fn lies_in(&self, range: &impl RangeBounds<T>) -> bool {
        range.contains(self)
    }
}

impl<T: PartialOrd> Ranged<T> for Option<T> {
    fn lies_in(&self, range: &impl RangeBounds<T>) -> bool {
        self.as_ref().is_none_or(|number| range.contains(number))
    }
}
