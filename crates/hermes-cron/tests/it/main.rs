//! Jobs against other processes and other implementations.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod clock_changes;
mod exactly_once;
mod killed;
mod support;
