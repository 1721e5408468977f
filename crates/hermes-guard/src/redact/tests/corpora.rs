//! Secrets as they stand in real files, and text that only resembles them.
//!
//! The secrets are written as recipes (`‹mix:40›`) and made when the test runs, so that no scanner takes
//! these files for a leak. A recipe says how long a value is and what it is made of; `lit` is a
//! password that a person chose, `basic` a login in Base64, and `‹›` nothing at all.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::*;

const SECRETS: &str = include_str!("corpus/secrets.txt");
const LOOKALIKES: &str = include_str!("corpus/lookalikes.txt");
/// By another hand, who had not seen the rules; tuned on since.
const UNSEEN_SECRETS: &str = include_str!("corpus/unseen_secrets.txt");
const UNSEEN_LOOKALIKES: &str = include_str!("corpus/unseen_lookalikes.txt");
/// Written before the rules were read, twice: output of commands, settings, histories, programs; tuned on since.
const NEWER_SECRETS: &str = include_str!("corpus/newer_secrets.txt");
const NEWER_LOOKALIKES: &str = include_str!("corpus/newer_lookalikes.txt");
/// Where a secret stands by its place alone, and in other languages.
const FORMS: &str = include_str!("corpus/forms_secrets.txt");

const MODES: [RedactMode<'static>; 3] =
    [RedactMode::Full, RedactMode::FileRead, RedactMode::Terminal { command: "cat settings" }];

/// A small generator: the same values in every run.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn text(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| letters[self.roll(letters.len())]).collect()
    }
}

const LOW: &str = "abcdefghijklmnopqrstuvwxyz";
const UP: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

pub(super) fn value(recipe: &str, dice: &mut Dice) -> String {
    let (kind, rest) = recipe.split_once(':').unwrap_or((recipe, ""));
    let length = || rest.parse().unwrap_or_else(|_| panic!("{recipe}"));
    match kind {
        "" => String::new(),
        "lit" => rest.to_owned(),
        "basic" => STANDARD.encode(rest),
        "hex" => dice.text("0123456789abcdef", length()),
        "num" => dice.text(DIGITS, length()),
        "low" => dice.text(&format!("{LOW}{DIGITS}"), length()),
        "UP" => dice.text(&format!("{UP}{DIGITS}"), length()),
        "mix" => dice.text(&format!("{LOW}{UP}{DIGITS}"), length()),
        "b64" => dice.text(&format!("{LOW}{UP}{DIGITS}+/"), length()),
        "b64url" => dice.text(&format!("{LOW}{UP}{DIGITS}-_"), length()),
        "uuid" => [8, 4, 4, 4, 12].map(|n| dice.text("0123456789abcdef", n)).join("-"),
        _ => panic!("{recipe}"),
    }
}

/// A text and the secrets in it.
fn cook(recipe: &str, dice: &mut Dice) -> (String, Vec<String>) {
    let mut parts = recipe.split('‹');
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut secrets = Vec::new();
    for part in parts {
        let (made, plain) = part.split_once('›').unwrap();
        let made = value(made, dice);
        text.push_str(&made);
        text.push_str(plain);
        // Short pieces and account numbers are no secrets by themselves.
        if made.len() >= 6 && !made.bytes().all(|byte| byte.is_ascii_digit()) {
            secrets.push(made);
        }
    }
    (text, secrets)
}

/// Whether more of a secret can be read than the ends that a mask shows.
fn shown(text: &str, secret: &str) -> bool {
    text.contains(secret) || secret.len() >= 24 && text.contains(&secret[8..secret.len() - 6])
}

/// At most one of a hundred is shown: kinds that no rule knows yet.
#[test]
fn secrets_of_many_kinds_are_hidden_wherever_they_stand() {
    let mut dice = Dice(7);
    let mut misses = Vec::new();
    let mut count = 0;
    let entries = |corpus: &'static str| corpus.split("%% ").skip(1);
    let all = [SECRETS, UNSEEN_SECRETS, FORMS, NEWER_SECRETS];
    for entry in all.into_iter().flat_map(entries) {
        let (kind, recipe) = entry.split_once('\n').unwrap();
        let (text, secrets) = cook(recipe, &mut dice);
        count += 1;
        let leak = MODES.iter().find(|&&mode| {
            let clean = redact(&text, mode);
            secrets.iter().any(|secret| shown(&clean, secret))
        });
        misses.extend(leak.map(|mode| format!("{kind} [{mode:?}]: {text}")));
    }
    assert!(count >= 1_090, "{count}");
    assert!(misses.len() * 100 <= count, "{} of {count}: {misses:#?}", misses.len());
}

#[test]
fn text_that_resembles_a_secret_stays() {
    let all = [LOOKALIKES, UNSEEN_LOOKALIKES, NEWER_LOOKALIKES];
    for line in all.into_iter().flat_map(str::lines) {
        let text = line.replace('⏎', "\n");
        for mode in MODES {
            assert_eq!(redact(&text, mode), text, "{mode:?}");
        }
    }
    assert!(LOOKALIKES.lines().count() >= 590);
}
