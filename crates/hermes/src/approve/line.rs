//! Reading one line from a terminal, for a limited time.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::termios::{FlushArg, tcflush};
use nix::unistd::read;
use tokio_util::sync::CancellationToken;

/// How often somebody looks whether the answer is still wanted.
const SLICE: Duration = Duration::from_millis(100);
/// More than this is no answer.
const MAX_LINE: usize = 1024;

/// What came of waiting for a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
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
pub(super) fn forget_typed(input: impl AsFd) {
    // Input that is no terminal has nothing to forget.
    let _ = tcflush(input, FlushArg::TCIFLUSH);
}

/// The next line, without its end.
pub(super) fn next_line(input: impl AsFd, wait: Duration, over: &CancellationToken) -> Line {
    let until = Instant::now() + wait;
    let mut typed = Vec::new();
    loop {
        if over.is_cancelled() {
            return Line::Over;
        }
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Line::TimedOut;
        }
        match is_ready(&input, left.min(SLICE)) {
            Ok(false) => continue,
            Ok(true) => {}
            Err(_) => return Line::Ended,
        }
        let mut bytes = [0; 256];
        match read(&input, &mut bytes) {
            Ok(0) => return Line::Ended,
            Ok(count) => typed.extend_from_slice(&bytes[..count]),
            Err(Errno::EINTR | Errno::EAGAIN) => continue,
            Err(_) => return Line::Ended,
        }
        if let Some(end) = typed.iter().position(|byte| *byte == b'\n') {
            return Line::Typed(String::from_utf8_lossy(&typed[..end]).trim().to_owned());
        }
        if typed.len() > MAX_LINE {
            return Line::Ended;
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
        assert_eq!(line, Line::Typed("once".to_owned()));
    }

    #[test]
    fn what_was_typed_before_the_question_is_no_answer() {
        let terminal = nix::pty::openpty(None, None).unwrap();
        let typing = |text: &[u8]| nix::unistd::write(&terminal.master, text).unwrap();
        let token = CancellationToken::new();
        typing(b"always\n");
        forget_typed(&terminal.slave);
        let line = next_line(&terminal.slave, Duration::from_millis(50), &token);
        assert_eq!(line, Line::TimedOut);
        typing(b"once\n");
        assert_eq!(next_line(&terminal.slave, LONG, &token), Line::Typed("once".to_owned()));
    }

    #[test]
    fn waiting_ends_in_time_and_when_nobody_wants_the_answer() {
        let (input, _output) = pipe().unwrap();
        let token = CancellationToken::new();
        assert_eq!(next_line(&input, Duration::from_millis(20), &token), Line::TimedOut);
        token.cancel();
        assert_eq!(next_line(&input, LONG, &token), Line::Over);
    }

    #[test]
    fn the_end_of_input_and_endless_lines_are_no_answer() {
        let (input, mut output) = pipe().unwrap();
        output.write_all(&[b'y'; 2 * MAX_LINE]).unwrap();
        assert_eq!(next_line(&input, LONG, &CancellationToken::new()), Line::Ended);
        let (input, output) = pipe().unwrap();
        drop(output);
        assert_eq!(next_line(&input, LONG, &CancellationToken::new()), Line::Ended);
    }
}
