//! Where the configuration speaks of platforms.

use std::collections::BTreeMap;

use hermes_tool::Vars;
use hermes_tool::settings::{RawSetting, Settings};
use serde_json::Value;

/// All platforms.
#[derive(Settings)]
struct PlatformTable {
    /// Messaging platforms by name. Names that are not listed here belong to the platform itself.
    platforms: RawSetting<BTreeMap<String, PlatformSection>>,
}

/// One platform, under `platforms.NAME`.
#[derive(Settings)]
#[settings(open)]
struct PlatformSection {
    /// Whether it is used when its credentials are there.
    #[setting(default = true)]
    enabled: bool,
    /// What the platform's own adapter reads.
    extra: Value,
}

/// Sections at the top of the file, where the Python program keeps settings of a platform too.
#[derive(Settings)]
struct TopSections {
    /// Settings of the platform, as under `platforms`.
    #[setting(hidden)]
    telegram: Value,
    /// Settings of the platform, as under `platforms`.
    #[setting(hidden)]
    discord: Value,
    /// Settings of the platform, as under `platforms`.
    #[setting(hidden)]
    slack: Value,
    /// Settings of the platform, as under `platforms`.
    #[setting(hidden)]
    matrix: Value,
    /// Settings of the platform, as under `platforms`.
    #[setting(hidden)]
    whatsapp: Value,
    /// Settings of the platform, as under `platforms`.
    #[setting(hidden)]
    mattermost: Value,
    /// Settings of the platform, as under `platforms`.
    #[setting(hidden)]
    signal: Value,
    /// Settings of the platform, as under `platforms`.
    #[setting(hidden)]
    dingtalk: Value,
    /// Settings of the platform, as under `platforms`.
    #[setting(hidden)]
    feishu: Value,
}

/// Whether a platform may be used at all.
pub(super) fn is_enabled(name: &str, config: &Value, vars: &Vars) -> bool {
    PlatformSection::read(&raw_section(name, config, vars), vars).enabled
}

fn raw_section(name: &str, config: &Value, vars: &Vars) -> Value {
    let table = PlatformTable::read(config, vars).platforms.0;
    table.get(name).cloned().unwrap_or_default()
}

/// What `platforms.NAME.extra` says, and nothing of the other places where a platform may be configured: for whoever changes
/// it there. Null where nothing is said.
#[must_use]
pub fn written_extra(name: &str, config: &Value, vars: &Vars) -> Value {
    PlatformSection::read(&raw_section(name, config, vars), vars).extra
}

/// All that is said of a platform, what counts first first.
pub(super) fn sections_of(name: &str, config: &Value, vars: &Vars) -> Vec<Value> {
    let section = raw_section(name, config, vars);
    let top = TopSections::read(config, vars);
    let top = match name {
        "telegram" => top.telegram,
        "discord" => top.discord,
        "slack" => top.slack,
        "matrix" => top.matrix,
        "whatsapp" => top.whatsapp,
        "mattermost" => top.mattermost,
        "signal" => top.signal,
        "dingtalk" => top.dingtalk,
        "feishu" => top.feishu,
        _ => Value::Null,
    };
    vec![PlatformSection::read(&section, vars).extra, section, top]
}
