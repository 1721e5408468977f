//! Skills on their way in: names and bytes, nothing on the disk yet.
//!
//! A bundle holds only what may be written on any system without leaving its folder ([`path`]), is no larger than
//! [`MAX_BUNDLE_BYTES`], and has one hash that is the same here and on the disk ([`hash`]). [`archive`] unpacks.

pub mod archive;
pub mod hash;
pub mod path;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::error::HubError;
use super::record::TrustLevel;
use crate::document::SkillDocument;
use crate::layout::SKILL_FILE;

/// Most bytes of one file, which is also the most of one answer.
pub const MAX_FILE_BYTES: usize = 10 << 20;
/// Most bytes of a bundle.
pub const MAX_BUNDLE_BYTES: usize = 20 << 20;
/// Most files of a bundle.
pub const MAX_BUNDLE_FILES: usize = 2000;

/// Bytes of a skill, before they are on the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleFile {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Whether the source says that it is a program.
    pub executable: bool,
}

/// The files of a bundle, by their checked paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BundleFiles {
    files: BTreeMap<String, BundleFile>,
    /// Paths without regard to case, and every folder on the way to one: two names that some disk takes for one
    /// are a way to replace a file after it was looked at.
    taken: BTreeMap<String, String>,
    folders: BTreeSet<String>,
    bytes: usize,
}

impl BundleFiles {
    /// Adds a file.
    ///
    /// # Errors
    /// The path may not be written, is there already (on a disk that ignores case), or the bundle becomes too large.
    pub fn add(&mut self, path: &str, file: BundleFile) -> Result<(), HubError> {
        let path = path::check(path).map_err(HubError::Bundle)?;
        let folded = path.to_lowercase();
        if let Some(other) = self.taken.get(&folded) {
            return Err(HubError::Bundle(format!("it has two files called {path} ({other})")));
        }
        if self.folders.contains(&folded) {
            return Err(HubError::Bundle(format!("{path} is both a file and a folder")));
        }
        for (at, _) in folded.match_indices('/') {
            if self.taken.contains_key(&folded[..at]) {
                return Err(HubError::Bundle(format!(
                    "{} is both a file and a folder",
                    &path[..at]
                )));
            }
            self.folders.insert(folded[..at].to_owned());
        }
        if file.bytes.len() > MAX_FILE_BYTES {
            return Err(HubError::Bundle(format!("{path} is larger than 10 MiB")));
        }
        self.bytes += file.bytes.len();
        if self.bytes > MAX_BUNDLE_BYTES {
            return Err(HubError::Bundle("it is larger than 20 MiB".to_owned()));
        }
        if self.files.len() >= MAX_BUNDLE_FILES {
            return Err(HubError::Bundle(format!("it has more than {MAX_BUNDLE_FILES} files")));
        }
        self.taken.insert(folded, path.clone());
        self.files.insert(path, file);
        Ok(())
    }

    /// Adds a file that is no program.
    ///
    /// # Errors
    /// As [`BundleFiles::add`].
    pub fn add_plain(&mut self, path: &str, bytes: impl Into<Vec<u8>>) -> Result<(), HubError> {
        self.add(path, BundleFile { bytes: bytes.into(), executable: false })
    }

    /// Takes files out; `SKILL.md` stays whatever is said.
    pub fn retain(&mut self, keep: impl Fn(&str) -> bool) {
        self.files.retain(|path, _| path == SKILL_FILE || keep(path));
    }

