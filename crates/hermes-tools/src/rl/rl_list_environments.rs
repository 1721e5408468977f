//! `rl_list_environments`: what can be trained in.

use hermes_tool::{ToolContext, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::context::{answered, only_with_a_trainer, trainings};

/// Arguments of `rl_list_environments`.
#[derive(Deserialize, JsonSchema)]
struct RlListEnvironments {}

/// List the environments that a model can be trained in, with what each is about.
#[tool(
    toolset = "rl",
    emoji = "🧪",
    effects(reads),
    dynamic_schema = only_with_a_trainer
)]
fn rl_list_environments(_args: RlListEnvironments, cx: &ToolContext) -> ToolResult {
    let found = trainings(cx)?.environments().map(|found| {
        json!({
            "count": found.len(), "environments": found,
            "tips": [
                "Select one by its name, look at its settings, change what should be other, then test and start.",
                "An environment is a Python file; reading it tells what its rewards are.",
            ],
        })
    });
    answered(found)
}
