//! Passwords on command lines and in login files.

use std::ops::Range;

use super::line_start::at_line_start;
use super::mask::is_masked;
use super::memorable::{is_memorable, is_program_word};
use super::names::{SecretFamily, family};
use super::scan::{SecretScan, is_blank, is_gap, is_quote, is_token};
use super::values::{SecretLook, follows_password_rules, is_reference, look, stands_in};
use super::words::{is_manual_login, is_placeholder};

/// How far back on the line the program's name may stand.
const LINE_BACK: usize = 256;
/// Shortest key behind the word `login`.
const LEAST_LOGIN: usize = 32;

/// Settings whose value follows a blank.
const DIRECTIVES: &[&str] = &[
    "requirepass",
    "masterauth",
    "bindpw",
    "rootpw",
    "add-authtoken",
    "storepass",
    "keypass",
    "storepassword",
    "keypassword",
    "to-securestring",
];

/// How files end whose names are given in place of what is in them.
const FILES: &[&str] =
    &["pem", "key", "json", "txt", "yml", "yaml", "env", "crt", "p12", "pfx", "jks", "gpg"];

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

/// Shortest value whose place alone tells what it is.
const LEAST_STATED: usize = 6;
/// Longest value whose place alone tells what it is.
const LONGEST_ARGUMENT: usize = 256;

/// Words between a name and its value.
const IN_BETWEEN: &[&str] = &["--body", "REG_SZ", "REG_EXPAND_SZ", "/t", "/d"];

/// A value on a command line: within quotes, or up to a blank or quote.
pub(super) fn argument(scan: &SecretScan<'_>, at: usize) -> Range<usize> {
    argument_within(scan, at, usize::MAX)
}

fn argument_within(scan: &SecretScan<'_>, at: usize, most: usize) -> Range<usize> {
    let quote = scan.byte(at);
    if is_quote(quote) {
        let end = scan.run_end_within(at + 1, most, |byte| byte != quote && byte != b'\n');
        return at + 1..end;
    }
    at..scan.run_end_within(at, most, |byte| !is_blank(byte) && !is_quote(byte))
}

/// Whether a value looks like a password, made by a generator or by a person.
pub(super) fn look_or_memory(value: &str) -> bool {
    look(value) >= SecretLook::Chosen || is_memorable(value) || follows_password_rules(value)
}

/// Whether a value is one where the place says so: any word that is not about passwords.
fn is_stated(value: &str) -> bool {
    value.len() >= LEAST_STATED
        && value.bytes().all(|byte| byte > b' ')
        && !is_program_word(value)
        && !stands_in(value)
        && !is_reference(value)
        && !value.contains(['(', '{', '<', '['])
}

/// `-storepass value`, as some programs write long options.
pub(super) fn short_option(scan: &mut SecretScan<'_>, name: Range<usize>) {
    let start = scan.run_end(name.end, is_gap);
    let range = argument(scan, start);
    let value = &scan.text[range.clone()];
    let fits = match family(&scan.text[name]) {
        Some(SecretFamily::Password) => look_or_memory(value),
        None | Some(SecretFamily::Auth | SecretFamily::Credential) => false,
        Some(_) => value.len() >= LEAST_BARE && look(value) == SecretLook::Generated,
    };
    if fits
        && !stands_in(value)
        && !is_reference(value)
        && !value.starts_with('$')
        && !is_masked(value)
    {
        super::keys::hide_value(scan, range);
    }
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
                | SecretFamily::Key
        )
    ) || scan.text[name.clone()].eq_ignore_ascii_case("pass");
    if scan.text[name.clone()].ends_with("password-command") {
        return told_by_command(scan, name.end);
    }
    // `--password-file <(echo value)`
    if let Some(written) = ["=<(echo ", " <(echo ", "=<(printf ", " <(printf "]
        .iter()
        .find(|written| scan.text[name.end..].starts_with(**written))
    {
        let mut range = argument(scan, name.end + written.len());
        range.end = range.start + scan.text[range.clone()].trim_end_matches(')').len();
        let value = &scan.text[range.clone()];
        if look_or_memory(value) && !value.starts_with('$') && !is_masked(value) {
            super::keys::hide_value(scan, range);
        }
        return;
    }
    let any_key = family(&scan.text[name.clone()]) == Some(SecretFamily::AnyKey);
    let separator = scan.byte(name.end);
    if !(secret || any_key) || !(separator == b'=' || is_gap(separator)) {
        return;
    }
    let start = if separator == b'=' { name.end + 1 } else { scan.run_end(name.end, is_gap) };
    let range = argument(scan, start);
    let value = &scan.text[range.clone()];
    let bare = value.trim_end_matches([',', '.', ':', ']', ')']);
    let far = start > name.end + 1 && look(value) == SecretLook::Plain && !is_memorable(value);
    let described = is_gap(separator)
        && (far
            || value.starts_with(['-', '[', '|', '(', ',', '='])
            || DESCRIPTIONS.contains(&bare)
            || bare.bytes().all(|byte| byte.is_ascii_uppercase() || matches!(byte, b'_' | b'=')));
    let file = value.rsplit_once('.').is_some_and(|(_, kind)| FILES.contains(&kind));
    let names_place = value.starts_with("id=") || value.starts_with("type=") || file;
    let option = &scan.text[name.clone()];
    let names_secret = option.ends_with("-id") && look(value) != SecretLook::Generated;
    let plain_key = any_key && (value.len() < LEAST_BARE || look(value) != SecretLook::Generated);
    if option.starts_with("no-") || names_secret || plain_key {
        return;
    }
    if value.is_empty() || described || names_place || stands_in(value) || is_reference(value) {
        return;
    }
    super::keys::hide_value(scan, range);
}

