//! Paths as the most forgiving file system takes them.
//!
//! On some disks `.GIT` and `.git. ` are `.git`. Rules that protect a name protect what such a disk
//! would take for it; that another file of nearly the same name is protected as well costs nothing.

use std::path::{Component, Path, PathBuf};

/// A path in lower case, without dots and spaces at the end of its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Folded(PathBuf);

impl Folded {
    pub(super) fn of(path: &Path) -> Self {
        Self(
            path.components()
                .map(|part| match part {
                    Component::Normal(name) => {
                        let lower = name.to_string_lossy().to_lowercase();
                        let trimmed = lower.trim_end_matches(['.', ' ']);
                        PathBuf::from(if trimmed.is_empty() { &lower } else { trimmed })
                    }
                    other => PathBuf::from(other.as_os_str()),
                })
                .collect(),
        )
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn is(&self, other: &Path) -> bool {
        *self == Self::of(other)
    }

    /// The folder itself, or anything in it at any depth.
    pub(super) fn is_below(&self, folder: &Path) -> bool {
        self.0.starts_with(&Self::of(folder).0)
    }

    /// Directly in the folder.
    pub(super) fn is_in(&self, folder: &Path) -> bool {
        self.0.parent() == Some(&Self::of(folder).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_some_disk_takes_for_the_same_are_the_same() {
        let folded = Folded::of(Path::new("/Home/Ada/.GIT. /Hooks./x"));
        assert_eq!(folded.path(), Path::new("/home/ada/.git/hooks/x"));
        assert!(folded.is_below(Path::new("/home/ada/.git")));
        assert!(folded.is_in(Path::new("/home/ada/.git/hooks")));
        assert!(!Folded::of(Path::new("/a/.gitx")).is_below(Path::new("/a/.git")));
        assert_eq!(Folded::of(Path::new("/a/...")).path(), Path::new("/a/..."));
    }
}
