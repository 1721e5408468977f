//! What agent sessions and surfaces say to each other.
//!
//! A *surface* is whatever a person looks at: the terminal UI, a gateway, an editor. A *session* is an
//! agent with its history and everything around it. Neither knows the other; both know this crate:
//!
//! ```text
//!             requests   ChatSession   (a message, /undo, /model, interrupt …)
//!   surface ─────────────────────────────────────────────────────────────────▶ session
//!           ◀─────────────────────────────────────────────────────────────────
//!             events     FrontEnd::on_event   (text, tool calls, notices)
//!             questions  FrontEnd::clarify, ApprovalPrompt
//! ```
//!
//! * [`ChatSession`] is what a surface may ask of a session, with the plain data that goes along.
//! * [`AgentEvent`] is what happens in a turn, and [`FrontEnd`] whoever is told of it and asked.
//! * [`approval`] puts a question of the command gate, or of a plugin's rule, into words.
//! * [`json_stream`] is the same events as lines of JSON.
//! * [`notes`] marks what an agent tells itself, so that nobody takes it for a person's words.
//! * [`text`] cuts and pads by terminal columns; both sides make lines for people.
//!
//! What never happens here: anything is drawn, a model is asked, a file is read. An agent is built by
//! `hermes-host`, drawn by `hermes-tui`; a new surface needs this crate and no other of them.

pub mod approval;
pub mod event;
pub mod json_stream;
pub mod notes;
pub mod session;
pub mod text;

pub use approval::ApprovalPrompt;
pub use event::{AgentEvent, Confirmed, FrontEnd, NoticeLevel, Notification};
pub use session::*;
