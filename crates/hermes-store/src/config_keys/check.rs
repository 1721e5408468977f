//! Comparing a configuration with the list of known settings.
//!
//! One walk over the value. At every key the table is asked for an entry; its kind decides
//! whether the value fits and whether unknown names below it are worth a word. Suggestions come
//! from two places: a name spelt nearly the same beside the unknown one, or the very same name
//! somewhere else in the table.

use std::fmt;

use serde_json::{Map, Value};

use super::{KeyTable, Kind, table};
use crate::config::kind_of;
use crate::key_path::KeyPath;

/// Something in a configuration that looks like a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The setting, as one would type it.
    pub path: String,
    /// What is the matter.
    pub problem: Trouble,
    /// What to do about it, if that can be guessed.
    pub hint: Option<String>,
}

/// What can be the matter with a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// Nobody asks for it.
    UnknownKey,
    /// It holds something else than expected, and the default is used instead.
    WrongKind {
        /// What was expected, with an article.
        expected: String,
        /// What is there, with an article.
        found: &'static str,
    },
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            Trouble::UnknownKey => write!(f, "{} is not a known setting", self.path)?,
            Trouble::WrongKind { expected, found } => {
                write!(f, "{} is {found}, expected {expected}", self.path)?;
            }
        }
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

/// Reports unknown keys and values of the wrong kind, in the order of the file.
///
/// A null counts as "not set" everywhere. Values are never part of a finding.
pub fn check(config: &Value) -> Vec<Finding> {
    check_against(config, table())
}

/// The same with a table of one's own.
pub fn check_against(config: &Value, keys: &KeyTable) -> Vec<Finding> {
    let mut walk = Walk { keys, path: Vec::new(), findings: Vec::new() };
    if let Value::Object(map) = config {
        walk.section(map, true);
    }
    walk.findings
}

struct Walk<'a> {
    keys: &'a KeyTable,
    path: Vec<String>,
    findings: Vec<Finding>,
}

impl<'a> Walk<'a> {
    fn section(&mut self, map: &Map<String, Value>, closed: bool) {
        for (key, value) in map {
            self.path.push(key.clone());
            self.entry(value, closed);
            self.path.pop();
        }
    }

    fn entry(&mut self, value: &Value, closed: bool) {
        match self.keys.find(&self.path) {
            None if closed => self.findings.push(Finding {
                path: dotted(&self.path),
                problem: Trouble::UnknownKey,
                hint: self.did_you_mean(),
            }),
            None => {}
            Some(info) if value.is_null() || info.kind.fits(value) => {
                if let Value::Object(inner) = value
                    && self.children(&self.path).next().is_some()
                {
                    self.section(inner, info.kind.is_closed());
                }
            }
            Some(info) => self.findings.push(Finding {
                path: dotted(&self.path),
                problem: Trouble::WrongKind {
                    expected: info.kind.to_string(),
                    found: kind_of(value),
                },
                hint: kind_hint(value, info.kind),
            }),
        }
    }

    /// The names the table knows directly below a path.
    fn children(&self, path: &[String]) -> impl Iterator<Item = &'a str> {
        self.keys.keys().iter().filter(|info| !info.hidden).filter_map(move |info| {
            let mut pattern = info.path.split('.');
            let below = path.iter().all(|s| pattern.next().is_some_and(|p| p == "*" || p == s));
            let name = pattern.next().filter(|_| below)?;
            pattern.next().is_none().then_some(name)
        })
    }

    fn did_you_mean(&self) -> Option<String> {
        let (key, parent) = self.path.split_last()?;
        let lower = key.to_lowercase();
        let closest = self
            .children(parent)
            .filter(|name| *name != "*")
            .map(|name| (strsim::damerau_levenshtein(&lower, name), name))
            .filter(|(distance, name)| *distance <= 1 + name.len() / 5)
            .min();
        if let Some((_, name)) = closest {
            return Some(format!("did you mean {}?", dotted_with(parent, name)));
        }
        // Right name, wrong section: usually forgotten indentation.
        let mut elsewhere = self.keys.keys().iter().filter(|info| {
            !info.hidden
                && !info.path.contains('*')
                && info.path.rsplit_once('.').is_some_and(|(_, last)| last == key)
        });
        match (elsewhere.next(), elsewhere.next()) {
            (Some(info), None) => Some(format!("did you mean {}?", info.path)),
            _ => None,
        }
    }
}

fn kind_hint(value: &Value, kind: Kind) -> Option<String> {
    match (kind, value) {
        (Kind::TextList | Kind::List, Value::String(_)) => {
            Some("write a list even for one item: [item]".to_string())
        }
        _ => None,
    }
}

fn dotted_with(parent: &[String], name: &str) -> String {
    let mut path = parent.to_vec();
    path.push(name.to_string());
    dotted(&path)
}

fn dotted(path: &[String]) -> String {
    match KeyPath::from_segments(path.iter().cloned()) {
        Some(path) => path.to_string(),
        None => path.join("."),
    }
}

