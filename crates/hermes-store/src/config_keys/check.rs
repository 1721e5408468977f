//! Comparing a configuration with the list of known settings.
//!
//! One walk over the value. At every key the table is asked for an entry; its kind decides
//! whether the value fits and whether unknown names below it are worth a word. Suggestions come
//! from two places: a name spelt nearly the same beside the unknown one, or the very same name
//! somewhere else in the table. After the walk the readers are asked what they could not use although
//! its kind was right: a number out of range, a word in a list that means nothing.

use std::fmt;

use hermes_tool::settings::{DeclaredSettings, SettingOrigin, SettingProblem};
use serde_json::{Map, Value};

use super::{KeyTable, Kind};
use crate::config::kind_of;
use crate::key_path::KeyPath;

/// Something in a configuration that looks like a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The setting, as one would type it; the place in a list in brackets.
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

/// Reports unknown keys and values that cannot be used, in the order of the file.
///
/// A null counts as "not set" everywhere. Values are never part of a finding.
pub fn check(config: &Value) -> Vec<Finding> {
    let mut findings = check_against(config, KeyTable::linked());
    for problem in DeclaredSettings::problems_of(config) {
        let finding = unusable(config, &problem);
        findings.extend(finding.filter(|new| findings.iter().all(|old| old.path != new.path)));
    }
    findings
}

/// Keys that nobody asks for and that are spelt almost like one that is known. Unlike what [`check`] says
/// of other unknown keys, this is worth telling somebody who did not ask.
pub fn misspelt(config: &Value) -> Vec<Finding> {
    let mut findings = check_against(config, KeyTable::linked());
    findings.retain(|found| found.problem == Trouble::UnknownKey && found.hint.is_some());
    findings
}

/// The same as [`check`] with a table of one's own, and without asking readers.
pub fn check_against(config: &Value, keys: &KeyTable) -> Vec<Finding> {
    let mut walk = Walk { keys, path: Vec::new(), shown: String::new(), findings: Vec::new() };
    if let Value::Object(map) = config {
        walk.section(map, true);
    }
    walk.findings
}

/// What a reader could not use, unless that was said already or is none of the file's fault.
fn unusable(config: &Value, problem: &SettingProblem) -> Option<Finding> {
    let SettingOrigin::Key(path) = &problem.origin else { return None };
    let mut value = config;
    let mut segments = Vec::new();
    for name in path.split(['.', '[']) {
        let (name, index) = match name.strip_suffix(']') {
            Some(index) => (index, index.parse().ok()),
            None => (name, None::<usize>),
        };
        value = match index {
            Some(at) => value.get(at)?,
            None => value.get(name)?,
        };
        segments.push(name);
    }
    let is_placeholder = value.as_str().is_some_and(|text| text.contains("${"));
    let kind = KeyTable::linked().find(&segments)?.kind;
    // A short form of a section has no parts; whoever looks for one there is content with its default.
    let is_short_form =
        !value.is_object() && matches!(kind, Kind::BoolOr(_) | Kind::TextOr(_) | Kind::Any);
    if is_placeholder || is_short_form || !kind.fits(value) {
        return None;
    }
    let problem = Trouble::WrongKind { expected: problem.expected.clone(), found: kind_of(value) };
    Some(Finding { path: path.clone(), problem, hint: None })
}

struct Walk<'a> {
    keys: &'a KeyTable,
    /// Names from the top, and places in lists as numbers.
    path: Vec<String>,
    /// The same as one would type it.
    shown: String,
    findings: Vec<Finding>,
}

impl<'a> Walk<'a> {
    fn section(&mut self, map: &Map<String, Value>, closed: bool) {
        for (key, value) in map {
            let shown = self.shown.len();
            if shown > 0 {
                self.shown.push('.');
            }
            self.shown.push_str(&quoted(key));
            self.path.push(key.clone());
            self.entry(value, closed);
            self.path.pop();
            self.shown.truncate(shown);
        }
    }

    fn list(&mut self, items: &[Value]) {
        for (at, value) in items.iter().enumerate() {
            let shown = self.shown.len();
            self.shown.push_str(&format!("[{at}]"));
            self.path.push(at.to_string());
            self.entry(value, false);
            self.path.pop();
            self.shown.truncate(shown);
        }
    }

