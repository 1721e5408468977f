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
    /// A key of no known kind: only a value that was generated counts.
    AnyKey,
    /// The weakest sign; not used where any text may stand.
    Auth,
}

/// Last words of names whose values describe a secret but are none.
const ABOUT: &[&str] = &[
    "accessor",
    "age",
    "alg",
    "algorithm",
    "arn",
    "at",
    "audience",
    "backend",
    "bucket",
    "budget",
    "button",
    "bytes",
    "cache",
    "callback",
    "change",
    "changed",
    "chars",
    "claims",
    "class",
    "color",
    "column",
    "columns",
    "command",
    "count",
    "counts",
    "data",
    "days",
    "decoder",
    "description",
    "digest",
    "dir",
    "disabled",
    "email",
    "enabled",
    "encoder",
    "encryption",
    "endpoint",
    "endpoints",
    "error",
    "errors",
    "example",
    "existing",
    "expired",
    "expires",
    "expiry",
    "factory",
    "field",
    "file",
    "fingerprint",
    "folder",
    "form",
    "format",
    "generator",
    "group",
    "hasher",
    "hashers",
    "hashing",
    "header",
    "help",
    "helper",
    "hint",
    "host",
    "hours",
    "icon",
    "id",
    "ids",
    "index",
    "input",
    "interval",
    "invalid",
    "issuer",
    "kind",
    "label",
    "len",
    "length",
    "level",
    "lifetime",
    "limit",
    "limits",
    "lines",
    "list",
    "location",
    "management",
    "manager",
    "mgr",
    "max",
    "message",
    "method",
    "min",
    "minutes",
    "missing",
    "mode",
    "model",
    "module",
    "name",
    "names",
    "needed",
    "page",
    "parallelism",
    "path",
    "pattern",
    "patterns",
    "placeholder",
    "policy",
    "port",
    "position",
    "prefix",
    "prompt",
    "provider",
    "rate",
    "realm",
    "ref",
    "reference",
    "regex",
    "region",
    "required",
    "reset",
    "retries",
    "role",
    "roles",
    "rotation",
    "rules",
    "schema",
    "scope",
    "scopes",
    "seconds",
    "selector",
    "service",
    "size",
    "sock",
    "socket",
    "source",
    "state",
    "status",
    "stdin",
    "store",
    "strategy",
    "strength",
    "suffix",
    "table",
    "template",
    "test",
    "tests",
    "text",
    "threshold",
    "time",
    "timeout",
    "title",
    "ttl",
    "type",
    "uri",
    "url",
    "usage",
    "updated",
    "used",
    "user",
    "username",
    "valid",
    "validator",
    "validators",
    "validity",
    "version",
    "view",
];

/// Words before `token` that make it a mark in a text or a page number.
const TOKEN_KINDS: &[&str] = &[
    "begin",
    "change",
    "bos",
    "cls",
    "color",
    "completion",
    "continuation",
    "cursor",
    "design",
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
    "style",
    "sync",
    "total",
    "unk",
];

/// Words before `key` that make it a secret one.
pub(super) const KEY_KINDS: &[&str] = &[
    "access",
    "account",
    "admin",
    "aes",
    "app",
    "application",
    "auth",
    "cipher",
    "consumer",
    "crypto",
    "decryption",
    "deploy",
    "encrypt",
    "encryption",
    "fernet",
    "function",
    "functions",
    "hmac",
    "jwt",
    "licence",
    "license",
    "master",
    "preshared",
    "private",
    "role",
    "root",
    "secret",
    "server",
    "service",
    "session",
    "shared",
    "signing",
    "ssh",
    "storage",
    "subscription",
    "webhook",
];

/// Words before `key` that make it a name, a place or something for everybody.
const PLAIN_KEYS: &[&str] = &[
    "any",
    "by",
    "cache",
    "candidate",
    "composite",
    "dict",
    "foreign",
    "gpg",
    "group",
    "hash",
    "host",
    "idempotency",
    "index",
    "lookup",
    "map",
    "object",
    "partition",
    "pgp",
    "primary",
    "project",
    "pub",
    "public",
    "publishable",
    "range",
    "registry",
    "row",
    "s3",
    "sort",
    "state",
    "storage_object",
    "translation",
    "unique",
    "verify",
    "websocket",
];

