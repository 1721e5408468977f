//! `hermes mcp`: servers of tools.

mod serve;

use clap::Subcommand;

use crate::exit::Exit;
use crate::host::Host;
use crate::ui::Ui;

#[derive(Debug, Subcommand)]
pub(crate) enum McpCommand {
    /// Offer our tools to MCP clients, on stdin and stdout or over HTTP
    Serve(serve::ServeArgs),
}

/// Runs one of the subcommands.
pub(crate) fn run(command: &McpCommand, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    match command {
        McpCommand::Serve(args) => serve::run(args, host, ui),
    }
}
