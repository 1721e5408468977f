//! What is known of a skill without opening it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::document::{Gates, SkillDocument};
use crate::layout::{category_chain, category_of};
use crate::name::MAX_NAME_CHARS;
use crate::plugin_skills::PluginSkill;
use crate::roots::RootKind;

/// Most characters of a description that are kept.
pub const MAX_DESCRIPTION_CHARS: usize = 1024;

/// A skill as the index knows it.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexedSkill {
    /// The name from the document, or else of its folder.
    pub name: String,
    /// The name of its folder.
    pub folder: String,
    /// What it is for, at most [`MAX_DESCRIPTION_CHARS`].
    pub description: String,
    /// The first folder below the root, if the skill is not directly in it.
    pub category: Option<String>,
    /// All folders above it, `a/b`.
    pub chain: Option<String>,
    /// When it may be offered.
    pub gates: Gates,
    /// Words that describe it.
    pub tags: Vec<String>,
    /// The document.
    pub file: PathBuf,
    /// The document, from its root.
    pub relative: PathBuf,
    /// Whose folder it is in.
    pub kind: RootKind,
    /// What is wrong with the document, in words.
    pub warnings: Vec<String>,
    /// Whether it is left out of lists because its block of fields is never closed.
    pub broken: bool,
}

/// What a document says: the part of an entry that does not depend on where it lies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Summary {
    pub(super) name: Option<String>,
    pub(super) description: String,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) gates: Gates,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tags: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) warnings: Vec<String>,
    pub(super) broken: bool,
}

fn is_default(gates: &Gates) -> bool {
    *gates == Gates::default()
}

impl Summary {
    pub(super) fn read(file: &Path) -> Self {
        match std::fs::read(file) {
            Ok(bytes) => Self::of(&SkillDocument::read(&bytes)),
            Err(problem) => {
                let warnings = vec![format!("cannot be read: {problem}")];
                Self { warnings, broken: true, ..Self::default() }
            }
        }
    }

    fn of(document: &SkillDocument) -> Self {
        Self {
            name: document.frontmatter.name(),
            description: shortened(&document.description(), MAX_DESCRIPTION_CHARS),
            gates: document.frontmatter.gates(),
            tags: document.frontmatter.tags(),
            warnings: document.warnings.clone(),
            broken: document.unclosed,
        }
    }
}

impl IndexedSkill {
    pub(super) fn new(summary: Summary, root: &Path, relative: &Path, kind: RootKind) -> Self {
        let Summary { name, description, gates, tags, warnings, broken } = summary;
        let file = root.join(relative);
        let folder = file
            .parent()
            .and_then(Path::file_name)
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Self {
            name: name.unwrap_or_else(|| folder.clone()),
            folder,
            description,
            category: category_of(relative).map(str::to_owned),
            chain: category_chain(relative),
            gates,
            tags,
            file,
            relative: relative.to_path_buf(),
            kind,
            warnings,
            broken,
        }
    }

    /// A skill of a plugin, as its document and its plugin describe it.
    #[must_use]
    pub fn of_plugin(skill: &PluginSkill) -> Self {
        let root = skill.file.parent().unwrap_or(Path::new("."));
        let relative = skill.file.file_name().map(PathBuf::from).unwrap_or_default();
        let summary = Summary::read(&skill.file);
        let mut entry = Self::new(summary, root, &relative, RootKind::Plugin);
        entry.name = skill.full_name();
        entry.folder = entry.name.clone();
        entry.category = Some(skill.plugin.clone());
        entry.chain = Some(skill.plugin.clone());
        if entry.description.is_empty() {
            entry.description = shortened(&skill.description, MAX_DESCRIPTION_CHARS);
        }
        entry
    }

    /// The skill's folder.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("."))
    }

    /// The name as lists show it.
    #[must_use]
    pub fn shown_name(&self) -> String {
        self.name.chars().take(MAX_NAME_CHARS).collect()
    }
}

/// A text of at most `most` characters, with an ellipsis where something is missing.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(3)).collect();
    format!("{}...", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_end_in_three_dots() {
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("abcdefg", 6), "abc...");
        assert_eq!(shortened(&"é".repeat(2000), 1024).chars().count(), 1024);
    }
}
