//! `rl_stop_training`: a training ends.

use hermes_tool::{ToolContext, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::context::{answered, only_with_a_trainer, trainings};

/// Arguments of `rl_stop_training`.
#[derive(Deserialize, JsonSchema)]
struct RlStopTraining {
    /// The training, as its start told.
    run_id: String,
}

/// Stop a training: its environment, its trainer and the trajectory API. It cannot be continued.
#[tool(
    toolset = "rl",
    emoji = "🧪",
    effects(runs, writes),
    dynamic_schema = only_with_a_trainer
)]
async fn rl_stop_training(args: RlStopTraining, cx: &ToolContext) -> ToolResult {
    answered(trainings(cx)?.stop(args.run_id.trim()).await)
}