/// `--password-command 'echo value'`
fn told_by_command(scan: &mut SecretScan<'_>, at: usize) {
    let start = scan.run_end_within(at, 2, |byte| is_gap(byte) || byte == b'=');
    let range = argument(scan, start);
    let words = ["echo ", "printf "];
    let Some(word) = words.iter().find(|word| scan.text[range.clone()].starts_with(*word)) else {
        return;
    };
    let range = range.start + word.len()..range.end;
    let value = &scan.text[range.clone()];
    if look_or_memory(value) && !value.starts_with('$') && !is_masked(value) {
        super::keys::hide_value(scan, range);
    }
}

/// `-u user:password`, `-a user:password` and `--user user:password`.
pub(super) fn user(scan: &mut SecretScan<'_>, hit: Range<usize>) {
    let option = scan.run_start(hit.start, 16, is_token);
    let name = &scan.text[option..hit.end];
    let before = scan.byte_before(option);
    let known = name == "-u"
        || matches!(name, "--user" | "--proxy-user" | "--creds" | "--src-creds" | "--dest-creds")
        || name.starts_with("--") && (name.ends_with("-auth") || name.ends_with("-userpass"));
    let separator = scan.byte(hit.end);
    if !known
        || !(is_blank(before) || is_quote(before))
        || !(is_gap(separator) || separator == b'=')
    {
        return;
    }
    let range = argument(scan, scan.run_end(hit.end + 1, is_gap));
    // `-u name:'password'`
    if scan.text[range.clone()].ends_with(':') && is_quote(scan.byte(range.end)) {
        let password = argument(scan, range.end);
        let value = &scan.text[password.clone()];
        if !value.is_empty()
            && !is_placeholder(value)
            && !value.starts_with('$')
            && !is_masked(value)
        {
            super::keys::hide_value(scan, password);
        }
        return;
    }
    // `lftp -u name,password`
    let from = hit.start.saturating_sub(LINE_BACK);
    let transfers = memchr::memmem::find(&scan.bytes()[from..hit.start], b"lftp ").is_some();
    let between = if transfers { ',' } else { ':' };
    let Some((user, password)) = scan.text[range.clone()].split_once(between) else { return };
    let numeric = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if user.is_empty()
        || password.is_empty()
        || password.starts_with(['/', '\\'])
        || numeric(user) && numeric(password)
        || is_placeholder(password)
        || is_manual_login(user, password)
        || is_masked(&scan.text[range.clone()])
    {
        return;
    }
    super::keys::hide_value(scan, range.start + user.len() + 1..range.end);
}

/// What stands behind a name and a blank: logins, settings of servers, variables that are set. Says
/// whether something was hidden.
pub(super) fn directive(scan: &mut SecretScan<'_>, name: Range<usize>) -> bool {
    let done = scan.done();
    find_directive(scan, name);
    scan.done() > done
}

