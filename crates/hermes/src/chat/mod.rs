//! The conversation at a terminal: `hermes` without a command.
//!
//! [`run`] is the way in. It is given an agent ([`conversation::Conversation`]), the chat's end of a
//! [`wire::Wire`] over which that agent tells what happens, and what to begin with. With a terminal on both
//! sides it starts the loop ([`repl`]); otherwise messages come line by line and answers go to stdout
//! ([`plain`]).
//!
//! | module | what it does |
//! |---|---|
//! | [`display`] | everything that is shown, as text; pure |
//! | [`input`] | the line editor; pure but for the history file |
//! | [`slash`] | reads commands into plain data; pure |
//! | [`quick`] | commands of the person's own; pure |
//! | [`clipboard`] | what lies in the clipboard |
//! | [`terminal`] | the threads that read keys and draw |
//! | [`repl`] | the loop in which they meet |
//! | [`wire`] | how the agent's events and questions get there |
//! | [`welcome`] | the first rows |
//!
//! What never happens here: a model is asked, a tool is run or a session is stored. That is the
//! agent's business.

mod clipboard;
pub(crate) mod command_line;
pub(crate) mod conversation;
pub(crate) mod display;
pub(crate) mod input;
pub(crate) mod plain;
pub(crate) mod quick;
pub(crate) mod repl;
#[cfg(test)]
pub(crate) mod scripted;
pub(crate) mod settings;
pub(crate) mod slash;
mod stage;
pub(crate) mod terminal;
pub(crate) mod welcome;
pub(crate) mod wire;

use std::collections::HashMap;
use std::io::{IsTerminal, stdin, stdout};
use std::path::PathBuf;
use std::sync::Arc;

use hermes_llm::Message;
use hermes_store::home::Home;
use hermes_tool::Vars;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use self::conversation::Conversation;
use self::display::{Activity, Colour, Style, notes};
use self::input::{Completer, Editor, History};
use self::quick::QuickCommand;
use self::repl::{Parts, Repl};
use self::settings::ChatSettings;
use self::stage::TerminalStage;
use self::terminal::{Input, Size};
pub(crate) use self::wire::{Inbox, Wire};
use crate::cli::GlobalFlags;
use crate::exit::Exit;

/// What was typed before, in the home.
const HISTORY_FILE: &str = "chat_history";

/// What a chat needs.
pub(crate) struct Chat {
    /// Who answers.
    pub(crate) conversation: Arc<dyn Conversation>,
    /// Where the agent's events and questions arrive.
    pub(crate) inbox: Inbox,
    /// What the tools look like.
    pub(crate) emojis: HashMap<String, String>,
    /// What the user wants to see.
    pub(crate) settings: ChatSettings,
    /// The state folder.
    pub(crate) home: Home,
    /// For the editor, and what `~` means.
    pub(crate) vars: Vars,
    /// For commands of the command line, which are to work on the same profile.
    pub(crate) flags: GlobalFlags,
    /// What was said before, if a conversation goes on.
    pub(crate) before: Vec<Message>,
    /// Commands of the person's own.
    pub(crate) quick: Vec<QuickCommand>,
}

/// Whether a chat would have a terminal to itself.
pub(crate) fn is_interactive() -> bool {
    stdin().is_terminal() && stdout().is_terminal()
}

/// Talks until the person has had enough.
pub(crate) async fn run(chat: Chat) -> anyhow::Result<Exit> {
    let activity = Activity { emojis: chat.emojis.clone(), ..Activity::default() };
    if !is_interactive() {
        let activity = Activity {
            preview: chat.settings.preview,
            redactor: chat.settings.redactor,
            ..activity
        };
        let streams = plain::Streams { out: stdout(), err: std::io::stderr() };
        let input = std::io::BufReader::new(stdin());
        let how = (activity, chat.settings);
        return plain::run(chat.conversation, chat.inbox, how, input, streams).await;
    }
    let size = Size::of_terminal();
    let (sender, input) = unbounded_channel();
    watch_signals(&sender)?;
    let place = (chat.home.clone(), chat.vars.clone());
    let flags = chat.flags.clone();
    let commands = move |words: &[String], style: &Style| command_line::run(words, &flags, style);
    let stage = TerminalStage::take(sender, size, place, Arc::new(commands))?;
    let colour = colour();
    let style = Style::new(colour, size.columns);
    let mut rows = welcome::greeting(&chat.conversation.status(), &style);
    rows.push(String::new());
    if !chat.before.is_empty() {
        rows.extend(notes::recap(&chat.before, &style));
        rows.push(String::new());
    }
    let (mut repl, done) = Repl::new(Parts {
        editor: editor(&chat),
        conversation: chat.conversation,
        stage,
        activity,
        settings: chat.settings,
        colour,
        size,
        home: chat.home.root().to_owned(),
        quick: chat.quick,
    });
    repl.open_with(rows);
    Ok(repl.run(input, chat.inbox, done).await)
}

fn editor(chat: &Chat) -> Editor {
    let completer = Completer {
        commands: slash::command_words(&chat.quick, chat.conversation.plugin_commands()),
        folder: std::env::current_dir().unwrap_or_default(),
        home: chat.vars.non_blank("HOME").map(PathBuf::from),
    };
    Editor::new(History::load(chat.home.root().join(HISTORY_FILE)), completer)
}

/// Whether the person wants colour and the terminal has it.
fn colour() -> Colour {
    match anstream::AutoStream::choice(&stdout()) {
        anstream::ColorChoice::Never => Colour::Off,
        _ => Colour::On,
    }
}

/// A signal that would end the program ends the conversation instead, so that the terminal is left
/// as it was found.
fn watch_signals(input: &UnboundedSender<Input>) -> std::io::Result<()> {
    for kind in [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()] {
        let mut signal = signal(kind)?;
        let input = input.clone();
        tokio::spawn(async move {
            if signal.recv().await.is_some() {
                let _ = input.send(Input::Gone);
            }
        });
    }
    Ok(())
}
