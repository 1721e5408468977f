//! The `tools.tool_search` setting.
//!
//! ```yaml
//! tools:
//!   tool_search:
//!     enabled: auto            # auto, on or off
//!     threshold_pct: 10        # auto defers from this share of the context on
//!     max_search_limit: 20
//!     search_default_limit: 5
//!     pinned: [x_search]       # never deferred
//! ```
//!
//! A plain `false` in place of the object switches it off. Reading never fails: a session must not
//! lose its tools over a typing mistake.

use std::collections::BTreeSet;

use hermes_tool::Vars;
use hermes_tool::settings::{KeyInfo, Kind, SettingValue, Settings};
use serde_json::Value;

use super::super::limits::whole_number;

const MAX_LIMIT_CEILING: i64 = 50;

/// Whether tools are deferred.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchMode {
    /// When they cost too much of the context.
    #[default]
    Auto,
    /// Whenever there is one that can be.
    On,
    /// Never.
    Off,
}

/// How tools are deferred and searched.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchConfig {
    /// Whether they are deferred.
    pub mode: SearchMode,
    /// Share of the context, in percent, from which [`SearchMode::Auto`] defers.
    pub threshold_pct: f64,
    /// Most matches a search may ask for.
    pub max_search_limit: usize,
    /// Matches of a search that does not say how many.
    pub search_default_limit: usize,
    /// Names of tools that are never deferred.
    pub pinned: BTreeSet<String>,
}

/// The section as it is written.
#[derive(Settings)]
#[settings(manual)]
struct SearchSection {
    /// When to hide tools; auto decides by their size.
    #[setting(default = SearchMode::Auto)]
    enabled: SearchMode,
    /// Share of the context window from which auto hides tools, in percent.
    #[setting(default = 10.0)]
    threshold_pct: f64,
    /// Most results of one search.
    #[setting(default = 20)]
    max_search_limit: i64,
    /// Results of a search that names no number.
    #[setting(default = 5)]
    search_default_limit: i64,
    /// Tools that are never hidden.
    pinned: Vec<String>,
}

impl From<SearchSection> for SearchConfig {
    /// Numbers are clamped to their range; the default limit stays below the largest.
    fn from(section: SearchSection) -> Self {
        let max = section.max_search_limit.clamp(1, MAX_LIMIT_CEILING);
        let names = section.pinned.iter().map(|name| name.trim().to_owned());
        Self {
            mode: section.enabled,
            threshold_pct: section.threshold_pct.clamp(0.0, 100.0),
            max_search_limit: max as usize, // both are between 1 and 50
            search_default_limit: section.search_default_limit.clamp(1, max) as usize,
            pinned: names.filter(|name| !name.is_empty()).collect(),
        }
    }
}

impl Default for SearchConfig {
    fn default() -> Self {
        SearchSection::default().into()
    }
}

impl SettingValue for SearchConfig {
    const KIND: Kind = Kind::BoolOr(&Kind::Section);

    fn from_config(value: &Value) -> Option<Self> {
        Some(Self::from_value(value))
    }

    fn to_config(&self) -> String {
        String::new()
    }

    fn keys_below(path: &str) -> Vec<KeyInfo> {
        <SearchSection as Settings>::keys_below(path)
    }
}

impl SettingValue for SearchMode {
    const KIND: Kind = Kind::BoolOr(&Kind::OneOf(&["auto", "on", "off"]));

    fn from_config(value: &Value) -> Option<Self> {
        Some(mode_of(value))
    }

    fn to_config(&self) -> String {
        match self {
            Self::Auto => "auto",
            Self::On => "on",
            Self::Off => "off",
        }
        .to_owned()
    }
}

impl SearchConfig {
    /// Reads the setting itself: a switch, or the section. Whatever cannot be read keeps its
    /// default.
    #[must_use]
    pub fn from_value(setting: &Value) -> Self {
        if setting.is_object() {
            return SearchSection::read(setting, &Vars::default()).into();
        }
        // `true` only confirms the default; YAML readers differ in whether `off` is a word.
        let mode = match mode_of(setting) {
            SearchMode::Off if !setting.is_number() => SearchMode::Off,
            _ => SearchMode::Auto,
        };
        Self { mode, ..Self::default() }
    }

