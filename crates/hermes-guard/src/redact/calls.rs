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
const LEAST_KEY: usize = 20;

/// What an argument has to look like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Argument {
    /// What a person or a generator makes.
    Password,
    /// Only what a generator makes.
    Key,
}

/// How the calls end that take a login or a key, the places where it may stand, counted from nought, and
/// what it looks like there.
const CALLS: &[(&str, std::ops::RangeInclusive<usize>, Argument)] = &[
    ("connect(", 2..=2, Argument::Password),
    ("connection(", 2..=2, Argument::Password),
    ("mysqli(", 2..=2, Argument::Password),
    ("pdo(", 2..=2, Argument::Password),
    ("login(", 1..=1, Argument::Password),
    (".login(", 0..=0, Argument::Key),
    (".run(", 0..=0, Argument::Key),
    ("bot(", 0..=0, Argument::Key),
    ("auth(", 1..=1, Argument::Password),
    ("auth=(", 1..=1, Argument::Password),
    ("auth = (", 1..=1, Argument::Password),
    ("credential(", 1..=1, Argument::Password),
    ("credentials(", 1..=3, Argument::Password),
    ("client(", 0..=1, Argument::Key),
    ("hmac(", 0..=1, Argument::Key),
    ("hmac.new(", 0..=0, Argument::Key),
    ("fernet(", 0..=0, Argument::Key),
    ("keyspec(", 0..=0, Argument::Key),
    ("jwt.sign(", 1..=3, Argument::Key),
    ("jwt.encode(", 1..=3, Argument::Key),
    ("jwt.verify(", 1..=1, Argument::Key),
    ("jwt.decode(", 1..=1, Argument::Key),
    ("signwith(", 0..=1, Argument::Key),
    ("twilio(", 1..=1, Argument::Key),
    ("pusher(", 2..=2, Argument::Key),
    ("algoliasearch(", 1..=1, Argument::Key),
    ("aes.new(", 0..=0, Argument::Key),
    ("createcipheriv(", 1..=1, Argument::Key),
];

/// The calls as the automaton looks for them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    CALLS.iter().map(|(name, ..)| *name)
}

/// Looks at the arguments behind the name of a function, which is the hit with its bracket.
pub(super) fn visit(scan: &mut SecretScan<'_>, hit: Range<usize>) {
    let name = scan.text[hit.clone()].to_ascii_lowercase();
    let Some((_, places, kind)) = CALLS.iter().find(|(call, ..)| *call == name) else { return };
    let mut at = hit.end;
    let limit = hit.end + LONGEST_CALL;
    for place in 0..MOST_ARGUMENTS {
        at = scan.run_end_within(at, LONGEST_CALL, is_blank);
        // `b"…"`
        at += usize::from(scan.byte(at) == b'b' && is_quote(scan.byte(at + 1)));
        let quote = scan.byte(at);
        if is_quote(quote) {
            let end =
                scan.run_end_within(at + 1, LONGEST_CALL, |byte| byte != quote && byte != b'\n');
            if scan.byte(end) != quote {
                return;
            }
            let range = at + 1..end;
            let value = &scan.text[range.clone()];
            let fits = *kind == Argument::Password
                || look(value) == SecretLook::Generated && value.len() >= LEAST_KEY;
            // The first of two keys is the number of the account.
            let last = scan.byte(end + 1) != b',' || place > 0 || *places.end() == 0;
            if places.contains(&place)
                && fits
                && (*kind == Argument::Password || last)
                && is_password(value)
            {
                return super::keys::hide_value(scan, range);
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
