//! Letters in disguise, folded to plain ones.
//!
//! Compatibility forms (full width, mathematical, circled) and accents are taken off; letters of other
//! alphabets that look Latin become Latin where they stand among Latin ones. Text that really is
//! Cyrillic or Greek stays as it is: rules for those languages have to find it.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

/// Characters without a shape of their own, and those that turn the direction of text.
pub(super) fn is_hidden(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// The letter of the tag block that a reader does not see and a model may read.
pub(super) fn untagged(character: char) -> Option<char> {
    match character {
        '\u{e0020}'..='\u{e007e}' => char::from_u32(u32::from(character) - 0xe0000),
        _ => None,
    }
}

/// A line as the rules read it.
pub(super) fn fold(line: &str) -> Cow<'_, str> {
    if line.is_ascii() {
        return Cow::Borrowed(line);
    }
    fold_chars(line.chars().filter(|&character| !is_hidden(character)))
}

/// The same with hidden characters as blanks, for those that stand where a blank belongs.
pub(super) fn fold_spaced(line: &str) -> Cow<'_, str> {
    fold_chars(line.chars().map(|character| if is_hidden(character) { ' ' } else { character }))
}

fn fold_chars<'t>(characters: impl Iterator<Item = char>) -> Cow<'t, str> {
    let plain: String = characters
        .nfkd()
        .filter(|character| !('\u{300}'..='\u{36f}').contains(character))
        .map(unquote)
        .nfc()
        .collect();
    let plain: String =
        plain.chars().map(|letter| small_capital(letter).unwrap_or(letter)).collect();
    let latin = plain.chars().filter(char::is_ascii_alphabetic).count();
    let similar = plain.chars().filter(|&character| is_other_alphabet(character)).count();
    if similar == 0 || latin == 0 {
        return Cow::Owned(plain);
    }
    let mostly_latin = latin > similar;
    let mut folded = String::with_capacity(plain.len());
    for word in plain.split_inclusive(|character: char| !character.is_alphanumeric()) {
        let among_latin = word.bytes().any(|byte| byte.is_ascii_alphabetic());
        if mostly_latin || among_latin {
            folded.extend(word.chars().map(|character| latin_for(character).unwrap_or(character)));
        } else {
            folded.push_str(word);
        }
    }
    Cow::Owned(folded)
}

/// Typographic marks as the plain ones that patterns know.
fn unquote(character: char) -> char {
    match character {
        '‘' | '’' | '‚' | '′' => '\'',
        '“' | '”' | '„' | '″' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '−' => '-',
        '\u{85}' | '\u{2028}' | '\u{2029}' => ' ',
        _ => character,
    }
}

fn is_other_alphabet(character: char) -> bool {
    matches!(character, '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}' | '\u{530}'..='\u{58f}' | '\u{13a0}'..='\u{13ff}')
}

/// Phonetic letters and small capitals: Latin in any company.
fn small_capital(character: char) -> Option<char> {
    const LETTERS: &str = "aɑᴀbʙcᴄdɗᴅeᴇfꜰgɡɢhʜiɩıɪjᴊkᴋlʟmᴍnɴoᴏpᴘrʀsꜱtᴛuᴜʋvᴠwᴡyʏzᴢ";
    if character.is_ascii() {
        return None;
    }
    let at = LETTERS.find(character)?;
    LETTERS[..at].chars().rfind(char::is_ascii_lowercase)
}

/// The Latin letter that another one looks like.
fn latin_for(character: char) -> Option<char> {
    const LOOK_ALIKE: &[(char, &str)] = &[
        ('a', "аα"),
        ('b', "ьЬ"),
        ('c', "сϲ"),
        ('d', "ԁ"),
        ('e', "еєεҽ"),
        ('g', "ց"),
        ('h', "һհ"),
        ('i', "іιӏ"),
        ('j', "јϳ"),
        ('k', "кκ"),
        ('l', "ⅼӀ"),
        ('m', "м"),
        ('n', "пηո"),
        ('o', "оοσօ"),
        ('p', "рρ"),
        ('q', "ԛզ"),
        ('r', "г"),
        ('s', "ѕ"),
        ('t', "тτ"),
        ('u', "υսц"),
        ('v', "νѵ"),
        ('w', "ԝω"),
        ('x', "хχ"),
        ('y', "уγү"),
        ('A', "АΑᎪ"),
        ('B', "ВΒ"),
        ('C', "СϹ"),
        ('E', "ЕΕ"),
        ('H', "НΗ"),
        ('I', "ІΙ"),
        ('J', "Ј"),
        ('K', "КΚ"),
        ('M', "МΜ"),
        ('N', "Ν"),
        ('O', "ОΟ"),
        ('P', "РΡ"),
        ('S', "Ѕ"),
        ('T', "ТΤ"),
        ('X', "ХΧ"),
        ('Y', "ΥҮ"),
        ('Z', "Ζ"),
    ];
    LOOK_ALIKE.iter().find(|(_, others)| others.contains(character)).map(|&(latin, _)| latin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguises_of_one_word_fold_to_it() {
        for disguise in [
            "ignоre",
            "Ιgnοre",
            "ｉｇｎｏｒｅ",
            "𝐢𝐠𝐧𝐨𝐫𝐞",
            "ígnóre",
            "ig\u{200b}nore",
            "ⓘⓖⓝⓞⓡⓔ",
            "ɪɢɴᴏʀᴇ",
            "ıgnore",
        ] {
            let folded = fold(disguise).to_lowercase();
            assert_eq!(folded, "ignore", "{disguise}");
        }
    }

    #[test]
    fn text_in_another_alphabet_stays() {
        let russian = "Этот навык помогает писать";
        assert_eq!(fold(russian), russian);
    }
}
