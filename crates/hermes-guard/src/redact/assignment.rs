//! Values that are secret because of the name before them.
//!
//! A hit is part of a name. The whole name is found first, then the sign and the value behind it
//! ([`fields`](super::fields)). What counts depends on the mode. In logs and dumps a name is
//! enough. In source text the value has to look like a secret, too ([`values`](super::values)),
//! except behind names that nothing else uses (`x-api-key`, `AccountKey`).
//!
//! What is computed, looked up or left to fill in is no secret, and neither is a limit on tokens.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::fields::{Field, Sign, field};
use super::flags;
use super::headers::plausible_in_code;
use super::keys::hide_value;
use super::mask::is_masked;
use super::names::{SecretFamily, family};
use super::scan::{Names, SecretScan, is_blank, is_gap};
use super::values::{SecretLook, follows_password_rules, is_prose, is_reference, look, stands_in};
use super::words::{is_expression, is_field, is_placeholder, made_of_words};

/// Longest name, to either side of the hit.
const LONGEST_NAME: usize = 64;
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
    "x-auth-key",
    "x-vault-token",
    "private-token",
    "fastly-key",
    "ocp-apim-subscription-key",
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

pub(super) fn visit(scan: &mut SecretScan<'_>, hit: Range<usize>) {
    let Some(name) = whole_name(scan, &hit) else { return };
    let name = with_word_before(scan, name);
    if scan.text[..name.start].ends_with("--") {
        return flags::long_option(scan, name);
    }
    if scan.text[name.end..].starts_with(">\n") && &scan.text[name.clone()] == "auth-user-pass" {
        return flags::user_and_password(scan, name.end + 2);
    }
    if is_gap(scan.byte(name.end)) || scan.byte(name.end) == b'\n' {
        flags::directive(scan, name.clone());
    }
    let plain_name = &scan.text[name.clone()];
    let Some(field) = field(scan, name) else { return };
    let given = &scan.text[field.value.clone()];
    // The path of a resource, or a name for the same name elsewhere.
    if plain_name.starts_with("module.")
        || !given.contains(|char: char| char.is_alphanumeric() || char == '*')
        || !field.value_quoted && is_same_name(plain_name, given)
    {
        return;
    }
    // A part of `arn:aws:secretsmanager:…`
    if field.sign == Sign::Colon
        && !field.spaced
        && !field.value_quoted
        && scan.byte_before(field.name.start) == b':'
    {
        return;
    }
    let value = &scan.text[field.value.clone()];
    let special = special(plain_name);
    if is_masked(value) {
        if special.is_some() || family(plain_name).is_some() {
            scan.keep(field.value);
        }
        return;
    }
    // A key with a remark behind it.
    if field.sign == Sign::Colon
        && !field.value_quoted
        && family(plain_name).is_some_and(|family| family != SecretFamily::Auth)
        && let Some((first, _)) = value.split_once([' ', '\t'])
        && look(first) == SecretLook::Generated
    {
        return hide_value(scan, field.value.start..field.value.start + first.len());
    }
    let secret = !is_placeholder(value)
        && (special.is_some_and(|special| special.holds_secret(scan, &field))
            || is_secret(scan, &field));
    if secret {
        let value = field.whole_value(scan);
        hide_value(scan, value);
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
    /// A login for a container registry, in Base64.
    Login,
}

fn special(name: &str) -> Option<Special> {
    let named = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    if named(KEY_HEADERS) {
        Some(Special::Header)
    } else if named(REGISTRY_KEYS) {
        Some(Special::Registry)
    } else if named(STORAGE_KEYS) {
        Some(Special::Storage)
    } else if name == "auth" {
        Some(Special::Login)
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
            Self::Header if !field.value_quoted && value.starts_with(['{', '[']) => false,
            Self::Header if stands_in(value) || !field.value_quoted && is_field(value) => false,
            Self::Header if scan.rules.code() => plausible_in_code(value),
            Self::Header => !is_plain(value, SecretFamily::ApiKey) && !is_expression(value),
            Self::Registry => equals && !is_expression(value),
            Self::Storage => equals && value.len() >= LEAST_STORAGE_KEY && !made_of_words(value),
            Self::SecretAccessKey => {
                value.len() == SECRET_ACCESS_KEY_CHARS && value.bytes().all(base64)
            }
            Self::Login => field.value_quoted && is_login(value),
        }
    }
}

