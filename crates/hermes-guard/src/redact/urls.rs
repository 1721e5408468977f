//! Credentials in URLs and form bodies.

use std::ops::Range;

use super::flags::look_or_memory;
use super::mask::{MASK, is_masked};
use super::names::{SecretFamily, family};
use super::parameters::is_hidden_parameter;
use super::scan::{Queries, RedactRules, SecretScan, is_blank, is_quote};
use super::values::{SecretLook, look, stands_in};
use super::words::{is_manual_login, is_placeholder};

/// Schemes in which a name alone before the `@` is a token.
const TOKEN_SCHEMES: &[&str] = &[
    "http",
    "https",
    "ws",
    "wss",
    "git",
    "ssh",
    "ftp",
    "ftps",
    "sftp",
    "git+http",
    "git+https",
    "git+ssh",
];
/// How the schemes of databases and queues begin.
const DATABASES: &[&str] = &[
    "postgres",
    "mysql",
    "mariadb",
    "mongodb",
    "redis",
    "amqp",
    "mssql",
    "sqlserver",
    "clickhouse",
    "cockroach",
    "mqtt",
    "smtp",
    "ldap",
    "ftp",
    "sftp",
    "neo4j",
    "bolt",
    "nats",
];
const LONGEST_PASSWORD: usize = 256;
/// What stands in the place of a password where the name before it is a token.
const NO_PASSWORDS: &[&str] =
    &["x-oauth-basic", "x-oauth", "x", "X", "api_token", "unused", "nopass"];
const LONGEST_PARAMETER: usize = 64;
/// Shortest value of a parameter that is hidden in any text.
const LEAST_PARAMETER: usize = 20;
const LONGEST_SCHEME: usize = 24;
/// Shortest token before the `@`.
const LEAST_TOKEN: usize = 8;
/// How far the path of a webhook is read to judge it, and its shortest secret part.
const LONGEST_WEBHOOK: usize = 1024;
const LEAST_WEBHOOK: usize = 8;

/// Paths below which a link lets whoever has it act for somebody.
pub(super) const LINKS: &[&str] = &[
    "/reset-password/",
    "/password-reset/",
    "/password/reset/",
    "/reset_password/",
    "/magic-link/",
    "/verify-email/",
    "/invitations/",
    "/invite/",
];

fn ends_url(byte: u8) -> bool {
    is_blank(byte) || is_quote(byte) || matches!(byte, b'<' | b'>')
}

/// A URL: what stands before the `@`, and the query when the mode looks at queries.
pub(super) fn visit(scan: &mut SecretScan<'_>, slashes: Range<usize>) {
    let start = slashes.end;
    if scan.byte_before(slashes.start) != b':' {
        return without_scheme(scan, start);
    }
    let hit = slashes.start - 1..slashes.end;
    let end =
        scan.run_end(start, |byte| !ends_url(byte) && !matches!(byte, b'/' | b'?' | b'#' | b'\\'));
    if let Some(at) = memchr::memrchr(b'@', &scan.bytes()[start..end]) {
        user_info(scan, hit.start, start..start + at);
    } else if let Some(at) = at_behind_domain(scan, end) {
        user_info(scan, hit.start, start..at);
    } else if let Some(at) = at_behind_slash(scan, hit.start, start..end) {
        user_info(scan, hit.start, start..at);
    }
    if scan.rules.queries == Queries::Look && hit.start >= scan.url_end {
        let url_end = scan.run_end(end, |byte| !ends_url(byte));
        scan.url_end = url_end;
        query(scan, end..url_end);
    }
}

/// `DOMAIN\\user:password@host`: a backslash ends no login of a domain. The `@` behind it.
fn at_behind_domain(scan: &SecretScan<'_>, slash: usize) -> Option<usize> {
    if scan.byte(slash) != b'\\' {
        return None;
    }
    let user = scan.run_end_within(slash, 4, |byte| byte == b'\\');
    let end = scan.run_end_within(user, LONGEST_PASSWORD, |byte| {
        byte.is_ascii_graphic() && !ends_url(byte) && !matches!(byte, b'/' | b'?' | b'#' | b'\\')
    });
    let info = scan.text.get(user..end)?;
    let (login, host) = info.rsplit_once('@')?;
    let is_login = login.starts_with(|first: char| first.is_ascii_alphanumeric())
        && login.contains(':')
        && host.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '[');
    is_login.then_some(user + login.len())
}

