//! Which names secrets are given.
//!
//! A name is taken apart into words, whichever way it is written: `API_TOKEN`, `api-token`,
//! `apiToken`, `api.token`. A word that says what the value is about (`token_count`,
//! `password_file`) makes the whole name harmless.

use std::cell::RefCell;

use super::languages;
pub(super) use super::languages::SecretFamily;

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
    "domain",
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
    "tenant",
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
    "cookie",
    "crypt",
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
    "recovery",
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
    "unseal",
    "webhook",
];

/// The same, written together. The `signingkey` of Git is the number of a public one.
const JOINED_KEYS: &[&str] = &[
    "aeskey",
    "authkey",
    "cipherkey",
    "cryptkey",
    "encryptionkey",
    "hmackey",
    "jwtkey",
    "licensekey",
    "masterkey",
    "sessionkey",
    "sharedkey",
    "storagekey",
];

/// Words before `key` that make it a name, a place or something for everybody.
const PLAIN_KEYS: &[&str] = &[
    "any",
    "by",
    "cache",
    "candidate",
    "column",
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
    ("secret_input", SecretFamily::Secret),
    ("pass_phrase", SecretFamily::Password),
    ("secure_string", SecretFamily::Password),
    ("auth_ident", SecretFamily::Credential),
    ("client_key_data", SecretFamily::Key),
    ("key_data", SecretFamily::Key),
    ("service_role_key", SecretFamily::Key),
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
    "authtok",
    "bindpw",
    "masterauth",
    "passcode",
    "passin",
    "passout",
    "passw",
    "passwrd",
    "pasword",
    "paswd",
    "pswd",
    "pswrd",
    "psk",
    "pw",
    "pwd",
    "requirepass",
    "rootpw",
    "securestring",
];

/// Words behind a name that say how its value is written.
const WRITTEN_AS: &[&str] = &["b64", "base64", "hex", "pem", "plaintext"];

/// Words before `codes` that let somebody in once.
const CODES_FOR: &[&str] = &["backup", "recovery", "scratch", "rescue"];

/// Names that were looked at last, each in the slot of its hash.
type RecentNames = [(String, Option<SecretFamily>); 64];

/// Longer names are rare, and are looked at every time.
const LONGEST_REMEMBERED: usize = 48;

thread_local! {
    /// Texts say the same few names over and over, and several rules ask about each.
    static RECENT: RefCell<RecentNames> = RefCell::new(std::array::from_fn(|_| (String::new(), None)));
}

/// What kind of secret a name speaks of, if any.
pub(super) fn family(name: &str) -> Option<SecretFamily> {
    if name.is_empty() || name.len() > LONGEST_REMEMBERED {
        return family_of_words(name);
    }
    let hash = |sum: u32, byte: &u8| sum.wrapping_mul(31).wrapping_add(u32::from(*byte));
    let sum = name.as_bytes().iter().fold(0, hash);
    RECENT.with_borrow_mut(|recent| {
        let (known, family) = &mut recent[sum as usize % recent.len()];
        if known != name {
            *family = family_of_words(name);
            name.clone_into(known);
        }
        *family
    })
}

fn family_of_words(name: &str) -> Option<SecretFamily> {
    let spread = spread(name);
    if (!name.is_ascii() || name.contains([' ', '-']))
        && let Some(family) = languages::family(&name.to_lowercase())
    {
        return Some(family);
    }
    if let Some(family) = languages::family(&spread) {
        return Some(family);
    }
    let mut words: Vec<&str> = spread.split('_').filter(|word| !word.is_empty()).collect();
    if words.len() > 1 && words.last().is_some_and(|last| WRITTEN_AS.contains(last)) {
        words.pop();
    }
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
    if let Some(family) = languages::family(word) {
        return Some(family);
    }
    let before = index.checked_sub(1).map_or("", |before| words[before]);
    let last = index + 1 == words.len();
    let contains = |part: &str| word.contains(part);
    if contains("password") && word != "passwordless"
        || contains("passwd")
        || contains("passphrase")
        || word == "pass" && last
        || last && word.strip_suffix("pass").is_some_and(|whose| PASS_OF.contains(&whose))
        || PASSWORDS.contains(&word)
        || last && word.ends_with("psk")
        || last && matches!(word, "code" | "codes") && CODES_FOR.contains(&before)
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
        || last && JOINED_KEYS.contains(&word)
    {
        Some(SecretFamily::Key)
    } else if contains("credential") || last && matches!(word, "cred" | "creds") {
        Some(SecretFamily::Credential)
    } else if matches!(word, "phrase" | "seed") && (last || words.len() == 2)
        || word == "login" && last
        || matches!(word, "sessionid" | "jsessionid" | "phpsessid" | "sessid")
        || word == "session" && last && index > 0
        || word == "signing" && last && index > 0
        || last && word == "key" && !PLAIN_KEYS.contains(&before)
        || last && word == "keys" && index > 0 && !PLAIN_KEYS.contains(&before)
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
    let mut spread = String::with_capacity(name.len() + 8);
    let mut before = '_';
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        if matches!(letter, '.' | '-' | '_' | ' ') {
            spread.push('_');
        } else {
            let next_is_small = letters.peek().is_some_and(char::is_ascii_lowercase);
            if letter.is_ascii_uppercase()
                && (before.is_ascii_lowercase() || before.is_ascii_uppercase() && next_is_small)
            {
                spread.push('_');
            }
            spread.extend(letter.to_lowercase());
        }
        before = letter;
    }
    spread
}
