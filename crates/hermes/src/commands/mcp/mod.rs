//! `hermes mcp`: servers of tools, added, tried and looked after by hand, and ours for others.

mod add;
pub(crate) mod args;
mod ask;
mod configure;
mod entries;
mod guide;
mod list;
mod login;
mod probe;
mod remove;
mod serve;

use crate::exit::Exit;
use crate::host::Host;
use crate::ui::Ui;
pub(crate) use args::McpCommand;

/// Runs one of the subcommands.
pub(crate) fn run(command: &McpCommand, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    match command {
        McpCommand::Add(args) => add::run(args, host, ui),
        McpCommand::Remove { name } => remove::run(name, host, ui),
        McpCommand::List(args) => list::run(args, host, ui),
        McpCommand::Test(args) => probe::run(args, host, ui),
        McpCommand::Login { name } => login::run(name, host, ui),
        McpCommand::Configure(args) => configure::run(args, host, ui),
        McpCommand::Serve(args) => serve::run(args, host, ui),
    }
}

/// What a person is told who waits for servers.
fn waiting_for(names: &[&str]) -> String {
    format!("still waiting for MCP server {}, which has not answered yet", names.join(", "))
}
