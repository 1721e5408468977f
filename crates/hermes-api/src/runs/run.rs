//! One run: how it stands, what happened, what waits for a person's word.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes_approval::{ApprovalAnswer, ApprovalQuestion, GrantScope};
use hermes_protocol::ApprovalPrompt;
use hermes_tool::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::journal::Journal;
use crate::asking::AnswersQuestions;
use crate::feed::{FeedItem, preview};
use crate::names::new_id;
use crate::problem::Refusal;
use crate::turn::{Ended, Turn};

/// How long a question waits for a person.
const QUESTION_WAIT: Duration = Duration::from_secs(3_600);
/// Words that come faster than this become one event.
const PACE: Duration = Duration::from_millis(40);

/// How a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunStatus {
    Running,
    WaitingForApproval,
    Stopping,
    Completed,
    Failed,
    Cancelled,
}

impl RunStatus {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::WaitingForApproval => "waiting_for_approval",
            Self::Stopping => "stopping",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    pub(crate) fn is_over(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

/// A question that waits.
struct Pending {
    widest: GrantScope,
    answer: oneshot::Sender<ApprovalAnswer>,
}

struct State {
    status: RunStatus,
    journal: Journal,
    pending: HashMap<String, Pending>,
    result: Map<String, Value>,
    ended: Option<Instant>,
}

/// One run.
pub(crate) struct Run {
    pub(crate) id: String,
    created: f64,
    state: Mutex<State>,
    /// The number of the newest event, for readers that wait.
    news: watch::Sender<u64>,
    stop: CancellationToken,
}

impl Run {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            id: new_id("run_"),
            created: hermes_store::clock::now(),
            state: Mutex::new(State {
                status: RunStatus::Running,
                journal: Journal::default(),
                pending: HashMap::new(),
                result: Map::new(),
                ended: None,
            }),
            news: watch::Sender::new(0),
            stop: CancellationToken::new(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn event(&self, name: &str, about: Value) -> Value {
        let mut event = json!({
            "event": name, "run_id": self.id, "timestamp": hermes_store::clock::now(),
        });
        if let (Some(event), Value::Object(about)) = (event.as_object_mut(), about) {
            event.extend(about);
        }
        event
    }

    fn tell(&self, name: &str, about: Value) {
        let event = self.event(name, about);
        let number = self.lock().journal.push(event);
        self.news.send_replace(number);
    }

    /// Sees a turn to its end.
    pub(crate) async fn watch(self: Arc<Self>, mut turn: Turn) -> Option<Ended> {
        let stopper = turn.stopper();
        let feed = Arc::clone(&turn.feed);
        loop {
            let item = tokio::select! {
                item = feed.next() => item,
                () = self.stop.cancelled(), if !stopper.is_cancelled() => {
                    stopper.cancel();
                    continue;
                }
            };
            match item {
                Some(item) => self.note(item).await,
                None => break,
            }
        }
        let ended = turn.end().await;
        self.finish(&turn.session, ended)
    }

    async fn note(&self, item: FeedItem) {
        match item {
            FeedItem::Text(text) => {
                self.tell("message.delta", json!({"delta": text}));
                tokio::time::sleep(PACE).await;
            }
            FeedItem::Reasoning(text) => {
                self.tell("reasoning.available", json!({"text": text}));
                tokio::time::sleep(PACE).await;
            }
            FeedItem::ToolStarted { id, tool, args } => {
                let preview = preview(&args);
                self.tell(
                    "tool.started",
                    json!({"tool": tool, "tool_call_id": id, "preview": preview}),
                );
            }
            FeedItem::ToolFinished { id, tool, failed, took, .. } => {
                let about = json!({"tool": tool, "tool_call_id": id, "duration": took.as_secs_f64(), "error": failed});
                self.tell("tool.completed", about);
            }
        }
    }

    fn finish(&self, session: &str, ended: Result<Ended, Refusal>) -> Option<Ended> {
        let refusal = match &ended {
            Ok(ended) => ended.refusal(),
            Err(refusal) => Some(refusal.clone()),
        };
        let usage = ended.as_ref().map(Ended::usage).unwrap_or_default();
        let output =
            ended.as_ref().map(|ended| ended.result.final_response.clone()).unwrap_or_default();
        let (status, name, about) = if self.stop.is_cancelled() {
            (RunStatus::Cancelled, "run.cancelled", json!({"output": output, "usage": usage}))
        } else if let Some(refusal) = refusal {
            let error = refusal.body()["error"].clone();
            (RunStatus::Failed, "run.failed", json!({"error": error, "usage": usage}))
        } else {
            let hermes = ended.as_ref().map(|ended| ended.about(&[])).unwrap_or_default();
            let about = json!({"output": output, "usage": usage, "hermes": hermes});
            (RunStatus::Completed, "run.completed", about)
        };
        // The last event and the end at once: no reader sees one without the other.
        let number = {
            let mut state = self.lock();
            state.status = status;
            state.result = about.as_object().cloned().unwrap_or_default();
            state.result.insert("session_id".to_owned(), session.into());
            state.ended = Some(Instant::now());
            state.pending.clear();
            let event = self.event(name, about);
            state.journal.push(event)
        };
        self.news.send_replace(number);
        ended.ok()
    }

    /// Ends it soon.
    pub(crate) fn stop(&self) -> RunStatus {
        let mut state = self.lock();
        if !state.status.is_over() {
            state.status = RunStatus::Stopping;
            self.stop.cancel();
        }
        state.status
    }

    /// When it ended, if it has.
    pub(crate) fn ended(&self) -> Option<Instant> {
        self.lock().ended
    }

    /// How it stands, for programs.
    pub(crate) fn report(&self) -> Value {
        let state = self.lock();
        let pending: Vec<&String> = state.pending.keys().collect();
        let mut report = json!({
            "object": "hermes.run", "run_id": self.id, "status": state.status.word(),
            "created_at": self.created, "last_event_id": state.journal.last(),
            "last_event": state.journal.newest().map(|event| event["event"].clone()),
            "pending_approvals": pending,
        });
        if let Some(report) = report.as_object_mut() {
            report.extend(state.result.clone());
        }
        report
    }

    /// The events after one, whether some are gone, and whether no more will come.
    pub(crate) fn events_after(&self, seen: u64) -> (Vec<(u64, Value)>, bool, bool) {
        let state = self.lock();
        let (events, is_gap) = state.journal.after(seen);
        (events, is_gap, state.ended.is_some())
    }

    /// Hears of new events.
    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// Asks whoever watches about a command.
    async fn put(&self, question: ApprovalQuestion) -> ApprovalAnswer {
        let id = new_id("appr_");
        let (sender, receiver) = oneshot::channel();
        {
            let mut state = self.lock();
            if state.status.is_over() || state.status == RunStatus::Stopping {
                return ApprovalAnswer::no();
            }
            state.status = RunStatus::WaitingForApproval;
            state.pending.insert(id.clone(), Pending { widest: question.widest, answer: sender });
        }
        let prompt = ApprovalPrompt::about_command(&question);
        let reasons: Vec<String> =
            prompt.reasons.iter().map(|(name, why)| format!("{name}: {why}")).collect();
        let keys: Vec<&str> =
            question.concerns.iter().map(|concern| concern.key.as_str()).collect();
        self.tell(
            "approval.request",
            json!({
                "approval_id": id, "command": prompt.subject, "description": reasons.join("\n"),
                "pattern_keys": keys, "choices": choices(question.widest),
                "allow_permanent": question.widest == GrantScope::Always,
                "expires_at": hermes_store::clock::now() + QUESTION_WAIT.as_secs_f64(),
            }),
        );
        let answer = tokio::select! {
            answer = tokio::time::timeout(QUESTION_WAIT, receiver) => match answer {
                Ok(answer) => answer.unwrap_or_else(|_| ApprovalAnswer::no()),
                Err(_) => ApprovalAnswer::TimedOut,
            },
            () = question.cancellation.cancelled() => ApprovalAnswer::no(),
        };
        {
            let mut state = self.lock();
            state.pending.remove(&id);
            if state.status == RunStatus::WaitingForApproval && state.pending.is_empty() {
                state.status = RunStatus::Running;
            }
        }
        self.tell("approval.responded", json!({"approval_id": id, "choice": answer.choice()}));
        answer
    }

    /// A person's word on one question, or on all that wait; those it was given for.
    pub(crate) fn decide(
        &self,
        id: Option<&str>,
        all: bool,
        choice: &str,
    ) -> Result<Vec<String>, Refusal> {
        let mut state = self.lock();
        let chosen: Vec<String> = match (id, all) {
            (Some(id), _) => vec![id.to_owned()],
            (None, true) => state.pending.keys().cloned().collect(),
            (None, false) => {
                let text = "Say which question is answered: `approval_id`, or `all`: true";
                return Err(Refusal::bad("missing_approval_id", text).about("approval_id"));
            }
        };
        let answer = answer(choice).ok_or_else(|| wrong_choice(choice, GrantScope::Always))?;
        for id in &chosen {
            let Some(one) = state.pending.get(id) else { return Err(not_pending(id)) };
            if let ApprovalAnswer::Allowed(scope) = answer
                && !choices(one.widest).contains(&scope.name())
            {
                return Err(wrong_choice(choice, one.widest));
            }
        }
        if chosen.is_empty() {
            return Err(not_pending("*"));
        }
        for id in &chosen {
            if let Some(one) = state.pending.remove(id) {
                let _ = one.answer.send(answer.clone());
            }
        }
        Ok(chosen)
    }
}

impl AnswersQuestions for Run {
    fn ask(self: Arc<Self>, question: ApprovalQuestion) -> BoxFuture<ApprovalAnswer> {
        Box::pin(async move { self.put(question).await })
    }
}

fn not_pending(id: &str) -> Refusal {
    let text =
        format!("No question `{id}` waits in this run: it was answered, or is no longer wanted");
    Refusal::new(axum::http::StatusCode::CONFLICT, "approval_not_pending", text)
        .about("approval_id")
}

fn wrong_choice(choice: &str, widest: GrantScope) -> Refusal {
    let text = format!("`{choice}` is no answer here; there is {}", choices(widest).join(", "));
    Refusal::bad("invalid_approval_choice", text).about("choice")
}

fn choices(widest: GrantScope) -> &'static [&'static str] {
    match widest {
        GrantScope::Once => &["once", "deny"],
        GrantScope::Session => &["once", "session", "deny"],
        GrantScope::Always => &["once", "session", "always", "deny"],
    }
}

fn answer(choice: &str) -> Option<ApprovalAnswer> {
    Some(match choice {
        "once" | "approve" | "allow" => ApprovalAnswer::Allowed(GrantScope::Once),
        "session" => ApprovalAnswer::Allowed(GrantScope::Session),
        "always" => ApprovalAnswer::Allowed(GrantScope::Always),
        "deny" => ApprovalAnswer::no(),
        _ => return None,
    })
}
