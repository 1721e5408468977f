//! Keeping our own secrets from the programs we run.
//!
//! A program of the same user may look into us: `/proc/PID/environ` shows the environment we were
//! started with, `/proc/PID/mem` everything. That a child's environment was chosen with care does
//! not help if it can read ours. There are three means against it, each with a gap of its own:
//!
//! * [`shield_own_environment`] has the kernel treat us as a program with secrets. It stops every
//!   program but root's (more exactly: one with the right to trace any process, which root in an
//!   ordinary container does not have).
//! * [`hide_environment`] blanks named variables where the kernel shows them. It stops everyone
//!   from reading them *there*; whoever may read memory will find them.
//! * [`Confinement`](crate::Confinement), in the mildest form
//!   [`processes_only`](crate::Confinement::processes_only), keeps one program from looking into
//!   any process but its own. It stops root, too.
//!
//! None of them reaches other processes of the user that hold the same secrets, such as the shell
//! in which they were exported, except the last.
//!
//! Fork server and supervisors are copies of us. They are shielded from the start, in any case.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;

use crate::fork_server;
use crate::native::{self, Own};

/// Why the environment was not hidden.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HideError {
    /// Other threads may be reading it.
    #[error(
        "the environment can be hidden only while there is a single thread, but there are \
         {threads}; do it first thing in `main`, before a runtime is built"
    )]
    Threads {
        /// How many there are.
        threads: u64,
    },

    /// The kernel does not say where it is.
    #[error("cannot find out where our environment lies: {source}; is /proc mounted?")]
    Unknown {
        /// What the system said.
        source: io::Error,
    },
}

/// Has the kernel treat this process as one with secrets: programs of the same user can read
/// neither its environment nor its memory, nor its open files, nor trace it.
///
/// On macOS it keeps debuggers out, and no more than that: what a program may look into is decided by the
/// system, and the environment is shown to everyone, but for what [`hide_environment`] blanks.
///
/// It has other effects: no core dump is written when we crash, no debugger or profiler can be
/// attached, and we ourselves, unless we are root, can no longer open some of our own files in
/// `/proc` (`environ`, `mem`) nor change those that settle our standing (`oom_score_adj`). Programs
/// we start are not affected.
///
/// Better called early: helper processes of ours that are already watching over a program keep
/// running (they are shielded anyway). Calling it again does nothing.
pub fn shield_own_environment() -> io::Result<()> {
    native::keep_from_tracing()?;
    Ok(())
}

/// Blanks the values of these variables in the block of memory that the kernel shows as our
/// environment. How many were found there.
///
/// Our own view of them does not change: it is moved to a copy first, so that everyone in this
/// process who asks for a variable gets what they got before. The fork server, whose memory is a
/// copy of ours, is replaced by one that has them blanked as well.
///
/// To be called first thing in `main`, as it refuses to work when there are threads who might be
/// reading the block.
pub fn hide_environment<N: AsRef<OsStr>>(
    names: impl IntoIterator<Item = N>,
) -> Result<usize, HideError> {
    let unknown = |source| HideError::Unknown { source };
    let Own { threads, block } = native::own().map_err(unknown)?;
    if threads != 1 {
        return Err(HideError::Threads { threads });
    }
    let names: Vec<N> = names.into_iter().collect();
    for name in names.iter().map(AsRef::as_ref) {
        if let Some(value) = crate::environment::ours(name) {
            // SAFETY: there is no other thread that could be reading or changing the environment.
            unsafe { native::move_variable(name, &value) };
        }
    }
    if block.is_empty() {
        return Ok(0);
    }
    let start = std::ptr::with_exposed_provenance_mut::<u8>(block.start);
    // SAFETY: the kernel put our first environment there, in memory that stays ours to write to for
    // as long as we run. There is no other thread, the variables to be changed have just been moved
    // elsewhere, and no reference into the block is held in this function.
    let block = unsafe { std::slice::from_raw_parts_mut(start, block.len()) };
    let blanked = blank(block, |name| names.iter().any(|one| one.as_ref().as_bytes() == name));
    // Holds a copy of the block as it was.
    fork_server::retire();
    Ok(blanked)
}

/// Blanks the values of the variables that `is_secret` chooses. Their ends stay where they are, so
/// that the block remains a list of strings.
fn blank(block: &mut [u8], is_secret: impl Fn(&[u8]) -> bool) -> usize {
    let mut blanked = 0;
    for variable in block.split_mut(|byte| *byte == 0) {
        if let Some(equals) = variable.iter().position(|byte| *byte == b'=')
            && let Some((name, [_, value @ ..])) = variable.split_at_mut_checked(equals)
            && is_secret(name)
        {
            value.fill(0);
            blanked += 1;
        }
    }
    std::hint::black_box(block);
    blanked
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_values_and_keeps_the_list() {
        let mut block = b"A=1\0TOKEN=s3cret\0B=TOKEN=x\0TOKENS=2\0EMPTY=\0odd\0".to_vec();
        let length = block.len();
        assert_eq!(blank(&mut block, |name| name == b"TOKEN" || name == b"EMPTY"), 2);
        assert_eq!(block.len(), length);
        assert_eq!(block, b"A=1\0TOKEN=\0\0\0\0\0\0\0B=TOKEN=x\0TOKENS=2\0EMPTY=\0odd\0");
    }

    /// A test harness may run a single test without any other thread.
    fn beside_another_thread<T>(act: impl FnOnce() -> T) -> T {
        let (done, until_done) = std::sync::mpsc::channel::<()>();
        let other = std::thread::spawn(move || until_done.recv());
        let result = act();
        drop(done);
        other.join().unwrap().unwrap_err();
        result
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn finds_our_environment_and_threads() {
        let own = beside_another_thread(native::own).unwrap();
        let shown = std::fs::read("/proc/self/environ").unwrap();
        assert_eq!(own.block.len(), shown.len());
        assert!(own.threads >= 2, "{own:?}");
    }

    #[test]
    fn refuses_while_there_are_threads() {
        let error = beside_another_thread(|| hide_environment(["NO_SUCH_VARIABLE"])).unwrap_err();
        assert!(matches!(error, HideError::Threads { threads: 2.. }), "{error}");
        assert!(error.to_string().contains("first thing in `main`"), "{error}");
    }
}
