//! `hermes mcp serve`, as clients see it.

pub(crate) mod client;
pub(crate) mod http;
mod inspector;
pub(crate) mod stateless;
mod stateless_doors;
mod stateless_stdio;
mod stdio;
