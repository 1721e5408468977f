//! The `tool_loop_guardrails` section of the configuration.

use hermes_tool::Vars;
use hermes_tool::settings::Settings;
use serde_json::Value;

/// One count for each pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// The same call failed.
    pub exact_failure: u32,
    /// The same tool failed, whatever the arguments.
    pub same_tool_failure: u32,
    /// A reading call gave the same answer.
    pub idempotent_no_progress: u32,
    /// The same one to three calls came round with the same answers.
    pub cycle: u32,
}

/// When to speak up and when to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuardrailConfig {
    /// Whether advice is given at all.
    pub warnings_enabled: bool,
    /// Whether calls may be blocked and turns ended; where nothing is said, they may if nobody watches.
    pub hard_stop_enabled: Option<bool>,
    /// From these counts on there is advice.
    pub warn_after: Counts,
    /// From these counts on there is a stop.
    pub hard_stop_after: Counts,
}

/// The section as it is written. Each count has an older spelling at the section's top.
#[derive(Settings)]
#[settings(
    path = "tool_loop_guardrails",
    about = "What happens when tool calls go round in circles"
)]
struct GuardrailSection {
    /// Warn the model.
    #[setting(default = true)]
    warnings_enabled: bool,
    /// Also stop it; unless this is set, it is stopped where nobody watches (`hermes -z`, jobs).
    hard_stop_enabled: Option<bool>,
    /// The same call fails so often before a warning.
    #[setting(key = "warn_after.exact_failure", default = 2, range = 1..,
        older = "tool_loop_guardrails.exact_failure_warn_after")]
    warn_exact: u32,
    /// The same tool fails so often before a warning.
    #[setting(key = "warn_after.same_tool_failure", default = 3, range = 1..,
        older = "tool_loop_guardrails.same_tool_failure_warn_after")]
    warn_tool: u32,
    /// A reading call brings the same result so often before a warning.
    #[setting(key = "warn_after.idempotent_no_progress", default = 2, range = 1..,
        older = "tool_loop_guardrails.no_progress_warn_after")]
    warn_idle: u32,
    /// The same one to three calls come round so often before a warning.
    #[setting(key = "warn_after.cycle", default = 3, range = 2..)]
    warn_cycle: u32,
    /// The same call fails so often before the stop.
    #[setting(key = "hard_stop_after.exact_failure", default = 5, range = 1..,
        older = "tool_loop_guardrails.exact_failure_block_after")]
    stop_exact: u32,
    /// The same tool fails so often before the stop.
    #[setting(key = "hard_stop_after.same_tool_failure", default = 8, range = 1..,
        older = "tool_loop_guardrails.same_tool_failure_halt_after")]
    stop_tool: u32,
    /// A reading call brings the same result so often before the stop.
    #[setting(key = "hard_stop_after.idempotent_no_progress", default = 5, range = 1..,
        older = "tool_loop_guardrails.no_progress_block_after")]
    stop_idle: u32,
    /// The same one to three calls come round so often before the stop.
    #[setting(key = "hard_stop_after.cycle", default = 6, range = 2..)]
    stop_cycle: u32,
}

impl From<GuardrailSection> for GuardrailConfig {
    fn from(section: GuardrailSection) -> Self {
        Self {
            warnings_enabled: section.warnings_enabled,
            hard_stop_enabled: section.hard_stop_enabled,
            warn_after: Counts {
                exact_failure: section.warn_exact,
                same_tool_failure: section.warn_tool,
                idempotent_no_progress: section.warn_idle,
                cycle: section.warn_cycle,
            },
            hard_stop_after: Counts {
                exact_failure: section.stop_exact,
                same_tool_failure: section.stop_tool,
                idempotent_no_progress: section.stop_idle,
                cycle: section.stop_cycle,
            },
        }
    }
}

impl Default for GuardrailConfig {
    fn default() -> Self {
        GuardrailSection::default().into()
    }
}

impl GuardrailConfig {
    /// Reads `tool_loop_guardrails` out of the whole configuration. A nested count
    /// (`warn_after.exact_failure`) wins over its flat spelling (`exact_failure_warn_after`); what
    /// is missing, below one or of the wrong kind keeps its default.
    #[must_use]
    pub fn from_config(config: &Value) -> Self {
        GuardrailSection::read(config, &Vars::default()).into()
    }

    /// The same for a conversation that nobody watches: unless the user decided otherwise, loops end.
    #[must_use]
    pub fn unwatched(self) -> Self {
        Self { hard_stop_enabled: self.hard_stop_enabled.or(Some(true)), ..self }
    }

    pub(super) fn may_stop(&self) -> bool {
        self.hard_stop_enabled.unwrap_or(false)
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
            Counts { exact_failure: 4, same_tool_failure: 10, idempotent_no_progress: 6, cycle: 3 }
        );
        assert_eq!(
            config.hard_stop_after,
            Counts {
                exact_failure: 11,
                same_tool_failure: 12,
                idempotent_no_progress: 13,
                cycle: 6
            }
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
    fn where_nobody_watches_loops_end_unless_the_user_says_no() {
        assert!(!GuardrailConfig::default().may_stop());
        assert!(GuardrailConfig::default().unwatched().may_stop());
        assert!(!read(&json!({"hard_stop_enabled": false})).unwatched().may_stop());
    }

    #[test]
    fn switches_understand_words() {
        for yes in [json!(true), json!(1), json!("YES"), json!(" on "), json!("enabled")] {
            assert!(read(&json!({"hard_stop_enabled": yes})).may_stop(), "{yes}");
        }
        for no in [json!(false), json!(0), json!("No"), json!("off"), json!("disabled")] {
            assert!(!read(&json!({"warnings_enabled": no})).warnings_enabled, "{no}");
        }
        let unknown = read(&json!({"warnings_enabled": "perhaps", "hard_stop_enabled": 2}));
        assert_eq!(unknown, GuardrailConfig::default());
    }
}