/// `//user:password@host`, as pages write addresses of their own kind.
fn without_scheme(scan: &mut SecretScan<'_>, start: usize) {
    let before = start.checked_sub(3).map_or(b' ', |at| scan.byte(at));
    if !(is_blank(before) || is_quote(before) || matches!(before, b'=' | b'(' | b'>')) {
        return;
    }
    let end = scan.run_end_within(start, LONGEST_PASSWORD, |byte| {
        byte.is_ascii_graphic() && !ends_url(byte) && !matches!(byte, b'/' | b'?' | b'#' | b'\\')
    });
    let authority = &scan.text[start..end];
    if let Some((info, host)) = authority.rsplit_once('@')
        && info.contains(':')
        && host.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '[')
    {
        user_info(scan, start - 2, start..start + info.len());
    }
}

/// `?name=value&…` of any address, whole or relative. Where addresses are not searched for credentials,
/// only values that a generator made are hidden: a page number is no secret whatever its name.
pub(super) fn query_start(scan: &mut SecretScan<'_>, mark: usize) {
    if mark < scan.url_end {
        return;
    }
    let named =
        |byte: u8| byte.is_ascii_alphanumeric() || b"_-.%[]".contains(&byte) || byte >= 0x80;
    let name_end = scan.run_end_within(mark + 1, LONGEST_PARAMETER, named);
    if name_end == mark + 1 || scan.byte(name_end) != b'=' {
        return;
    }
    let end = scan.run_end(name_end, |byte| !ends_url(byte) && byte != b'\\');
    scan.url_end = end;
    query(scan, mark..end);
}

/// A database's password with a slash or a hash in it: the authority ends early then. What stands behind the
/// first colon must not be a port.
fn at_behind_slash(scan: &SecretScan<'_>, colon: usize, authority: Range<usize>) -> Option<usize> {
    let scheme = scan.run_start(colon, LONGEST_SCHEME, |byte| byte.is_ascii_alphanumeric());
    let scheme = scan.text[scheme..colon].to_ascii_lowercase();
    let (_, password) = scan.text[authority.clone()].split_once(':')?;
    let port = password.bytes().all(|byte| byte.is_ascii_digit());
    if port || !DATABASES.iter().any(|database| scheme.starts_with(database)) {
        return None;
    }
    let end = scan
        .run_end_within(authority.end, LONGEST_PASSWORD, |byte| !ends_url(byte) && byte != b'@');
    (scan.byte(end) == b'@').then_some(end)
}

/// Whether a login is the one that a fresh server on the same machine comes with: `postgres:postgres@localhost`.
fn is_fresh(user: &str, password: &str, behind: &str) -> bool {
    const SERVERS: &[&str] = &["postgres", "mysql", "rabbitmq", "guest", "test", "minio"];
    user == password
        && SERVERS.contains(&user)
        && ["@localhost", "@127.0.0.1"].iter().any(|here| behind.starts_with(here))
}

fn user_info(scan: &mut SecretScan<'_>, colon: usize, range: Range<usize>) {
    let info = &scan.text[range.clone()];
    let code = scan.rules.code();
    let template = |value: &str| {
        value.starts_with('$') && is_placeholder(value)
            || code && value.starts_with(['{', '$', '<', '*', '%'])
    };
    if let Some((user, password)) = info.split_once(':') {
        // `token:x-oauth-basic@host`, `token:@host`: what stands for the name is the secret.
        if user.len() >= LEAST_PARAMETER && !template(user) && look(user) == SecretLook::Generated {
            scan.hide(range.start..range.start + user.len());
            if password.is_empty() || NO_PASSWORDS.contains(&password) {
                return;
            }
        }
        let manual =
            is_manual_login(user, password) || is_fresh(user, password, &scan.text[range.end..]);
        if !password.is_empty() && !manual && !template(password) && !is_masked(password) {
            scan.replace(range.start + user.len() + 1..range.end, MASK);
        } else {
            scan.keep(range);
        }
        return;
    }
    let scheme =
        scan.run_start(colon, LONGEST_SCHEME, |byte| byte.is_ascii_alphanumeric() || byte == b'+');
    let scheme = &scan.text[scheme..colon];
    let token = info.len() >= LEAST_TOKEN
        && info.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.~%".contains(&byte));
    if token && TOKEN_SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(scheme)) {
        scan.hide(range);
    }
}

