//! Whether a value looks like something nobody should see.
//!
//! A name alone says little in source code: `password: str`, `token = get_token()` and
//! `"password": "Password"` are everywhere. What tells a secret is the value: a generator made it, or
//! a person who was told to use digits and signs. Names, types, versions, paths and the blanks that
//! a manual leaves to fill in are all made of words, and that is what is looked for here.

use super::languages;
use super::words::{is_placeholder, made_of_words};

/// How much a value looks like a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SecretLook {
    /// Like a name, a type, a number, a word.
    Plain,
    /// Like a password that somebody thought of.
    Chosen,
    /// Like something a generator made.
    Generated,
}

/// Fewest characters of something generated, and of a password.
const LEAST_GENERATED: usize = 16;
const LEAST_CHOSEN: usize = 6;
/// A sign in a value no longer than this makes it more than words.
const SHORT: usize = 20;
/// How much of a value is judged.
const JUDGED: usize = 128;
/// Longest run of letters that passes for a word.
const LONGEST_WORD: usize = 15;
/// Most digits behind a word, as in `version2024`.
const MOST_DIGITS: usize = 4;
/// Words of a phrase that stands for a wallet's key.
const PHRASE_WORDS: [usize; 5] = [12, 15, 18, 21, 24];

const LONGEST_PHRASE: usize = 256;

/// What a value is, from how it is written.
pub(super) fn look(value: &str) -> SecretLook {
    if is_phrase(&value[..value.floor_char_boundary(LONGEST_PHRASE)]) {
        return SecretLook::Generated;
    }
    let value = &value[..value.floor_char_boundary(JUDGED)];
    if is_noise(value) || is_grouped(value) {
        return SecretLook::Generated;
    }
    if value.len() < LEAST_CHOSEN || value.bytes().any(|byte| byte <= b' ') {
        return SecretLook::Plain;
    }
    let signs = |byte: u8| matches!(byte, b'!' | b'$' | b'#' | b'&' | b'^' | b'%' | b'@');
    let has_sign = value.bytes().skip(1).any(signs);
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let named = value
        .split(|c: char| c.is_ascii_punctuation() && c != '\'' || !c.is_ascii())
        .all(is_name_part);
    if named && !(has_sign && digits > 0 && letters > 0) {
        return SecretLook::Plain;
    }
    if mostly_words(value) && !(has_sign && (digits > 0 || !named && value.len() <= SHORT))
        || is_number(value)
        || is_time(value)
        || is_alphabet(value)
        || stands_in(value)
        || is_reference(value)
    {
        return SecretLook::Plain;
    }
    if !named
        && value.len() >= LEAST_GENERATED
        && (digits >= 2 || changes_case(value) || is_unspeakable(value))
    {
        return SecretLook::Generated;
    }
    SecretLook::Chosen
}

/// Fewest characters of noise, and the share of signs in it: one in so many.
const LEAST_NOISE: usize = 24;
const SIGN_SHARE: usize = 5;

/// Letters, digits and signs of all kinds in no order, perhaps with blanks between.
fn is_noise(value: &str) -> bool {
    let signs = value.bytes().filter(|byte| b"!@#$%^&*()|~+;<>?`[]{}=".contains(byte));
    let has = |test: fn(&u8) -> bool| value.bytes().any(|byte| test(&byte));
    value.len() >= LEAST_NOISE
        && signs.clone().count() * SIGN_SHARE >= value.len()
        && signs.collect::<std::collections::BTreeSet<u8>>().len() >= 6
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && value
            .split(' ')
            .all(|word| word.len() >= 4 && !word.bytes().all(|byte| byte.is_ascii_alphabetic()))
}

/// `489RP-4CP5R-JSS54-7HBIT`: groups of capitals and digits, as licences have them.
fn is_grouped(value: &str) -> bool {
    let groups = || value.split('-');
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    (4..=8).contains(&groups().count())
        && digits >= 4
        && digits * 4 <= value.len() * 3
        && groups().all(|group| {
            (4..=8).contains(&group.len())
                && group.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        })
}

