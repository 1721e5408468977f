//! The client behind a call, for tools and for those who have to ask a person.
//!
//! A [`Caller`] is in the services of every call that came over the protocol. What it sends is
//! carried by the task that serves the call, see `carry`; when the call is over, nothing more is
//! sent and every question is answered with [`CallerError::Gone`].

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_tool::{CallIds, Progress};
use rmcp::model::{
    ClientCapabilities, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, ServerRequest,
};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use super::declared;
use super::log::LogLine;

/// Messages of one call that wait to be sent; log lines and progress beyond are dropped.
pub(super) const WAITING_MESSAGES: usize = 256;

/// Something to be sent to the client while a call runs.
#[derive(Debug)]
pub(super) enum CallerMessage {
    /// How far the call has come.
    Progress(Progress),
    /// A line for the client's log.
    Log(LogLine),
    /// A request with an answer.
    Request(Box<ClientRequest>),
}

/// A request to the client.
#[derive(Debug)]
pub(super) struct ClientRequest {
    /// What the tool calls it. A client may answer what has a name before it was asked.
    pub(super) name: Option<String>,
    pub(super) request: ServerRequest,
    pub(super) wait: Option<Duration>,
    pub(super) reply: oneshot::Sender<Result<ClientResult, CallerError>>,
}

/// Why a client did not answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallerError {
    /// It cannot be asked.
    #[error("this MCP client takes no questions (it does not offer elicitation)")]
    NoQuestions,
    /// The call, or the client, is gone.
    #[error("the MCP client is gone")]
    Gone,
    /// Time ran out.
    #[error("the MCP client did not answer in time")]
    TimedOut,
    /// It answered with an error, or with something else than an answer.
    #[error("the MCP client failed: {0}")]
    Failed(String),
}

/// The program that made a call.
#[derive(Clone, Debug)]
pub struct Caller {
    session: Arc<str>,
    session_lasts: bool,
    capabilities: Arc<ClientCapabilities>,
    messages: mpsc::Sender<CallerMessage>,
}

/// What a person chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientChoice {
    /// One of the options, by its value.
    Picked(String),
    /// They declined, closed the question, or sent it back empty.
    Declined,
}

impl Caller {
    pub(super) fn new(
        session: Arc<str>,
        session_lasts: bool,
        capabilities: ClientCapabilities,
    ) -> (Self, mpsc::Receiver<CallerMessage>) {
        let (messages, waiting) = mpsc::channel(WAITING_MESSAGES);
        let capabilities = Arc::new(capabilities);
        (Self { session, session_lasts, capabilities, messages }, waiting)
    }

    /// The id of the client's session.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Whether there will be other calls in this session: a call that stands alone has one to itself.
    #[must_use]
    pub fn session_lasts(&self) -> bool {
        self.session_lasts
    }

    /// Whether a person can be asked through this client.
    #[must_use]
    pub fn takes_questions(&self) -> bool {
        declared::forms(&self.capabilities)
    }

    /// Whether the client has said that it answers requests of this kind.
    #[must_use]
    pub fn answers(&self, request: &ServerRequest) -> bool {
        declared::lacking(&self.capabilities, request).is_none()
    }

    /// Writes to the client's log. A client that reads too slowly misses lines.
    pub fn log(&self, line: LogLine) {
        let _ = self.messages.try_send(CallerMessage::Log(line));
    }

    pub(super) fn report(&self, progress: Progress) {
        let _ = self.messages.try_send(CallerMessage::Progress(progress));
    }

    /// Sends any request of the protocol and waits for the answer. A call that asks for what its client
    /// does not offer ends there, in revisions that have an error for it.
    ///
    /// # Errors
    /// When there is no answer, or an error.
    pub async fn request(
        &self,
        request: ServerRequest,
        wait: Option<Duration>,
    ) -> Result<ClientResult, CallerError> {
        self.ask(None, request, wait).await
    }

