//! Passwords behind options of one letter, and those that one program hands to the next.

use std::ops::Range;

use memchr::memmem;

use super::flags::{argument, look_or_memory};
use super::mask::is_masked;
use super::scan::{SecretScan, is_gap};
use super::values::{SecretLook, follows_password_rules, is_reference, look, stands_in};
use super::words::is_placeholder;

/// How far back on the line the program's name may stand.
const LINE_BACK: usize = 256;
/// Programs with a short option that is a password, and whether it has to follow without a blank.
const WITH_PASSWORD: &[(&str, u8, Attached)] = &[
    ("sshpass", b'p', Attached::Maybe),
    ("mysql", b'p', Attached::Always),
    ("mariadb", b'p', Attached::Always),
    ("7z", b'p', Attached::Always),
    ("login", b'p', Attached::Maybe),
    ("mongo", b'p', Attached::Maybe),
    ("redis-cli", b'a', Attached::Maybe),
    ("zip", b'P', Attached::Maybe),
    ("mosquitto", b'P', Attached::Maybe),
    ("ldap", b'w', Attached::Maybe),
    ("smbclient", b'U', Attached::Maybe),
    ("ssh-keygen", b'N', Attached::Never),
    ("openssl", b'k', Attached::Never),
    ("codecov", b't', Attached::Never),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Attached {
    Maybe,
    Always,
    Never,
}

/// What `echo` hands to a program that reads a password.
pub(super) fn piped(scan: &mut SecretScan<'_>, hit: Range<usize>) {
    if here_string(scan, hit.end) {
        return;
    }
    if scan.text[hit.clone()].ends_with("set ") {
        return settings(scan, hit.end);
    }
    let from = scan.done().max(hit.start.saturating_sub(LINE_BACK));
    let before = &scan.bytes()[from..hit.start];
    let Some(pipe) = memchr::memrchr(b'|', before) else { return };
    let said = ["echo ", "printf "]
        .iter()
        .find_map(|say| memmem::rfind(&before[..pipe], say.as_bytes()).map(|at| at + say.len()));
    let Some(said) = said else { return };
    let start = scan.run_end(from + said, is_gap);
    // `echo -n value`
    let start = if scan.byte(start) == b'-' {
        scan.run_end(argument(scan, start).end, is_gap)
    } else {
        start
    };
    let mut range = argument(scan, start);
    if !scan.text[hit.clone()].ends_with('S')
        && let Some((user, _)) = scan.text[range.clone()].split_once(':')
    {
        range.start += user.len() + 1;
    }
    let value = &scan.text[range.clone()];
    if range.end < hit.start
        && look_or_memory(value)
        && !is_masked(value)
        && !value.starts_with('$')
    {
        super::keys::hide_value(scan, range);
    }
}

/// `secrets set NAME=value …`: whatever is set there is a secret.
fn settings(scan: &mut SecretScan<'_>, start: usize) {
    let limit = scan.run_end_within(start, LINE_BACK, |byte| byte != b'\n');
    let mut at = start;
    let mut behind_option = false;
    while at < limit {
        let mut range = argument(scan, scan.run_end(at, is_gap));
        at = range.end + 1;
        // `secret set NAME --body "value"`
        let given = &scan.text[range.clone()];
        if behind_option && look_or_memory(given) && !is_masked(given) && !is_reference(given) {
            super::keys::hide_value(scan, range);
            behind_option = false;
            continue;
        }
        behind_option = matches!(given, "--body" | "-b" | "--value" | "-v");
        let Some((name, _)) = scan.text[range.clone()].split_once('=') else { continue };
        range.start += name.len() + 1;
        // `NAME="value"`
        if range.is_empty() && at <= limit {
            range = argument(scan, range.end);
            at = range.end + 1;
        }
        let value = &scan.text[range.clone()];
        if look(value) == SecretLook::Generated
            && !is_masked(value)
            && !stands_in(value)
            && !is_reference(value)
        {
            super::keys::hide_value(scan, range);
        }
    }
}

/// `cryptsetup … <<< "value"`. Says whether something was hidden.
fn here_string(scan: &mut SecretScan<'_>, from: usize) -> bool {
    let end = scan.run_end_within(from, LINE_BACK, |byte| byte != b'\n');
    let Some(mark) = memmem::find(&scan.bytes()[from..end], b"<<<") else { return false };
    let mut range = argument(scan, scan.run_end(from + mark + 3, is_gap));
    // `chpasswd <<< name:value`
    if let Some((user, _)) = scan.text[range.clone()].split_once(':') {
        range.start += user.len() + 1;
    }
    let value = &scan.text[range.clone()];
    let secret =
        look_or_memory(value) && !is_masked(value) && !stands_in(value) && !value.starts_with('$');
    if secret {
        super::keys::hide_value(scan, range);
    }
    secret
}

/// Options that say who logs in: behind one of them a password is likely.
const WHO: &[&str] = &[" -u", " -U", " -D", " --user", " -l "];

/// Looks at an option of one letter, which ends the hit.
pub(super) fn password_option(scan: &mut SecretScan<'_>, hit: Range<usize>) {
    let bytes = scan.bytes();
    let letter = scan.byte_before(hit.end);
    let line = &bytes[hit.start.saturating_sub(LINE_BACK)..hit.start];
    let from = memchr::memrchr3(b'\n', b'|', b';', line).map_or(0, |at| at + 1);
    let line = &line[from..];
    let program = WITH_PASSWORD.iter().find(|(program, option, _)| {
        *option == letter && memmem::find(line, program.as_bytes()).is_some()
    });
    match program {
        Some((_, _, attached)) => known(scan, hit.end, letter, *attached),
        None if is_gap(scan.byte(hit.end)) => unknown(scan, line, hit.end, letter),
        None => {}
    }
}

/// `sshpass -p password`, `mysql -ppassword`, `redis-cli -a password`.
fn known(scan: &mut SecretScan<'_>, end: usize, letter: u8, attached: Attached) {
    let start = match attached {
        Attached::Always => end,
        Attached::Never if !is_gap(scan.byte(end)) => return,
        Attached::Maybe | Attached::Never => scan.run_end(end, is_gap),
    };
    let mut range = argument(scan, start);
    if letter == b'U' {
        // `user%password`
        let Some((user, _)) = scan.text[range.clone()].split_once('%') else { return };
        range.start += user.len() + 1;
    }
    let value = &scan.text[range.clone()];
    if !value.is_empty() && !value.starts_with('-') && !is_placeholder(value) {
        super::keys::hide_value(scan, range);
    }
}

/// The same of a program that is not known: the value has to look like a password, and somebody has
/// to log in with it. `-a name:password` says so itself.
fn unknown(scan: &mut SecretScan<'_>, line: &[u8], end: usize, letter: u8) {
    let mut range = argument(scan, scan.run_end(end, is_gap));
    let value = &scan.text[range.clone()];
    let secret = if letter == b'a' {
        let Some((user, password)) = value.split_once(':') else { return };
        let fits = follows_password_rules(password) || look(password) >= SecretLook::Chosen;
        range.start += user.len() + 1;
        fits && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._@-".contains(&byte))
    } else {
        (follows_password_rules(value) || look(value) >= SecretLook::Chosen)
            && WHO.iter().any(|who| memmem::find(line, who.as_bytes()).is_some())
    };
    let value = &scan.text[range.clone()];
    if secret
        && !stands_in(value)
        && !is_reference(value)
        && !is_placeholder(value)
        && !is_masked(value)
        && !value.contains(['/', '$', '(', '{', '='])
    {
        super::keys::hide_value(scan, range);
    }
}