fn find_directive(scan: &mut SecretScan<'_>, name: Range<usize>) {
    let word = &scan.text[name.clone()];
    if word == "password" && netrc(scan, name.clone()) {
        return;
    }
    if !is_gap(scan.byte(name.end)) {
        return;
    }
    let start = scan.run_end(name.end, is_gap);
    let mut range = argument(scan, start);
    let mut value = &scan.text[range.clone()];
    // `secret 0 value` on a router, `set NAME --body value`
    let kind = matches!(word, "secret" | "password") && matches!(value.as_bytes(), [b'0'..=b'9']);
    // `NAME REG_SZ value`, `/v NAME /t REG_SZ /d value`
    for _ in 0..3 {
        if !(kind && matches!(value.as_bytes(), [_]) || IN_BETWEEN.contains(&value)) {
            break;
        }
        range = argument(scan, scan.run_end(range.end, is_gap));
        value = &scan.text[range.clone()];
    }
    // `set $name value;`
    if let Some(bare) = value.strip_suffix(';')
        && !is_quote(scan.byte(start))
    {
        range.end -= 1;
        value = bare;
    }
    if matches!(word, "passin" | "passout") {
        if let Some(secret) = value.strip_prefix("pass:")
            && !is_placeholder(secret)
            && !is_masked(secret)
        {
            super::keys::hide_value(scan, range.start + 5..range.end);
        }
        return;
    }
    let lower = word.to_ascii_lowercase();
    // `using API_TOKEN value`, `: PSK "value"`
    let shouted =
        word.len() >= 3 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let quoted = is_quote(scan.byte(start)) && look(value) >= SecretLook::Chosen;
    let generated = value.len() >= 24 && look(value) == SecretLook::Generated;
    if shouted
        && matches!(
            family(word),
            Some(
                SecretFamily::Password
                    | SecretFamily::Secret
                    | SecretFamily::Token
                    | SecretFamily::ApiKey
            )
        )
        && (generated || quoted && lower == "psk")
        && !stands_in(value)
        && !is_reference(value)
        && !is_masked(value)
    {
        return super::keys::hide_value(scan, range);
    }
    // `password value` and nothing else on the line, as settings of mail programs have it
    let alone = matches!(scan.byte(range.end), 0 | b'\n' | b'\r')
        && at_line_start(scan, name.start)
        && family(word) == Some(SecretFamily::Password)
        && value.bytes().filter(u8::is_ascii_digit).count() >= 2
        && is_stated(value)
        && look_or_memory(value);
    if alone || behind_blank(scan, word, &range) {
        return super::keys::hide_value(scan, range);
    }
    // `PASSWORD 'value'` of a query, `tool login value`
    if lower == "password" && scan.byte(start) == b'\'' && look(value) >= SecretLook::Chosen
        || lower == "login" && value.len() >= LEAST_LOGIN && look(value) == SecretLook::Generated
    {
        return super::keys::hide_value(scan, range);
    }
    let known = DIRECTIVES.iter().any(|directive| lower.ends_with(directive));
    let sets = || {
        let from = name.start.saturating_sub(LINE_BACK);
        let line = &scan.bytes()[from..name.start];
        let line = &line[memchr::memrchr(b'\n', line).map_or(0, |at| at + 1)..];
        // The path before the last part of a key: `kv put app/db/password value`.
        let path = line.iter().rev().take_while(|byte| is_token(**byte) || b"/.:".contains(*byte));
        let line = &line[..line.len() - if line.ends_with(b"/") { path.count() } else { 0 }];
        SETTERS.iter().any(|setter| line.trim_ascii().ends_with(setter.as_bytes()))
            && family(word).is_some()
    };
    // `PASSWORD 'word'` of a query: nothing else stands there.
    // `wifi connect home password "word"`: nor there.
    let connects = || {
        let from = name.start.saturating_sub(LINE_BACK);
        memchr::memmem::rfind(&scan.bytes()[from..name.start], b"wifi connect ").is_some()
    };
    let queried = (word == "PASSWORD" && scan.byte(start) == b'\''
        || word == "password" && connects())
        && is_stated(value);
    if (known || kind || queried || sets())
        && (queried || look_or_memory(value))
        && !is_masked(value)
        && !value.contains(['(', '{', '['])
    {
        super::keys::hide_value(scan, range);
    }
}

