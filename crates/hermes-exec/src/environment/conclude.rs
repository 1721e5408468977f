//! From an ended client to what the caller is told.

use std::path::Path;

use hermes_process::{Captured, End, Finished};

use super::begin::{Left, left_by};
use super::options::{Ending, Execute, Ran};
use crate::backend::Reach;
use crate::session::kept::Kept;
use crate::session::{Keep, Scripts, marker, state::Directory};

/// The result of a run, and what is kept of it on this machine.
pub(super) fn conclude(
    scripts: &Scripts,
    call: &str,
    keep: Keep,
    how: &Execute,
    done: &Finished,
) -> (Ran, Option<Kept>) {
    let (code, ending, suffix) = match done.end {
        End::Exited(code) => (code, Ending::Finished, String::new()),
        End::Signalled(signal) => (-signal, Ending::Finished, String::new()),
        End::TimedOut => {
            let suffix = format!("[Command timed out after {}s]", how.timeout.as_secs());
            (124, Ending::TimedOut, suffix)
        }
        End::Cancelled => (130, Ending::Interrupted, "[Command interrupted]".to_owned()),
    };
    let mut kept = None;
    let (output, moved_to) = match (scripts.reach(), keep) {
        (_, Keep::Nothing) => (with_suffix(&done.stdout, &suffix), None),
        (Reach::Local, Keep::State | Keep::Directory) => {
            let left = left_by(scripts, call);
            let moved = match &left {
                // A directory may be removed by the command that entered it.
                Some(Left { directory: Directory::Moved(path), .. }) => {
                    Path::new(path).is_dir().then(|| path.clone())
                }
                Some(Left { directory: Directory::Stayed, .. }) | None => None,
            };
            kept = left.map(|left| left.kept).filter(|_| keep == Keep::State);
            (with_suffix(&done.stdout, &suffix), moved)
        }
        (Reach::Remote, Keep::State | Keep::Directory) => {
            let told = marker::take(done.stdout.text(), &scripts.marker());
            let output = match suffix.as_str() {
                "" => told.output,
                suffix if told.output.is_empty() => suffix.to_owned(),
                suffix => format!("{}\n{suffix}", told.output),
            };
            (output, told.cwd)
        }
    };
    (Ran { output, code, ending, moved_to }, kept)
}

/// The output with what must not be missed behind it.
fn with_suffix(output: &Captured, suffix: &str) -> String {
    match suffix {
        "" => output.text(),
        suffix if output.total_chars() == 0 => suffix.to_owned(),
        suffix => output.text_with_suffix(&format!("\n{suffix}")),
    }
}
