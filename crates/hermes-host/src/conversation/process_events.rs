//! News of background processes: the chat hears at once, the model with the next message.

use std::sync::{Arc, Mutex};

use hermes_agent::NoticeLevel;
use hermes_exec::background::{
    CompletionReason, ProcessEvent, ProcessEventKind, Processes, TerminationSource,
};
use hermes_protocol::text::{cut, on_one_line};
use hermes_protocol::{FrontEnd, Notification, SessionStatus, TaskSummary};

use super::lock;

/// Columns of a command in what is told.
const MAX_COMMAND: usize = 60;
/// Most news kept for the model.
const MAX_HEARD: usize = 50;

/// What is known of background processes.
pub(super) struct ProcessEvents {
    processes: Arc<Processes>,
    /// What the model has not heard yet.
    heard: Mutex<Vec<ProcessEvent>>,
}

impl ProcessEvents {
    pub(super) fn new(processes: Arc<Processes>) -> Arc<Self> {
        Arc::new(Self { processes, heard: Mutex::default() })
    }

    /// Tells the chat what happens in the session at hand, for as long as there is one.
    pub(super) fn listen(
        self: &Arc<Self>,
        status: Arc<Mutex<SessionStatus>>,
        front: Arc<dyn FrontEnd>,
    ) {
        let news = Arc::clone(self);
        tokio::spawn(async move {
            loop {
                news.processes.news().await;
                let session = lock(&status).session_id.clone();
                for event in news.processes.drain(&session) {
                    front.notify(announcement(&event));
                    let mut heard = lock(&news.heard);
                    heard.push(event);
                    let surplus = heard.len().saturating_sub(MAX_HEARD);
                    heard.drain(..surplus);
                }
            }
        });
    }

    /// What the model of a session has not heard yet and not found out by itself.
    pub(super) fn take(&self, session: &str) -> Vec<String> {
        let mut heard = lock(&self.heard);
        let (ours, others): (Vec<_>, Vec<_>) =
            heard.drain(..).partition(|event| event.session_key == session);
        *heard = others;
        drop(heard);
        let is_known = |event: &ProcessEvent| {
            matches!(event.kind, ProcessEventKind::Completion { .. })
                && self.processes.is_consumed(&event.id)
        };
        ours.iter().filter(|event| !is_known(event)).map(ProcessEvent::render).collect()
    }

    /// All processes, oldest first.
    pub(super) fn lines(&self) -> Vec<TaskSummary> {
        let line = |process: hermes_exec::background::ProcessSnapshot| TaskSummary {
            id: process.id,
            about: process.start.command,
            state: match process.ended {
                None => "running".to_owned(),
                Some((_, CompletionReason::Killed, _)) => "killed".to_owned(),
                Some((Some(code), _, _)) => format!("exit {code}"),
                Some((None, reason, _)) => reason.name().to_owned(),
            },
            doing: None,
            took: process.uptime,
        };
        self.processes.list().into_iter().map(line).collect()
    }

    /// Ends one.
    pub(super) async fn stop(&self, id: &str) -> anyhow::Result<()> {
        Ok(self.processes.kill(id, TerminationSource::ProcessKill).await?)
    }

    /// Ends all; how many were running.
    pub(super) async fn stop_all(&self) -> usize {
        let running = self.lines().iter().filter(|line| line.state == "running").count();
        self.processes.kill_all(None).await;
        running
    }
}

fn announcement(event: &ProcessEvent) -> Notification {
    let ProcessEvent { id, command, kind, .. } = event;
    let command = cut(&on_one_line(command), MAX_COMMAND);
    let (level, what) = match kind {
        ProcessEventKind::Completion { exit_code: Some(0), .. } => {
            (NoticeLevel::Info, "has ended".to_owned())
        }
        ProcessEventKind::Completion { exit_code, reason, .. } => {
            let code = exit_code.map(|code| format!(" with exit code {code}")).unwrap_or_default();
            (NoticeLevel::Warning, format!("has ended{code} ({})", reason.name()))
        }
        ProcessEventKind::WatchMatch { pattern, .. } => {
            (NoticeLevel::Info, format!("wrote what is watched for ({pattern:?})"))
        }
        ProcessEventKind::WatchDisabled => {
            (NoticeLevel::Info, "is no longer watched: too much at once".into())
        }
        ProcessEventKind::OverflowTripped | ProcessEventKind::OverflowReleased { .. } => {
            (NoticeLevel::Info, "writes more than can be told".to_owned())
        }
    };
    let title = format!("{id} {what}: {command}\nThe agent hears of it with your next message.");
    Notification { level, title, text: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_told_with_its_code() {
        let event = |exit_code| ProcessEvent {
            id: "proc_1".into(),
            command: "make\nall".into(),
            session_key: "s1".into(),
            kind: ProcessEventKind::Completion {
                exit_code,
                reason: CompletionReason::Exited,
                output: String::new(),
                started_at: 0,
            },
        };
        let good = announcement(&event(Some(0)));
        assert!(good.title.starts_with("proc_1 has ended: make all\n"), "{}", good.title);
        let bad = announcement(&event(Some(2)));
        assert_eq!(bad.level, NoticeLevel::Warning);
        assert!(bad.title.contains("exit code 2"), "{}", bad.title);
    }
}
