//! The tree of a repository as the API tells it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::GITHUB;
use crate::hub::error::HubError;
use crate::layout::SKILL_FILE;

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeKind {
    /// A regular file.
    File {
        /// Whether its mode says that it is a program.
        executable: bool,
    },
    /// A symbolic link.
    Link,
    /// Another repository.
    Submodule,
}

/// One entry that is no folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeEntry {
    /// From the root of the repository.
    pub path: String,
    /// Only regular files may become part of a bundle.
    pub kind: TreeKind,
    /// Its size as announced.
    pub size: usize,
}

impl TreeEntry {
    /// An entry of the list of one folder.
    #[must_use]
    pub fn of_contents(path: &str, kind: &str, size: &Value) -> Self {
        let kind = match kind {
            "symlink" => TreeKind::Link,
            "submodule" => TreeKind::Submodule,
            // This list has no modes; whether a file is a program shows by its first line anyway.
            _ => TreeKind::File { executable: true },
        };
        Self { path: path.to_owned(), kind, size: size_of(size) }
    }
}

fn size_of(size: &Value) -> usize {
    size.as_u64().and_then(|size| usize::try_from(size).ok()).unwrap_or_default()
}

/// A whole repository at one commit.
#[derive(Clone, Debug)]
pub struct RepoTree {
    /// Every file is fetched at it.
    pub commit: String,
    /// Whether the server left something out.
    pub truncated: bool,
    entries: BTreeMap<String, TreeEntry>,
}

impl RepoTree {
    /// Reads an answer of the API.
    ///
    /// # Errors
    /// It is no tree.
    pub fn read(commit: String, answer: &Value) -> Result<Self, HubError> {
        let list = answer["tree"].as_array().ok_or_else(|| HubError::Answer {
            service: GITHUB.to_owned(),
            why: "the tree of the repository is missing".to_owned(),
        })?;
        let entries = list.iter().filter_map(|item| {
            let kind = match (item["type"].as_str()?, item["mode"].as_str().unwrap_or("100644")) {
                ("blob", "120000") => TreeKind::Link,
                ("blob", mode) => TreeKind::File { executable: mode == "100755" },
                ("commit", _) => TreeKind::Submodule,
                _ => return None,
            };
            let path = item["path"].as_str()?.to_owned();
            Some(TreeEntry { path, kind, size: size_of(&item["size"]) })
        });
        let truncated = answer["truncated"].as_bool().unwrap_or_default();
        Ok(Self { truncated, ..Self::of(commit, entries.collect()) })
    }

    /// A tree of these entries.
    #[must_use]
    pub fn of(commit: String, entries: Vec<TreeEntry>) -> Self {
        let entries = entries.into_iter().map(|entry| (entry.path.clone(), entry)).collect();
        Self { commit, truncated: false, entries }
    }

    /// Whether there is a regular file.
    #[must_use]
    pub fn has_file(&self, path: &str) -> bool {
        self.entries.get(path).is_some_and(|entry| matches!(entry.kind, TreeKind::File { .. }))
    }

    /// Everything below a folder, each with its path from there.
    pub fn below<'a>(&'a self, folder: &str) -> impl Iterator<Item = (&'a str, &'a TreeEntry)> {
        let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        self.entries.iter().filter_map(move |(path, entry)| {
            path.strip_prefix(prefix.as_str()).map(|path| (path, entry))
        })
    }

    /// Folders with a skill's document, the root as an empty name.
    pub fn skill_folders(&self) -> impl Iterator<Item = &str> {
        self.entries.values().filter_map(|entry| {
            let folder = entry.path.strip_suffix(SKILL_FILE)?;
            (folder.is_empty() || folder.ends_with('/')).then(|| folder.trim_end_matches('/'))
        })
    }
}
