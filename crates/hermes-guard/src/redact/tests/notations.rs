//! Every way to write a name and its value, with names of every family and values of every kind.
//!
//! The corpora hold what people really wrote. Here the parts are put together anew, so that a
//! notation is known for all names and a name in all notations.

use super::corpora::{Dice, value};
use super::*;

const NOTATIONS: &str = include_str!("corpus/notations.txt");

const MODES: [RedactMode<'static>; 3] =
    [RedactMode::Full, RedactMode::FileRead, RedactMode::Terminal { command: "cat settings" }];

/// Names of passwords, and what people choose besides what a generator makes.
const PASSWORDS: &[&str] = &[
    "password",
    "DB_PASSWORD",
    "smtpPassword",
    "spring.datasource.password",
    "passphrase",
    "ADMIN_PW",
    "userPasswd",
    "wifi_psk",
    "Passwort",
    "contraseña",
    "lösenord",
    "heslo",
    "şifre",
    "парола",
    "mot_de_passe",
];
const CHOSEN: &[&str] =
    &["lit:N0rthW1nd!77", "lit:Kx9#mQ2vLw", "lit:p3nguin$Rule", "lit:qW8!zR4@tY"];

/// Names of tokens and keys.
const KEYS: &[&str] = &[
    "api_key",
    "apiKey",
    "STRIPE_SECRET_KEY",
    "access_token",
    "clientSecret",
    "webhook_secret",
    "SIGNING_KEY",
    "ENCRYPTION_KEY",
    "SECRET_KEY_BASE",
    "personal_access_token",
    "OPENAI_KEY",
    "authkey",
    "creds",
    "sas_token",
    "секретный_ключ",
    "api_schluessel",
];
const GENERATED: &[&str] = &["hex:32", "mix:24", "mix:40", "b64:43", "uuid"];

#[test]
fn every_name_is_known_in_every_notation() {
    let mut dice = Dice(11);
    let (mut count, mut misses) = (0, Vec::new());
    for notation in NOTATIONS.lines() {
        for (names, kinds) in
            [(PASSWORDS, [CHOSEN, GENERATED].concat()), (KEYS, GENERATED.to_vec())]
        {
            for name in names {
                let secret = value(kinds[dice.roll(kinds.len())], &mut dice);
                let text = notation.replace('⏎', "\n");
                let text = text.replace("‹n›", name).replace("‹v›", &secret);
                count += 1;
                let shown = |mode: &&RedactMode<'_>| redact(&text, **mode).contains(&secret);
                misses.extend(MODES.iter().find(shown).map(|mode| format!("[{mode:?}] {text}")));
            }
        }
    }
    assert!(count >= 3_500, "{count}");
    assert!(misses.len() * 200 <= count, "{} of {count}: {misses:#?}", misses.len());
}
