//! Everything that could begin or name a secret, in one automaton.

use std::borrow::Cow;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, PatternID};

use super::keys::KEY_PREFIXES;
use super::{calls, flags, languages, tokens, urls};

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
    /// In the middle or at the end of another issuer's key.
    Marked,
    /// A database login with a star for a part.
    LoginLine,
    /// Behind the host of a mail relay.
    RelayLine,
    /// Begin of a password's hash, as files of passwords have it.
    Crypt,
    /// A URL that is a secret itself.
    Webhook,
    /// Begin of a signed web token.
    Jwt,
    /// The colon in a bot's token.
    Bot,
    /// Begin of a chat bot's number in Base64.
    ChatBot,
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
    (SecretAnchor::Query, &["?", "&sig="]),
    (SecretAnchor::Manifest, &["data:", "data\":"]),
    (
        SecretAnchor::Piped,
        &[
            "sudo -s",
            "chpasswd",
            "password-stdin",
            "passwd --stdin",
            "passphrase-fd",
            "cryptsetup ",
            "secret create",
            "secrets create",
            "secret put",
            "secrets put",
            "secret set ",
            "secrets set ",
            "config:set ",
            "env add ",
        ],
    ),
    (SecretAnchor::CookieJar, &["\ttrue\t/", "\tfalse\t/"]),
    (SecretAnchor::WifiCode, &["wifi:"]),
    (SecretAnchor::KeyMember, &["\"d\":", "\"k\":", "\"d\" :", "\"k\" :"]),
    (SecretAnchor::PuttyKey, &["Private-Lines: "]),
    (SecretAnchor::AzureSecret, &["q~"]),
    (SecretAnchor::Marked, &[".atlasv1.", ":apa91b", "-us1", "-us2"]),
    (SecretAnchor::LoginLine, &[":*:"]),
    (SecretAnchor::RelayLine, &["]:"]),
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
    (SecretAnchor::User, &["-u", "-user", "-creds", "-auth", "-userpass"]),
    (SecretAnchor::PasswordOption, &[" -p", " -a", " -w", " -u", " -x", " -n", " -k", " -t"]),
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
            "privkey",
            "sessionid",
            "_signing=",
            "_session=",
            "_session:",
            "community",
            "pwd",
            "pswd",
            "paswd",
            "pasword",
            "pswrd",
            "creds",
            "sessid",
            "authtok",
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
            "login=",
            "login:",
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
            "key_material",
            "keymaterial",
            "key-data",
            "key_data",
            "keyname",
            "key_b64",
            "keys_b64",
            "key_base64",
            "keys_base64",
            "key_hex",
            "keys_hex",
            "recovery_code",
            "recovery-code",
            "recovery code",
            "recoverycode",
            "backup_code",
            "backup-code",
            "backup code",
            "backupcode",
            "scratch_code",
        ],
    ),
];

/// Words so short that ordinary words end in them: they count at the end of a name, so with what may
/// follow one.
const LAST_WORDS: &[&str] = &["pass", "pw", "key", "keys", "cred"];
const FOLLOWERS: &[&str] = &[
    ":", "=", "\"", "'", "`", " ", "\t", "\n", "\r", ">", "<", ",", "]", "(", "\\", "|", "**",
    "：", "?=", "+=",
];

struct Table {
    automaton: AhoCorasick,
    kinds: Vec<SecretAnchor>,
    #[cfg(test)]
    texts: Vec<Cow<'static, str>>,
}

#[expect(clippy::expect_used, reason = "the patterns are constants and every test runs them")]
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let prefixes = KEY_PREFIXES
        .iter()
        .enumerate()
        .map(|(index, prefix)| (SecretAnchor::Prefix(index), prefix.text));
    let others =
        ANCHORS.iter().flat_map(|&(kind, texts)| texts.iter().map(move |&text| (kind, text)));
    let last_words = LAST_WORDS.iter().flat_map(|word| {
        FOLLOWERS.iter().map(move |next| (SecretAnchor::Name, Cow::Owned(format!("{word}{next}"))))
    });
    let elsewhere = languages::spellings()
        .iter()
        .map(|word| (SecretAnchor::Name, Cow::Borrowed(word.as_str())));
    let (kinds, texts): (Vec<_>, Vec<Cow<'static, str>>) = prefixes
        .chain(others)
        .map(|(kind, text)| (kind, Cow::Borrowed(text)))
        .chain(calls::names().map(|name| (SecretAnchor::Call, Cow::Borrowed(name))))
        .chain(flags::positional_programs().map(|name| (SecretAnchor::Positional, name.into())))
        .chain(urls::LINKS.iter().map(|&path| (SecretAnchor::Webhook, path.into())))
        .chain(tokens::bot_numbers().map(|text| (SecretAnchor::ChatBot, text.into())))
        .chain(last_words)
        .chain(elsewhere)
        .unzip();
    // Every program that masks anything builds this. As a full table it is 2.4 MB, written at the first use; this form
    // is a tenth of that and still reads faster than a result is made.
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::ContiguousNFA))
        .build(texts.iter().map(|text| text.as_bytes()))
        .expect("constant patterns");
    Table {
        automaton,
        kinds,
        #[cfg(test)]
        texts,
    }
});

/// What is looked for besides the prefixes of issuers, for a test that repeats each of them.
#[cfg(test)]
pub(super) fn texts() -> impl Iterator<Item = String> {
    let prefix = |kind: &SecretAnchor| matches!(kind, SecretAnchor::Prefix(_));
    let others = TABLE.texts.iter().zip(&TABLE.kinds).filter(move |(_, kind)| !prefix(kind));
    others.map(|(text, _)| text.clone().into_owned())
}

pub(super) fn automaton() -> &'static AhoCorasick {
    &TABLE.automaton
}

pub(super) fn kind(pattern: PatternID) -> SecretAnchor {
    TABLE.kinds[pattern.as_usize()]
}
