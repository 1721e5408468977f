//! What a coordinator and a worker say to each other: one JSON object a line, with a `type`.
//!
//! | to the worker | from the worker |
//! |---|---|
//! | `hello`: which run, and how its tasks are run | `ready`: who it is |
//! | `task` | `started`, `turn`, then `result`, `failed` or `cancelled` |
//! | `permit`: a request may go | `want`: one would like to; `used`: it has ended; `throttled`: the provider said "too many"; `unreachable`: nobody was there |
//! | `cancel`, `drain`, `ping` | `tools`: definitions a record points to; `pong`, `bye` |
//!
//! Messages of unknown types and unknown fields are left alone, so that either side may be newer.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::options::RunOptions;
use crate::record::{TaskRecord, TaskUsage};

/// The number of this contract.
pub const PROTOCOL: u32 = 1;
/// A record with more bytes goes through a file.
pub(super) const MAX_RECORD_BYTES: usize = 8 * 1024 * 1024;

/// What a worker has to know about the run.
#[derive(Clone, Serialize, Deserialize)]
pub struct WorkerManifest {
    /// How tasks are run.
    pub options: RunOptions,
    /// The id of the run, which its containers carry.
    #[serde(default)]
    pub id: String,
    /// Which of the configurations of the run this is.
    #[serde(default = "first_generation")]
    pub generation: u32,
    /// Whom to ask, as the coordinator found it out.
    pub model: Option<String>,
    /// Who serves it.
    pub provider: Option<String>,
    /// Where.
    pub base_url: Option<String>,
    /// The key for it. On pipes only: never in a file, a log or a command line.
    pub api_key: Option<String>,
    /// The folder of the run, for a worker that can reach it.
    pub folder: Option<std::path::PathBuf>,
}

fn first_generation() -> u32 {
    1
}

/// A task on its way to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SentTask {
    /// Its name.
    pub id: String,
    /// Counts from one.
    pub attempt: u32,
    /// The line of the data set.
    pub row: Value,
    /// The name of its row.
    pub row_id: String,
    /// Which sample of the row.
    pub sample: u32,
    /// The place of the row.
    pub index: usize,
    /// Its place among all tasks.
    pub number: u32,
    /// Its own chance.
    pub seed: u64,
    /// The chance of its toolsets.
    pub tools_seed: u64,
}

/// From the coordinator.
#[derive(Clone, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HostMessage {
    /// The first message.
    Hello {
        /// Must be [`PROTOCOL`].
        protocol: u32,
        /// The name of the run.
        run: String,
        /// Which start of it.
        epoch: u64,
        /// How its tasks are run.
        manifest: Box<WorkerManifest>,
    },
    /// Work on this.
    Task(Box<SentTask>),
    /// The request with this ticket may go.
    Permit {
        /// As it was wanted.
        ticket: u64,
    },
    /// Stop working on a task.
    Cancel {
        /// Which.
        id: String,
    },
    /// Take nothing new, finish what runs, end.
    Drain,
    /// Are you there?
    Ping,
    /// Something of a newer coordinator.
    #[serde(other)]
    Unknown,
}

/// A record in a file, because it is too long for a line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpooledRecord {
    /// The file; whoever reads it removes it.
    pub path: std::path::PathBuf,
    /// Its bytes.
    pub length: u64,
    /// Of its bytes, in hex.
    pub sha256: String,
}

