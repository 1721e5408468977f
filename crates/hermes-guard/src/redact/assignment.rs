//! Values that are secret because of the name before them.
//!
//! A hit is part of a name. The whole name is found first, then the sign behind it, then the value:
//! `NAME=value`, `some.name=value`, `"name": "value"`, `name: value`. Which of these count depends on
//! the mode: in source code only names that nothing else uses (`x-api-key`, `AccountKey`).
//!
//! What is computed, looked up or left to fill in is no secret, and neither is a limit on tokens.

use std::ops::Range;

use super::flags;
use super::headers::plausible_in_code;
use super::mask::is_masked;
use super::names::{SecretFamily, family};
use super::scan::{Names, SecretScan, is_blank, is_gap, is_quote};
use super::words::{is_expression, is_field, is_placeholder, made_of_words};

/// Longest name, to either side of the hit.
const LONGEST_NAME: usize = 64;
/// Longest value within quotes.
const LONGEST_QUOTED: usize = 64 * 1024;
/// How much of a value without quotes is looked at before it is known to be a secret.
const JUDGED: usize = 512;
/// Furthest that a value may stand behind its sign.
const WIDEST_GAP: usize = 32;
/// How much may stand between the start of a line and a name.
const LINE_LEAD: usize = 64;
/// Shortest storage key.
const LEAST_STORAGE_KEY: usize = 20;

const KEY_HEADERS: &[&str] = &[
    "x-api-key",
    "x-goog-api-key",
    "api-key",
    "apikey",
    "x-api-token",
    "x-auth-token",
    "x-access-token",
];
/// In lower case and without marks between the words.
const SECRET_ACCESS_KEY: &str = "secretaccesskey";
const SECRET_ACCESS_KEY_CHARS: usize = 40;
const REGISTRY_KEYS: &[&str] = &["_authToken", "_auth", "_password"];
const STORAGE_KEYS: &[&str] = &["AccountKey", "SharedAccessKey", "SharedAccessSignature"];

/// Values that say yes, no or nothing, and names of types.
const PLAIN_VALUES: &[&str] = &[
    "true",
    "false",
    "yes",
    "no",
    "on",
    "off",
    "none",
    "null",
    "nil",
    "undefined",
    "string",
    "str",
    "number",
    "int",
    "integer",
    "boolean",
    "bool",
    "any",
    "object",
    "bytes",
    "await",
    "new",
    "|",
    ">",
    "|-",
    ">-",
    "optional",
    "required",
];

/// The sign between a name and its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Equals,
    Colon,
}

struct Field {
    name: Range<usize>,
    name_quoted: bool,
    sign: Sign,
    /// Whether blanks stand around the sign.
    spaced: bool,
    value: Range<usize>,
    value_quoted: bool,
}

pub(super) fn visit(scan: &mut SecretScan<'_>, hit: Range<usize>) {
    let Some(name) = whole_name(scan, &hit) else { return };
    if scan.text[..name.start].ends_with("--") {
        return flags::long_option(scan, name);
    }
    if is_blank(scan.byte(name.end)) && &scan.text[name.clone()] == "password" {
        flags::netrc(scan, name.clone());
    }
    let guessing = scan.rules.names == Names::Guess;
    let plain_name = &scan.text[name.clone()];
    let special = special(plain_name);
    if special.is_none() && !guessing {
        return;
    }
    let Some(field) = field(scan, name) else { return };
    let value = &scan.text[field.value.clone()];
    if is_masked(value) {
        if special.is_some() || family(plain_name).is_some() {
            scan.keep(field.value);
        }
        return;
    }
    let secret = !is_placeholder(value)
        && (special.is_some_and(|special| special.holds_secret(scan, &field))
            || guessing && is_secret(scan, &field));
    if secret {
        let value = match field.value_quoted {
            true => field.value,
            false => unquoted(scan, field.value.start, field.sign, field.name_quoted, usize::MAX),
        };
        scan.hide(value);
    }
}

/// Names that mean a secret in source code too.
#[derive(Clone, Copy)]
enum Special {
    /// A header with a key.
    Header,
    /// A login of a package registry.
    Registry,
    /// A key of a storage account.
    Storage,
    /// The secret half of an access key pair.
    SecretAccessKey,
}

