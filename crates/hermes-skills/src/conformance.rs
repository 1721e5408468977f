//! How a document fares by the open specification of skills, and by our own rules for writing: for authors.

use crate::document::SkillDocument;
use crate::document::validate::{MAX_DESCRIPTION, validate};
use crate::name::MAX_NAME_CHARS;

/// Most characters of `compatibility`.
const MAX_COMPATIBILITY: usize = 500;

/// A body longer than this is better split.
const MAX_BODY_LINES: usize = 500;

/// A body of more tokens than this is better split.
const MAX_BODY_TOKENS: usize = 5000;

/// Fields of the open specification.
const FIELDS: [&str; 6] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// Something an author should look at.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct LintFinding {
    /// Line of the document, counted from 1.
    pub line: usize,
    /// How bad it is.
    pub level: LintLevel,
    /// In words.
    pub message: String,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LintLevel {
    /// Writing it would be refused.
    Error,
    /// Other programs may stumble.
    Warning,
}

/// Everything to look at in a document of a skill whose folder has this name, errors first.
#[must_use]
pub fn lint(text: &str, folder: &str) -> Vec<LintFinding> {
    let Err(problem) = validate(text, folder) else { return report(text, folder) };
    let document = SkillDocument::parse(text);
    // What is refused is said once: the field, and how the specification's remark on the same thing begins.
    let (field, remark) = match problem.kind {
        "missing_name" => ("name", "`name: ` should".to_owned()),
        "name_invalid" => ("name", String::new()),
        "name_mismatch" => ("name", format!("{} differs", named(&document))),
        "description_type" | "description_too_long" | "missing_description" => {
            ("description", "`description`".to_owned())
        }
        _ => ("", String::new()),
    };
    let is_readable =
        !field.is_empty() || matches!(problem.kind, "empty_body" | "content_too_large");
    let mut rest = if is_readable { report(text, folder) } else { Vec::new() };
    rest.retain(|one| remark.is_empty() || !one.message.starts_with(&remark));
    let line = line_of(&document, field).or_else(|| yaml_line(&problem.error));
    let message = problem.error;
    rest.insert(0, LintFinding { line: line.unwrap_or(1), level: LintLevel::Error, message });
    rest
}

/// The field with the name, as remarks quote it.
fn named(document: &SkillDocument) -> String {
    format!("`name: {}`", document.frontmatter.name().unwrap_or_default())
}

fn line_of(document: &SkillDocument, field: &str) -> Option<usize> {
    Some(document.frontmatter.field(field)?.line)
}

