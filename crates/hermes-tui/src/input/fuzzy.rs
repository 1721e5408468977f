//! How well a few typed letters fit a name.
//!
//! A list a person chooses from has at most some hundred entries, so a plain walk is enough and needs no library:
//! letters have to occur in order; those at the start of words and those in a row count more, and so does a name that
//! begins with them.

/// How well `typed` fits `name`; the higher the better, nothing if a letter is missing.
pub(crate) fn fit(typed: &str, name: &str) -> Option<u32> {
    const BEGINS: u32 = 1_000;
    const CONTAINS: u32 = 500;
    const WORD_START: u32 = 8;
    const IN_A_ROW: u32 = 4;
    let typed = typed.to_lowercase();
    let name = name.to_lowercase();
    if typed.is_empty() {
        return Some(0);
    }
    let mut wanted = typed.chars().filter(|letter| !letter.is_whitespace()).peekable();
    let (mut score, mut before, mut hit) = (0, ' ', false);
    for letter in name.chars() {
        let is_start = !before.is_alphanumeric();
        before = letter;
        if wanted.peek() != Some(&letter) {
            hit = false;
            continue;
        }
        wanted.next();
        score += 1 + if is_start { WORD_START } else { 0 } + if hit { IN_A_ROW } else { 0 };
        hit = true;
    }
    if wanted.peek().is_some() {
        return None;
    }
    if name.starts_with(&typed) {
        score += BEGINS;
    } else if name.contains(&typed) {
        score += CONTAINS;
    }
    Some(score)
}

/// The numbers of those names that fit, best first; equals stay in order.
pub(crate) fn ranked<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let mut fits: Vec<(u32, usize)> =
        names.enumerate().filter_map(|(at, name)| Some((fit(typed, name)?, at))).collect();
    fits.sort_by_key(|(score, at)| (std::cmp::Reverse(*score), *at));
    fits.into_iter().map(|(_, at)| at).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn beginnings_come_first_then_parts_then_scattered_letters() {
        let names = ["reload-mcp", "compress", "model", "moa"];
        assert_eq!(ranked("mo", names.into_iter()), [2, 3]);
        assert_eq!(ranked("mp", names.into_iter()), [1, 0]);
        assert_eq!(ranked("", names.into_iter()), [0, 1, 2, 3]);
        assert_eq!(fit("xyz", "model"), None);
        assert!(fit("rm", "reload-mcp") > fit("ea", "reload-mcp"));
    }

    proptest! {
        #[test]
        fn a_name_fits_itself_and_no_text_panics(typed in ".{0,20}", name in ".{0,20}") {
            let _ = fit(&typed, &name);
            prop_assert!(fit(&name, &name).is_some());
        }
    }
}
