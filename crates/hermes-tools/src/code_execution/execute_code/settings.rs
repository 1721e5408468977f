//! What the user decides about scripts: the section `code_execution` of the configuration.

use std::path::PathBuf;
use std::time::Duration;

use hermes_exec::code::ScriptMode;
use hermes_tool::Vars;
use serde_json::Value;

const TIMEOUT_SECONDS: u64 = 300;
const MAX_CALLS: u64 = 50;

/// The settings of one run.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) mode: ScriptMode,
    pub(super) timeout: Duration,
    pub(super) max_calls: u64,
    pub(super) python: Option<PathBuf>,
    /// Variables that follow from other settings.
    pub(super) variables: Vec<(String, String)>,
}

impl Settings {
    /// Reads them; what makes no sense counts as not set.
    pub(super) fn read(config: &Value, vars: &Vars) -> Self {
        let section = &config["code_execution"];
        let number = |key: &str, otherwise: u64| {
            let given = match &section[key] {
                Value::String(text) => text.trim().parse().ok(),
                other => other.as_u64(),
            };
            given.filter(|number| *number > 0).unwrap_or(otherwise)
        };
        let mode = match section["mode"].as_str().map(str::trim) {
            Some(word) if word.eq_ignore_ascii_case("strict") => ScriptMode::Strict,
            _ => ScriptMode::Project,
        };
        let python = section["python"].as_str().filter(|path| !path.trim().is_empty());
        let zone = vars.non_blank("HERMES_TIMEZONE");
        Self {
            mode,
            timeout: Duration::from_secs(number("timeout", TIMEOUT_SECONDS)),
            max_calls: number("max_tool_calls", MAX_CALLS),
            python: python.map(|path| expanded(path.trim(), vars)),
            variables: zone.map(|zone| ("TZ".to_owned(), zone.to_owned())).into_iter().collect(),
        }
    }
}

fn expanded(path: &str, vars: &Vars) -> PathBuf {
    match (path.strip_prefix("~/"), vars.non_blank("HOME")) {
        (Some(rest), Some(home)) => PathBuf::from(home).join(rest),
        _ => PathBuf::from(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(section: &Value) -> Settings {
        let vars = [("HOME".to_owned(), "/home/me".to_owned())].into_iter().collect();
        Settings::read(&json!({"code_execution": section}), &vars)
    }

    #[test]
    fn what_is_missing_or_makes_no_sense_is_the_default() {
        let usual = read(&Value::Null);
        assert_eq!(
            (usual.timeout.as_secs(), usual.max_calls, usual.mode),
            (300, 50, ScriptMode::Project)
        );
        assert_eq!(read(&json!({"timeout": -1, "max_tool_calls": "x", "mode": "odd"})), usual);
    }

    #[test]
    fn what_is_set_counts() {
        let own = json!({"timeout": "7", "max_tool_calls": 3, "mode": "Strict", "python": "~/py"});
        let own = read(&own);
        assert_eq!((own.timeout.as_secs(), own.max_calls, own.mode), (7, 3, ScriptMode::Strict));
        assert_eq!(own.python, Some(PathBuf::from("/home/me/py")));
    }
}
