//! What happens in a turn, as the editor hears of it.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use agent_client_protocol::Client;
use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, CreateElicitationRequest, ElicitationAction,
    ElicitationContentValue, ElicitationFormMode, ElicitationSchema, ElicitationSessionScope, Plan,
    PlanEntry, PlanEntryPriority, PlanEntryStatus, SessionId, SessionNotification, SessionUpdate,
    StringPropertySchema, TextContent, ToolCall, ToolCallContent, ToolCallId, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields, ToolKind, UsageUpdate,
};
use hermes_agent::{AgentEvent, FrontEnd};
use hermes_llm::model::BoxFuture;
use hermes_protocol::Notification;
use hermes_runtime::registry::Registry;
use serde_json::Value;

use crate::tool_calls;

/// What the agent hears that asks something in an editor without forms.
const ASK_IN_THE_ANSWER: &str = "(The user cannot be asked in the middle of a turn here. End your answer with the \
     question; their next message is the reply.)";
/// The field of the form for a question.
const ANSWER: &str = "answer";

/// Calls that the editor knows, by the model's ids and before they have any.
#[derive(Default)]
struct Known {
    /// Announced with a change to look at, and not begun yet.
    announced: Vec<(String, Value, ToolCallId)>,
    by_model: HashMap<String, ToolCallId>,
}

/// Tells the editor.
pub(crate) struct EditorFront {
    connection: ConnectionTo<Client>,
    session: OnceLock<SessionId>,
    registry: Arc<Registry>,
    cwd: PathBuf,
    window: OnceLock<u64>,
    has_forms: bool,
    known: Mutex<Known>,
}

/// An id for a call, in the form editors are used to from us.
pub(crate) fn new_call_id() -> ToolCallId {
    let number = hermes_sessions::new_session_id();
    let tail: String = number.chars().rev().filter(char::is_ascii_hexdigit).take(12).collect();
    ToolCallId::new(format!("tc-{tail:0>12}"))
}

impl EditorFront {
    pub(crate) fn new(
        connection: ConnectionTo<Client>,
        registry: Arc<Registry>,
        cwd: PathBuf,
        has_forms: bool,
    ) -> Arc<Self> {
        Arc::new(Self {
            connection,
            session: OnceLock::new(),
            registry,
            cwd,
            window: OnceLock::new(),
            has_forms,
            known: Mutex::default(),
        })
    }

    /// Names the session once it has an id.
    pub(crate) fn belongs_to(&self, session: SessionId, window: Option<u64>) {
        let _ = self.session.set(session);
        if let Some(window) = window {
            let _ = self.window.set(window);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends an update. An editor that is gone is noticed where its requests end.
    pub(crate) fn update(&self, update: SessionUpdate) {
        if let Some(session) = self.session.get() {
            let note = SessionNotification::new(session.clone(), update);
            let _ = self.connection.send_notification(note);
        }
    }

    /// A text of the agent.
    pub(crate) fn say(&self, text: impl Into<String>) {
        self.update(SessionUpdate::AgentMessageChunk(chunk(text)));
    }

    pub(crate) fn title(&self, tool: &str, args: &Value) -> String {
        tool_calls::title(&self.registry, tool, args)
    }

    /// The changes a call would make, against what is on disk.
    pub(crate) fn changes(&self, args: &Value) -> Vec<ToolCallContent> {
        let old = |path: &Path| std::fs::read_to_string(path).ok();
        tool_calls::changes(args, &self.cwd, old)
    }

    fn call(&self, id: ToolCallId, tool: &str, args: &Value) -> ToolCall {
        ToolCall::new(id, self.title(tool, args))
            .kind(tool_calls::kind(&self.registry, tool))
            .locations(tool_calls::locations(args, &self.cwd))
            .raw_input(args.clone())
    }

    /// Shows a change before anybody is asked about it; its id.
    pub(crate) fn announce(&self, tool: &str, args: &Value) -> ToolCallId {
        let id = new_call_id();
        self.lock().announced.push((tool.to_owned(), args.clone(), id.clone()));
        let call = self.call(id.clone(), tool, args).status(ToolCallStatus::Pending);
        self.update(SessionUpdate::ToolCall(call.content(self.changes(args))));
        id
    }

    /// A call that was announced does not happen.
    pub(crate) fn refused(&self, id: &ToolCallId) {
        self.lock().announced.retain(|(_, _, announced)| announced != id);
        let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Failed);
        self.update(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id.clone(), fields)));
    }

    /// The editor's id of a call that has begun.
    pub(crate) fn shown_id(&self, model: &str) -> Option<ToolCallId> {
        self.lock().by_model.get(model).cloned()
    }

    fn started(&self, model: String, tool: &str, args: &Value) {
        let announced = {
            let mut known = self.lock();
            // Secrets in arguments may be masked here, so that the paths have to do.
            let is_it = |(name, given, _): &(String, Value, ToolCallId)| {
                name == tool
                    && tool_calls::paths(given, &self.cwd) == tool_calls::paths(args, &self.cwd)
            };
            let place = known.announced.iter().position(is_it);
            let id = place.map(|place| known.announced.remove(place).2);
            known.by_model.insert(
                model.clone(),
                id.clone().unwrap_or_else(|| ToolCallId::new(model.clone())),
            );
            id
        };
        match announced {
            Some(id) => {
                let fields = ToolCallUpdateFields::new().status(ToolCallStatus::InProgress);
                self.update(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields)));
            }
            None => {
                let call = self.call(ToolCallId::new(model), tool, args);
                self.update(SessionUpdate::ToolCall(call.status(ToolCallStatus::InProgress)));
            }
        }
    }

    fn finished(&self, model: &str, tool: &str, args: &Value, output: &str, failed: bool) {
        let known = self.lock().by_model.remove(model);
        let id = known.unwrap_or_else(|| ToolCallId::new(model.to_owned()));
        let status = if failed { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
        let raw = serde_json::from_str(output).unwrap_or_else(|_| Value::String(output.to_owned()));
        let mut fields = ToolCallUpdateFields::new().status(status).raw_output(raw.clone());
        // A change stays what is shown of an edit; of everything else its result is.
        if failed || tool_calls::changes(args, &self.cwd, |_| None).is_empty() {
            fields = fields.content(vec![tool_calls::shown_result(output).into()]);
        }
        self.update(SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields)));
        let is_own = tool_calls::kind(&self.registry, tool) == ToolKind::Think;
        if let Some(entries) = is_own.then(|| plan(&raw)).flatten() {
            self.update(SessionUpdate::Plan(Plan::new(entries)));
        }
    }
}

