//! Hermes inside another program. The two programs of this crate are the ones that
//! `docs/embedding.md` shows: `src/bin/agent.rs` is a whole agent, `src/bin/tools.rs` has tools alone.
//!
//! Both take the home as the command line does, and end in order. A test runs them against a scripted
//! model and holds the page to their text; nothing else lives here.
