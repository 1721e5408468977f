//! `rl_get_results`: what a training came to.

use hermes_tool::{ToolContext, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::context::{answered, only_with_a_trainer, trainings};

/// Arguments of `rl_get_results`.
#[derive(Deserialize, JsonSchema)]
struct RlGetResults {
    /// The training, as its start told.
    run_id: String,
}

/// Show what a training came to: its last numbers and some of those before.
#[tool(
    toolset = "rl",
    emoji = "🧪",
    effects(reads),
    dynamic_schema = only_with_a_trainer
)]
fn rl_get_results(args: RlGetResults, cx: &ToolContext) -> ToolResult {
    answered(trainings(cx)?.results(args.run_id.trim()))
}
