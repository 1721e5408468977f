//! What holds for any text.

use std::time::Duration;

use proptest::prelude::*;

use super::super::keys::KEY_PREFIXES;
use super::*;
use crate::test_clock::cpu_time_of;

const MODES: [RedactMode<'static>; 4] =
    [RedactMode::Full, RedactMode::CodeFile, RedactMode::FileRead, RedactMode::UrlCredentials];

/// Pieces that rules react to, so that random texts are full of near-hits.
const PIECES: &[&str] = &[
    "token",
    "TOKEN",
    "password",
    "auth",
    "secret",
    "api_key",
    "Authorization",
    "Bearer",
    "cookie",
    "sk-",
    "SG.",
    "ghp_",
    "eyJ",
    "AKIA",
    "=",
    ":",
    ": ",
    "://",
    "@",
    "\"",
    "'",
    "\\\"",
    "\\n",
    "\n",
    " ",
    "&",
    "?",
    "#",
    "+1",
    "12345678",
    "abcDEF123456",
    "-u ",
    "--",
    "-----BEGIN ",
    "-----END ",
    "PRIVATE KEY-----",
    "***",
    "...",
    "é",
    "_",
    "-",
    ".",
    ",",
    ";",
    "$",
    "{",
    "}",
    "http",
    "machine a login b ",
    "%3D",
    "wxyzWXYZ0123456789",
    "aaaaaaaaaaaaaaaaaaaa",
    "mysql -p",
    "hooks.slack.com/services/",
    "data:\n  ",
    "\"data\":{",
    "kind: Secret",
    "\n---\n",
    "key=",
    "value",
    "default",
    "<",
    ">",
    ":*:",
    "db:5432:a:b:",
    "8Q~",
    "net user ",
    "htpasswd -b ",
    "identified by ",
    "sqlplus a/",
    "PASSWORD ",
    "Private-Lines: 2\n",
    "<auth-user-pass>\n",
    "login ",
    "requirepass ",
    "//a:b@c",
    "/?sig=",
    "passin pass:",
    "Bearer ",
    "--body ",
];

proptest! {
    #[test]
    fn planted_keys_never_survive(
        before in "[ -~\n]{0,80}",
        after in "[ -~\n]{0,80}",
        which in 0..KEY_PREFIXES.len(),
        rest in "[A-Z][a-z][0-9]([A-Z][a-z][0-9]){24}",
    ) {
        let secret = format!("{}{rest}", KEY_PREFIXES[which].text);
        let text = format!("{before} {secret} {after}");
        for mode in MODES {
            prop_assert!(!redact(&text, mode).contains(&rest[12..60]), "{:?}", mode);
        }
    }

    #[test]
    fn redacting_twice_changes_nothing_more(text in "\\PC{0,200}") {
        for mode in MODES {
            let once = redact(&text, mode).into_owned();
            prop_assert_eq!(redact(&once, mode), once.as_str(), "{:?}", mode);
        }
    }

    #[test]
    fn near_hits_in_any_order_do_no_harm(pieces in prop::collection::vec(0..PIECES.len(), 0..30)) {
        let text: String = pieces.iter().map(|&piece| PIECES[piece]).collect();
        for mode in MODES {
            let once = redact(&text, mode).into_owned();
            prop_assert_eq!(redact(&once, mode), once.as_str(), "{:?} {:?}", mode, text);
        }
    }

    #[test]
    fn commands_of_any_kind_can_be_read(command in "[a-z \"'\\\\;|&$(){}<>=/.-]{0,80}") {
        let _ = redact("x", RedactMode::Terminal { command: &command });
    }
}

/// Each unit repeated on one line: quadratic work would take far longer.
#[test]
fn hostile_repetition_is_read_once() {
    let begin = ["-----BEGIN", "PRIVATE KEY-----"].join(" ");
    let end = ["-----END", "PRIVATE KEY-----"].join(" ");
    let mut units: Vec<String> = PIECES.iter().map(|piece| (*piece).to_owned()).collect();
    units.extend([begin, end]);
    units.extend(
        [
            "token=$",
            "token=",
            "token:",
            "token=\"",
            "token='\\",
            "password=${",
            "Authorization: ",
            "Cookie: a=",
            "a://",
            "http://a.b/ ",
            "http://a.b/?x ",
            "//x@",
            "://a?token=",
            "hvs.",
            "x-api-key: {",
            "--password ",
            "-u a:",
            " -p",
            "password ",
            "mysql -p",
            "1:",
            "auth.",
            "TOKEN=[",
            "a=b&",
            "login x password ",
            "machine password ",
        ]
        .map(str::to_owned),
    );
    for unit in units {
        // Four times the text may take four times as long, not sixteen times.
        for mode in [RedactMode::UrlCredentials, RedactMode::FileRead] {
            let taken = |bytes: usize| {
                let text = unit.repeat(bytes / unit.len());
                cpu_time_of(|| redact(&text, mode))
            };
            let (short, long) = (taken(5_000), taken(20_000));
            assert!(
                long < 10 * short + Duration::from_millis(200),
                "{unit:?} {mode:?} {short:?} {long:?}"
            );
        }
    }
}

/// The same for each word that a rule is waiting for, however many words there are.
#[test]
fn no_anchor_is_read_again_and_again() {
    let texts: std::collections::BTreeSet<String> = super::super::anchors::texts().collect();
    assert!(texts.len() >= 200, "{}", texts.len());
    for text in texts {
        let taken = |bytes: usize| {
            let text = text.repeat(bytes / text.len());
            cpu_time_of(|| redact(&text, RedactMode::FileRead))
        };
        let (short, long) = (taken(750), taken(3_000));
        assert!(long < 10 * short + Duration::from_millis(100), "{text:?} {short:?} {long:?}");
    }
}
