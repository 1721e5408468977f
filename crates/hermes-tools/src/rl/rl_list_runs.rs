//! `rl_list_runs`: all trainings.

use hermes_tool::{ToolContext, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::context::{answered, only_with_a_trainer, trainings};

/// Arguments of `rl_list_runs`.
#[derive(Deserialize, JsonSchema)]
struct RlListRuns {}

/// List all trainings, running and ended, the newest first.
#[tool(
    toolset = "rl",
    emoji = "🧪",
    effects(reads),
    dynamic_schema = only_with_a_trainer
)]
fn rl_list_runs(_args: RlListRuns, cx: &ToolContext) -> ToolResult {
    answered(Ok(trainings(cx)?.runs()))
}
