//! Work for one request, from its start to its result, over as many requests as that takes.
//!
//! The work runs in a task of its own. Everything it sends to the client is sent by the task of the
//! request that is being served, because the SDK ties a message to the stream of the request whose task
//! sends it: sent from elsewhere, a question would go to a stream that many clients never open.

use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use hermes_runtime::CallOutcome;
use rmcp::Peer;
use rmcp::model::{ErrorData, GetPromptResult};
use rmcp::service::{PeerRequestOptions, RequestContext, RoleServer, ServiceError};
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::caller::{CallerError, CallerMessage, ClientRequest, Present};
use super::handles::SessionLease;
use super::log::{self, LogLevel};
use super::progress::{Meter, SILENCE};
use super::questions::OpenQuestions;
use super::sources::SourceError;

/// How long withdrawing open questions may hold up a result.
const WITHDRAWING: Duration = Duration::from_secs(1);
/// Questions raised within this time of each other are put together.
const TOGETHER: Duration = Duration::from_millis(20);

/// What work comes to.
pub(super) enum Finished {
    Call(CallOutcome),
    Prompt(Result<GetPromptResult, SourceError>),
}

/// What a request wants, apart from answers: it has to be the same when it is made again.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Subject {
    pub(super) method: &'static str,
    pub(super) name: String,
    pub(super) arguments: Option<Map<String, Value>>,
}

/// Work under way. When it is dropped, the work is cancelled.
pub(super) struct OpenCall {
    pub(super) subject: Subject,
    pub(super) questions: OpenQuestions,
    pub(super) place: Option<SessionLease>,
    pub(super) started: Instant,
    messages: mpsc::Receiver<CallerMessage>,
    work: JoinHandle<Finished>,
    cancel: CancelOnDrop,
    /// Keeps the client in the table of callers.
    _present: Option<Present>,
}

struct CancelOnDrop(CancellationToken);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// What a call is made of.
pub(super) struct CallParts {
    pub(super) subject: Subject,
    pub(super) place: Option<SessionLease>,
    pub(super) messages: mpsc::Receiver<CallerMessage>,
    pub(super) present: Option<Present>,
    /// Cancels the work.
    pub(super) cancel: CancellationToken,
}

impl OpenCall {
    /// Starts the work.
    pub(super) fn start(
        parts: CallParts,
        work: impl Future<Output = Finished> + Send + 'static,
    ) -> Self {
        let CallParts { subject, place, messages, present, cancel } = parts;
        Self {
            subject,
            questions: OpenQuestions::default(),
            place,
            started: Instant::now(),
            messages,
            work: tokio::spawn(work),
            cancel: CancelOnDrop(cancel),
            _present: present,
        }
    }

    /// Tells the work that nobody answered, and lets it end.
    pub(super) async fn time_out(mut self) {
        self.questions.time_out();
        self.messages.close();
        let _ = (&mut self.work).await;
    }

    /// Serves a request that belongs to the work: its result, or nothing when it cannot go on without
    /// answers.
    pub(super) async fn carry(
        &mut self,
        by: &mut Carrier<'_>,
    ) -> Result<Option<Finished>, ErrorData> {
        let mut asking = FuturesUnordered::new();
        let mut is_cancelled = false;
        let peer = by.peer;
        loop {
            tokio::select! {
                biased;
                Some(message) = self.messages.recv() => match message {
                    CallerMessage::Request(asked) if by.asks_at_once => {
                        asking.push(ask(peer, *asked));
                    }
                    CallerMessage::Request(asked) => {
                        self.questions.add(*asked);
                        self.gather(by).await;
                        return Ok(None);
                    }
                    other => by.tell(other).await,
                },
                Some(()) = asking.next(), if !asking.is_empty() => {}
                finished = &mut self.work => {
                    // What was said before the end is heard before the result.
                    while let Ok(message) = self.messages.try_recv() {
                        by.tell(message).await;
                    }
                    // Nobody waits for an answer any more, so questions still open are withdrawn.
                    let withdrawn = async { while asking.next().await.is_some() {} };
                    let _ = timeout(WITHDRAWING, withdrawn).await;
                    let broken = |why: JoinError| ErrorData::internal_error(why.to_string(), None);
                    return finished.map(Some).map_err(broken);
                }
                () = by.cancelled.cancelled(), if !is_cancelled => {
                    is_cancelled = true;
                    self.cancel.0.cancel();
                }
                () = tokio::time::sleep(SILENCE) => by.still_running(self.started.elapsed()).await,
            }
        }
    }

