//! The `tool_loop_guardrails` section of the configuration.

use serde_json::Value;

use super::super::limits::whole_number;

/// One count for each pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// The same call failed.
    pub exact_failure: u32,
    /// The same tool failed, whatever the arguments.
    pub same_tool_failure: u32,
    /// A reading call gave the same answer.
    pub idempotent_no_progress: u32,
}

/// When to speak up and when to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardrailConfig {
    /// Whether advice is given at all.
    pub warnings_enabled: bool,
    /// Whether calls may be blocked and turns ended.
    pub hard_stop_enabled: bool,
    /// From these counts on there is advice.
    pub warn_after: Counts,
    /// From these counts on there is a stop.
    pub hard_stop_after: Counts,
}

impl Default for GuardrailConfig {
    fn default() -> Self {
        Self {
            warnings_enabled: true,
            hard_stop_enabled: false,
            warn_after: Counts {
                exact_failure: 2,
                same_tool_failure: 3,
                idempotent_no_progress: 2,
            },
            hard_stop_after: Counts {
                exact_failure: 5,
                same_tool_failure: 8,
                idempotent_no_progress: 5,
            },
        }
    }
}

/// The flat spelling of each nested count.
struct Flat {
    exact_failure: &'static str,
    same_tool_failure: &'static str,
    idempotent_no_progress: &'static str,
}

const FLAT_WARN: Flat = Flat {
    exact_failure: "exact_failure_warn_after",
    same_tool_failure: "same_tool_failure_warn_after",
    idempotent_no_progress: "no_progress_warn_after",
};
const FLAT_STOP: Flat = Flat {
    exact_failure: "exact_failure_block_after",
    same_tool_failure: "same_tool_failure_halt_after",
    idempotent_no_progress: "no_progress_block_after",
};

impl GuardrailConfig {
    /// Reads `tool_loop_guardrails` out of the whole configuration. A nested count
    /// (`warn_after.exact_failure`) wins over its flat spelling (`exact_failure_warn_after`); what
    /// is missing, below one or of the wrong kind keeps its default.
    #[must_use]
    pub fn from_config(config: &Value) -> Self {
        let default = Self::default();
        let Some(section) = config.get("tool_loop_guardrails") else {
            return default;
        };
        let switch = |key: &str| section.get(key).and_then(yes_or_no);
        Self {
            warnings_enabled: switch("warnings_enabled").unwrap_or(default.warnings_enabled),
            hard_stop_enabled: switch("hard_stop_enabled").unwrap_or(default.hard_stop_enabled),
            warn_after: counts(section, "warn_after", &FLAT_WARN, default.warn_after),
            hard_stop_after: counts(
                section,
                "hard_stop_after",
                &FLAT_STOP,
                default.hard_stop_after,
            ),
        }
    }
}

fn counts(section: &Value, group: &str, flat: &Flat, default: Counts) -> Counts {
    let read = |nested_key: &str, flat_key: &str, default: u32| {
        section
            .get(group)
            .and_then(|group| group.get(nested_key))
            .or_else(|| section.get(flat_key))
            .and_then(whole_number)
            .filter(|count| *count >= 1)
            .map_or(default, |count| u32::try_from(count).unwrap_or(u32::MAX))
    };
    Counts {
        exact_failure: read("exact_failure", flat.exact_failure, default.exact_failure),
        same_tool_failure: read(
            "same_tool_failure",
            flat.same_tool_failure,
            default.same_tool_failure,
        ),
        idempotent_no_progress: read(
            "idempotent_no_progress",
            flat.idempotent_no_progress,
            default.idempotent_no_progress,
        ),
    }
}

/// A switch in any of the ways people write one.
fn yes_or_no(value: &Value) -> Option<bool> {
    const YES: [&str; 5] = ["1", "true", "yes", "on", "enabled"];
    const NO: [&str; 5] = ["0", "false", "no", "off", "disabled"];
    let word = match value {
        Value::Bool(switch) => return Some(*switch),
        Value::Number(number) => number.to_string(),
        Value::String(word) => word.trim().to_ascii_lowercase(),
        _ => return None,
    };
    if YES.contains(&word.as_str()) {
        Some(true)
    } else if NO.contains(&word.as_str()) {
        Some(false)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(section: &Value) -> GuardrailConfig {
        GuardrailConfig::from_config(&json!({"tool_loop_guardrails": section}))
    }

    #[test]
    fn an_absent_or_odd_section_gives_defaults() {
        let default = GuardrailConfig::default();
        assert_eq!(GuardrailConfig::from_config(&json!({})), default);
        assert_eq!(GuardrailConfig::from_config(&json!(null)), default);
        assert_eq!(read(&json!("on")), default);
        assert_eq!(read(&json!({"warn_after": 7})), default);
    }

    #[test]
    fn nested_counts_win_over_flat_ones() {
        let config = read(&json!({
            "warn_after": {"exact_failure": 4, "idempotent_no_progress": "6"},
            "exact_failure_warn_after": 9,
            "same_tool_failure_warn_after": 10,
            "exact_failure_block_after": 11,
            "same_tool_failure_halt_after": 12,
            "no_progress_block_after": 13,
        }));
        assert_eq!(
            config.warn_after,
            Counts { exact_failure: 4, same_tool_failure: 10, idempotent_no_progress: 6 }
        );
        assert_eq!(
            config.hard_stop_after,
            Counts { exact_failure: 11, same_tool_failure: 12, idempotent_no_progress: 13 }
        );
    }

    #[test]
    fn counts_below_one_or_of_another_kind_are_defaults() {
        let config = read(&json!({
            "warn_after": {"exact_failure": 0, "same_tool_failure": -3},
            "no_progress_warn_after": true,
            "hard_stop_after": {"exact_failure": "many", "same_tool_failure": null},
        }));
        assert_eq!(config, GuardrailConfig::default());
    }

    #[test]
    fn switches_understand_words() {
        for yes in [json!(true), json!(1), json!("YES"), json!(" on "), json!("enabled")] {
            assert!(read(&json!({"hard_stop_enabled": yes})).hard_stop_enabled, "{yes}");
        }
        for no in [json!(false), json!(0), json!("No"), json!("off"), json!("disabled")] {
            assert!(!read(&json!({"warnings_enabled": no})).warnings_enabled, "{no}");
        }
        let unknown = read(&json!({"warnings_enabled": "perhaps", "hard_stop_enabled": 2}));
        assert_eq!(unknown, GuardrailConfig::default());
    }
}
