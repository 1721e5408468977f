//! What people and programs see: data on stdout, everything else on stderr.

mod table;

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

use owo_colors::OwoColorize;
use serde::Serialize;

pub(crate) use table::{Cell, Table};

/// The two streams. Colour is dropped where nobody sees it.
pub(crate) struct Ui {
    out: Box<dyn Write>,
    err: Box<dyn Write>,
    width: usize,
    is_terminal: bool,
}

/// Used where the width of the terminal is unknown.
const DEFAULT_WIDTH: usize = 100;

impl Ui {
    /// The streams of this process.
    pub(crate) fn stdio() -> Self {
        let width = clap_width().unwrap_or(DEFAULT_WIDTH);
        Self {
            out: Box::new(anstream::stdout()),
            err: Box::new(anstream::stderr()),
            width,
            is_terminal: io::stdout().is_terminal(),
        }
    }

    /// One line of data.
    pub(crate) fn line(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    /// One line for people, on stderr.
    pub(crate) fn note(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.err, "{text}")
    }

    /// A warning for people, on stderr.
    pub(crate) fn warn(&mut self, text: impl Display) -> io::Result<()> {
        writeln!(self.err, "{} {text}", "warning:".yellow().bold())
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

/// The terminal's width as the environment tells it.
fn clap_width() -> Option<usize> {
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}

/// Whether an error is just a reader that went away (`hermes tools list | head`).
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
