//! The settings of the loop, read from the configuration once.

use std::collections::BTreeMap;
use std::time::Duration;

use hermes_llm::model::{CachePlan, Effort};
use hermes_tool::Vars;
use hermes_tool::settings::{Seconds, SettingWords, Settings};
use hermes_tools::delegation::DelegationLimits;
use serde_json::Value;

/// The section `agent`, as far as the loop reads it.
#[derive(Settings)]
#[settings(path = "agent", about = "The turn loop", open)]
struct LoopSection {
    /// Most model calls for one request.
    #[setting(default = 90, range = 1..)]
    max_turns: u32,
    /// How often a failed model call is repeated.
    #[setting(default = 3)]
    api_max_retries: u32,
    /// How hard the model thinks.
    #[setting(default = Effort::Medium)]
    reasoning_effort: Effort,
    /// Reasoning effort by model.
    reasoning_overrides: BTreeMap<String, Effort>,
    /// Pause between tool calls that run one after another, in seconds.
    #[setting(range = Seconds::new(0.0)..=LONGEST_DELAY)]
    tool_delay: Seconds,
    /// Longest answer in tokens.
    #[setting(path = "model.max_tokens", range = 1..)]
    max_tokens: Option<u32>,
    /// Whether an answer ends with the names of files whose change failed.
    #[setting(path = "display.file_mutation_verifier", default = true)]
    mutation_verifier: bool,
}

/// How long providers keep what they have seen.
#[derive(Settings)]
#[settings(path = "prompt_caching", about = "Caching of the conversation by the provider", open)]
struct CachingSection {
    /// How long the provider keeps the cached part.
    #[setting(default = CacheTtl::FiveMinutes)]
    cache_ttl: CacheTtl,
}

#[derive(Clone, Copy, PartialEq, Eq, SettingWords)]
enum CacheTtl {
    #[setting(word = "5m")]
    FiveMinutes,
    #[setting(word = "1h")]
    Hour,
}

/// The part of `delegation` that is about how subagents work.
#[derive(Settings)]
#[settings(path = "delegation", open)]
struct SubagentSection {
    /// Most model calls of one of them.
    #[setting(default = 50, range = 1..)]
    max_iterations: u32,
    /// Most model calls of all of them in one turn; four times max_iterations if unset.
    #[setting(range = 1..)]
    max_total_iterations: Option<u32>,
    /// Longest report, in characters.
    #[setting(default = 24_000, range = 1..)]
    max_summary_chars: usize,
    /// Longest run of one, in seconds; 0 for no limit.
    child_timeout_seconds: Seconds,
    /// Let them run risky commands without asking.
    subagent_auto_approve: bool,
}

/// What the loop is told by `config.yaml`.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSettings {
    /// Model calls in one turn.
    pub max_turns: u32,
    /// Attempts of one call, after the first.
    pub api_max_retries: u32,
    /// How much the model thinks.
    pub effort: Option<Effort>,
    /// The pause between calls that run one after another.
    pub tool_delay: Duration,
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
const MIN_CHILD_TIMEOUT: Duration = Duration::from_secs(30);
/// A longer pause between two calls is a mistake.
const LONGEST_DELAY: Seconds = Seconds::new(3_600.0);

impl AgentSettings {
    /// Reads them; what is absent or makes no sense has its default.
    #[must_use]
    pub fn read(config: &Value, model: &str) -> Self {
        let vars = Vars::default();
        let agent = LoopSection::read(config, &vars);
        let subagents = SubagentSection::read(config, &vars);
        let effort = agent.reasoning_overrides.get(model).copied();
        let child_timeout = subagents.child_timeout_seconds.unless_zero();
        let max_iterations = subagents.max_iterations;
        Self {
            max_turns: agent.max_turns,
            api_max_retries: agent.api_max_retries,
            effort: Some(effort.unwrap_or(agent.reasoning_effort)),
            tool_delay: agent.tool_delay.duration(),
            max_tokens: agent.max_tokens,
            delegation: DelegationSettings {
                max_iterations,
                max_total_iterations: subagents
                    .max_total_iterations
                    .unwrap_or_else(|| max_iterations.saturating_mul(4)),
                limits: DelegationLimits::from_config(config),
                max_summary_chars: subagents.max_summary_chars,
                child_timeout: child_timeout.map(|limit| limit.max(MIN_CHILD_TIMEOUT)),
                auto_approve: subagents.subagent_auto_approve,
            },
            mutation_verifier: agent.mutation_verifier,
            long_cache: CachingSection::read(config, &vars).cache_ttl == CacheTtl::Hour,
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
        assert_eq!(settings.tool_delay, Duration::ZERO);
    }

    #[test]
    fn numbers_and_switches_in_quotes_count() {
        let config = json!({"agent": {"max_turns": "7", "tool_delay": "0.5"},
            "delegation": {"subagent_auto_approve": "yes"}, "prompt_caching": {"cache_ttl": "1h"}});
        let settings = AgentSettings::read(&config, "m");
        assert_eq!((settings.max_turns, settings.tool_delay), (7, Duration::from_millis(500)));
        assert!(settings.delegation.auto_approve && settings.long_cache);
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
