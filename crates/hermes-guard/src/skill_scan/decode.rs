//! From bytes to text.

use std::borrow::Cow;

/// Shortest run of printable characters that is looked at in a binary file.
const PRINTABLE_RUN: usize = 8;
/// A file is binary when more than one byte in so many is NUL.
const NUL_SHARE: usize = 10;
/// Or when it is no UTF-8 and more than one byte in so many is a control character.
const CONTROL_SHARE: usize = 20;

/// What a file holds.
pub(super) enum Decoded<'a> {
    Text(Cow<'a, str>),
    /// Only its readable runs, each on a line of its own; their lines mean nothing.
    Binary(String),
}

pub(super) fn decode(bytes: &[u8]) -> Decoded<'_> {
    match bytes {
        [0xff, 0xfe, rest @ ..] => Decoded::Text(Cow::Owned(utf16(rest, u16::from_le_bytes))),
        [0xfe, 0xff, rest @ ..] => Decoded::Text(Cow::Owned(utf16(rest, u16::from_be_bytes))),
        _ if is_wide(bytes, 1) => Decoded::Text(Cow::Owned(utf16(bytes, u16::from_le_bytes))),
        _ if is_wide(bytes, 0) => Decoded::Text(Cow::Owned(utf16(bytes, u16::from_be_bytes))),
        _ if is_binary(bytes) => Decoded::Binary(printable(bytes)),
        _ => Decoded::Text(String::from_utf8_lossy(bytes)),
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Whether a file is no text. A NUL or a broken character here and there does not make it so: a text
/// with one would go unread.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    let nul = memchr::memchr_iter(0, bytes).count();
    if nul * NUL_SHARE > bytes.len() {
        return true;
    }
    let is_control =
        |byte: &&u8| **byte < 0x20 && !matches!(**byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    let controls = bytes.iter().filter(is_control).count();
    controls * CONTROL_SHARE > bytes.len() && std::str::from_utf8(bytes).is_err()
}

/// UTF-16 without a mark: every second byte of Latin text is NUL.
fn is_wide(bytes: &[u8], nul_at: usize) -> bool {
    let nul = bytes.iter().skip(nul_at).step_by(2).filter(|byte| **byte == 0).count();
    let other = bytes.iter().skip(1 - nul_at).step_by(2).filter(|byte| **byte == 0).count();
    bytes.len() >= 16 && nul * 10 > bytes.len() / 2 * 9 && other == 0
}

fn printable(bytes: &[u8]) -> String {
    let mut runs = String::new();
    let is_readable = |byte: &u8| (0x20..0x7f).contains(byte);
    for run in bytes.split(|byte| !is_readable(byte)).filter(|run| run.len() >= PRINTABLE_RUN) {
        runs.push_str(&String::from_utf8_lossy(run));
        runs.push('\n');
    }
    runs
}