/// Hides the values of parameters, in the query and in the fragment.
fn query(scan: &mut SecretScan<'_>, range: Range<usize>) {
    let mut at = range.start;
    while at < range.end {
        let end = scan
            .run_end_within(at, range.end - at, |byte| !matches!(byte, b'?' | b'&' | b'#' | b';'));
        if let Some((name, value)) = scan.text[at..end].split_once('=')
            && !value.is_empty()
            && at > range.start
            && at >= scan.done()
            && !is_masked(value)
            && (is_hidden_parameter(name)
                && (scan.rules.queries == Queries::Look
                    || value.len() >= LEAST_PARAMETER && look(value) == SecretLook::Generated)
                || is_password(name, value))
        {
            scan.hide(at + name.len() + 1..end);
        }
        at = end + 1;
    }
}

/// Whether a parameter means a password, and the value looks like one.
fn is_password(name: &str, value: &str) -> bool {
    family(name) == Some(SecretFamily::Password) && look_or_memory(value) && !stands_in(value)
}

/// A text that as a whole is `name=value&name=value`, when something in it has to be hidden.
pub(super) fn redact_form(text: &str, rules: RedactRules) -> Option<String> {
    let body = text.trim();
    if !body.as_bytes().iter().take(256).any(|&byte| byte == b'=')
        || memchr::memchr(b'&', body.as_bytes()).is_none()
        || body.bytes().any(is_blank)
    {
        return None;
    }
    let mut form = String::with_capacity(text.len());
    form.push_str(&text[..text.len() - text.trim_start().len()]);
    let mut changed = false;
    for (index, pair) in body.split('&').enumerate() {
        let (name, value) = pair.split_once('=')?;
        let valid = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-%[]".contains(&byte);
        if name.is_empty() || !name.bytes().all(valid) {
            return None;
        }
        if index > 0 {
            form.push('&');
        }
        form.push_str(name);
        form.push('=');
        if value.is_empty()
            || is_masked(value)
            || is_placeholder(value)
            || !(is_hidden_parameter(name) || is_password(name, value))
        {
            form.push_str(value);
        } else {
            form.push_str(&rules.hide(value));
            changed = true;
        }
    }
    form.push_str(&text[text.trim_end().len()..]);
    changed.then_some(form)
}

/// A URL that lets anyone who knows it post messages: its path is the secret.
pub(super) fn webhook(scan: &mut SecretScan<'_>, path: usize) {
    let belongs = |byte: u8| !ends_url(byte) && !matches!(byte, b')' | b']' | b'\\');
    let end = scan.run_end_within(path, LONGEST_WEBHOOK, belongs);
    let end = scan.text.floor_char_boundary(end);
    let mut start = path;
    if scan.text[..path].ends_with("/api/webhooks/") {
        // The number says which; only what follows is secret.
        let number = scan.run_end(path, |byte| byte.is_ascii_digit());
        if number == path || scan.byte(number) != b'/' {
            return;
        }
        start = number + 1;
    }
    let secret = &scan.text[start..end];
    let last = secret.rsplit('/').next().unwrap_or_default();
    // Other services put theirs below a path of this name.
    let any_site = scan.text[..path].ends_with("/hooks/")
        && !scan.text[..path].ends_with(".com/hooks/")
        || LINKS.iter().any(|link| scan.text[..path].ends_with(link));
    if any_site && (look(last) != SecretLook::Generated || last.len() < LEAST_PARAMETER) {
        return;
    }
    let blank = |part: &str| part.bytes().all(|byte| part.as_bytes().first() == Some(&byte));
    // `T00000000/B00000000/XXXXXXXX`, as the service's own manual has it.
    if secret.split('/').all(blank) || blank(last) && last.len() >= LEAST_WEBHOOK {
        return;
    }
    if secret.len() >= LEAST_WEBHOOK && !is_masked(secret) && !is_placeholder(secret) {
        let end = scan.run_end(end, belongs);
        scan.replace(start..end, MASK);
    }
}
