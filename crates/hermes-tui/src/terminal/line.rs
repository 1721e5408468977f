//! Reading one line from a terminal, for a limited time.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{FlushArg, LocalFlags, SetArg, Termios, tcflush, tcgetattr, tcsetattr};
use nix::unistd::read;
use tokio_util::sync::CancellationToken;

/// How often somebody looks whether the answer is still wanted.
const SLICE: Duration = Duration::from_millis(100);
/// More than this is no answer.
const MAX_LINE: usize = 1024;

/// What came of waiting for a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LineInput {
    /// This was typed.
    Typed(String),
    /// The input has ended, or broke.
    Ended,
    /// Nothing came in time.
    TimedOut,
    /// Nobody wants it any more.
    Over,
}

/// Throws away what was typed before the question was seen: it cannot have been meant for it.
pub(crate) fn forget_typed(input: impl AsFd) {
    // Input that is no terminal has nothing to forget.
    let _ = tcflush(input, FlushArg::TCIFLUSH);
}

/// A terminal that shows nothing of what is typed, until this is dropped.
struct Unseen<F: AsFd> {
    input: F,
    before: Termios,
}

impl<F: AsFd> Unseen<F> {
    fn new(input: F) -> Option<Self> {
        let before = tcgetattr(&input).ok()?;
        let mut silent = before.clone();
        silent.local_flags.remove(LocalFlags::ECHO);
        tcsetattr(&input, SetArg::TCSAFLUSH, &silent).ok()?;
        Some(Self { input, before })
    }
}

impl<F: AsFd> Drop for Unseen<F> {
    fn drop(&mut self) {
        let _ = tcsetattr(&self.input, SetArg::TCSAFLUSH, &self.before);
    }
}

/// The next line, typed unseen, exactly as it was typed. It is asked for once nothing is shown any
/// more; where that cannot be had nothing is asked.
pub(crate) fn unseen_line(
    input: impl AsFd + Copy,
    wait: Duration,
    over: &CancellationToken,
    ask: impl FnOnce() -> std::io::Result<()>,
) -> LineInput {
    let Some(_unseen) = Unseen::new(input) else { return LineInput::Ended };
    if ask().is_err() {
        return LineInput::Ended;
    }
    read_line(input, wait, over)
}

/// The next line, without its end and blanks around it.
pub(crate) fn next_line(input: impl AsFd, wait: Duration, over: &CancellationToken) -> LineInput {
    match read_line(input, wait, over) {
        LineInput::Typed(text) => LineInput::Typed(text.trim().to_owned()),
        other => other,
    }
}

fn read_line(input: impl AsFd, wait: Duration, over: &CancellationToken) -> LineInput {
    let until = Instant::now() + wait;
    let mut typed = Vec::new();
    loop {
        if over.is_cancelled() {
            return LineInput::Over;
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return LineInput::TimedOut;
        }
        match is_ready(&input, left.min(SLICE)) {
            Ok(false) => continue,
            Ok(true) => {}
            Err(_) => return LineInput::Ended,
        }
        let mut bytes = [0; 256];
        match read(&input, &mut bytes) {
            Ok(0) => return LineInput::Ended,
            Ok(count) => typed.extend_from_slice(&bytes[..count]),
            Err(Errno::EINTR | Errno::EAGAIN) => continue,
            Err(_) => return LineInput::Ended,
        }
        if let Some(end) = typed.iter().position(|byte| *byte == b'\n') {
            return LineInput::Typed(String::from_utf8_lossy(&typed[..end]).into_owned());
        }
        if typed.len() > MAX_LINE {
            return LineInput::Ended;
        }
    }
}

fn is_ready(input: &impl AsFd, wait: Duration) -> nix::Result<bool> {
    let mut fds = [PollFd::new(input.as_fd(), PollFlags::POLLIN)];
    let wait = PollTimeout::try_from(wait).unwrap_or(PollTimeout::ZERO);
    match poll(&mut fds, wait) {
        Ok(count) => Ok(count > 0),
        Err(Errno::EINTR) => Ok(false),
        Err(problem) => Err(problem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Write as _, pipe};

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn a_line_is_read_up_to_its_end() {
        let (input, mut output) = pipe().unwrap();
        output.write_all(b" once \nmore").unwrap();
        let line = next_line(&input, LONG, &CancellationToken::new());
        assert_eq!(line, LineInput::Typed("once".to_owned()));
    }

    #[test]
    fn what_was_typed_before_the_question_is_no_answer() {
        let terminal = nix::pty::openpty(None, None).unwrap();
        let typing = |text: &[u8]| nix::unistd::write(&terminal.master, text).unwrap();
        let token = CancellationToken::new();
        typing(b"always\n");
        forget_typed(&terminal.slave);
        let line = next_line(&terminal.slave, Duration::from_millis(50), &token);
        assert_eq!(line, LineInput::TimedOut);
        typing(b"once\n");
        assert_eq!(next_line(&terminal.slave, LONG, &token), LineInput::Typed("once".to_owned()));
    }

    #[test]
    fn a_secret_is_not_echoed_and_the_terminal_is_as_it_was_afterwards() {
        let terminal = nix::pty::openpty(None, None).unwrap();
        let echoes = || tcgetattr(&terminal.slave).unwrap().local_flags.contains(LocalFlags::ECHO);
        assert!(echoes());
        let typed = unseen_line(&terminal.slave, LONG, &CancellationToken::new(), || {
            assert!(!echoes());
            nix::unistd::write(&terminal.master, b" s3cret \n")?;
            Ok(())
        });
        assert_eq!(typed, LineInput::Typed(" s3cret ".to_owned()));
        assert!(echoes());
        let (input, _output) = pipe().unwrap();
        let ask = || panic!("asked where it would be shown");
        assert_eq!(unseen_line(&input, LONG, &CancellationToken::new(), ask), LineInput::Ended);
    }

    #[test]
    fn waiting_ends_in_time_and_when_nobody_wants_the_answer() {
        let (input, _output) = pipe().unwrap();
        let token = CancellationToken::new();
        assert_eq!(next_line(&input, Duration::from_millis(20), &token), LineInput::TimedOut);
        token.cancel();
        assert_eq!(next_line(&input, LONG, &token), LineInput::Over);
    }

    #[test]
    fn the_end_of_input_and_endless_lines_are_no_answer() {
        let (input, mut output) = pipe().unwrap();
        output.write_all(&[b'y'; 2 * MAX_LINE]).unwrap();
        assert_eq!(next_line(&input, LONG, &CancellationToken::new()), LineInput::Ended);
        let (input, output) = pipe().unwrap();
        drop(output);
        assert_eq!(next_line(&input, LONG, &CancellationToken::new()), LineInput::Ended);
    }
}
