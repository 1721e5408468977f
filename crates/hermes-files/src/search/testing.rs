//! Throw-away trees for the tests of this module.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::SearchScope;

/// A temporary directory to fill and search.
pub(super) struct Tree(tempfile::TempDir);

impl Tree {
    pub(super) fn new(files: &[(&str, &str)]) -> Self {
        let tree = Self(tempfile::tempdir().unwrap());
        for (path, text) in files {
            tree.put(path, text.as_bytes());
        }
        tree
    }

    /// The same, looking like a git repository.
    pub(super) fn repository(files: &[(&str, &str)]) -> Self {
        let tree = Self::new(files);
        fs::create_dir_all(tree.path(".git")).unwrap();
        tree
    }

    pub(super) fn put(&self, path: &str, bytes: &[u8]) {
        use std::io::Write;
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::File::create(path).unwrap().write_all(bytes).unwrap();
    }

    /// Makes a file seem written this many seconds after a fixed moment.
    pub(super) fn date(&self, path: &str, seconds: u64) {
        let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000 + seconds);
        fs::File::options()
            .write(true)
            .open(self.path(path))
            .unwrap()
            .set_modified(moment)
            .unwrap();
    }

    pub(super) fn root(&self) -> PathBuf {
        fs::canonicalize(self.0.path()).unwrap()
    }

    pub(super) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root().join(path)
    }

    /// The whole tree, shown as `.`.
    pub(super) fn scope(&self) -> SearchScope<'static> {
        SearchScope::new(self.root(), ".")
    }

    /// A part of the tree, shown by its relative path.
    pub(super) fn part(&self, path: &str) -> SearchScope<'static> {
        SearchScope::new(self.path(path), path)
    }
}
