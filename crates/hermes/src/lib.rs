//! The `hermes` command line, as a library that the program of that name calls.
//!
//! A thin shell over the library crates: it reads the command line (`cli`), has `hermes-host`
//! put together what the command needs, runs one of the `commands` and turns what happened into an exit
//! code. Data goes to stdout, everything else to stderr. No tool, rule or format lives here; what
//! this program can do, a Rust program can do with the crates.
//!
//! What never happens here: work before it is asked for. `--version` touches no file; listing tools
//! starts no process, opens no database and talks to nobody.

mod args;
mod chat;
mod cli;
mod command_line;
mod commands;
mod exit;
mod host;
mod http;
mod logging;
mod oneshot;
mod own_rules;
mod session_flags;
mod ui;
mod workers;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use hermes_host::HostError;
use hermes_protocol::text::error_chain;
use owo_colors::OwoColorize;

use crate::args::{GlobalFlags, TalkFlags};
use crate::cli::{Cli, Command};
use crate::commands::sessions::args::SessionsCommand;
use crate::exit::{Exit, UsageError};
use crate::host::Host;
use crate::ui::{Ui, is_broken_pipe};

/// Runs the program on the command line of this process.
#[must_use]
pub fn main() -> ExitCode {
    // Asked by scripts, prompts and package managers all the time: answered before anything is set
    // up.
    let mut args = std::env::args_os().skip(1);
    if let (Some(only), None) = (args.next(), args.next())
        && (only == "--version" || only == "-V")
    {
        let mut ui = Ui::stdio();
        let printed = ui.line(concat!("hermes ", env!("CARGO_PKG_VERSION")));
        return ending(printed.map(|()| Exit::Done).map_err(Into::into), &mut ui).into();
    }
    hide_secrets();
    let cli = Cli::parse();
    logging::start_logging(cli.flags.verbose);
    logging::quiet_panics();
    let mut ui = Ui::stdio().verbose(cli.flags.verbose > 0);
    let result = run(&cli, &mut ui);
    ending(result, &mut ui).into()
}

/// Keeps programs we start from reading our keys where the kernel shows them. What cannot be hidden
/// (without `/proc`, say) is no reason not to work.
fn hide_secrets() {
    let vars = hermes_tool::Vars::from_process();
    let secrets: Vec<&str> = vars
        .iter()
        .map(|(name, _)| name)
        .filter(|name| hermes_exec::child_env::is_withheld(name))
        .collect();
    if !secrets.is_empty() {
        let _ = hermes_process::hide_environment(secrets);
    }
    let _ = hermes_process::shield_own_environment();
}

/// Tells about a failure; a reader that went away is none.
fn ending(result: anyhow::Result<Exit>, ui: &mut Ui) -> Exit {
    match result {
        Ok(exit) => exit,
        Err(error) if is_broken_pipe(&error) => Exit::Done,
        Err(error) => {
            let error = in_our_words(error);
            // Nobody is left to tell if stderr is gone too.
            let _ = ui.note(format_args!("{} {}", "error:".red().bold(), error_chain(&*error)));
            match error.downcast_ref::<UsageError>() {
                Some(_) => Exit::Usage,
                None => Exit::Failed,
            }
        }
    }
}

/// The error with the flag or command of this program that helps, where the host does not know them.
fn in_our_words(error: anyhow::Error) -> anyhow::Error {
    match error.downcast::<HostError>() {
        Ok(error) => host::in_our_words(error),
        Err(error) => error,
    }
}

/// The command line as `clap` describes it, for reference pages.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

fn run(cli: &Cli, ui: &mut Ui) -> anyhow::Result<Exit> {
    if let Some(Command::Completion { shell }) = &cli.command {
        return commands::completion::run(*shell, command(), ui);
    }
    own_rules::refuse_for_own_commands(cli)?;
    let host = host::open(&cli.flags)?;
    logging::redact_with(host.redactor());
    let Some(command) = &cli.command else {
        return talk(&cli.talk, &cli.flags, &host, ui);
    };
    match command {
        Command::Chat(args) => {
            let mut flags = args.talk.clone().over(&cli.talk);
            flags.oneshot = args.query.clone().or(flags.oneshot);
            talk(&flags, &cli.flags, &host, ui)
        }
        Command::Tools(command) => commands::tools::run(command, &host, ui),
        Command::Toolsets(command) => commands::toolsets::run(command, &host, ui),
        Command::Config(command) => commands::config::run(command, &host, ui),
        Command::Hooks(command) => commands::hooks::run(command, &host, ui),
        Command::Plugins(command) => commands::plugins::run(command, &host, ui),
        Command::Approvals(command) => commands::approvals::run(command, &host, ui),
        Command::Browser(command) => commands::browser::run(command, &host, ui),
        Command::Checkpoints(command) => commands::checkpoints::run(command, &host, ui),
        Command::Sessions(SessionsCommand::Browse) => {
            chat::browse(&cli.talk, &cli.flags, &host, ui)
        }
        Command::Sessions(command) => commands::sessions::run(command, &host, ui),
        Command::Mcp(command) => commands::mcp::run(command, &host, ui),
        Command::Serve(args) => commands::serve::run(args, &host, ui),
        Command::Insights(args) => commands::insights::run(args, &host, ui),
        Command::Skills(command) => commands::skills::run(command, &host, ui),
        Command::Curator(command) => commands::skills::curate(command, &host, ui),
        Command::Bundles(command) => commands::skills::bundle(command, &host, ui),
        Command::Memory(command) => commands::memory::run(command, &host, ui),
        Command::Model { command } => commands::model::run(command.as_ref(), &host, ui),
        Command::Setup => commands::setup::run(&host, ui),
        Command::PromptSize { json } => commands::prompt_size::run(*json, &host, ui),
        Command::Doctor(args) => commands::doctor::run(args, &host, ui),
        Command::Completion { .. } => Ok(Exit::Done),
    }
}

/// One question if one was given, else a conversation.
fn talk(flags: &TalkFlags, global: &GlobalFlags, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    match &flags.oneshot {
        Some(asked) => oneshot::run(asked, flags, host, ui),
        None => chat::run(flags, global, host, ui),
    }
}
