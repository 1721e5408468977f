//! Passwords that a person can remember: words, a number, and something between them.
//!
//! `river-opal-92` is made of words like any name, so nothing in its shape tells it from `field-set-2`.
//! What tells is that names are made of the words of programs, and passwords are not. Such a value
//! counts only behind a name that means a password.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::values::PROSE;

/// Shortest and longest such password.
const LENGTHS: std::ops::RangeInclusive<usize> = 6..=64;
/// Shortest word, and the shortest that needs nothing but a number behind it.
const LEAST_WORD: usize = 3;
const LEAST_ONLY_WORD: usize = 4;
const LONGEST_WORD: usize = 12;
const MOST_DIGITS: usize = 6;
/// So many words need no number.
const PHRASE: usize = 4;

/// Words that names, types, states and examples are made of.
static PROGRAM_WORDS: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("program_words.txt").split_ascii_whitespace().collect());

/// Whether a value is words and a number, none of them a word of programs.
pub(super) fn is_memorable(value: &str) -> bool {
    is_made_of_words(value) || LENGTHS.contains(&value.len()) && is_made_of_words(&unleet(value))
}

/// Digits between letters read as the letters they stand for: `Gl4ss-Pebble1`.
fn unleet(value: &str) -> String {
    let letters: Vec<char> = value.chars().collect();
    let is_letter = |at: Option<usize>| {
        at.and_then(|at| letters.get(at)).is_some_and(char::is_ascii_alphabetic)
    };
    let mut read = 0;
    let plain: String = letters
        .iter()
        .enumerate()
        .map(|(at, &letter)| {
            let inside = is_letter(at.checked_sub(1)) && is_letter(Some(at + 1));
            let stands_for = match letter {
                '0' => 'o',
                '1' => 'i',
                '3' => 'e',
                '4' => 'a',
                '5' => 's',
                '7' => 't',
                _ => return letter,
            };
            read += usize::from(inside);
            if inside { stands_for } else { letter }
        })
        .collect();
    // The digits that were read are the number such a password needs.
    if read > 0 { format!("{plain}{read}") } else { plain }
}

fn is_made_of_words(value: &str) -> bool {
    if !LENGTHS.contains(&value.len()) || !value.starts_with(|first: char| first.is_alphanumeric())
    {
        return false;
    }
    let (mut words, mut digits, mut longest) = (0, 0, 0);
    for part in value.split(is_joint) {
        let letters = part.trim_end_matches(|end: char| end.is_ascii_digit());
        let number = part.len() - letters.len();
        if part.is_empty() || number > MOST_DIGITS {
            return false;
        }
        digits += number;
        if letters.is_empty() {
            continue;
        }
        if !is_word(letters) {
            return false;
        }
        words += 1;
        longest = longest.max(letters.len());
    }
    let joined = value.contains(is_joint);
    match (words, digits) {
        (0, _) => false,
        (words, 0) => words >= PHRASE && joined && value.contains('-'),
        (1, _) => longest >= LEAST_ONLY_WORD,
        _ => true,
    }
}

/// Whether a value is a few small words with blanks between them, and no sentence.
pub(super) fn is_pass_phrase(value: &str) -> bool {
    let words = || value.split(' ');
    value.len() <= 2 * *LENGTHS.end()
        && (PHRASE..=8).contains(&words().count())
        && words().all(|word| {
            word.bytes().all(|byte| byte.is_ascii_lowercase())
                && is_word(word)
                && !PROSE.contains(&word)
        })
}

/// Whether the letters that a value begins with are a word of programs: `Sha256`.
pub(super) fn begins_as_program_word(value: &str) -> bool {
    let end = value.bytes().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(value.len());
    PROGRAM_WORDS.contains(value[..end].to_ascii_lowercase().as_str())
}

/// Whether a value is one word of programs.
pub(super) fn is_program_word(value: &str) -> bool {
    PROGRAM_WORDS.contains(value.to_ascii_lowercase().as_str())
}

fn is_joint(character: char) -> bool {
    matches!(character, '-' | '_' | '.' | '+')
}

/// Small letters, perhaps with a capital first, that are no word of programs.
fn is_word(letters: &str) -> bool {
    (LEAST_WORD..=LONGEST_WORD).contains(&letters.len())
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        && letters.bytes().skip(1).all(|byte| byte.is_ascii_lowercase())
        && !PROGRAM_WORDS.contains(letters.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_programs_are_no_passwords() {
        for password in
            ["river-opal-92", "Basalt.Quill.7", "raven22", "oak-elm-birch-fir", "Gl4ss-Pebble"]
        {
            assert!(is_memorable(password), "{password}");
        }
        for name in
            ["field-set-2", "sha256", "reset-password-1", "oauth2", "v1", "orders-db", "a-b-1"]
        {
            assert!(!is_memorable(name), "{name}");
        }
        assert!(is_pass_phrase("correct horse battery staple"));
        assert!(!is_pass_phrase("the password must be long"));
    }
}