/// Shortest key behind a name and a blank.
const LEAST_BARE: usize = 20;

/// Whether what stands behind a name and a blank is the secret it names: `password "…"`, `secret_id …`.
fn behind_blank(scan: &SecretScan<'_>, word: &str, range: &Range<usize>) -> bool {
    let value = &scan.text[range.clone()];
    let quoted = is_quote(scan.byte_before(range.start)) && is_quote(scan.byte(range.end));
    let look = look(value);
    let fits = match family(word) {
        Some(SecretFamily::Password) if quoted => look_or_memory(value),
        Some(SecretFamily::Password) => {
            let digits = value.bytes().any(|byte| byte.is_ascii_digit());
            let signed = value.bytes().skip(1).any(|byte| b"!#$%&@^*".contains(&byte));
            digits
                && !value.ends_with([',', ';', ')', '.', ':'])
                && (look >= SecretLook::Chosen && (signed || follows_password_rules(value))
                    || look == SecretLook::Generated
                    || is_memorable(value) && value.contains('-'))
        }
        Some(
            SecretFamily::Secret
            | SecretFamily::Token
            | SecretFamily::ApiKey
            | SecretFamily::Key
            | SecretFamily::Credential,
        ) => look == SecretLook::Generated && value.len() >= LEAST_BARE,
        Some(SecretFamily::AnyKey) if word != "key" && !word.ends_with("phrase") => {
            look == SecretLook::Generated
                && value.len() >= LEAST_BARE
                && (quoted || word.contains('_'))
        }
        // `AUTH password` of a cache, `tool auth key`
        Some(SecretFamily::Auth) if word == "AUTH" => look >= SecretLook::Chosen,
        Some(SecretFamily::Auth) if word == "auth" => {
            look == SecretLook::Generated && value.len() >= LEAST_LOGIN
        }
        _ => word.ends_with("community") && !quoted && look >= SecretLook::Chosen,
    };
    fits && !stands_in(value)
        && !is_reference(value)
        && !is_placeholder(value)
        && !is_masked(value)
        && !value.trim_end_matches('=').contains(['(', '{', '[', '<', '=', '$'])
}

/// Words before a variable and its value.
const SETTERS: &[&str] = &[
    "ENV",
    "ARG",
    "setenv",
    "set -x",
    "set -gx",
    "set -Ux",
    "set $",
    "SetEnv",
    "configure set",
    "config set",
    "secret set",
    "setx",
    "kv put",
    "kv set",
    "etcdctl put",
    "redis-cli set",
];

/// `machine host login user password value`. The range is the word `password`.
fn netrc(scan: &mut SecretScan<'_>, word: Range<usize>) -> bool {
    let from = word.start.saturating_sub(LINE_BACK);
    let before = String::from_utf8_lossy(&scan.bytes()[from..word.start]);
    let mut words = before.split_ascii_whitespace().rev();
    let names_user = matches!(words.nth(1), Some("login" | "machine" | "account"));
    let entry = before.split_ascii_whitespace().any(|word| matches!(word, "machine" | "default"));
    if !names_user || !entry {
        return false;
    }
    let start = scan.run_end(word.end, is_blank);
    let range = argument(scan, start);
    let value = &scan.text[range.clone()];
    let secret = !range.is_empty() && !value.starts_with('=') && !is_placeholder(value);
    if secret {
        super::keys::hide_value(scan, range);
    }
    secret
}

/// Programs that take a password in a fixed place: the words between, and what must stand among them.
const POSITIONAL: &[(&str, usize, &str)] = &[
    ("net user ", 1, ""),
    ("htpasswd ", 3, "b"),
    ("identified by ", 0, ""),
    ("/user:", 1, ""),
    ("add_user ", 1, ""),
    ("change_password ", 1, ""),
    ("authenticate_user ", 1, ""),
    ("pragma key = ", 0, ""),
    ("pragma key=", 0, ""),
    ("sp_addlogin ", 1, ""),
    (" /p:", 0, ""),
    (" /rp ", 0, ""),
    (" on >", 0, ""),
    (" by '", 0, ""),
    ("isakmp key ", 0, ""),
    ("-server key ", 0, ""),
    ("key-string ", 0, ""),
    (": eap ", 0, ""),
    (": xauth ", 0, ""),
    ("createuser ", 2, ""),
    ("encrypt_string ", 0, ""),
    ("nickserv identify ", 0, ""),
];

