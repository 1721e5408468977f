//! What is asked of a document that is written.
//!
//! Reading forgives, writing does not: what is accepted here loads without a warning. The checks have an order, so
//! that the same text always gets the same answer.

use hermes_tool::thousands;

use crate::name;
use crate::refusal::SkillRefusal;

use super::frontmatter::Frontmatter;
use super::split::{Leading, SplitProblem, split, without_marks};
use super::yaml::YamlValue;

/// Most characters of a document.
pub const MAX_DOCUMENT_CHARS: usize = 100_000;

/// Most characters of a description.
pub const MAX_DESCRIPTION: usize = 1024;

/// Whether a text may become the document of a skill whose folder has this name.
///
/// # Errors
/// With the first thing that is wrong.
pub fn validate(text: &str, folder: &str) -> Result<(), SkillRefusal> {
    let problem = |kind, error: String| Err(SkillRefusal::new(kind, error));
    let text = without_marks(text);
    if text.trim().is_empty() {
        return problem(
            "content_empty",
            "The content is empty: pass the full text of SKILL.md.".into(),
        );
    }
    let parts = match split(text, Leading::Refused) {
        Ok(parts) => parts,
        Err(SplitProblem::NoFence) => {
            return problem(
                "no_frontmatter",
                "SKILL.md must begin with a block of YAML: a line `---`, then name and description, then `---`.".into(),
            );
        }
        Err(SplitProblem::Unclosed) => {
            return problem(
                "unclosed",
                "The block of YAML is not closed: it must end with a line of its own that is `---`.".into(),
            );
        }
    };
    let fields = match Frontmatter::read(parts.yaml, parts.yaml_line) {
        Ok(fields) => fields,
        Err(found) => {
            return problem("yaml_error", format!("The block of YAML cannot be read: {found}."));
        }
    };
    if !fields.is_mapping() {
        return problem(
            "not_mapping",
            "The block of YAML must be a mapping of fields, like `name: value`.".into(),
        );
    }
    if fields.name().is_none() {
        return problem("missing_name", "The block of YAML has no `name`.".into());
    }
    let description = match fields.field("description") {
        Some(node) if !matches!(node.value, YamlValue::Scalar { .. }) => {
            return problem(
                "description_type",
                "`description` must be a text, not a list or mapping.".into(),
            );
        }
        Some(_) => fields.description().unwrap_or_default(),
        None => String::new(),
    };
    if description.is_empty() {
        return problem(
            "missing_description",
            "The block of YAML has no `description`: say what it is for and when.".into(),
        );
    }
    let chars = description.chars().count();
    if chars > MAX_DESCRIPTION {
        return problem(
            "description_too_long",
            format!(
                "`description` has {} characters, at most {} are allowed. Keep what it is for and when; split off the \
                 rest into the body.",
                thousands(chars),
                thousands(MAX_DESCRIPTION)
            ),
        );
    }
    if parts.body.trim().is_empty() {
        return problem(
            "empty_body",
            "Nothing follows the block of YAML: instructions must follow it.".into(),
        );
    }
    let written = fields.written("name").unwrap_or_default();
    if name::check(written).is_err() {
        return problem(
            "name_invalid",
            format!("`name: {written}` cannot name a skill: {}.", name_rule()),
        );
    }
    if written != folder {
        return problem(
            "name_mismatch",
            format!(
                "`name: {written}` differs from the skill's name `{folder}`: they must be the same."
            ),
        );
    }
    let chars = text.chars().count();
    if chars > MAX_DOCUMENT_CHARS {
        return problem(
            "content_too_large",
            format!(
                "SKILL.md has {} characters, at most {} are allowed. Split it: move detail to files below references/.",
                thousands(chars),
                thousands(MAX_DOCUMENT_CHARS)
            ),
        );
    }
    Ok(())
}

/// The rule for names, in words.
#[must_use]
pub fn name_rule() -> String {
    format!(
        "use 1 to {} lower-case letters, digits, `.`, `_` and `-`, starting with a letter or digit, and no name a \
         system or tool gives a meaning of its own",
        name::MAX_NAME_CHARS
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> &'static str {
        match validate(text, "a") {
            Ok(()) => "fine",
            Err(problem) => problem.kind,
        }
    }

    #[test]
    fn each_fault_has_its_kind_in_this_order() {
        let long = "d".repeat(1025);
        let cases = [
            ("", "content_empty"),
            ("\u{feff} \n", "content_empty"),
            ("# Title\n", "no_frontmatter"),
            ("\n---\nname: a\ndescription: d\n---\nx", "no_frontmatter"),
            ("--- x\n---\n", "no_frontmatter"),
            ("---\nname: a\n", "unclosed"),
            ("---\nname: [a\n---\nx", "yaml_error"),
            ("---\nname: a\nname: b\n---\nx", "yaml_error"),
            ("---\n- a\n---\nx", "not_mapping"),
            ("---\n---\nx", "not_mapping"),
            ("---\ndescription: d\n---\nx", "missing_name"),
            ("---\nname: ' '\ndescription: d\n---\nx", "missing_name"),
            ("---\nname: ~\ndescription: d\n---\nx", "missing_name"),
            ("---\nname: a\n---\nx", "missing_description"),
            ("---\nname: a\ndescription: ''\n---\nx", "missing_description"),
            ("---\nname: a\ndescription: [d]\n---\nx", "description_type"),
            ("---\nname: a\ndescription: {d: e}\n---\nx", "description_type"),
            (&format!("---\nname: a\ndescription: {long}\n---\nx"), "description_too_long"),
            ("---\nname: a\ndescription: d\n---\n  \n", "empty_body"),
            ("---\nname: a\ndescription: d\n---", "empty_body"),
            ("---\nname: A b\ndescription: d\n---\nx", "name_invalid"),
            ("---\nname: b\ndescription: d\n---\nx", "name_mismatch"),
            ("---\nname: a\ndescription: d\n---\nx", "fine"),
            ("\u{feff}---\nname: a\ndescription: 42\n---\nx", "fine"),
            ("---\r\nname: a\r\ndescription: d\r\n---\r\nx\r\n", "fine"),
        ];
        for (text, expected) in cases {
            assert_eq!(kind(text), expected, "{text:?}");
        }
        let large = format!("---\nname: a\ndescription: d\n---\n{}", "x".repeat(100_000));
        assert_eq!(kind(&large), "content_too_large");
    }

    #[test]
    fn the_words_carry_what_is_needed() {
        let words = |text: &str| validate(text, "a").unwrap_err().error;
        let colon = words("---\nname: a\ndescription: Use when: x\n---\nx");
        assert!(
            colon.contains("line 3") && colon.contains("column") && colon.contains("quotes"),
            "{colon}"
        );
        let long = words(&format!("---\nname: a\ndescription: {}\n---\nx", "d".repeat(2000)));
        assert!(
            long.contains("2,000") && long.contains("1,024") && long.contains("split"),
            "{long}"
        );
        let large = words(&format!("---\nname: a\ndescription: d\n---\n{}", "x".repeat(200_000)));
        assert!(
            large.contains("200,0") && large.contains("100,000") && large.contains("references/"),
            "{large}"
        );
    }

    #[test]
    fn names_that_a_reader_would_turn_into_something_else_are_texts() {
        assert_eq!(kind("---\nname: 010\ndescription: d\n---\nx"), "name_mismatch");
        validate("---\nname: 010\ndescription: d\n---\nx", "010").unwrap();
        validate("---\nname: yes\ndescription: d\n---\nx", "yes").unwrap();
    }
}
