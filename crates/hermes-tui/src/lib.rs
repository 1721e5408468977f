//! The terminal UI: what is drawn and typed in a conversation with an agent.
//!
//! [`run`] is the way in. It is given a session ([`ChatSession`]), the UI's end of a channel
//! ([`channel::ChatSender`]) over which that session tells what happens and asks questions, and what to begin
//! with. With a terminal on both sides it starts the event loop (`repl`); otherwise messages come line
//! by line and answers go to stdout (`piped`).
//!
//! ```text
//!  keys ──▶ terminal ──▶ repl ──▶ ChatSession   (requests; hermes-protocol)
//!                         │ ▲
//!  rows ◀── terminal ◀────┘ └──── sender ◀─────── events and questions
//! ```
//!
//! | module | what it does |
//! |---|---|
//! | [`display`] | everything that is shown, as text: transcript, spinner, markdown, diffs; pure |
//! | `input` | the composer (input line), its history and completion; pure but for the history file |
//! | [`slash`] | slash commands, read into plain data; quick commands, the person's own; pure |
//! | `clipboard` | what lies in the clipboard |
//! | [`terminal`] | the threads that read keys and draw |
//! | `repl` | the event loop in which they meet |
//! | [`channel`] | how the session's events and questions get there |
//! | [`welcome`] | the first rows |
//! | [`steps`] | the steps of a single question, on stderr |
//! | `piped` | a chat without a terminal |
//! | [`captured`] | what a command printed, for whoever shows it elsewhere |
//! | [`table`], [`words`] | tables and prose as wide as a terminal, for single commands |
//! | [`approval`], [`elicit`], [`line_prompt`] | the same questions at the terminal of a single command |
//!
//! What never happens here: a model is asked, a tool is run or a session is stored. There is no agent in
//! this crate, only what one says; whatever implements [`ChatSession`] can be talked with.

pub mod approval;
mod attachments;
pub mod captured;
pub mod channel;
mod clipboard;
pub mod display;
pub mod elicit;
pub mod external_editor;
pub(crate) mod input;
pub mod line_prompt;
pub(crate) mod piped;
mod place;
mod real_terminal;
pub(crate) mod repl;
pub mod settings;
pub mod slash;
pub mod steps;
pub mod table;
pub mod terminal;
#[cfg(test)]
mod test_looks;
#[cfg(test)]
pub(crate) mod test_session;
pub mod welcome;
pub mod words;

use std::collections::HashMap;
use std::io::{IsTerminal, stdin, stdout};
use std::path::PathBuf;
use std::sync::Arc;

use hermes_llm::Message;
use hermes_protocol::ChatSession;
use hermes_store::home::Home;
use hermes_tool::Vars;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

pub use self::channel::{ChatReceiver, ChatSender};
use self::display::pictures::PictureProtocol;
use self::display::{Colour, ColourDepth, Motion, Style, Theme, ToolLines, ToolLook, notices};
use self::input::{Completer, Composer, History};
use self::real_terminal::{AskBackground, RealTerminal};
pub use self::repl::CommandLine;
use self::repl::{PlaceNames, Repl, ReplParts};
use self::settings::ChatSettings;
pub use self::slash::quick;
use self::slash::quick::QuickCommand;
use self::terminal::{Background, Narrowing, Size, TerminalInput};

/// What was typed before, in the home.
const HISTORY_FILE: &str = "chat_history";

/// How a chat ended; the program makes an exit code of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatExit {
    /// The person left, or the input came to its end.
    Done,
    /// Without a terminal: the last message got no whole answer.
    Failed,
    /// By Ctrl-C.
    Interrupted,
}

/// What a chat needs.
pub struct Chat {
    /// The session that is talked with.
    pub conversation: Arc<dyn ChatSession>,
    /// Where the agent's events and questions arrive.
    pub receiver: ChatReceiver,
    /// How each tool wants its calls shown, by its name.
    pub looks: HashMap<String, ToolLook>,
    /// The `display` settings.
    pub settings: ChatSettings,
    /// The state folder.
    pub home: Home,
    /// For the editor, and what `~` means.
    pub vars: Vars,
    /// Runs commands of the command line, on the same profile.
    pub command_line: CommandLine,
    /// What was said before, if a conversation goes on.
    pub before: Vec<Message>,
    /// Commands of the person's own.
    pub quick: Vec<QuickCommand>,
    /// A line that is carried out first, as if it had been typed.
    pub opening: Option<String>,
}

