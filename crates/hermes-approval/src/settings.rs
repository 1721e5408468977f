//! The settings of the gate, read once when the program starts.
//!
//! They are frozen from then on: nothing a tool writes to a file or a variable later can loosen
//! them for the process it runs in. Words that mean nothing are reported and count as the careful
//! choice.

use std::time::Duration;

use hermes_tool::Vars;
use hermes_tool::settings::{
    Kind, Seconds, SettingOrigin, SettingValue, SettingWords, Settings as _,
};
use serde_json::{Map, Value};

/// How long a person has to answer, unless `approvals.timeout` says otherwise.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// The longest wait that can be set.
const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 3600);
/// No question waits for nothing.
const MIN_TIMEOUT: Seconds = Seconds::new(0.001);
/// The variable that allows everything.
pub const YOLO_VARIABLE: &str = "HERMES_YOLO_MODE";

/// Who decides about flagged commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, SettingWords)]
pub enum ApprovalMode {
    /// A person.
    #[setting(also("true", "on"), bool = true)]
    Manual,
    /// A model first, and a person where it is not sure.
    Smart,
    /// Nobody: only the floor and the user's own deny rules hold.
    #[setting(also("false"), bool = false)]
    Off,
}

/// What happens to flagged commands when nobody is there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, SettingWords)]
pub enum Unattended {
    /// They are refused.
    #[default]
    #[setting(also("no"), bool = false)]
    Deny,
    /// They run.
    #[setting(also("off", "allow", "yes"), bool = true)]
    Approve,
}

/// The sections as they are written.
#[derive(hermes_tool::settings::Settings)]
#[settings(path = "approvals", about = "Who decides about risky commands", open)]
struct ApprovalSection {
    /// Who decides about risky commands.
    #[setting(path = "approvals")]
    section: Option<Map<String, Value>>,
    /// Ask you, ask a model first, or nobody.
    mode: Option<ApprovalMode>,
    /// How long a question waits for you, in seconds.
    #[setting(default = Seconds::new(60.0), range = MIN_TIMEOUT..)]
    timeout: Seconds,
    /// Risky commands in scheduled jobs: approve or deny.
    cron_mode: Unattended,
    /// Risky commands where nobody can answer: approve or deny.
    headless_mode: Unattended,
    /// Commands that are never run: patterns or categories.
    deny: Rules,
    /// Commands you are always asked about: patterns or categories.
    ask: Rules,
    /// Commands that run without a question: patterns or categories.
    allow: Rules,
    /// What you have allowed for good: categories and commands.
    #[setting(path = "command_allowlist")]
    command_allowlist: Rules,
    /// How long the model that reviews risky commands may take, in seconds.
    #[setting(path = "auxiliary.approval.timeout", default = Seconds::new(30.0), range = MIN_TIMEOUT..)]
    review_timeout: Seconds,
    /// Let the scanner tirith look at commands, if it is installed.
    #[setting(path = "security.tirith_enabled", default = true, variable = "TIRITH_ENABLED")]
    scanner_enabled: bool,
    /// The scanner's program.
    #[setting(path = "security.tirith_path", default = "tirith", variable = "TIRITH_BIN")]
    scanner_program: String,
    /// How long it may take, in seconds.
    #[setting(path = "security.tirith_timeout", default = Seconds::new(5.0), variable = "TIRITH_TIMEOUT", range = MIN_TIMEOUT..)]
    scanner_timeout: Seconds,
    /// Whether a command passes when the scanner fails.
    #[setting(path = "security.tirith_fail_open", default = true, variable = "TIRITH_FAIL_OPEN")]
    scanner_fail_open: bool,
}

/// A list of patterns as written, of which every one that cannot be read is told.
#[derive(Default)]
struct Rules(Value);

impl SettingValue for Rules {
    const KIND: Kind = Kind::TextList;

    fn from_config(value: &Value) -> Option<Self> {
        Some(Self(value.clone()))
    }

    fn to_config(&self) -> String {
        "[]".to_owned()
    }
}

