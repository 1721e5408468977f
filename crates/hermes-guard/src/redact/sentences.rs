//! Secrets that a sentence tells: `The admin password is …`, `Temporary password for ada: …`.

use std::ops::Range;

use super::mask::is_masked;
use super::memorable::{begins_as_program_word, is_memorable};
use super::names::{SecretFamily, family};
use super::scan::{SecretScan, is_blank};
use super::values::{SecretLook, is_reference, look, stands_in};
use super::words::is_placeholder;

/// Furthest that the value may stand behind the name, in bytes and in words.
const FURTHEST: usize = 64;
const MOST_WORDS: usize = 6;
/// Shortest key that a sentence tells.
const LEAST_KEY: usize = 16;
const LONGEST_VALUE: usize = 256;

/// Words behind which the value stands.
const TELLING: &[&str] = &[
    "is", "was", "are", "=", "ist", "lautet", "war", "est", "es", "será", "é", "è", "to", "är",
    "er", "on", "to:", "jest", "это",
];

/// Hides the value that a sentence tells behind a name. Says whether it did.
pub(super) fn visit(scan: &mut SecretScan<'_>, name: &Range<usize>) -> bool {
    if scan.byte(name.end) != b' ' || scan.text[name.clone()].eq_ignore_ascii_case("key") {
        return false;
    }
    let near = scan.text.floor_char_boundary(name.end + 1 + FURTHEST);
    let line = &scan.text[name.end + 1..near];
    let line = line.split('\n').next().unwrap_or_default();
    let mut at = name.end + 1;
    for word in line.split(' ').take(MOST_WORDS) {
        at += word.len() + 1;
        let told = TELLING.contains(&word) || word.ends_with(':') && !word.starts_with('"');
        if told && scan.byte_before(at) == b' ' && tells(scan, name, at) {
            return true;
        }
        let plain = word.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || byte >= 0x80 || b"@._'-():=%\"".contains(&byte)
        });
        if !plain || word.is_empty() || word.ends_with(['.', ':']) {
            return false;
        }
    }
    false
}

fn tells(scan: &mut SecretScan<'_>, name: &Range<usize>, start: usize) -> bool {
    let end = scan.run_end_within(start, LONGEST_VALUE, |byte| !is_blank(byte));
    let end = scan.text.floor_char_boundary(end);
    let open = |edge: char| matches!(edge, '"' | '\'' | '`' | '*' | '(' | '“');
    let close = |edge: char| matches!(edge, '"' | '\'' | '`' | ',' | '.' | ';' | ')' | '”');
    let word = &scan.text[start..end];
    let value = word.trim_start_matches(open);
    let from = start + word.len() - value.len();
    let value = value.trim_end_matches(close);
    let Some(family) = family(&scan.text[name.clone()]) else { return false };
    let signed = value.bytes().any(|byte| byte.is_ascii_digit());
    let fits = match family {
        SecretFamily::Password => {
            signed
                && (look(value) >= SecretLook::Chosen || is_memorable(value) && value.contains('-'))
        }
        SecretFamily::Auth | SecretFamily::Credential => false,
        _ => value.len() >= LEAST_KEY && look(value) == SecretLook::Generated,
    };
    let secret = fits
        && !is_masked(value)
        && !is_placeholder(value)
        && !stands_in(value)
        && !is_reference(value)
        && !begins_as_program_word(value)
        && !value.contains(['(', '{', '<', '[', '\\']);
    if secret {
        super::keys::hide_value(scan, from..from + value.len());
    }
    secret
}
