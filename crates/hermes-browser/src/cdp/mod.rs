//! The debugging protocol: one connection, many sessions.
//!
//! A browser has one [`Connection`], over a pipe if we started it and over a WebSocket if somebody else did. Every page
//! and every frame in a process of its own is a *session* on that connection, named by an id that the browser hands
//! out. Calls are numbered; answers wake the caller, events go to the one [`EventSink`] in the order they arrive, on
//! the task that reads. So whoever looks at the sink's state after an answer has seen every event before it.
//!
//! Nothing is waited for longer than the caller says. A connection that ends fails every call that is open, and every
//! later one, with the reason.

mod connection;
mod error;
mod pipe;
mod websocket;

pub(crate) use connection::{Connection, EventSink, PendingCall};
pub use error::CdpError;
pub(crate) use pipe::pipe_transport;
pub(crate) use websocket::websocket_transport;

use tokio::sync::mpsc;

/// Longest message that is read: an accessibility tree of a hundred thousand elements has 70 MB.
const LONGEST_MESSAGE: usize = 512 << 20;

/// Messages to and from a browser, whatever carries them. Closing either end ends the other.
pub(crate) struct Transport {
    pub(crate) outgoing: mpsc::UnboundedSender<String>,
    /// Messages in order; the last is the reason for the end.
    pub(crate) incoming: mpsc::Receiver<Result<Vec<u8>, String>>,
}

/// Messages that may wait to be looked at before reading stops.
const INCOMING: usize = 64;
