//! One background process, and the task that looks after it.
//!
//! The task owns the process: it reads what is written, passes orders on and notices the end.
//! Everybody else sees an [`ProcessEntry`], which is a few plain values behind a lock that is never
//! held while something is waited for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_process::{Child, PtyEcho, StopMode};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::timeout;

use super::buffer::OutputBuffer;
use super::watching::OutputWatch;
use super::{BackgroundSlot, CompletionReason, ProcessStart, TerminationSource};
use crate::environment::SpawnedProcess;
use crate::guard::Guard;

/// After the end, how long output may stay away before nobody waits for more of it: a descendant
/// may hold the pipe.
const SILENCE: Duration = Duration::from_millis(300);
/// How long a process may take to read what is written to it.
const WRITE_LIMIT: Duration = Duration::from_secs(10);
/// How long a kill without escalation waits for its effect.
const PATIENCE: Duration = Duration::from_secs(2);

/// How a process ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProcessEnd {
    pub(crate) exit_code: Option<i32>,
    pub(crate) reason: CompletionReason,
    pub(crate) source: Option<TerminationSource>,
    pub(crate) at: Instant,
}

/// What changes while a process runs.
pub(crate) struct Live {
    pub(crate) buffer: OutputBuffer,
    pub(crate) watch: OutputWatch,
    pub(crate) ended: Option<ProcessEnd>,
    /// Whether somebody has been told of the end.
    pub(crate) consumed: bool,
    pub(crate) notify: bool,
}

/// A background process as everybody sees it.
pub(crate) struct ProcessEntry {
    pub(crate) id: String,
    pub(crate) start: ProcessStart,
    pub(crate) pid: Option<u32>,
    pub(crate) kernel_start: Option<u64>,
    pub(crate) started: Instant,
    pub(crate) started_at: i64,
    /// Found again after a restart: its output is gone.
    pub(crate) detached: bool,
    pub(crate) live: Mutex<Live>,
    pub(crate) orders: Option<mpsc::UnboundedSender<ProcessOrder>>,
    pub(crate) done: watch::Receiver<bool>,
    /// What was typed to it; held by whoever types.
    pub(crate) typed: Arc<tokio::sync::Mutex<String>>,
    /// Whether its terminal shows what is typed.
    pub(crate) echo: Option<PtyEcho>,
}

/// What a process can be told.
pub(crate) enum ProcessOrder {
    Write { data: Vec<u8>, answer: oneshot::Sender<std::io::Result<()>> },
    Close { answer: oneshot::Sender<std::io::Result<()>> },
    Kill { grace: Duration, source: TerminationSource, answer: oneshot::Sender<Result<(), String>> },
}

impl ProcessEntry {
    pub(crate) fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_running(&self) -> bool {
        self.live().ended.is_none()
    }

    /// Waits for the end.
    pub(crate) async fn end(&self) {
        let mut done = self.done.clone();
        let _ = done.wait_for(|done| *done).await;
    }
}

/// Whom the task tells.
pub(crate) trait EventSink: Send + Sync + 'static {
    /// New output was read.
    fn wrote(&self, entry: &ProcessEntry, text: &str);
    /// The process has ended.
    fn ended(&self, entry: &ProcessEntry);
}

/// A process's ends of its pipes or terminal, whichever it has.
pub(crate) struct ProcessStreams {
    pub(crate) output: Box<dyn AsyncRead + Send + Unpin>,
    pub(crate) input: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    /// What means the end of input; on a terminal it is a character.
    pub(crate) eof: Option<u8>,
}

pub(crate) struct ProcessMonitor<A> {
    pub(crate) entry: Arc<ProcessEntry>,
    pub(crate) child: Child,
    pub(crate) call: String,
    pub(crate) guard: Option<Guard>,
    pub(crate) ends: ProcessStreams,
    pub(crate) inbox: mpsc::UnboundedReceiver<ProcessOrder>,
    pub(crate) done: watch::Sender<bool>,
    pub(crate) place: BackgroundSlot,
    pub(crate) audience: Arc<A>,
}

/// Takes a process apart into what the task needs.
pub(crate) fn ends_of(spawned: &mut SpawnedProcess) -> Option<ProcessStreams> {
    let child = &mut spawned.child;
    if let Some(pty) = child.take_pty() {
        let (output, input) = pty.into_split();
        /// Control-D, unless the program has changed its terminal.
        const END_OF_TRANSMISSION: u8 = 4;
        return Some(ProcessStreams {
            output: Box::new(output),
            input: Some(Box::new(input)),
            eof: Some(END_OF_TRANSMISSION),
        });
    }
    let output = child.take_stdout()?;
    let input = child.take_stdin().map(|pipe| Box::new(pipe) as Box<dyn AsyncWrite + Send + Unpin>);
    Some(ProcessStreams { output: Box::new(output), input, eof: None })
}

