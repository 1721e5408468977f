//! Whether the terminal's background is light or dark.
//!
//! A terminal is asked for the colour and, behind that, for what it is; nearly all answer the second question, so those
//! that do not know the first are not waited for. What was typed meanwhile is handed on.

use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::{read, write};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_millis(80);
const QUESTION: &[u8] = b"\x1b]11;?\x1b\\\x1b[c";
/// Longest answer.
const MAX_ANSWER: usize = 256;

/// What is behind the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Background {
    Dark,
    Light,
}

/// Asks the terminal, which has to be in raw mode with nobody else reading. Gives what was typed meanwhile as well.
pub(crate) fn ask(input: impl AsFd, output: impl AsFd) -> (Option<Background>, Vec<KeyEvent>) {
    if is_ready(&input, Duration::ZERO) || write(&output, QUESTION).is_err() {
        // Somebody types already: their keys come first.
        return (None, Vec::new());
    }
    let until = Instant::now() + PATIENCE;
    let mut answer = Vec::new();
    while answer.len() < MAX_ANSWER && !has_ended(&answer) {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || !is_ready(&input, left) {
            break;
        }
        let mut bytes = [0; MAX_ANSWER];
        match read(&input, &mut bytes) {
            Ok(count) if count > 0 => answer.extend_from_slice(&bytes[..count]),
            _ => break,
        }
    }
    split(&answer)
}

fn is_ready(input: &impl AsFd, wait: Duration) -> bool {
    let mut fds = [PollFd::new(input.as_fd(), PollFlags::POLLIN)];
    let wait = PollTimeout::try_from(wait).unwrap_or(PollTimeout::ZERO);
    poll(&mut fds, wait).is_ok_and(|count| count > 0)
}

/// Whether the answer to the second question is there: `ESC [ ? … c`.
fn has_ended(answer: &[u8]) -> bool {
    let start = answer.windows(3).position(|bytes| bytes == b"\x1b[?");
    start.is_some_and(|start| answer[start..].contains(&b'c'))
}

/// The colour, and what else there is as keys.
fn split(answer: &[u8]) -> (Option<Background>, Vec<KeyEvent>) {
    let text = String::from_utf8_lossy(answer);
    let mut background = None;
    let mut keys = Vec::new();
    let mut rest = &*text;
    while let Some(first) = rest.chars().next() {
        if let Some(colour) = rest.strip_prefix("\x1b]11;") {
            let end = colour.find(['\x07', '\x1b']).unwrap_or(colour.len());
            background = read_colour(&colour[..end]);
            let after = &colour[end..];
            rest = after.strip_prefix("\x1b\\").or(after.strip_prefix('\x07')).unwrap_or("");
            continue;
        }
        if let Some(what) = rest.strip_prefix("\x1b[?") {
            rest = what.split_once('c').map_or("", |(_, after)| after);
            continue;
        }
        let code = match first {
            '\r' | '\n' => Some(KeyCode::Enter),
            first if first.is_control() => None,
            first => Some(KeyCode::Char(first)),
        };
        keys.extend(code.map(|code| KeyEvent::new(code, KeyModifiers::NONE)));
        rest = &rest[first.len_utf8()..];
    }
    (background, keys)
}

/// Reads `rgb:1e1e/1e1e/2e2e`, one to four digits each.
fn read_colour(text: &str) -> Option<Background> {
    let mut parts = text.strip_prefix("rgb:").or(text.strip_prefix("rgba:"))?.split('/');
    let mut part = || -> Option<f64> {
        let digits = parts.next()?;
        let most = 16_f64.powi(i32::try_from(digits.len()).ok().filter(|length| *length <= 4)?);
        Some(f64::from(u32::from_str_radix(digits, 16).ok()?) / (most - 1.0))
    };
    let (red, green, blue) = (part()?, part()?, part()?);
    // How bright the eye finds it.
    match 0.2126 * red + 0.7152 * green + 0.0722 * blue {
        bright if bright > 0.5 => Some(Background::Light),
        _ => Some(Background::Dark),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_terminals_are_read_and_keys_between_them_kept() {
        let dark = b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b[?64;1;2c";
        assert_eq!(split(dark), (Some(Background::Dark), Vec::new()));
        let light = b"a\x1b]11;rgb:ff/ff/ee\x07\x1b[?6cb";
        let (background, keys) = split(light);
        assert_eq!(background, Some(Background::Light));
        let codes: Vec<KeyCode> = keys.iter().map(|key| key.code).collect();
        assert_eq!(codes, [KeyCode::Char('a'), KeyCode::Char('b')]);
        assert_eq!(split(b"\x1b[?1;2c"), (None, Vec::new()));
        assert_eq!(split(b"\x1b]11;rgb:zz").0, None);
        assert!(has_ended(dark) && !has_ended(b"\x1b]11;rgb:cc"));
    }

    #[test]
    fn a_terminal_that_does_not_answer_is_not_waited_for_long() {
        let terminal = nix::pty::openpty(None, None).unwrap();
        let begun = Instant::now();
        let (background, _) = ask(&terminal.slave, &terminal.slave);
        assert_eq!(background, None);
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}