/// A password as rules for passwords want it: both cases, digits and a sign among them. Text has hardly
/// anything that looks like it.
pub(super) fn is_complex(value: &str) -> bool {
    let sign = |byte: u8| b"!#$%&@^*?~".contains(&byte);
    let has = |test: fn(&u8) -> bool| value.bytes().any(|byte| test(&byte));
    let signs = value.bytes().filter(|&byte| sign(byte)).count();
    let inner = value.len() >= 2 && value.as_bytes()[1..value.len() - 1].iter().any(|&b| sign(b));
    let mail_or_version = value.split_once('@').is_some_and(|(_, host)| {
        host.contains('.') || host.starts_with(|first: char| first.is_ascii_digit())
    });
    // `Outer$Inner1`, `User#name2`: names on both sides of a sign.
    let names =
        !value.contains('!') && value.split(|c: char| c.is_ascii_punctuation()).all(is_name_part);
    (8..=40).contains(&value.len())
        && value
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || sign(byte) || b"_-.+".contains(&byte))
        && value.starts_with(|first: char| first.is_ascii_alphanumeric())
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
        && (inner || signs >= 2)
        && !mail_or_version
        && !names
        && look(value) >= SecretLook::Chosen
}

/// Whether most of a value is words: `nl80211_rekey_data::DATA`, `x25519_generate_private_key`.
fn mostly_words(value: &str) -> bool {
    let words: usize = value
        .split(|c: char| c.is_ascii_punctuation())
        .filter(|part| {
            part.len() >= 4 && is_name_part(part) && !part.ends_with(|c: char| c.is_ascii_digit())
        })
        .map(|part| part.len() + 1)
        .sum();
    words * 2 > value.len()
}

/// Letters in one case or with a capital first, then a few digits; or digits alone; or
/// several such words `inCamelCase`.
fn is_name_part(part: &str) -> bool {
    let letters = part.trim_end_matches(|end: char| end.is_ascii_digit());
    let digits = part.len() - letters.len();
    if letters.is_empty() {
        return true;
    }
    if digits > MOST_DIGITS || !letters.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return false;
    }
    let rest = &letters[1..];
    let one_case = rest.bytes().all(|byte| byte.is_ascii_lowercase())
        || letters.bytes().all(|byte| byte.is_ascii_uppercase());
    if one_case {
        return letters.len() <= LONGEST_WORD;
    }
    made_of_words(letters)
}

/// Small and capital letters mixed as no name has them.
fn changes_case(value: &str) -> bool {
    let bytes = value.as_bytes();
    let changes = bytes
        .windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        .count();
    changes * 7 >= bytes.len()
}

/// So many consonants in a row nobody can say, not even at the joint of two words.
const UNSPEAKABLE: usize = 5;

/// Small letters in an order that no word has, and a digit among them.
fn is_unspeakable(value: &str) -> bool {
    let consonant = |byte: &u8| {
        byte.is_ascii_lowercase() && !matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
    };
    value.bytes().any(|byte| byte.is_ascii_digit())
        && value
            .as_bytes()
            .chunk_by(|one, next| consonant(one) && consonant(next))
            .any(|run| run.len() >= UNSPEAKABLE)
}

fn is_number(value: &str) -> bool {
    value
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'_' | b',' | b'-' | b':'))
}

/// `2025-01-03T10:11:12Z`
fn is_time(value: &str) -> bool {
    value.starts_with("20")
        && value.contains('T')
        && value.bytes().all(|byte| byte.is_ascii_digit() || b"-:.TZ+".contains(&byte))
}

/// Twelve to twenty-four small words, as wallets have them.
fn is_phrase(value: &str) -> bool {
    let words = || value.split(' ');
    PHRASE_WORDS.contains(&words().count())
        && words().all(|word| {
            (3..=8).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase())
        })
}

