//! Credentials in HTTP headers.

use super::mask::is_masked;
use super::scan::{SecretScan, is_blank, is_gap, is_quote, is_token, is_word};
use super::words::{is_expression, is_field, is_placeholder, made_of_words};

/// Ways to prove who one is that are known by name.
const SCHEMES: &[&str] = &[
    "apikey",
    "basic",
    "bearer",
    "bot",
    "digest",
    "hawk",
    "hmac",
    "key",
    "negotiate",
    "ntlm",
    "oauth",
    "sharedkey",
    "token",
];

/// Shortest value that is taken for a secret in source code.
const LEAST_IN_CODE: usize = 8;
/// Longest name of a scheme or a cookie.
const LONGEST_NAME: usize = 64;

/// What is said about a header in place of its value.
const STATES: &[&str] = &[
    "required", "optional", "missing", "invalid", "none", "null", "true", "false", "string", "yes",
    "no",
];

/// Parts of a `Set-Cookie` header that are about the cookie.
const COOKIE_ATTRIBUTES: &[&str] =
    &["path", "domain", "expires", "max-age", "samesite", "version", "priority", "comment"];

/// Whether a value in source code is more than a name, a type or a computation.
pub(super) fn plausible_in_code(value: &str) -> bool {
    let bare = value.trim_end_matches([',', ';', ')', '}', ']']);
    bare.len() >= LEAST_IN_CODE
        && bare.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._~+/=-:@%".contains(&byte))
        && !made_of_words(bare)
        && !is_expression(value)
        && !is_field(bare)
}

/// Behind the name of a header or field: past quotes, the colon or equals sign, to the value.
pub(super) fn value_start(scan: &SecretScan<'_>, name_end: usize) -> Option<usize> {
    let mut at = past_quote(scan, name_end);
    if scan.byte(at) == b']' {
        at += 1;
    }
    at = scan.run_end(at, is_gap);
    // `set_header Authorization "Basic …"`
    if at > name_end && is_quote(scan.byte(at)) {
        return Some(at + 1);
    }
    if !matches!(scan.byte(at), b':' | b'=') || matches!(scan.byte(at + 1), b'=' | b':') {
        return None;
    }
    at = scan.run_end(at + 1, is_gap);
    if matches!(scan.byte(at), b'b' | b'f' | b'r' | b'u' | b'$' | b'@')
        && is_quote(scan.byte(at + 1))
    {
        at += 1;
    }
    Some(past_quote(scan, at))
}

fn past_quote(scan: &SecretScan<'_>, at: usize) -> usize {
    let at = if scan.byte(at) == b'\\' && is_quote(scan.byte(at + 1)) { at + 1 } else { at };
    if is_quote(scan.byte(at)) { at + 1 } else { at }
}

fn ends_credential(byte: u8) -> bool {
    is_blank(byte) || is_quote(byte) || byte == b'\\'
}

/// `Authorization: Scheme credential`, with any scheme or none.
pub(super) fn authorization(scan: &mut SecretScan<'_>, name: std::ops::Range<usize>) {
    if is_word(scan.byte_before(name.start)) {
        return;
    }
    let Some(start) = value_start(scan, name.end) else { return };
    let first_end = scan.run_end(start, |byte| !ends_credential(byte));
    let first = &scan.text[start..first_end];
    let second = scan.run_end(first_end, is_gap);
    let has_second = second > first_end && !ends_credential(scan.byte(second));
    let code = scan.rules.code();
    let known = SCHEMES.iter().any(|scheme| scheme.eq_ignore_ascii_case(first))
        || first.to_ascii_uppercase().starts_with("AWS4-");
    let names_scheme = known
        || first.len() <= LONGEST_NAME
            && first.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && first.bytes().all(is_token);
    if has_second && names_scheme {
        let end = scan.run_end(second, |byte| !ends_credential(byte));
        let credential = &scan.text[second..end];
        if is_masked(credential) {
            return scan.keep(second..end);
        }
        if stands_for_secret(credential, code) {
            return;
        }
        let ends_line = matches!(scan.byte(end), 0 | b'\r' | b'\n') || is_quote(scan.byte(end));
        if known || plausible_in_code(credential) || !code && ends_line {
            return hide_parameters(scan, second);
        }
    }
    if is_masked(first) {
        return scan.keep(start..first_end);
    }
    let says = |word: &str| word.eq_ignore_ascii_case(first.trim_end_matches([',', ';', '.']));
    if first.is_empty()
        || first.contains("://")
        || known
        || stands_for_secret(first, code)
        || STATES.iter().any(|word| says(word))
    {
        return;
    }
    if if code { plausible_in_code(first) } else { !has_second } {
        scan.hide(start..first_end);
    }
}

fn stands_for_secret(value: &str, code: bool) -> bool {
    is_placeholder(value) || code && value.starts_with(['{', '$', '<', '%'])
}

/// Hides a credential and, when it is a list of `name=value`, the rest of the list.
fn hide_parameters(scan: &mut SecretScan<'_>, mut start: usize) {
    loop {
        let mut end = scan.run_end(start, |byte| !ends_credential(byte));
        // name="value"
        if scan.byte_before(end) == b'=' && scan.byte(end) == b'"' {
            let close = scan.run_end(end + 1, |byte| !matches!(byte, b'"' | b'\n' | b'\r'));
            end = if scan.byte(close) == b'"' { close + 1 } else { close };
            end = scan.run_end(end, |byte| byte == b',');
        }
        let more = scan.byte_before(end) == b',';
        let hidden = if more { end - 1 } else { end };
        if hidden > start {
            scan.hide(start..hidden);
        }
        let next = scan.run_end(end, is_gap);
        if !more || next == end || ends_credential(scan.byte(next)) {
            return;
        }
        start = next;
    }
}

/// `Cookie: name=value; name=value` and `Set-Cookie: name=value; Path=/`.
pub(super) fn cookie(scan: &mut SecretScan<'_>, name: std::ops::Range<usize>) {
    let before = scan.byte_before(name.start);
    let option = scan.text[..name.start].ends_with("--");
    if is_word(before) {
        return;
    }
    let start = if option && is_gap(scan.byte(name.end)) {
        past_quote(scan, scan.run_end(name.end, is_gap))
    } else {
        match value_start(scan, name.end) {
            Some(start) => start,
            None => return,
        }
    };
    let mut at = start;
    loop {
        let name_end = scan.run_end(at, |byte| is_token(byte) || byte == b'.');
        let attribute = at > start
            && COOKIE_ATTRIBUTES.iter().any(|a| a.eq_ignore_ascii_case(&scan.text[at..name_end]));
        if name_end == at || name_end - at > LONGEST_NAME {
            return;
        }
        let mut end = name_end;
        if scan.byte(name_end) == b'=' {
            let value = name_end + 1;
            end = scan.run_end(value, |byte| !ends_credential(byte) && byte != b';');
            let text = &scan.text[value..end];
            let harmless = is_placeholder(text)
                || text.len() < LEAST_IN_CODE && made_of_words(text)
                || scan.rules.code() && !plausible_in_code(text);
            if attribute {
                // Dates have blanks.
                end =
                    scan.run_end(end, |byte| !matches!(byte, b';' | b'\n' | b'\r' | b'"' | b'\''));
            } else if !text.is_empty() && !harmless {
                scan.hide(value..end);
            }
        } else if at == start {
            return;
        }
        if scan.byte(end) != b';' {
            return;
        }
        at = scan.run_end(end + 1, is_gap);
    }
}
