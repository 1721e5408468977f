//! Values that a generator made, near a word that means a secret.
//!
//! Whatever lies between them: a sign that no rule knows, a here-document, a few words of a sentence.
//! Because the place says so little, the value has to say the more: small letters, capitals and
//! digits in no order, and none of the kinds that are public (hashes, numbers of things, public keys).

use std::ops::Range;

use super::mask::is_masked;
use super::names::{SecretFamily, family};
use super::scan::{SecretScan, is_blank, is_quote, is_token};
use super::values::{SecretLook, is_complex, is_reference, look, stands_in};
use super::words::made_of_words;

/// Furthest that the value may stand from the word, to either side.
const NEAR: usize = 64;
/// Shortest and longest such value.
const LENGTHS: std::ops::RangeInclusive<usize> = 20..=512;
/// What is written before values that are public: digests, fingerprints, public keys.
const PUBLIC: &[&str] = &[
    "sha1",
    "sha256",
    "sha384",
    "sha512",
    "md5",
    "h1:",
    "ssh-",
    "aaaa",
    "integrity",
    "public",
    "base64,",
    "enc[",
    "data:",
    "iv:",
    "tag:",
];

/// Hides the value near a name, unless a rule that knows more has decided before.
pub(super) fn visit(scan: &mut SecretScan<'_>, name: &Range<usize>) {
    let end = scan.run_end_within(name.end, NEAR, |byte| byte != b'\n');
    let start = scan.run_start(name.start, NEAR, |byte| byte != b'\n').max(scan.done());
    if scan.plain_near.start <= start && end <= scan.plain_near.end {
        return;
    }
    let under = below(scan, name.end);
    if under.is_none() && !may_hold(&scan.bytes()[start..end]) {
        scan.plain_near = start..end;
        return;
    }
    let found = values(scan, name.end, end, Sought::Generated)
        .or_else(|| values(scan, start, name.start, Sought::Generated));
    let chosen = values(scan, name.end, end, Sought::Chosen)
        .or(under)
        .or_else(|| values(scan, start, name.start, Sought::Chosen));
    if let Some(range) = chosen
        && found.is_none()
    {
        if family(&scan.text[name.clone()]).is_some() {
            super::keys::hide_value(scan, range);
        }
        return;
    }
    match found {
        Some(range) if is_strong(&scan.text[name.clone()]) => {
            super::keys::hide_value(scan, range);
        }
        Some(_) => {}
        None => scan.plain_near = start..end,
    }
}

/// Whether a part of a text has a word with small letters, capitals and digits, in one look.
fn may_hold(text: &[u8]) -> bool {
    let (mut length, mut kinds) = (0, 0_u8);
    for &byte in text {
        let kind = match byte {
            b'a'..=b'z' => 1,
            b'A'..=b'Z' => 2,
            b'0'..=b'9' => 4,
            b'"' | b'\'' | b'`' | b'<' | b'>' | b'(' | b')' | b',' | b';' | b':' | b'=' | b'|' => 8,
            0..=b' ' => 8,
            _ => 0,
        };
        if kind == 8 {
            (length, kinds) = (0, 0);
            continue;
        }
        length += 1;
        kinds |= kind;
        if length >= SHORTEST && kinds == 7 {
            return true;
        }
    }
    // The last word may go on behind the part.
    length > 0 && kinds != 0 && length >= SHORTEST / 2
}

/// Shortest value of all.
const SHORTEST: usize = 8;

fn is_strong(name: &str) -> bool {
    matches!(
        family(name),
        Some(
            SecretFamily::Password
                | SecretFamily::Secret
                | SecretFamily::Token
                | SecretFamily::ApiKey
                | SecretFamily::Key
        )
    )
}

/// What a value has to look like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sought {
    /// A generator made it.
    Generated,
    /// A person who was told to use digits and signs.
    Chosen,
}

impl Sought {
    fn belongs(self, byte: u8) -> bool {
        match self {
            Self::Generated => belongs(byte),
            Self::Chosen => byte.is_ascii_graphic() && !b"\"'`<>()[]{}|\\,;:=/".contains(&byte),
        }
    }

    fn fits(self, scan: &SecretScan<'_>, start: usize, end: usize) -> bool {
        let text = &scan.text[start..end];
        match self {
            Self::Generated => {
                LENGTHS.contains(&text.len())
                    && is_mixed(text.as_bytes())
                    && stands_alone(scan, start, end)
                    && is_secret(text)
            }
            Self::Chosen => {
                start >= scan.done()
                    && is_complex(text)
                    && !stands_in(text)
                    && !is_masked(text)
                    && is_free(scan.byte_before(start))
                    && is_free(scan.byte(end))
            }
        }
    }
}

/// Signs beside a word of its own, not of an expression or an address.
fn is_free(byte: u8) -> bool {
    byte == 0 || is_blank(byte) || b"\"'`<>(),;:|".contains(&byte)
}

/// The first value that begins within a part of a line.
fn values(scan: &SecretScan<'_>, from: usize, to: usize, sought: Sought) -> Option<Range<usize>> {
    let mut at = from;
    while at < to {
        let start = at + scan.bytes()[at..to].iter().position(|&byte| sought.belongs(byte))?;
        let end = scan.run_end_within(start, *LENGTHS.end() + 1, |byte| sought.belongs(byte));
        // A full stop ends the sentence.
        let word = start + scan.text[start..end].trim_end_matches(['.', '?']).len();
        let last = if sought == Sought::Chosen { word } else { end };
        if sought.fits(scan, start, last) {
            return Some(start..last);
        }
        at = end.max(start + 1);
    }
    None
}

