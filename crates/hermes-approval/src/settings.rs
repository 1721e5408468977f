//! The settings of the gate, read once when the program starts.
//!
//! They are frozen from then on: nothing a tool writes to a file or a variable later can loosen
//! them for the process it runs in. Words that mean nothing are reported and count as the careful
//! choice.

use std::time::Duration;

use hermes_tool::Vars;
use serde_json::Value;

/// How long a person has to answer, unless `approvals.timeout` says otherwise.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// The longest wait that can be set.
const MAX_TIMEOUT: Duration = Duration::from_secs(24 * 3600);
/// How long the reviewing model has, unless `auxiliary.approval.timeout` says otherwise.
const DEFAULT_REVIEW_TIMEOUT: Duration = Duration::from_secs(30);
/// How long the scanner has, unless `security.tirith_timeout` says otherwise.
const DEFAULT_SCAN_TIMEOUT: Duration = Duration::from_secs(5);
/// The variable that allows everything.
pub const YOLO_VARIABLE: &str = "HERMES_YOLO_MODE";

/// Who decides about flagged commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A person.
    Manual,
    /// A model first, and a person where it is not sure.
    Smart,
    /// Nobody: only the floor and the user's own deny rules hold.
    Off,
}

impl Mode {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Manual => "manual",
            Self::Smart => "smart",
            Self::Off => "off",
        }
    }
}

/// What happens to flagged commands when nobody is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unattended {
    /// They are refused.
    Deny,
    /// They run.
    Approve,
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
pub struct Settings {
    /// Who decides.
    pub mode: Mode,
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

impl Settings {
    /// Reads the configuration and the variables; with what a person should know about them, one
    /// sentence each.
    #[must_use]
    pub fn read(config: &Value, vars: &Vars) -> (Self, Vec<String>) {
        let mut reader = Reader { warnings: Vec::new() };
        let section = &config["approvals"];
        let settings = Self {
            mode: reader.mode(section),
            timeout: reader.seconds("approvals.timeout", &section["timeout"], DEFAULT_TIMEOUT),
            cron: reader.unattended("approvals.cron_mode", &section["cron_mode"]),
            headless: reader.unattended("approvals.headless_mode", &section["headless_mode"]),
            deny: reader.patterns("approvals.deny", &section["deny"]),
            ask: reader.patterns("approvals.ask", &section["ask"]),
            allow: reader.patterns("approvals.allow", &section["allow"]),
            allowlist: reader.patterns("command_allowlist", &config["command_allowlist"]),
            yolo: vars.is_on(YOLO_VARIABLE),
            sudo_password: vars.get("SUDO_PASSWORD").is_some(),
            scanner: reader.scanner(&config["security"], vars),
            review_timeout: reader.seconds(
                "auxiliary.approval.timeout",
                &config["auxiliary"]["approval"]["timeout"],
                DEFAULT_REVIEW_TIMEOUT,
            ),
        };
        (settings, reader.warnings)
    }
}

impl Default for Settings {
    /// As with an empty configuration and no variables.
    fn default() -> Self {
        Self::read(&Value::Null, &Vars::default()).0
    }
}

struct Reader {
    warnings: Vec<String>,
}

impl Reader {
    fn mode(&mut self, section: &Value) -> Mode {
        if section.is_null() {
            return Mode::Manual;
        }
        match &section["mode"] {
            Value::Null => Mode::Smart,
            Value::Bool(false) => Mode::Off,
            Value::Bool(true) => Mode::Manual,
            other => match word(other).as_str() {
                "manual" | "true" | "on" => Mode::Manual,
                "smart" => Mode::Smart,
                "off" | "false" => Mode::Off,
                _ => {
                    self.warn("approvals.mode", other, "manual, smart or off", "manual counts");
                    Mode::Manual
                }
            },
        }
    }

    fn unattended(&mut self, key: &str, value: &Value) -> Unattended {
        match value {
            Value::Null | Value::Bool(false) => Unattended::Deny,
            Value::Bool(true) => Unattended::Approve,
            other => match word(other).as_str() {
                "approve" | "off" | "allow" | "yes" => Unattended::Approve,
                "deny" | "no" | "" => Unattended::Deny,
                _ => {
                    self.warn(key, other, "approve or deny", "deny counts");
                    Unattended::Deny
                }
            },
        }
    }

    fn seconds(&mut self, key: &str, value: &Value, default: Duration) -> Duration {
        if value.is_null() {
            return default;
        }
        let seconds = value.as_f64().or_else(|| word(value).parse().ok());
        match seconds.map(Duration::try_from_secs_f64) {
            Some(Ok(wait)) if !wait.is_zero() => wait.min(MAX_TIMEOUT),
            _ => {
                let counts = format!("{} counts", default.as_secs());
                self.warn(key, value, "a number of seconds above 0", &counts);
                default
            }
        }
    }

    fn patterns(&mut self, key: &str, value: &Value) -> Vec<String> {
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
                None => self.warn(key, item, "a text", "it is passed over"),
            }
        }
        patterns
    }

    fn scanner(&mut self, security: &Value, vars: &Vars) -> ScannerSettings {
        let flag = |variable: &str, key: &str| match vars.non_blank(variable) {
            Some(_) => vars.is_on(variable),
            None => security[key].as_bool().unwrap_or(true),
        };
        let timeout = match vars.non_blank("TIRITH_TIMEOUT") {
            Some(text) => Value::from(text),
            None => security["tirith_timeout"].clone(),
        };
        let program = vars.non_blank("TIRITH_BIN").or_else(|| security["tirith_path"].as_str());
        ScannerSettings {
            enabled: flag("TIRITH_ENABLED", "tirith_enabled"),
            program: program.filter(|path| !path.trim().is_empty()).unwrap_or("tirith").to_owned(),
            timeout: self.seconds("security.tirith_timeout", &timeout, DEFAULT_SCAN_TIMEOUT),
            fail_open: flag("TIRITH_FAIL_OPEN", "tirith_fail_open"),
        }
    }

    fn warn(&mut self, key: &str, value: &Value, wanted: &str, counts: &str) {
        self.warnings.push(format!("{key}: {value} is not {wanted}; {counts}"));
    }
}

/// A text in lower case; the JSON of anything else.
fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| text.trim().to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(config: &Value) -> (Settings, Vec<String>) {
        Settings::read(config, &Vars::default())
    }

    #[test]
    fn without_a_section_a_person_decides_and_with_one_a_model_looks_first() {
        assert_eq!(read(&json!({})).0.mode, Mode::Manual);
        assert_eq!(read(&json!({"approvals": null})).0.mode, Mode::Manual);
        assert_eq!(read(&json!({"approvals": {}})).0.mode, Mode::Smart);
    }

    #[test]
    fn modes_are_words_or_yaml_booleans() {
        for (value, mode, told) in [
            (json!("manual"), Mode::Manual, 0),
            (json!(" Smart "), Mode::Smart, 0),
            (json!("OFF"), Mode::Off, 0),
            (json!(false), Mode::Off, 0),
            (json!(true), Mode::Manual, 0),
            (json!("yes please"), Mode::Manual, 1),
            (json!(0), Mode::Manual, 1),
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
        let scanner = Settings::read(&config, &vars.into_iter().collect()).0.scanner;
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
