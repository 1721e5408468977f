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
    let bare = scan.text[name.clone()].eq_ignore_ascii_case("key");
    if scan.byte(name.end) != b' ' || bare && is_public(scan, name) {
        return false;
    }
    let near = scan.text.floor_char_boundary(name.end + 1 + FURTHEST);
    let line = &scan.text[name.end + 1..near];
    let line = line.split('\n').next().unwrap_or_default();
    let mut at = name.end + 1;
    for word in line.split(' ').take(MOST_WORDS) {
        at += word.len() + 1;
        let told = TELLING.contains(&word) && !(bare && word == "=")
            || word.ends_with(':') && !word.starts_with('"');
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

/// How far before the word `key` it is said whose.
const WHOSE: usize = 24;

/// Whether the key of a sentence is one that everybody may have, or one of a table.
fn is_public(scan: &SecretScan<'_>, name: &Range<usize>) -> bool {
    let from = scan.text.floor_char_boundary(name.start.saturating_sub(WHOSE));
    let before = scan.text[from..name.start].to_ascii_lowercase();
    [
        "public",
        "pub ",
        "host",
        "peer",
        "gpg",
        "pgp",
        "ssh",
        "verif",
        "cache",
        "primary",
        "foreign",
        "sort",
        "partition",
        "object",
        "lookup",
        "unique",
        "project",
        "tag ",
        "index",
    ]
    .iter()
    .any(|word| before.contains(word))
}

/// `admin / value`, behind a word that means a login.
fn tells_login(scan: &mut SecretScan<'_>, start: usize) -> bool {
    let end = scan.run_end_within(start, LONGEST_VALUE, |byte| byte != b'\n');
    let text = &scan.text[start..scan.text.floor_char_boundary(end)];
    let Some((user, rest)) = text.split_once(" / ").or_else(|| text.split_once('/')) else {
        return false;
    };
    let password = rest.split(is_space).next().unwrap_or_default();
    let password = password.trim_end_matches(['.', ',', '"', '\'', '`', ')']);
    let fits = !user.is_empty()
        && user.len() <= FURTHEST
        && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._@-".contains(&byte))
        && password.bytes().any(|byte| byte.is_ascii_digit())
        && look(password) >= SecretLook::Chosen
        && !stands_in(password)
        && !is_reference(password)
        && !is_masked(password);
    if fits {
        let from = start + text.len() - rest.len();
        super::keys::hide_value(scan, from..from + password.len());
    }
    fits
}

fn is_space(letter: char) -> bool {
    letter.is_ascii_whitespace()
}

/// `seed phrase is: …`: the words up to the end of the line.
fn tells_phrase(scan: &mut SecretScan<'_>, start: usize) -> bool {
    let end = scan.run_end_within(start, LONGEST_VALUE, |byte| byte != b'\n');
    let text = &scan.text[start..scan.text.floor_char_boundary(end)];
    let phrase = text.trim_end_matches(['.', '"', '\'', '`', ' ', '\r']);
    let open = phrase.len() - phrase.trim_start_matches(['"', '\'', '`', ' ']).len();
    if !phrase[open..].contains(' ') || look(&phrase[open..]) != SecretLook::Generated {
        return false;
    }
    super::keys::hide_value(scan, start + open..start + phrase.len());
    true
}

fn tells(scan: &mut SecretScan<'_>, name: &Range<usize>, start: usize) -> bool {
    let named = scan.text[name.clone()].to_ascii_lowercase();
    if (named.ends_with("phrase") || named.ends_with("mnemonic")) && tells_phrase(scan, start) {
        return true;
    }
    let end = scan.run_end_within(start, LONGEST_VALUE, |byte| !is_blank(byte));
    let end = scan.text.floor_char_boundary(end);
    let open = |edge: char| matches!(edge, '"' | '\'' | '`' | '*' | '(' | '“');
    let close = |edge: char| matches!(edge, '"' | '\'' | '`' | ',' | '.' | ';' | ')' | '”');
    let word = &scan.text[start..end];
    let value = word.trim_start_matches(open);
    let from = start + word.len() - value.len();
    let value = value.trim_end_matches(close);
    let Some(family) = family(&scan.text[name.clone()]) else { return false };
    if family == SecretFamily::Credential {
        return tells_login(scan, start);
    }
    let least = if named == "key" { 2 * LEAST_KEY } else { LEAST_KEY };
    let signed = value.bytes().any(|byte| byte.is_ascii_digit());
    let fits = match family {
        SecretFamily::Password => {
            signed
                && (look(value) >= SecretLook::Chosen || is_memorable(value) && value.contains('-'))
        }
        SecretFamily::Auth | SecretFamily::Credential => false,
        _ => value.len() >= least && look(value) == SecretLook::Generated,
    };
    let secret = fits
        && !is_masked(value)
        && !is_placeholder(value)
        && !stands_in(value)
        && !is_reference(value)
        && !begins_as_program_word(value)
        && !value.to_ascii_lowercase().contains("password")
        && !value.contains(['(', '{', '<', '[', '\\']);
    if secret {
        super::keys::hide_value(scan, from..from + value.len());
    }
    secret
}
