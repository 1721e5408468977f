//! Running a program to its end, one way or another.
//!
//! A call has three parts. First the program runs, until it ends or is to be stopped by its
//! deadline or its token. Then its tree is brought to an end: asked and killed if it was stopped,
//! killed or released if the program left it behind. Last, what is left in the pipes is read.
//! Through all of that the output is read (`Reading`), because a program whose pipe is full
//! stands still, and each wait has a limit of its own.
//!
//! Input is written by a task of its own, see `child.rs`: it may never be finished and is not
//! waited for. Nothing here decides anything twice: a program that has ended by itself when its
//! deadline comes is one that has ended by itself.

use std::future::Future;
use std::panic;
use std::pin::{Pin, pin};
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use std::os::unix::process::ExitStatusExt as _;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::runtime::Handle;
use tokio::time::{sleep, timeout};

use crate::capture::{CapturedOutput, HeadTail};
use crate::child::{Child, StartTime};
use crate::command::{Command, Leftovers, OutputTap, Stdin};
use crate::error::ProcessError;
use crate::launch;
use crate::pty::PtyWriter;

/// After a program has ended, a descendant may hold its output open. Reading ends with the end of
/// the output, when nothing came for this long ...
const SILENCE_LIMIT: Duration = Duration::from_millis(300);
/// ... or after this time in any case.
const DRAIN_LIMIT: Duration = Duration::from_secs(2);

/// Bytes read at once: what a pipe holds.
const READ_SIZE: usize = 64 * 1024;
/// Reads in a row before others get their turn, deadlines above all.
const READS_PER_TURN: u32 = 32;

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal, which we did not send.
    Signalled(i32),
    /// By us, at its deadline.
    TimedOut,
    /// By us, because its token was cancelled (or never started, if it was before).
    Cancelled,
}

impl From<ExitStatus> for End {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(code),
            (None, signal) => Self::Signalled(signal.unwrap_or_default()),
        }
    }
}

/// A program that has been run.
#[derive(Debug)]
pub struct FinishedProcess {
    /// By itself, by a signal, or stopped by us.
    pub end: End,
    /// What it wrote to its standard output (and standard error, if merged).
    pub stdout: CapturedOutput,
    /// What it wrote to its standard error, if captured separately.
    pub stderr: CapturedOutput,
    /// From start to end, including the time it took to stop it.
    pub duration: Duration,
}

impl FinishedProcess {
    /// Whether it ended by itself with code 0.
    pub fn success(&self) -> bool {
        self.end == End::Exited(0)
    }
}

impl Command {
    /// Runs the program to its end, its deadline or its cancellation. Needs a Tokio runtime with
    /// I/O and time. Dropping the future kills the whole tree.
    pub async fn run(mut self) -> Result<FinishedProcess, ProcessError> {
        let begun = Instant::now();
        let plan = Plan::of(&self);
        let mut stdout = HeadTail::new(self.capture);
        let mut stderr = HeadTail::new(self.capture);
        let end = if plan.cancel.is_cancelled() {
            End::Cancelled
        } else {
            let tap = self.tap.take();
            let typed = match (self.pty, &mut self.stdin) {
                (Some(_), Stdin::Bytes(bytes)) => std::mem::take(bytes),
                _ => Vec::new(),
            };
            let mut child = self.start(StartTime::NotWanted)?;
            drop(child.take_stdin());
            let screen = child.take_pty().map(|pty| {
                let (screen, keyboard) = pty.into_split();
                // Needs no handle: typing fails when nobody has the terminal open any more.
                tokio::spawn(type_in(keyboard, typed));
                screen
            });
            let (out, err) = (child.take_stdout(), child.take_stderr());
            let received = AtomicU64::new(0);
            let sink = Sink { tap: tap.as_ref(), received: &received };
            let reading = pin!(async {
                match screen {
                    Some(screen) => sink.collect(Some(screen), &mut stdout).await,
                    None => {
                        let out = sink.collect(out, &mut stdout);
                        let err = sink.collect(err, &mut stderr);
                        tokio::join!(out, err);
                    }
                }
            });
            plan.carry_out(child, Reading { future: reading, received: &received, ended: false })
                .await?
        };
        let (stdout, stderr) = (stdout.finish(), stderr.finish());
        Ok(FinishedProcess { end, stdout, stderr, duration: begun.elapsed() })
    }

