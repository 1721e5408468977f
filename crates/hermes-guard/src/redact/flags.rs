//! Passwords on command lines and in login files.

use std::ops::Range;

use memchr::memmem;

use super::mask::is_masked;
use super::names::{SecretFamily, family};
use super::scan::{SecretScan, is_blank, is_gap, is_quote, is_token};
use super::words::is_placeholder;

/// How far back on the line the program's name may stand.
const LINE_BACK: usize = 256;
/// Programs whose `-p` is a password, and whether it has to follow without a blank.
const WITH_PASSWORD: [(&str, Attached); 3] =
    [("sshpass", Attached::Maybe), ("mysql", Attached::Always), ("mariadb", Attached::Always)];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Attached {
    Maybe,
    Always,
}

/// Words that follow an option in its description, not in its use.
const DESCRIPTIONS: &[&str] = &[
    "a",
    "an",
    "and",
    "are",
    "argument",
    "arguments",
    "as",
    "at",
    "be",
    "by",
    "can",
    "do",
    "does",
    "field",
    "file",
    "flag",
    "flags",
    "for",
    "from",
    "has",
    "have",
    "if",
    "in",
    "instead",
    "is",
    "it",
    "may",
    "must",
    "not",
    "of",
    "on",
    "option",
    "options",
    "or",
    "parameter",
    "should",
    "string",
    "stringArray",
    "strings",
    "text",
    "that",
    "the",
    "this",
    "to",
    "value",
    "values",
    "via",
    "was",
    "when",
    "which",
    "will",
    "with",
];

/// A value on a command line: within quotes, or up to a blank or quote.
fn argument(scan: &SecretScan<'_>, at: usize) -> Range<usize> {
    let quote = scan.byte(at);
    if is_quote(quote) {
        let end = scan.run_end(at + 1, |byte| byte != quote && byte != b'\n');
        return at + 1..end;
    }
    at..scan.run_end(at, |byte| !is_blank(byte) && !is_quote(byte))
}

/// `--password value`, `--token=value`. The range is the name without its dashes.
pub(super) fn long_option(scan: &mut SecretScan<'_>, name: Range<usize>) {
    let secret = matches!(
        family(&scan.text[name.clone()]),
        Some(
            SecretFamily::Password
                | SecretFamily::Secret
                | SecretFamily::Token
                | SecretFamily::ApiKey
        )
    ) || scan.text[name.clone()].eq_ignore_ascii_case("pass");
    let separator = scan.byte(name.end);
    if !secret || !(separator == b'=' || is_gap(separator)) {
        return;
    }
    let start = if separator == b'=' { name.end + 1 } else { scan.run_end(name.end, is_gap) };
    let range = argument(scan, start);
    let value = &scan.text[range.clone()];
    let described = is_gap(separator)
        && (value.starts_with(['-', '[', '|', '(', ',', '='])
            || DESCRIPTIONS.contains(&value.trim_end_matches([',', '.', ':']))
            || value.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'));
    if value.is_empty() || described || is_placeholder(value) || value.starts_with("$(") {
        return;
    }
    scan.hide(range);
}

/// `-u user:password` and `--user user:password`.
pub(super) fn user(scan: &mut SecretScan<'_>, hit: Range<usize>) {
    let option = scan.run_start(hit.start, 16, is_token);
    let name = &scan.text[option..hit.end];
    let before = scan.byte_before(option);
    let known = name == "-u" || matches!(name, "--user" | "--proxy-user");
    let separator = scan.byte(hit.end);
    if !known
        || !(is_blank(before) || is_quote(before))
        || !(is_gap(separator) || separator == b'=')
    {
        return;
    }
    let range = argument(scan, scan.run_end(hit.end + 1, is_gap));
    let Some((user, password)) = scan.text[range.clone()].split_once(':') else { return };
    let numeric = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if user.is_empty()
        || password.is_empty()
        || password.starts_with(['/', '\\'])
        || numeric(user) && numeric(password)
        || is_placeholder(password)
        || is_masked(&scan.text[range.clone()])
    {
        return;
    }
    scan.hide(range.start + user.len() + 1..range.end);
}

/// `sshpass -p password`, `mysql -ppassword`.
pub(super) fn password_option(scan: &mut SecretScan<'_>, hit: Range<usize>) {
    let bytes = scan.bytes();
    let line = &bytes[hit.start.saturating_sub(LINE_BACK)..hit.start];
    let from = memchr::memrchr3(b'\n', b'|', b';', line).map_or(0, |at| at + 1);
    let program = WITH_PASSWORD
        .iter()
        .find(|(program, _)| memmem::find(&line[from..], program.as_bytes()).is_some());
    let Some(&(_, attached)) = program else { return };
    let start = match attached {
        Attached::Always => hit.end,
        Attached::Maybe => scan.run_end(hit.end, is_gap),
    };
    let range = argument(scan, start);
    let value = &scan.text[range.clone()];
    if !value.is_empty() && !is_placeholder(value) {
        scan.hide(range);
    }
}

/// `machine host login user password value`. The range is the word `password`.
pub(super) fn netrc(scan: &mut SecretScan<'_>, word: Range<usize>) {
    let from = word.start.saturating_sub(LINE_BACK);
    let before = String::from_utf8_lossy(&scan.bytes()[from..word.start]);
    let mut words = before.split_ascii_whitespace().rev();
    let names_user = matches!(words.nth(1), Some("login" | "machine" | "account"));
    let entry = before.split_ascii_whitespace().any(|word| matches!(word, "machine" | "default"));
    if !names_user || !entry {
        return;
    }
    let start = scan.run_end(word.end, is_blank);
    let range = argument(scan, start);
    if !range.is_empty() && !is_placeholder(&scan.text[range.clone()]) {
        scan.hide(range);
    }
}
