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
use super::headers::plausible_in_code;
use super::keys::hide_value;
use super::line_start::{LINE_LEAD, at_line_start};
use super::mask::is_masked;
use super::memorable::{begins_as_program_word, is_memorable, is_pass_phrase, is_program_word};
use super::names::{KEY_KINDS, SecretFamily, family};
use super::scan::{Names, SecretScan, is_blank, is_gap, is_quote};
use super::values::{SecretLook, follows_password_rules, is_prose, is_reference, look, stands_in};
use super::words::{is_expression, is_field, is_placeholder, made_of_words};
use super::{flags, languages, lists, nearby, sentences, tables};

/// Longest name, to either side of the hit.
const LONGEST_NAME: usize = 64;
/// Shorter numbers are counts: `Pass: 124, Fail: 0`.
const LEAST_NUMBER: usize = 4;
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
    "absent",
    "await",
    "empty",
    "present",
    "unset",
    "void",
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
    let name = with_words_around(scan, behind_definition(scan, name));
    let done = scan.done();
    match &scan.text[name.clone()] {
        "random_password" | "random_string" => {
            return stands_behind(scan, name.end, &["\"result\"", "result "]);
        }
        "keyName" => return stands_behind(scan, name.end, &["\"value\""]),
        _ => {}
    }
    visit_name(scan, name.clone());
    if scan.done() == done && !nearby::announced(scan, &name) {
        nearby::visit(scan, &name);
    }
}

/// How far behind a resource its result stands in the state of a plan.
const RESOURCE: usize = 1_024;

/// The state of `random_password`: what was made is the `result` of it. A list of an account's keys: the `value`
/// behind each `keyName`.
fn stands_behind(scan: &mut SecretScan<'_>, from: usize, marks: &[&str]) {
    let to = scan.text.floor_char_boundary((from + RESOURCE).min(scan.text.len()));
    for mark in marks {
        let Some(at) = scan.text[from..to].find(mark) else { continue };
        let sign =
            scan.run_end(from + at + mark.len(), |byte| is_gap(byte) || b":=".contains(&byte));
        if let Some(value) = super::fields::quoted(scan, sign) {
            let text = &scan.text[value.clone()];
            if look(text) >= SecretLook::Chosen && !is_masked(text) && !is_placeholder(text) {
                return hide_value(scan, value);
            }
        }
    }
}

