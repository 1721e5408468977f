//! A skill as the scan gets it: names and bytes, nothing opened here.

use super::finding::{SkillFinding, SkillVerdict};

/// Something a skill would put on disk: a file with its bytes, a link with its target.
#[derive(Clone, Copy, Debug)]
pub struct BundleEntry<'a> {
    /// Path inside the bundle, with `/` between its parts.
    pub path: &'a str,
    /// What lies there; links and devices are judged, never followed.
    pub kind: BundleEntryKind<'a>,
}

/// What an entry of a bundle is.
#[derive(Clone, Copy, Debug)]
pub enum BundleEntryKind<'a> {
    /// A regular file.
    File {
        /// Its bytes, whole.
        bytes: &'a [u8],
        /// Whether anybody may execute it.
        executable: bool,
    },
    /// A link.
    Link {
        /// Where it leads, as the link says it.
        target: &'a str,
    },
    /// A device, a pipe or the like.
    Special,
}

impl<'a> BundleEntry<'a> {
    /// A regular file that is not executable.
    #[must_use]
    pub const fn file(path: &'a str, bytes: &'a [u8]) -> Self {
        Self { path, kind: BundleEntryKind::File { bytes, executable: false } }
    }
}

/// What a scan found.
#[derive(Clone, Debug)]
pub struct SkillReport {
    /// What the findings come to.
    pub verdict: SkillVerdict,
    /// Everything that was found: the heaviest first, then by file and line.
    pub findings: Vec<SkillFinding>,
    /// How many files were looked at.
    pub files: usize,
    /// How many bytes they hold.
    pub bytes: usize,
}