fn special(name: &str) -> Option<Special> {
    let named = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    if named(KEY_HEADERS) {
        Some(Special::Header)
    } else if named(REGISTRY_KEYS) {
        Some(Special::Registry)
    } else if named(STORAGE_KEYS) {
        Some(Special::Storage)
    } else if name.len() >= SECRET_ACCESS_KEY.len()
        && name.to_ascii_lowercase().replace(['_', '-'], "").ends_with(SECRET_ACCESS_KEY)
    {
        Some(Special::SecretAccessKey)
    } else {
        None
    }
}

impl Special {
    fn holds_secret(self, scan: &SecretScan<'_>, field: &Field) -> bool {
        let value = &scan.text[field.value.clone()];
        let equals = field.sign == Sign::Equals;
        let base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+');
        match self {
            // `Service::ApiKey` is the name of a type.
            Self::Header if scan.byte_before(field.name.start) == b':' => false,
            Self::Header if scan.rules.code() => plausible_in_code(value),
            Self::Header => !is_plain(value, SecretFamily::ApiKey) && !is_expression(value),
            Self::Registry => equals && !is_expression(value),
            Self::Storage => equals && value.len() >= LEAST_STORAGE_KEY && !made_of_words(value),
            Self::SecretAccessKey => {
                value.len() == SECRET_ACCESS_KEY_CHARS && value.bytes().all(base64)
            }
        }
    }
}

/// Whether a name, its place and its value together are a secret.
fn is_secret(scan: &mut SecretScan<'_>, field: &Field) -> bool {
    let name = &scan.text[field.name.clone()];
    let value = &scan.text[field.value.clone()];
    let Some(family) = family(name) else { return false };
    let computed = !field.value_quoted
        && (is_expression(value) || field.spaced && field.sign == Sign::Equals && is_field(value));
    if computed || is_plain(value, family) || value.starts_with("-----BEGIN ") {
        return false;
    }
    let shouted = name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    match field.sign {
        Sign::Equals if shouted => true,
        Sign::Equals if field.name_quoted => field.value_quoted && family != SecretFamily::Auth,
        Sign::Equals => {
            let before = scan.byte_before(field.name.start);
            let listed = matches!(family, SecretFamily::Password | SecretFamily::Secret)
                && (is_blank(before) || matches!(before, b';' | b'&' | b'?' | b'\'' | b'"'));
            let place = name.contains('.') && !field.spaced
                || at_line_start(scan, field.name.start)
                || listed && !field.spaced;
            place && !scan.line_has_url(field.name.start)
        }
        Sign::Colon if field.value_quoted => family != SecretFamily::Auth,
        Sign::Colon if field.name_quoted => false,
        Sign::Colon => {
            family != SecretFamily::Auth
                && at_line_start(scan, field.name.start)
                && !scan.line_has_url(field.name.start)
                && reads_like_value(value, family)
        }
    }
}

/// Words after a colon may be prose. A pass phrase may be several words, a token is one.
fn reads_like_value(value: &str, family: SecretFamily) -> bool {
    !value.starts_with(['!', '&', '*', '{', '['])
        && (matches!(family, SecretFamily::Password | SecretFamily::Secret) || !value.contains(' '))
}

/// Whether a value is none that anybody would hide.
fn is_plain(value: &str, family: SecretFamily) -> bool {
    let value = value.trim_end_matches([',', ';']);
    let number =
        || value.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b','));
    PLAIN_VALUES.iter().any(|plain| plain.eq_ignore_ascii_case(value))
        || family == SecretFamily::Token && value.len() <= 12 && number()
        || family == SecretFamily::Auth && value.len() <= 2
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn whole_name(scan: &SecretScan<'_>, hit: &Range<usize>) -> Option<Range<usize>> {
    let start = scan.run_start(hit.start, LONGEST_NAME, is_name);
    let end = scan.run_end_within(hit.end, LONGEST_NAME, is_name);
    if hit.start - start == LONGEST_NAME || end - hit.end == LONGEST_NAME {
        return None;
    }
    let name = &scan.text[start..end];
    let front = name.len() - name.trim_start_matches(['-', '.']).len();
    let name = name.trim_end_matches(['-', '.']);
    (front < name.len()).then(|| start + front..start + name.len())
}

