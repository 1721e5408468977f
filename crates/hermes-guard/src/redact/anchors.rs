//! Everything that could begin or name a secret, in one automaton.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, PatternID};

use super::keys::KEY_PREFIXES;
use super::names::FOREIGN_PASSWORDS;

/// Which rule looks at a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretAnchor {
    /// An issuer's prefix, by its place in the list.
    Prefix(usize),
    /// Begin or end of an armoured block.
    Block,
    /// `//`, where a host begins.
    Scheme,
    /// `?`, where the parameters of an address begin.
    Query,
    /// The values of a manifest, which may be one of secrets.
    Manifest,
    PuttyKey,
    /// A program that takes a password in a fixed place.
    Positional,
    /// In the middle of an application's secret.
    AzureSecret,
    /// A database login with a star for a part.
    LoginLine,
    /// Begin of a password's hash, as files of passwords have it.
    Crypt,
    /// A URL that is a secret itself.
    Webhook,
    /// Begin of a signed web token.
    Jwt,
    /// The colon in a bot's token.
    Bot,
    /// A plus sign and a digit.
    Phone,
    Authorization,
    Cookie,
    /// An option that takes `user:password`.
    User,
    /// A short option that is a password for some programs.
    PasswordOption,
    /// In a line of a file with cookies.
    CookieJar,
    /// What a printed code for a wireless network says.
    WifiCode,
    /// A function that takes a login.
    Call,
    /// What takes a password from the program before it.
    Piped,
    /// A member of a key that only its owner has.
    KeyMember,
    /// Part of a name that secrets are given.
    Name,
}

const ANCHORS: &[(SecretAnchor, &[&str])] = &[
    (SecretAnchor::Block, &["-----BEGIN ", "-----END ", "---- BEGIN SSH2"]),
    (SecretAnchor::Scheme, &["//"]),
    (SecretAnchor::Query, &["?"]),
    (SecretAnchor::Manifest, &["data:", "data\":"]),
    (
        SecretAnchor::Positional,
        &["net user ", "htpasswd ", "identified by ", "sqlplus ", "with user '", "send \""],
    ),
    (
        SecretAnchor::Call,
        &[
            "connect(",
            "connection(",
            "pdo(",
            "login(",
            "auth(",
            "auth=(",
            "credential(",
            "credentials(",
            "client(",
        ],
    ),
    (
        SecretAnchor::Piped,
        &[
            "sudo -s",
            "chpasswd",
            "password-stdin",
            "passwd --stdin",
            "passphrase-fd",
            "cryptsetup ",
            "secrets create",
            "env add ",
        ],
    ),
    (SecretAnchor::CookieJar, &["\ttrue\t/", "\tfalse\t/"]),
    (SecretAnchor::WifiCode, &["wifi:"]),
    (SecretAnchor::KeyMember, &["\"d\":", "\"k\":", "\"d\" :", "\"k\" :"]),
    (SecretAnchor::PuttyKey, &["Private-Lines: "]),
    (SecretAnchor::AzureSecret, &["q~"]),
    (SecretAnchor::LoginLine, &[":*:"]),
    (
        SecretAnchor::Crypt,
        &[
            "$1$",
            "$5$",
            "$6$",
            "$y$",
            "$7$",
            "$gy$",
            "$apr1$",
            "$2a$",
            "$2b$",
            "$2y$",
            "$argon2",
            "$pbkdf2",
            "$scrypt$",
            "{ssha",
            "pbkdf2_sha",
        ],
    ),
    (
        SecretAnchor::Webhook,
        &[
            "hooks.slack.com/services/",
            "hooks.slack.com/workflows/",
            "/api/webhooks/",
            "webhook.office.com/",
            "outlook.office.com/webhook/",
            "/open-apis/bot/v2/hook/",
            "/cgi-bin/webhook/send?key=",
            "/hooks/",
            "hooks.zapier.com/hooks/",
            "chat.googleapis.com/v1/spaces/",
            "webhook.site/",
            "hooks.airtable.com/workflows/",
            "maker.ifttt.com/trigger/",
        ],
    ),
    (SecretAnchor::Jwt, &["eyJ"]),
    (SecretAnchor::Bot, &["0:", "1:", "2:", "3:", "4:", "5:", "6:", "7:", "8:", "9:"]),
    (SecretAnchor::Phone, &["+1", "+2", "+3", "+4", "+5", "+6", "+7", "+8", "+9"]),
    (SecretAnchor::Authorization, &["authorization"]),
    (SecretAnchor::Cookie, &["cookie"]),
    (SecretAnchor::User, &["-u", "-user", "-creds"]),
    (SecretAnchor::PasswordOption, &[" -p", " -a", " -w", " -u", " -x", " -n", " -k", " -t"]),
    (SecretAnchor::Name, FOREIGN_PASSWORDS),
    (
        SecretAnchor::Name,
        &[
            "api_key",
            "apikey",
            "api-key",
            "api.key",
            "token",
            "secret",
            "passw",
            "passphrase",
            "passcode",
            "passin",
            "passout",
            "pass:",
            "pass=",
            "pass\"",
            "pass'",
            "pass ",
            "pass>",
            "pass\n",
            "pass\t",
            "pass]",
            "pass(",
            "pass,",
            "pw:",
            "pw=",
            "pw ",
            "pw\"",
            "\u{41f}\u{430}\u{440}\u{43e}\u{43b}\u{44c}",
            "privkey",
            "sessionid",
            "_session=",
            "_session:",
            "community",
            "pwd",
            "_pw",
            "bindpw",
            "rootpw",
            "psk",
            "masterauth",
            "mnemonic",
            "phrase",
            "seed",
            "salt",
            "_pat",
            "securestring",
            "login(",
            "login ",
            "credential",
            "auth",
            "bearer",
            "private_key",
            "privatekey",
            "private-key",
            "access_key",
            "accesskey",
            "access-key",
            "account_key",
            "accountkey",
            "key:",
            "key=",
            "key\"",
            "key'",
            "key ",
            "key>",
            "key<",
            "key,",
            "key_material",
            "keymaterial",
            "key-data",
            "key_data",
        ],
    ),
];

struct Table {
    automaton: AhoCorasick,
    kinds: Vec<SecretAnchor>,
}

#[expect(clippy::expect_used, reason = "the patterns are constants and every test runs them")]
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let prefixes = KEY_PREFIXES
        .iter()
        .enumerate()
        .map(|(index, prefix)| (SecretAnchor::Prefix(index), prefix.text));
    let others =
        ANCHORS.iter().flat_map(|&(kind, texts)| texts.iter().map(move |&text| (kind, text)));
    let (kinds, texts): (Vec<_>, Vec<_>) = prefixes.chain(others).unzip();
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(texts)
        .expect("constant patterns");
    Table { automaton, kinds }
});

pub(super) fn automaton() -> &'static AhoCorasick {
    &TABLE.automaton
}

pub(super) fn kind(pattern: PatternID) -> SecretAnchor {
    TABLE.kinds[pattern.as_usize()]
}
