//! What a user can decide about checkpoints.

use std::path::PathBuf;
use std::time::Duration;

use hermes_tool::Vars;
use serde_json::Value;

/// The section of the configuration read here.
const SECTION: &str = "checkpoints";
/// The variable that limits one checkpoint operation, in seconds.
const TIMEOUT_VARIABLE: &str = "HERMES_CHECKPOINT_TIMEOUT";
const MIN_TIMEOUT_SECS: u64 = 10;
const MAX_TIMEOUT_SECS: u64 = 60;
const DEFAULT_TIMEOUT_SECS: u64 = 30;
const BYTES_PER_MB: u64 = 1024 * 1024;

/// When, how much and for how long to save.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Whether checkpoints are taken. Listing and restoring always work.
    pub enabled: bool,
    /// Checkpoints kept per directory; at least 1.
    pub max_snapshots: usize,
    /// The size the whole store may have, in bytes.
    pub max_total_bytes: u64,
    /// Files larger than this are left out, in bytes.
    pub max_file_bytes: u64,
    /// Whether regular upkeep removes old and orphaned projects.
    pub auto_prune: bool,
    /// How long a project's checkpoints are kept after it was last touched.
    pub retention: Duration,
    /// Whether checkpoints of directories that are gone are removed.
    pub delete_orphans: bool,
    /// The shortest time between two upkeeps.
    pub min_interval: Duration,
    /// The time one operation may take.
    pub timeout: Duration,
    /// The home directory, which is never saved.
    pub home: Option<PathBuf>,
    /// Where `git` is looked for; `None` for where this process would look.
    pub search_path: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self::from_config(&Value::Null, &Vars::default())
    }
}

impl Settings {
    /// Reads `checkpoints` of the whole configuration, and `HERMES_CHECKPOINT_TIMEOUT`, `HOME` and
    /// `PATH` of the environment. Whatever makes no sense there counts as not given.
    ///
    /// `checkpoints: true` alone is short for `checkpoints.enabled: true`.
    #[must_use]
    pub fn from_config(config: &Value, vars: &Vars) -> Self {
        let section = &config[SECTION];
        let count = |key: &str, default| count(&section[key]).unwrap_or(default);
        let flag = |key: &str, default| flag(&section[key]).unwrap_or(default);
        let hours = |hours: u64| Duration::from_secs(hours.saturating_mul(3600));
        Self {
            enabled: section.as_bool().unwrap_or_else(|| flag("enabled", false)),
            max_snapshots: usize::try_from(count("max_snapshots", 20)).unwrap_or(usize::MAX).max(1),
            max_total_bytes: count("max_total_size_mb", 500).saturating_mul(BYTES_PER_MB),
            max_file_bytes: count("max_file_size_mb", 10).saturating_mul(BYTES_PER_MB),
            auto_prune: flag("auto_prune", true),
            retention: hours(count("retention_days", 7).saturating_mul(24)),
            delete_orphans: flag("delete_orphans", true),
            min_interval: hours(count("min_interval_hours", 24)),
            timeout: timeout(vars.non_blank(TIMEOUT_VARIABLE)),
            home: vars.non_blank("HOME").map(PathBuf::from),
            search_path: vars.non_blank("PATH").map(str::to_owned),
        }
    }
}

fn timeout(given: Option<&str>) -> Duration {
    let secs = given.and_then(|text| text.trim().parse().ok()).unwrap_or(DEFAULT_TIMEOUT_SECS);
    Duration::from_secs(secs.clamp(MIN_TIMEOUT_SECS, MAX_TIMEOUT_SECS))
}

fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn flag(value: &Value) -> Option<bool> {
    value.as_bool().or_else(|| match value.as_str()?.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with_timeout(value: &str) -> Duration {
        let vars: Vars = [(TIMEOUT_VARIABLE.to_owned(), value.to_owned())].into_iter().collect();
        Settings::from_config(&Value::Null, &vars).timeout
    }

    #[test]
    fn are_off_and_modest_by_default() {
        let settings = Settings::default();
        assert!(!settings.enabled && settings.auto_prune && settings.delete_orphans);
        assert_eq!(settings.max_snapshots, 20);
        assert_eq!(settings.max_total_bytes, 500 << 20);
        assert_eq!(settings.max_file_bytes, 10 << 20);
        assert_eq!(settings.retention, Duration::from_secs(7 * 86_400));
        assert_eq!(settings.min_interval, Duration::from_secs(86_400));
        assert_eq!(settings.timeout, Duration::from_secs(30));
    }

    #[test]
    fn come_from_the_section_and_forgive_nonsense() {
        let config = json!({"checkpoints": {
            "enabled": "yes", "max_snapshots": 0, "max_file_size_mb": "3",
            "retention_days": -1, "auto_prune": false,
        }});
        let settings = Settings::from_config(&config, &Vars::default());
        assert!(settings.enabled && !settings.auto_prune);
        assert_eq!(settings.max_snapshots, 1);
        assert_eq!(settings.max_file_bytes, 3 << 20);
        assert_eq!(settings.retention, Duration::from_secs(7 * 86_400));
        assert!(Settings::from_config(&json!({"checkpoints": true}), &Vars::default()).enabled);
    }

    #[test]
    fn the_timeout_stays_between_ten_and_sixty_seconds() {
        for (given, secs) in [("5", 10), ("45", 45), ("600", 60), ("soon", 30), (" ", 30)] {
            assert_eq!(with_timeout(given), Duration::from_secs(secs), "{given}");
        }
    }
}
