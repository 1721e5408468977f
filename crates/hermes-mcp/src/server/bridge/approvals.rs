//! Questions that wait for a person's word, for another client to show and answer.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_tool::{Effect, Effects, Tool, ToolError, ToolOutput};
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use super::BRIDGE_TOOLSET;
use super::events::EventQueue;

/// What somebody decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalDecision {
    /// Yes, this once.
    AllowOnce,
    /// Yes, from now on.
    AllowAlways,
    /// No.
    Deny,
}

impl ApprovalDecision {
    const ALL: [(&'static str, Self); 3] = [
        ("allow-once", Self::AllowOnce),
        ("allow-always", Self::AllowAlways),
        ("deny", Self::Deny),
    ];

    fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| *name == text).map(|(_, ruling)| *ruling)
    }
}

/// A question among those that wait.
struct Open {
    session: String,
    details: Map<String, Value>,
    reply: oneshot::Sender<ApprovalDecision>,
}

/// Questions about commands that wait for a decision, by number.
pub struct PendingApprovals {
    open: Mutex<BTreeMap<u64, Open>>,
    next: std::sync::atomic::AtomicU64,
    events: Arc<EventQueue>,
}

impl PendingApprovals {
    pub(super) fn new(events: Arc<EventQueue>) -> Self {
        Self { open: Mutex::default(), next: 1.into(), events }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a question among those that wait. It lies there as long as the ticket lives.
    #[must_use]
    pub fn put(self: &Arc<Self>, session: &str, details: Map<String, Value>) -> Ticket {
        let id = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let (reply, answer) = oneshot::channel();
        let mut told = details.clone();
        told.insert("approval_id".into(), id.into());
        self.lock().insert(id, Open { session: session.to_owned(), details, reply });
        self.events.add("approval_requested", session, told);
        Ticket { approvals: Arc::clone(self), session: session.to_owned(), id, answer }
    }

    fn list(&self) -> Vec<Value> {
        let show = |(id, open): (&u64, &Open)| {
            let mut shown = open.details.clone();
            shown.insert("id".into(), (*id).into());
            shown.insert("session_key".into(), open.session.as_str().into());
            Value::Object(shown)
        };
        self.lock().iter().map(show).collect()
    }

    /// Answers a question for a session other than the one that raised it.
    fn answer(&self, by: &str, id: u64, ruling: ApprovalDecision) -> Result<(), ToolError> {
        let mut open = self.lock();
        match open.get(&id) {
            None => Err(ToolError::answer(format!("no question {id} waits"))
                .with("hint", "permissions_list_open lists those that do")),
            Some(waiting) if waiting.session == by && ruling != ApprovalDecision::Deny => {
                Err(ToolError::answer("a session cannot allow its own commands")
                    .with("hint", "a person has to answer, or another session of this server"))
            }
            Some(_) => {
                if let Some(waiting) = open.remove(&id) {
                    let _ = waiting.reply.send(ruling);
                }
                Ok(())
            }
        }
    }
}

impl std::fmt::Debug for PendingApprovals {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PendingApprovals").field("open", &self.lock().len()).finish_non_exhaustive()
    }
}

/// One question that waits; dropping it withdraws the question.
pub struct Ticket {
    approvals: Arc<PendingApprovals>,
    session: String,
    id: u64,
    answer: oneshot::Receiver<ApprovalDecision>,
}

impl Ticket {
    /// Waits until somebody answers; for ever, if nobody does.
    pub async fn decision(&mut self) -> ApprovalDecision {
        match (&mut self.answer).await {
            Ok(ruling) => ruling,
            Err(_) => std::future::pending().await,
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.approvals.lock().remove(&self.id);
        let mut details = Map::new();
        details.insert("approval_id".into(), self.id.into());
        self.approvals.events.add("approval_resolved", &self.session, details);
    }
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Ticket({})", self.id)
    }
}

pub(super) fn tools(approvals: &Arc<PendingApprovals>) -> Vec<Tool> {
    let (here, there) = (Arc::clone(approvals), Arc::clone(approvals));
    let decisions: Vec<&str> = ApprovalDecision::ALL.iter().map(|(name, _)| *name).collect();
    vec![
        Tool::builder("permissions_list_open", BRIDGE_TOOLSET)
            .description("List commands of other sessions that wait for a person's word.")
            .parameters(json!({"type": "object", "properties": {}}))
            .effects(Effects::NONE.with(Effect::Reads))
            .handler(move |_, _| {
                let open = here.list();
                ToolOutput::json(&json!({"count": open.len(), "approvals": open}))
            }),
        Tool::builder("permissions_respond", BRIDGE_TOOLSET)
            .description(
                "Answer a waiting question of another session, on behalf of the person who was asked. \
                 A session cannot allow its own commands.",
            )
            .parameters(json!({"type": "object", "required": ["id", "decision"], "properties": {
                "id": {"type": "integer", "description": "The question, from permissions_list_open"},
                "decision": {"type": "string", "enum": decisions}}}))
            .effects(Effects::NONE.with(Effect::Writes))
            .handler(move |args, cx| {
                let id = args.get("id").and_then(Value::as_u64).unwrap_or(0);
                let decision = args.get("decision").and_then(Value::as_str).unwrap_or_default();
                let ruling = ApprovalDecision::parse(decision).ok_or_else(|| {
                    ToolError::answer(format!("`{decision}` is no decision"))
                        .with("hint", "allow-once, allow-always or deny")
                })?;
                there.answer(&cx.ids().session_id, id, ruling)?;
                ToolOutput::json(&json!({"resolved": true, "approval_id": id, "decision": decision}))
            }),
    ]
}
