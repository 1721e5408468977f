//! The chat: an agent of `hermes-host` behind the terminal UI of `hermes-tui`.

use std::collections::HashMap;
use std::sync::Arc;

use hermes_host::setup::{self, SetupEnd};
use hermes_host::{AgentConversation, HostError, Interaction};
use hermes_plugins::MessageSink;
use hermes_protocol::ChatSession;
use hermes_tool::Tool;
use hermes_tools::product::policy_of;
use hermes_tui::display::{Colour, Style, ToolLook};
use hermes_tui::quick::QuickCommand;
use hermes_tui::settings::ChatSettings;
use hermes_tui::welcome::{self, ServerChoice};
use hermes_tui::{Chat, ChatSender};

use crate::args::{GlobalFlags, TalkFlags};
use crate::commands::setup::TerminalPrompter;
use crate::exit::{Exit, UsageError};
use crate::host::{self, Host};
use crate::session_flags::session_options;
use crate::ui::Ui;
use crate::workers::{block_on, telling};

/// What a person is told who waits for a conversation to begin.
pub(crate) const SLOW_START: &str =
    "· starting: a model is being loaded, or a server of tools takes its time (Ctrl-C leaves)";

/// Talks until the person has had enough.
pub(crate) fn run(
    flags: &TalkFlags,
    global: &GlobalFlags,
    host: &Host,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    if let Some(flag) = flags.only_with_a_question() {
        let text = format!("{flag} goes with a question: hermes -z 'QUESTION' {flag}");
        return Err(UsageError::new(text).into());
    }
    begin(flags, global, host, ui, None)
}

/// Picks a session first, then talks.
pub(crate) fn browse(
    flags: &TalkFlags,
    global: &GlobalFlags,
    host: &Host,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    if !hermes_tui::is_interactive() {
        let text = "a list to pick from needs a terminal; `hermes sessions list` prints one";
        return Err(UsageError::new(text).into());
    }
    begin(flags, global, host, ui, Some("/resume"))
}

fn begin(
    flags: &TalkFlags,
    global: &GlobalFlags,
    host: &Host,
    ui: &mut Ui,
    opening: Option<&str>,
) -> anyhow::Result<Exit> {
    host.require_sound_config()?;
    host::warn_about_files(host, ui)?;
    block_on(chat(flags, global, host, ui, opening))
}

async fn chat(
    flags: &TalkFlags,
    global: &GlobalFlags,
    host: &Host,
    ui: &mut Ui,
    opening: Option<&str>,
) -> anyhow::Result<Exit> {
    let (sender, receiver) = ChatSender::pair();
    let interaction = Interaction {
        asker: Some(sender.asker()),
        approver: sender.approver(),
        elicitation: Some(sender.person()),
        hook_question: host::hook_question(),
    };
    let options = session_options(flags);
    let beginning = host.agent_session(&options, sender.front(), &interaction);
    let slow = || drop(hermes_tui::is_interactive().then(|| ui.note(SLOW_START)));
    let session = match telling(beginning, slow).await {
        Ok(session) => session,
        Err(problem @ HostError::NoModel(_)) => {
            return match offered(host).await? {
                Some(ready) => Box::pin(chat(flags, global, &ready, ui, opening)).await,
                None => without_model(&problem, host, ui).await,
            };
        }
        Err(problem) => return Err(problem.into()),
    };
    ui.warn_all(session.warnings())?;
    ui.warn_all(session.models().learn_window().await)?;
    let before = session.agent().conversation().messages().to_vec();
    let tools = session.tools().runtime().registry().snapshot();
    let looks = looks(tools.tools());
    session.tools().plugins().set_messages(messages(sender.clone()));
    let conversation = AgentConversation::new(session, host, options, &sender.front()).await;
    let flags_of_commands = global.clone();
    let exit = hermes_tui::run(Chat {
        conversation: Arc::clone(&conversation) as Arc<dyn ChatSession>,
        receiver,
        looks,
        settings: ChatSettings::read(host.config(), host.redactor()),
        home: host.home().clone(),
        vars: host.process_vars().clone(),
        command_line: Arc::new(move |words, style| {
            crate::command_line::run(words, &flags_of_commands, style)
        }),
        before,
        quick: QuickCommand::read(host.config()),
        opening: opening.map(str::to_owned),
    })
    .await;
    if let Some(warning) = conversation.close().await {
        ui.warn(warning)?;
    }
    exit.map(Exit::from)
}

/// How each tool wants its calls shown.
pub(crate) fn looks<'a>(tools: impl IntoIterator<Item = &'a Tool>) -> HashMap<String, ToolLook> {
    let look =
        |tool: &Tool| (tool.name().to_string(), ToolLook::new(tool.emoji(), policy_of(tool)));
    tools.into_iter().map(look).collect()
}

/// Says what plugins want said.
fn messages(sender: ChatSender) -> MessageSink {
    Arc::new(move |said| {
        sender.inject(match said.role.as_str() {
            "user" => said.content,
            role => format!("[{role}] {}", said.content),
        })
    })
}

/// What is there is offered to a person who has no model yet; the host with the one they took.
async fn offered(host: &Host) -> anyhow::Result<Option<Host>> {
    if !hermes_tui::is_interactive() {
        return Ok(None);
    }
    match setup::first_run(host, &mut TerminalPrompter).await? {
        SetupEnd::Ready { .. } => Ok(Some(host.reread())),
        SetupEnd::Left | SetupEnd::Nothing => Ok(None),
    }
}

/// Nobody to talk with: what can be done about it.
async fn without_model(problem: &HostError, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    let found = setup::found_servers(host).await;
    let servers: Vec<ServerChoice> = found
        .into_iter()
        .map(|server| ServerChoice {
            provider: server.provider.to_owned(),
            address: server.base_url,
            models: server.models,
        })
        .collect();
    let colour = match anstream::AutoStream::choice(&std::io::stderr()) {
        anstream::ColorChoice::Never => Colour::Off,
        _ => Colour::On,
    };
    for row in welcome::without_model(&servers, &Style::new(colour, 80)) {
        ui.note(row)?;
    }
    ui.note(format_args!("\n{problem}"))?;
    Ok(Exit::Failed)
}