/// The line a message of the YAML reader speaks of.
fn yaml_line(message: &str) -> Option<usize> {
    let rest = message.split("line ").nth(1)?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// What the open specification has to say.
#[must_use]
pub fn report(text: &str, folder: &str) -> Vec<LintFinding> {
    let document = SkillDocument::parse(text);
    let fields = &document.frontmatter;
    let mut found = Vec::new();
    let mut warn = |line: usize, message: String| {
        found.push(LintFinding { line, level: LintLevel::Warning, message });
    };
    let name = fields.name().unwrap_or_default();
    let name_line = line_of(&document, "name").unwrap_or(1);
    if !is_plain(&name) {
        warn(
            name_line,
            format!(
                "{} should be lower-case letters and digits with single hyphens inside",
                named(&document)
            ),
        );
    }
    if name.chars().count() > MAX_NAME_CHARS {
        warn(name_line, format!("`name` has more than {MAX_NAME_CHARS} characters"));
    }
    if !name.is_empty() && name != folder {
        warn(name_line, format!("{} differs from the folder `{folder}`", named(&document)));
    }
    let description = fields.description().unwrap_or_default();
    let chars = description.chars().count();
    if description.trim().is_empty() {
        warn(line_of(&document, "description").unwrap_or(1), "`description` is missing".to_owned());
    } else if chars > MAX_DESCRIPTION {
        let line = line_of(&document, "description").unwrap_or(1);
        warn(
            line,
            format!("`description` has {chars} characters, at most {MAX_DESCRIPTION} are usual"),
        );
    }
    if let Some(node) = fields.field("compatibility").filter(|node| !node.is_null()) {
        match node.text().map(|text| text.chars().count()) {
            None => warn(node.line, "`compatibility` should be a text".to_owned()),
            Some(chars) if chars > MAX_COMPATIBILITY => {
                warn(
                    node.line,
                    format!("`compatibility` has {chars} characters, at most {MAX_COMPATIBILITY}"),
                );
            }
            Some(_) => {}
        }
    }
    for (field, node) in
        fields.entries().iter().filter(|(field, _)| !FIELDS.contains(&field.as_str()))
    {
        warn(
            node.line,
            format!("`{field}` is not a field of the open specification; put it below `metadata`"),
        );
    }
    let lines = document.body.lines().count();
    if lines > MAX_BODY_LINES {
        let what = format!(
            "the body has {lines} lines, more than {MAX_BODY_LINES}; move detail to references/"
        );
        warn(document.body_line + MAX_BODY_LINES, what);
    }
    let tokens = document.body.len() / 4;
    if tokens > MAX_BODY_TOKENS {
        let what = format!(
            "the body has about {tokens} tokens, more than {MAX_BODY_TOKENS}; move detail to references/"
        );
        warn(document.body_line, what);
    }
    found
}

fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('-')
        && !name.ends_with('-')
        && !name.contains("--")
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

/// The beginning of a new skill, which passes every check.
#[must_use]
pub fn scaffold(name: &str, description: &str) -> String {
    let quoted = serde_json::to_string(description).unwrap_or_default();
    format!(
        "---\nname: {name}\ndescription: {quoted}\n---\n\n# {name}\n\n## When to use\n\nSay which requests this is for, \
         and which it is not for.\n\n## Steps\n\n1. The first thing to do, with the exact command or call.\n2. How to \
         tell that it worked.\n\n## Pitfalls\n\n- What went wrong before, and what to do instead.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<(usize, String)> {
        lint(text, "a").into_iter().map(|found| (found.line, found.message)).collect()
    }

    #[test]
    fn a_fine_document_has_no_findings() {
        assert_eq!(messages("---\nname: a\ndescription: d\nlicense: MIT\n---\nx\n"), []);
    }

    #[test]
    fn findings_have_lines() {
        let text = "---\nname: a_b\ndescription: d\nversion: 1\ncompatibility: [x]\n---\nx\n";
        let found = messages(text);
        let at = |line: usize, words: &str| {
            found.iter().any(|(at, message)| *at == line && message.contains(words))
        };
        assert!(at(2, "differs"), "{found:?}");
        assert!(
            at(2, "single hyphens")
                && at(4, "`version`")
                && at(5, "`compatibility` should be a text"),
            "{found:?}"
        );
        assert!(lint(text, "a")[0].level == LintLevel::Error, "writing it would be refused");
    }

    #[test]
    fn long_bodies_and_fields_are_named() {
        let text = format!(
            "---\nname: a\ndescription: {}\ncompatibility: {}\n---\n{}",
            "d".repeat(2000),
            "c".repeat(600),
            "line of text with quite some words in it, over and over\n".repeat(600)
        );
        let found = messages(&text);
        for words in ["2,000 characters", "600 characters", "600 lines", "tokens"] {
            assert!(found.iter().any(|(_, message)| message.contains(words)), "{words}: {found:?}");
        }
    }

    #[test]
    fn what_is_refused_is_said_once() {
        for text in [
            "no block at all",
            "---\nname: a\ndescription: d\nnever closed",
            "---\nname: a\ndescription: x: y\n---\nz",
            "---\n- a list\n---\nz",
            "---\ndescription: d\n---\nz",
            "---\nname: a\n---\nz",
            "---\nname: a\ndescription: [d]\n---\nz",
            "---\nname: b\ndescription: d\n---\nz",
            "---\nname: a\ndescription: d\n---\n",
            "",
        ] {
            assert_eq!(messages(text).len(), 1, "{text}: {:?}", messages(text));
        }
    }

    #[test]
    fn broken_yaml_is_found_where_it_is() {
        let found = messages("---\nname: a\ndescription: x: y\n---\nz");
        assert_eq!(found[0].0, 3, "{found:?}");
    }

    #[test]
    fn a_scaffold_passes() {
        let text = scaffold("a", "Does: \"things\"\nwhen asked");
        assert_eq!(messages(&text), [], "{text}");
    }
}