/// Whether a text is `user:password` in Base64.
fn is_login(value: &str) -> bool {
    value.len() >= 8
        && STANDARD.decode(value).is_ok_and(|login| {
            login.contains(&b':') && login.iter().all(|byte| byte.is_ascii_graphic())
        })
}

/// Whether a name, its place and its value together are a secret.
fn is_secret(scan: &mut SecretScan<'_>, field: &Field) -> bool {
    let name = &scan.text[field.name.clone()];
    let value = &scan.text[field.value.clone()];
    let Some(family) = family(name) else { return false };
    let guessing = scan.rules.names == Names::Guess;
    let looks = looks_secret(scan, field, family);
    if !looks && !guessing {
        return false;
    }
    let computed = !field.value_quoted
        && (is_expression(value)
            || field.sign == Sign::Equals
                && is_field(value)
                && (field.spaced
                    || name.contains('.') && !value.contains(|end: char| end.is_ascii_digit())));
    if computed
        || is_plain(value, family)
        || value.starts_with("-----BEGIN ")
        || stands_in(value)
        || is_reference(value)
    {
        return false;
    }
    looks || named_as_secret(scan, field, family)
}

/// Whether the value shows by itself that it belongs to the name.
fn looks_secret(scan: &SecretScan<'_>, field: &Field, family: SecretFamily) -> bool {
    let value = &scan.text[field.value.clone()];
    let look = look(value);
    match family {
        SecretFamily::Password
            if (field.value_quoted
                || matches!(field.sign, Sign::Element | Sign::Pair)
                || is_setting(scan, field)
                || is_word_of_line(scan, field))
                && follows_password_rules(value) =>
        {
            true
        }
        SecretFamily::Password | SecretFamily::Secret if look == SecretLook::Chosen => {
            field.value_quoted
                || field.sign == Sign::Element
                || field.sign == Sign::Pair
                || !is_name_in_code(scan, field)
        }
        SecretFamily::Auth => false,
        SecretFamily::AnyKey
            if !field.value_quoted && field.spaced && field.sign == Sign::Equals =>
        {
            false
        }
        _ if field.value_quoted => look == SecretLook::Generated,
        _ => look == SecretLook::Generated && !value.contains(['(', '[', '{']),
    }
}

/// Whether a name, a sign and a value are all there is on a line.
fn is_setting(scan: &SecretScan<'_>, field: &Field) -> bool {
    field.sign == Sign::Equals
        && !field.spaced
        && matches!(scan.byte(field.value.end), 0 | b'\n' | b'\r')
        && at_line_start(scan, field.name.start)
}

/// Whether `name=value` is a word by itself, as on command lines and in connection strings.
fn is_word_of_line(scan: &SecretScan<'_>, field: &Field) -> bool {
    let value = &scan.text[field.value.clone()];
    let edge = |byte: u8| byte == 0 || is_blank(byte) || matches!(byte, b'"' | b'\'');
    field.sign == Sign::Equals
        && !field.spaced
        && edge(scan.byte_before(field.name.start))
        && edge(scan.byte(field.value.end))
        && !value.contains(['(', ')', '[', '{', '<', '>'])
}

/// `accessToken = accessToken`, `self.api_key = apiKey`.
fn is_same_name(name: &str, value: &str) -> bool {
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(char::is_ascii_alphanumeric);
        letters.map(|char| char.to_ascii_lowercase()).collect()
    };
    let value = value.trim_end_matches([',', ';', ')']);
    value.len() >= 3
        && value.len() <= 64
        && plain(name).ends_with(&plain(value))
        && plain(value).len() >= 3
}

