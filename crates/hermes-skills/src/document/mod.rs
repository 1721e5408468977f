//! Reading `SKILL.md`.
//!
//! [`split`] finds the block between the fences; [`yaml`] reads it into nodes that keep every value as it was
//! written, with its line; [`Frontmatter`] gives the fields their meaning. [`SkillDocument::read`] does all three the
//! forgiving way of a load: a document that is broken is served with [`SkillDocument::warnings`].

mod fields;
mod frontmatter;
pub mod split;
pub mod validate;
pub mod yaml;

#[cfg(test)]
mod property_tests;

pub use fields::{ConfigField, EnvironmentVariable, Gates, is_variable_name};
pub use frontmatter::Frontmatter;

use split::{Split, SplitProblem};

/// A document as it was found.
#[derive(Clone, Debug)]
pub struct SkillDocument {
    /// The whole text, without byte order marks.
    pub text: String,
    /// The fields; none if there is no block.
    pub frontmatter: Frontmatter,
    /// What follows the block.
    pub body: String,
    /// Where the body begins, counted in lines from 1.
    pub body_line: usize,
    /// What is wrong with it, in words for a person.
    pub warnings: Vec<String>,
    /// Whether a block was begun and never closed: such a skill is reported, not offered.
    pub unclosed: bool,
}

impl SkillDocument {
    /// Reads bytes; never fails. Bytes that are no text are replaced.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut document = Self::parse(&text);
        if std::str::from_utf8(bytes).is_err() {
            document.warnings.push("some bytes are not UTF-8 text and were replaced".to_owned());
        }
        document
    }

    /// Reads a text; never fails.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = split::without_marks(text);
        let mut warnings = Vec::new();
        let (frontmatter, body, body_line, unclosed) =
            match split::split(text, split::Leading::Skipped) {
                Ok(Split { yaml, yaml_line, body, body_line }) => {
                    let frontmatter =
                        Frontmatter::read(yaml, yaml_line).unwrap_or_else(|problem| {
                            warnings.push(format!(
                                "the block between the `---` lines is not valid YAML: {problem}"
                            ));
                            Frontmatter::read_broken(yaml, yaml_line)
                        });
                    (frontmatter, body, body_line, false)
                }
                Err(SplitProblem::NoFence) => (Frontmatter::default(), text, 1, false),
                Err(SplitProblem::Unclosed) => {
                    warnings.push("the block that begins with `---` is never closed".to_owned());
                    (Frontmatter::default(), text, 1, true)
                }
            };
        let body = body.to_owned();
        Self { text: text.to_owned(), frontmatter, body, body_line, warnings, unclosed }
    }

    /// What the skill is for: the field, or else the first line of the body that is no heading.
    #[must_use]
    pub fn description(&self) -> String {
        self.frontmatter.description().filter(|text| !text.trim().is_empty()).unwrap_or_else(|| {
            let line = |line: &&str| {
                let line = line.trim();
                !line.is_empty()
                    && !line.starts_with('#')
                    && !line.starts_with("---")
                    && !line.starts_with("```")
            };
            self.body.lines().find(line).unwrap_or_default().trim().to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_without_a_block_is_all_body() {
        let document = SkillDocument::read(b"# Title\n\n```\ncode\n```\n");
        assert_eq!(document.frontmatter.name(), None);
        assert_eq!(document.description(), "code");
        assert_eq!(document.body_line, 1);
    }

    #[test]
    fn undecodable_bytes_are_replaced_with_a_warning() {
        let document = SkillDocument::read(b"---\nname: a\ndescription: b\xff\n---\nx");
        assert_eq!(document.description(), "b\u{fffd}");
        assert_eq!(document.warnings.len(), 1, "{:?}", document.warnings);
    }

    #[test]
    fn broken_yaml_is_read_line_by_line_with_a_warning() {
        let document = SkillDocument::parse("---\nname: a\ndescription: Use when: x\n---\nbody");
        assert_eq!(document.frontmatter.name().as_deref(), Some("a"));
        assert_eq!(document.description(), "Use when: x");
        assert_eq!(document.body, "body");
        assert_eq!(document.warnings.len(), 1);
    }

    #[test]
    fn a_block_that_is_never_closed_is_marked() {
        let document = SkillDocument::parse("---\nname: a\n");
        assert!(document.unclosed);
    }

    #[test]
    fn a_frontmatter_longer_than_4000_characters_keeps_its_gates() {
        let text =
            format!("---\nname: a\nnotes: \"{}\"\nplatforms: [windows]\n---\nx", "y".repeat(9000));
        assert_eq!(SkillDocument::parse(&text).frontmatter.gates().platforms, ["windows"]);
    }
}
