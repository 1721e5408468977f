//! The person's terminal: keys in, rows out, each on a thread of its own.
//!
//! `KeyReader` reads what is typed and sends it on. `ScreenRenderer` takes `DrawCommand`s and draws; a terminal
//! that is slow, or stopped with Ctrl-S, holds up nobody else, and orders that came meanwhile are
//! drawn in one go. `RawMode` is the terminal's state in between, and restores it whatever
//! happens.

mod background;
#[cfg(test)]
pub(crate) mod emulator;
mod keys;
pub(crate) mod line;
mod log;
mod raw;
mod renderer;
mod screen;

pub(crate) use background::{Background, ask as ask_background};
pub(crate) use keys::{KeyReader, TerminalInput};
pub(crate) use log::LogRedirect;
pub use log::LogWriter;
pub(crate) use raw::{RawMode, stop_until_continued};
#[cfg(test)]
pub(crate) use renderer::Drawing;
pub(crate) use renderer::{DrawCommand, ScreenRenderer};
#[cfg(test)]
pub(crate) use screen::Screen;
pub(crate) use screen::{Frame, Narrowing};

/// Columns and rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) columns: usize,
    pub(crate) rows: usize,
}

impl Size {
    /// Used where a terminal does not say.
    const USUAL: Self = Self { columns: 80, rows: 24 };

    /// The size of this process's terminal.
    pub(crate) fn of_terminal() -> Self {
        match crossterm::terminal::size() {
            Ok((columns, rows)) if columns > 0 && rows > 0 => {
                Self { columns: columns.into(), rows: rows.into() }
            }
            _ => Self::USUAL,
        }
    }
}
