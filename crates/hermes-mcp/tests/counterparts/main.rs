//! The client against programs other people wrote: the protocol's conformance suite, and servers from npm
//! and PyPI. `scripts/test-parts/mcp start` installs them; without them these tests fail and say so.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod conformance;
mod everything;
mod rig;
mod servers;
