//! From an ended client to what the caller is told.

use std::path::Path;

use hermes_process::{CapturedOutput, End, FinishedProcess};

use super::begin::{LocalResult, left_by};
use super::options::{ExecEnd, ExecOptions, ExecResult};
use crate::backend::FileReach;
use crate::session::kept::KeptState;
use crate::session::{Keep, Scripts, marker, state::Directory};

/// The result of a run, and what is kept of it on this machine.
pub(super) fn conclude(
    scripts: &Scripts,
    call: &str,
    keep: Keep,
    how: &ExecOptions,
    done: &FinishedProcess,
) -> (ExecResult, Option<KeptState>) {
    let (code, ending, suffix) = match done.end {
        End::Exited(code) => (code, ExecEnd::Finished, String::new()),
        End::Signalled(signal) => (-signal, ExecEnd::Finished, String::new()),
        End::TimedOut => {
            let suffix = format!("[Command timed out after {}s]", how.timeout.as_secs());
            (124, ExecEnd::TimedOut, suffix)
        }
        End::Cancelled => (130, ExecEnd::Interrupted, "[Command interrupted]".to_owned()),
    };
    let mut kept = None;
    let (output, moved_to) = match (scripts.reach(), keep) {
        (_, Keep::Nothing) => (with_suffix(&done.stdout, &suffix), None),
        (FileReach::Local, Keep::State | Keep::Directory) => {
            let left = left_by(scripts, call);
            let moved = match &left {
                // A directory may be removed by the command that entered it.
                Some(LocalResult { directory: Directory::Moved(path), .. }) => {
                    Path::new(path).is_dir().then(|| path.clone())
                }
                Some(LocalResult { directory: Directory::Stayed, .. }) | None => None,
            };
            kept = left.map(|left| left.kept).filter(|_| keep == Keep::State);
            (with_suffix(&done.stdout, &suffix), moved)
        }
        (FileReach::Remote, Keep::State | Keep::Directory) => {
            let told = marker::take(done.stdout.text(), &scripts.marker());
            let output = match suffix.as_str() {
                "" => told.output,
                suffix if told.output.is_empty() => suffix.to_owned(),
                suffix => format!("{}\n{suffix}", told.output),
            };
            (output, told.cwd)
        }
    };
    (ExecResult { output, code, ending, moved_to }, kept)
}

/// The output with what must not be missed behind it.
fn with_suffix(output: &CapturedOutput, suffix: &str) -> String {
    match suffix {
        "" => output.text(),
        suffix if output.total_chars() == 0 => suffix.to_owned(),
        suffix => output.text_with_suffix(&format!("\n{suffix}")),
    }
}
