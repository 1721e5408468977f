//! Signs of life from servers that work on our calls.
//!
//! A call listens under the token it was sent with. The token is known only once the call is on its
//! way, and a quick server may answer before anybody listens, so the latest note under an unknown
//! token is kept for a moment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_tool::ToolContext;
use serde_json::Value;
use tokio::sync::mpsc;

/// A note of a server on one of our calls.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProgressNote {
    pub(crate) done: f64,
    pub(crate) total: Option<f64>,
    pub(crate) message: String,
}

impl ProgressNote {
    fn read(params: &Value) -> Self {
        Self {
            done: params["progress"].as_f64().unwrap_or_default(),
            total: params["total"].as_f64().filter(|total| *total > 0.0),
            message: params["message"].as_str().unwrap_or_default().to_owned(),
        }
    }

    /// Tells whoever watches the call.
    pub(crate) fn report(&self, cx: &ToolContext) {
        let message = match (self.message.as_str(), self.total) {
            ("", Some(total)) => format!("{} of {total}", self.done),
            ("", None) => format!("{} done", self.done),
            (message, _) => message.to_owned(),
        };
        cx.report(message, self.total.map(|total| (self.done / total).clamp(0.0, 1.0)));
    }
}

/// Notes waiting for one listener; more than that are not worth showing.
const WAITING: usize = 64;
/// Tokens remembered before anybody listens under them.
const EARLY: usize = 32;

/// Who listens to which call.
#[derive(Debug, Default)]
pub(crate) struct ProgressTable(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    listeners: HashMap<String, mpsc::Sender<ProgressNote>>,
    early: HashMap<String, ProgressNote>,
}

impl ProgressTable {
    /// Listens under a token until the listener is dropped.
    pub(crate) fn listen(self: &Arc<Self>, token: &Value) -> ProgressListener {
        let key = token.to_string();
        let (sender, notes) = mpsc::channel(WAITING);
        let mut inner = self.lock();
        if let Some(note) = inner.early.remove(&key) {
            // There is room: nothing was sent yet.
            let _ = sender.try_send(note);
        }
        inner.listeners.insert(key.clone(), sender);
        ProgressListener { table: Arc::clone(self), key, notes }
    }

    /// Takes in the parameters of a progress notification.
    pub(crate) fn note(&self, params: &Value) {
        let key = params["progressToken"].to_string();
        let note = ProgressNote::read(params);
        let mut inner = self.lock();
        match inner.listeners.get(&key) {
            Some(listener) => {
                let _ = listener.try_send(note);
            }
            None if inner.early.len() < EARLY => {
                inner.early.insert(key, note);
            }
            None => inner.early.clear(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Hears the notes on one call.
#[derive(Debug)]
pub(crate) struct ProgressListener {
    table: Arc<ProgressTable>,
    key: String,
    notes: mpsc::Receiver<ProgressNote>,
}

impl ProgressListener {
    /// The next note; waits for ever when there is none.
    pub(crate) async fn next(&mut self) -> ProgressNote {
        match self.notes.recv().await {
            Some(note) => note,
            None => std::future::pending().await,
        }
    }
}

impl Drop for ProgressListener {
    fn drop(&mut self) {
        self.table.lock().listeners.remove(&self.key);
    }
}

/// The calls of ours a server is working on, so that its questions reach the right session.
#[derive(Debug, Default)]
pub(crate) struct OpenCalls(Mutex<(u64, Vec<(u64, ToolContext)>)>);

impl OpenCalls {
    /// Adds a call until the guard is dropped.
    pub(crate) fn open(self: &Arc<Self>, cx: &ToolContext) -> OpenCall {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.0 += 1;
        let number = inner.0;
        inner.1.push((number, cx.clone()));
        OpenCall { calls: Arc::clone(self), number }
    }

    /// The call made last.
    pub(crate) fn latest(&self) -> Option<ToolContext> {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.1.last().map(|(_, cx)| cx.clone())
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.is_empty()
    }
}

/// One call that is under way.
#[derive(Debug)]
pub(crate) struct OpenCall {
    calls: Arc<OpenCalls>,
    number: u64,
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        let mut inner = self.calls.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.1.retain(|(number, _)| *number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn a_note_that_comes_before_its_listener_is_heard() {
        let table = Arc::new(ProgressTable::default());
        table.note(&json!({"progressToken": 7, "progress": 1, "total": 4, "message": "a"}));
        let mut listener = table.listen(&json!(7));
        assert_eq!(listener.next().await.message, "a");
        table.note(&json!({"progressToken": 7, "progress": 2}));
        assert_eq!(listener.next().await.done, 2.0);
        drop(listener);
        assert!(table.lock().listeners.is_empty());
    }

    #[test]
    fn the_latest_call_is_the_one_a_question_belongs_to() {
        let calls = Arc::new(OpenCalls::default());
        let cx = ToolContext::default();
        let first = calls.open(&cx);
        let second = calls.open(&cx);
        drop(first);
        assert!(calls.latest().is_some());
        drop(second);
        assert!(calls.is_empty());
    }
}
