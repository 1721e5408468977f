//! Any text can be read, and what is read adds up.

use proptest::prelude::*;

use super::SkillDocument;
use super::split::{Leading, split};

proptest! {
    #[test]
    fn any_bytes_are_served(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let document = SkillDocument::read(&bytes);
        let _ = document.description();
        let _ = document.frontmatter.gates();
        let _ = document.frontmatter.environment_variables();
    }

    #[test]
    fn yaml_like_text_is_served(text in "(---\n)?([a-z]{1,4}: [-a-z0-9\\[\\]{}&*!:\"' ,]{0,20}\n|  - x\n|---\n){0,12}") {
        let document = SkillDocument::parse(&text);
        let _ = document.frontmatter.config_fields();
        let _ = document.frontmatter.metadata();
        let _ = document.frontmatter.tags();
    }

    #[test]
    fn the_parts_are_pieces_of_the_text(text in "(\n|---\n|--- \r\n|a: b\n|x){0,12}") {
        if let Ok(found) = split(&text, Leading::Skipped) {
            prop_assert!(text.contains(found.yaml));
            prop_assert!(text.ends_with(found.body));
            prop_assert_eq!(text.split_inclusive('\n').skip(found.body_line - 1).collect::<String>(), found.body);
        }
    }
}
