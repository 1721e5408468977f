//! `rl_start_training`: a training begins.

use hermes_tool::{ToolContext, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::context::{answered, gate, only_with_a_trainer, trainings};

/// Arguments of `rl_start_training`.
#[derive(Deserialize, JsonSchema)]
struct RlStartTraining {}

/// Start training in the selected environment with its current settings: the trajectory API, the trainer and the
/// environment, one after another. Takes some minutes until all run; a training takes hours or days.
#[tool(
    toolset = "rl",
    emoji = "🚀",
    effects(runs, writes, network),
    dynamic_schema = only_with_a_trainer
)]
async fn rl_start_training(_args: RlStartTraining, cx: &ToolContext) -> ToolResult {
    answered(trainings(cx)?.start(&gate(cx)?).await)
}
