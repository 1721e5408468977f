//! Folders that appear, change and disappear in one step.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hermes_store::atomic::{TEMP_SUFFIX, is_temp_name};

/// Ending of what a folder is called while another takes its place, where that cannot be done in one step.
const BACKUP_SUFFIX: &str = ".hermes-backup";

/// Whether a name is one of those that stand for unfinished work.
pub(crate) fn is_leftover(name: &OsStr) -> bool {
    let backup =
        name.to_str().is_some_and(|name| name.starts_with('.') && name.ends_with(BACKUP_SUFFIX));
    backup || is_temp_name(name)
}

fn backup_of(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}{BACKUP_SUFFIX}"))
}

/// Undoes what was left half-way: a backup without its folder is moved back, one beside it goes.
pub(crate) fn mend(target: &Path) -> io::Result<()> {
    let backup = backup_of(target);
    if fs::symlink_metadata(&backup).is_err() {
        return Ok(());
    }
    if fs::symlink_metadata(target).is_err() {
        fs::rename(&backup, target)
    } else {
        fs::remove_dir_all(&backup)
    }
}

/// Makes a folder with these files where none is.
pub(crate) fn create(target: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) -> io::Result<()> {
    let temp = filled(target, files)?;
    fs::rename(temp.path(), target)?;
    let _ = temp.keep();
    Ok(())
}

/// Puts a folder with these files in the place of another.
pub(crate) fn replace(target: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) -> io::Result<()> {
    let temp = filled(target, files)?;
    if exchange(temp.path(), target).is_ok() {
        // What was there goes with the temporary folder.
        return Ok(());
    }
    let backup = backup_of(target);
    fs::rename(target, &backup)?;
    if let Err(problem) = fs::rename(temp.path(), target) {
        fs::rename(&backup, target)?;
        return Err(problem);
    }
    let _ = temp.keep();
    fs::remove_dir_all(&backup)
}

/// Removes a folder: it is gone at once, its files soon after.
pub(crate) fn remove(target: &Path) -> io::Result<()> {
    let parent = target.parent().unwrap_or(Path::new("."));
    let temp = temp_folder(parent, target)?;
    fs::rename(target, temp.path().join("skill"))
}

/// A folder beside a path whose name nothing takes for a skill's.
pub(crate) fn temp_folder(parent: &Path, target: &Path) -> io::Result<tempfile::TempDir> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    tempfile::Builder::new().prefix(&format!(".{name}.")).suffix(TEMP_SUFFIX).tempdir_in(parent)
}

#[expect(clippy::disallowed_methods, reason = "the folder appears whole, by a rename")]
fn filled(target: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) -> io::Result<tempfile::TempDir> {
    let parent = target.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(parent)?;
    let temp = temp_folder(parent, target)?;
    for (path, bytes) in files {
        let file = temp.path().join(path);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&file, bytes)?;
        if bytes.starts_with(b"#!") {
            make_executable(&file)?;
        }
    }
    Ok(temp)
}

#[cfg(unix)]
fn make_executable(file: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = fs::metadata(file)?.permissions().mode();
    // Whoever may read it may run it.
    fs::set_permissions(file, fs::Permissions::from_mode(mode | ((mode & 0o444) >> 2)))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(target_os = "linux")]
fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(text: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        [(PathBuf::from("d/f"), text.as_bytes().to_vec())].into()
    }

    #[test]
    fn folders_are_replaced_whole_and_nothing_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a");
        create(&target, &files("one")).unwrap();
        replace(&target, &files("two")).unwrap();
        assert_eq!(fs::read_to_string(target.join("d/f")).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        remove(&target).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_backup_without_its_folder_is_moved_back() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a");
        create(&backup_of(&target), &files("old")).unwrap();
        mend(&target).unwrap();
        assert_eq!(fs::read_to_string(target.join("d/f")).unwrap(), "old");
        create(&backup_of(&target), &files("older")).unwrap();
        mend(&target).unwrap();
        assert_eq!(fs::read_to_string(target.join("d/f")).unwrap(), "old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(
            is_leftover(OsStr::new(".a.hermes-backup"))
                && !is_leftover(OsStr::new("a.hermes-backup"))
        );
    }
}