pub(crate) fn chunk(text: impl Into<String>) -> ContentChunk {
    ContentChunk::new(ContentBlock::Text(TextContent::new(text)))
}

/// The list of steps, as the editor's plan.
fn plan(result: &Value) -> Option<Vec<PlanEntry>> {
    let items = result["todos"].as_array()?;
    let entry = |item: &Value| {
        let status = match item["status"].as_str() {
            Some("completed" | "cancelled") => PlanEntryStatus::Completed,
            Some("in_progress") => PlanEntryStatus::InProgress,
            _ => PlanEntryStatus::Pending,
        };
        let text = item["content"].as_str().unwrap_or_default();
        PlanEntry::new(text, PlanEntryPriority::Medium, status)
    };
    Some(items.iter().map(entry).collect())
}

impl FrontEnd for EditorFront {
    fn on_event(&self, event: AgentEvent) {
        match event {
            AgentEvent::Text(text) if !text.is_empty() => self.say(text),
            AgentEvent::Reasoning(text) if !text.is_empty() => {
                self.update(SessionUpdate::AgentThoughtChunk(chunk(text)));
            }
            AgentEvent::ToolStarted { id, tool, args } => self.started(id, &tool, &args),
            AgentEvent::ToolFinished { id, tool, args, output, failed, .. } => {
                self.finished(&id, &tool, &args, &output, failed);
            }
            AgentEvent::Spent { context_tokens, .. } => {
                if let Some(window) = self.window.get() {
                    self.update(SessionUpdate::UsageUpdate(UsageUpdate::new(
                        context_tokens,
                        *window,
                    )));
                }
            }
            _ => {}
        }
    }

    fn notify(&self, notification: Notification) {
        let text = match notification.text {
            Some(text) => format!("{}\n\n{text}\n", notification.title),
            None => format!("{}\n", notification.title),
        };
        self.say(text);
    }

    fn clarify<'a>(
        &'a self,
        question: &'a str,
        choices: &'a [String],
    ) -> BoxFuture<'a, Option<String>> {
        let Some(session) = self.session.get().cloned().filter(|_| self.has_forms) else {
            return Box::pin(std::future::ready(Some(ASK_IN_THE_ANSWER.to_owned())));
        };
        let mut field = StringPropertySchema::new().title(question.to_owned());
        if !choices.is_empty() {
            field = field.enum_values(choices.to_vec());
        }
        let schema = ElicitationSchema::new().property(ANSWER, field, true);
        let form = ElicitationFormMode::new(ElicitationSessionScope::new(session), schema);
        let request = CreateElicitationRequest::new(form, question);
        let asked = self.connection.send_request(request).block_task();
        Box::pin(async move {
            match asked.await.ok()?.action {
                ElicitationAction::Accept(given) => match given.content?.get(ANSWER)? {
                    ElicitationContentValue::String(text) => Some(text.clone()),
                    _ => None,
                },
                _ => None,
            }
        })
    }
}
