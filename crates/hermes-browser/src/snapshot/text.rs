//! Texts of a page, made fit for one line.

/// Longest name that is shown, in characters.
const LONGEST: usize = 1000;

/// White space becomes single blanks, what cannot be seen goes, ends are trimmed.
pub(super) fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len().min(LONGEST));
    let mut count = 0;
    let mut blank = false;
    for character in text.chars() {
        if is_invisible(character) {
            continue;
        }
        if character.is_whitespace() || character.is_control() {
            blank = !clean.is_empty();
            continue;
        }
        if count >= LONGEST {
            clean.push('…');
            return clean;
        }
        if blank {
            clean.push(' ');
            blank = false;
        }
        clean.push(character);
        count += 1;
    }
    clean
}

/// Without width, or there to change the direction of what follows: neither helps a reader.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{ad}' | '\u{fffc}')
}

/// A label without the marks that forms put behind it.
pub(super) fn bare_label(text: &str) -> &str {
    text.trim_end_matches([':', '*', ' ', '：'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_of_every_kind_become_one() {
        assert_eq!(clean("  a\u{a0}\u{a0}b\n\tc\u{200b}d \u{feff}"), "a b cd");
        assert_eq!(clean("\u{200b} \u{a0}"), "");
        assert_eq!(clean(&"x".repeat(2000)).chars().count(), LONGEST + 1);
    }

    proptest::proptest! {
        #[test]
        fn the_result_is_one_line_without_double_blanks(text in "\\PC{0,40}|[ \\t\\n\u{a0}a]{0,40}") {
            let clean = clean(&text);
            proptest::prop_assert!(!clean.contains("  ") && !clean.contains('\n'));
            proptest::prop_assert_eq!(clean.trim(), &clean);
        }
    }
}
