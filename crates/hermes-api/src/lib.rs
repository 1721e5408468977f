//! The agent over HTTP, on the wire that chat front ends speak.
//!
//! `hermes serve` offers the bare tools to programs; this offers the *agent* to whatever can talk with a model: front ends,
//! libraries, `curl`. What is asked here is answered by a turn of an agent with tools, in a session of the database.
//!
//! | request | answer |
//! |---|---|
//! | `POST /v1/chat/completions` | one turn, whole or as events |
//! | `/v1/responses…` | the same in the newer form, kept for a while to go on from |
//! | `/v1/runs…` | a turn that runs by itself: events that can be read again, questions about commands with ids |
//! | `/api/sessions…` | the conversations we keep |
//! | `/api/jobs…` | scheduled jobs |
//! | `/v1/models`, `/v1/capabilities`, `/v1/skills`, `/v1/toolsets`, `/health…` | what there is |
//!
//! ```text
//! request ─► AccessCheck (hermes-serve: host, origin, token) ─► routes
//!              content     what was sent, judged and made into messages
//!              server      a slot, the session's lock, an agent of the factory
//!              turn        the turn at work; whoever holds it ends it by letting go
//!              feed        what happens in it, for one reader who may be slow
//! ```
//!
//! # What never happens here
//!
//! A request without the token reaches more than `/health`. A turn goes on for a client that went away (a *run* does: that
//! is what runs are for). A slow reader holds up a turn or another reader. Two turns work on one session at once, or two
//! strangers share one because they began with the same words. A part of a request that is not understood is dropped
//! in silence. A command that needs somebody's word runs without it: only runs can ask, and only by the id of the
//! question.

mod answer;
mod asking;
mod content;
mod events;
mod feed;
mod idempotency;
mod names;
mod problem;
mod responses;
mod routes;
mod runs;
mod server;
mod settings;
mod turn;
mod verb;

pub use problem::Refusal;
pub use verb::{ApiArgs, run};
