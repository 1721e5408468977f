//! What a skill and a category may be called.
//!
//! A name becomes a folder on any system and a word people type, so the alphabet is small and names that some system
//! or search gives a meaning of its own are left out.

use crate::layout::{PRUNED_FOLDERS, SKILL_FILE};

/// Longest name of a skill or category.
pub const MAX_NAME_CHARS: usize = 64;

/// What is wrong with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameProblem {
    /// There is none.
    Missing,
    /// It has more than [`MAX_NAME_CHARS`] characters.
    TooLong,
    /// It has characters it may not have, or is spoken for.
    Invalid,
}

/// Whether a skill may have this name, the whole of it.
///
/// # Errors
/// With the first thing that is wrong.
pub fn check(name: &str) -> Result<(), NameProblem> {
    if name.is_empty() {
        return Err(NameProblem::Missing);
    }
    if name.chars().count() > MAX_NAME_CHARS {
        return Err(NameProblem::TooLong);
    }
    let fits = name.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-'))
        && !name.ends_with('.')
        && !PRUNED_FOLDERS.contains(&name)
        && !name.eq_ignore_ascii_case(SKILL_FILE)
        && !is_device(name);
    if fits { Ok(()) } else { Err(NameProblem::Invalid) }
}

/// Whether Windows gives this name, with or without an extension, to a device.
#[must_use]
pub fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_lowercase();
    let numbered = |prefix: &str| {
        stem.strip_prefix(prefix).is_some_and(|digit| {
            digit.len() == 1 && digit.starts_with(|c: char| ('1'..='9').contains(&c))
        })
    };
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_lower_case_and_plain() {
        for good in ["a", "0", "git", "a-b_c.d", "com", "com10", "console", &"x".repeat(64)] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        assert_eq!(check(""), Err(NameProblem::Missing));
        assert_eq!(check(&"x".repeat(65)), Err(NameProblem::TooLong));
        for bad in ["A", "-a", ".a", "_a", "a b", "a/b", "a\\b", "..", "a.", "é", "a\u{0}", "a:b"]
        {
            assert_eq!(check(bad), Err(NameProblem::Invalid), "{bad:?}");
        }
    }

    #[test]
    fn names_with_a_final_newline_and_names_of_tool_folders_are_refused() {
        for bad in ["a\n", " a", "a ", "venv", "node_modules", "site-packages", "__pycache__"] {
            assert_eq!(check(bad), Err(NameProblem::Invalid), "{bad:?}");
        }
        for bad in ["skill.md", "con", "con.txt", "lpt1", "com9.md", "nul"] {
            assert_eq!(check(bad), Err(NameProblem::Invalid), "{bad:?}");
        }
    }
}
