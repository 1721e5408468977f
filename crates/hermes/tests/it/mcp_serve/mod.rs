//! `hermes mcp serve`, as clients see it.

pub(crate) mod client;
mod http;
mod inspector;
mod stateless;
mod stateless_doors;
mod stateless_stdio;
mod stdio;
