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
mod worktree;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use hermes_homes::entries::AuthVerb;
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
    // One of the processes that commands in clouds need: no word of the command line is meant for us.
    if let Some(ended) = hermes_exec::sandbox_helper() {
        return ended;
    }
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
    clap_complete::CompleteEnv::with_factory(Cli::command)
        .var(hermes_host::COMPLETION_VARIABLE)
        .complete();
    hide_secrets();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(mistake) => return not_built(&mistake).unwrap_or_else(|| mistake.exit()),
    };
    logging::start_logging(cli.flags.verbose);
    logging::quiet_panics();
    let mut ui = Ui::stdio().verbose(cli.flags.verbose > 0);
    let result = run(&cli, &mut ui);
    ending(result, &mut ui).into()
}

/// Says so where somebody asks for a command of the Python program that is not there yet, instead of naming another
/// that happens to be spelt alike.
fn not_built(mistake: &clap::Error) -> Option<ExitCode> {
    let first = std::env::args().skip(1).find(|word| !word.starts_with('-'))?;
    let is_about_commands = mistake.kind() == clap::error::ErrorKind::InvalidSubcommand;
    let does = hermes_tools::product::NOT_BUILT.iter().find(|(name, _)| *name == first)?.1;
    let issues = concat!(env!("CARGO_PKG_REPOSITORY"), "/issues");
    let text = format!(
        "`hermes {first}` ({does}) is not built yet; {issues} tells when it is\n  `hermes --help` lists what there is"
    );
    is_about_commands.then(|| ending(Err(UsageError::new(text).into()), &mut Ui::stdio()).into())
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
            match error.is::<UsageError>() || hermes_host::is_unknown_name(&error) {
                true => Exit::Usage,
                false => Exit::Failed,
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
    match &cli.command {
        Some(Command::Completion { shell }) => {
            return commands::completion::run(*shell, command(), ui);
        }
        Some(Command::Man { command: words, dir }) => {
            return commands::completion::man(words, dir.as_deref(), command(), ui);
        }
        _ => {}
    }
    own_rules::refuse_for_own_commands(cli)?;
    let host = host::open(&cli.flags)?;
    logging::redact_with(host.redactor());
    if acts(cli.command.as_ref()) {
        logging::keep_in_files(host.home());
    }
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
        Command::Batch(command) => commands::batch::run(command, &host, ui),
        Command::Rl(command) => commands::rl::run(command, &host, ui),
        Command::Browser(command) => commands::browser::run(command, &host, ui),
        Command::Checkpoints(command) => commands::checkpoints::run(command, &host, ui),
        Command::Sessions(SessionsCommand::Browse) => {
            chat::browse(&cli.talk, &cli.flags, &host, ui)
        }
        Command::Sessions(command) => commands::sessions::run(command, &host, ui),
        Command::Mcp(command) => commands::mcp::run(command, &host, ui),
        Command::Serve(args) => commands::serve::run(args, &host, ui),
        Command::Acp(args) => commands::acp::run(args, &host, ui),
        Command::Api(args) => commands::api::run(args, &host, ui),
        Command::Dashboard(args) => commands::dashboard::run(args, &host, ui),
        Command::Homes(verb) => commands::homes::run(verb, &Cli::command(), &host, ui),
        Command::Program(verb) => commands::homes::program(verb, &host, ui),
        Command::Messaging(verb) => commands::gateway::run(verb, &host, ui),
        Command::Insights(args) => commands::insights::run(args, &host, ui),
        Command::Skills(command) => commands::skills::run(command, &host, ui),
        Command::Curator(command) => commands::skills::curate(command, &host, ui),
        Command::Bundles(command) => commands::skills::bundle(command, &host, ui),
        Command::Cron(verb) => commands::cron::run(verb, &host, ui),
        Command::Memory(command) => commands::memory::run(command, &host, ui),
        Command::Model { command } => commands::model::run(command.as_ref(), &host, ui),
        Command::Fallback { command } => commands::entries::fallback(command.as_ref(), &host, ui),
        Command::Webhook { command } => commands::entries::webhook(command.as_ref(), &host, ui),
        Command::Auth { command } => commands::entries::auth(command.as_ref(), &host, ui),
        Command::Login { provider } => {
            commands::entries::auth(Some(&AuthVerb::Add { provider: provider.clone() }), &host, ui)
        }
        Command::Logout { provider } => {
            let command = AuthVerb::Remove { provider: provider.clone() };
            commands::entries::auth(Some(&command), &host, ui)
        }
        Command::Local(verb) => commands::local::run(verb, &host, ui),
        Command::Setup => commands::setup::run(&host, ui),
        Command::PromptSize { json } => commands::prompt_size::run(*json, &host, ui),
        Command::Doctor(args) => commands::doctor::run(args, &host, ui),
        Command::Man { .. } | Command::Completion { .. } => Ok(Exit::Done),
    }
}

/// Whether a command line has the agent, or tools for others, do something: what happens then is worth keeping.
fn acts(command: Option<&Command>) -> bool {
    use commands::mcp::McpCommand;
    matches!(
        command,
        None | Some(
            Command::Chat(_)
                | Command::Batch(_)
                | Command::Cron(_)
                | Command::Mcp(McpCommand::Serve(_))
                | Command::Serve(_)
                | Command::Acp(_)
                | Command::Api(_)
                | Command::Messaging(_)
        )
    )
}

/// One question if one was given, else a conversation.
fn talk(flags: &TalkFlags, global: &GlobalFlags, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    let talk = |ui: &mut Ui| match &flags.oneshot {
        Some(asked) => oneshot::run(asked, flags, host, ui),
        None => chat::run(flags, global, host, ui),
    };
    match &flags.worktree {
        Some(name) => worktree::within(name.as_deref(), ui, talk),
        None => talk(ui),
    }
}
