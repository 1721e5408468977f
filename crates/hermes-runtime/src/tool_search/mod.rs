//! Tools that are not in the model's list until it looks for them.
//!
//! A session with many MCP servers can spend more of its context on tool definitions than on the
//! work. When the tools that can wait cost too much, [`assemble`] takes them out of the list and
//! adds three bridges: `tool_search` finds tools, `tool_describe` shows the arguments of one, and
//! `tool_call` calls it. Core tools, pinned tools and the bridges themselves never wait.
//!
//! The bridges work on a [`Catalog`], which is built anew from the definitions of the session's own
//! scope each time: a session cannot find, describe or call what it was not given, and nothing is
//! remembered between turns. [`Catalog::resolve_call`] turns a `tool_call` into the name and
//! arguments of the real tool. From there on the caller treats it as an ordinary call, with the
//! same ids, hooks, guardrails and display; only the transcript keeps the bridge.
//!
//! What never happens here: no I/O, no registry access, no state. [`assemble`] is idempotent:
//! over its own output it changes nothing.

mod assemble;
mod bridges;
mod call;
mod catalog;
mod config;
mod rank;

pub use assemble::{Assembled, assemble, cost_tokens, deferrable, is_active};
pub use bridges::{BRIDGES, TOOL_CALL, TOOL_DESCRIBE, TOOL_SEARCH, bridge_definitions, is_bridge};
pub use call::unwrap_call;
pub use catalog::{Catalog, Entry, MAX_DESCRIPTION_CHARS, Source, SourceKind};
pub use config::{SearchConfig, SearchMode};
