//! The Model Context Protocol in both directions.
//!
//! The protocol lets programs offer tools, resources and prompts to each other as JSON-RPC messages,
//! over the standard streams of a program or over HTTP. Here both ends of it meet the tools runtime:
//!
//! * [`client`]: other people's servers are started and kept alive, and their tools are registered
//!   like any other. `client::Servers` is all a host needs.
//! * [`server`]: our own tools, offered to any program that speaks the protocol.
//! * [`oauth`]: logging in to servers that ask for it.
//!
//! and what they share:
//!
//! * [`names`]: what foreign tools are called here, and where each name came from.
//! * [`schema`]: foreign schemas in one form.
//! * [`safety`]: secrets in errors, texts aimed at the model, entries and packages that are attacks.
//!
//! The wire types and the message loop are the official SDK's (`rmcp`); its types stay inside.
//!
//! # What never happens here
//!
//! A foreign tool takes no other way than ours: it is called through the runtime's pipeline, with its
//! hooks, its approvals and its limits. No program is started except through `hermes-process`, so none
//! outlives us. No call is sent twice unless that provably does no harm. Nothing of a foreign server
//! replaces a tool that is not its own.

pub mod client;
pub mod names;
pub mod oauth;
mod random;
pub mod safety;
pub mod schema;
pub mod server;