    /// The same under a name that clients may know: where requests are answered by calling again, the
    /// answer may come with the first call. Nothing that needs a person's consent may have a name.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub async fn request_as(
        &self,
        name: impl Into<String>,
        request: ServerRequest,
        wait: Option<Duration>,
    ) -> Result<ClientResult, CallerError> {
        self.ask(Some(name.into()), request, wait).await
    }

    async fn ask(
        &self,
        name: Option<String>,
        request: ServerRequest,
        wait: Option<Duration>,
    ) -> Result<ClientResult, CallerError> {
        let (reply, answer) = oneshot::channel();
        let asked = CallerMessage::Request(Box::new(ClientRequest { name, request, wait, reply }));
        self.messages.send(asked).await.map_err(|_| CallerError::Gone)?;
        answer.await.unwrap_or(Err(CallerError::Gone))
    }

    /// Shows the person a form and waits for what they fill in. The schema describes a flat object.
    ///
    /// # Errors
    /// When nobody can be asked or nobody answers, and for a schema the protocol does not allow.
    pub async fn elicit(
        &self,
        message: impl Into<String>,
        schema: Value,
        wait: Option<Duration>,
    ) -> Result<ElicitResult, CallerError> {
        if !self.takes_questions() {
            return Err(CallerError::NoQuestions);
        }
        let requested_schema: ElicitationSchema =
            serde_json::from_value(schema).map_err(|why| CallerError::Failed(why.to_string()))?;
        let message = message.into();
        let form =
            ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
        match self.request(request, wait).await? {
            ClientResult::ElicitResult(result) => Ok(result),
            other => Err(CallerError::Failed(format!("unexpected answer {other:?}"))),
        }
    }

    /// Lets the person pick one of several options, given as value and words. The first is what an
    /// unchanged form means.
    ///
    /// # Errors
    /// As [`elicit`](Self::elicit).
    pub async fn choose(
        &self,
        message: impl Into<String>,
        options: &[(&str, &str)],
        wait: Option<Duration>,
    ) -> Result<ClientChoice, CallerError> {
        let one_of: Vec<Value> =
            options.iter().map(|(value, words)| json!({"const": value, "title": words})).collect();
        let schema = json!({
            "type": "object",
            "properties": {"decision": {
                "type": "string",
                "title": "Decision",
                "oneOf": one_of,
                "default": options.first().map(|(value, _)| value),
            }},
            "required": ["decision"],
        });
        let result = self.elicit(message, schema, wait).await?;
        let picked = result.content.as_ref().and_then(|content| content["decision"].as_str());
        let known = picked.filter(|picked| options.iter().any(|(value, _)| value == picked));
        Ok(match (result.action, known) {
            (ElicitationAction::Accept, Some(picked)) => ClientChoice::Picked(picked.to_owned()),
            _ => ClientChoice::Declined,
        })
    }
}

/// The clients of the calls that are running.
#[derive(Debug, Default)]
pub struct Callers {
    by_call: Mutex<BTreeMap<String, Caller>>,
}

impl Callers {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Caller>> {
        self.by_call.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client behind a call, or behind another running call of the same session.
    #[must_use]
    pub fn find(&self, ids: &CallIds) -> Option<Caller> {
        let exact = self.lock().get(&ids.tool_call_id).cloned();
        exact.or_else(|| self.of_session(&ids.session_id))
    }

    /// The client of a session in which a call is running.
    #[must_use]
    pub fn of_session(&self, session: &str) -> Option<Caller> {
        self.lock().values().rfind(|caller| caller.session() == session).cloned()
    }

    /// Keeps the client in the table as long as the answer lives.
    pub(super) fn enter(self: &Arc<Self>, call: String, caller: Caller) -> Present {
        self.lock().insert(call.clone(), caller);
        Present { callers: Arc::clone(self), call }
    }
}

/// A client's place in the table.
pub(super) struct Present {
    callers: Arc<Callers>,
    call: String,
}

impl Drop for Present {
    fn drop(&mut self) {
        self.callers.lock().remove(&self.call);
    }
}
