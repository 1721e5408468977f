//! What a user can decide about checkpoints.

use std::path::PathBuf;
use std::time::Duration;

use hermes_tool::Vars;
use hermes_tool::settings::{KeyInfo, Kind, SettingValue};
use serde_json::Value;

const MIN_TIMEOUT_SECS: u64 = 10;
const MAX_TIMEOUT_SECS: u64 = 60;
const BYTES_PER_MB: u64 = 1024 * 1024;

/// The section as it is written.
#[derive(hermes_tool::settings::Settings)]
#[settings(manual)]
struct CheckpointSection {
    /// Whether they are made.
    enabled: bool,
    /// How many are kept per directory.
    #[setting(default = 20)]
    max_snapshots: usize,
    /// The size the whole store may have, in MB.
    #[setting(default = 500)]
    max_total_size_mb: u64,
    /// Files larger than this are left out, in MB.
    #[setting(default = 10)]
    max_file_size_mb: u64,
    /// Whether regular upkeep removes old and orphaned projects.
    #[setting(default = true)]
    auto_prune: bool,
    /// How many days a project's checkpoints are kept after it was last touched.
    #[setting(default = 7)]
    retention_days: u64,
    /// Whether checkpoints of directories that are gone are removed.
    #[setting(default = true)]
    delete_orphans: bool,
    /// Hours between two upkeeps.
    #[setting(default = 24)]
    min_interval_hours: u64,
}

/// `checkpoints: true` alone is short for `checkpoints.enabled: true`.
#[derive(Default)]
struct SwitchOrSection(CheckpointSection);

impl SettingValue for SwitchOrSection {
    const KIND: Kind = Kind::BoolOr(&Kind::Section);

    fn from_config(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(enabled) => {
                Some(Self(CheckpointSection { enabled: *enabled, ..CheckpointSection::default() }))
            }
            section => CheckpointSection::from_config(section).map(Self),
        }
    }

    fn to_config(&self) -> String {
        String::new()
    }

    fn keys_below(path: &str) -> Vec<KeyInfo> {
        <CheckpointSection as hermes_tool::settings::Settings>::keys_below(path)
    }
}

/// What is written about checkpoints, in the file and in the environment.
#[derive(hermes_tool::settings::Settings)]
#[settings()]
struct CheckpointKeys {
    /// Snapshots before files are changed.
    checkpoints: SwitchOrSection,
    /// The time one operation may take, in seconds; from 10 to 60.
    #[setting(path = "checkpoints.timeout", default = 30, variable = "HERMES_CHECKPOINT_TIMEOUT")]
    timeout: u64,
}

/// When, how much and for how long to save.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointSettings {
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

impl Default for CheckpointSettings {
    fn default() -> Self {
        Self::from_config(&Value::Null, &Vars::default())
    }
}

impl CheckpointSettings {
    /// Reads `checkpoints` of the whole configuration, and `HERMES_CHECKPOINT_TIMEOUT`, `HOME` and
    /// `PATH` of the environment. Whatever makes no sense there counts as not given.
    #[must_use]
    pub fn from_config(config: &Value, vars: &Vars) -> Self {
        let CheckpointKeys { checkpoints: SwitchOrSection(section), timeout } =
            <CheckpointKeys as hermes_tool::settings::Settings>::read(config, vars);
        let hours = |hours: u64| Duration::from_secs(hours.saturating_mul(3600));
        Self {
            enabled: section.enabled,
            max_snapshots: section.max_snapshots.max(1),
            max_total_bytes: section.max_total_size_mb.saturating_mul(BYTES_PER_MB),
            max_file_bytes: section.max_file_size_mb.saturating_mul(BYTES_PER_MB),
            auto_prune: section.auto_prune,
            retention: hours(section.retention_days.saturating_mul(24)),
            delete_orphans: section.delete_orphans,
            min_interval: hours(section.min_interval_hours),
            timeout: Duration::from_secs(timeout.clamp(MIN_TIMEOUT_SECS, MAX_TIMEOUT_SECS)),
            home: vars.non_blank("HOME").map(PathBuf::from),
            search_path: vars.non_blank("PATH").map(str::to_owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn with_timeout(value: &str) -> Duration {
        let vars: Vars =
            [("HERMES_CHECKPOINT_TIMEOUT".to_owned(), value.to_owned())].into_iter().collect();
        CheckpointSettings::from_config(&Value::Null, &vars).timeout
    }

    #[test]
    fn are_off_and_modest_by_default() {
        let settings = CheckpointSettings::default();
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
        let settings = CheckpointSettings::from_config(&config, &Vars::default());
        assert!(settings.enabled && !settings.auto_prune);
        assert_eq!(settings.max_snapshots, 1);
        assert_eq!(settings.max_file_bytes, 3 << 20);
        assert_eq!(settings.retention, Duration::from_secs(7 * 86_400));
        assert!(
            CheckpointSettings::from_config(&json!({"checkpoints": true}), &Vars::default())
                .enabled
        );
    }

    #[test]
    fn the_timeout_stays_between_ten_and_sixty_seconds() {
        for (given, secs) in [("5", 10), ("45", 45), ("600", 60), ("soon", 30), (" ", 30)] {
            assert_eq!(with_timeout(given), Duration::from_secs(secs), "{given}");
        }
    }
}