impl<A: EventSink> ProcessMonitor<A> {
    /// Looks after the process until it has ended.
    pub(crate) async fn run(mut self) {
        let ProcessStreams { mut output, input, eof } = self.ends;
        let (writer, to_write) = mpsc::unbounded_channel();
        tokio::spawn(write_all(input, eof, to_write));
        let mut chunk = vec![0; 16 * 1024];
        let mut open = true;
        let mut killed = None;
        let status = loop {
            tokio::select! {
                read = output.read(&mut chunk), if open => match read {
                    Ok(0) | Err(_) => open = false,
                    Ok(count) => take(&self.entry, &*self.audience, &chunk[..count]),
                },
                status = self.child.wait() => break status.ok(),
                order = self.inbox.recv() => match order {
                    None => {}
                    Some(ProcessOrder::Kill { grace, source, answer }) => {
                        killed = Some(source);
                        let result = kill(&mut self.child, self.guard.as_ref(), &self.call, grace);
                        let result = result.await;
                        let _ = answer.send(result);
                    }
                    Some(other) => { let _ = writer.send(other); }
                },
            }
        };
        while open {
            match timeout(SILENCE, output.read(&mut chunk)).await {
                Ok(Ok(count @ 1..)) => take(&self.entry, &*self.audience, &chunk[..count]),
                _ => open = false,
            }
        }
        let ended = ending(status, killed);
        self.entry.live().ended = Some(ended);
        self.audience.ended(&self.entry);
        let _ = self.done.send(true);
        // What it left running lives as long as we do, and counts as long as it lives.
        let left = self.child.handle();
        self.child.release();
        left.gone().await;
        drop(self.place);
    }
}

fn take(entry: &ProcessEntry, audience: &impl EventSink, bytes: &[u8]) {
    let text = entry.live().buffer.push(bytes);
    audience.wrote(entry, &text);
}

fn ending(
    status: Option<std::process::ExitStatus>,
    killed: Option<TerminationSource>,
) -> ProcessEnd {
    use std::os::unix::process::ExitStatusExt as _;
    let at = Instant::now();
    if let Some(source) = killed {
        let reason = CompletionReason::Killed;
        return ProcessEnd { exit_code: Some(-15), reason, source: Some(source), at };
    }
    match status {
        Some(status) => {
            let code = status.code().or_else(|| status.signal().map(|signal| -signal));
            ProcessEnd { exit_code: code, reason: CompletionReason::Exited, source: None, at }
        }
        None => ProcessEnd {
            exit_code: None,
            reason: CompletionReason::Lost,
            source: Some(TerminationSource::BackendLost),
            at,
        },
    }
}

/// Ends the whole tree, over there first: the client here would only hide it.
async fn kill(
    child: &mut Child,
    guard: Option<&Guard>,
    call: &str,
    grace: Duration,
) -> Result<(), String> {
    if let Some(guard) = guard {
        guard.end_and_wait(call).await;
    }
    if grace.is_zero() {
        let handle = child.handle();
        handle.order(StopMode::Ask);
        let _ = timeout(PATIENCE, handle.gone()).await;
        return Ok(());
    }
    child.terminate(grace).await.map_err(|error| error.to_string())
}

/// Writes what a process is told, in order. A task of its own: a process that does not read must
/// not keep its output from being read.
async fn write_all(
    mut input: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    eof: Option<u8>,
    mut orders: mpsc::UnboundedReceiver<ProcessOrder>,
) {
    let closed = || std::io::Error::new(std::io::ErrorKind::BrokenPipe, "its input is closed");
    while let Some(order) = orders.recv().await {
        match order {
            ProcessOrder::Write { data, answer } => {
                let result = match &mut input {
                    None => Err(closed()),
                    Some(pipe) => write_within(pipe, &data).await,
                };
                let _ = answer.send(result);
            }
            ProcessOrder::Close { answer } => {
                let result = match (eof, &mut input) {
                    (_, None) => Err(closed()),
                    (Some(eof), Some(pipe)) => write_within(pipe, &[eof]).await,
                    (None, Some(_)) => {
                        input = None;
                        Ok(())
                    }
                };
                let _ = answer.send(result);
            }
            ProcessOrder::Kill { .. } => {}
        }
    }
}

async fn write_within(
    pipe: &mut Box<dyn AsyncWrite + Send + Unpin>,
    data: &[u8],
) -> std::io::Result<()> {
    let writing = async {
        pipe.write_all(data).await?;
        pipe.flush().await
    };
    timeout(WRITE_LIMIT, writing).await.unwrap_or_else(|_| {
        Err(std::io::Error::new(std::io::ErrorKind::TimedOut, "it does not read its input"))
    })
}
