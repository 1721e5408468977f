//! `hermes setup`, and the first start: the dialogue of `hermes_host::setup` at this terminal.

use std::io::{self, IsTerminal as _, Write as _};

use hermes_host::setup::{self, SetupEnd, SetupPrompter};
use nix::sys::termios::{LocalFlags, SetArg, tcgetattr, tcsetattr};
use owo_colors::OwoColorize as _;

use crate::exit::{Exit, UsageError};
use crate::host::Host;
use crate::ui::Ui;
use crate::workers::block_on;

/// Asks, tries, stores, and says how to begin.
pub(crate) fn run(host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host.require_sound_config()?;
    if !io::stdin().is_terminal() {
        return Err(UsageError::new(
            "setup asks questions and needs a terminal\n  without one: hermes config set \
             OPENROUTER_API_KEY KEY && hermes model set MODEL --provider openrouter",
        )
        .into());
    }
    match block_on(setup::choose(host, &mut TerminalPrompter))? {
        SetupEnd::Ready { .. } => ui.line(format_args!("Begin with: {}", "hermes".bold()))?,
        SetupEnd::Left | SetupEnd::Nothing => ui.note("Nothing was changed.")?,
    }
    Ok(Exit::Done)
}

/// The person at this terminal.
pub(crate) struct TerminalPrompter;

impl SetupPrompter for TerminalPrompter {
    fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(anstream::stderr(), "{line}")
    }

    fn ask(&mut self, question: &str) -> io::Result<Option<String>> {
        let mut out = anstream::stderr();
        write!(out, "{question}")?;
        out.flush()?;
        let mut line = String::new();
        let read = io::stdin().read_line(&mut line)?;
        Ok((read > 0).then(|| line.trim().to_owned()))
    }

    fn ask_secret(&mut self, question: &str) -> io::Result<Option<String>> {
        let stdin = io::stdin();
        if !stdin.is_terminal() {
            return self.ask(question);
        }
        let shown = tcgetattr(&stdin)?;
        let mut hidden = shown.clone();
        hidden.local_flags.remove(LocalFlags::ECHO);
        tcsetattr(&stdin, SetArg::TCSANOW, &hidden)?;
        let line = self.ask(question);
        let back = tcsetattr(&stdin, SetArg::TCSANOW, &shown);
        writeln!(anstream::stderr())?;
        back?;
        line
    }

    fn progress(&mut self, text: &str) {
        if io::stderr().is_terminal() {
            // Nobody is left to tell if stderr is gone.
            let _ = write!(anstream::stderr(), "\r\x1b[K{text}")
                .and_then(|()| anstream::stderr().flush());
        }
    }
}
