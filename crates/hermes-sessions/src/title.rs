//! Titles: cleaned, short, and no two alike.

/// Longest title, in characters.
pub const MAX_TITLE: usize = 100;

/// Why a title cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TitleError {
    /// Nothing is left of it.
    #[error("the title is empty")]
    Empty,
    /// It is too long.
    #[error("the title has {length} characters; at most {MAX_TITLE} fit")]
    TooLong {
        /// How many characters it has.
        length: usize,
    },
    /// Another session has it.
    #[error("the title {title:?} belongs to session {owner}; choose another one")]
    Taken {
        /// The title.
        title: String,
        /// The session that has it.
        owner: String,
    },
}

/// A title as it is stored: without control and invisible characters, single spaces.
pub fn clean_title(text: &str) -> Result<String, TitleError> {
    let visible: String =
        text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).filter(is_visible).collect();
    let title = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    match title.chars().count() {
        0 => Err(TitleError::Empty),
        length if length > MAX_TITLE => Err(TitleError::TooLong { length }),
        _ => Ok(title),
    }
}

/// Not a control, a zero-width or a direction-changing character.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape a filter takes")]
fn is_visible(character: &char) -> bool {
    !character.is_control()
        && !matches!(character,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}')
}

/// A title without its number: `name` of `name #3`.
#[must_use]
pub fn base_title(title: &str) -> &str {
    match title.rsplit_once(" #") {
        Some((base, number))
            if !base.is_empty()
                && !number.is_empty()
                && number.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            base
        }
        _ => title,
    }
}

/// The number of a title of this base: 1 for the base itself.
pub(super) fn number(title: &str, base: &str) -> Option<u64> {
    if title == base {
        return Some(1);
    }
    title.strip_prefix(base)?.strip_prefix(" #")?.parse().ok()
}

/// `base #number`, with the base cut where it would get too long.
pub(super) fn numbered(base: &str, number: u64) -> String {
    let suffix = format!(" #{number}");
    let room = MAX_TITLE.saturating_sub(suffix.len());
    let base: String = base.chars().take(room).collect();
    base.trim_end().to_owned() + &suffix
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_goes_and_spaces_collapse() {
        assert_eq!(clean_title("  a\u{200b}b\tc\n\u{202e}d\0 ").unwrap(), "ab c d");
        assert_eq!(clean_title(" \u{feff}\u{7} "), Err(TitleError::Empty));
        assert_eq!(clean_title("👩‍💻 naïve 日本").unwrap(), "👩💻 naïve 日本");
    }

    #[test]
    fn the_limit_counts_characters() {
        assert_eq!(clean_title(&"日".repeat(100)).unwrap().chars().count(), 100);
        assert_eq!(clean_title(&"x".repeat(101)), Err(TitleError::TooLong { length: 101 }));
    }

    #[test]
    fn numbers_are_told_from_names() {
        for (title, base) in
            [("a #2", "a"), ("a", "a"), ("a #", "a #"), ("#2", "#2"), ("a #2x", "a #2x")]
        {
            assert_eq!(base_title(title), base);
        }
        assert_eq!(
            (number("a", "a"), number("a #12", "a"), number("ab", "a")),
            (Some(1), Some(12), None)
        );
        assert_eq!(numbered(&"x".repeat(100), 2).chars().count(), 100);
    }
}
