//! A look at a directory without reading any file: how large it is, what git must keep out of,
//! and a fingerprint that changes whenever a file does.
//!
//! Asking git whether anything changed takes longer the larger the project, and most checkpoints
//! are asked for when nothing has. A walk over the directory is several times faster. What it sees
//! of each file (path, kind, size, times of change, inode) goes into one number; as long as that
//! number is the one noted at the last checkpoint, there is nothing to save.
//!
//! A number can be trusted only if every change made after it was taken shows in the times. A file
//! changed within one tick of the clock would not, so a directory that was changed a moment ago is
//! not [`ProjectSurvey::settled`], and its number is not noted.
//!
//! Directories that checkpoints leave out are not entered. Nor are repositories within the
//! directory: git does not save the files of one repository in another, and each of them is a
//! project of its own.

use std::fs::{self, DirEntry, Metadata};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::error::CheckpointError;
use super::excludes;

/// The most entries a directory may have to be saved.
pub const MAX_ENTRIES: usize = 50_000;
/// How long ago the last change must be, where the file system keeps fine time ...
const FINE_TICK: Duration = Duration::from_millis(100);
/// ... and where it counts in whole seconds.
const COARSE_TICK: Duration = Duration::from_secs(3);
const NANOS_PER_SECOND: i128 = 1_000_000_000;
const IGNORE_FILE: &str = ".gitignore";

/// What decides how a directory is looked at.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    /// The most entries there may be.
    pub(super) max_entries: usize,
    /// Files larger than this are to be left out.
    pub(super) max_file_bytes: u64,
    /// A directory not to enter: the store itself.
    pub(super) avoid: PathBuf,
}

/// What a directory looks like. Paths are relative to it.
#[derive(Debug)]
pub(super) struct ProjectSurvey {
    pub(super) fingerprint: u64,
    /// Files over the size limit, repositories and the store: git must keep out of these.
    pub(super) left_out: Vec<PathBuf>,
    ignore_files: Vec<PathBuf>,
    /// The latest change of any file, in nanoseconds since 1970.
    newest: i128,
    begun: SystemTime,
}

impl ProjectSurvey {
    /// Looks at a directory; `None` if it has too many entries.
    pub(super) fn of(root: &Path, terms: &Terms) -> Result<Option<Self>, CheckpointError> {
        let mut walk = Walk {
            root,
            terms,
            survey: Self {
                fingerprint: seed(terms),
                // Even if it is not there yet: this may be the moment before it is made.
                left_out: terms.avoid.strip_prefix(root).map(Path::to_owned).into_iter().collect(),
                ignore_files: Vec::new(),
                newest: i128::MIN,
                begun: SystemTime::now(),
            },
            entries: 0,
            ahead: Vec::new(),
        };
        walk.enter(PathBuf::new()).map_err(CheckpointError::io("read directory", root))?;
        while let Some(dir) = walk.ahead.pop() {
            if walk.entries > terms.max_entries {
                return Ok(None);
            }
            // A directory that vanished or may not be read has nothing to show.
            if let Err(error) = walk.enter(dir) {
                tracing::debug!(%error, "left out a directory");
            }
        }
        Ok((walk.entries <= terms.max_entries).then_some(walk.survey))
    }

    /// Whether any later change is sure to change the fingerprint.
    pub(super) fn settled(&self, root: &Path) -> bool {
        let begun = self.begun.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let whole_seconds = self.newest % NANOS_PER_SECOND == 0;
        let tick = if whole_seconds { COARSE_TICK } else { FINE_TICK };
        let latest = i128::try_from(begun.saturating_sub(tick.as_nanos())).unwrap_or(i128::MIN);
        // A project can take back in what the walk does not enter; then it has not seen all.
        let reincludes = |file: &PathBuf| {
            fs::read_to_string(root.join(file)).map_or(true, |t| excludes::reincludes_directory(&t))
        };
        self.newest < latest && !self.ignore_files.iter().any(reincludes)
    }
}

/// A number that changes with the rules for what is left out.
fn seed(terms: &Terms) -> u64 {
    let mut hasher = DefaultHasher::new();
    (terms.max_file_bytes, excludes::ignore_file()).hash(&mut hasher);
    hasher.finish()
}

struct Walk<'a> {
    root: &'a Path,
    terms: &'a Terms,
    survey: ProjectSurvey,
    entries: usize,
    /// Directories still to enter.
    ahead: Vec<PathBuf>,
}

