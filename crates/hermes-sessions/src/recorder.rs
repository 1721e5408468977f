//! What is said in one conversation, recorded in order.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hermes_store::clock::now;

use super::change::{Change, MessageRef, SessionChange};
use super::message::NewMessage;
use super::session::NewSession;
use super::store::SessionStore;
use super::usage::Usage;
use super::writer::Failure;

/// The number of the next message this process queues.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// Where the record of a conversation stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recorded {
    /// Everything is in the database: a killed process loses nothing.
    Written,
    /// Another program holds the database locked. Everything is kept beside it, and moves there as soon
    /// as it is free: a killed process loses nothing here either.
    Beside,
    /// Nothing is recorded any more, for this reason.
    Failed(String),
}

/// Records one session. Each method queues a change and returns at once; [`recorded`](Self::recorded)
/// waits until all of them are safe. After the first that fails none of this session is written, so that
/// what is recorded has no gaps.
#[derive(Debug)]
pub struct SessionRecorder {
    store: SessionStore,
    session: String,
    failure: Failure,
    last: u64,
}

impl SessionRecorder {
    /// Records this session from now on, whether it exists already or is about to be made.
    #[must_use]
    pub fn new(store: SessionStore, session: impl Into<String>) -> Self {
        Self { store, session: session.into(), failure: Failure::default(), last: 0 }
    }

    /// Where it records.
    #[must_use]
    pub fn store(&self) -> &SessionStore {
        &self.store
    }

    fn queue(&mut self, change: Change) {
        let change = SessionChange { session: self.session.clone(), change };
        match self.store.writer() {
            Ok(writer) => self.last = writer.change(change, Arc::clone(&self.failure)),
            Err(problem) => {
                // Only the first reason counts.
                let _ = self.failure.set(problem.to_string());
            }
        }
    }

    /// Makes the session.
    pub fn create(&mut self, mut new: NewSession) {
        new.started_at.get_or_insert_with(now);
        self.queue(Change::Create(Box::new(new)));
    }

    /// Takes back the end of the session, to go on with it.
    pub fn reopen(&mut self) {
        self.queue(Change::Reopen);
    }

    /// Adds a message, said now unless it says otherwise.
    pub fn append(&mut self, mut message: NewMessage) -> MessageRef {
        message.timestamp.get_or_insert_with(now);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        self.queue(Change::Append { message: Box::new(message), number });
        MessageRef::Queued(number)
    }

    /// Notes how a message was really sent to the model.
    pub fn set_api_content(&mut self, message: MessageRef, text: String) {
        self.queue(Change::SetApiContent { message, text });
    }

    /// Sets messages aside as summarised and adds new ones, in one step. A conversation is in the order
    /// of its rows: what should come after the new ones has to be among the replaced and the new ones
    /// both.
    pub fn compact(
        &mut self,
        replaced: Vec<MessageRef>,
        mut new: Vec<NewMessage>,
    ) -> Vec<MessageRef> {
        for message in &mut new {
            message.timestamp.get_or_insert_with(now);
        }
        let numbers: Vec<u64> = new.iter().map(|_| NEXT.fetch_add(1, Ordering::Relaxed)).collect();
        let messages = numbers.iter().copied().map(MessageRef::Queued).collect();
        self.queue(Change::Compact { replaced, new, numbers });
        messages
    }

    /// Takes back the last turns, counted by what the person said.
    pub fn rewind(&mut self, turns: usize) {
        self.queue(Change::Rewind { turns });
    }

    /// Adds to what the session took.
    pub fn add_usage(&mut self, usage: Usage) {
        self.queue(Change::AddUsage(Box::new(usage)));
    }

    /// Freezes the system prompt of the session.
    pub fn set_system_prompt(&mut self, prompt: String) {
        self.queue(Change::SetSystemPrompt(prompt));
    }

    /// Keeps what the session works towards, or forgets it.
    pub fn set_goal(&mut self, goal: Option<String>) {
        self.queue(Change::SetGoal(goal));
    }

    /// Ends the session for a reason such as `user_exit`. The first end counts.
    pub fn end(&mut self, reason: &str) {
        self.queue(Change::End { reason: reason.to_owned(), at: now() });
    }

    /// Waits until everything queued so far is safe from a kill, in the database or beside it. This takes
    /// milliseconds also while another program holds the database locked.
    pub async fn recorded(&self) -> Recorded {
        let waited = match self.store.writer() {
            Ok(writer) => {
                let mut status = writer.status();
                let status = status.wait_for(|status| status.recorded >= self.last).await;
                status.map(|status| status.is_locked).map_err(|_| super::store::gone())
            }
            Err(problem) => Err(problem),
        };
        match (self.failure.get(), waited) {
            (Some(why), _) => Recorded::Failed(why.clone()),
            (None, Err(problem)) => Recorded::Failed(problem.to_string()),
            (None, Ok(true)) => Recorded::Beside,
            (None, Ok(false)) => Recorded::Written,
        }
    }
}
