//! Logins that are handed to a function: `connect(address, user, password)`, `login(user, password)`.
//!
//! The place tells what an argument is, so the value has to look like a password by itself.

use std::ops::Range;

use super::mask::is_masked;
use super::memorable::is_memorable;
use super::scan::{SecretScan, is_blank, is_quote};
use super::values::{SecretLook, follows_password_rules, is_reference, look, stands_in};
use super::words::is_placeholder;

/// How far the arguments of a call are read, and how many.
const LONGEST_CALL: usize = 512;
const MOST_ARGUMENTS: usize = 6;
/// Shortest key of a client.
const LEAST_KEY: usize = 24;

/// How the calls end that take a login, and the places where the password may stand, counted from nought.
const CALLS: &[(&str, std::ops::RangeInclusive<usize>)] = &[
    ("connect(", 2..=2),
    ("connection(", 2..=2),
    ("pdo(", 2..=2),
    ("login(", 1..=1),
    ("auth(", 1..=1),
    ("auth=(", 1..=1),
    ("credential(", 1..=1),
    ("credentials(", 1..=3),
    ("client(", 0..=1),
];

/// Looks at the arguments behind the name of a function, which is the hit with its bracket.
pub(super) fn visit(scan: &mut SecretScan<'_>, hit: Range<usize>) {
    let name = scan.text[hit.clone()].to_ascii_lowercase();
    let Some((_, places)) = CALLS.iter().find(|(call, _)| *call == name) else { return };
    let mut at = hit.end;
    let limit = hit.end + LONGEST_CALL;
    for place in 0..MOST_ARGUMENTS {
        at = scan.run_end_within(at, LONGEST_CALL, is_blank);
        let quote = scan.byte(at);
        if is_quote(quote) {
            let end =
                scan.run_end_within(at + 1, LONGEST_CALL, |byte| byte != quote && byte != b'\n');
            if scan.byte(end) != quote {
                return;
            }
            let range = at + 1..end;
            // A client takes an address and a key.
            let value = &scan.text[range.clone()];
            let client = name == "client("
                && (look(value) != SecretLook::Generated || value.len() < LEAST_KEY);
            if places.contains(&place) && !client && is_password(&scan.text[range.clone()]) {
                return super::keys::hide_value(scan, range);
            }
            if name == "client(" && place == 0 && !scan.text[range].contains("://") {
                return;
            }
            at = end + 1;
        }
        at = scan.run_end_within(at, LONGEST_CALL, |byte| {
            !matches!(byte, b',' | b')' | b'\n' | b'"' | b'\'' | b'(')
        });
        if scan.byte(at) != b',' || at > limit {
            return;
        }
        at += 1;
    }
}

fn is_password(value: &str) -> bool {
    (look(value) >= SecretLook::Chosen || is_memorable(value) || follows_password_rules(value))
        && !is_masked(value)
        && !is_placeholder(value)
        && !stands_in(value)
        && !is_reference(value)
        && !value.contains('@')
}