/// Words that manuals and examples put where a secret belongs, in lower case.
const STAND_INS: &[&str] = &[
    "changeme",
    "change-me",
    "change_me",
    "changeit",
    "dummy",
    "fixme",
    "goes-here",
    "goes_here",
    "insert",
    "my-super-secret",
    "my_super_secret",
    "not-a-real",
    "not-real",
    "notreal",
    "password_here",
    "placeholder",
    "redacted",
    "replace-",
    "replace_",
    "replaceme",
    "todo",
    "xxxxx",
    "your-",
    "your_",
    "yourkey",
    "yourpassword",
    "yoursecret",
    "yourtoken",
];

/// Words that are names of secrets or states of them, and so are none themselves.
const PLAIN_WORDS: &[&str] = &[
    "absent",
    "apikey",
    "argon2",
    "argon2i",
    "argon2id",
    "asdf",
    "bar",
    "basic",
    "baz",
    "bearer",
    "blank",
    "code",
    "default",
    "denied",
    "digest",
    "disabled",
    "enabled",
    "example",
    "expired",
    "failed",
    "foo",
    "foobar",
    "hidden",
    "incorrect",
    "include",
    "inherit",
    "invalid",
    "key",
    "masked",
    "missing",
    "n/a",
    "nothing",
    "oauth",
    "omitted",
    "oauth2",
    "passphrase",
    "passwd",
    "password",
    "password1",
    "password123",
    "pbkdf2",
    "placeholder",
    "present",
    "prompt",
    "read",
    "removed",
    "same-origin",
    "sanitized",
    "secret",
    "secret123",
    "test",
    "test123",
    "tba",
    "tbd",
    "testing",
    "token",
    "unknown",
    "uint8array",
    "username",
    "valid",
    "write",
];

/// Whether a value only stands where a secret belongs.
pub(super) fn stands_in(value: &str) -> bool {
    let value = value.trim_matches(|edge: char| matches!(edge, ',' | ';' | '"' | '\'' | '`'));
    let lower = value[..value.floor_char_boundary(JUDGED)].to_ascii_lowercase();
    // Long values may have any letters in them by chance.
    let short = lower.len() <= 48;
    is_placeholder(value)
        || PLAIN_WORDS.contains(&lower.as_str())
        || languages::is_word(value)
        || short && STAND_INS.iter().any(|word| lower.contains(word))
        || short
            && (lower.ends_with("example") || lower.ends_with("_here") || lower.ends_with("-here"))
        || names_resource(&lower)
        || lower.contains("...")
        || lower.contains('…')
        || value.contains("${")
        || value.contains("{{")
        || value.contains("#{")
        || value.contains("<%")
        || value.contains("%(")
        || value.starts_with('%') && value.len() <= 3
        || is_regex(value)
}

/// `db-credentials`, `orders-api-token`: the name of the place that holds the secret.
fn names_resource(lower: &str) -> bool {
    const HOLDERS: [&str; 13] = [
        "auth",
        "passwd",
        "password",
        "cert",
        "creds",
        "credential",
        "credentials",
        "key",
        "keys",
        "secret",
        "secrets",
        "tls",
        "token",
    ];
    let parts = || lower.split(['-', '_', '.']);
    parts().count() >= 2
        && lower.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_.".contains(&byte))
        && parts().all(|part| part.len() <= LONGEST_WORD)
        && parts().next_back().is_some_and(|last| HOLDERS.contains(&last))
}

/// `abcdefgh…`: letters to choose from.
fn is_alphabet(value: &str) -> bool {
    let runs = ["abcdefghijk", "ABCDEFGHIJK"];
    runs.iter().any(|run| value.contains(run))
}

fn is_regex(value: &str) -> bool {
    ["[a-z", "[A-Z", "[0-9", "[^", "(?:", "(?=", "(?P<", "\\d", "\\w", "\\s"]
        .iter()
        .any(|part| value.contains(part))
}

