//! Our server against the protocol's own conformance suite, over real HTTP.
//!
//! The server is the one of the library; what it offers are the fixtures the suite asks for: tools,
//! resources and prompts of fixed names, made with the same means as any others. The suite is installed
//! by `scripts/test-parts/mcp`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod conformance;
mod fixture;
mod garbage;
