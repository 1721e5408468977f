//! A running program, for callers that stream.

use std::fmt;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::AsyncWriteExt as _;
use tokio::net::unix::pipe;
use tokio::runtime::Handle;
use tokio::time::timeout;

use crate::command::{Command, Stdin};
use crate::error::ProcessError;
use crate::launch::{self, Launched};
use crate::warden::{Link, News};

/// A pipe to a program's standard input; dropping it is the end of the input.
pub type InputPipe = pipe::Sender;
/// A pipe from a program's standard output or standard error.
pub type OutputPipe = pipe::Receiver;

/// How long a killed tree may take to be gone before we stop waiting for it.
const KILL_LIMIT: Duration = Duration::from_secs(2);

/// How long a program's end may precede its warden's when nothing is left to watch over.
const PARTING_LIMIT: Duration = Duration::from_millis(50);

/// A running program and its whole tree.
///
/// Dropping it kills the tree at once, unless the program was started with
/// [`Lifetime::Survives`](crate::Lifetime::Survives).
pub struct Child {
    pid: u32,
    status: Option<ExitStatus>,
    tree: Tree,
    link: Link,
    stdin: Option<InputPipe>,
    stdout: Option<OutputPipe>,
    stderr: Option<OutputPipe>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tree {
    Alive,
    Gone,
}

impl Command {
    /// Starts the program and hands out its pipes. Needs a Tokio runtime with I/O and time.
    ///
    /// Not async: it takes a millisecond or so until the program runs or cannot be run.
    ///
    /// Deadline, cancellation, capture limit and leftovers are matters of [`Command::run`]: here
    /// they are the caller's.
    pub fn spawn(mut self) -> Result<Child, ProcessError> {
        let program = launch::name(&self);
        if Handle::try_current().is_err() {
            return Err(ProcessError::NoRuntime { program });
        }
        let launched = launch::launch(&self)?;
        let input = std::mem::take(&mut self.stdin);
        match Child::adopt(launched, input) {
            Ok(child) => {
                // Without arguments: they may hold secrets.
                tracing::debug!(pid = child.pid, program, "started");
                Ok(child)
            }
            Err(source) => Err(ProcessError::NoResources { program, source }),
        }
    }
}

impl Child {
    fn adopt(launched: Launched, input: Stdin) -> io::Result<Self> {
        let Launched { pid, control, pipes } = launched;
        let link = Link::open(control)?;
        let mut stdin = pipes.stdin.map(InputPipe::from_owned_fd).transpose()?;
        let stdout = pipes.stdout.map(OutputPipe::from_owned_fd).transpose()?;
        let stderr = pipes.stderr.map(OutputPipe::from_owned_fd).transpose()?;
        if let Stdin::Bytes(bytes) = input
            && let Some(pipe) = stdin.take()
        {
            // Needs no handle: the pipe breaks when the last process that could read it is gone.
            tokio::spawn(feed(pipe, bytes));
        }
        Ok(Self { pid, status: None, tree: Tree::Alive, link, stdin, stdout, stderr })
    }

    /// The program's process id, which is also that of its group and session.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The pipe to the program's input, once, if it was started with [`Stdin::Piped`].
    pub fn take_stdin(&mut self) -> Option<InputPipe> {
        self.stdin.take()
    }

    /// The pipe from the program's output, once, if it is captured (merged or not).
    pub fn take_stdout(&mut self) -> Option<OutputPipe> {
        self.stdout.take()
    }

    /// The pipe from the program's error output, once, if it is captured separately.
    pub fn take_stderr(&mut self) -> Option<OutputPipe> {
        self.stderr.take()
    }

    /// Waits for the program itself to end; descendants may still run. Can be called again, and
    /// loses nothing when cancelled.
    pub async fn wait(&mut self) -> Result<ExitStatus, ProcessError> {
        loop {
            if let Some(status) = self.status {
                return Ok(status);
            }
            if self.tree == Tree::Gone {
                return Err(ProcessError::WardenLost { pid: self.pid });
            }
            self.hear().await;
        }
    }

    /// Sends SIGTERM to the whole tree, and SIGKILL to what is left of it after `grace`. Returns
    /// when all are gone.
    pub async fn terminate(&mut self, grace: Duration) -> Result<(), ProcessError> {
        self.link.terminate(grace).await;
        self.gone_within(grace.saturating_add(KILL_LIMIT)).await
    }

    /// Sends SIGKILL to the whole tree. Returns when all are gone.
    pub async fn kill(&mut self) -> Result<(), ProcessError> {
        self.link.kill().await;
        self.gone_within(KILL_LIMIT).await
    }

    /// Gives up control: the tree runs on until it ends by itself or the calling process ends.
    pub async fn release(mut self) {
        // Most often nothing is left, and then there is no line to keep.
        if self.status.is_none() || self.gone_within(PARTING_LIMIT).await.is_err() {
            self.link.release();
        }
    }

    async fn gone_within(&mut self, limit: Duration) -> Result<(), ProcessError> {
        let gone = timeout(limit, async {
            while self.tree == Tree::Alive {
                self.hear().await;
            }
        });
        gone.await.map_err(|_| ProcessError::StillRunning { pid: self.pid })
    }

    async fn hear(&mut self) {
        match self.link.news().await {
            News::Exited(status) => self.status = Some(status),
            News::Gone => {
                self.tree = Tree::Gone;
                if self.status.is_none() {
                    self.clean_up_after_lost_warden();
                }
            }
        }
    }

    /// A warden that leaves without a word was killed. The program dies by its parent-death
    /// signal; its group, at least, can be reached from here.
    fn clean_up_after_lost_warden(&self) {
        tracing::warn!(pid = self.pid, "the warden of this process was killed");
        let _ = killpg(Pid::from_raw(self.pid.cast_signed()), Signal::SIGKILL);
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pid, status, tree, .. } = self;
        f.debug_struct("Child")
            .field("pid", pid)
            .field("status", status)
            .field("tree", tree)
            .finish_non_exhaustive()
    }
}

/// Writes the input. A program that ends without having read it closes the pipe: not an error.
async fn feed(mut pipe: InputPipe, bytes: Vec<u8>) {
    if let Err(error) = pipe.write_all(&bytes).await
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        tracing::debug!(%error, "could not write all input to a process");
    }
}