    /// [`Command::run`] for code that is not async: blocks the calling thread, whether or not it
    /// belongs to a runtime.
    pub fn run_blocking(self) -> Result<FinishedProcess, ProcessError> {
        let program = launch::name(&self);
        let no_room = |source| ProcessError::NoResources { program: program.clone(), source };
        let work = move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            Ok(runtime.enable_io().enable_time().build()?.block_on(self.run()))
        };
        if Handle::try_current().is_err() {
            return work().map_err(no_room)?;
        }
        // A runtime may not be entered from within another one: hence a thread of its own.
        let worker = thread::Builder::new().name("hermes-run".into()).spawn(work);
        match worker.map_err(no_room)?.join() {
            Ok(result) => result.map_err(no_room)?,
            Err(payload) => panic::resume_unwind(payload),
        }
    }
}

/// What of a [`Command`] matters once it has been started.
struct Plan {
    deadline: Option<Duration>,
    grace: Duration,
    cancel: tokio_util::sync::CancellationToken,
    leftovers: Leftovers,
}

impl Plan {
    fn of(command: &Command) -> Self {
        let &Command { deadline, grace, leftovers, .. } = command;
        Self { deadline, grace, cancel: command.cancel.clone(), leftovers }
    }

    async fn carry_out<F>(
        &self,
        mut child: Child,
        mut io: Reading<'_, F>,
    ) -> Result<End, ProcessError>
    where
        F: Future<Output = ()>,
    {
        let outcome = io.alongside(async {
            tokio::select! {
                biased;
                status = child.wait() => status.map(Ok),
                () = self.cancel.cancelled() => Ok(Err(End::Cancelled)),
                () = expire(self.deadline) => Ok(Err(End::TimedOut)),
            }
        });
        let end = match outcome.await? {
            Ok(status) => {
                io.drain().await;
                match self.leftovers {
                    Leftovers::Keep => {
                        child.release();
                        return Ok(status.into());
                    }
                    Leftovers::Kill if child.handle().is_gone() => return Ok(status.into()),
                    Leftovers::Kill => note(io.alongside(child.kill()).await),
                }
                status.into()
            }
            Err(end) => {
                note(io.alongside(child.terminate(self.grace)).await);
                end
            }
        };
        // What the dead have left in the pipes.
        io.drain().await;
        Ok(end)
    }
}

/// A tree that does not die is not the caller's fault and does not change how the call ended.
fn note(result: Result<(), ProcessError>) {
    if let Err(error) = result {
        tracing::warn!(%error, "gave up waiting");
    }
}

async fn expire(deadline: Option<Duration>) {
    match deadline {
        Some(deadline) => sleep(deadline).await,
        None => std::future::pending().await,
    }
}

/// The reading of a program's output, which must go on whatever else is waited for: a program
/// whose pipe is full stands still.
struct Reading<'a, F> {
    future: Pin<&'a mut F>,
    received: &'a AtomicU64,
    ended: bool,
}

impl<F: Future<Output = ()>> Reading<'_, F> {
    async fn alongside<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                biased;
                () = self.future.as_mut(), if !self.ended => self.ended = true,
                result = &mut work => return result,
            }
        }
    }

    /// Reads what is still to come, within bounds.
    async fn drain(&mut self) {
        let begun = Instant::now();
        while !self.ended && begun.elapsed() < DRAIN_LIMIT {
            let before = self.received.load(Ordering::Relaxed);
            if timeout(SILENCE_LIMIT, self.future.as_mut()).await.is_ok() {
                self.ended = true;
            } else if self.received.load(Ordering::Relaxed) == before {
                return;
            }
        }
    }
}

/// Types the input of a program that was given a terminal, and its end.
async fn type_in(mut keyboard: PtyWriter, bytes: Vec<u8>) {
    let typed = match keyboard.write_all(&bytes).await {
        Ok(()) => keyboard.send_eof().await,
        failed => failed,
    };
    if let Err(error) = typed {
        tracing::debug!(%error, "could not type all input to a process");
    }
}

/// Where output goes beside its capture.
#[derive(Clone, Copy)]
struct Sink<'a> {
    tap: Option<&'a OutputTap>,
    received: &'a AtomicU64,
}

impl Sink<'_> {
    /// Reads a stream to its end.
    async fn collect(self, stream: Option<impl AsyncRead + Unpin>, into: &mut HeadTail) {
        let Some(mut stream) = stream else { return };
        let mut buffer = Vec::with_capacity(READ_SIZE);
        let mut reads = 0_u32;
        loop {
            match stream.read_buf(&mut buffer).await {
                // An error ends the stream as well: what has been read is what there is.
                Ok(0) | Err(_) => return,
                Ok(count) => {
                    self.received.fetch_add(count as u64, Ordering::Relaxed);
                    if let Some(tap) = self.tap {
                        tap(&buffer);
                    }
                    into.push(&buffer);
                    buffer.clear();
                }
            }
            reads = reads.wrapping_add(1);
            if reads.is_multiple_of(READS_PER_TURN) {
                tokio::task::yield_now().await;
            }
        }
    }
}
