//! Folders that are put together beside their place.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use hermes_store::lock::{FileLock, Wait};

/// Held for as long as somebody works on the folder it lies in.
pub(crate) const MARK: &str = ".hermes-staging";

/// A folder that disappears unless it is kept.
///
/// What a killed process left is cleared away by the next one that works beside the same place. A folder without a mark was
/// not made here, or is no longer only being put together, and stays.
pub(crate) struct Staging {
    folder: Option<PathBuf>,
    lock: Option<FileLock>,
}

impl Staging {
    /// A new private folder beside a place.
    pub(crate) fn beside(place: &Path) -> anyhow::Result<Self> {
        let begin = begin_of_names(place);
        let folder = place.parent().context("the place has no folder above it")?;
        make_folder(folder)?;
        clear(folder, &begin);
        let staging = free_place(folder, &begin)?;
        let lock = FileLock::acquire(&staging.join(MARK), Wait::Never)?;
        Ok(Self { folder: Some(staging), lock: Some(lock) })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.as_deref().unwrap_or(Path::new(""))
    }

    /// Moves it to where it belongs, which must be free.
    pub(crate) fn place(mut self, at: &Path) -> anyhow::Result<()> {
        ensure!(!at.exists(), "{} is there already", at.display());
        // Never without a mark and without a place: killed here, the next one clears it away or it is where it belongs.
        fs::rename(self.path(), at).with_context(|| format!("move to {}", at.display()))?;
        self.folder = None;
        remove(&at.join(MARK))
    }

    /// It is somebody else's now, who also lets go of the lock.
    pub(crate) fn keep(mut self) -> Option<FileLock> {
        self.folder = None;
        self.lock.take()
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if let Some(folder) = self.folder.take() {
            let _ = fs::remove_dir_all(folder);
        }
    }
}

/// How the names of folders begin that are put together beside a place.
pub(crate) fn begin_of_names(place: &Path) -> String {
    let name = place.file_name().and_then(|name| name.to_str()).unwrap_or("home");
    format!(".{name}.new-")
}

/// A name that nobody has, and a folder of that name.
fn free_place(folder: &Path, begin: &str) -> anyhow::Result<PathBuf> {
    let mut number = 0_u32;
    loop {
        let place = folder.join(format!("{begin}{}-{number}", std::process::id()));
        match fs::DirBuilder::new().mode(0o700).create(&place) {
            Ok(()) => return Ok(place),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error).with_context(|| format!("make {}", place.display())),
        }
    }
}

/// Takes away what processes that are gone were putting together.
fn clear(folder: &Path, begin: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_like_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(begin));
        let mark = entry.path().join(MARK);
        // An empty mark is one that somebody is about to hold.
        let was_held = || fs::metadata(&mark).is_ok_and(|about| about.len() > 0);
        if is_like_ours && was_held() && FileLock::acquire(&mark, Wait::Never).is_ok() {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// A folder for its owner alone.
pub(crate) fn make_folder(folder: &Path) -> anyhow::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder.create(folder).with_context(|| format!("make {}", folder.display()))
}

/// Takes a file away, if it is there.
pub(crate) fn remove(file: &Path) -> anyhow::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("remove {}", file.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_cleared_and_what_somebody_works_on_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("home");
        let alive = Staging::beside(&place).unwrap();
        let left = folder.path().join(".home.new-1-0");
        fs::create_dir(&left).unwrap();
        drop(FileLock::acquire(&left.join(MARK), Wait::Never).unwrap());
        // Not ours to take away: it has no mark.
        let other = folder.path().join(".home.new-2-0");
        fs::create_dir(&other).unwrap();
        let new = Staging::beside(&place).unwrap();
        assert!(alive.path().is_dir() && new.path().is_dir() && alive.path() != new.path());
        assert!(!left.exists() && other.exists());
    }

    #[test]
    fn a_placed_folder_has_no_mark() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("home");
        Staging::beside(&place).unwrap().place(&place).unwrap();
        assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
        assert!(Staging::beside(&place).unwrap().place(&place).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