/// The words that belong to the name behind a blank: `Private key: …`.
fn with_word_before(scan: &SecretScan<'_>, name: Range<usize>) -> Range<usize> {
    const WORDS: [&str; 10] = [
        "private ",
        "secret ",
        "api ",
        "access ",
        "signing ",
        "master ",
        "encryption ",
        "seed ",
        "unseal ",
        "recovery ",
    ];
    if !matches!(&scan.text[name.clone()], "key" | "Key" | "KEY" | "phrase" | "Phrase") {
        return name;
    }
    let before = &scan.text[..name.start];
    let word = WORDS.iter().find(|word| {
        before.len() >= word.len()
            && before.is_char_boundary(before.len() - word.len())
            && before[before.len() - word.len()..].eq_ignore_ascii_case(word)
    });
    name.start - word.map_or(0, |word| word.len())..name.end
}

/// Whether a value without quotes is the name of a variable in a program.
fn is_name_in_code(scan: &SecretScan<'_>, field: &Field) -> bool {
    let value = &scan.text[field.value.clone()];
    let code = |byte: u8| matches!(byte, b'(' | b')' | b'[' | b'{' | b'<' | b'|');
    let name =
        value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    let before = scan.byte_before(field.name.start);
    let listed = matches!(scan.byte(field.value.end), b',' | b')' | b';' | b'}');
    value.bytes().any(code)
        || name
            && (field.sign == Sign::Equals && field.spaced
                || listed && !is_connection(scan, field)
                || matches!(before, b'(' | b',' | b'.'))
}

/// Whether the name stands in a list such as `Server=x;Password=y;`.
fn is_connection(scan: &SecretScan<'_>, field: &Field) -> bool {
    let before = scan.byte_before(field.name.start);
    field.sign == Sign::Equals && !field.spaced && matches!(before, b';' | b',')
}

/// Whether the name alone is reason enough, in text that is no program.
fn named_as_secret(scan: &mut SecretScan<'_>, field: &Field, family: SecretFamily) -> bool {
    let name = &scan.text[field.name.clone()];
    let value = &scan.text[field.value.clone()];
    let shouted = name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    let strong = !matches!(family, SecretFamily::Auth | SecretFamily::AnyKey);
    match field.sign {
        _ if family == SecretFamily::AnyKey || is_prose(value) => false,
        Sign::Colon if is_field(value) || !field.value_quoted && is_camel_case(value) => false,
        _ if scan.byte_before(field.value.start) == b'`' && value.contains(' ') => false,
        _ if !field.value_quoted && value.contains(['(', ')', '<', '|']) => false,
        Sign::Equals if shouted => true,
        Sign::Equals if field.name_quoted => field.value_quoted && strong,
        Sign::Equals => {
            let before = scan.byte_before(field.name.start);
            let listed = matches!(family, SecretFamily::Password | SecretFamily::Secret)
                && (is_blank(before) || matches!(before, b';' | b'&' | b'?' | b'\'' | b'"'));
            let place = name.contains('.') && !field.spaced
                || at_line_start(scan, field.name.start)
                || listed && !field.spaced;
            place && !scan.line_has_url(field.name.start)
        }
        Sign::Colon if field.value_quoted => strong,
        Sign::Colon if field.name_quoted => false,
        Sign::Colon => {
            strong
                && at_line_start(scan, field.name.start)
                && !scan.line_has_url(field.name.start)
                && reads_like_value(value, family)
        }
        Sign::Element | Sign::Argument | Sign::Pair => false,
    }
}

/// `userPassword1`, `PrivateKey`: the name of a variable or a type.
fn is_camel_case(value: &str) -> bool {
    let value = value.trim_end_matches(',');
    value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && look(value) == SecretLook::Plain
        && value
            .as_bytes()
            .windows(2)
            .any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
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
    // Some hits end in the sign behind the name.
    let hit_end = scan.run_end_within(hit.start, hit.len(), is_name);
    let end = scan.run_end_within(hit_end, LONGEST_NAME, is_name);
    if hit.start - start == LONGEST_NAME || end - hit_end == LONGEST_NAME {
        return None;
    }
    let name = &scan.text[start..end];
    let front = name.len() - name.trim_start_matches(['-', '.']).len();
    let name = name.trim_end_matches(['-', '.']);
    (front < name.len()).then(|| start + front..start + name.len())
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
