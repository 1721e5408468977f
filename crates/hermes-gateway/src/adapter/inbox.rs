//! Where adapters put what comes in.
//!
//! [`Inbox::accept`] stores events and the adapter's own marks (an offset, the last id) in one transaction. Once it has
//! returned, the platform may be told that everything arrived: a process that is killed then finds the events again. An
//! event that is stored already is not stored twice.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::{AdapterFuture, InboundEvent, LinkError};

/// Where events are kept: the database of the gateway, or a list in a test.
pub trait Intake: Send + Sync {
    /// Keeps events and marks, all or none.
    fn accept<'a>(
        &'a self,
        platform: &'a str,
        events: Vec<InboundEvent>,
        marks: Vec<(String, String)>,
    ) -> AdapterFuture<'a, Result<(), InboxError>>;

    /// What was kept under a name.
    fn mark<'a>(&'a self, platform: &'a str, name: &'a str) -> AdapterFuture<'a, Option<String>>;
}

/// The events could not be kept: the platform must not be told that they arrived.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what came in cannot be stored: {what}")]
pub struct InboxError {
    /// Why.
    pub what: String,
}

impl From<InboxError> for LinkError {
    fn from(error: InboxError) -> Self {
        Self::retry(error.to_string())
    }
}

/// One platform's way into the gateway. Cheap to clone.
#[derive(Clone)]
pub struct Inbox {
    platform: &'static str,
    intake: Arc<dyn Intake>,
}

impl Inbox {
    /// The way in for one platform, into whatever keeps events.
    #[must_use]
    pub fn new(platform: &'static str, intake: Arc<dyn Intake>) -> Self {
        Self { platform, intake }
    }

    /// An inbox that only keeps what comes in, to try an adapter with.
    #[must_use]
    pub fn recording(platform: &'static str) -> (Self, RecordedEvents) {
        let kept = RecordedEvents::default();
        (Self { platform, intake: Arc::new(kept.clone()) }, kept)
    }

    /// Takes events in, with the adapter's marks as they are after them. Durable when it returns.
    ///
    /// # Errors
    /// If nothing can be stored; the connection is then given up and made anew.
    pub async fn accept(
        &self,
        events: Vec<InboundEvent>,
        marks: &[(&str, String)],
    ) -> Result<(), InboxError> {
        let marks = marks.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        self.intake.accept(self.platform, events, marks).await
    }

    /// The mark of this name as it was stored last, perhaps by an earlier process.
    pub async fn mark(&self, name: &str) -> Option<String> {
        self.intake.mark(self.platform, name).await
    }
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox").field("platform", &self.platform).finish_non_exhaustive()
    }
}

/// What a recording inbox has kept.
#[derive(Clone, Debug, Default)]
pub struct RecordedEvents {
    events: Arc<Mutex<Vec<InboundEvent>>>,
    marks: Arc<Mutex<Vec<(String, String)>>>,
}

impl RecordedEvents {
    /// All events so far, oldest first.
    #[must_use]
    pub fn events(&self) -> Vec<InboundEvent> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Intake for RecordedEvents {
    fn accept<'a>(
        &'a self,
        _: &'a str,
        events: Vec<InboundEvent>,
        marks: Vec<(String, String)>,
    ) -> AdapterFuture<'a, Result<(), InboxError>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner).extend(events);
        self.marks.lock().unwrap_or_else(PoisonError::into_inner).extend(marks);
        Box::pin(std::future::ready(Ok(())))
    }

    fn mark<'a>(&'a self, _: &'a str, name: &'a str) -> AdapterFuture<'a, Option<String>> {
        let marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        let found = marks.iter().rev().find(|(known, _)| known == name).map(|(_, v)| v.clone());
        Box::pin(std::future::ready(found))
    }
}
