//! `rl_select_environment`: which environment is trained in.

use hermes_tool::{ToolContext, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::context::{answered, gate, only_with_a_trainer, trainings};

/// Arguments of `rl_select_environment`.
#[derive(Deserialize, JsonSchema)]
struct RlSelectEnvironment {
    /// The environment, as the list names it.
    name: String,
}

/// Select the environment for the next training; its settings begin with their usual values.
#[tool(
    toolset = "rl",
    emoji = "🧪",
    effects(reads, writes, runs),
    dynamic_schema = only_with_a_trainer
)]
async fn rl_select_environment(args: RlSelectEnvironment, cx: &ToolContext) -> ToolResult {
    answered(trainings(cx)?.select(args.name.trim(), &gate(cx)?).await)
}
