//! The Model Context Protocol in both directions.

pub mod client;
pub mod names;
pub mod oauth;
pub mod safety;
pub mod schema;
pub mod server;
