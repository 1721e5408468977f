//! What goes along with a rollout: its policy, and its reward.

use std::sync::Arc;

use hermes_agent::{ChainModel, ContextWindow, ModelChain};
use hermes_llm::Model;
use hermes_llm::model::BoxFuture;
use hermes_rl::{PolicyModel, RewardRequest, RewardSource, RolloutTools};
use serde_json::{Value, json};

use crate::record::TaskRecord;
use crate::run::{AttemptSide, BatchTask, TaskCompanion};

/// The policy and who judges its rollouts.
pub struct PolicyHead {
    /// Asked anew in each rollout.
    pub policy: PolicyModel,
    /// Says what a rollout is worth.
    pub reward: RewardSource,
}

/// Brings a [`PolicyHead`] to every rollout.
pub struct PolicyCompanion(Arc<PolicyHead>);

impl PolicyCompanion {
    /// For all rollouts of a run.
    #[must_use]
    pub fn new(head: PolicyHead) -> Self {
        Self(Arc::new(head))
    }
}

impl TaskCompanion for PolicyCompanion {
    fn model(&self) -> &str {
        self.0.policy.name()
    }

    fn begin(&self, _: &BatchTask) -> Box<dyn AttemptSide> {
        Box::new(RolloutSide { head: Arc::clone(&self.0), policy: Arc::new(self.0.policy.fresh()) })
    }
}

struct RolloutSide {
    head: Arc<PolicyHead>,
    policy: Arc<PolicyModel>,
}

impl AttemptSide for RolloutSide {
    fn chain(&self) -> ModelChain {
        // Nothing is to become shorter: the window is the server's business, which says when it is full.
        let window = ContextWindow::new(u64::from(u32::MAX));
        ModelChain::new(
            ChainModel::new(Arc::clone(&self.policy) as Arc<dyn Model>, window),
            Vec::new(),
        )
    }

    fn ended_early(&self) -> Option<&'static str> {
        self.policy.ended().map(|ended| ended.word())
    }

    fn finished<'a>(
        &'a self,
        task: &'a BatchTask,
        record: &'a mut TaskRecord,
        tools: Arc<dyn RolloutTools>,
    ) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async move {
            record.rollout = Some(Box::new(self.policy.tokens()));
            if !record.status.has_trajectory() {
                return Ok(());
            }
            let row: Value = serde_json::from_slice(&task.line).unwrap_or_default();
            // An item of an environment travels inside its row.
            let item = row.get("item").unwrap_or(&row);
            let mut shown = json!(record);
            if let Some(fields) = shown.as_object_mut() {
                fields.remove("rollout");
            }
            let asked = RewardRequest {
                record: &shown,
                item,
                passed: record.verify.as_ref().map(|verify| verify.passed),
                tools,
            };
            let found = self.head.reward.judge(asked).await.map_err(|error| error.to_string())?;
            record.reward = Some(found.reward);
            if let Some(fields) = record.metadata.as_object_mut() {
                fields.extend(found.parts.map(|parts| ("reward_parts".to_owned(), parts)));
                fields.extend(found.info.map(|info| ("reward_info".to_owned(), info)));
            }
            Ok(())
        })
    }
}
