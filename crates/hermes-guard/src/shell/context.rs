//! What a word stands in.

use super::tree::Quoting;

/// Where a word stands, which decides what ends it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum WordContext {
    /// Among the words of a command.
    Argument,
    /// In `[[ … ]]`, where patterns may hold nearly anything.
    Test,
    /// In `${…}`, up to `}` or the given byte.
    Braces { stop: u8, quoting: Quoting },
}

impl WordContext {
    pub(super) fn ends_at(self, byte: u8, next: Option<u8>) -> bool {
        match self {
            Self::Argument => match byte {
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' => true,
                b'<' | b'>' => next != Some(b'('),
                b'\r' => matches!(next, None | Some(b'\n')),
                _ => false,
            },
            Self::Test => match byte {
                b' ' | b'\t' | b'\n' | b'\r' | b'&' | b'|' | b'(' | b')' => true,
                b'<' | b'>' => next != Some(b'('),
                _ => false,
            },
            Self::Braces { stop, .. } => byte == b'}' || byte == stop,
        }
    }

    pub(super) fn quoting(self) -> Quoting {
        match self {
            Self::Braces { quoting, .. } => quoting,
            _ => Quoting::None,
        }
    }
}
