//! The state of the terminal while keys are read one by one.

use std::io::{self, Write, stdout};

use crossterm::QueueableCommand;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use nix::sys::signal::{Signal, raise};

/// Keys arrive one by one and are not shown, pasted text arrives in one piece. Ends when dropped.
#[derive(Debug)]
pub(crate) struct RawMode(());

impl RawMode {
    /// Enters the state.
    pub(crate) fn enter() -> io::Result<Self> {
        enable_raw_mode()?;
        let mode = Self(());
        stdout().queue(EnableBracketedPaste)?.flush()?;
        Ok(mode)
    }
}

impl Drop for RawMode {
    fn drop(&mut self) {
        // The terminal may be gone; then it needs no mending.
        if let Ok(out) = stdout().queue(DisableBracketedPaste) {
            let _ = out.flush();
        }
        let _ = disable_raw_mode();
    }
}

/// Goes to the background, as Ctrl-Z does, and comes back when the shell says so.
pub(crate) fn stop_until_continued() -> io::Result<()> {
    raise(Signal::SIGTSTP).map_err(io::Error::from)
}
