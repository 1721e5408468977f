//! Which directory a checkpoint is of, and what the store remembers about it.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::error::CheckpointError;

/// What marks the top directory of a project.
const MARKERS: [&str; 9] = [
    ".git",
    "pyproject.toml",
    "package.json",
    "Cargo.toml",
    "go.mod",
    "Makefile",
    "pom.xml",
    ".hg",
    "Gemfile",
];
/// Bytes of the path's digest that make up a project's id: 16 hex digits.
const ID_BYTES: usize = 8;

/// The directory to save before `file` is changed: the nearest one above it that looks like the
/// top of a project, else the one the file is in.
#[must_use]
pub fn project_root(file: &Path) -> PathBuf {
    let parent = file.parent().unwrap_or(file);
    let is_root = |dir: &&Path| MARKERS.iter().any(|marker| dir.join(marker).exists());
    parent.ancestors().find(is_root).unwrap_or(parent).to_owned()
}

/// A directory under checkpoints.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Project {
    /// Its name in the store.
    pub(super) id: String,
    /// Its canonical path.
    pub(super) workdir: PathBuf,
}

impl Project {
    /// The project of a directory, which may be gone: so it can be restored.
    pub(super) fn of(dir: &Path) -> Result<Self, CheckpointError> {
        let workdir = canonical(dir).map_err(CheckpointError::io("find", dir))?;
        let mut id = String::with_capacity(2 * ID_BYTES);
        for byte in Sha256::digest(workdir.as_os_str().as_bytes()).iter().take(ID_BYTES) {
            // Writing to a string cannot fail.
            let _ = write!(id, "{byte:02x}");
        }
        Ok(Self { id, workdir })
    }
}

/// The path without links and detours. Of a path that is not there, as much as there is of it.
pub(super) fn canonical(path: &Path) -> io::Result<PathBuf> {
    let absolute = std::path::absolute(path)?;
    let mut missing = Vec::new();
    let mut known = absolute.as_path();
    let mut canonical = loop {
        match (known.canonicalize(), known.parent(), known.file_name()) {
            (Ok(canonical), ..) => break canonical,
            (Err(_), Some(parent), Some(name)) => {
                missing.push(name);
                known = parent;
            }
            (Err(error), ..) => return Err(error),
        }
    };
    canonical.extend(missing.iter().rev());
    Ok(canonical)
}

/// What the store remembers about a project: `projects/<id>.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ProjectRecord {
    workdir: String,
    /// The path byte by byte, where it is not Unicode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    workdir_bytes: Option<Vec<u8>>,
    created_at: f64,
    last_touch: f64,
    /// What the directory looked like when it was known to equal a checkpoint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) seen: Option<SeenState>,
}

/// A look of the directory, and the checkpoint it equals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SeenState {
    pub(super) fingerprint: u64,
    pub(super) commit: String,
}

impl ProjectRecord {
    pub(super) fn new(project: &Project, now: SystemTime) -> Self {
        let path = project.workdir.as_os_str();
        let workdir_bytes = path.to_str().is_none().then(|| path.as_bytes().to_vec());
        let workdir = path.to_string_lossy().into_owned();
        let now = unix_seconds(now);
        Self { workdir, workdir_bytes, created_at: now, last_touch: now, seen: None }
    }

    pub(super) fn workdir(&self) -> PathBuf {
        match &self.workdir_bytes {
            Some(bytes) => OsString::from_vec(bytes.clone()).into(),
            None => PathBuf::from(&self.workdir),
        }
    }

    pub(super) fn last_touch(&self) -> SystemTime {
        Duration::try_from_secs_f64(self.last_touch)
            .ok()
            .and_then(|since| UNIX_EPOCH.checked_add(since))
            .unwrap_or(UNIX_EPOCH)
    }

    pub(super) fn touch(&mut self, now: SystemTime) {
        self.last_touch = unix_seconds(now);
    }
}

fn unix_seconds(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn the_root_is_the_nearest_marked_directory_else_the_parent() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("a");
        std::fs::create_dir_all(root.join("b/c")).unwrap();
        assert_eq!(project_root(&root.join("b/c/new.rs")), root.join("b/c"));
        std::fs::create_dir(root.join(".git")).unwrap();
        assert_eq!(project_root(&root.join("b/c/new.rs")), root);
        std::fs::File::create(root.join("b/Cargo.toml")).unwrap();
        assert_eq!(project_root(&root.join("b/c/new.rs")), root.join("b"));
        assert_eq!(project_root(&root.join("b/none/yet/new.rs")), root.join("b"));
    }

    #[test]
    fn one_directory_has_one_id_however_it_is_spelt_even_when_gone() {
        let dir = tempfile::tempdir().unwrap();
        let real = dir.path().join("real");
        std::fs::create_dir(&real).unwrap();
        std::os::unix::fs::symlink(&real, dir.path().join("link")).unwrap();
        let there = Project::of(&real).unwrap();
        assert_eq!(Project::of(&dir.path().join("link/../real/.")).unwrap(), there);
        assert_eq!(there.id.len(), 16);
        std::fs::remove_dir(&real).unwrap();
        assert_eq!(Project::of(&real).unwrap(), there);
    }

    #[test]
    fn a_record_keeps_any_path() {
        for name in ["/plain/ü", "/x\u{fffd}"] {
            let bytes = [name.as_bytes(), b"\xff"].concat();
            for bytes in [name.as_bytes(), &bytes] {
                let workdir = PathBuf::from(OsStr::from_bytes(bytes));
                let project = Project { id: String::new(), workdir: workdir.clone() };
                let text =
                    serde_json::to_string(&ProjectRecord::new(&project, UNIX_EPOCH)).unwrap();
                let back: ProjectRecord = serde_json::from_str(&text).unwrap();
                assert_eq!(back.workdir(), workdir);
            }
        }
    }
}
