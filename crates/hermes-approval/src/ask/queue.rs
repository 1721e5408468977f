//! Questions that wait for an answer from a chat.
//!
//! Each session has a line of its own. A question is put at its end, the chat is told through the
//! session's [`Notifier`], and then it waits until somebody answers the line (`/approve`, `/deny`),
//! the session is reset, or whoever asked no longer wants to know. A question that is no longer
//! wanted leaves its line at once, so that an answer never goes to the wrong one.
//!
//! No lock is held while anything is waited for.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_tool::BoxFuture;
use tokio::sync::oneshot;
use tokio::time::{MissedTickBehavior, interval};

use super::{Answer, Asker, Question};

/// How often the notifier hears that a question still waits.
const SLICE: Duration = Duration::from_secs(1);

/// Tells a chat that there is a question.
pub trait Notifier: Send + Sync {
    /// Puts the question to the chat; an error means that nobody will see it.
    fn notify(&self, question: Question) -> BoxFuture<Result<(), String>>;
    /// Called about once a second while a question waits, to keep the session alive.
    fn still_waiting(&self) {}
}

/// Which of the waiting questions are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The one that has waited longest.
    First,
    /// All of them.
    All,
}

/// A question in line, for lists.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// Its number, in order of arrival.
    pub id: u64,
    /// The question.
    pub question: Question,
}

struct Entry {
    waiting: Waiting,
    reply: oneshot::Sender<Answer>,
}

#[derive(Default)]
struct Line {
    notifier: Option<Arc<dyn Notifier>>,
    entries: VecDeque<Entry>,
}

#[derive(Default)]
struct Lines {
    by_session: Mutex<HashMap<String, Line>>,
    next_id: AtomicU64,
}

impl Lines {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Line>> {
        self.by_session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn leave(&self, session: &str, id: u64) {
        let mut lines = self.lock();
        if let Some(line) = lines.get_mut(session) {
            line.entries.retain(|entry| entry.waiting.id != id);
            if line.notifier.is_none() && line.entries.is_empty() {
                lines.remove(session);
            }
        }
    }
}

/// The lines of all sessions. Cheap to clone; all clones are the same queue.
#[derive(Clone, Default)]
pub struct Queue(Arc<Lines>);

impl Queue {
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
        let line = self.0.lock().remove(session);
        for entry in line.into_iter().flat_map(|line| line.entries) {
            let _ = entry.reply.send(Answer::no());
        }
    }

    /// The questions waiting in a session, oldest first.
    #[must_use]
    pub fn waiting(&self, session: &str) -> Vec<Waiting> {
        let lines = self.0.lock();
        let entries = lines.get(session).into_iter().flat_map(|line| &line.entries);
        entries.map(|entry| entry.waiting.clone()).collect()
    }

    /// Answers waiting questions; how many there were.
    pub fn answer(&self, session: &str, which: Which, answer: &Answer) -> usize {
        let answered: Vec<Entry> = {
            let mut lines = self.0.lock();
            let Some(line) = lines.get_mut(session) else { return 0 };
            let count = match which {
                Which::First => line.entries.len().min(1),
                Which::All => line.entries.len(),
            };
            line.entries.drain(..count).collect()
        };
        // One that was dropped in this very moment does not hear it.
        answered.into_iter().filter_map(|entry| entry.reply.send(answer.clone()).ok()).count()
    }

    fn join(&self, question: Question) -> Option<(Place, oneshot::Receiver<Answer>)> {
        let mut lines = self.0.lock();
        let line = lines.get_mut(&question.session)?;
        let notifier = line.notifier.clone()?;
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        let (reply, answer) = oneshot::channel();
        let session = question.session.clone();
        line.entries.push_back(Entry { waiting: Waiting { id, question }, reply });
        Some((Place { lines: Arc::clone(&self.0), session, id, notifier }, answer))
    }
}

/// A place in line, given up when dropped.
struct Place {
    lines: Arc<Lines>,
    session: String,
    id: u64,
    notifier: Arc<dyn Notifier>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.lines.leave(&self.session, self.id);
    }
}

impl Asker for Queue {
    fn ask(&self, question: Question) -> BoxFuture<Answer> {
        let joined = self.join(question.clone());
        Box::pin(async move {
            let Some((place, mut answer)) = joined else { return Answer::NobodyThere };
            if let Err(why) = place.notifier.notify(question).await {
                return Answer::Failed(why);
            }
            let mut slices = interval(SLICE);
            slices.set_missed_tick_behavior(MissedTickBehavior::Delay);
            loop {
                tokio::select! {
                    // A line that is gone answers no.
                    answer = &mut answer => return answer.unwrap_or_else(|_| Answer::no()),
                    _ = slices.tick() => place.notifier.still_waiting(),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests;
