//! `rl_get_current_config`: the settings of the next training.

use hermes_tool::{ToolContext, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::context::{answered, only_with_a_trainer, trainings};

/// Arguments of `rl_get_current_config`.
#[derive(Deserialize, JsonSchema)]
struct RlGetCurrentConfig {}

/// Show the settings of the selected environment: which can be changed, and which are locked.
#[tool(
    toolset = "rl",
    emoji = "🧪",
    effects(reads),
    dynamic_schema = only_with_a_trainer
)]
fn rl_get_current_config(_args: RlGetCurrentConfig, cx: &ToolContext) -> ToolResult {
    answered(trainings(cx)?.config())
}
