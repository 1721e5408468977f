//! Asking for one line at the terminal of a single command: the question on stderr, the line from stdin.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::terminal::line::{LineInput, next_line, unseen_line};

/// Whether what is typed may be seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EchoMode {
    /// The terminal shows it, as usual.
    Seen,
    /// For passwords: nothing is shown, now or later.
    Unseen,
}

/// Whether a person can be asked: stdin and stderr are both a terminal. stdout may be a pipe.
#[must_use]
pub fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks on stderr and reads a line, trimmed and in lower case; `None` at the end of input.
#[must_use]
pub fn answer(question: &str) -> Option<String> {
    let mut err = anstream::stderr();
    write!(err, "{question}").ok()?;
    err.flush().ok()?;
    let mut line = String::new();
    let read = std::io::stdin().read_line(&mut line).ok()?;
    (read > 0).then(|| line.trim().to_lowercase())
}

/// Asks for one line at the terminal, seen or unseen; none when nobody answers in time.
pub(crate) fn terminal_line(
    prompt: &str,
    echo: EchoMode,
    wait: Duration,
    over: &CancellationToken,
) -> Option<String> {
    let input = std::io::stdin();
    let mut err = anstream::stderr();
    let typed = if echo == EchoMode::Unseen {
        let typed = unseen_line(&input, wait, over, || {
            write!(err, "{prompt}")?;
            err.flush()
        });
        let _ = writeln!(anstream::stderr());
        typed
    } else {
        write!(err, "{prompt}").and_then(|()| err.flush()).ok()?;
        next_line(&input, wait, over)
    };
    match typed {
        LineInput::Typed(typed) => Some(typed),
        LineInput::Ended | LineInput::TimedOut | LineInput::Over => None,
    }
}
