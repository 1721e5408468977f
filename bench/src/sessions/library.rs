//! A database of a million messages, the same in every run.
//!
//! Words are drawn so that few are common and most are rare, as in any language. Some sessions are
//! Japanese. One word is in a handful of messages only.

use std::path::Path;

use anyhow::{Context, Result};
use hermes_sessions::{NewMessage, NewSession, SessionDatabase};

/// Messages in all.
pub(super) const MESSAGES: usize = 1_000_000;
const A_SESSION: usize = 50;
/// One session of so many is Japanese.
const JAPANESE: usize = 50;
const VOCABULARY: usize = 50_000;
const WORDS: std::ops::Range<u64> = 10..60;
/// The rare word is in one message of so many.
const RARE: usize = 200_000;
/// One round of time between two messages.
const SECONDS: f64 = 30.0;

/// The rare word.
pub(super) const RARE_WORD: &str = "quetzalcoatlus";

/// Makes the database; answers how many bytes of text are in it.
pub(super) fn make(path: &Path) -> Result<u64> {
    let store = SessionDatabase::at(path);
    let mut chance = Chance(0x2545_f491_4f6c_dd1d);
    let (mut number, mut bytes) = (0, 0);
    for session in 0..MESSAGES / A_SESSION {
        let id = format!("20260101_000000_{session:06x}");
        let started_at = number as f64 * SECONDS;
        let new = NewSession {
            id: id.clone(),
            source: "cli".to_owned(),
            model: Some("model".to_owned()),
            started_at: Some(started_at),
            ..NewSession::default()
        };
        store.create(&new).context("making a session")?;
        let messages: Vec<NewMessage> = (0..A_SESSION)
            .map(|place| {
                number += 1;
                let role = ["user", "assistant", "tool", "assistant"][place % 4];
                let mut text = match session % JAPANESE {
                    0 => japanese(&mut chance),
                    _ => english(&mut chance),
                };
                if number % RARE == 1 {
                    text.push(' ');
                    text.push_str(RARE_WORD);
                }
                bytes += text.len() as u64;
                let timestamp = Some(number as f64 * SECONDS);
                NewMessage { timestamp, ..NewMessage::new(role, text) }
            })
            .collect();
        store.append(&id, &messages).context("appending messages")?;
    }
    store.optimize().context("merging the index")?;
    Ok(bytes)
}

/// The word of a rank: 1 is the most common.
pub(super) fn word(rank: usize) -> String {
    const SYLLABLES: [&str; 20] = [
        "ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu", "na", "pe", "qui", "ro", "su",
        "ta", "ve", "wi", "xo", "zu",
    ];
    let mut word = String::new();
    let mut rest = rank + SYLLABLES.len();
    while rest > 0 {
        word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
    }
    word
}

fn english(chance: &mut Chance) -> String {
    let count = WORDS.start + chance.next() % (WORDS.end - WORDS.start);
    let words: Vec<String> = (0..count).map(|_| word(chance.rank())).collect();
    words.join(" ")
}

fn japanese(chance: &mut Chance) -> String {
    const PIECES: [&str; 24] = [
        "東京",
        "大阪",
        "日本語",
        "検索",
        "データ",
        "ベース",
        "の",
        "を",
        "が",
        "に",
        "書く",
        "読む",
        "ファイル",
        "機械",
        "学習",
        "言語",
        "今日",
        "天気",
        "猫",
        "犬",
        "です",
        "ます",
        "、",
        "。",
    ];
    let count = WORDS.start + chance.next() % (WORDS.end - WORDS.start);
    (0..count).map(|_| PIECES[chance.next() as usize % PIECES.len()]).collect()
}

/// Numbers that look drawn by chance and are the same every time.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 11
    }

    /// A rank: a word twice as far down is drawn half as often.
    fn rank(&mut self) -> usize {
        let fraction = (self.next() % 1_000_000) as f64 / 1e6;
        (VOCABULARY as f64).powf(fraction) as usize
    }
}
