//! News about background processes, for the agent to hear between its turns.

use std::fmt::Write as _;

use super::CompletionReason;

/// Most characters of output told with an end.
pub(crate) const TAIL_CHARS: usize = 2_000;

/// Something happened to a process.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessEvent {
    /// The process.
    pub id: String,
    /// The line that started it, as the caller wrote it.
    pub command: String,
    /// Whose process it is.
    pub session_key: String,
    /// What happened.
    pub kind: ProcessEventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum ProcessEventKind {
    /// It ended.
    Completion {
        /// With this code.
        exit_code: Option<i32>,
        /// Why.
        reason: CompletionReason,
        /// The end of its output.
        output: String,
        /// When it was started, in seconds since 1970.
        started_at: i64,
    },
    /// It wrote a line somebody watches for.
    WatchMatch {
        /// What was watched for.
        pattern: String,
        /// The lines.
        output: String,
        /// Lines that matched before and were not told.
        suppressed: u64,
    },
    /// It wrote too many of them.
    WatchDisabled,
    /// Too much happened at once: matches are held back for a while.
    OverflowTripped,
    /// That is over.
    OverflowReleased {
        /// So many were held back.
        held_back: u64,
    },
}

impl ProcessEvent {
    /// The event as one block of text for the model.
    #[must_use]
    pub fn render(&self) -> String {
        let Self { id, command, kind, .. } = self;
        let mut text = "[IMPORTANT: ".to_owned();
        let _ = match kind {
            ProcessEventKind::Completion { exit_code, reason, output, .. } => {
                let code = match exit_code {
                    Some(code @ (-15 | 143)) => format!("exit code {code}, SIGTERM"),
                    Some(code) => format!("exit code {code}"),
                    None => "exit code unknown".to_owned(),
                };
                write!(
                    text,
                    "background process {id} ended ({}; {code}).\nCommand: {command}\nOutput:\n{output}",
                    reason.name()
                )
            }
            ProcessEventKind::WatchMatch { pattern, output, suppressed } => {
                let _ = write!(
                    text,
                    "background process {id} wrote what you watch for ({pattern:?}).\n\
                     Command: {command}\nOutput:\n{output}"
                );
                match suppressed {
                    0 => Ok(()),
                    n => write!(text, "\n({n} earlier matching lines were left out)"),
                }
            }
            ProcessEventKind::WatchDisabled => write!(
                text,
                "background process {id} writes what you watch for all the time; it is no longer \
                 watched, and you will hear when it ends.\nCommand: {command}"
            ),
            ProcessEventKind::OverflowTripped => write!(
                text,
                "too many lines that you watch for; matches are held back for 30 seconds."
            ),
            ProcessEventKind::OverflowReleased { held_back } => {
                write!(text, "matches are told again; {held_back} were held back.")
            }
        };
        text.push(']');
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_tells_how() {
        let event = |exit_code| ProcessEvent {
            id: "proc_1".into(),
            command: "make".into(),
            session_key: String::new(),
            kind: ProcessEventKind::Completion {
                exit_code,
                reason: CompletionReason::Exited,
                output: "done".into(),
                started_at: 0,
            },
        };
        let text = event(Some(-15)).render();
        assert!(text.starts_with("[IMPORTANT: ") && text.ends_with("done]"), "{text}");
        assert!(text.contains("-15, SIGTERM") && text.contains("proc_1"), "{text}");
        assert!(event(Some(0)).render().contains("exit code 0)"));
    }
}
