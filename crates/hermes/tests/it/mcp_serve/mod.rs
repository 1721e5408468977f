//! `hermes mcp serve`, as clients see it.

mod client;
mod http;
mod inspector;
mod stdio;
