//! Which names secrets are given.
//!
//! A name is taken apart into words, whichever way it is written: `API_TOKEN`, `api-token`,
//! `apiToken`, `api.token`. A word that says what the value is about (`token_count`,
//! `password_file`) makes the whole name harmless.

/// The kind of secret a name speaks of; the first that fits counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SecretFamily {
    Password,
    Secret,
    Token,
    ApiKey,
    Key,
    Credential,
    /// The weakest sign; not used where any text may stand.
    Auth,
}

/// Last words of names whose values describe a secret but are none.
const ABOUT: &[&str] = &[
    "age",
    "alg",
    "algorithm",
    "backend",
    "bytes",
    "cache",
    "chars",
    "class",
    "count",
    "counts",
    "dir",
    "email",
    "enabled",
    "endpoint",
    "endpoints",
    "expires",
    "expiry",
    "field",
    "file",
    "folder",
    "format",
    "header",
    "help",
    "hint",
    "host",
    "interval",
    "issuer",
    "kind",
    "label",
    "len",
    "length",
    "level",
    "limit",
    "limits",
    "location",
    "max",
    "message",
    "method",
    "min",
    "mode",
    "module",
    "name",
    "names",
    "needed",
    "parallelism",
    "path",
    "policy",
    "port",
    "prefix",
    "prompt",
    "provider",
    "region",
    "required",
    "retries",
    "rotation",
    "scope",
    "scopes",
    "size",
    "sock",
    "socket",
    "source",
    "stdin",
    "store",
    "strategy",
    "suffix",
    "threshold",
    "time",
    "timeout",
    "title",
    "ttl",
    "type",
    "uri",
    "url",
    "usage",
    "used",
    "user",
    "username",
    "validity",
    "version",
];

/// Words before `token` that make it a mark in a text or a page number.
const TOKEN_KINDS: &[&str] = &[
    "begin",
    "change",
    "bos",
    "cls",
    "completion",
    "continuation",
    "cursor",
    "end",
    "eos",
    "idempotency",
    "input",
    "mask",
    "max",
    "min",
    "new",
    "next",
    "num",
    "output",
    "pad",
    "page",
    "per",
    "prompt",
    "request",
    "resume",
    "sep",
    "special",
    "start",
    "starting",
    "stop",
    "sync",
    "total",
    "unk",
];

/// Words before `key` that make it a secret one.
const KEY_KINDS: &[&str] = &[
    "access",
    "account",
    "encryption",
    "master",
    "private",
    "secret",
    "shared",
    "signing",
    "storage",
];

/// What kind of secret a name speaks of, if any.
pub(super) fn family(name: &str) -> Option<SecretFamily> {
    let spread = spread(name);
    let words: Vec<&str> = spread.split('_').filter(|word| !word.is_empty()).collect();
    if words.last().is_some_and(|last| ABOUT.contains(last)) || ends_in(&words, "expires", "in") {
        return None;
    }
    (0..words.len()).filter_map(|index| word_family(&words, index)).min()
}

fn ends_in(words: &[&str], first: &str, second: &str) -> bool {
    words.ends_with(&[first, second])
}

fn word_family(words: &[&str], index: usize) -> Option<SecretFamily> {
    let word = words[index];
    let before = index.checked_sub(1).map_or("", |before| words[before]);
    let last = index + 1 == words.len();
    let contains = |part: &str| word.contains(part);
    if contains("password") && word != "passwordless"
        || contains("passwd")
        || contains("passphrase")
        || word == "pass" && last && index > 0
    {
        Some(SecretFamily::Password)
    } else if contains("secret") && word != "secretary" {
        Some(SecretFamily::Secret)
    } else if contains("token") && !contains("tokeni") && !TOKEN_KINDS.contains(&before)
        || word == "bearer" && words.len() == 1
    {
        Some(SecretFamily::Token)
    } else if contains("apikey") || word.starts_with("key") && before == "api" {
        Some(SecretFamily::ApiKey)
    } else if last && word == "key" && KEY_KINDS.contains(&before)
        || last && word == "material" && before == "key"
        || ["privatekey", "accesskey", "accountkey", "keymaterial"]
            .iter()
            .any(|key| word.ends_with(key))
    {
        Some(SecretFamily::Key)
    } else if contains("credential") {
        Some(SecretFamily::Credential)
    } else if contains("auth")
        && (!contains("author") || contains("authori") && !contains("authority"))
    {
        Some(SecretFamily::Auth)
    } else {
        None
    }
}

/// The name in lower case with `_` between its words.
fn spread(name: &str) -> String {
    let bytes = name.as_bytes();
    let mut spread = String::with_capacity(name.len() + 8);
    for (index, &byte) in bytes.iter().enumerate() {
        if matches!(byte, b'.' | b'-' | b'_') {
            spread.push('_');
            continue;
        }
        let before = index.checked_sub(1).map_or(b'_', |before| bytes[before]);
        let next_is_small = bytes.get(index + 1).is_some_and(u8::is_ascii_lowercase);
        if byte.is_ascii_uppercase()
            && (before.is_ascii_lowercase() || before.is_ascii_uppercase() && next_is_small)
        {
            spread.push('_');
        }
        spread.push(char::from(byte.to_ascii_lowercase()));
    }
    spread
}
