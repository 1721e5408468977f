//! `hermes mcp serve`, as clients see it.

pub(crate) mod client;
mod http;
mod inspector;
mod stdio;
