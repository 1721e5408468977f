//! The client against programs other people wrote: the protocol's conformance suite, and servers from npm
//! and PyPI.
//!
//! `scripts/test-parts/mcp start` installs them; without them these tests fail and say so. Calls take the way a
//! model's would, through the registry and the runtime. What never happens here: a server is played by us, or
//! anything beyond loopback is asked.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod conformance;
mod everything;
mod rig;
mod servers;
