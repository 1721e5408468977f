//! From the supervisor to the program: the last steps before `exec`.

use std::convert::Infallible;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::libc;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::wait::waitpid;
use nix::unistd::{Pid, dup2_stderr, dup2_stdin, dup2_stdout, fchdir, getpid, setsid};

use super::message::{StartStage, SupervisorReport};
use crate::command::Lifetime;
use crate::request::image::{Image, Terminal};
use crate::request::{SpawnFds, SpawnRequest};
use crate::sandbox::enter;
use crate::system::{self, Note};

/// At which step it failed, and why.
type Failure = (StartStage, Errno);

/// What the new process needs.
struct Task<'a> {
    fds: &'a SpawnFds<OwnedFd>,
    image: &'a Image,
    supervisor: Pid,
}

/// Makes the calling process a supervisor and starts its program.
///
/// Returns when the program runs, or has left a note why not.
pub(super) fn start(request: &SpawnRequest) -> Result<(Pid, Lifetime), Failure> {
    let prepare = |error| (StartStage::Prepare, error);
    let fds = &request.fds;
    system::take(fds.image.as_fd()).map_err(prepare)?;
    // No session of our own: the fork server's is as far from every terminal, and on a busy machine
    // the scheduler, which shares time among sessions, lets a new one wait for milliseconds.
    system::adopt_orphans().map_err(prepare)?;
    let image = Image::map(fds.image.as_fd(), request.image_len).map_err(prepare)?;
    let task = Task { fds, image: &image, supervisor: getpid() };
    let (pid, note) = system::start_beside(&task, run).map_err(prepare)?;
    let Some(note) = note else { return Ok((pid, image.lifetime())) };
    // Ended right after its note.
    let _ = waitpid(pid, None);
    match SupervisorReport::decode(note) {
        Some(SupervisorReport::Failed(stage, error)) => Err((stage, error)),
        _ => Err((StartStage::Prepare, Errno::EPROTO)),
    }
}

/// What the new process does; it returns only if it could not become the program.
fn run(task: &Task<'_>) -> Note {
    let Err((stage, error)) = become_program(task);
    SupervisorReport::Failed(stage, error).encode()
}

fn become_program(task: &Task<'_>) -> Result<Infallible, Failure> {
    settle(task).map_err(|error| (StartStage::Prepare, error))?;
    fchdir(&task.fds.cwd).map_err(|error| (StartStage::Directory, error))?;
    // Last: what is given up here may have been needed above.
    let ruleset = task.fds.ruleset.as_ref().map(AsFd::as_fd);
    enter::confinement(task.image.restrictions(), ruleset)
        .map_err(|error| (StartStage::Confine, error))?;
    Err((StartStage::Exec, task.image.exec()))
}

fn settle(task: &Task<'_>) -> nix::Result<()> {
    setsid()?;
    if task.image.lifetime() == Lifetime::DiesWithParent {
        system::die_with_parent(Signal::SIGKILL, Some(task.supervisor))?;
    }
    if task.image.terminal() == Terminal::Controlling {
        // SAFETY: takes an integer. Only the leader of a session without a terminal may do this,
        // and `setsid` has just made us that.
        Errno::result(unsafe { libc::ioctl(task.fds.stdin.as_raw_fd(), libc::TIOCSCTTY as _, 0) })?;
    }
    dup2_stdin(&task.fds.stdin)?;
    dup2_stdout(&task.fds.stdout)?;
    dup2_stderr(&task.fds.stderr)?;
    SigSet::empty().thread_set_mask()
}