/// Furthest that a value may stand below the line with its name.
const BELOW: usize = 24;

/// The value on a line of its own below a name: `Password:⏎⏎    value`.
fn below(scan: &SecretScan<'_>, name_end: usize) -> Option<Range<usize>> {
    let marks = |byte: u8| is_blank(byte) || b":*`\"'_-?>".contains(&byte);
    let mut start = scan.run_end_within(name_end, BELOW, marks);
    // `A: value` behind a question
    if scan.text[start..].starts_with("A: ") {
        start += 3;
    }
    let gap = &scan.bytes()[name_end..start];
    let lines = memchr::memchr_iter(b'\n', gap).count();
    let end = scan.run_end_within(start, 48, |byte| Sought::Chosen.belongs(byte));
    let line_ends = matches!(scan.byte(end), 0 | b'\n' | b'\r' | b'`');
    ((1..=2).contains(&lines) && line_ends && Sought::Chosen.fits(scan, start, end))
        .then_some(start..end)
}

/// Furthest that a line goes on behind the name that announces a value, and longest such value.
const ANNOUNCED: usize = 160;
const LONGEST_ANNOUNCED: usize = 128;
const LEAST_ANNOUNCED: usize = 16;

/// Hides the value on a line of its own below a sentence that announces it: `Use the following password to
/// log in:⏎⏎value`. Says whether it did.
pub(super) fn announced(scan: &mut SecretScan<'_>, name: &Range<usize>) -> bool {
    let line = scan.run_end_within(name.end, ANNOUNCED, |byte| !matches!(byte, b'\n' | b'\r'));
    if !scan.text.is_char_boundary(line) {
        return false;
    }
    let rest = scan.text[name.end..line].trim_end();
    // `tool output admin_password⏎"value"`
    let printed = rest.is_empty() && !is_quote(scan.byte_before(name.start));
    if !(printed || rest.ends_with(':'))
        || rest.contains("ublic")
        || !is_strong(&scan.text[name.clone()])
    {
        return false;
    }
    let mut start = scan.run_end_within(line, BELOW, is_blank);
    if printed {
        if scan.byte(start) != b'"' {
            return false;
        }
        start += 1;
    }
    let breaks = memchr::memchr_iter(b'\n', &scan.bytes()[line..start]).count();
    let end = scan.run_end_within(start, LONGEST_ANNOUNCED + 1, belongs);
    let value = &scan.text[start..end];
    let secret = (1..=2).contains(&breaks)
        && (LEAST_ANNOUNCED..=LONGEST_ANNOUNCED).contains(&value.len())
        && (matches!(scan.byte(end), 0 | b'\n' | b'\r') && !printed
            || printed && scan.byte(end) == b'"')
        && start >= scan.done()
        && look(value) == SecretLook::Generated
        && !value.ends_with(':')
        && !made_of_words(value)
        && !stands_in(value)
        && !is_reference(value)
        && !is_masked(value);
    if secret {
        super::keys::hide_value(scan, start..end);
    }
    secret
}

fn belongs(byte: u8) -> bool {
    is_token(byte) || matches!(byte, b'+' | b'/' | b'.' | b'~' | b'%' | b'=')
}

/// Whether the value is a word of its own, and not announced as something public.
fn stands_alone(scan: &SecretScan<'_>, start: usize, end: usize) -> bool {
    let edge = |byte: u8| {
        byte == 0
            || is_blank(byte)
            || matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b')' | b'<')
    };
    let before = &scan.bytes()[start.saturating_sub(24)..start].to_ascii_lowercase();
    start >= scan.done()
        && (edge(scan.byte_before(start)) || matches!(scan.byte_before(start), b':' | b'=' | b'('))
        && edge(scan.byte(end))
        && !PUBLIC.iter().any(|word| memchr::memmem::find(before, word.as_bytes()).is_some())
}

/// Small letters, capitals and digits, several of each.
fn is_mixed(value: &[u8]) -> bool {
    let (mut small, mut capital, mut digits) = (0, 0, 0);
    for byte in value {
        small += usize::from(byte.is_ascii_lowercase());
        capital += usize::from(byte.is_ascii_uppercase());
        digits += usize::from(byte.is_ascii_digit());
    }
    small >= 4 && capital >= 4 && digits >= 2
}

fn is_secret(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    !PUBLIC.iter().any(|word| lower.starts_with(word))
        && !is_name(value)
        && value.split(['/', '.', '=', '%']).any(|part| {
            part.len() >= 16 && !made_of_words(part) && look(part) == SecretLook::Generated
        })
        && value.bytes().filter(|&byte| byte == b'/').count() * 16 <= value.len()
        && !stands_in(value)
        && !is_reference(value)
        && !is_masked(value)
}

/// Letters in a row that make a part of a name.
const WORD: usize = 4;

/// `urlBase64ToUint8Array`: two words or more, and digits among them.
fn is_name(value: &str) -> bool {
    value.split(|letter: char| !letter.is_ascii_lowercase()).filter(|run| run.len() >= WORD).count()
        >= 2 + value.len() / 24
}