/// The programs and words as the automaton looks for them.
pub(super) fn positional_programs() -> impl Iterator<Item = &'static str> {
    ["sqlplus ", "oracle:thin:", "with user '", "send \""]
        .into_iter()
        .chain(POSITIONAL.iter().map(|(program, ..)| *program))
}

/// `net user NAME VALUE`, `htpasswd -b FILE NAME VALUE`, `IDENTIFIED BY 'VALUE'`, `sqlplus NAME/VALUE@HOST`.
pub(super) fn positional(scan: &mut SecretScan<'_>, hit: Range<usize>) {
    let program = scan.text[hit.clone()].to_ascii_lowercase();
    // Only so far: `/user:/user:…` is one long word.
    let argument = |scan: &SecretScan<'_>, at: usize| {
        let range = argument_within(scan, at, LONGEST_ARGUMENT);
        range.start..scan.text.floor_char_boundary(range.end)
    };
    let mut range = argument(scan, hit.end);
    if program == " by '" {
        // `IDENTIFIED WITH plugin BY 'value'`
        let before = &scan.bytes()[hit.start.saturating_sub(64)..hit.start];
        if memchr::memmem::find(&before.to_ascii_lowercase(), b"identified with").is_none() {
            return;
        }
        range = argument(scan, hit.end - 1);
    } else if program == "send \"" {
        // The key at the end of what is typed: `send "…\r"`
        range = argument(scan, hit.end - 1);
        let typed = &scan.text[range.clone()];
        let Some(value) = typed.strip_suffix("\\r").or_else(|| typed.strip_suffix("\\n")) else {
            return;
        };
        range.end = range.start + value.len();
    } else if program == "with user '" {
        range = argument(scan, hit.end - 1);
        let Some((user, _)) = scan.text[range.clone()].split_once(':') else { return };
        range.start += user.len() + 1;
    } else if program == "sqlplus " || program == "oracle:thin:" {
        let login = &scan.text[range.clone()];
        let Some((user, rest)) = login.split_once('/') else { return };
        let length = rest.rfind('@').unwrap_or(rest.len());
        range = range.start + user.len() + 1..range.start + user.len() + 1 + length;
    } else {
        let Some(&(_, skipped, option)) = POSITIONAL.iter().find(|(known, ..)| *known == program)
        else {
            return;
        };
        if !scan.text[range.clone()].contains(option) {
            return;
        }
        // `key 7 value`: how it is written.
        let kind = program.ends_with("key ") && matches!(scan.text[range.clone()].as_bytes(), [_]);
        for _ in 0..skipped + usize::from(kind) {
            let quote = usize::from(is_quote(scan.byte(range.end)));
            let between = |byte: u8| is_gap(byte) || byte == b',';
            range = argument(scan, scan.run_end(range.end + quote, between));
        }
    }
    range.end = range.start + scan.text[range.clone()].trim_end_matches(';').len();
    let value = &scan.text[range.clone()];
    let names_setting = program == " /p:" && value.contains('=');
    let certain = is_stated(value)
        && (program == "htpasswd "
            || matches!(program.as_str(), "identified by " | "createuser ")
                && is_quote(scan.byte_before(range.start)));
    if (certain || look_or_memory(value))
        && !is_masked(value)
        && !stands_in(value)
        && !value.starts_with(['-', '/', '$', '%'])
        && !names_setting
    {
        super::keys::hide_value(scan, range);
    }
}

/// A name on one line and a password on the next, as a tunnel's settings have them.
pub(super) fn user_and_password(scan: &mut SecretScan<'_>, start: usize) {
    let user = scan.run_end_within(start, LINE_BACK, |byte| byte != b'\n');
    let end = scan.run_end_within(user + 1, LINE_BACK, |byte| byte != b'\n' && byte != b'<');
    let range = user + 1..end;
    if scan.byte(user) == b'\n' && scan.byte(end) == b'\n' && end > user + 1 {
        super::keys::hide_value(scan, range);
    }
}