    /// How many matches to give for the `limit` a model asked for.
    #[must_use]
    pub fn limit(&self, asked: Option<&Value>) -> usize {
        let most = self.max_search_limit.max(1);
        match asked.and_then(whole_number) {
            Some(number) => usize::try_from(number).unwrap_or(0).clamp(1, most),
            None => self.search_default_limit.clamp(1, most),
        }
    }
}

fn mode_of(value: &Value) -> SearchMode {
    let word = match value {
        Value::Bool(switch) => switch.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(word) => word.trim().to_ascii_lowercase(),
        _ => String::new(),
    };
    match word.as_str() {
        "on" | "true" | "1" | "yes" => SearchMode::On,
        "off" | "false" | "0" | "no" => SearchMode::Off,
        _ => SearchMode::Auto,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn mode(setting: &Value) -> SearchMode {
        SearchConfig::from_value(setting).mode
    }

    #[test]
    fn a_switch_is_auto_or_off() {
        assert_eq!(mode(&json!(false)), SearchMode::Off);
        assert_eq!(mode(&json!("off")), SearchMode::Off);
        for auto in [json!(true), json!(null), json!("on"), json!(7), json!(0), json!([])] {
            assert_eq!(mode(&auto), SearchMode::Auto, "{auto}");
        }
    }

    #[test]
    fn enabled_understands_words() {
        for on in [json!("on"), json!(true), json!(1), json!("YES"), json!("true")] {
            assert_eq!(mode(&json!({"enabled": on})), SearchMode::On, "{on}");
        }
        for off in [json!("off"), json!(false), json!(0), json!(" no ")] {
            assert_eq!(mode(&json!({"enabled": off})), SearchMode::Off, "{off}");
        }
        for auto in [json!("auto"), json!("perhaps"), json!(2), json!(null)] {
            assert_eq!(mode(&json!({"enabled": auto})), SearchMode::Auto, "{auto}");
        }
        assert_eq!(mode(&json!({})), SearchMode::Auto);
    }

    #[test]
    fn numbers_are_clamped_and_the_default_limit_stays_below_the_maximum() {
        let config = SearchConfig::from_value(&json!({
            "threshold_pct": 250, "max_search_limit": 3, "search_default_limit": 9,
        }));
        assert_eq!(config.threshold_pct, 100.0);
        assert_eq!((config.max_search_limit, config.search_default_limit), (3, 3));
        let config = SearchConfig::from_value(&json!({
            "threshold_pct": "-1", "max_search_limit": 900, "search_default_limit": 0,
        }));
        assert_eq!(config.threshold_pct, 0.0);
        assert_eq!((config.max_search_limit, config.search_default_limit), (50, 1));
        let config = SearchConfig::from_value(&json!({
            "threshold_pct": "nan", "max_search_limit": [], "search_default_limit": true,
        }));
        assert_eq!(config, SearchConfig::default());
    }

    #[test]
    fn a_limit_is_clamped_and_an_odd_one_is_the_default() {
        let config = SearchConfig::default();
        let limit = |asked: Value| config.limit(Some(&asked));
        assert_eq!((limit(json!(0)), limit(json!(-4)), limit(json!(99))), (1, 1, 20));
        assert_eq!((limit(json!("7")), limit(json!("all")), config.limit(None)), (7, 5, 5));
    }

    #[test]
    fn pinned_names_are_read_as_list_or_single_name() {
        let pinned = |value: Value| SearchConfig::from_value(&json!({"pinned": value})).pinned;
        assert_eq!(pinned(json!([" a ", 7, "b", ""])), ["7".into(), "a".into(), "b".into()].into());
        assert_eq!(pinned(json!("a")), ["a".to_owned()].into());
    }
}
