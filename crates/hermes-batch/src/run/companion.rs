//! Who goes along with a task: brings the model of an attempt, and judges what came of it while its place is still there.
//!
//! Ordinary batch runs have none. Rollouts of reinforcement learning do: their model is the policy that is trained, asked
//! in a way of its own, and their reward is found with tools in the same sandbox.

use std::sync::Arc;

use hermes_agent::ModelChain;
use hermes_host::TaskAgents;
use hermes_llm::model::BoxFuture;
use hermes_rl::RolloutTools;
use hermes_runtime::{Runtime, ToolCall};
use hermes_tool::{CallIds, ContextParts};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::task::BatchTask;
use crate::record::TaskRecord;

/// Goes along with every attempt of a run.
pub trait TaskCompanion: Send + Sync {
    /// The model it brings, by name.
    fn model(&self) -> &str;

    /// An attempt begins.
    fn begin(&self, task: &BatchTask) -> Box<dyn AttemptSide>;
}

/// Goes along with one attempt.
pub trait AttemptSide: Send + Sync {
    /// Who answers the agent.
    fn chain(&self) -> ModelChain;

    /// The class of an attempt that was ended by the model's side before the model was done.
    fn ended_early(&self) -> Option<&'static str>;

    /// Completes the record while the place of the task is still there. An error counts as `infra.verify`.
    fn finished<'a>(
        &'a self,
        task: &'a BatchTask,
        record: &'a mut TaskRecord,
        tools: Arc<dyn RolloutTools>,
    ) -> BoxFuture<'a, Result<(), String>>;
}

/// Tools in the place of a task, for whoever judges it. They pass the gate as those of its agent do.
pub(super) struct PlaceTools {
    runtime: Arc<Runtime>,
    context: ContextParts,
}

impl PlaceTools {
    pub(super) fn of(
        agents: &TaskAgents,
        task: &str,
        toolsets: &[String],
        stop: &CancellationToken,
    ) -> Self {
        let tools = agents.tools();
        let runtime = Arc::clone(tools.runtime());
        let tables = runtime.registry().snapshot();
        let named = toolsets.iter().map(String::as_str);
        let enabled = runtime.toolsets().snapshot().resolve_each(named, &*tables);
        let place = tools.environments().directory(task, task);
        let cwd = place.or_else(|| {
            tools.environments().settings(task).ok().map(|settings| settings.cwd.clone())
        });
        let context = ContextParts {
            ids: CallIds {
                task_id: task.to_owned(),
                session_id: task.to_owned(),
                tool_call_id: "reward".to_owned(),
                ..CallIds::default()
            },
            enabled_tools: enabled.into_iter().collect(),
            cwd: cwd.map(Into::into),
            cancellation: stop.child_token(),
            ..tools.context()
        };
        Self { runtime, context }
    }
}

impl RolloutTools for PlaceTools {
    fn call(&self, tool: String, args: Value) -> BoxFuture<'_, Result<Value, String>> {
        Box::pin(async move {
            if self.runtime.registry().get(&tool).is_none() {
                return Err(format!("there is no tool `{tool}`"));
            }
            let call = ToolCall { context: self.context.clone(), ..ToolCall::new(tool, args) };
            let answer = self.runtime.call(call).await.output.to_value();
            // What a tool answers is mostly an object that was written as text.
            let object = answer.as_str().and_then(|text| serde_json::from_str(text).ok());
            Ok(object.filter(|value: &Value| value.is_object()).unwrap_or(answer))
        })
    }
}
