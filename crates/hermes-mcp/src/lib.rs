//! The Model Context Protocol in both directions.

pub mod client;
pub mod oauth;
pub mod server;