/// The sign and the value behind a name.
fn field(scan: &SecretScan<'_>, name: Range<usize>) -> Option<Field> {
    let mut at = name.end;
    if scan.byte(at) == b'\\' && is_quote(scan.byte(at + 1)) {
        at += 1;
    }
    let name_quoted = is_quote(scan.byte(at));
    at += usize::from(name_quoted);
    at += usize::from(name_quoted && scan.byte(at) == b']');
    let sign_at = scan.run_end_within(at, WIDEST_GAP, is_gap);
    let (sign, length) = match (scan.byte(sign_at), scan.byte(sign_at + 1)) {
        (b':', b'=') => (Sign::Equals, 2),
        (b'=', b'>') => (Sign::Colon, 2),
        (b':', b':') | (b'=', b'=' | b'~') => return None,
        (b':', _) => (Sign::Colon, 1),
        (b'=', _) => (Sign::Equals, 1),
        _ => return None,
    };
    let behind = sign_at + length;
    let start = scan.run_end_within(behind, WIDEST_GAP, is_gap);
    let spaced = sign_at > at || start > behind;
    let (value, value_quoted) = match quoted(scan, start) {
        Some(value) => (value, true),
        None => (unquoted(scan, start, sign, name_quoted, JUDGED), false),
    };
    (!value.is_empty()).then_some(Field { name, name_quoted, sign, spaced, value, value_quoted })
}

/// The inside of a string, also one whose quotes are escaped because it stands in another string.
fn quoted(scan: &SecretScan<'_>, at: usize) -> Option<Range<usize>> {
    let at = at
        + usize::from(matches!(scan.byte(at), b'b' | b'r' | b'u') && is_quote(scan.byte(at + 1)));
    let escaped = scan.byte(at) == b'\\';
    let open = at + usize::from(escaped);
    let quote = scan.byte(open);
    if !is_quote(quote) {
        return None;
    }
    let start = open + 1;
    let mut end = start;
    while end < start + LONGEST_QUOTED {
        match scan.byte(end) {
            b'\\' if escaped && scan.byte(end + 1) == quote => return Some(start..end),
            b'\\' => end += 2,
            b'\n' => break,
            byte if byte == quote => return Some(start..end),
            _ if end >= scan.text.len() => break,
            _ => end += 1,
        }
    }
    // Cut off: up to the next blank.
    Some(start..scan.run_end(start, |byte| !is_blank(byte)))
}

/// A value without quotes: up to a blank, in a list of settings up to the end of the line.
fn unquoted(
    scan: &SecretScan<'_>,
    start: usize,
    sign: Sign,
    name_quoted: bool,
    most: usize,
) -> Range<usize> {
    let bytes = &scan.bytes()[..scan.text.floor_char_boundary(start.saturating_add(most))];
    let mut end = start;
    while let Some(&byte) = bytes.get(end) {
        let next = scan.byte(end + 1);
        let stop = match byte {
            b'\\' => matches!(next, b'n' | b'r' | b't' | b'"' | b'\''),
            b'&' => sign == Sign::Equals,
            b' ' => sign == Sign::Equals || name_quoted || next == b'#',
            _ if is_quote(byte) => {
                is_blank(next) || matches!(next, b',' | b'}' | b']' | b')' | b':' | b';')
            }
            _ => is_blank(byte),
        };
        if stop {
            break;
        }
        end += 1;
    }
    let value = scan.text[start..end].trim_end_matches([',', ';', ')', ' ', '"', '\'', '`']);
    start..start + value.len()
}

/// Whether only marks and commands that set variables stand before a name on its line.
fn at_line_start(scan: &SecretScan<'_>, at: usize) -> bool {
    let from = at.saturating_sub(LINE_LEAD);
    let before = &scan.bytes()[from..at];
    let line = match memchr::memrchr2(b'\n', 0, before) {
        Some(newline) => &before[newline + 1..],
        None if from == 0 => before,
        None => return false,
    };
    let mut lead = line.trim_ascii();
    let digits = lead.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > 0 && matches!(lead.get(digits), Some(b'|' | b':')) {
        lead = lead[digits + 1..].trim_ascii();
    }
    matches!(
        lead,
        b"" | b"-"
            | b"+"
            | b">"
            | b"\""
            | b"'"
            | b"export"
            | b"set"
            | b"setenv"
            | b"local"
            | b"readonly"
            | b"declare -x"
            | b"set -x"
            | b"- export"
            | b"$env:"
    )
}
