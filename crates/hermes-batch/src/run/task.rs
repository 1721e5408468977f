//! A task, and how an attempt at it can end.

use hermes_agent::ExitReason;
use hermes_llm::ErrorClass;
use hermes_llm::model::BoxFuture;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::wire::SentTask;
use crate::BatchError;
use crate::dataset::{Dataset, DatasetRow, parse_row};
use crate::options::RunOptions;
use crate::record::{RECORD_VERSION, TaskRecord, TaskStatus, TaskTiming, TaskUsage};
use crate::seed::task_seed;

/// One row and one sample of it.
#[derive(Clone, Debug)]
pub struct BatchTask {
    /// Row × samples + sample: its place among all tasks.
    pub number: u32,
    /// Its name.
    pub id: String,
    /// The name of its row.
    pub row_id: String,
    /// Which sample of the row.
    pub sample: u32,
    /// The place of the row.
    pub index: usize,
    /// What it is about.
    pub row: DatasetRow,
    /// Its own chance.
    pub seed: u64,
    /// The chance its toolsets are drawn with: its own, or that of its row.
    pub tools_seed: u64,
    /// The line of its row, for workers elsewhere.
    pub line: Vec<u8>,
}

impl BatchTask {
    /// Reads a task from the data set.
    ///
    /// # Errors
    /// If its row cannot be read any more.
    pub fn read(dataset: &Dataset, options: &RunOptions, number: u32) -> Result<Self, BatchError> {
        let samples = options.samples.max(1);
        let (index, sample) = ((number / samples) as usize, number % samples);
        let (row_id, row, line) = dataset.row_and_line(index)?;
        let id = if samples > 1 { format!("{row_id}.{sample}") } else { row_id.clone() };
        let seed = task_seed(options.seed, &id);
        let tools_seed = if options.group_tools { task_seed(options.seed, &row_id) } else { seed };
        Ok(Self { number, id, row_id, sample, index, row, seed, tools_seed, line })
    }

    /// As a worker is told about it.
    #[must_use]
    pub fn sent(&self, attempt: u32) -> SentTask {
        SentTask {
            id: self.id.clone(),
            attempt,
            row: serde_json::from_slice(&self.line).unwrap_or_default(),
            row_id: self.row_id.clone(),
            sample: self.sample,
            index: self.index,
            number: self.number,
            seed: self.seed,
            tools_seed: self.tools_seed,
        }
    }

    /// A task that a coordinator has sent.
    ///
    /// # Errors
    /// If its row is none.
    pub fn received(sent: SentTask) -> Result<Self, String> {
        let line = sent.row.to_string().into_bytes();
        let row = parse_row(&line)?.ok_or("the row is empty")?;
        let SentTask { id, row_id, sample, index, number, seed, tools_seed, .. } = sent;
        Ok(Self { number, id, row_id, sample, index, row, seed, tools_seed, line })
    }

    /// The record of an attempt that begins.
    #[must_use]
    pub fn begun(&self, model: &str, epoch: u64, started: jiff::Timestamp) -> TaskRecord {
        let row = &self.row;
        let mut metadata = match &row.metadata {
            Some(Value::Object(fields)) => fields.clone(),
            Some(other) => Map::from_iter([("row".to_owned(), other.clone())]),
            None => Map::new(),
        };
        metadata.extend(row.group.clone().map(|group| ("group".to_owned(), group)));
        metadata.insert("batch_num".to_owned(), json!(0));
        metadata.insert("timestamp".to_owned(), json!(started.to_string()));
        metadata.insert("model".to_owned(), json!(model));
        TaskRecord {
            v: RECORD_VERSION,
            id: self.id.clone(),
            row_id: self.row_id.clone(),
            sample: self.sample,
            prompt_index: self.index as u64,
            status: TaskStatus::Ok,
            class: None,
            reason: None,
            completed: true,
            partial: false,
            conversations: None,
            messages: Value::Array(Vec::new()),
            tools: String::new(),
            toolsets_used: Vec::new(),
            api_calls: 0,
            tool_stats: Default::default(),
            reasoning: Default::default(),
            usage: Default::default(),
            verify: None,
            reward: None,
            rollout: None,
            timing: TaskTiming { start: started.to_string(), ..TaskTiming::default() },
            attempts: 1,
            generation: 1,
            seed: self.seed,
            metadata: Value::Object(metadata),
            host: crate::store::host_name(),
            epoch,
            row_hash: format!("{:016x}", row.fingerprint()),
            redactions: 0,
        }
    }

