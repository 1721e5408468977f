//! The real terminal of a chat.

use std::io;

use anyhow::Context;
use hermes_llm::model::BoxFuture;
use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::Home;
use hermes_tool::Vars;
use tokio::sync::mpsc::UnboundedSender;

use super::clipboard::{self, Clip};
use super::repl::{ChatTerminal, CommandLine};
use super::terminal::{
    Background, DrawCommand, KeyReader, LogRedirect, Narrowing, RawMode, ScreenRenderer, Size,
    TerminalInput, ask_background, stop_until_continued,
};
use crate::external_editor::open_in_editor;

/// Where images from the clipboard go, in the home.
const PASTED: &str = "image_cache";
/// Used where the user has named no editor.
const USUAL_EDITOR: &str = "vi";

/// Whether the terminal is asked for the colour of its background.
#[derive(Clone, Copy)]
pub(super) struct AskBackground(pub(super) bool);

/// Standard input and output, which are a terminal.
pub(super) struct RealTerminal {
    // Dropped in this order: the frame is wiped before the terminal is what it was.
    drawer: ScreenRenderer,
    keys: KeyReader,
    /// Held for as long as the terminal is ours.
    _log: LogRedirect,
    raw: Option<RawMode>,
    vars: Vars,
    home: Home,
    command_line: CommandLine,
}

impl RealTerminal {
    /// Takes the terminal; what is typed is sent to `input`.
    pub(super) fn take(
        input: UnboundedSender<TerminalInput>,
        size: Size,
        (home, vars): (Home, Vars),
        command_line: CommandLine,
        asks: AskBackground,
    ) -> io::Result<(Self, Option<Background>)> {
        let raw = Some(RawMode::enter()?);
        let (background, typed) = match asks {
            AskBackground(true) => ask_background(io::stdin(), io::stdout()),
            AskBackground(false) => (None, Vec::new()),
        };
        for key in typed {
            let _ = input.send(TerminalInput::Key(key));
        }
        let log = LogRedirect::to(input.clone());
        let keys = KeyReader::start(input)?;
        let drawer = ScreenRenderer::start(io::stdout(), size, Narrowing::of(&vars))?;
        let terminal = Self { drawer, keys, _log: log, raw, vars, home, command_line };
        Ok((terminal, background))
    }

    /// Lends the terminal to somebody else, in the state a shell leaves it in.
    fn lend<T>(&mut self, act: impl FnOnce() -> T) -> io::Result<T> {
        let paused = self.keys.pause();
        self.drawer.wipe();
        self.raw = None;
        let result = act();
        self.raw = Some(RawMode::enter()?);
        drop(paused);
        Ok(result)
    }
}

impl ChatTerminal for RealTerminal {
    fn order(&self, order: DrawCommand) {
        self.drawer.order(order);
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.lend(stop_until_continued)?
    }

    fn compose(&mut self, text: &str) -> anyhow::Result<String> {
        let folder = self.home.cache();
        hermes_store::home::ensure_private_dir(&folder)?;
        let file = folder.join(format!("message-{}.md", std::process::id()));
        atomic::write(&file, text.as_bytes(), WriteOptions::SECRET)?;
        let named = self.vars.non_blank("VISUAL").or_else(|| self.vars.non_blank("EDITOR"));
        let editor = named.unwrap_or(USUAL_EDITOR).to_owned();
        let vars = self.vars.clone();
        let written = self.lend(|| open_in_editor(&editor, &file, &vars))?.and_then(|()| {
            std::fs::read_to_string(&file).with_context(|| format!("read {}", file.display()))
        });
        // What was written has been read, or cannot be.
        let _ = std::fs::remove_file(&file);
        written
    }

    fn clipboard(&self) -> BoxFuture<'static, anyhow::Result<Clip>> {
        let (vars, folder) = (self.vars.clone(), self.home.root().join(PASTED));
        Box::pin(async move { clipboard::read(&vars, &folder).await })
    }

    fn command_line(&self) -> CommandLine {
        CommandLine::clone(&self.command_line)
    }
}