    /// Takes up what is asked together with the first question.
    async fn gather(&mut self, by: &mut Carrier<'_>) {
        while let Ok(Some(message)) = timeout(TOGETHER, self.messages.recv()).await {
            match message {
                CallerMessage::Request(asked) => self.questions.add(*asked),
                other => by.tell(other).await,
            }
        }
    }
}

/// Carries what work wants to say to its client while one request is served.
pub(super) struct Carrier<'a> {
    peer: &'a Peer<RoleServer>,
    cancelled: &'a CancellationToken,
    meter: Option<Meter>,
    /// Log lines below are not sent; none are without.
    level: Option<LogLevel>,
    /// Whether questions are requests of their own, as before revision 2026-07-28.
    asks_at_once: bool,
}

impl<'a> Carrier<'a> {
    pub(super) fn new(
        context: &'a RequestContext<RoleServer>,
        level: Option<LogLevel>,
        asks_at_once: bool,
    ) -> Self {
        let meter = context.meta.get_progress_token().map(Meter::new);
        Self { peer: &context.peer, cancelled: &context.ct, meter, level, asks_at_once }
    }

    /// A client that cannot be told is about to be noticed as gone, by the SDK.
    async fn tell(&mut self, message: CallerMessage) {
        match message {
            CallerMessage::Progress(note) => {
                if let Some(meter) = &mut self.meter {
                    let _ = self.peer.notify_progress(meter.notification(note)).await;
                }
            }
            CallerMessage::Log(line) if self.level.is_some_and(|level| line.level >= level) => {
                log::send(self.peer, line).await;
            }
            CallerMessage::Log(_) => {}
            // The work is over, so nobody waits for the answer.
            CallerMessage::Request(asked) => drop(asked),
        }
    }

    async fn still_running(&mut self, for_so_long: Duration) {
        if let Some(meter) = &mut self.meter {
            let _ = self.peer.notify_progress(meter.still_running(for_so_long)).await;
        }
    }
}

/// Sends a request and brings the answer back. When the answer is no longer wanted, the client
/// hears that the question is withdrawn.
async fn ask(peer: &Peer<RoleServer>, asked: ClientRequest) {
    let ClientRequest { request, wait, mut reply, .. } = asked;
    let options = match wait {
        Some(wait) => PeerRequestOptions::with_timeout(wait),
        None => PeerRequestOptions::no_options(),
    };
    let mut handle = match peer.send_cancellable_request(request, options).await {
        Ok(handle) => handle,
        Err(why) => {
            let _ = reply.send(Err(reason(why)));
            return;
        }
    };
    let time_is_up = async {
        match wait {
            Some(wait) => tokio::time::sleep(wait).await,
            None => std::future::pending().await,
        }
    };
    let answer = tokio::select! {
        answer = &mut handle.rx => answer.unwrap_or(Err(ServiceError::TransportClosed)),
        () = time_is_up => {
            let _ = handle.cancel(Some("nobody answered in time".to_owned())).await;
            let _ = reply.send(Err(CallerError::TimedOut));
            return;
        }
        () = reply.closed() => {
            let _ = handle.cancel(Some("the answer is no longer wanted".to_owned())).await;
            return;
        }
    };
    let _ = reply.send(answer.map_err(reason));
}

fn reason(error: ServiceError) -> CallerError {
    match error {
        ServiceError::TransportClosed | ServiceError::Cancelled { .. } => CallerError::Gone,
        ServiceError::Timeout { .. } => CallerError::TimedOut,
        other => CallerError::Failed(other.to_string()),
    }
}
