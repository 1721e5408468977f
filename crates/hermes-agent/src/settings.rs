//! The settings of the loop, read from the configuration once.

use std::time::Duration;

use hermes_llm::model::{CachePlan, Effort};
use hermes_tools::delegation::DelegationLimits;
use serde_json::Value;

/// What the loop is told by `config.yaml`.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSettings {
    /// Model calls in one turn.
    pub max_turns: u32,
    /// Attempts of one call, after the first.
    pub api_max_retries: u32,
    /// How much the model thinks.
    pub effort: Option<Effort>,
    /// The most tokens of an answer, if configured.
    pub max_tokens: Option<u32>,
    /// How deep and how wide work is handed to subagents.
    pub delegation: DelegationSettings,
    /// Whether a footer names files whose change failed.
    pub mutation_verifier: bool,
    /// Whether cached conversations are kept for an hour.
    pub long_cache: bool,
}

/// The part of the settings that is about subagents.
#[derive(Clone, Debug, PartialEq)]
pub struct DelegationSettings {
    /// Model calls of one child.
    pub max_iterations: u32,
    /// Model calls of all children of one turn together.
    pub max_total_iterations: u32,
    /// How many children at a time, and how deep, as the model is told.
    pub limits: DelegationLimits,
    /// Characters of a child's summary.
    pub max_summary_chars: usize,
    /// How long a child may take; for ever if absent.
    pub child_timeout: Option<Duration>,
    /// Whether children may do what would need a yes.
    pub auto_approve: bool,
}

/// A child's limit below this is a mistake.
const MIN_CHILD_TIMEOUT: f64 = 30.0;

impl AgentSettings {
    /// Reads them; what is absent or makes no sense has its default.
    #[must_use]
    pub fn read(config: &Value, model: &str) -> Self {
        let agent = &config["agent"];
        let number = |value: &Value, default: u32| {
            value.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0).unwrap_or(default)
        };
        let flag = |value: &Value, default: bool| value.as_bool().unwrap_or(default);
        let delegation = &config["delegation"];
        let max_iterations = number(&delegation["max_iterations"], 50);
        let effort = match &agent["reasoning_overrides"][model] {
            Value::Null => &agent["reasoning_effort"],
            own => own,
        };
        Self {
            max_turns: number(&agent["max_turns"], 90),
            api_max_retries: agent["api_max_retries"]
                .as_u64()
                .and_then(|n| u32::try_from(n).ok())
                .unwrap_or(3),
            effort: read_effort(effort),
            max_tokens: config["model"]["max_tokens"].as_u64().and_then(|n| u32::try_from(n).ok()),
            delegation: DelegationSettings {
                max_iterations,
                max_total_iterations: number(
                    &delegation["max_total_iterations"],
                    max_iterations.saturating_mul(4),
                ),
                limits: DelegationLimits::from_config(config),
                max_summary_chars: number(&delegation["max_summary_chars"], 24_000) as usize,
                child_timeout: delegation["child_timeout_seconds"]
                    .as_f64()
                    .filter(|limit| *limit > 0.0)
                    .and_then(|limit| {
                        Duration::try_from_secs_f64(limit.max(MIN_CHILD_TIMEOUT)).ok()
                    }),
                auto_approve: flag(&delegation["subagent_auto_approve"], false),
            },
            mutation_verifier: flag(&config["display"]["file_mutation_verifier"], true),
            long_cache: config["prompt_caching"]["cache_ttl"] == "1h",
        }
    }
}

impl AgentSettings {
    /// How long providers are asked to keep the conversation in their caches.
    #[must_use]
    pub fn cache(&self) -> CachePlan {
        if self.long_cache { CachePlan::LongConversation } else { CachePlan::Conversation }
    }
}

/// The word for an effort; `false` and `off` mean none.
#[must_use]
pub fn read_effort(value: &Value) -> Option<Effort> {
    let word = match value {
        Value::Bool(false) => return Some(Effort::None),
        Value::String(word) => word.trim().to_ascii_lowercase(),
        _ => return Some(Effort::Medium),
    };
    Some(match word.as_str() {
        "none" | "off" => Effort::None,
        "minimal" => Effort::Minimal,
        "low" => Effort::Low,
        "high" => Effort::High,
        "xhigh" => Effort::XHigh,
        "max" => Effort::Max,
        "ultra" => Effort::Ultra,
        _ => Effort::Medium,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_empty_configuration_has_the_defaults() {
        let settings = AgentSettings::read(&json!({}), "m");
        assert_eq!((settings.max_turns, settings.api_max_retries), (90, 3));
        assert_eq!(settings.effort, Some(Effort::Medium));
        assert_eq!(settings.delegation.max_total_iterations, 200);
        assert_eq!(settings.delegation.child_timeout, None);
    }

    #[test]
    fn values_that_make_no_sense_are_left_aside() {
        let config = json!({"agent": {"max_turns": -3, "api_max_retries": 0, "reasoning_effort": false},
            "delegation": {"child_timeout_seconds": 1, "max_concurrent_children": "x"}});
        let settings = AgentSettings::read(&config, "m");
        assert_eq!((settings.max_turns, settings.api_max_retries), (90, 0));
        assert_eq!(settings.effort, Some(Effort::None));
        assert_eq!(settings.delegation.child_timeout, Some(Duration::from_secs(30)));
        assert_eq!(settings.delegation.limits.max_children, 3);
    }

    #[test]
    fn a_model_may_have_an_effort_of_its_own() {
        let config =
            json!({"agent": {"reasoning_effort": "low", "reasoning_overrides": {"m": "high"}}});
        assert_eq!(AgentSettings::read(&config, "m").effort, Some(Effort::High));
        assert_eq!(AgentSettings::read(&config, "n").effort, Some(Effort::Low));
    }
}