/// How values begin that say where a secret is.
const REFERENCES: &[&str] = &[
    "$(",
    "%{",
    "&",
    "*",
    "--",
    "../",
    "./",
    "://",
    ":",
    "<",
    "=",
    "?",
    "@",
    "ENC[",
    "Fn::",
    "\\",
    "`",
    "{cipher}",
    "arn:",
    "aws:",
    "data:",
    "env:",
    "file:",
    "gcp:",
    "http:",
    "https:",
    "npm:",
    "op://",
    "projects/",
    "ref+",
    "sha1-",
    "sha256-",
    "sha256:",
    "sha384-",
    "sha512-",
    "sm://",
    "ssh-",
    "ssm:",
    "urn:",
    "vault:",
    "|",
    "~",
    "!",
];

/// Whether a value says where a secret is, or is public by its kind.
pub(super) fn is_reference(value: &str) -> bool {
    REFERENCES.iter().any(|beginning| value.starts_with(beginning)) && !begins_by_chance(value)
        || value.contains("://")
        || value.contains("->")
        || value.contains("=>")
        || value.contains("&&")
        || value.contains("||")
        || value.contains("==") && !value.ends_with("==")
        || is_path_of_words(value)
        || value.starts_with('/') && value[1..].contains('/') && mostly_words(value)
        || value.contains('|') && mostly_words(value)
        || is_version(value)
        || is_short_hex(value)
}

/// `*_4RUEuFH4l=`, `*2470C0C06DEE42FD…`: what follows the sign is no name, so the sign is a part of the value.
fn begins_by_chance(value: &str) -> bool {
    let Some(rest) = value.strip_prefix(['*', '&', '?', '=', '@', '!', '~', ':']) else {
        return false;
    };
    let plain = rest.bytes().all(|byte| byte > b' ' && !b"(){}[]<>/\\$|\"'`".contains(&byte));
    let hash = rest.len() >= 32 && rest.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain && (hash || look(rest) >= SecretLook::Chosen && follows_password_rules(rest))
}

/// `^9.0.2`, `>=1.2`.
fn is_version(value: &str) -> bool {
    let number = value.trim_start_matches(['^', '~', '>', '<', '=', ' ']);
    number.len() < value.len()
        && number.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'x' | b'*'))
}

/// A number such as `0x4AEE18F83AFDEB23`.
fn is_short_hex(value: &str) -> bool {
    value.strip_prefix("0x").is_some_and(|digits| {
        digits.len() <= LEAST_GENERATED && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Whether a value has small letters, capitals and digits, as rules for passwords want it.
pub(super) fn follows_password_rules(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    value.len() >= 8
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value.bytes().any(|byte| byte.is_ascii_uppercase())
        && value.bytes().any(|byte| byte.is_ascii_lowercase())
        && !value.bytes().any(|byte| byte <= b' ')
        && !["pass", "secret", "token", "user", "test", "key"]
            .iter()
            .any(|word| lower.contains(word))
}

/// `prod/app/database`, `keyword.operator.assignment`.
fn is_path_of_words(value: &str) -> bool {
    value.len() >= 8
        && value.contains('/')
        && value.split(['/', '.', '-', '_', ':']).all(is_name_part)
}

/// Words that text has and a pass phrase has not.
pub(super) const PROSE: &[&str] = &[
    "a", "an", "and", "at", "be", "least", "will", "by", "can", "de", "der", "die", "enter", "for",
    "from", "has", "is", "must", "not", "of", "or", "please", "that", "the", "this", "to", "too",
    "used", "was", "when", "with", "you", "your",
];

/// Whether several words are a sentence and not a pass phrase.
pub(super) fn is_prose(value: &str) -> bool {
    // `16 bytes`
    if value
        .strip_suffix(" bytes")
        .is_some_and(|count| count.bytes().all(|byte| byte.is_ascii_digit()))
    {
        return true;
    }
    let words = || value.split(|c: char| !c.is_ascii_alphabetic()).filter(|word| !word.is_empty());
    value.contains(' ')
        && (words().any(|word| PLAIN_WORDS.iter().any(|known| known.eq_ignore_ascii_case(word)))
            || words().count() >= 3
                && words().any(|word| PROSE.iter().any(|known| known.eq_ignore_ascii_case(word))))
}
