//! The runtime's part of the configuration, read once and replaced whole.

use std::sync::Arc;
use std::time::Duration;

use hermes_tool::Vars;
use serde_json::Value;

use crate::availability::DEFAULT_DEADLINE;
use crate::coerce::CoercionMode;
use crate::guardrails::GuardrailConfig;
use crate::limits::ResultLimits;
use crate::tool_search::SearchConfig;

/// What the runtime takes from the configuration file and the variables.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The configuration as read; dynamic schemas look into it.
    pub config: Arc<Value>,
    /// Variables for checks, schemas and handlers.
    pub vars: Vars,
    /// `tools.coercion`: how far arguments are converted.
    pub coercion: CoercionMode,
    /// `tools.tool_search`: when tools hide behind the bridges.
    pub tool_search: SearchConfig,
    /// `tools.check_timeout_seconds`: how long a pass waits for checks.
    pub check_timeout: Duration,
    /// `tool_loop_guardrails`.
    pub guardrails: GuardrailConfig,
    /// Limits on results.
    pub limits: ResultLimits,
}

impl Settings {
    /// Reads the configuration. A value that makes no sense counts as absent: `hermes config check`
    /// is where people are told.
    #[must_use]
    pub fn read(config: Value, vars: Vars) -> Self {
        let tools = &config["tools"];
        let check_timeout = tools["check_timeout_seconds"]
            .as_f64()
            .filter(|seconds| *seconds > 0.0 && *seconds <= 3_600.0)
            .map_or(DEFAULT_DEADLINE, Duration::from_secs_f64);
        Self {
            coercion: tools["coercion"]
                .as_str()
                .and_then(|word| word.parse().ok())
                .unwrap_or_default(),
            tool_search: SearchConfig::from_value(&tools["tool_search"]),
            check_timeout,
            guardrails: GuardrailConfig::from_config(&config),
            limits: ResultLimits::default(),
            config: Arc::new(config),
            vars,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::read(Value::Object(serde_json::Map::new()), Vars::default())
    }
}
