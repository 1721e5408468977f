//! What the user decides about scripts: the section `code_execution` of the configuration.

use std::path::PathBuf;
use std::time::Duration;

use hermes_exec::code::ScriptMode;
use hermes_tool::Vars;
use hermes_tool::settings::Settings as _;
use serde_json::Value;

/// The section as it is written.
#[derive(hermes_tool::settings::Settings)]
#[settings(path = "code_execution", about = "The execute_code tool", open)]
struct CodeSection {
    /// Run in the project with its Python, or apart from it.
    #[setting(default = ScriptMode::Project)]
    mode: ScriptMode,
    /// Longest run of a script, in seconds.
    #[setting(default = 300, range = 1..)]
    timeout: u64,
    /// Most tool calls of a script.
    #[setting(default = 50, range = 1..)]
    max_tool_calls: u64,
    /// The Python that runs scripts on this machine; that of the active environment, else python3.
    python: Option<String>,
}

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
        let section = CodeSection::read(config, vars);
        let zone = vars.non_blank("HERMES_TIMEZONE");
        Self {
            mode: section.mode,
            timeout: Duration::from_secs(section.timeout),
            max_calls: section.max_tool_calls,
            python: section.python.map(|path| expanded(path.trim(), vars)),
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