/// How the external scanner is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScannerSettings {
    /// Whether it is used at all.
    pub enabled: bool,
    /// The program, by name or path.
    pub program: String,
    /// How long it may take.
    pub timeout: Duration,
    /// Whether a command passes when the scanner cannot say.
    pub fail_open: bool,
}

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApprovalSettings {
    /// Who decides.
    pub mode: ApprovalMode,
    /// How long a person has to answer.
    pub timeout: Duration,
    /// Flagged commands in scheduled jobs.
    pub cron: Unattended,
    /// Flagged commands where nobody can answer.
    pub headless: Unattended,
    /// Patterns of commands that never run.
    pub deny: Vec<String>,
    /// Patterns of commands that are always asked about.
    pub ask: Vec<String>,
    /// Patterns of commands that run without a question.
    pub allow: Vec<String>,
    /// Categories, keys and commands a person has allowed for good.
    pub allowlist: Vec<String>,
    /// Whether everything but the floor and the deny rules is allowed.
    pub yolo: bool,
    /// Whether a password for sudo is configured.
    pub sudo_password: bool,
    /// The external scanner.
    pub scanner: ScannerSettings,
    /// How long the reviewing model has.
    pub review_timeout: Duration,
}

impl ApprovalSettings {
    /// Whether the configuration has the section at all: without it a person decides, with it a model looks first.
    #[must_use]
    pub fn has_section(config: &Value) -> bool {
        ApprovalSection::read(config, &Vars::default()).section.is_some()
    }

    /// Reads the configuration and the variables; with what a person should know about them, one
    /// sentence each.
    #[must_use]
    pub fn read(config: &Value, vars: &Vars) -> (Self, Vec<String>) {
        let (written, problems) = ApprovalSection::read_with_problems(config, vars);
        let misspelt = SettingOrigin::Key("approvals.mode".to_owned());
        let mode = match written.mode {
            Some(mode) => mode,
            // Without the section, and where a word means nothing, a person decides.
            None if written.section.is_none() => ApprovalMode::Manual,
            None if problems.iter().any(|problem| problem.origin == misspelt) => {
                ApprovalMode::Manual
            }
            None => ApprovalMode::Smart,
        };
        let mut warnings: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let mut patterns = |key: &str, rules: &Rules| patterns(key, &rules.0, &mut warnings);
        let settings = Self {
            mode,
            timeout: written.timeout.duration().min(MAX_TIMEOUT),
            cron: written.cron_mode,
            headless: written.headless_mode,
            deny: patterns("approvals.deny", &written.deny),
            ask: patterns("approvals.ask", &written.ask),
            allow: patterns("approvals.allow", &written.allow),
            allowlist: patterns("command_allowlist", &written.command_allowlist),
            yolo: vars.is_on(YOLO_VARIABLE),
            sudo_password: vars.get("SUDO_PASSWORD").is_some(),
            scanner: ScannerSettings {
                enabled: written.scanner_enabled,
                program: written.scanner_program,
                timeout: written.scanner_timeout.duration().min(MAX_TIMEOUT),
                fail_open: written.scanner_fail_open,
            },
            review_timeout: written.review_timeout.duration().min(MAX_TIMEOUT),
        };
        (settings, warnings)
    }

    /// The same without anything that lets a flagged command run unasked.
    #[must_use]
    pub(crate) fn strictest(self) -> Self {
        Self {
            mode: ApprovalMode::Manual,
            cron: Unattended::Deny,
            headless: Unattended::Deny,
            allow: Vec::new(),
            allowlist: Vec::new(),
            yolo: false,
            ..self
        }
    }
}

impl Default for ApprovalSettings {
    /// As with an empty configuration and no variables.
    fn default() -> Self {
        Self::read(&Value::Null, &Vars::default()).0
    }
}

