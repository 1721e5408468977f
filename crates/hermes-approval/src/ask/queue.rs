//! Questions that wait for an answer from a chat.
//!
//! Each session has a queue of its own. A question is put at its end, the chat is told through the
//! session's [`Notifier`], and then it waits until somebody answers (`/approve`, `/deny`),
//! the session is reset, or whoever asked no longer wants to know. A question that is no longer
//! wanted leaves its queue at once, so that an answer never goes to the wrong one.
//!
//! No lock is held while anything is waited for.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_tool::BoxFuture;
use tokio::sync::oneshot;
use tokio::time::{MissedTickBehavior, interval};

use super::{ApprovalAnswer, ApprovalPrompter, ApprovalQuestion};

/// How often the notifier hears that a question still waits.
const SLICE: Duration = Duration::from_secs(1);

/// Tells a chat that there is a question.
pub trait Notifier: Send + Sync {
    /// Puts the question to the chat; an error means that nobody will see it.
    fn notify(&self, question: ApprovalQuestion) -> BoxFuture<Result<(), String>>;
    /// Called about once a second while a question waits, to keep the session alive.
    fn still_waiting(&self) {}
}

/// Which of the waiting questions are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerTarget {
    /// The one that has waited longest.
    First,
    /// All of them.
    All,
}

/// A question in its queue, for lists.
#[derive(Clone, Debug)]
pub struct WaitingQuestion {
    /// Its number, in order of arrival.
    pub id: u64,
    /// What a person is asked, secrets left out.
    pub question: ApprovalQuestion,
}

struct Entry {
    waiting: WaitingQuestion,
    reply: oneshot::Sender<ApprovalAnswer>,
}

#[derive(Default)]
struct SessionQueue {
    notifier: Option<Arc<dyn Notifier>>,
    entries: VecDeque<Entry>,
}

#[derive(Default)]
struct SessionQueues {
    by_session: Mutex<HashMap<String, SessionQueue>>,
    next_id: AtomicU64,
}

impl SessionQueues {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, SessionQueue>> {
        self.by_session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leave(&self, session: &str, id: u64) {
        let mut queues = self.lock();
        if let Some(queue) = queues.get_mut(session) {
            queue.entries.retain(|entry| entry.waiting.id != id);
            if queue.notifier.is_none() && queue.entries.is_empty() {
                queues.remove(session);
            }
        }
    }
}

/// The waiting questions of all sessions. Cheap to clone; all clones share them.
#[derive(Clone, Default)]
pub struct ApprovalQueue(Arc<SessionQueues>);

impl ApprovalQueue {
    /// An empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// From now on this notifier tells the session's chat about questions.
    pub fn set_notifier(&self, session: &str, notifier: Arc<dyn Notifier>) {
        self.0.lock().entry(session.to_owned()).or_default().notifier = Some(notifier);
    }

    /// The session's chat is gone: new questions find nobody, waiting ones are answered with no.
    pub fn remove_notifier(&self, session: &str) {
        let queue = self.0.lock().remove(session);
        for entry in queue.into_iter().flat_map(|queue| queue.entries) {
            let _ = entry.reply.send(ApprovalAnswer::no());
        }
    }

    /// The questions waiting in a session, oldest first.
    #[must_use]
    pub fn waiting(&self, session: &str) -> Vec<WaitingQuestion> {
        let queues = self.0.lock();
        let entries = queues.get(session).into_iter().flat_map(|queue| &queue.entries);
        entries.map(|entry| entry.waiting.clone()).collect()
    }

    /// Answers waiting questions; how many there were.
    pub fn answer(&self, session: &str, which: AnswerTarget, answer: &ApprovalAnswer) -> usize {
        let answered: Vec<Entry> = {
            let mut queues = self.0.lock();
            let Some(queue) = queues.get_mut(session) else { return 0 };
            let count = match which {
                AnswerTarget::First => queue.entries.len().min(1),
                AnswerTarget::All => queue.entries.len(),
            };
            queue.entries.drain(..count).collect()
        };
        // One that was dropped in this very moment does not hear it.
        answered.into_iter().filter_map(|entry| entry.reply.send(answer.clone()).ok()).count()
    }

    fn join(
        &self,
        question: ApprovalQuestion,
    ) -> Option<(QueueTicket, oneshot::Receiver<ApprovalAnswer>)> {
        let mut queues = self.0.lock();
        let queue = queues.get_mut(&question.session)?;
        let notifier = queue.notifier.clone()?;
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        let (reply, answer) = oneshot::channel();
        let session = question.session.clone();
        queue.entries.push_back(Entry { waiting: WaitingQuestion { id, question }, reply });
        Some((QueueTicket { queues: Arc::clone(&self.0), session, id, notifier }, answer))
    }
}

/// A question's position in its queue, given up when dropped.
struct QueueTicket {
    queues: Arc<SessionQueues>,
    session: String,
    id: u64,
    notifier: Arc<dyn Notifier>,
}

impl Drop for QueueTicket {
    fn drop(&mut self) {
        self.queues.leave(&self.session, self.id);
    }
}

impl ApprovalPrompter for ApprovalQueue {
    fn ask(&self, question: ApprovalQuestion) -> BoxFuture<ApprovalAnswer> {
        let joined = self.join(question.clone());
        Box::pin(async move {
            let Some((ticket, mut answer)) = joined else { return ApprovalAnswer::NobodyThere };
            if let Err(why) = ticket.notifier.notify(question).await {
                return ApprovalAnswer::Failed(why);
            }
            let mut slices = interval(SLICE);
            slices.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                tokio::select! {
                    // A queue that is gone answers no.
                    answer = &mut answer => return answer.unwrap_or_else(|_| ApprovalAnswer::no()),
                    _ = slices.tick() => ticket.notifier.still_waiting(),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests;