#[cfg(test)]
mod tests {
    use super::super::KeyInfo;
    use super::super::Kind::{
        Any, Bool, BoolOr, Integer, List, Map, Number, OneOf, OrOlder, Section, Text, TextList,
    };
    use super::*;
    use serde_json::json;

    /// One key of every kind, in open and closed sections.
    fn keys() -> KeyTable {
        let switch = BoolOr(&OneOf(&["auto", "on", "off"]));
        let backends = OrOlder(&OneOf(&["local", "docker"]), &["here"]);
        let rows = [
            ("model", Any),
            ("model.default", Text),
            ("tools", Section),
            ("tools.search", BoolOr(&Section)),
            ("tools.search.enabled", switch),
            ("tools.search.threshold_pct", Number),
            ("tools.search.pinned", TextList),
            ("output", Section),
            ("output.max_bytes", Integer),
            ("output.max_lines", Integer),
            ("toolsets", Map),
            ("toolsets.*", TextList),
            ("own", Map),
            ("own.*", Section),
            ("own.*.tools", TextList),
            ("plugins", Section),
            ("hooks", Map),
            ("hooks.*", List),
            ("hooks.spill", Section),
            ("hooks.spill.enabled", Bool),
            ("hooks_accepted", Bool),
            ("terminal", Map),
            ("terminal.backend", backends),
            ("terminal.timeout", Integer),
        ];
        KeyTable::new(rows.map(|(path, kind)| KeyInfo {
            path: path.to_owned(),
            kind,
            default: String::new(),
            about: "about it",
            variable: None,
            hidden: false,
        }))
    }

    fn found(config: &Value) -> Vec<String> {
        check_against(config, &keys()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_good_configuration_has_no_findings() {
        let config = json!({
            "model": {"default": "x/y", "anything": [1]},
            "tools": {"search": {"enabled": true, "threshold_pct": 10, "pinned": ["a"]}},
            "output": {"max_bytes": "${MAX}", "max_lines": "2000"},
            "toolsets": {"cli": ["web", "file"]},
            "own": {"mine": {"tools": ["a"]}},
            "hooks": {"pre_tool_call": [{"command": "x"}], "spill": {"enabled": false}},
            "terminal": {"backend": "Docker", "of_a_newer_version": 1, "timeout": null},
        });
        assert_eq!(found(&config), Vec::<String>::new());
    }

    #[test]
    fn either_form_is_fine_where_both_exist() {
        assert!(found(&json!({"tools": {"search": false}, "model": "x"})).is_empty());
        assert!(found(&json!({"tools": {"search": {"enabled": "auto"}}})).is_empty());
        assert!(found(&json!({"terminal": {"backend": "here"}})).is_empty());
    }

    #[test]
    fn unknown_names_get_a_suggestion() {
        assert_eq!(
            found(&json!({"terminl": {}, "Model": "x"})),
            [
                "terminl is not a known setting; did you mean terminal?",
                "Model is not a known setting; did you mean model?",
            ]
        );
        assert_eq!(
            found(&json!({"output": {"max_line": 5, "zzz": 1}})),
            [
                "output.max_line is not a known setting; did you mean output.max_lines?",
                "output.zzz is not a known setting",
            ]
        );
        assert_eq!(
            found(&json!({"threshold_pct": 5})),
            ["threshold_pct is not a known setting; did you mean tools.search.threshold_pct?"]
        );
        assert_eq!(found(&json!({"xyzzy.k": 5})), ["\"xyzzy.k\" is not a known setting"]);
    }

    #[test]
    fn wrong_kinds_are_reported_without_the_value() {
        assert_eq!(
            found(&json!({
                "output": {"max_bytes": "hush", "max_lines": 1.5},
                "terminal": {"backend": "hush"},
                "toolsets": {"cli": "web", "cron": [["x"]]},
                "plugins": ["hush"],
                "hooks_accepted": [],
                "hooks": {"pre_tool_call": "x"},
                "tools": {"search": {"enabled": "maybe"}},
            })),
            [
                "output.max_bytes is a text, expected a whole number",
                "output.max_lines is a number, expected a whole number",
                "terminal.backend is a text, expected one of local, docker",
                "toolsets.cli is a text, expected a list of texts; write a list even for one item: [item]",
                "toolsets.cron is a list, expected a list of texts",
                "plugins is a list, expected a section",
                "hooks_accepted is a list, expected true or false",
                "hooks.pre_tool_call is a text, expected a list; write a list even for one item: [item]",
                "tools.search.enabled is a text, expected true or false, or one of auto, on, off",
            ]
        );
    }

    #[test]
    fn a_value_that_is_no_configuration_has_no_findings() {
        assert!(check(&json!([1])).is_empty());
        assert!(check(&json!(null)).is_empty());
    }

    #[test]
    fn the_spelt_out_entry_wins_over_the_wildcard() {
        let keys = keys();
        assert_eq!(keys.find(&["hooks", "spill"]).unwrap().path, "hooks.spill");
        assert_eq!(keys.find(&["hooks", "post_tool_call"]).unwrap().path, "hooks.*");
        assert!(keys.find(&["hooks", "a", "b"]).is_none());
        assert!(keys.find::<&str>(&[]).is_none());
    }
}
