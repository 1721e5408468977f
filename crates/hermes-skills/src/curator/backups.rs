//! Copies of all skills, and the way back to one.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use hermes_store::UnknownName;
use hermes_store::home::ensure_private_dir;
use jiff::Timestamp;

use super::lock;
use crate::layout::SkillsHome;
use crate::library::SkillStore;

/// Copies of everything that are kept.
pub(super) const KEPT_BACKUPS: usize = 5;
/// The folder everything in a copy lies in.
const INSIDE: &str = "skills";
/// What is no part of a copy: the hub has its own records of what it did.
const NOT_COPIED: &str = ".hub";

/// A copy of all skills in one file; older ones than the last few go.
///
/// # Errors
/// When it cannot be written.
pub fn back_up(home: &SkillsHome) -> io::Result<PathBuf> {
    let folder = home.backups();
    ensure_private_dir(&folder).map_err(io::Error::other)?;
    let now = Timestamp::now().strftime("%Y%m%d%H%M%S%3f");
    let mut file = folder.join(format!("skills-{now}.tar.gz"));
    let mut number = 2;
    while file.exists() {
        file = folder.join(format!("skills-{now}-{number}.tar.gz"));
        number += 1;
    }
    let temp = tempfile::NamedTempFile::new_in(&folder)?;
    let packed = flate2::write::GzEncoder::new(temp.as_file(), flate2::Compression::fast());
    let mut archive = tar::Builder::new(packed);
    archive.follow_symlinks(false);
    for entry in fs::read_dir(home.root())? {
        let entry = entry?;
        let name = entry.file_name();
        let path = entry.path();
        if !is_copied(home, &path) {
            continue;
        }
        let inside = Path::new(INSIDE).join(&name);
        if entry.file_type()?.is_dir() {
            archive.append_dir_all(inside, &path)?;
        } else if entry.file_type()?.is_file() {
            archive.append_file(inside, &mut File::open(&path)?)?;
        }
    }
    archive.into_inner()?.finish()?;
    temp.persist(&file).map_err(|problem| problem.error)?;
    let mut all = backups(home);
    for old in all.drain(..all.len().saturating_sub(KEPT_BACKUPS)) {
        let _ = fs::remove_file(old);
    }
    Ok(file)
}

/// The copies there are, oldest first.
#[must_use]
pub fn backups(home: &SkillsHome) -> Vec<PathBuf> {
    let entries = fs::read_dir(home.backups()).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(".tar.gz"))
        .collect();
    files.sort();
    files
}

/// A copy that somebody names by its path or its file's name.
fn named(home: &SkillsHome, file: &Path) -> io::Result<PathBuf> {
    let known = backups(home);
    let by_name = known.iter().find(|copy| copy.file_name() == Some(file.as_os_str()));
    if let Some(found) = by_name {
        return Ok(found.clone());
    }
    if file.is_file() {
        return Ok(file.to_path_buf());
    }
    let names: Vec<String> = known.iter().map(|copy| copy.display().to_string()).collect();
    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Err(UnknownName::io(format!("there is no copy `{}`; copies are: {names}", file.display())))
}

/// Puts all skills back as they are in a copy, the newest if none is named. What is there now is copied first. Gives
/// the copy that was used and the one that was made.
///
/// # Errors
/// When there is no such copy, it cannot be read, or the disk refuses; what was not put back yet stays as it was.
pub fn roll_back(store: &SkillStore<'_>, to: Option<&Path>) -> io::Result<(PathBuf, PathBuf)> {
    let home = store.home();
    let _lock = lock(home)?;
    let from = match to {
        Some(file) => named(home, file)?,
        None => backups(home).pop().ok_or_else(|| {
            io::Error::other("there is no copy to go back to; `hermes curator backup` makes one")
        })?,
    };
    // Unpacked before anything is touched: a copy that cannot be read changes nothing.
    let unpacked = crate::folders::temp_folder(&home.root(), Path::new("rollback"))?;
    tar::Archive::new(flate2::read::GzDecoder::new(File::open(&from)?)).unpack(unpacked.path())?;
    let (old, now) = (unpacked.path().join(INSIDE), home.root());
    if !old.is_dir() {
        return Err(io::Error::other(format!("{} is no copy of skills", from.display())));
    }
    let before = back_up(home)?;
    let put_aside = unpacked.path().join("before");
    fs::create_dir(&put_aside)?;
    for entry in fs::read_dir(&now)? {
        let entry = entry?;
        if is_copied(home, &entry.path()) && entry.path() != home.write_lock() {
            fs::rename(entry.path(), put_aside.join(entry.file_name()))?;
        }
    }
    for entry in fs::read_dir(&old)? {
        let entry = entry?;
        let target = now.join(entry.file_name());
        if fs::symlink_metadata(&target).is_err() {
            fs::rename(entry.path(), target)?;
        }
    }
    store.library().touch();
    Ok((from, before))
}

/// Whether something directly below the skills folder is part of a copy.
fn is_copied(home: &SkillsHome, path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    path != home.backups() && name != NOT_COPIED && !crate::folders::is_leftover(name)
}
