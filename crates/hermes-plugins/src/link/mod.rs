//! One running plugin process and the conversation with it.
//!
//! A [`PluginLink`] sends requests and matches answers to them, any number at a time; serves what the
//! plugin asks for ([`Serve`]); and keeps its log. Four tasks belong to it: one writes, one reads
//! messages, one reads the standard error, one waits for the end. It lives on the shared
//! runtime, whatever runtime a caller is on.
//!
//! A request ends in one of four ways: with an answer, with an error of the plugin, at its deadline,
//! or with the process. Whoever no longer waits is taken off the list and the plugin is told
//! (`cancel`). A plugin that does not answer a `ping` after that is stuck and is ended.
//!
//! What never happens here: a request is sent twice, an answer is waited for after the process is
//! gone, or a line without meaning ends the conversation.

mod tasks;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_process::{Command, OutputMode, ProcessError, ProcessHandle, Stdin, StopMode};
use hermes_runtime::pipeline::Next;
use hermes_tool::{BoxFuture, ToolContext};
use serde_json::{Map, Value, json};
use thiserror::Error;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::log::Log;
use crate::protocol::{self, MAX_LINE_BYTES, RemoteFailure};

/// Lines waiting to be written; a plugin that does not read holds up its callers, not our memory.
const QUEUED_LINES: usize = 64;
/// Requests of a plugin that are served at the same time.
const MAX_SERVED: usize = 32;
/// How long a plugin may take to answer a ping after a request was taken back.
const PING_DEADLINE: Duration = Duration::from_secs(5);
/// How long a plugin may take to end when asked to.
const GRACE: Duration = Duration::from_millis(500);

/// Why a request has no result.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub(crate) enum LinkError {
    /// The process is gone.
    #[error("it {0}")]
    Gone(String),
    /// The plugin says no.
    #[error("{}", .0.message)]
    Failed(RemoteFailure),
    /// The answer was too long to be read.
    #[error("its answer of {0} bytes is longer than {MAX_LINE_BYTES}")]
    TooLong(u64),
    /// What we have to say is too long.
    #[error("the request of {0} bytes is longer than {MAX_LINE_BYTES}")]
    Unsendable(usize),
    /// It took too long.
    #[error("it did not answer within {0:?}")]
    TimedOut(Duration),
}

/// What a request of ours is about, for what the plugin asks while it serves it.
pub(crate) enum About {
    /// Nothing in particular.
    Nothing,
    /// A call of a tool.
    Tool(ToolContext),
    /// A call that middleware stands around.
    Execution(Arc<Next>),
}

/// What serves a plugin's requests.
pub(crate) trait Serve: Send + Sync + 'static {
    /// Answers a request. `about` is the request of ours it belongs to.
    fn request(
        &self,
        method: String,
        params: Map<String, Value>,
        about: Option<Arc<About>>,
    ) -> BoxFuture<Result<Value, String>>;

    /// Takes a notice.
    fn notice(&self, method: &str, params: Map<String, Value>);
}

struct Pending {
    answer: oneshot::Sender<Result<Value, LinkError>>,
    about: Arc<About>,
}

/// A running plugin process.
pub(crate) struct PluginLink {
    out: mpsc::Sender<Vec<u8>>,
    pending: Mutex<HashMap<u64, Pending>>,
    last_id: AtomicU64,
    gone: CancellationToken,
    /// How it ended.
    end: Mutex<Option<String>>,
    process: ProcessHandle,
    started: Instant,
    served: Arc<Semaphore>,
    log: Arc<Log>,
}

impl PluginLink {
    /// Starts the process. Must be called on the shared runtime.
    pub(crate) fn open(
        command: Command,
        serve: Arc<dyn Serve>,
        log: Arc<Log>,
    ) -> Result<Arc<Self>, ProcessError> {
        let mut child = command.stdin(Stdin::Piped).output(OutputMode::Separate).spawn()?;
        let (out, lines) = mpsc::channel(QUEUED_LINES);
        let link = Arc::new(Self {
            out,
            pending: Mutex::default(),
            last_id: AtomicU64::new(0),
            gone: CancellationToken::new(),
            end: Mutex::default(),
            process: child.handle(),
            started: Instant::now(),
            served: Arc::new(Semaphore::new(MAX_SERVED)),
            log,
        });
        let (stdin, stdout, stderr) =
            (child.take_stdin(), child.take_stdout(), child.take_stderr());
        let gone = link.gone.clone();
        tokio::spawn(async move { gone.run_until_cancelled(tasks::write(stdin, lines)).await });
        let reading = tokio::spawn(tasks::read(Arc::downgrade(&link), stdout, serve));
        let complaints = tokio::spawn(tasks::complaints(Arc::clone(&link.log), stderr));
        tokio::spawn(tasks::watch(Arc::downgrade(&link), child, [reading, complaints]));
        Ok(link)
    }