/// Whether a chat would have a terminal to itself.
pub fn is_interactive() -> bool {
    stdin().is_terminal() && stdout().is_terminal()
}

/// Talks until the person leaves.
///
/// # Errors
///
/// If the terminal cannot be taken, or an answer cannot be written.
pub async fn run(chat: Chat) -> anyhow::Result<ChatExit> {
    let tool_lines = ToolLines { looks: chat.looks.clone(), ..ToolLines::default() };
    if !is_interactive() {
        let tool_lines = ToolLines {
            preview: chat.settings.preview,
            redactor: chat.settings.redactor,
            ..tool_lines
        };
        let streams = piped::Streams { out: stdout(), err: std::io::stderr() };
        let input = std::io::BufReader::new(stdin());
        let how = (tool_lines, chat.settings);
        return piped::run(chat.conversation, chat.receiver, how, input, streams).await;
    }
    let size = Size::of_terminal();
    let (sender, input) = unbounded_channel();
    watch_signals(&sender)?;
    let place = (chat.home.clone(), chat.vars.clone());
    let plain = chat.settings.plain;
    let colour = if plain { Colour::Off } else { colour() };
    let asks = AskBackground(colour == Colour::On && chat.settings.theme.is_none());
    let (terminal, background) =
        RealTerminal::take(sender, size, place, Arc::clone(&chat.command_line), asks)?;
    let theme = chat.settings.theme.unwrap_or(match background {
        Some(Background::Light) => Theme::Light,
        Some(Background::Dark) | None => Theme::Dark,
    });
    let pictures = PictureProtocol::of(&chat.vars).filter(|_| colour == Colour::On);
    let motion = if plain { Motion::Still } else { Motion::Lively };
    let depth = ColourDepth::of(&chat.vars);
    let style = Style { motion, depth, ..Style::new(colour, size.columns).with_theme(theme) };
    let (status, before) = (chat.conversation.status(), chat.before.clone());
    let (mut repl, done) = Repl::new(ReplParts {
        composer: composer(&chat),
        conversation: chat.conversation,
        terminal,
        tool_lines,
        settings: chat.settings,
        style,
        size,
        place: PlaceNames {
            folder: std::env::current_dir().unwrap_or_default(),
            user_home: chat.vars.non_blank("HOME").map(PathBuf::from),
        },
        home: chat.home.root().to_owned(),
        quick: chat.quick,
        pictures,
        narrowing: Narrowing::of(&chat.vars),
    });
    repl.open_with(move |style| {
        let mut rows = welcome::greeting(&status, style);
        rows.push(String::new());
        if !before.is_empty() {
            rows.extend(notices::recap(&before, style));
            rows.push(String::new());
        }
        rows
    });
    if let Some(line) = chat.opening {
        repl.carry_out(&line);
    }
    Ok(repl.run(input, chat.receiver, done).await)
}

fn composer(chat: &Chat) -> Composer {
    let completer = Completer {
        commands: slash::command_words(&chat.quick, slash::brought_commands(&*chat.conversation)),
        folder: std::env::current_dir().unwrap_or_default(),
        home: chat.vars.non_blank("HOME").map(PathBuf::from),
    };
    Composer::new(History::load(chat.home.root().join(HISTORY_FILE)), completer)
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
fn watch_signals(input: &UnboundedSender<TerminalInput>) -> std::io::Result<()> {
    for kind in [SignalKind::terminate(), SignalKind::hangup(), SignalKind::interrupt()] {
        let mut signal = signal(kind)?;
        let input = input.clone();
        tokio::spawn(async move {
            if signal.recv().await.is_some() {
                let _ = input.send(TerminalInput::Gone);
            }
        });
    }
    Ok(())
}
