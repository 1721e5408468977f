//! What this program does not do for one of its own commands.
//!
//! A model that may run commands may run this program, too, and so could take away the rules it
//! works under. Whoever descends from a command of ours is refused every act that changes them, in
//! this one place, before anything is opened; the gate itself then trusts no setting that loosens it
//! (`hermes-approval`). Asking about such a command beforehand is the guard's task; this holds also
//! when it was answered with yes, and when nobody was asked.
//!
//! What never happens here: a rule for people. Who types a command is not below one of ours.

use anyhow::bail;

use crate::args::{
    ApprovalsCommand, ConfigCommand, GlobalFlags, HooksCommand, ModelCommand, ToolsCommand,
};
use crate::cli::{Cli, Command};
use crate::commands::mcp::McpCommand;
use crate::commands::plugins::PluginsCommand;

/// An error if the command line changes a rule and a command of ours is behind it.
pub(crate) fn refuse_for_own_commands(cli: &Cli) -> anyhow::Result<()> {
    if let Some(act) = loosened_by(&cli.flags).or_else(|| changed_by(cli.command.as_ref()?))
        && hermes_process::descends_from_own_command()
    {
        bail!(
            "a command that Hermes runs may not {act}; nothing was changed.\n  Only the user can, in \
             a terminal of their own: tell them what is needed and why"
        );
    }
    Ok(())
}

fn loosened_by(flags: &GlobalFlags) -> Option<&'static str> {
    match flags {
        GlobalFlags { yolo: true, .. } => Some("let flagged commands run without a question"),
        GlobalFlags { accept_hooks: true, .. } => Some("agree to hooks"),
        GlobalFlags { ignore_user_config: true, .. } => Some("leave out the user's settings"),
        GlobalFlags { safe_mode: true, .. } => Some("leave out the user's hooks"),
        _ => None,
    }
}

/// What of the rules a command changes. Every command is named, so that a new one has to be placed.
fn changed_by(command: &Command) -> Option<&'static str> {
    const SETTINGS: &str = "change settings";
    match command {
        Command::Config(command) => match command {
            ConfigCommand::Set { .. } | ConfigCommand::Unset { .. } | ConfigCommand::Edit => {
                Some(SETTINGS)
            }
            ConfigCommand::Show { .. }
            | ConfigCommand::Get { .. }
            | ConfigCommand::Path
            | ConfigCommand::Check { .. }
            | ConfigCommand::Keys { .. } => None,
        },
        Command::Approvals(command) => match command {
            ApprovalsCommand::Add(_) | ApprovalsCommand::Revoke { .. } => {
                Some("change which commands are asked about")
            }
            ApprovalsCommand::Test(_) | ApprovalsCommand::List { .. } => None,
        },
        Command::Hooks(command) => match command {
            HooksCommand::Approve { .. } | HooksCommand::Revoke { .. } => {
                Some("change which hooks run")
            }
            HooksCommand::List { .. } | HooksCommand::Test { .. } => None,
        },
        Command::Plugins(command) => match command {
            PluginsCommand::Enable { .. } | PluginsCommand::Disable { .. } => {
                Some("change which plugins run")
            }
            PluginsCommand::List { .. }
            | PluginsCommand::Test { .. }
            | PluginsCommand::Run { .. } => None,
        },
        Command::Mcp(command) => match command {
            McpCommand::Add(_)
            | McpCommand::Remove { .. }
            | McpCommand::Login { .. }
            | McpCommand::Configure(_) => Some("change which servers are used"),
            McpCommand::List(_) | McpCommand::Test(_) | McpCommand::Serve(_) => None,
        },
        Command::Tools(command) => match command {
            ToolsCommand::Enable(_) | ToolsCommand::Disable(_) => {
                Some("change which tools there are")
            }
            ToolsCommand::List(_)
            | ToolsCommand::Show(_)
            | ToolsCommand::Call(_)
            | ToolsCommand::Schema(_) => None,
        },
        Command::Messaging(verb) => verb.changes(),
        Command::Homes(verb) => verb.changes(),
        Command::Program(verb) => verb.changes(),
        Command::Skills(verb) => verb.changes(),
        Command::Curator(verb) => verb.changes(),
        Command::Cron(verb) => (!verb.only_looks()).then_some("change or run what is scheduled"),
        // Whoever has its link approves commands and changes settings.
        Command::Dashboard(_) => Some("open the dashboard"),
        Command::Model { command: Some(ModelCommand::Set { .. }) } | Command::Setup => {
            Some(SETTINGS)
        }
        Command::Fallback { command } => command.as_ref()?.changes(),
        Command::Webhook { command } => command.as_ref()?.changes(),
        Command::Auth { command } => command.as_ref()?.changes(),
        Command::Login { .. } | Command::Logout { .. } => Some("change keys"),
        Command::Local(verb) if !verb.only_looks() => Some("fetch or remove models"),
        Command::Model { .. }
        | Command::Local(_)
        | Command::Batch(_)
        | Command::Rl(_)
        | Command::Bundles(_)
        | Command::Chat(_)
        | Command::Toolsets(_)
        | Command::Browser(_)
        | Command::Checkpoints(_)
        | Command::Sessions(_)
        | Command::Memory(_)
        | Command::Serve(_)
        | Command::Acp(_)
        | Command::Api(_)
        | Command::Insights(_)
        | Command::PromptSize { .. }
        | Command::Doctor(_)
        | Command::Man { .. }
        | Command::Completion { .. } => None,
    }
}
