//! Folders of our own on this machine, which outlive nobody for long.
//!
//! We hold a lock on each for as long as we live, so that another one can tell a folder in use from
//! one whose owner was killed, and remove the latter ([`sweep`]).

use std::fs::{File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use tempfile::TempDir;

/// How often a new folder may be taken for a deserted one before it is locked.
const ATTEMPTS: u32 = 10;

/// A folder nobody else can enter, removed when this is dropped.
#[derive(Debug)]
pub(crate) struct OwnFolder {
    folder: TempDir,
    /// Says that the folder is in use.
    _lock: File,
}

impl OwnFolder {
    /// Makes one.
    pub(crate) fn new(place: &Path, prefix: &str) -> io::Result<Self> {
        for _ in 0..ATTEMPTS {
            let folder = tempfile::Builder::new()
                .prefix(prefix)
                .permissions(Permissions::from_mode(0o700))
                .tempdir_in(place)?;
            // Somebody may sweep it away before it is locked, but not after.
            let locked =
                File::open(folder.path()).and_then(|file| Ok(file.try_lock().map(|()| file)?));
            match locked {
                Ok(lock) if folder.path().is_dir() => return Ok(Self { folder, _lock: lock }),
                Err(error)
                    if !matches!(
                        error.kind(),
                        io::ErrorKind::NotFound | io::ErrorKind::WouldBlock
                    ) =>
                {
                    return Err(error);
                }
                _ => {}
            }
        }
        Err(io::Error::other("new folders are removed by somebody else"))
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of those who were killed before they could. What cannot be removed is left.
pub(crate) fn sweep(place: &Path, prefix: &str) {
    let own = nix::unistd::getuid().as_raw();
    for entry in std::fs::read_dir(place).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(prefix)
            && entry.metadata().is_ok_and(|about| about.is_dir() && about.uid() == own);
        // A lock ends with its holder, however that ends and in whichever container it ran.
        if is_ours
            && let Ok(folder) = File::open(entry.path())
            && folder.try_lock().is_ok()
        {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFIX: &str = "hermes-local-";

    #[test]
    fn a_folder_in_use_is_closed_to_others_and_a_deserted_one_is_swept_away() {
        let place = tempfile::tempdir().unwrap();
        let in_use = OwnFolder::new(place.path(), PREFIX).unwrap();
        let OwnFolder { folder, _lock: lock } = OwnFolder::new(place.path(), PREFIX).unwrap();
        let deserted = folder.keep();
        File::create_new(deserted.join("snapshot.sh")).unwrap();
        let foreign = place.path().join("hermes-other");
        std::fs::create_dir(&foreign).unwrap();
        sweep(place.path(), PREFIX);
        assert!(deserted.exists(), "its owner still lives");
        drop(lock);
        sweep(place.path(), PREFIX);
        assert!(!deserted.exists());
        assert!(in_use.path().exists() && foreign.exists());
        assert_eq!(std::fs::metadata(in_use.path()).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_link_is_not_swept_away_nor_what_it_leads_to() {
        let place = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let link = place.path().join("hermes-local-link");
        std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
        sweep(place.path(), PREFIX);
        assert!(link.is_symlink() && elsewhere.path().is_dir());
    }
}
