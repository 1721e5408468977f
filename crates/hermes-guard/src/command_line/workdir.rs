//! Which characters a working directory may have.

/// The first character that has no place in a working directory.
///
/// Allowed are ASCII letters and digits, the blank, and `/ \ : _ - . ~ + @ = ,`: enough for the paths
/// of every system, and nothing that a shell reads as more than a path.
#[must_use]
pub fn offending(path: &str) -> Option<char> {
    path.chars()
        .find(|letter| !letter.is_ascii_alphanumeric() && !r"/\:_-.~ +@=,".contains(*letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_paths_are_fine() {
        for path in ["", "/", "~/my project", r"C:\Users\x", "/a-b_c.d/e+f@g=h,i", "../x", "0"] {
            assert_eq!(offending(path), None, "{path}");
        }
    }

    #[test]
    fn names_the_first_character_that_is_not_allowed() {
        for letter in "!\"#$%&'()*;<>?[]^`{|}\n\r\t\0é日\u{a0}".chars() {
            assert_eq!(offending(&format!("/a b/{letter}c$")), Some(letter), "{letter:?}");
        }
    }
}
