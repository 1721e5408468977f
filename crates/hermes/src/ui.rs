//! What people and programs see: data on stdout, everything else on stderr.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

pub(crate) use hermes_protocol::text::count;
use hermes_tui::captured::PrintedText;
pub(crate) use hermes_tui::table::{Cell, Table};
use hermes_tui::words::{terminal_width, wrap_words};
use owo_colors::OwoColorize;
use serde::Serialize;

/// The two streams. Colour is dropped where nobody sees it.
pub(crate) struct Ui {
    out: Box<dyn Write>,
    err: Box<dyn Write>,
    width: usize,
    is_terminal: bool,
    is_verbose: bool,
    is_captured: bool,
}

/// Nothing is cut or wrapped on the way to a program or a file.
const UNLIMITED: usize = usize::MAX;

impl Ui {
    /// The streams of this process.
    pub(crate) fn stdio() -> Self {
        let is_terminal = io::stdout().is_terminal();
        let width = if is_terminal { terminal_width() } else { UNLIMITED };
        let (out, err) = (Box::new(anstream::stdout()), Box::new(anstream::stderr()));
        Self { out, err, width, is_terminal, is_verbose: false, is_captured: false }
    }

    /// Streams that end in memory, both in the same place, for a terminal of this width.
    pub(crate) fn captured(width: usize) -> (Self, PrintedText) {
        let captured = PrintedText::default();
        let (out, err) = (Box::new(captured.clone()), Box::new(captured.clone()));
        (
            Self { out, err, width, is_terminal: true, is_verbose: false, is_captured: true },
            captured,
        )
    }

    /// Whether somebody else shows what is printed: then nobody can be asked here.
    pub(crate) fn is_captured(&self) -> bool {
        self.is_captured
    }

    /// One line of data.
    pub(crate) fn line(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    /// Prose: each line is data, broken between words where the terminal is too narrow.
    pub(crate) fn prose(&mut self, text: &str) -> io::Result<()> {
        for line in text.lines() {
            for piece in wrap_words(line, self.width) {
                self.line(piece)?;
            }
        }
        Ok(())
    }

    /// One line for people, on stderr.
    pub(crate) fn note(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.err, "{text}")
    }

    /// A warning for people, on stderr.
    pub(crate) fn warn(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.err, "{} {text}", "warning:".yellow().bold())
    }

    /// Warnings for people, one by one.
    pub(crate) fn warn_all(
        &mut self,
        warnings: impl IntoIterator<Item = impl Display>,
    ) -> io::Result<()> {
        warnings.into_iter().try_for_each(|warning| self.warn(warning))
    }

    /// Whether the person asked for more to be said.
    pub(crate) fn is_verbose(&self) -> bool {
        self.is_verbose
    }

    /// The same, saying more or not.
    pub(crate) fn verbose(self, is_verbose: bool) -> Self {
        Self { is_verbose, ..self }
    }

    /// A value for programs: readable on a terminal, compact in a pipe.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        let text = if self.is_terminal {
            serde_json::to_string_pretty(value)?
        } else {
            serde_json::to_string(value)?
        };
        Ok(self.line(text)?)
    }

    /// A table, as wide as the terminal.
    pub(crate) fn table(&mut self, table: &Table) -> io::Result<()> {
        table.write(&mut self.out, self.width)
    }
}

/// Whether an error is just a reader that went away (`hermes tools list | head`).
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