    /// The record of an attempt that came to nothing before anybody asked a model.
    #[must_use]
    pub fn failed(&self, epoch: u64, class: &str, reason: &str) -> TaskRecord {
        let mut record = self.begun("", epoch, jiff::Timestamp::now());
        record.status = TaskStatus::Failed;
        record.class = Some(class.to_owned());
        record.reason = Some(reason.to_owned());
        record.completed = false;
        record
    }

    /// The number of the task of this name, if the data set has it.
    #[must_use]
    pub fn find(dataset: &Dataset, options: &RunOptions, id: &str) -> Option<u32> {
        let samples = options.samples.max(1);
        if samples == 1 {
            return dataset.find(id).and_then(|index| u32::try_from(index).ok());
        }
        let (row, sample) = id.rsplit_once('.')?;
        let sample: u32 = sample.parse().ok().filter(|sample| *sample < samples)?;
        let index = u32::try_from(dataset.find(row)?).ok()?;
        index.checked_mul(samples)?.checked_add(sample)
    }
}

/// How an attempt ended.
#[derive(Debug)]
pub enum AttemptOutcome {
    /// With a record, whatever it says.
    Recorded(Box<TaskRecord>),
    /// Something that has nothing to do with the model went wrong. The record is what is kept if no later attempt goes
    /// better.
    Failed(Box<TaskRecord>),
    /// We were told to stop: the task stays pending.
    Cancelled {
        /// What it used all the same.
        usage: TaskUsage,
    },
    /// Whoever worked on it is gone: another one has to.
    Lost {
        /// What is known about that.
        reason: String,
    },
}

/// Tries tasks. The same code stands behind the local runner and every kind of worker.
pub trait TaskExecutor: Send + Sync {
    /// Makes one attempt. Ends soon after a cancellation, and leaves nothing behind.
    fn attempt<'a>(
        &'a self,
        task: &'a BatchTask,
        stop: &'a CancellationToken,
    ) -> BoxFuture<'a, AttemptOutcome>;

    /// Why no task can be tried any more, if that is so.
    fn given_up(&self) -> Option<String> {
        None
    }

    /// Ends everything that was started for tasks.
    fn close(&self) -> BoxFuture<'_, ()>;
}

/// The class of a failure of the model's provider, as records name it.
#[must_use]
pub(super) fn class_of(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Auth | ErrorClass::Billing => "auth",
        ErrorClass::RateLimit | ErrorClass::UpstreamRateLimit => "infra.rate_limit",
        ErrorClass::ModelNotFound | ErrorClass::FormatError | ErrorClass::SchemaGrammar => "config",
        ErrorClass::Timeout | ErrorClass::Tls | ErrorClass::NotRunning | ErrorClass::Dropped => {
            "infra.network"
        }
        _ => "infra.provider",
    }
}

/// Whether another attempt may help.
#[must_use]
pub fn is_worth_repeating(class: &str) -> bool {
    class.starts_with("infra.") || class == "internal"
}

/// Whether a failure is one of the run, which every task would meet.
#[must_use]
pub(super) fn is_of_the_run(class: &str) -> bool {
    matches!(class, "auth" | "config")
}

/// Whether the provider refused as a matter of policy.
#[must_use]
pub(super) fn is_policy(exit: ExitReason) -> bool {
    matches!(exit, ExitReason::ApiError(ErrorClass::Policy | ErrorClass::ContentPolicy))
}