impl Walk<'_> {
    fn enter(&mut self, dir: PathBuf) -> io::Result<()> {
        let absolute = self.root.join(&dir);
        let is_root = dir.as_os_str().is_empty();
        if absolute == self.terms.avoid {
            return Ok(());
        }
        let entries: Vec<DirEntry> = fs::read_dir(&absolute)?.collect::<io::Result<_>>()?;
        if !is_root && entries.iter().any(|e| e.file_name() == ".git") && is_repository(&absolute) {
            // Its state is part of the picture: a directory can become a repository.
            self.note(&dir, |hasher| "repository".hash(hasher));
            self.survey.left_out.push(dir);
            return Ok(());
        }
        self.entries += entries.len();
        if self.entries > self.terms.max_entries {
            return Ok(());
        }
        for entry in entries {
            let name = entry.file_name();
            let is_dir = entry.file_type()?.is_dir();
            if name == ".git" || is_dir && is_left_out(&name) {
                continue;
            }
            let path = dir.join(&name);
            if is_dir {
                self.note(&path, |hasher| "directory".hash(hasher));
                self.ahead.push(path);
            } else if let Ok(metadata) = entry.metadata() {
                self.file(path, &metadata);
            }
        }
        Ok(())
    }

    fn file(&mut self, path: PathBuf, metadata: &Metadata) {
        let nanos = |s: i64, ns: i64| i128::from(s) * NANOS_PER_SECOND + i128::from(ns);
        let modified = nanos(metadata.mtime(), metadata.mtime_nsec());
        let changed = nanos(metadata.ctime(), metadata.ctime_nsec());
        self.survey.newest = self.survey.newest.max(modified).max(changed);
        let (size, mode, inode) = (metadata.size(), metadata.mode(), metadata.ino());
        self.note(&path, |hasher| (size, mode, inode, modified, changed).hash(hasher));
        if path.file_name().is_some_and(|name| name == IGNORE_FILE) {
            self.survey.ignore_files.push(path.clone());
        }
        if metadata.is_file() && size > self.terms.max_file_bytes {
            self.survey.left_out.push(path);
        }
    }

    /// Adds one entry to the fingerprint. A sum, as directories are read in no certain order.
    fn note(&mut self, path: &Path, what: impl FnOnce(&mut DefaultHasher)) {
        let mut hasher = DefaultHasher::new();
        path.as_os_str().as_bytes().hash(&mut hasher);
        what(&mut hasher);
        self.survey.fingerprint = self.survey.fingerprint.wrapping_add(hasher.finish());
    }
}

fn is_left_out(name: &std::ffi::OsStr) -> bool {
    excludes::DIRECTORIES.iter().any(|excluded| name == *excluded)
}

/// Whether a directory is one git would not look into: a clone, a work tree or a submodule.
fn is_repository(dir: &Path) -> bool {
    let git = dir.join(".git");
    git.is_file() || git.join("HEAD").exists()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;

    fn terms(dir: &Path) -> Terms {
        Terms { max_entries: 20, max_file_bytes: 100, avoid: dir.join("store") }
    }

    fn look(dir: &Path) -> ProjectSurvey {
        ProjectSurvey::of(dir, &terms(dir)).unwrap().unwrap()
    }

    fn put(path: &Path, len: u64) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        File::create(path).unwrap().set_len(len).unwrap();
    }

    #[test]
    fn the_fingerprint_follows_every_change_of_a_file_and_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        put(&dir.join("a/x"), 3);
        put(&dir.join("node_modules/m/x"), 3);
        let first = look(dir).fingerprint;
        put(&dir.join("node_modules/m/y"), 3);
        assert_eq!(look(dir).fingerprint, first);
        let mut seen = vec![first];
        let mut changed = |what: &str| {
            let now = look(dir).fingerprint;
            assert!(!seen.contains(&now), "{what}");
            seen.push(now);
        };
        put(&dir.join("a/x"), 4);
        changed("size");
        fs::rename(dir.join("a/x"), dir.join("a/y")).unwrap();
        changed("name");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(dir.join("a/y"), mode).unwrap();
        changed("mode");
        put(&dir.join("b/z"), 0);
        changed("new file");
        fs::remove_file(dir.join("b/z")).unwrap();
        changed("removed file");
    }

    #[test]
    fn lists_what_git_must_keep_out_of() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        put(&dir.join("large"), 101);
        put(&dir.join("limit"), 100);
        put(&dir.join("sub/.git/HEAD"), 1);
        put(&dir.join("sub/large"), 200);
        put(&dir.join("tree/.git"), 1);
        put(&dir.join("no/.git/x"), 1);
        put(&dir.join("store/x"), 1);
        let mut left_out = look(dir).left_out;
        left_out.sort();
        assert_eq!(left_out, ["large", "store", "sub", "tree"].map(PathBuf::from));
    }

    #[test]
    fn a_directory_changed_just_now_is_not_settled() {
        let dir = tempfile::tempdir().unwrap();
        put(&dir.path().join("x"), 1);
        let mut survey = look(dir.path());
        assert!(!survey.settled(dir.path()));
        survey.begun += Duration::from_secs(60);
        assert!(survey.settled(dir.path()));
    }

    #[test]
    fn a_project_that_takes_directories_back_in_is_never_settled() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(IGNORE_FILE);
        io::Write::write_all(&mut File::create(&path).unwrap(), b"!node_modules\n").unwrap();
        let mut survey = look(dir.path());
        survey.begun += Duration::from_secs(60);
        assert!(!survey.settled(dir.path()));
    }

    #[test]
    fn gives_up_on_too_many_entries() {
        let dir = tempfile::tempdir().unwrap();
        for n in 0..10 {
            put(&dir.path().join(format!("{n}/x")), 1);
        }
        assert!(ProjectSurvey::of(dir.path(), &terms(dir.path())).unwrap().is_some());
        put(&dir.path().join("0/y"), 1);
        assert!(ProjectSurvey::of(dir.path(), &terms(dir.path())).unwrap().is_none());
    }
}
