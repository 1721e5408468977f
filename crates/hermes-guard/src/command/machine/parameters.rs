//! Values of variables and what braces do to them.

use std::rc::Rc;

use super::state::{Positional, Value, Variable};
use super::words::{Building, Glue};
use super::{Here, Machine};
use crate::command::call::{HOLE, Taint};
use crate::command::glob;
use crate::shell::{Operation, Parameter};

/// What a variable is known to hold.
enum Found {
    Text(Rc<str>),
    List(Rc<[Rc<str>]>),
    /// Set to something unknown.
    Unknown,
    /// Not set by the text: empty, or whatever the environment has.
    Unset,
}

/// Where programs are found on most systems, for texts that cut letters out of it.
const USUAL_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

impl Machine<'_> {
    pub(super) fn parameter(
        &mut self,
        here: Here<'_, '_>,
        parameter: &Parameter<'_>,
        quoted: bool,
        building: &mut Building,
    ) {
        let indirect;
        let mut name = parameter.name;
        if parameter.indirect {
            match self.find(parameter.name) {
                (Found::Text(text), _) => indirect = text,
                _ => return building.hole(),
            }
            name = &indirect;
        }
        let (found, taint) = self.find(name);
        building.taint = building.taint.and(taint);
        let found = match (found, parameter.index) {
            (Found::List(list), Some("@" | "*")) => Found::List(list),
            (Found::List(list), index) if name != "@" && name != "*" => {
                let at = index.map_or(Some(0), |index| index.parse::<usize>().ok());
                match at.map(|at| list.get(at).cloned()) {
                    Some(Some(text)) => Found::Text(text),
                    Some(None) => Found::Text(Rc::from("")),
                    None => Found::Unknown,
                }
            }
            (found, _) => found,
        };
        self.operate(here, parameter, (name, found), quoted, building);
    }

    fn operate(
        &mut self,
        here: Here<'_, '_>,
        parameter: &Parameter<'_>,
        (name, found): (&str, Found),
        quoted: bool,
        building: &mut Building,
    ) {
        let argument = parameter.arguments.first();
        match parameter.operation {
            Operation::Value | Operation::Require | Operation::Other => {
                for word in &parameter.arguments {
                    self.scalar(here, word);
                }
                self.push_value(parameter, &found, quoted, building);
            }
            Operation::Default => match (&found, argument) {
                (Found::Text(text), Some(word)) if text.is_empty() => {
                    self.inner(here, word, building);
                }
                (Found::Unset, Some(word)) => {
                    let before = building.text.len();
                    self.inner(here, word, building);
                    // `${x:-}` guards against an error; the environment may still have a value.
                    if building.text.len() == before {
                        building.hole();
                    }
                }
                _ => self.push_value(parameter, &found, quoted, building),
            },
            Operation::Alternative => match (&found, argument) {
                (Found::Text(text), Some(word)) if !text.is_empty() => {
                    self.inner(here, word, building);
                }
                (Found::Text(_), _) => {}
                (_, Some(word)) => {
                    self.scalar(here, word);
                    building.hole();
                }
                _ => building.hole(),
            },
            Operation::Length => building.hole(),
            _ => {
                let mut arguments = Vec::new();
                for word in &parameter.arguments {
                    arguments.push(self.scalar(here, word).0);
                }
                let text = match (&found, name) {
                    (Found::Text(text), "HOME" | "PWD") if text.starts_with('~') => {
                        let home = self.facts.around.home.unwrap_or("/home/user");
                        Some(Rc::from(text.replacen('~', home, 1)))
                    }
                    (Found::Text(text), _) => Some(text.clone()),
                    (Found::Unset, "PATH") => Some(Rc::from(USUAL_PATH)),
                    _ => None,
                };
                let pattern = arguments.first().map_or(0, String::len);
                match text.filter(|text| self.charge(cost(text.len(), pattern))) {
                    Some(text) => match changed(&text, parameter.operation, &arguments) {
                        Some(text) => {
                            building.value(&text, quoted, self.separators().as_ref());
                        }
                        None => building.hole(),
                    },
                    None => replaced_unknown(parameter.operation, &arguments, building),
                }
            }
        }
    }

    fn push_value(
        &self,
        parameter: &Parameter<'_>,
        found: &Found,
        quoted: bool,
        building: &mut Building,
    ) {
        match found {
            Found::Text(text) => building.value(text, quoted, self.separators().as_ref()),
            Found::List(list) => {
                let star = parameter.name == "*" || parameter.index == Some("*");
                let glue = if star && quoted { Glue::Blank } else { Glue::Apart };
                building.list(list.iter().map(AsRef::as_ref), glue);
            }
            Found::Unknown | Found::Unset => building.hole(),
        }
    }

    fn find(&self, name: &str) -> (Found, Taint) {
        if let Some(Variable { value, taint }) = self.state.get(name) {
            let found = match value {
                Value::Text(text) => Found::Text(text.clone()),
                Value::List(list) => Found::List(list.clone()),
                Value::Unknown => Found::Unknown,
            };
            return (found, *taint);
        }
        let around = self.facts.around;
        let text =
            |text: Option<&str>| text.map_or(Found::Unset, |text| Found::Text(Rc::from(text)));
        let found = match name {
            "HOME" => text(Some("~")),
            "HERMES_HOME" => text(Some("~/.hermes")),
            "IFS" => text(Some(" \t\n")),
            "SHELL" | "BASH" => text(Some("/bin/bash")),
            "PWD" => text(self.facts.cwd.as_deref()),
            "USER" | "LOGNAME" => text(around.user),
            "TMPDIR" => text(around.temp_dir),
            _ => self.positional(name),
        };
        (found, Taint::NONE)
    }

    fn positional(&self, name: &str) -> Found {
        let first = name.bytes().next().unwrap_or_default();
        if !matches!(first, b'@' | b'*' | b'0'..=b'9') {
            return Found::Unset;
        }
        let list = match &self.state.positional {
            Positional::Known(list) => list,
            Positional::Unknown => return Found::Unknown,
            Positional::Empty => {
                return match first {
                    b'0' => Found::Text(Rc::from("bash")),
                    b'@' | b'*' => Found::List(Rc::from([])),
                    _ => Found::Text(Rc::from("")),
                };
            }
        };
        match name.parse::<usize>() {
            Ok(at) => Found::Text(list.get(at).cloned().unwrap_or_else(|| Rc::from(""))),
            Err(_) => Found::List(list.get(1..).unwrap_or_default().into()),
        }
    }
}

