//! The runtime's part of the configuration, read once and replaced whole.

use std::sync::Arc;
use std::time::Duration;

use hermes_tool::Vars;
use hermes_tool::settings::{Seconds, Settings};
use serde_json::Value;

use crate::availability::DEFAULT_DEADLINE;
use crate::coerce::CoercionMode;
use crate::guardrails::GuardrailConfig;
use crate::limits::ResultLimits;
use crate::tool_search::SearchConfig;
use crate::toolsets::CustomToolsets;

/// The longest wait for checks that can be set.
const MAX_CHECK_TIMEOUT: Seconds = Seconds::new(3_600.0);

/// The section `tools` as it is written.
#[derive(Settings)]
#[settings(path = "tools", about = "How tools are offered and called")]
struct ToolsSection {
    /// How far arguments are converted to fit a tool's schema.
    #[setting(default = CoercionMode::Deep)]
    coercion: CoercionMode,
    /// Hide rarely used tools behind a search.
    tool_search: SearchConfig,
    /// How long a tool may take to say whether it is available, in seconds.
    #[setting(default = Seconds::new(DEFAULT_DEADLINE.as_secs() as f64), range = Seconds::new(0.001)..=MAX_CHECK_TIMEOUT)]
    check_timeout_seconds: Seconds,
}

/// What the runtime takes from the configuration file and the variables.
#[derive(Clone, Debug)]
pub struct RuntimeSettings {
    /// The configuration as read; dynamic schemas look into it.
    pub config: Arc<Value>,
    /// Variables for checks, schemas and handlers.
    pub vars: Vars,
    /// How far arguments are converted.
    pub coercion: CoercionMode,
    /// When tools hide behind the bridges.
    pub tool_search: SearchConfig,
    /// How long a pass waits for checks.
    pub check_timeout: Duration,
    /// When repeated calls are advised against or stopped.
    pub guardrails: GuardrailConfig,
    /// How long a result may be before it is cut or spilled.
    pub limits: ResultLimits,
    /// The definitions of toolsets, as they are written.
    pub(crate) custom_toolsets: Value,
}

impl RuntimeSettings {
    /// Reads the configuration. A value that makes no sense counts as absent: `hermes config check`
    /// is where people are told.
    #[must_use]
    pub fn read(config: Value, vars: Vars) -> Self {
        let tools = ToolsSection::read(&config, &vars);
        Self {
            coercion: tools.coercion,
            tool_search: tools.tool_search,
            check_timeout: tools.check_timeout_seconds.duration(),
            guardrails: GuardrailConfig::from_config(&config),
            limits: ResultLimits::default(),
            custom_toolsets: CustomToolsets::read(&config, &vars).custom_toolsets.0,
            config: Arc::new(config),
            vars,
        }
    }
}

impl Default for RuntimeSettings {
    fn default() -> Self {
        Self::read(Value::Object(serde_json::Map::new()), Vars::default())
    }
}
