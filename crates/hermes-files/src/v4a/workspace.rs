//! The files a patch is planned against, as seen by whoever can look at them.

/// What planning needs to know about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathNeed {
    /// Only whether it is there: for deletes and moves, whatever the file holds.
    Existence,
    /// Its bytes.
    Content,
}

/// A path, as far as planning cares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathState {
    /// Nothing there.
    Missing,
    /// A regular file, not read. Enough when only [`PathNeed::Existence`] was asked.
    Present,
    /// A regular file that can be edited as text, byte for byte as on disk.
    Text(Vec<u8>),
    /// Something that is no regular file: a directory, a device. With the word for it.
    NotRegular(String),
    /// There, but its content cannot be had or is not text. With the reason.
    Unreadable(String),
}

/// Access to files for planning. Implementations only look; they change nothing.
pub trait PatchWorkspace {
    /// What is at a path now. Planning asks once per path and need.
    fn state(&self, path: &str, need: PathNeed) -> PathState;

    /// A key under which all spellings of one file agree. Override it where links or a working
    /// directory make different paths meet.
    fn identity(&self, path: &str) -> String {
        lexical_identity(path)
    }

    /// Says why a file must not get this content, for instance because a valid JSON file would
    /// become invalid. `before` is its content on disk, if it exists.
    fn gate(&self, path: &str, before: Option<&[u8]>, after: &[u8]) -> Option<String> {
        let _ = (path, before, after);
        None
    }
}

/// The path without `.` components and repeated separators.
pub fn lexical_identity(path: &str) -> String {
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    let root = if path.starts_with('/') { "/" } else { "" };
    format!("{root}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_path_agree() {
        assert_eq!(lexical_identity("./a//b/./c"), "a/b/c");
        assert_eq!(lexical_identity("/a/b/"), "/a/b");
        assert_ne!(lexical_identity("/a"), lexical_identity("a"));
    }
}
