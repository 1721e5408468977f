//! Paths that may be written on any system without leaving the folder they are written to.

use crate::name::is_device;

/// Longest part of a path, as most disks have it.
const LONGEST_PART: usize = 255;
/// Deepest nesting.
const DEEPEST: usize = 32;

/// The path with `/` between its parts, if every system writes it inside the folder it belongs to.
///
/// # Errors
/// What is wrong with it, for people; the path is shown escaped.
pub fn check(path: &str) -> Result<String, String> {
    let plain = path.replace('\\', "/");
    let refuse = |why: &str| Err(format!("the file name `{}` {why}", path.escape_debug()));
    if plain.is_empty() {
        return refuse("is empty");
    }
    if plain.starts_with('/') {
        return refuse("is absolute");
    }
    if plain.starts_with('~') {
        return refuse("begins with `~`");
    }
    // Drive letters and the hidden streams of some disks.
    if plain.contains(':') {
        return refuse("contains `:`");
    }
    if plain.chars().any(is_deceptive) {
        return refuse("contains control or direction characters");
    }
    let parts: Vec<&str> = plain.split('/').collect();
    if parts.len() > DEEPEST {
        return refuse("lies too deep");
    }
    for part in &parts {
        if part.is_empty() || *part == "." {
            return refuse("has an empty part");
        }
        if *part == ".." {
            return refuse("leads out of its folder");
        }
        if part.ends_with([' ', '.']) {
            return refuse("has a part that ends in a blank or a dot, which some systems drop");
        }
        if part.len() > LONGEST_PART {
            return refuse("has a part of more than 255 bytes");
        }
        if is_device(part) {
            return refuse("is the name of a device on some systems");
        }
        if part.eq_ignore_ascii_case(".git") {
            return refuse("belongs to a repository");
        }
    }
    Ok(plain)
}

/// Characters that make a name look like another one.
fn is_deceptive(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn paths_that_some_system_takes_for_another_place_are_refused() {
        for bad in [
            "",
            "/etc/passwd",
            "\\\\host\\x",
            "C:\\x",
            "a:b",
            "~/x",
            "~x",
            "..",
            "../x",
            "a/../b",
            "a\\..\\b",
            "a//b",
            "./a",
            "a/.",
            "a\0b",
            "a\nb",
            "a\u{202e}b",
            "a/b ",
            "a./b",
            "a/b.",
            "con",
            "x/NUL.txt",
            "com1",
            ".git/config",
            "a/.GIT/hooks/x",
        ] {
            assert!(check(bad).is_err(), "{bad:?}");
        }
        assert!(check(&"x".repeat(256)).is_err());
        assert!(check(&vec!["a"; 33].join("/")).is_err());
        for (good, wanted) in [
            ("SKILL.md", "SKILL.md"),
            ("scripts\\run.sh", "scripts/run.sh"),
            ("a/.hidden/b", "a/.hidden/b"),
            (".gitignore", ".gitignore"),
            ("größe/日本.md", "größe/日本.md"),
            ("a b/c", "a b/c"),
        ] {
            assert_eq!(check(good).as_deref(), Ok(wanted));
        }
    }

    proptest! {
        #[test]
        fn what_passes_stays_inside(text in "[a-z./\\\\~: ]{0,30}|\\PC{0,40}") {
            if let Ok(path) = check(&text) {
                let mut depth = 0usize;
                for part in std::path::Path::new(&path).components() {
                    prop_assert!(matches!(part, std::path::Component::Normal(_)));
                    depth += 1;
                }
                prop_assert!(depth > 0);
                prop_assert_eq!(check(&path), Ok(path.clone()));
            }
        }
    }
}