fn visit_name(scan: &mut SecretScan<'_>, name: Range<usize>) {
    if scan.text[..name.start].ends_with("--") {
        return flags::long_option(scan, name);
    }
    if scan.text[name.end..].starts_with(">\n") && &scan.text[name.clone()] == "auth-user-pass" {
        return flags::user_and_password(scan, name.end + 2);
    }
    let dash = name.start.checked_sub(2).map_or(b' ', |at| scan.byte(at));
    let takes_kind = matches!(&scan.text[name.clone()], "passin" | "passout");
    if scan.byte_before(name.start) == b'-'
        && is_blank(dash)
        && is_gap(scan.byte(name.end))
        && !takes_kind
    {
        return flags::short_option(scan, name);
    }
    if tables::visit(scan, &name) || tables::upright(scan, &name) || lists::visit(scan, &name) {
        return;
    }
    let ends_in_blank = is_gap(scan.byte(name.end)) || scan.byte(name.end) == b'\n';
    // To pass something is a verb.
    let verb = scan.text[name.clone()].eq_ignore_ascii_case("pass");
    if ends_in_blank
        && !verb
        && (flags::directive(scan, name.clone()) || sentences::visit(scan, &name))
    {
        return;
    }
    let plain_name = &scan.text[name.clone()];
    // `Offering public key: /home/…`
    let shared = plain_name.eq_ignore_ascii_case("key")
        && ["public ", "Public "].iter().any(|word| scan.text[..name.start].ends_with(word));
    if shared {
        return;
    }
    let Some(field) = field(scan, name) else { return };
    // `secrets.yaml: no such file`
    if field.sign == Sign::Colon && !field.name_quoted && is_file(plain_name) {
        return;
    }
    let given = &scan.text[field.value.clone()];
    // The path of a resource, or a name for the same name elsewhere.
    if plain_name.starts_with("module.")
        || !given.contains(|char: char| char.is_alphanumeric() || char == '*')
        || !field.value_quoted && is_same_name(plain_name, given)
        || plain_name.eq_ignore_ascii_case(given)
    {
        return;
    }
    // `"Enter password": "…"`: a sentence and what it is in another language.
    let sentence =
        field.name_quoted && field.sign != Sign::Pair && scan.byte_before(field.name.start) == b' ';
    if sentence && look(given) != SecretLook::Generated {
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
    // A key with a remark behind it, or with its kind before it.
    if let Some((_, last)) = value.rsplit_once(' ')
        && field.value_quoted
        && value.split(' ').count() == 2
        && matches!(family(plain_name), Some(SecretFamily::Token | SecretFamily::ApiKey))
        && look(last) == SecretLook::Generated
    {
        return hide_value(scan, field.value.end - last.len()..field.value.end);
    }
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

/// Whether a name is one of a file, by its end.
fn is_file(name: &str) -> bool {
    const ENDS: &[&str] = &[
        "c", "cfg", "conf", "cpp", "cs", "css", "go", "h", "html", "ini", "java", "js", "json",
        "jsx", "kt", "lock", "log", "md", "php", "py", "rb", "rs", "sh", "sql", "swift", "tf",
        "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml",
    ];
    name.rsplit_once('.').is_some_and(|(stem, end)| !stem.is_empty() && ENDS.contains(&end))
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
            Self::Header if !field.value_quoted && value.ends_with('>') => false,
            Self::Header if is_reference(value) => false,
            Self::Header if stands_in(value) || !field.value_quoted && is_field(value) => false,
            Self::Header if scan.rules.code() => plausible_in_code(value),
            Self::Header => !is_plain(value, SecretFamily::ApiKey) && !is_expression(value),
            Self::Registry => equals && !is_expression(value),
            Self::Storage => equals && value.len() >= LEAST_STORAGE_KEY && !made_of_words(value),
            Self::SecretAccessKey => {
                value.len() == SECRET_ACCESS_KEY_CHARS
                    && value.bytes().all(base64)
                    && !value.contains("EXAMPLE")
            }
            Self::Login => field.value_quoted && (is_login(value) || is_registry(scan, field)),
        }
    }
}