    /// All files, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &BundleFile)> {
        self.files.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// A file.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<&BundleFile> {
        self.files.get(path)
    }

    /// Their paths, sorted as the hash sorts them.
    #[must_use]
    pub fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.files.keys().cloned().collect();
        paths.sort_by(|left, right| left.split('/').cmp(right.split('/')));
        paths
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// What the lock file compares: the same for the folder it becomes.
    #[must_use]
    pub fn content_hash(&self) -> String {
        hash::of_files(self.iter().map(|(path, file)| (path, file.bytes.as_slice())))
    }

    /// The whole hash, by which a person names exactly this content.
    #[must_use]
    pub fn full_hash(&self) -> String {
        hash::full(self.iter().map(|(path, file)| (path, file.bytes.as_slice())))
    }

    /// The folder that holds `SKILL.md` becomes the root: archives often wrap everything in one.
    ///
    /// # Errors
    /// There is no such file, or there are several.
    pub fn rooted_at_skill(self) -> Result<Self, HubError> {
        let mut roots: Vec<&str> = self
            .files
            .keys()
            .filter_map(|path| path.strip_suffix(SKILL_FILE))
            .filter(|folder| folder.is_empty() || folder.ends_with('/'))
            .collect();
        roots.sort_by_key(|folder| folder.matches('/').count());
        let root = match roots.as_slice() {
            [] => return Err(HubError::Bundle(format!("it has no {SKILL_FILE}"))),
            [only] => (*only).to_owned(),
            [first, second, ..] if first.matches('/').count() < second.matches('/').count() => {
                (*first).to_owned()
            }
            _ => return Err(HubError::Bundle("it holds several skills".to_owned())),
        };
        if root.is_empty() {
            return Ok(self);
        }
        let mut rooted = Self::default();
        for (path, file) in self.files {
            if let Some(path) = path.strip_prefix(&root) {
                rooted.add(path, file)?;
            }
        }
        Ok(rooted)
    }
}

/// A skill as it was fetched.
#[derive(Clone, Debug)]
pub struct HubBundle {
    /// What the source calls it; checked before it becomes a folder.
    pub name: String,
    /// Folders it lies in, where the source says so.
    pub category: Option<String>,
    /// The content.
    pub files: BundleFiles,
    /// The source's id.
    pub source: &'static str,
    /// What was asked for, in its full form.
    pub identifier: String,
    /// How far the origin is believed.
    pub trust: TrustLevel,
    /// Where exactly it is from: `source_url`, `source_revision` and what else the source says.
    pub metadata: Map<String, Value>,
    /// What was odd and did no harm.
    pub warnings: Vec<String>,
}

impl HubBundle {
    /// The main document.
    ///
    /// # Errors
    /// There is none.
    pub fn document(&self) -> Result<SkillDocument, HubError> {
        self.files
            .get(SKILL_FILE)
            .map(|file| SkillDocument::read(&file.bytes))
            .ok_or_else(|| HubError::Bundle(format!("it has no {SKILL_FILE}")))
    }

    /// A text of the metadata.
    #[must_use]
    pub fn said(&self, key: &str) -> Option<&str> {
        self.metadata.get(key)?.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> Result<BundleFiles, HubError> {
        let mut files = BundleFiles::default();
        for path in paths {
            files.add_plain(path, *path)?;
        }
        Ok(files)
    }

    #[test]
    fn duplicate_and_case_clashing_names_are_refused() {
        for paths in [
            &["a", "a"][..],
            &["Readme.md", "README.md"],
            &["docs/a", "Docs/A"],
            &["a", "a/b"],
            &["A/b", "a"],
            &["straße/x", "STRASSE/x", "straße/X"],
        ] {
            assert!(files(paths).is_err(), "{paths:?}");
        }
        assert!(files(&["a/b", "a/c", "A/d"]).is_ok());
    }

    #[test]
    fn a_bundle_has_limits() {
        let mut files = BundleFiles::default();
        assert!(files.add_plain("big", vec![0; MAX_FILE_BYTES + 1]).is_err());
        for number in 0..2 {
            files.add_plain(&format!("f{number}"), vec![0; MAX_FILE_BYTES]).unwrap();
        }
        assert!(files.add_plain("one-more", vec![0; 1]).is_err());
        let mut many = BundleFiles::default();
        for number in 0..MAX_BUNDLE_FILES {
            many.add_plain(&number.to_string(), "").unwrap();
        }
        assert!(many.add_plain("last", "").is_err());
    }

    #[test]
    fn the_folder_with_the_document_becomes_the_root() {
        let paths =
            |list: &[&str]| files(list).unwrap().rooted_at_skill().map(|files| files.paths());
        assert_eq!(paths(&["x/SKILL.md", "x/a/b", "other"]).unwrap(), ["SKILL.md", "a/b"]);
        assert_eq!(paths(&["SKILL.md", "references/old/SKILL.md"]).unwrap().len(), 2);
        assert!(paths(&["a/SKILL.md", "b/SKILL.md"]).is_err());
        assert!(paths(&["README.md", "a/NOT-SKILL.md"]).is_err());
    }
}
