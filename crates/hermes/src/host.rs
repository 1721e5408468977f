//! What the command line adds to a host: its flags become options, its warnings go to stderr.

use std::sync::Arc;

use hermes_approval::ApprovalSettings;
use hermes_host::{FileProblem, HookQuestion, HostError, HostOptions, Interaction};
use hermes_plugins::Plugins;
use hermes_plugins::shell_hooks::ShellHook;
use hermes_plugins::shell_hooks::consent::ConsentReply;
use hermes_runtime::{Runtime, ToolScope};
use hermes_tools::product::PLATFORMS;
use hermes_tui::approval::{TerminalApprover, TerminalAsker};
use hermes_tui::elicit::TerminalPerson;
use hermes_tui::line_prompt::{answer, is_interactive};
use hermes_tui::slash;

pub(crate) use hermes_host::{Host, PLATFORM};

use crate::args::GlobalFlags;
use crate::exit::UsageError;
use crate::ui::Ui;

/// The host the flags ask for.
pub(crate) fn open(flags: &GlobalFlags) -> anyhow::Result<Host> {
    let options = HostOptions {
        profile: flags.profile.clone(),
        safe_mode: flags.safe_mode,
        yolo: flags.yolo,
        accept_hooks: flags.accept_hooks,
        ignore_user_config: flags.ignore_user_config,
        interactive: is_interactive(),
        reserved_commands: slash::reserved_names(),
        ..HostOptions::default()
    };
    let mut host = Host::open(options.clone())?;
    if hermes_homes::finish_interrupted(host.home())? {
        host = Host::open(options)?;
    }
    // A name that is mistyped would become a home of its own, without keys and with nothing said.
    if let Some(name) = &flags.profile
        && host.home().of_default_profile().is_some()
        && !host.home().root().is_dir()
    {
        let text = format!("there is no profile `{name}`; `hermes profile create {name}` makes it");
        return Err(UsageError::new(text).into());
    }
    let deliveries = hermes_gateway::delivery::deliveries(&host);
    Ok(host.with_deliveries(deliveries))
}

/// The person at the terminal of a single command, for all questions there are.
pub(crate) fn at_the_terminal() -> Interaction {
    Interaction {
        asker: Some(Arc::new(TerminalAsker)),
        approver: Arc::new(TerminalApprover),
        elicitation: Some(Arc::new(TerminalPerson::default())),
        hook_question: hook_question(),
    }
}

/// Asks the person at the terminal about shell hooks, if somebody is there. It happens before anything
/// else, so every command can.
pub(crate) fn hook_question() -> Option<HookQuestion> {
    is_interactive().then(|| Arc::new(ask_about_hook) as HookQuestion)
}

fn ask_about_hook(hook: &ShellHook) -> ConsentReply {
    let question = format!(
        "\nThe configuration has a shell hook that was not approved yet:\n  on {}: {}\nMay it run from now on? [y/N] ",
        hook.event, hook.command
    );
    match answer(&question).as_deref() {
        Some("y" | "yes") => ConsentReply::Yes,
        _ => ConsentReply::No,
    }
}

/// An error of the host, with the flag or command of this program that helps.
pub(crate) fn in_our_words(error: HostError) -> anyhow::Error {
    match &error {
        HostError::Config(_) => {
            anyhow::anyhow!(
                "{error}\n  until it is mended nothing runs, is changed or served; `hermes config edit` opens the \
                 file, `hermes config check` says whether it is fine"
            )
        }
        HostError::UnknownToolset { .. } => {
            UsageError::new(format!("{error}\n  `hermes toolsets list` lists them")).into()
        }
        HostError::ModelNotNamed { .. } => {
            UsageError::new("--provider without a model: add -m MODEL").into()
        }
        HostError::WhichModel { base_url } => UsageError::new(format!(
            "which model at {base_url}? Say it with -m, or set model.default in config.yaml"
        ))
        .into(),
        other if other.is_mistaken_request() => UsageError::new(error.to_string()).into(),
        _ => error.into(),
    }
}

/// Tells loudly what is wrong with the configuration and `.env`, and not in force.
pub(crate) fn warn_about_files(host: &Host, ui: &mut Ui) -> anyhow::Result<()> {
    for problem in host.file_problems() {
        match &problem {
            FileProblem::Config(_) => ui.warn(format_args!(
                "{problem}\n  `hermes config edit` opens it; the file was not changed"
            ))?,
            FileProblem::DotEnv(_) | FileProblem::DotEnvLine { .. } => ui.warn(problem)?,
        }
    }
    Ok(())
}

/// The plugins of a runtime that is only looked at, after telling of those that are not there.
pub(crate) fn plugins(host: &Host, runtime: &Runtime, ui: &mut Ui) -> anyhow::Result<Plugins> {
    let plugins = host.plugins(runtime);
    ui.warn_all(plugins.problems())?;
    Ok(plugins)
}

/// The configured toolsets, after telling of those nobody knows.
pub(crate) fn scope(host: &Host, runtime: &Runtime, ui: &mut Ui) -> anyhow::Result<ToolScope> {
    let (scope, warnings) = host.scope(runtime, &[])?;
    ui.warn_all(warnings)?;
    Ok(scope)
}

/// The settings of the approval gate, after telling what is wrong with them.
pub(crate) fn approval_settings(host: &Host, ui: &mut Ui) -> anyhow::Result<ApprovalSettings> {
    let (settings, warnings) = host.approval_settings();
    ui.warn_all(warnings)?;
    Ok(settings)
}

/// Refuses platforms nobody has heard of.
pub(crate) fn require_platform(
    host: &Host,
    runtime: &Runtime,
    name: &str,
) -> Result<(), UsageError> {
    match host.knows_platform(runtime, name) {
        true => Ok(()),
        false => Err(UsageError::none_of("platform", name, PLATFORMS)),
    }
}