/// The texts of a list, or a single one. What is none is told, because a rule would be missing.
fn patterns(key: &str, value: &Value, warnings: &mut Vec<String>) -> Vec<String> {
    let items = match value {
        Value::Null => &[],
        Value::Array(items) => items.as_slice(),
        single => std::slice::from_ref(single),
    };
    let mut patterns = Vec::new();
    for item in items {
        match item.as_str().map(str::trim) {
            Some("") => {}
            Some(pattern) => patterns.push(pattern.to_owned()),
            None => warnings.push(format!("{key}: {item} is not a text; it is passed over")),
        }
    }
    patterns
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(config: &Value) -> (ApprovalSettings, Vec<String>) {
        ApprovalSettings::read(config, &Vars::default())
    }

    #[test]
    fn without_a_section_a_person_decides_and_with_one_a_model_looks_first() {
        assert_eq!(read(&json!({})).0.mode, ApprovalMode::Manual);
        assert_eq!(read(&json!({"approvals": null})).0.mode, ApprovalMode::Manual);
        assert_eq!(read(&json!({"approvals": {}})).0.mode, ApprovalMode::Smart);
    }

    #[test]
    fn modes_are_words_or_yaml_booleans() {
        for (value, mode, told) in [
            (json!("manual"), ApprovalMode::Manual, 0),
            (json!(" Smart "), ApprovalMode::Smart, 0),
            (json!("OFF"), ApprovalMode::Off, 0),
            (json!(false), ApprovalMode::Off, 0),
            (json!(true), ApprovalMode::Manual, 0),
            (json!("yes please"), ApprovalMode::Manual, 1),
            (json!(0), ApprovalMode::Manual, 1),
        ] {
            let (settings, warnings) = read(&json!({"approvals": {"mode": value}}));
            assert_eq!(settings.mode, mode, "{value}");
            assert_eq!(warnings.len(), told, "{warnings:?}");
        }
    }

    #[test]
    fn nobody_there_means_no_unless_said_otherwise() {
        for key in ["cron_mode", "headless_mode"] {
            for (value, approve) in [
                (json!(null), false),
                (json!("deny"), false),
                (json!(false), false),
                (json!("whatever"), false),
                (json!("approve"), true),
                (json!("Allow"), true),
                (json!("off"), true),
                (json!("yes"), true),
                (json!(true), true),
            ] {
                let settings = read(&json!({"approvals": {key: value}})).0;
                let got = if key == "cron_mode" { settings.cron } else { settings.headless };
                assert_eq!(got == Unattended::Approve, approve, "{key}: {value}");
            }
        }
    }

    #[test]
    fn a_bad_time_is_told_and_the_default_counts() {
        for value in [json!("soon"), json!(0), json!(-3), json!([])] {
            let (settings, warnings) = read(&json!({"approvals": {"timeout": value}}));
            assert_eq!(settings.timeout, DEFAULT_TIMEOUT, "{value}");
            assert_eq!(warnings.len(), 1, "{value}");
        }
        let (settings, _) = read(&json!({"approvals": {"timeout": "90"}}));
        assert_eq!(settings.timeout, Duration::from_secs(90));
    }

    #[test]
    fn variables_win_over_the_file_for_the_scanner() {
        let vars = [("TIRITH_ENABLED", "0"), ("TIRITH_BIN", "/opt/t"), ("TIRITH_TIMEOUT", "2")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let config = json!({"security": {"tirith_enabled": true, "tirith_fail_open": false}});
        let scanner = ApprovalSettings::read(&config, &vars.into_iter().collect()).0.scanner;
        assert_eq!(
            scanner,
            ScannerSettings {
                enabled: false,
                program: "/opt/t".to_owned(),
                timeout: Duration::from_secs(2),
                fail_open: false,
            }
        );
    }

    #[test]
    fn lists_take_texts_and_a_single_one() {
        let (settings, warnings) =
            read(&json!({"approvals": {"deny": "rm *", "ask": ["a", 3, " "]}}));
        assert_eq!(settings.deny, ["rm *"]);
        assert_eq!(settings.ask, ["a"]);
        assert_eq!(warnings.len(), 1);
    }
}
