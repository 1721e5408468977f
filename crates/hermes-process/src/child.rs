//! A running program, for callers that stream.

use std::fmt;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::unix::pipe;
use tokio::runtime::Handle;

use crate::adopted::process_start_time;
use crate::command::{Command, Stdin};
use crate::error::ProcessError;
use crate::handle::ProcessHandle;
use crate::launch::{self, Launched};
use crate::pty::{Pty, PtyEcho};
use crate::supervisor::SupervisorLink;
use crate::system;

/// A pipe to a program's standard input; dropping it is the end of the input.
pub type InputPipe = pipe::Sender;
/// A pipe from a program's standard output or standard error.
pub type OutputPipe = pipe::Receiver;

/// A running program and its whole tree.
///
/// Dropping it kills the tree at once, unless the program was started with
/// [`Lifetime::Survives`](crate::Lifetime::Survives). Other tasks that have to do with the program
/// get a [`ProcessHandle`].
pub struct Child {
    handle: ProcessHandle,
    stdin: Option<InputPipe>,
    stdout: Option<OutputPipe>,
    stderr: Option<OutputPipe>,
    pty: Option<Pty>,
    when_dropped: WhenDropped,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WhenDropped {
    HangUp,
    Nothing,
}

/// Whether to look up the time at which a program was started.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartTime {
    Wanted,
    /// By calls that see the program through to its end themselves.
    NotWanted,
}

impl Command {
    /// Starts the program and hands out its pipes. Needs a Tokio runtime with I/O and time.
    ///
    /// Not async: it takes a millisecond or so until the program runs or cannot be run, and ten
    /// seconds at most.
    ///
    /// Deadline, cancellation, capture limit, tap and leftovers are matters of [`Command::run`]:
    /// here they are the caller's.
    pub fn spawn(self) -> Result<Child, ProcessError> {
        self.start(StartTime::Wanted)
    }

    pub(crate) fn start(mut self, start_time: StartTime) -> Result<Child, ProcessError> {
        let program = launch::name(&self);
        if Handle::try_current().is_err() {
            return Err(ProcessError::NoRuntime { program });
        }
        let launched = launch::launch(&self)?;
        let input = std::mem::take(&mut self.stdin);
        match Child::adopt(launched, input, &self, start_time) {
            Ok(child) => {
                // Without arguments: they may hold secrets.
                tracing::debug!(pid = child.pid(), program, "started");
                Ok(child)
            }
            Err(source) => Err(ProcessError::NoResources { program, source }),
        }
    }
}

impl Child {
    fn adopt(
        launched: Launched,
        input: Stdin,
        command: &Command,
        start_time: StartTime,
    ) -> io::Result<Self> {
        let Launched { pid, control, pipes } = launched;
        let link = SupervisorLink::open(control)?;
        let start_time = match start_time {
            // Looked up before the state are: as long as these do not say that the program has
            // ended, the number was its own.
            StartTime::Wanted => process_start_time(pid).filter(|_| link.state().status.is_none()),
            StartTime::NotWanted => None,
        };
        let handle = ProcessHandle::new(pid, start_time, command.lifetime, link);
        if !system::PROGRAM_DIES_WITH_SUPERVISOR {
            // Ends with the tree, and ends the program if its supervisor is found to have been killed.
            let watching = handle.clone();
            tokio::spawn(async move { watching.gone().await });
        }
        let mut stdin = pipes.stdin.map(InputPipe::from_owned_fd).transpose()?;
        let stdout = pipes.stdout.map(OutputPipe::from_owned_fd).transpose()?;
        let stderr = pipes.stderr.map(OutputPipe::from_owned_fd).transpose()?;
        let pty = pipes.terminal.map(Pty::new).transpose()?;
        if let Stdin::Bytes(bytes) = input
            && let Some(pipe) = stdin.take()
        {
            // Needs no handle: the pipe breaks when the last process that could read it is gone.
            tokio::spawn(feed(pipe, bytes));
        }
        Ok(Self { handle, stdin, stdout, stderr, pty, when_dropped: WhenDropped::HangUp })
    }

    /// A handle for other tasks.
    pub fn handle(&self) -> ProcessHandle {
        self.handle.clone()
    }

    /// The program's process id, which is also that of its group and session.
    pub fn pid(&self) -> u32 {
        self.handle.pid()
    }

    /// When the program was started, see [`ProcessHandle::start_time`].
    pub fn start_time(&self) -> Option<u64> {
        self.handle.start_time()
    }

    /// The pipe to the program's input, once, if it was started with [`Stdin::Piped`].
    pub fn take_stdin(&mut self) -> Option<InputPipe> {
        self.stdin.take()
    }

    /// Gives a pipe back that was taken, for somebody else to take.
    pub fn return_stdin(&mut self, pipe: InputPipe) {
        self.stdin = Some(pipe);
    }

    /// The pipe from the program's output, once, if it is captured (merged or not).
    pub fn take_stdout(&mut self) -> Option<OutputPipe> {
        self.stdout.take()
    }

    /// The pipe from the program's error output, once, if it is captured separately.
    pub fn take_stderr(&mut self) -> Option<OutputPipe> {
        self.stderr.take()
    }

    /// The program's terminal, once, if it was started with [`Command::pty`]. Then it takes the
    /// place of all three pipes.
    pub fn take_pty(&mut self) -> Option<Pty> {
        self.pty.take()
    }

    /// Tells whether its terminal shows what is typed, if it has one that was not taken yet.
    pub fn pty_echo(&self) -> Option<PtyEcho> {
        self.pty.as_ref().map(Pty::echo)
    }

    /// Waits for the program itself to end; descendants may still run. Can be called again, and
    /// loses nothing when cancelled.
    pub async fn wait(&mut self) -> Result<ExitStatus, ProcessError> {
        self.handle.wait().await
    }

    /// How the program has ended, if it has. Does not wait.
    pub fn try_wait(&mut self) -> Result<Option<ExitStatus>, ProcessError> {
        self.handle.try_wait()
    }

    /// Sends SIGTERM to the whole tree, and SIGKILL to what is left of it after `grace`. Returns
    /// when all are gone.
    pub async fn terminate(&mut self, grace: Duration) -> Result<(), ProcessError> {
        self.handle.terminate(grace).await
    }

    /// Sends SIGKILL to the whole tree. Returns when all are gone.
    pub async fn kill(&mut self) -> Result<(), ProcessError> {
        self.handle.kill().await
    }

    /// Gives up control: the tree runs on until it ends by itself or the calling process ends.
    pub fn release(mut self) {
        // Most often nothing is left, and then there is no link to keep.
        if !self.handle.is_gone() {
            self.handle.release();
        }
        self.when_dropped = WhenDropped::Nothing;
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.when_dropped == WhenDropped::HangUp && !self.handle.is_gone() {
            self.handle.hang_up();
        }
    }
}

impl fmt::Debug for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Child").field("pid", &self.pid()).finish_non_exhaustive()
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