/// `{"auths": {"host": {"auth": "…"}}}`: whatever a file of logins for registries has there.
fn is_registry(scan: &SecretScan<'_>, field: &Field) -> bool {
    let value = &scan.text[field.value.clone()];
    let from = field.name.start.saturating_sub(ACCOUNT_BACK);
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+' | b'=');
    value.len() >= LEAST_STORAGE_KEY
        && value.bytes().all(base64)
        && memchr::memmem::find(&scan.bytes()[from..field.name.start], b"\"auths\"").is_some()
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
    // What only a cluster or a key of one's own can read is made to be shown.
    let from = field.name.start.saturating_sub(ACCOUNT_BACK * 2);
    if memchr::memmem::find(&scan.bytes()[from..field.name.start], b"encryptedData").is_some() {
        return false;
    }
    let guessing = scan.rules.names == Names::Guess;
    // A method of something is named after it; what it is given is not.
    if field.sign == Sign::Argument && !field.name_quoted && !ends_as_secret(name) {
        return false;
    }
    let looks = looks_secret(scan, field, family);
    if !looks && !guessing {
        return false;
    }
    let computed = !field.value_quoted
        && (is_expression(value)
            || field.sign == Sign::Equals
                && is_field(value)
                && (field.spaced
                    || names_secret(value)
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

/// `setPassword(…)`, `dbPass(…)`, and not `password.encode(…)`.
fn ends_as_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["password", "passwd", "pass", "pwd", "passphrase", "secret", "token", "key", "login"]
        .iter()
        .any(|last| name.ends_with(last))
}

/// `settings.API_KEY`: the last part is the name of a secret.
fn names_secret(value: &str) -> bool {
    let value = value.trim_end_matches([',', ';', ')']);
    value.rsplit('.').next().is_some_and(|last| family(last).is_some())
}

/// Whether the value shows by itself that it belongs to the name.
fn looks_secret(scan: &SecretScan<'_>, field: &Field, family: SecretFamily) -> bool {
    let value = &scan.text[field.value.clone()];
    let look = look(value);
    match family {
        SecretFamily::Password
            if follows_password_rules(value) && (is_text(scan, field) || is_line(scan, field)) =>
        {
            true
        }
        // `secret = …` in the settings of a service, with nothing else on the line.
        SecretFamily::Secret
            if follows_password_rules(value) && is_memorable(value) && is_line(scan, field) =>
        {
            true
        }
        SecretFamily::Password
            if is_memorable(value)
                && (is_text(scan, field) || is_dashed(scan, field) || is_line(scan, field))
                || field.value_quoted && is_pass_phrase(value) =>
        {
            true
        }
        SecretFamily::Secret
            if is_memorable(value)
                && (is_shouted(&scan.text[field.name.clone()]) || field.value_quoted)
                && value.bytes().filter(u8::is_ascii_digit).count() >= 2
                && is_text(scan, field) =>
        {
            true
        }
        SecretFamily::Password
            if (field.value_quoted || field.sign == Sign::Element) && is_spoken(scan, field) =>
        {
            true
        }
        SecretFamily::Password if is_one_word(scan, field) => true,
        SecretFamily::Password
            if is_pin(value) && (is_text(scan, field) || is_line(scan, field)) =>
        {
            let name = scan.text[field.name.clone()].to_ascii_lowercase();
            ["password", "passwd", "pass", "pwd", "passcode"]
                .iter()
                .any(|last| name.ends_with(last))
        }
        SecretFamily::Credential if is_login_pair(value) => true,
        SecretFamily::AnyKey
            if scan.text[field.name.clone()].to_ascii_lowercase().ends_with("login")
                && (is_login_pair(value) || is_login_token(scan, field)) =>
        {
            true
        }
        SecretFamily::AnyKey if scan.text[field.name.clone()].eq_ignore_ascii_case("key") => {
            is_bare_key(scan, field)
        }
        SecretFamily::Password | SecretFamily::Secret if look == SecretLook::Chosen => {
            field.value_quoted
                || field.sign == Sign::Element
                || field.sign == Sign::Pair
                || !is_name_in_code(scan, field)
        }
        SecretFamily::Password if is_sql_call(scan, field) => true,
        SecretFamily::Auth
            if is_shouted(&scan.text[field.name.clone()])
                && field.sign == Sign::Equals
                && ends_in_auth(&scan.text[field.name.clone()])
                && is_login_pair(value) =>
        {
            true
        }
        SecretFamily::Auth => {
            let name = &scan.text[field.name.clone()];
            ends_in_auth(name)
                && (field.sign == Sign::Equals || is_shouted(name))
                && value.len() >= LEAST_STORAGE_KEY
                && look == SecretLook::Generated
        }
        SecretFamily::AnyKey
            if !field.value_quoted && field.spaced && field.sign == Sign::Equals =>
        {
            false
        }
        _ if field.value_quoted => look == SecretLook::Generated,
        _ => look == SecretLook::Generated && !value.contains(['(', '[', '{', '<']),
    }
}

/// `PASSWORD('value')` of a query: whatever stands there is one.
fn is_sql_call(scan: &SecretScan<'_>, field: &Field) -> bool {
    field.sign == Sign::Argument
        && !field.name_quoted
        && &scan.text[field.name.clone()] == "PASSWORD"
        && scan.byte_before(field.value.start) == b'\''
        && !scan.text[field.value.clone()].contains(' ')
}

/// `REDIS_AUTH`, and not `author` or `auth_mode`.
fn ends_in_auth(name: &str) -> bool {
    name.rsplit(['_', '-', '.']).next().is_some_and(|last| last.eq_ignore_ascii_case("auth"))
}

/// `"password: value"`: a string that is nothing else, as options take headers.
fn is_whole_string(scan: &SecretScan<'_>, field: &Field) -> bool {
    let open = scan.byte_before(field.name.start);
    is_quote(open)
        && !field.name_quoted
        && !field.value_quoted
        && scan.byte(field.value.end) == open
}

/// `psk="purple elk 4 runs"`: words and a number, where a phrase is expected.
fn is_spoken(scan: &SecretScan<'_>, field: &Field) -> bool {
    let name = scan.text[field.name.clone()].to_ascii_lowercase();
    let value = &scan.text[field.value.clone()];
    (name.ends_with("psk") || name.ends_with("passphrase"))
        && (if field.sign == Sign::Element { 2 } else { 3 }..=8).contains(&value.split(' ').count())
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.split(' ').all(|word| word.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        && !is_prose(value)
}

/// Shortest word that is taken for a password by the name before it alone.
const LEAST_WORD: usize = 6;
/// Shortest phrase for a wireless network.
const LEAST_NETWORK: usize = 8;

/// `DB_PASSWORD=wolkenbank`, `psk="wolkenbank"`: one word, behind a name that only settings have.
fn is_one_word(scan: &SecretScan<'_>, field: &Field) -> bool {
    let name = &scan.text[field.name.clone()];
    let value = &scan.text[field.value.clone()];
    let network = ["psk", "wpa_passphrase", "wifi_password", "wlan_password"]
        .iter()
        .any(|last| name.to_ascii_lowercase().ends_with(last))
        && value.len() >= LEAST_NETWORK;
    let variable = is_shouted(name)
        && (field.value_quoted || is_setting(scan, field) || is_line(scan, field))
        && value.len() >= LEAST_WORD;
    let lower = value.to_ascii_lowercase();
    (network || variable)
        && value.bytes().all(|byte| byte.is_ascii_lowercase())
        && !is_program_word(value)
        && !["pass", "pwd", "secret", "login", "user"].iter().any(|word| lower.contains(word))
}

/// Whether the value is given as a text, and not by the name of something else.
fn is_text(scan: &SecretScan<'_>, field: &Field) -> bool {
    field.value_quoted
        || matches!(field.sign, Sign::Element | Sign::Pair)
        || is_setting(scan, field)
        || is_word_of_line(scan, field)
        || is_whole_string(scan, field)
}

/// `Password: Welcome1`, `Password = Harbor3600`: the rest of a line, and no type or name.
fn is_line(scan: &SecretScan<'_>, field: &Field) -> bool {
    let value = &scan.text[field.value.clone()];
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let titled = is_memorable(value) && value.starts_with(|first: char| first.is_uppercase());
    (field.sign == Sign::Colon || field.sign == Sign::Equals && (digits >= 3 || titled))
        && field.spaced
        && matches!(scan.byte(field.value.end), 0 | b'\n' | b'\r')
        && (at_line_start(scan, field.name.start) || behind_label(scan, field))
        && !is_camel_case(value)
        && !begins_as_program_word(value)
}

/// `Temporary admin password: …`: the words of a label before the name.
fn behind_label(scan: &SecretScan<'_>, field: &Field) -> bool {
    let from = scan.run_start(field.name.start, LINE_LEAD, |byte| byte != b'\n');
    let begins = from == 0 || scan.byte_before(from) == b'\n';
    let label = scan.text[scan.text.ceil_char_boundary(from)..field.name.start].trim_start();
    begins
        && field.sign == Sign::Colon
        && label.starts_with(|first: char| first.is_uppercase())
        && label.split_ascii_whitespace().count() <= 4
        && label.chars().all(|letter| letter.is_alphanumeric() || letter == ' ')
}

/// `password: river-opal-92`, `password = river-opal-92`: no program subtracts like this.
fn is_dashed(scan: &SecretScan<'_>, field: &Field) -> bool {
    let value = &scan.text[field.value.clone()];
    let before = scan.byte_before(field.name.start);
    let numbered = value.rsplit_once(['.', '_']).is_some_and(|(_, number)| {
        number.len() >= 2 && number.bytes().all(|byte| byte.is_ascii_digit())
    });
    let numbered = numbered
        && (value.contains('.') || value.starts_with(|first: char| first.is_ascii_uppercase()));
    (value.contains('-') || numbered)
        && (before == 0
            || is_blank(before)
            || matches!(before, b'"' | b'\'' | b':' | b'{' | b'.' | b'|'))
}

/// Digits of a number that is a password.
const PIN_DIGITS: std::ops::RangeInclusive<usize> = 6..=12;

/// A number that nobody writes as an example.
fn is_pin(value: &str) -> bool {
    let distinct = (b'0'..=b'9').filter(|digit| value.as_bytes().contains(digit)).count();
    PIN_DIGITS.contains(&value.len())
        && value.bytes().all(|byte| byte.is_ascii_digit())
        && distinct >= 4
        && !value.starts_with("1234")
        && !value.starts_with("0123")
}

/// `ada:Welcome!1` behind a name that means a login.
fn is_login_pair(value: &str) -> bool {
    value.split_once(':').or_else(|| value.split_once(" / ")).is_some_and(|(user, password)| {
        !user.is_empty()
            && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._@-".contains(&byte))
            && (look(password) >= SecretLook::Chosen || is_memorable(password))
    })
}

/// `sonar.login=…`: a token where a name would be.
fn is_login_token(scan: &SecretScan<'_>, field: &Field) -> bool {
    let value = &scan.text[field.value.clone()];
    field.sign == Sign::Equals
        && !field.spaced
        && value.len() >= 2 * LEAST_STORAGE_KEY
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && look(value) == SecretLook::Generated
}

/// How far before a bare `key` the name of its account may stand.
const ACCOUNT_BACK: usize = 160;

/// Shortest value of a variable that is just called `KEY`.
const LEAST_BARE: usize = 32;

/// `key = …` in the settings of an account.
fn is_bare_key(scan: &SecretScan<'_>, field: &Field) -> bool {
    let value = &scan.text[field.value.clone()];
    let from = field.name.start.saturating_sub(ACCOUNT_BACK);
    let before =
        String::from_utf8_lossy(&scan.bytes()[from..field.name.start]).to_ascii_lowercase();
    let generated = value.len() >= LEAST_STORAGE_KEY && look(value) == SecretLook::Generated;
    if generated && parent(&before).is_some_and(|parent| KEY_KINDS.contains(&parent)) {
        return true;
    }
    // `export KEY=…`: a variable with nothing else to its name, and a value as only generators make them.
    let has = |test: fn(&u8) -> bool| value.bytes().any(|byte| test(&byte));
    if generated
        && is_setting(scan, field)
        && is_shouted(&scan.text[field.name.clone()])
        && value.len() >= LEAST_BARE
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
    {
        return true;
    }
    generated
        && at_line_start(scan, field.name.start)
        && before.lines().any(|line| {
            let name = line.trim_start_matches([' ', '\t', '-', '"']);
            ["account", "user", "access", "bucket"].iter().any(|word| name.starts_with(word))
        })
}

/// `"jwt": {"key": …`, `jwt:⏎  key: …`, `[jwt]⏎key = …`: the name of what the key belongs to, in small letters.
fn parent(before: &str) -> Option<&str> {
    let before = before.trim_end_matches(['"', '\'', ' ', '\t', '\n', '\r']);
    if let Some(section) = before.strip_suffix(']') {
        let section = section.rsplit(['[', '\n']).next()?;
        return section.rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next();
    }
    let before = before.strip_suffix('{').unwrap_or(before).trim_end();
    let before = before.strip_suffix([':', '='])?.trim_end_matches(['"', '\'', ' ']);
    before.rsplit(|letter: char| !letter.is_ascii_alphanumeric()).next()
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
    let edge = |byte: u8| byte == 0 || is_blank(byte) || matches!(byte, b'"' | b'\'' | b',');
    let before = scan.byte_before(field.name.start);
    let after = scan.byte(field.value.end);
    // `{user=ada, password=…}`
    let last = after == b'}' && scan.text[..field.name.start].ends_with(", ");
    field.sign == Sign::Equals
        && !field.spaced
        && (edge(before) || matches!(before, b'=' | b'|' | b'-' | b'&') || in_login(scan, field))
        && (edge(after) || last || after == b'&' || in_login(scan, field))
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

/// The words that belong to the name with a blank between: `Private key: …`, `Secret ID = …`.
fn with_words_around(scan: &SecretScan<'_>, name: Range<usize>) -> Range<usize> {
    const WORDS: [&str; 15] = [
        "license ",
        "licence ",
        "product ",
        "activation ",
        "serial ",
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
    if scan.text[name.start..].starts_with("Secret ID") {
        return name.start..name.start + "Secret ID".len();
    }
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

/// `-Dname=value`: the letter belongs to the option.
fn behind_definition(scan: &SecretScan<'_>, name: Range<usize>) -> Range<usize> {
    let defined = scan.byte_before(name.start) == b'-'
        && scan.byte(name.start) == b'D'
        && scan.byte(name.end) == b'='
        && name.len() > 1;
    name.start + usize::from(defined)..name.end
}

/// Whether a value without quotes is the name of a variable in a program.
fn is_name_in_code(scan: &SecretScan<'_>, field: &Field) -> bool {
    let value = &scan.text[field.value.clone()];
    let code = |byte: u8| matches!(byte, b'(' | b')' | b'[' | b'{' | b'<' | b'|');
    // No name begins with a digit.
    let name = !value.starts_with(|first: char| first.is_ascii_digit())
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'));
    let before = scan.byte_before(field.name.start);
    let listed = matches!(scan.byte(field.value.end), b',' | b')' | b';' | b'}');
    value.bytes().any(code)
        || name
            && (field.sign == Sign::Equals && field.spaced
                || listed && !is_connection(scan, field)
                || matches!(before, b'(' | b',' | b'.'))
}

/// How far before a password in a list the server or the user stands.
const LOGIN_BACK: usize = 160;

/// Whether `name=value;` stands beside a server or a user: `Server=x;Password=y;`, `"Password=y;Pooling=true"`.
fn in_login(scan: &SecretScan<'_>, field: &Field) -> bool {
    const BESIDE: &[&str] = &[
        "server=",
        "data source=",
        "user id=",
        "userid=",
        "uid=",
        "user=",
        "username=",
        "host=",
        "database=",
        "catalog=",
        "endpoint=",
        "provider=",
        "pooling=",
        "encrypt=",
        "integrated security=",
        "persist security",
        "timeout=",
        "port=",
        "dsn=",
    ];
    let (before, after) = (scan.byte_before(field.name.start), scan.byte(field.value.end));
    let listed = |byte: u8| byte == b';' || is_quote(byte) || is_blank(byte) || byte == 0;
    let in_list = before == b';' || after == b';';
    if field.sign != Sign::Equals || !in_list || !listed(before) || !listed(after) {
        return false;
    }
    let start = scan.run_start(field.name.start, LOGIN_BACK, |byte| byte != b'\n');
    let end = scan.run_end_within(field.value.end, LOGIN_BACK / 2, |byte| byte != b'\n');
    let around = String::from_utf8_lossy(&scan.bytes()[start..end]).to_ascii_lowercase();
    BESIDE.iter().any(|name| around.contains(name))
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
    let shouted = is_shouted(name);
    let strong = !matches!(family, SecretFamily::Auth | SecretFamily::AnyKey);
    match field.sign {
        _ if family == SecretFamily::AnyKey || is_prose(value) => false,
        _ if family != SecretFamily::Password && is_label(value) => false,
        Sign::Colon if !value.is_ascii() && value.chars().all(char::is_alphabetic) => false,
        _ if is_made_of_name(name, value) => false,
        Sign::Colon if is_field(value) || !field.value_quoted && is_camel_case(value) => false,
        _ if scan.byte_before(field.value.start) == b'`' && value.contains(' ') => false,
        _ if !field.value_quoted && value.contains(['(', ')', '<', '>', '|']) => false,
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

/// `token: "token--YR1Yw"`: a class of a style sheet, made of the name.
fn is_made_of_name(name: &str, value: &str) -> bool {
    let name = name.rsplit(['.', '_']).next().unwrap_or(name);
    let rest = value.get(..name.len()).filter(|start| start.eq_ignore_ascii_case(name));
    rest.is_some() && value[name.len()..].starts_with(['-', '_'])
}

/// One word with a capital first, as a form labels its fields.
fn is_label(value: &str) -> bool {
    let mut letters = value.chars();
    letters.next().is_some_and(char::is_uppercase)
        && value.chars().count() >= 4
        && letters.all(|letter| letter.is_alphabetic() && letter.is_lowercase())
}

/// `APP_SECRET`: the name of a variable of the environment, perhaps behind the object that holds them.
fn is_shouted(name: &str) -> bool {
    let name = name.strip_prefix("process.env.").unwrap_or(name);
    name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
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
    // `string (required)`, `string, optional`, `files systemd`
    let (first, rest) = value.split_once([' ', ',']).unwrap_or((value, ""));
    let described = ["files ", "compat "].iter().any(|source| value.starts_with(source))
        || (value[first.len()..].starts_with(',') || rest.starts_with('('))
            && PLAIN_VALUES.iter().any(|plain| plain.eq_ignore_ascii_case(first));
    described
        || PLAIN_VALUES.iter().any(|plain| plain.eq_ignore_ascii_case(value))
        || family == SecretFamily::Token && value.len() <= 12 && number()
        || family == SecretFamily::Password && value.len() < LEAST_NUMBER && number()
        || family == SecretFamily::Auth && value.len() <= 2
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn whole_name(scan: &SecretScan<'_>, hit: &Range<usize>) -> Option<Range<usize>> {
    let word = &scan.text[hit.clone()];
    // Several words stand alone.
    if word.contains(' ') && languages::is_word(word) {
        return Some(hit.clone());
    }
    if !word.trim_end_matches('：').is_ascii() {
        return Some(name_beyond_ascii(scan, hit));
    }
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

/// The whole name around a word that has other letters than plain ones.
fn name_beyond_ascii(scan: &SecretScan<'_>, hit: &Range<usize>) -> Range<usize> {
    let belongs = |letter: &char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
    let from = scan.text.ceil_char_boundary(hit.start.saturating_sub(LONGEST_NAME));
    let before = scan.text[from..hit.start].chars().rev().take_while(belongs).collect::<String>();
    let before = before.trim_end_matches('-').chars();
    let to = scan.text.floor_char_boundary(hit.end + LONGEST_NAME);
    let behind = scan.text[hit.end..to].chars().take_while(belongs);
    hit.start - before.map(char::len_utf8).sum::<usize>()
        ..hit.end + behind.map(char::len_utf8).sum::<usize>()
}