/// Names that end like one that is about a secret and are one all the same.
const SECRET_ALL_THE_SAME: &[(&str, SecretFamily)] = &[
    ("secret_id", SecretFamily::Secret),
    ("mot_de_passe", SecretFamily::Password),
    ("secret_input", SecretFamily::Secret),
    ("client_key_data", SecretFamily::Key),
    ("key_data", SecretFamily::Key),
    ("service_role_key", SecretFamily::Key),
];

/// The word for a password in other languages.
pub(super) const FOREIGN_PASSWORDS: &[&str] = &[
    "passwort",
    "kennwort",
    "contrase\u{f1}a",
    "contrasena",
    "senha",
    "mot_de_passe",
    "mot de passe",
    "motdepasse",
    "wachtwoord",
    "has\u{142}o",
    "\u{43f}\u{430}\u{440}\u{43e}\u{43b}\u{44c}",
    "\u{5bc6}\u{7801}",
    "\u{5bc6}\u{78bc}",
    "\u{53e3}\u{4ee4}",
    "\u{30d1}\u{30b9}\u{30ef}\u{30fc}\u{30c9}",
    "\u{be44}\u{bc00}\u{bc88}\u{d638}",
];

/// Whose password it is, in names written together: `dbpass`.
const PASS_OF: &[&str] = &[
    "admin",
    "auth",
    "bind",
    "db",
    "ftp",
    "http",
    "https",
    "imap",
    "jdbc",
    "key",
    "keystore",
    "ldap",
    "login",
    "mail",
    "my",
    "mysql",
    "pg",
    "pop",
    "proxy",
    "redis",
    "remote",
    "root",
    "smb",
    "smtp",
    "sql",
    "src",
    "srcstore",
    "deststore",
    "ssh",
    "store",
    "sudo",
    "truststore",
    "user",
    "vpn",
    "web",
    "wifi",
];

/// Words that mean a password and nothing else.
const PASSWORDS: &[&str] = &[
    "bindpw",
    "masterauth",
    "passcode",
    "passin",
    "passout",
    "psk",
    "pw",
    "pwd",
    "requirepass",
    "rootpw",
    "securestring",
];

/// What kind of secret a name speaks of, if any.
pub(super) fn family(name: &str) -> Option<SecretFamily> {
    let spread = spread(name);
    if !name.is_ascii() || name.contains(' ') {
        let lower = name.to_lowercase();
        if FOREIGN_PASSWORDS.contains(&lower.as_str()) {
            return Some(SecretFamily::Password);
        }
    }
    let words: Vec<&str> = spread.split('_').filter(|word| !word.is_empty()).collect();
    if let Some(&(_, family)) = SECRET_ALL_THE_SAME.iter().find(|(name, _)| spread.ends_with(name))
    {
        return Some(family);
    }
    // `existingSecret`: the name of one that is there already.
    if words.contains(&"existing")
        || spread.starts_with("google_")
        || spread.starts_with("aws_") && name.contains('.')
    {
        return None;
    }
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
        || word == "pass" && last
        || last && word.strip_suffix("pass").is_some_and(|whose| PASS_OF.contains(&whose))
        || FOREIGN_PASSWORDS.contains(&word)
        || PASSWORDS.contains(&word)
    {
        Some(SecretFamily::Password)
    } else if contains("secret") && word != "secretary" || matches!(word, "mnemonic" | "salt") {
        Some(SecretFamily::Secret)
    } else if contains("token") && !contains("tokeni") && !TOKEN_KINDS.contains(&before)
        || word == "bearer" && words.len() == 1
        || word == "pat" && last && index > 0
    {
        Some(SecretFamily::Token)
    } else if contains("apikey") || word.starts_with("key") && before == "api" {
        Some(SecretFamily::ApiKey)
    } else if last && word == "key" && KEY_KINDS.contains(&before)
        || last && word == "material" && before == "key"
        || ["privkey", "privatekey", "accesskey", "accountkey", "keymaterial"]
            .iter()
            .any(|key| word.ends_with(key))
    {
        Some(SecretFamily::Key)
    } else if contains("credential") {
        Some(SecretFamily::Credential)
    } else if matches!(word, "phrase" | "seed") && (last || words.len() == 2)
        || word == "login" && last
        || word == "sessionid"
        || word == "session" && last && index > 0
        || last && word == "key" && !PLAIN_KEYS.contains(&before)
    {
        Some(SecretFamily::AnyKey)
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
        if matches!(byte, b'.' | b'-' | b'_' | b' ') {
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