    fn entry(&mut self, value: &Value, closed: bool) {
        match self.keys.find(&self.path) {
            None => self.unknown(closed),
            Some(info) if value.is_null() || info.kind.fits(value) => {
                if self.children(&self.path).next().is_some() {
                    match value {
                        Value::Object(inner) => self.section(inner, info.kind.is_closed()),
                        Value::Array(items) => self.list(items),
                        _ => {}
                    }
                }
            }
            Some(info) => self.findings.push(Finding {
                path: self.shown.clone(),
                problem: Trouble::WrongKind {
                    expected: info.kind.to_string(),
                    found: kind_of(value),
                },
                hint: kind_hint(value, info.kind),
            }),
        }
    }

    /// In an open section a name may be somebody else's; one that is almost ours is still a mistake.
    fn unknown(&mut self, closed: bool) {
        // `_config_version` and its like: marks that programs leave for themselves.
        if self.path.len() == 1 && self.shown.starts_with('_') {
            return;
        }
        let hint = match (self.nearest(), closed) {
            (Some(near), _) => Some(near),
            (None, true) => self.elsewhere(),
            (None, false) => return,
        };
        let hint = hint.map(|near| format!("did you mean {near}?"));
        self.findings.push(Finding {
            path: self.shown.clone(),
            problem: Trouble::UnknownKey,
            hint,
        });
    }

    /// The names the table knows directly below a path, and whether they are older ones.
    fn children(&self, path: &[String]) -> impl Iterator<Item = (bool, &'a str)> {
        self.keys.keys().iter().filter_map(move |info| {
            let mut pattern = info.path.split('.');
            let below = path.iter().all(|s| pattern.next().is_some_and(|p| p == "*" || p == s));
            let name = pattern.next().filter(|_| below)?;
            pattern.next().is_none().then_some((info.hidden, name))
        })
    }

    /// A known name beside the last of the path that is spelt nearly the same.
    fn nearest(&self) -> Option<String> {
        let (key, parent) = self.path.split_last()?;
        let wanted = key.to_lowercase().replace(['-', ' '], "_");
        let (_, _, name) = self
            .children(parent)
            .filter(|(_, name)| *name != "*")
            .map(|(hidden, name)| (strsim::damerau_levenshtein(&wanted, name), hidden, name))
            .filter(|(distance, _, name)| *distance <= 1 + name.len() / 5)
            .min()?;
        let shown = self.shown.len() - quoted(key).len();
        Some(format!("{}{name}", &self.shown[..shown]))
    }

    /// The right name in the wrong section: usually forgotten indentation.
    fn elsewhere(&self) -> Option<String> {
        let key = self.path.last()?;
        let mut elsewhere = self.keys.keys().iter().filter(|info| {
            !info.hidden
                && !info.path.contains('*')
                && info.path.rsplit_once('.').is_some_and(|(_, last)| last == key)
        });
        match (elsewhere.next(), elsewhere.next()) {
            (Some(info), None) => Some(info.path.clone()),
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

/// A name as it stands in a path.
fn quoted(name: &str) -> String {
    match KeyPath::from_segments([name.to_owned()]) {
        Some(path) => path.to_string(),
        None => name.to_owned(),
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
            ("servers", Map),
            ("servers.*", Section),
            ("servers.*.command", Text),
            ("fallbacks", List),
            ("fallbacks.*", Section),
            ("fallbacks.*.model", Text),
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
    fn misspelt_names_are_found_below_free_names_in_lists_and_in_open_sections() {
        assert_eq!(
            found(&json!({
                "servers": {"of.mine": {"comand": "npx"}},
                "fallbacks": [{"model": "a"}, {"modle": "b"}],
                "terminal": {"Time-out": 5, "of_a_newer_version": 1},
                "_config_version": 33,
            })),
            [
                "servers.\"of.mine\".comand is not a known setting; did you mean servers.\"of.mine\".command?",
                "fallbacks[1].modle is not a known setting; did you mean fallbacks[1].model?",
                "terminal.Time-out is not a known setting; did you mean terminal.timeout?",
            ]
        );
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
