//! A group: several rollouts of one item, all of them or none.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::future::join_all;
use hermes_rl::ScoredGroup;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::items::RolloutItem;
use crate::record::TaskRecord;
use crate::run::{AttemptOutcome, TaskExecutor, is_worth_repeating};

/// The longest pause before a rollout is tried again.
const LONGEST_PAUSE: u64 = 60;

/// Works on the tasks of a group beside each other, and tries those that failed again.
pub struct GroupRunner {
    /// Tries single rollouts.
    pub executor: Arc<dyn TaskExecutor>,
    /// Rollouts of a group.
    pub size: u32,
    /// Tries after the first.
    pub retries: u32,
    /// All chance comes from it.
    pub seed: u64,
    /// As many rollouts as there are permits go at a time.
    pub slots: Arc<Semaphore>,
    /// Numbers rollouts.
    pub next: AtomicU32,
}

/// The complete rollouts of one item.
#[derive(Clone, Debug)]
pub struct RolloutGroup {
    /// Which item.
    pub number: u64,
    /// Its name.
    pub id: String,
    /// One record a sample, each with a reward.
    pub records: Vec<TaskRecord>,
}

/// Whether all of a group came in, and if not why nothing of it is sent.
#[derive(Clone, Debug)]
pub enum GroupEnd {
    /// All rollouts have a reward.
    Complete(Box<RolloutGroup>),
    /// Some have none.
    Dropped {
        /// Which item.
        number: u64,
        /// Its name.
        id: String,
        /// The class of the trouble.
        class: String,
        /// What it was.
        reason: String,
    },
    /// We were told to stop.
    Stopped,
}

impl GroupRunner {
    /// Runs all rollouts of an item beside each other.
    pub async fn group(&self, item: RolloutItem, stop: &CancellationToken) -> GroupEnd {
        let rollouts = (0..self.size).map(|sample| self.rollout(&item, sample, stop));
        let mut records = Vec::new();
        for ended in join_all(rollouts).await {
            match ended {
                Ok(record) => records.push(record),
                Err(_) if stop.is_cancelled() => return GroupEnd::Stopped,
                Err((class, reason)) => {
                    return GroupEnd::Dropped { number: item.number, id: item.id, class, reason };
                }
            }
        }
        GroupEnd::Complete(Box::new(RolloutGroup { number: item.number, id: item.id, records }))
    }

    async fn rollout(
        &self,
        item: &RolloutItem,
        sample: u32,
        stop: &CancellationToken,
    ) -> Result<TaskRecord, (String, String)> {
        let task = item.task(self.seed, sample, self.next.fetch_add(1, Ordering::Relaxed));
        let mut tries = 0;
        loop {
            let failed = {
                let Some(Ok(_slot)) = stop.run_until_cancelled(self.slots.acquire()).await else {
                    return Err(("stopped".to_owned(), String::new()));
                };
                match self.executor.attempt(&task, stop).await {
                    AttemptOutcome::Recorded(record) if record.reward.is_some() => {
                        return Ok(*record);
                    }
                    // Refused: there is nothing to judge, and asking again would ask for something else.
                    AttemptOutcome::Recorded(record) | AttemptOutcome::Failed(record) => *record,
                    AttemptOutcome::Cancelled { .. } => {
                        return Err(("stopped".to_owned(), String::new()));
                    }
                    AttemptOutcome::Lost { reason } => {
                        return Err(("infra.worker_lost".to_owned(), reason));
                    }
                }
            };
            let class = failed.class.unwrap_or_else(|| failed.status.word().to_owned());
            if tries >= self.retries || !is_worth_repeating(&class) {
                return Err((class, failed.reason.unwrap_or_default()));
            }
            let pause = Duration::from_secs((2_u64 << tries.min(10)).min(LONGEST_PAUSE));
            tries += 1;
            if stop.run_until_cancelled(tokio::time::sleep(pause)).await.is_none() {
                return Err(("stopped".to_owned(), String::new()));
            }
        }
    }
}

impl RolloutGroup {
    /// As trainers take it; none if the policy's server told no ids for some of it.
    #[must_use]
    pub fn scored(&self, run: &str, longest: usize) -> Option<ScoredGroup> {
        let mut group = self.scores(run);
        for (place, record) in self.records.iter().enumerate() {
            let rollout = record.rollout.as_ref()?;
            let whole = rollout.whole()?;
            let end = whole.tokens.len().min(longest);
            group.tokens.push(whole.tokens[..end].to_vec());
            group.masks.push(whole.masks[..end].to_vec());
            group.inference_logprobs.push(whole.logprobs[..end].to_vec());
            group.overrides[place]["retokenised"] = json!(rollout.retokenised);
            group.overrides[place]["cut_off"] = json!(whole.tokens.len() - end);
        }
        Some(group)
    }

    /// The same without tokens: rewards and conversations, which nothing can be trained on.
    #[must_use]
    pub fn scores(&self, run: &str) -> ScoredGroup {
        let rewards = self.records.iter().map(|record| record.reward.unwrap_or_default());
        let messages = |record: &TaskRecord| -> Vec<Value> {
            let list = record.messages.as_array().into_iter().flatten();
            list.map(with_text).collect()
        };
        ScoredGroup {
            scores: rewards.collect(),
            messages: self.records.iter().map(messages).collect(),
            overrides: self
                .records
                .iter()
                .map(|record| json!({"rollout": record.id, "status": record.status}))
                .collect(),
            group_overrides: json!({"group_id": format!("{run}/{}", self.id)}),
            ..ScoredGroup::default()
        }
    }
}

/// The trajectory API wants text in every message.
fn with_text(message: &Value) -> Value {
    let mut message = message.clone();
    if message["content"].is_null() {
        message["content"] = json!("");
    }
    message
}
