//! Values of variables and what braces do to them.

use std::rc::Rc;

use super::state::{HeldValue, Positional, Variable};
use super::words::{Building, Glue};
use super::{Here, Machine};
use crate::command::call::Taint;
use crate::command::facts::HOLE;
use crate::command::names::is_pattern;
use crate::shell::pattern::{PatternCase, ShellPattern};
use crate::shell::{Parameter, ParameterOperation};

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

/// Variables that name a tool where somebody has set them, with the tool that is meant.
const USUAL_TOOLS: &[(&str, &str)] = &[
    ("AR", "ar"),
    ("AWK", "awk"),
    ("BROWSER", "xdg-open"),
    ("CARGO", "cargo"),
    ("CC", "cc"),
    ("CMAKE", "cmake"),
    ("CXX", "c++"),
    ("DOCKER", "docker"),
    ("EDITOR", "vi"),
    ("FC", "gfortran"),
    ("GIT", "git"),
    ("GO", "go"),
    ("GREP", "grep"),
    ("INSTALL", "install"),
    ("JAVA", "java"),
    ("KUBECTL", "kubectl"),
    ("LD", "ld"),
    ("MAKE", "make"),
    ("NODE", "node"),
    ("NPM", "npm"),
    ("OBJCOPY", "objcopy"),
    ("OBJDUMP", "objdump"),
    ("PAGER", "less"),
    ("PERL", "perl"),
    ("PHP", "php"),
    ("PIP", "pip"),
    ("PYTHON", "python"),
    ("PYTHON3", "python3"),
    ("RANLIB", "ranlib"),
    ("RUBY", "ruby"),
    ("RUSTC", "rustc"),
    ("SED", "sed"),
    ("SSH", "ssh"),
    ("STRIP", "strip"),
    ("SUDO", "sudo"),
    ("TAR", "tar"),
    ("VISUAL", "vi"),
];

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
        if matches!(found, Found::Unset | Found::Unknown) && names_key(name) {
            building.taint = building.taint.and(Taint::KEY);
            if self.state.keys_are_loaded {
                building.taint = building.taint.and(Taint::SECRET);
            }
        }
        if name.contains("WEBHOOK") {
            building.taint = building.taint.and(Taint::ADDRESSEE);
        }
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
            ParameterOperation::Value | ParameterOperation::Require | ParameterOperation::Other => {
                let mut prompts = false;
                for word in &parameter.arguments {
                    prompts |= self.scalar(here, word).0 == "@P";
                }
                // `${x@P}` works out what is in the value, as a prompt is.
                if let (true, Found::Text(text)) = (prompts, &found) {
                    let text = format!("echo \"{}\"", text.replace('"', ""));
                    let site = super::RunSite { words: here.script.source, via: here.via };
                    self.subshell_text(&text, site, &crate::command::call::TextFlow::default());
                }
                self.push_value(parameter, &found, quoted, building);
            }
            ParameterOperation::Default => match (&found, argument) {
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
            ParameterOperation::Alternative => match (&found, argument) {
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
            ParameterOperation::Length => building.hole(),
            _ => {
                let mut arguments = Vec::new();
                for word in &parameter.arguments {
                    arguments.push(self.scalar(here, word).0);
                }
                let text = match (&found, name) {
                    (Found::Text(text), "HOME" | "PWD") if text.starts_with('~') => {
                        let home = self.facts.host.home.unwrap_or("/home/user");
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
                HeldValue::Text(text) => Found::Text(text.clone()),
                HeldValue::List(list) => Found::List(list.clone()),
                HeldValue::Unknown => Found::Unknown,
            };
            return (found, *taint);
        }
        let host = self.facts.host;
        let text =
            |text: Option<&str>| text.map_or(Found::Unset, |text| Found::Text(Rc::from(text)));
        let kept = host.shell.and_then(|shell| shell.variable(name));
        let found = match name {
            _ if kept.is_none() && self.state.earlier(name).is_some() => {
                let earlier = self.state.earlier(name);
                let taint = earlier.map_or(Taint::NONE, |earlier| earlier.taint);
                let found = earlier.and_then(|earlier| earlier.text.as_deref());
                return (found.map_or(Found::Unknown, |found| Found::Text(Rc::from(found))), taint);
            }
            "PWD" => text(self.facts.cwd.as_deref()),
            "HOME" if kept.is_none_or(|kept| Some(kept) == host.home) => text(Some("~")),
            _ if kept.is_some() => text(kept),
            "HERMES_HOME" => text(Some("~/.hermes")),
            // The process that called: whatever it is, it is not one's own.
            "PPID" => text(Some("PPID")),
            // Some number: nothing that anybody could make a path of.
            "$" | "RANDOM" | "BASHPID" | "SECONDS" | "EPOCHSECONDS" | "SRANDOM" => {
                text(Some("4711"))
            }
            "HISTFILE" => text(Some("~/.bash_history")),
            // PowerShell's start-up file.
            "PROFILE" => text(Some("Microsoft.PowerShell_profile.ps1")),
            "IFS" => text(Some(" \t\n")),
            "SHELL" | "BASH" => text(Some("/bin/bash")),
            "USER" | "LOGNAME" => text(host.user),
            "TMPDIR" | "RUNNER_TEMP" => text(host.temp_dir),
            _ => match USUAL_TOOLS.iter().find(|(variable, _)| *variable == name) {
                // Where the shell's variables are known, one that is not among them is nothing else.
                Some((_, tool)) if host.shell.is_some() => text(Some(tool)),
                _ => self.positional(name),
            },
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
fn replaced_unknown(operation: ParameterOperation, arguments: &[String], building: &mut Building) {
    let replacement = match operation {
        ParameterOperation::ReplaceOne | ParameterOperation::ReplaceAll => arguments.get(1),
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
fn changed(text: &str, operation: ParameterOperation, arguments: &[String]) -> Option<String> {
    let argument = arguments.first().map_or("", String::as_str);
    if text.contains(HOLE) || argument.contains(HOLE) {
        return None;
    }
    match operation {
        ParameterOperation::Upper => Some(text.to_uppercase()),
        ParameterOperation::Lower => Some(text.to_lowercase()),
        ParameterOperation::UpperFirst => Some(first(text, |char| char.to_uppercase().collect())),
        ParameterOperation::LowerFirst => Some(first(text, |char| char.to_lowercase().collect())),
        ParameterOperation::Cut => cut(text, argument, arguments.get(1).map(String::as_str)),
        ParameterOperation::ReplaceOne | ParameterOperation::ReplaceAll => {
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

fn replace(text: &str, pattern: &str, with: &str, operation: ParameterOperation) -> Option<String> {
    if is_pattern(pattern) {
        if text.len() > MAX_PATTERN_TEXT || pattern.len() > MAX_PATTERN_TEXT {
            return None;
        }
        let pattern = ShellPattern::new(pattern, PatternCase::Matters);
        return pattern.matches(text).then(|| with.to_owned());
    }
    Some(match (operation, pattern.strip_prefix('#'), pattern.strip_prefix('%')) {
        _ if pattern.is_empty() => text.to_owned(),
        (ParameterOperation::ReplaceOne, Some(prefix), _) => text
            .strip_prefix(prefix)
            .map_or_else(|| text.to_owned(), |rest| format!("{with}{rest}")),
        (ParameterOperation::ReplaceOne, _, Some(suffix)) => text
            .strip_suffix(suffix)
            .map_or_else(|| text.to_owned(), |rest| format!("{rest}{with}")),
        (ParameterOperation::ReplaceOne, ..) => text.replacen(pattern, with, 1),
        _ => text.replace(pattern, with),
    })
}

fn trim(text: &str, pattern: &str, operation: ParameterOperation) -> Option<String> {
    if text.len() > MAX_PATTERN_TEXT || pattern.len() > MAX_PATTERN_TEXT {
        return None;
    }
    let mut cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    cuts.push(text.len());
    let pattern = ShellPattern::new(pattern, PatternCase::Matters);
    let prefix = |at: &usize| pattern.matches(&text[..*at]).then(|| text[*at..].to_owned());
    let suffix = |at: &usize| pattern.matches(&text[*at..]).then(|| text[..*at].to_owned());
    let found = match operation {
        ParameterOperation::ShortPrefix => cuts.iter().find_map(prefix),
        ParameterOperation::LongPrefix => cuts.iter().rev().find_map(prefix),
        ParameterOperation::ShortSuffix => cuts.iter().rev().find_map(suffix),
        ParameterOperation::LongSuffix => cuts.iter().find_map(suffix),
        _ => return None,
    };
    Some(found.unwrap_or_else(|| text.to_owned()))
}

/// Whether a variable of this name holds a key or a password.
pub(super) fn names_key(name: &str) -> bool {
    const ENDS: &[&str] =
        &["_KEY", "_TOKEN", "_SECRET", "_PASSWORD", "_PASSWD", "_CREDENTIALS", "_PAT"];
    ENDS.iter().any(|end| name.ends_with(end))
        || matches!(name, "PASSWORD" | "TOKEN" | "SECRET" | "PGPASSWORD" | "APIKEY" | "MYSQL_PWD")
}
