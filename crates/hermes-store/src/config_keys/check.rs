//! Comparing a configuration with the list of known settings.
//!
//! One walk over the value. At every key the table is asked for an entry; its kind decides
//! whether the value fits and whether unknown names below it are worth a word. Suggestions come
//! from two places: a name spelt nearly the same beside the unknown one, or the very same name
//! somewhere else in the table.

use std::fmt;

use serde_json::{Map, Value};

use super::{KEYS, Kind, find};
use crate::config::{as_bool, as_f64, as_i64, as_text, kind_of};
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
    let mut findings = Vec::new();
    if let Value::Object(map) = config {
        check_section(map, &mut Vec::new(), true, &mut findings);
    }
    findings
}

fn check_section(
    map: &Map<String, Value>,
    path: &mut Vec<String>,
    closed: bool,
    findings: &mut Vec<Finding>,
) {
    for (key, value) in map {
        path.push(key.clone());
        match find(path) {
            None if closed => findings.push(Finding {
                path: dotted(path),
                problem: Trouble::UnknownKey,
                hint: did_you_mean(path),
            }),
            None => {}
            Some(info) if value.is_null() || fits(value, info.kind) => {
                if let Value::Object(inner) = value
                    && has_children(path)
                {
                    check_section(inner, path, info.kind.is_closed(), findings);
                }
            }
            Some(info) => findings.push(Finding {
                path: dotted(path),
                problem: Trouble::WrongKind {
                    expected: info.kind.to_string(),
                    found: kind_of(value),
                },
                hint: kind_hint(value, info.kind),
            }),
        }
        path.pop();
    }
}