    /// Whether the process has ended.
    pub(crate) fn is_gone(&self) -> bool {
        self.gone.is_cancelled()
    }

    /// How it ended, if it has.
    pub(crate) fn end(&self) -> Option<String> {
        lock(&self.end).clone()
    }

    /// How long it has been running.
    pub(crate) fn age(&self) -> Duration {
        self.started.elapsed()
    }

    /// Asks the plugin for something. Must be called on the shared runtime.
    pub(crate) async fn ask(
        self: &Arc<Self>,
        method: &str,
        params: &Value,
        about: About,
        deadline: Duration,
    ) -> Result<Value, LinkError> {
        let asked = self.ask_for_ever(method, params, about, GivenUp::IsItStuck);
        let answered = tokio::time::timeout(deadline, asked).await;
        answered.unwrap_or(Err(LinkError::TimedOut(deadline)))
    }

    async fn ask_for_ever(
        self: &Arc<Self>,
        method: &str,
        params: &Value,
        about: About,
        given_up: GivenUp,
    ) -> Result<Value, LinkError> {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let line = protocol::request(id, method, params);
        if line.len() > MAX_LINE_BYTES {
            return Err(LinkError::Unsendable(line.len()));
        }
        let (answer, answered) = oneshot::channel();
        lock(&self.pending).insert(id, Pending { answer, about: Arc::new(about) });
        let _waiting = Waiting { link: Arc::clone(self), id, given_up };
        if self.is_gone() {
            return Err(self.gone_error().await);
        }
        // A pipe that is broken already: the watcher tells everybody how the process ended.
        let _ = self.out.send(line).await;
        match answered.await {
            Ok(outcome) => outcome,
            Err(_) => Err(self.gone_error().await),
        }
    }

    /// The way it ended is known a moment after the pipe has closed.
    async fn gone_error(&self) -> LinkError {
        self.gone.cancelled().await;
        LinkError::Gone(self.end().unwrap_or_else(|| "ended".to_owned()))
    }

    async fn end_if_stuck(self: Arc<Self>) {
        let nothing = json!({});
        let ping = self.ask_for_ever("ping", &nothing, About::Nothing, GivenUp::SoBeIt);
        if tokio::time::timeout(PING_DEADLINE, ping).await.is_err() {
            self.log.line("hermes", "it was given up on and does not answer; it is ended");
            lock(&self.end).get_or_insert_with(|| "was stuck and has been ended".to_owned());
            self.process.order(StopMode::Kill);
        }
    }

    /// Tells it something, if there is room.
    pub(crate) fn tell(&self, method: &str, params: &Value) {
        let _ = self.out.try_send(protocol::notice(method, params));
    }

    /// Asks it to end, and ends it.
    pub(crate) async fn close(&self) {
        lock(&self.end).get_or_insert_with(|| "was closed".to_owned());
        self.tell("shutdown", &json!({}));
        // And nothing after it: a program that knows no such message sees the end of its input.
        let _ = self.out.try_send(tasks::NO_MORE);
        if tokio::time::timeout(GRACE, self.gone.cancelled()).await.is_err() {
            let _ = self.process.kill().await;
        }
    }

    /// Ends it at once.
    pub(crate) fn kill(&self, why: &str) {
        lock(&self.end).get_or_insert_with(|| why.to_owned());
        self.process.order(StopMode::Kill);
    }

    fn about(&self, id: u64) -> Option<Arc<About>> {
        lock(&self.pending).get(&id).map(|pending| Arc::clone(&pending.about))
    }

    fn answered(&self, id: u64, outcome: Result<Value, LinkError>) {
        match lock(&self.pending).remove(&id) {
            Some(pending) => drop(pending.answer.send(outcome)),
            None => tracing::debug!(id, "an answer that nobody waits for"),
        }
    }
}

impl Drop for PluginLink {
    fn drop(&mut self) {
        self.process.order(StopMode::Kill);
        self.gone.cancel();
    }
}

/// Somebody waits for an answer; when they no longer do, the plugin is told.
struct Waiting {
    link: Arc<PluginLink>,
    id: u64,
    given_up: GivenUp,
}

/// What happens when nobody waits for an answer any more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GivenUp {
    /// The plugin has to show that it still listens.
    IsItStuck,
    /// Nothing.
    SoBeIt,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if lock(&self.link.pending).remove(&self.id).is_some() && !self.link.is_gone() {
            self.link.tell("cancel", &json!({"request": self.id}));
            if self.given_up == GivenUp::IsItStuck
                && let Ok(runtime) = tokio::runtime::Handle::try_current()
            {
                runtime.spawn(Arc::clone(&self.link).end_if_stuck());
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