/// Replacing in something unknown leaves the replacement somewhere in something unknown.
fn replaced_unknown(operation: Operation, arguments: &[String], building: &mut Building) {
    let replacement = match operation {
        Operation::ReplaceOne | Operation::ReplaceAll => arguments.get(1),
        _ => None,
    };
    match (arguments.first().map(String::as_str), replacement) {
        (Some("*"), Some(replacement)) => building.text.push_str(replacement),
        (_, Some(replacement)) => {
            building.hole();
            building.text.push_str(replacement);
            building.hole();
        }
        _ => building.hole(),
    }
}

/// A known value after an operation; `None` when the outcome is not certain.
fn changed(text: &str, operation: Operation, arguments: &[String]) -> Option<String> {
    let argument = arguments.first().map_or("", String::as_str);
    if text.contains(HOLE) || argument.contains(HOLE) {
        return None;
    }
    match operation {
        Operation::Upper => Some(text.to_uppercase()),
        Operation::Lower => Some(text.to_lowercase()),
        Operation::UpperFirst => Some(first(text, |char| char.to_uppercase().collect())),
        Operation::LowerFirst => Some(first(text, |char| char.to_lowercase().collect())),
        Operation::Cut => cut(text, argument, arguments.get(1).map(String::as_str)),
        Operation::ReplaceOne | Operation::ReplaceAll => {
            let with = arguments.get(1).map_or("", String::as_str);
            replace(text, argument, with, operation)
        }
        _ => trim(text, argument, operation),
    }
}

fn first(text: &str, change: impl Fn(char) -> String) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(change).unwrap_or_default();
    first + chars.as_str()
}

fn cut(text: &str, start: &str, len: Option<&str>) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let total = i64::try_from(chars.len()).ok()?;
    let number = |text: &str| text.trim().trim_matches(['(', ')']).trim().parse::<i64>().ok();
    let start = number(start)?;
    let start = if start < 0 { total + start } else { start }.clamp(0, total);
    let end = match len {
        None => total,
        Some(len) => match number(len)? {
            len if len < 0 => total + len,
            len => start + len,
        },
    }
    .clamp(start, total);
    let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
    Some(chars[start..end].iter().collect())
}

/// Patterns on longer values are not worth their work.
const MAX_PATTERN_TEXT: usize = 64;

/// What trying a pattern everywhere in a value costs.
fn cost(text: usize, pattern: usize) -> usize {
    let short = text.min(MAX_PATTERN_TEXT);
    text + short * short * pattern.min(MAX_PATTERN_TEXT) / 4
}

fn replace(text: &str, pattern: &str, with: &str, operation: Operation) -> Option<String> {
    if glob::is_pattern(pattern) {
        if text.len() > MAX_PATTERN_TEXT || pattern.len() > MAX_PATTERN_TEXT {
            return None;
        }
        return glob::matches(pattern, text).then(|| with.to_owned());
    }
    Some(match (operation, pattern.strip_prefix('#'), pattern.strip_prefix('%')) {
        _ if pattern.is_empty() => text.to_owned(),
        (Operation::ReplaceOne, Some(prefix), _) => text
            .strip_prefix(prefix)
            .map_or_else(|| text.to_owned(), |rest| format!("{with}{rest}")),
        (Operation::ReplaceOne, _, Some(suffix)) => text
            .strip_suffix(suffix)
            .map_or_else(|| text.to_owned(), |rest| format!("{rest}{with}")),
        (Operation::ReplaceOne, ..) => text.replacen(pattern, with, 1),
        _ => text.replace(pattern, with),
    })
}

fn trim(text: &str, pattern: &str, operation: Operation) -> Option<String> {
    if text.len() > MAX_PATTERN_TEXT || pattern.len() > MAX_PATTERN_TEXT {
        return None;
    }
    let mut cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    cuts.push(text.len());
    let prefix = |at: &usize| glob::matches(pattern, &text[..*at]).then(|| text[*at..].to_owned());
    let suffix = |at: &usize| glob::matches(pattern, &text[*at..]).then(|| text[..*at].to_owned());
    let found = match operation {
        Operation::ShortPrefix => cuts.iter().find_map(prefix),
        Operation::LongPrefix => cuts.iter().rev().find_map(prefix),
        Operation::ShortSuffix => cuts.iter().rev().find_map(suffix),
        Operation::LongSuffix => cuts.iter().find_map(suffix),
        _ => return None,
    };
    Some(found.unwrap_or_else(|| text.to_owned()))
}
