//! Which processes run, written down for the next start.
//!
//! A process of ours ends with us. What the next start can find are those of an older version or
//! those somebody took care to keep alive; they can be looked at and killed, but what they wrote is
//! gone.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes_process::StopMode;
use hermes_store::atomic::{self, WriteOptions};
use serde::{Deserialize, Serialize};

use super::entry::{ProcessEnd, ProcessEntry};
use super::{CompletionReason, ProcessStart, TerminationSource, new_entry};

/// The file.
pub(super) struct ProcessRecord {
    path: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct RecordedProcess {
    session_id: String,
    command: String,
    pid: Option<u32>,
    #[serde(default)]
    pid_scope: String,
    #[serde(default)]
    host_start_time: Option<u64>,
    #[serde(default)]
    cwd: String,
    #[serde(default)]
    started_at: f64,
    #[serde(default)]
    task_id: String,
    #[serde(default)]
    session_key: String,
    #[serde(default)]
    notify_on_complete: bool,
    #[serde(default)]
    watch_patterns: Vec<String>,
}

/// On this machine, as opposed to inside a sandbox.
const HOST: &str = "host";
const SANDBOX: &str = "sandbox";

impl ProcessRecord {
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    /// Beside it: the file whose bytes are the places for processes.
    pub(super) fn places(&self) -> PathBuf {
        self.path.with_extension("places")
    }

    /// Writes down what runs. A failure costs only the memory of it.
    pub(super) fn write(&self, entries: &[Arc<ProcessEntry>]) {
        let lines: Vec<RecordedProcess> =
            entries.iter().filter(|entry| entry.is_running()).map(|entry| line(entry)).collect();
        let written =
            serde_json::to_vec_pretty(&lines).map_err(|error| error.to_string()).and_then(|text| {
                atomic::write(&self.path, &text, WriteOptions::KEEP)
                    .map_err(|error| error.to_string())
            });
        if let Err(error) = written {
            tracing::debug!(error, "background processes were not written down");
        }
    }

    /// Those written down that still run: same number and same time of start.
    pub(super) fn recover(&self) -> Vec<ProcessEntry> {
        let Ok(text) = std::fs::read(&self.path) else { return Vec::new() };
        let lines: Vec<RecordedProcess> = serde_json::from_slice(&text).unwrap_or_default();
        lines.into_iter().filter_map(recovered).collect()
    }
}

fn line(entry: &ProcessEntry) -> RecordedProcess {
    let ProcessStart { command, cwd, task_id, session_key, watch_patterns, on_host, .. } =
        entry.start.clone();
    RecordedProcess {
        session_id: entry.id.clone(),
        command,
        pid: entry.pid,
        pid_scope: if on_host { HOST } else { SANDBOX }.to_owned(),
        host_start_time: entry.kernel_start,
        cwd,
        started_at: entry.started_at as f64,
        task_id,
        session_key,
        notify_on_complete: entry.live().notify,
        watch_patterns,
    }
}

fn recovered(line: RecordedProcess) -> Option<ProcessEntry> {
    let pid = line.pid.filter(|_| line.pid_scope == HOST)?;
    let kernel_start = line.host_start_time?;
    if hermes_process::process_start_time(pid) != Some(kernel_start) {
        return None;
    }
    let start = ProcessStart {
        command: line.command,
        cwd: line.cwd,
        task_id: line.task_id,
        session_key: line.session_key,
        notify_on_complete: line.notify_on_complete,
        watch_patterns: line.watch_patterns,
        ..ProcessStart::default()
    };
    Some(ProcessEntry {
        pid: Some(pid),
        kernel_start: Some(kernel_start),
        #[expect(clippy::cast_possible_truncation, reason = "whole seconds")]
        started_at: line.started_at as i64,
        detached: true,
        ..new_entry(&line.session_id, start)
    })
}

/// Looks whether a recovered process still runs.
pub(super) fn notice_end(entry: &ProcessEntry) {
    let (Some(pid), Some(kernel_start)) = (entry.pid, entry.kernel_start) else { return };
    if entry.is_running() && hermes_process::process_start_time(pid) != Some(kernel_start) {
        let reason = CompletionReason::Exited;
        entry.live().ended =
            Some(ProcessEnd { exit_code: None, reason, source: None, at: Instant::now() });
    }
}

/// Kills a recovered process, if it is still the one that was written down.
pub(super) async fn kill(
    entry: &ProcessEntry,
    grace: Duration,
    source: TerminationSource,
) -> Result<(), String> {
    let (Some(pid), Some(kernel_start)) = (entry.pid, entry.kernel_start) else {
        return Err("its process id is not known".into());
    };
    let stop = if grace.is_zero() { StopMode::Ask } else { StopMode::AskThenKill(grace) };
    let killed = hermes_process::signal_if_same(pid, kernel_start, stop).await;
    let was_running = killed.map_err(|error| error.to_string())?;
    let (exit_code, reason, source) = if was_running {
        (Some(-15), CompletionReason::Killed, Some(source))
    } else {
        (None, CompletionReason::AlreadyExited, None)
    };
    entry.live().ended = Some(ProcessEnd { exit_code, reason, source, at: Instant::now() });
    Ok(())
}
