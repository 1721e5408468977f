//! Where log lines go: to stderr, but not while a chat has the terminal, because they would be
//! written right through its rows. Then they become part of what it shows.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use tokio::sync::mpsc::UnboundedSender;

use super::TerminalInput;

/// The chat that has the terminal.
static CHAT: Mutex<Option<UnboundedSender<TerminalInput>>> = Mutex::new(None);

/// Writes log lines.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogWriter;

impl Write for LogWriter {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let chat = CHAT.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = chat.as_ref().is_some_and(|chat| {
            let text = String::from_utf8_lossy(line).trim_end().to_owned();
            chat.send(TerminalInput::Logged(text)).is_ok()
        });
        match taken {
            true => Ok(line.len()),
            false => io::stderr().write(line),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// While this exists, log lines go to a chat.
#[derive(Debug)]
pub(crate) struct LogRedirect(());

impl LogRedirect {
    /// Sends them there.
    pub(crate) fn to(chat: UnboundedSender<TerminalInput>) -> Self {
        *CHAT.lock().unwrap_or_else(PoisonError::into_inner) = Some(chat);
        Self(())
    }
}

impl Drop for LogRedirect {
    fn drop(&mut self) {
        *CHAT.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::mpsc::unbounded_channel;

    use super::*;

    #[test]
    fn log_lines_become_part_of_the_chat_while_it_lasts() {
        let (chat, mut input) = unbounded_channel();
        let diverted = LogRedirect::to(chat);
        LogWriter.write_all(b"WARN something\n").unwrap();
        drop(diverted);
        LogWriter.write_all(b"").unwrap();
        assert_eq!(input.try_recv(), Ok(TerminalInput::Logged("WARN something".to_owned())));
        assert!(input.try_recv().is_err());
    }
}
