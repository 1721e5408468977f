//! `rl_test_inference`: how models do before a training.

use hermes_rl::training::InferenceTest;
use hermes_tool::{ToolContext, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::context::{answered, gate, only_with_a_trainer, trainings};

/// Items, unless told otherwise.
const USUAL_STEPS: u32 = 3;
/// Rollouts of each, unless told otherwise.
const USUAL_GROUP: u32 = 16;
/// More of either is no test.
const MOST: u32 = 256;

/// Arguments of `rl_test_inference`.
#[derive(Deserialize, JsonSchema)]
struct RlTestInference {
    /// Items that are tried (3).
    num_steps: Option<u32>,
    /// Rollouts of each item (16).
    group_size: Option<u32>,
    /// Models by name; three of different sizes if not given.
    models: Option<Vec<String>>,
}

/// Try the selected environment with a few models, without training: rollouts of some items, scored. Shows whether
/// the environment works and how hard it is. Costs tokens; takes up to ten minutes for each model.
#[tool(
    toolset = "rl",
    emoji = "🧪",
    effects(runs, writes, network),
    dynamic_schema = only_with_a_trainer
)]
async fn rl_test_inference(args: RlTestInference, cx: &ToolContext) -> ToolResult {
    let test = InferenceTest {
        num_steps: args.num_steps.unwrap_or(USUAL_STEPS).clamp(1, MOST),
        group_size: args.group_size.unwrap_or(USUAL_GROUP).clamp(1, MOST),
        models: args.models.unwrap_or_default(),
    };
    answered(trainings(cx)?.test_inference(&test, &gate(cx)?).await)
}
