//! `rl_check_status`: how a training goes.

use hermes_tool::{ToolContext, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::context::{answered, only_with_a_trainer, trainings};

/// Arguments of `rl_check_status`.
#[derive(Deserialize, JsonSchema)]
struct RlCheckStatus {
    /// The training, as its start told.
    run_id: String,
}

/// Show how a training goes and its latest numbers. Told once in half an hour for each training: do not wait for it.
#[tool(
    toolset = "rl",
    emoji = "🧪",
    effects(reads, writes),
    dynamic_schema = only_with_a_trainer
)]
fn rl_check_status(args: RlCheckStatus, cx: &ToolContext) -> ToolResult {
    answered(trainings(cx)?.status(args.run_id.trim()))
}
