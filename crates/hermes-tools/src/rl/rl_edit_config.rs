//! `rl_edit_config`: one setting of the next training.

use hermes_tool::{ToolContext, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::context::{answered, only_with_a_trainer, trainings};

/// Arguments of `rl_edit_config`.
#[derive(Deserialize, JsonSchema)]
struct RlEditConfig {
    /// The setting, as the current config names it.
    field: String,
    /// The new value.
    value: Value,
}

/// Change one setting of the selected environment. Locked settings cannot be changed.
#[tool(
    toolset = "rl",
    emoji = "🧪",
    effects(reads, writes),
    dynamic_schema = only_with_a_trainer
)]
fn rl_edit_config(args: RlEditConfig, cx: &ToolContext) -> ToolResult {
    answered(trainings(cx)?.edit(args.field.trim(), &args.value))
}