fn fits(value: &Value, kind: Kind) -> bool {
    if value.as_str().is_some_and(|text| text.contains("${")) {
        return true;
    }
    match kind {
        Kind::Bool => as_bool(value).is_some(),
        Kind::Integer => as_i64(value).is_some(),
        Kind::Number => as_f64(value).is_some(),
        Kind::Text => as_text(value).is_some(),
        Kind::TextList => {
            value.as_array().is_some_and(|items| items.iter().all(|item| as_text(item).is_some()))
        }
        Kind::List => value.is_array(),
        Kind::OneOf(words) => value
            .as_str()
            .is_some_and(|text| words.iter().any(|word| word.eq_ignore_ascii_case(text.trim()))),
        Kind::BoolOr(other) => as_bool(value).is_some() || fits(value, *other),
        Kind::Section | Kind::Map => value.is_object(),
        Kind::Any => true,
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

/// Whether the table says anything about names below this path.
fn has_children(path: &[String]) -> bool {
    children(path).next().is_some()
}

/// The names the table knows directly below a path.
fn children(path: &[String]) -> impl Iterator<Item = &'static str> {
    KEYS.iter().filter_map(move |info| {
        let mut pattern = info.path.split('.');
        let below = path.iter().all(|s| pattern.next().is_some_and(|p| p == "*" || p == s));
        let name = pattern.next().filter(|_| below)?;
        pattern.next().is_none().then_some(name)
    })
}

fn did_you_mean(path: &[String]) -> Option<String> {
    let (key, parent) = path.split_last()?;
    let lower = key.to_lowercase();
    let closest = children(parent)
        .filter(|name| *name != "*")
        .map(|name| (strsim::damerau_levenshtein(&lower, name), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 5)
        .min();
    if let Some((_, name)) = closest {
        return Some(format!("did you mean {}?", dotted_with(parent, name)));
    }
    // Right name, wrong place: usually forgotten indentation.
    let mut elsewhere = KEYS.iter().filter(|info| {
        !info.path.contains('*') && info.path.rsplit_once('.').is_some_and(|(_, last)| last == key)
    });
    match (elsewhere.next(), elsewhere.next()) {
        (Some(info), None) => Some(format!("did you mean {}?", info.path)),
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
    use super::*;
    use crate::config_edit::parse_cli_value;
    use serde_json::json;
    use std::collections::HashSet;

    fn found(config: &Value) -> Vec<String> {
        check(config).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_good_configuration_has_no_findings() {
        let config = json!({
            "_config_version": 33,
            "model": {"default": "x/y", "anything": [1]},
            "tools": {"tool_search": {"enabled": true, "threshold_pct": 10, "pinned": ["a"]},
                      "coercion": "deep", "check_timeout_seconds": 5},
            "tool_output": {"max_bytes": "${MAX}", "max_lines": "2000"},
            "tool_loop_guardrails": {"warn_after": {"exact_failure": 2}, "no_progress_warn_after": 2},
            "platform_toolsets": {"cli": ["web", "file"]},
            "custom_toolsets": {"mine": {"description": "d", "tools": ["a"], "includes": []}},
            "distributions": {"mine": {"web": 50, "file": 0.5}},
            "plugins": {"enabled": ["p"], "entries": {"p": {"allow_tool_override": true, "own": 1}}},
            "hooks": {"pre_tool_call": [{"command": "x"}], "output_spill": {"enabled": false}},
            "terminal": {"backend": "Docker", "of_a_newer_version": 1, "timeout": null},
            "mcp_servers": {"files": {"command": "npx"}},
            "approvals": {"mode": false},
        });
        assert_eq!(found(&config), Vec::<String>::new());
    }

    #[test]
    fn either_form_is_fine_where_both_exist() {
        assert!(found(&json!({"tools": {"tool_search": false}, "model": "x"})).is_empty());
        assert!(found(&json!({"toolsets": ["hermes-cli"]})).is_empty());
        assert!(found(&json!({"tools": {"tool_search": {"enabled": "auto"}}})).is_empty());
    }

    #[test]
    fn follow_terminal_backends_of_the_terminal_page() {
        for backend in
            ["local", "docker", "ssh", "singularity", "modal", "daytona", "vercel_sandbox"]
        {
            assert!(found(&json!({"terminal": {"backend": backend}})).is_empty(), "{backend}");
        }
        assert_eq!(found(&json!({"terminal": {"backend": "kubernetes"}})).len(), 1);
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
            found(&json!({"tool_output": {"max_line": 5, "zzz": 1}})),
            [
                "tool_output.max_line is not a known setting; did you mean tool_output.max_lines?",
                "tool_output.zzz is not a known setting",
            ]
        );
        assert_eq!(
            found(&json!({"threshold_pct": 5})),
            ["threshold_pct is not a known setting; did you mean tools.tool_search.threshold_pct?"]
        );
        assert_eq!(found(&json!({"xyzzy.k": 5})), ["\"xyzzy.k\" is not a known setting"]);
    }

    #[test]
    fn wrong_kinds_are_reported_without_the_value() {
        assert_eq!(
            found(&json!({
                "tool_output": {"max_bytes": "hush", "max_lines": 1.5},
                "terminal": {"backend": "hush"},
                "platform_toolsets": {"cli": "web", "cron": [["x"]]},
                "plugins": ["hush"],
                "hooks_auto_accept": [],
                "hooks": {"pre_tool_call": "x"},
                "tools": {"tool_search": {"enabled": "maybe"}},
            })),
            [
                "tool_output.max_bytes is a text, expected a whole number",
                "tool_output.max_lines is a number, expected a whole number",
                "terminal.backend is a text, expected one of local, docker, ssh, singularity, apptainer, modal, daytona, vercel_sandbox",
                "platform_toolsets.cli is a text, expected a list of texts; write a list even for one item: [item]",
                "platform_toolsets.cron is a list, expected a list of texts",
                "plugins is a list, expected a section",
                "hooks_auto_accept is a list, expected true or false",
                "hooks.pre_tool_call is a text, expected a list; write a list even for one item: [item]",
                "tools.tool_search.enabled is a text, expected true or false, or one of auto, on, off",
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
        assert_eq!(find(&["hooks", "output_spill"]).unwrap().path, "hooks.output_spill");
        assert_eq!(find(&["hooks", "post_tool_call"]).unwrap().path, "hooks.*");
        assert!(find(&["hooks", "a", "b"]).is_none());
        assert!(find::<&str>(&[]).is_none());
    }

    #[test]
    fn the_table_is_in_order() {
        let mut paths = HashSet::new();
        for info in KEYS {
            assert!(paths.insert(info.path), "{} is there twice", info.path);
            assert!(!info.about.is_empty() && !info.about.ends_with('.'), "{}", info.path);
            assert!(KeyPath::parse(info.path).is_ok(), "{}", info.path);
            if let Some((parent, _)) = info.path.rsplit_once('.') {
                assert!(paths.contains(parent), "{parent} must come before {}", info.path);
                let kind = find(&parent.split('.').collect::<Vec<_>>()).unwrap().kind;
                assert!(fits(&json!({}), kind), "{parent} cannot hold {}", info.path);
            }
            if !info.default.is_empty() {
                let value = parse_cli_value(info.default);
                assert!(value.is_null() || fits(&value, info.kind), "default of {}", info.path);
            }
        }
    }
}
