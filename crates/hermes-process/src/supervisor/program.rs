//! From the supervisor to the program: the last steps before `exec`.

use std::convert::Infallible;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::libc::{self, c_int, c_void};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::wait::waitpid;
use nix::unistd::{Pid, dup2_stderr, dup2_stdin, dup2_stdout, fchdir, getpid, getppid, setsid};

use super::message::StartStage;
use crate::command::Lifetime;
use crate::request::image::{self, Image, Terminal};
use crate::request::{SpawnFds, SpawnRequest};
use crate::sandbox::enter;

/// At which step it failed, and why.
type Failure = (StartStage, Errno);

/// Stack for the steps before `exec`: a few nested calls with small buffers.
const STACK: usize = 64 * 1024;

#[repr(align(16))]
struct Stack([MaybeUninit<u8>; STACK]);

/// What the new process needs, in memory that it shares with the supervisor.
struct Task<'a> {
    fds: &'a SpawnFds<OwnedFd>,
    image: &'a Image,
    supervisor: Pid,
    failure: Option<Failure>,
}

/// Makes the calling process a supervisor and starts its program.
///
/// Returns when the program runs. To know that takes no pipe: the supervisor lends its memory to
/// the new process and stands still until that has called `exec` or has left a note why not.
pub(super) fn start(request: &SpawnRequest) -> Result<(Pid, Lifetime), Failure> {
    let prepare = |error| (StartStage::Prepare, error);
    let fds = &request.fds;
    image::take(fds.image.as_fd()).map_err(prepare)?;
    // No session of our own: the fork server's is as far from every terminal, and on a busy machine
    // the scheduler, which shares time among sessions, lets a new one wait for milliseconds.
    prctl::set_child_subreaper(true).map_err(prepare)?;
    let image = Image::map(fds.image.as_fd(), request.image_len).map_err(prepare)?;
    let mut task = Task { fds, image: &image, supervisor: getpid(), failure: None };
    let pid = share_and_wait(&mut task).map_err(prepare)?;
    match task.failure {
        None => Ok((pid, image.lifetime())),
        Some(failure) => {
            // Ended right after its note.
            let _ = waitpid(pid, None);
            Err(failure)
        }
    }
}

/// Runs `run` in a new process that uses our memory, while we wait (the manner of `vfork`, but
/// on a stack of its own, since one shared stack would be spoilt for the second to return).
fn share_and_wait(task: &mut Task<'_>) -> nix::Result<Pid> {
    let mut stack = Stack([MaybeUninit::uninit(); STACK]);
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack grows down from its end and is in use only while we stand still, as is
    // the task. The new process makes system calls on its own descriptors and signals and writes
    // one field of the task.
    let pid = unsafe {
        let top = stack.0.as_mut_ptr().add(STACK).cast::<c_void>();
        libc::clone(run, top, flags, (&raw mut *task).cast::<c_void>())
    };
    Errno::result(pid).map(Pid::from_raw)
}

extern "C" fn run(task: *mut c_void) -> c_int {
    // SAFETY: `share_and_wait` passes a task that nobody else uses meanwhile.
    let task = unsafe { &mut *task.cast::<Task<'_>>() };
    let Err(failure) = become_program(task);
    task.failure = Some(failure);
    127
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
        prctl::set_pdeathsig(Signal::SIGKILL)?;
        // The supervisor may have died before the line above took effect.
        if getppid() != task.supervisor {
            return Err(Errno::ESRCH);
        }
    }
    if task.image.terminal() == Terminal::Controlling {
        // SAFETY: takes an integer. Only the leader of a session without a terminal may do this,
        // and `setsid` has just made us that.
        Errno::result(unsafe { libc::ioctl(task.fds.stdin.as_raw_fd(), libc::TIOCSCTTY, 0) })?;
    }
    dup2_stdin(&task.fds.stdin)?;
    dup2_stdout(&task.fds.stdout)?;
    dup2_stderr(&task.fds.stderr)?;
    SigSet::empty().thread_set_mask()
}
