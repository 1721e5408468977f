//! MCP servers, as a person uses them: `hermes mcp`, `hermes tools call` and a conversation.

mod commands;
mod login;
mod restart;
mod servers;

use hermes_testkit::part;

/// An installed program that speaks the protocol.
fn program(name: &str) -> String {
    format!("{}/{name}", part("HERMES_TEST_MCP_BIN"))
}