/// From a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum WorkerMessage {
    /// It understood `hello`.
    Ready {
        /// [`PROTOCOL`].
        protocol: u32,
        /// Of the program.
        version: String,
        /// Its machine.
        host: String,
        /// Its process.
        pid: u32,
        /// Tasks it works on at a time.
        slots: usize,
        /// Where it can run them.
        backends: Vec<String>,
    },
    /// It works on a task.
    Started {
        /// Which.
        id: String,
        /// Which attempt at it.
        attempt: u32,
    },
    /// A task asks its model again.
    Turn {
        /// The place of the task among all.
        number: u32,
        /// Which question it is.
        turn: usize,
    },
    /// A request would like to go.
    Want {
        /// Names the request to this worker.
        ticket: u64,
        /// Whom it asks.
        key: String,
    },
    /// A request that was permitted has ended.
    Used {
        /// As it was permitted.
        ticket: u64,
        /// Tokens sent.
        input: u64,
        /// Tokens received.
        output: u64,
        /// Dollars, where the price is known.
        usd: Option<f64>,
        /// Whether the provider said anything.
        #[serde(default)]
        is_answered: bool,
    },
    /// The provider could not be reached.
    Unreachable {
        /// What was found out about that.
        why: String,
    },
    /// The provider said "too many".
    Throttled {
        /// How long it asks everybody to wait.
        retry_after_ms: Option<u64>,
    },
    /// A file below `tools` that records point to.
    Tools {
        /// Its name there.
        name: String,
        /// What is in it.
        text: String,
    },
    /// A task has ended with a record.
    Result {
        /// The task.
        #[serde(default)]
        id: String,
        /// The record, if it fits into a line.
        record: Option<Box<TaskRecord>>,
        /// Where it is, if it does not.
        spool: Option<SpooledRecord>,
    },
    /// An attempt went wrong.
    Failed {
        /// The task.
        #[serde(default)]
        id: String,
        /// What is kept if no later attempt goes better; has the class and the reason.
        #[serde(default)]
        record: Option<Box<TaskRecord>>,
        /// The class, where there is no record.
        #[serde(default)]
        class: String,
        /// The reason, where there is no record.
        #[serde(default)]
        reason: String,
    },
    /// A task was stopped, as it was asked to be.
    Cancelled {
        /// Which.
        id: String,
        /// What it used.
        usage: TaskUsage,
    },
    /// It is there.
    Pong,
    /// It ends.
    Bye,
    /// Something of a newer worker.
    #[serde(other)]
    Unknown,
}

/// Reads a line to a worker; what is none of the contract is left alone.
#[must_use]
pub fn host_message(line: &[u8]) -> Option<HostMessage> {
    serde_json::from_slice(line).ok()
}

/// Reads a line of a worker; what is none of the contract is left alone.
#[must_use]
pub fn worker_message(line: &[u8]) -> Option<WorkerMessage> {
    serde_json::from_slice(line).ok()
}

/// The task that a line is about which is none of the contract although it is of this type: whoever sent it waits.
pub(super) fn broken_about(line: &[u8], types: &[&str]) -> Option<String> {
    let value: Value = serde_json::from_slice(line).ok()?;
    let is_meant = value["type"].as_str().is_some_and(|found| types.contains(&found));
    let id = value["id"].as_str().or_else(|| value["record"]["id"].as_str());
    id.filter(|_| is_meant).map(str::to_owned)
}

/// A message as a line.
pub(super) fn line_of(message: &impl Serialize) -> String {
    let mut line = serde_json::to_string(message).unwrap_or_else(|_| "{}".to_owned());
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_newer_side_says_is_left_alone() {
        let known = host_message(br#"{"type":"cancel","id":"a","why":"new field"}"#);
        assert!(matches!(known, Some(HostMessage::Cancel { id }) if id == "a"));
        assert!(matches!(host_message(br#"{"type":"sing","x":1}"#), Some(HostMessage::Unknown)));
        assert!(matches!(worker_message(br#"{"type":"dance"}"#), Some(WorkerMessage::Unknown)));
        let torn = br#"{"type":"result","record":{"id":"a","status":"odd"}}"#;
        assert!(worker_message(torn).is_none());
        assert_eq!(broken_about(torn, &["result", "failed"]), Some("a".to_owned()));
        assert_eq!(broken_about(br#"{"type":"turn","id":"a"}"#, &["result"]), None);
        assert!(
            host_message(b"not json").is_none() && host_message(b"{\"type\":\"task\"}").is_none()
        );
    }
}
