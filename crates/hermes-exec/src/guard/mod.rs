//! One process of ours in every environment out of our reach, to end what was started there.
//!
//! Killing a client (`docker exec`, `ssh`) leaves what it started running: it is not our child, and
//! nobody over there waits for it. So each session keeps one shell in its place that does nothing
//! but listen. Told the name of a call, it ends every process that carries the call's tag in its
//! environment, with its whole process group. When its input ends, because the session ends or
//! because we were killed and our client with us, it ends every process of the session and removes
//! the session's folder. It is deaf to the hang-up and to the broken pipe that come with our end:
//! they would end it before it has done that.
//!
//! A call can be told to end before it has begun. The guard therefore leaves a note first and looks
//! for processes after that, while a call looks for the note when its processes can be found: one
//! of them sees the other.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use hermes_process::{Child, InputPipe, OutputMode, OutputPipe, Stdin};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::backend::{Backend, CALL_TAG, ClientInput, ShellCall, ShellKind, Variables};
use crate::error::ExecError;
use crate::quote::quoted;
use crate::session::Scripts;

const SCRIPT: &str = include_str!("guard.sh");

/// How long a guard may take to stand.
const START_LIMIT: Duration = Duration::from_secs(20);
/// How long the end of a call may take: asked, waited for, killed.
const END_LIMIT: Duration = Duration::from_secs(5);

struct GuardOrder {
    call: String,
    done: Option<oneshot::Sender<()>>,
}

/// The line to a session's guard. When the last one is dropped the session ends.
#[derive(Clone)]
pub(crate) struct Guard {
    orders: mpsc::UnboundedSender<GuardOrder>,
    gone: Arc<tokio::sync::Notify>,
}

impl Guard {
    /// Posts a guard.
    pub(crate) async fn post(backend: &dyn Backend, scripts: &Scripts) -> Result<Self, ExecError> {
        let script = SCRIPT
            .replace("@PRELUDE@", scripts.prelude().trim_end())
            .replace("@FOLDER@", &quoted(scripts.folder()))
            .replace("@ID@", scripts.id())
            .replace("@TAG@", CALL_TAG);
        let call = ShellCall {
            script: &script,
            shell: ShellKind::Plain,
            variables: Variables::Inherited,
            granted: &[],
            input: ClientInput::Forwarded,
            tag: "guard".to_owned(),
        };
        let client = backend.client(&call).stdin(Stdin::Piped).output(OutputMode::Separate);
        let mut child = client.spawn()?;
        let failed = |why: String| ExecError::NotStarted { backend: backend.kind(), why };
        let (Some(input), Some(output)) = (child.take_stdin(), child.take_stdout()) else {
            return Err(failed("its client has no pipes".into()));
        };
        let mut lines = BufReader::new(output).lines();
        match timeout(START_LIMIT, lines.next_line()).await {
            Ok(Ok(Some(line))) if line.trim() == "ready" => {}
            Ok(_) => return Err(failed(first_words(&mut child).await)),
            Err(_) => return Err(failed("its shell did not answer in time".into())),
        }
        // Words of the client are of interest only while the guard starts.
        drop(child.take_stderr());
        let (orders, inbox) = mpsc::unbounded_channel();
        let gone = Arc::new(tokio::sync::Notify::new());
        tokio::spawn(Post { child, input, lines, inbox }.keep(Arc::clone(&gone)));
        Ok(Self { orders, gone })
    }

    /// Whether it still listens.
    pub(crate) fn stands(&self) -> bool {
        !self.orders.is_closed()
    }

    /// Tells it to end a call, and does not wait.
    pub(crate) fn end(&self, call: &str) {
        let _ = self.orders.send(GuardOrder { call: call.to_owned(), done: None });
    }

    /// Tells it to end a call and waits until it is gone, within bounds.
    pub(crate) async fn end_and_wait(&self, call: &str) {
        let (done, ended) = oneshot::channel();
        let order = GuardOrder { call: call.to_owned(), done: Some(done) };
        if self.orders.send(order).is_ok() && timeout(END_LIMIT, ended).await.is_err() {
            tracing::warn!(call, "the guard did not confirm the end of a call");
        }
    }

    /// Ends the session and waits for the guard to leave, within bounds.
    pub(crate) async fn dismiss(self) {
        let Self { orders, gone } = self;
        let left = gone.notified();
        drop(orders);
        if timeout(END_LIMIT, left).await.is_err() {
            tracing::warn!("a guard took too long to leave");
        }
    }
}

async fn first_words(child: &mut Child) -> String {
    let Some(mut pipe) = child.take_stderr() else { return "its shell ended at once".into() };
    let mut words = Vec::new();
    let reading = tokio::io::AsyncReadExt::read_to_end(&mut pipe, &mut words);
    let _ = timeout(Duration::from_secs(1), reading).await;
    let words = String::from_utf8_lossy(&words).trim().to_owned();
    if words.is_empty() { "its shell ended at once".into() } else { words }
}

struct Post {
    child: Child,
    input: InputPipe,
    lines: Lines<BufReader<OutputPipe>>,
    inbox: mpsc::UnboundedReceiver<GuardOrder>,
}

impl Post {
    async fn keep(self, gone: Arc<tokio::sync::Notify>) {
        let Self { mut child, mut input, mut lines, mut inbox } = self;
        let mut waiting: HashMap<String, oneshot::Sender<()>> = HashMap::new();
        loop {
            tokio::select! {
                order = inbox.recv() => {
                    let Some(GuardOrder { call, done }) = order else { break };
                    if let Some(done) = done {
                        waiting.insert(call.clone(), done);
                    }
                    if input.write_all(format!("{call}\n").as_bytes()).await.is_err() {
                        break;
                    }
                }
                line = lines.next_line() => match line {
                    Ok(Some(call)) => {
                        if let Some(done) = waiting.remove(call.trim()) {
                            let _ = done.send(());
                        }
                    }
                    Ok(None) | Err(_) => break,
                },
            }
        }
        inbox.close();
        drop(input);
        let _ = timeout(END_LIMIT, child.wait()).await;
        gone.notify_waiters();
    }
}
