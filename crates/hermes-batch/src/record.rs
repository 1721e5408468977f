//! The record: the stored outcome of a task, one line of JSON.

use std::collections::BTreeMap;

use hermes_rl::RolloutTokens;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the form.
pub const RECORD_VERSION: u32 = 2;

/// How a task ended. The order is the order of worth: of two records of a task the first in it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// The model answered.
    Ok,
    /// A limit ended it; the trajectory is kept as unfinished.
    Incomplete,
    /// The model could not call tools properly and gave up.
    Partial,
    /// The model or its provider refused.
    Refused,
    /// A filter drops it.
    Discarded,
    /// Something that has nothing to do with the model went wrong, again and again.
    Failed,
}

impl TaskStatus {
    /// All, the best first.
    pub const ALL: [Self; 6] =
        [Self::Ok, Self::Incomplete, Self::Partial, Self::Refused, Self::Discarded, Self::Failed];

    /// The word in records.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Incomplete => "incomplete",
            Self::Partial => "partial",
            Self::Refused => "refused",
            Self::Discarded => "discarded",
            Self::Failed => "failed",
        }
    }

    /// The status of a word.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.word() == word)
    }

    /// Which records of a task are worth more: `ok`, then what has a trajectory, then what was dropped, then failures.
    #[must_use]
    pub fn rank(self) -> u8 {
        match self {
            Self::Ok => 0,
            Self::Incomplete | Self::Partial => 1,
            Self::Refused | Self::Discarded => 2,
            Self::Failed => 3,
        }
    }

    /// Whether its conversation is a trajectory to train on.
    #[must_use]
    pub fn has_trajectory(self) -> bool {
        self.rank() <= 1
    }
}

/// Calls of one tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCount {
    /// All calls.
    pub count: u64,
    /// Those whose result was no error.
    pub success: u64,
    /// Those whose result was one.
    pub failure: u64,
}

/// Turns of the model, and those with reasoning in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReasoningCount {
    /// Assistant messages.
    pub turns: u64,
    /// Those with reasoning.
    pub with: u64,
}

/// What all attempts of a task used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskUsage {
    /// Tokens sent that were not cached.
    pub input: u64,
    /// Tokens received.
    pub output: u64,
    /// Of these, thinking.
    pub reasoning: u64,
    /// Tokens sent that the provider had cached.
    pub cache_read: u64,
    /// Tokens sent that it put into its cache.
    pub cache_write: u64,
    /// Requests that were answered.
    pub requests: u64,
    /// Dollars, where a price is known for every request.
    pub cost_usd: Option<f64>,
    /// Where the price is from: `table` or `unknown`.
    pub cost_source: String,
}

impl TaskUsage {
    /// Adds what another attempt used. A cost stays known only while all of it is.
    pub fn add(&mut self, other: &Self) {
        let was_used = self.requests > 0;
        self.cost_usd = match (self.cost_usd, other.cost_usd) {
            (Some(one), Some(two)) => Some(one + two),
            (Some(one), None) if other.requests == 0 => Some(one),
            (None, Some(two)) if !was_used => Some(two),
            _ => None,
        };
        self.cost_source = if self.cost_usd.is_some() { "table" } else { "unknown" }.to_owned();
        self.input += other.input;
        self.output += other.output;
        self.reasoning += other.reasoning;
        self.cache_read += other.cache_read;
        self.cache_write += other.cache_write;
        self.requests += other.requests;
    }

    /// All tokens, sent and received.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.input + self.output + self.cache_read + self.cache_write
    }
}

/// What a task's `verify` command said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// What the command ended with; zero is a pass.
    pub exit_code: i32,
    /// Whether that was zero.
    pub passed: bool,
    /// The end of what it wrote.
    pub output: String,
}

/// When a task ran and what it waited for, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TaskTiming {
    /// When the last attempt began.
    pub start: String,
    /// When it ended.
    pub end: String,
    /// Waiting for answers of the model.
    pub model_ms: u64,
    /// Running tools.
    pub tools_ms: u64,
    /// Waiting for permission to ask.
    pub wait_ms: u64,
}

/// The stored outcome of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskRecord {
    /// [`RECORD_VERSION`].
    pub v: u32,
    /// The task.
    pub id: String,
    /// What the data set calls the row, which samples share.
    pub row_id: String,
    /// Which sample of the row, from zero.
    pub sample: u32,
    /// The place of the row in the data set.
    pub prompt_index: u64,
    /// How it ended.
    pub status: TaskStatus,
    /// More exactly, where there is more to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// In words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the model came to an end by itself.
    pub completed: bool,
    /// Whether it gave up in the middle of calls.
    pub partial: bool,
    /// ShareGPT turns; none where there is no trajectory.
    pub conversations: Option<Value>,
    /// The history in OpenAI form: the truth.
    pub messages: Value,
    /// Which tool definitions it had: `sha256:…`, a file below `tools`.
    pub tools: String,
    /// The toolsets that were drawn or given.
    pub toolsets_used: Vec<String>,
    /// Requests to the model in the last attempt.
    pub api_calls: u32,
    /// Calls by tool.
    pub tool_stats: BTreeMap<String, ToolCount>,
    /// Turns with and without reasoning.
    pub reasoning: ReasoningCount,
    /// Tokens and cost of all attempts.
    pub usage: TaskUsage,
    /// What the task's check said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<Verified>,
    /// What it was worth, where that was found out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reward: Option<f64>,
    /// The tokens of a rollout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rollout: Option<Box<RolloutTokens>>,
    /// When and how long.
    pub timing: TaskTiming,
    /// How often it was tried.
    pub attempts: u32,
    /// Which configuration of the run.
    pub generation: u32,
    /// The task's seed.
    pub seed: u64,
    /// What the row brought along, and `batch_num`, `timestamp`, `model`.
    pub metadata: Value,
    /// The machine.
    pub host: String,
    /// Which start of the run wrote it.
    pub epoch: u64,
    /// What tells whether the row has changed since, in hex.
    pub row_hash: String,
    /// How many secrets were masked.
    #[serde(default)]
    pub redactions: u64,
}

/// The part of a record that says which one it is.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RecordHead {
    /// The task.
    pub id: String,
    /// How it ended.
    pub status: TaskStatus,
    /// Tells whether the row has changed since; empty in old records.
    #[serde(default)]
    pub row_hash: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cost_is_known_only_while_all_of_it_is() {
        let paid = |usd| TaskUsage { requests: 1, cost_usd: usd, ..TaskUsage::default() };
        let mut sum = TaskUsage::default();
        sum.add(&paid(Some(1.0)));
        sum.add(&paid(Some(2.0)));
        assert_eq!(sum.cost_usd, Some(3.0));
        sum.add(&paid(None));
        assert_eq!((sum.cost_usd, sum.cost_source.as_str(), sum.requests), (None, "unknown", 3));
    }
}
