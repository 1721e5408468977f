//! Replacing a file in one step.
//!
//! [`write()`] puts the new content into a temporary file in the same folder, flushes it to the
//! disk, renames it over the old name and flushes the folder. Whoever opens the file sees the old
//! content or the new one; after a power cut one of the two is there.
//!
//! What a person arranged around the file survives: a symbolic link stays a link (its target is
//! replaced), permissions are kept, and so is the owner as far as the system lets us. Extended
//! attributes and hard links to the old content are not carried over; nothing in a Hermes home
//! depends on them. A file without any write permission is left alone, because taking that bit
//! away is how people say "hands off", and a rename would not ask.
//!
//! A process killed half-way leaves a temporary file whose name ends in [`TEMP_SUFFIX`]; the next one
//! that edits the same file under its lock removes it, and [`remove_stray_temps`] clears away the rest.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Ending of every temporary file made here.
pub const TEMP_SUFFIX: &str = ".hermes-tmp";

/// Permissions for files only their owner may read.
pub const PRIVATE_MODE: u32 = 0o600;

/// Longest chain of symbolic links followed, as on Linux.
const MAX_LINKS: usize = 40;

/// How [`write()`] treats permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteOptions {
    /// Permission bits, read according to `existing`.
    pub mode: u32,
    /// What happens to the permissions of a file that is already there.
    pub existing: ExistingMode,
}

/// What happens to the permissions of a file that is already there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingMode {
    /// They stay; the given mode is for new files only.
    Keep,
    /// They become the given mode.
    Replace,
}

impl WriteOptions {
    /// Keeps an existing file's permissions; a new file is private to its owner.
    pub const KEEP: WriteOptions =
        WriteOptions { mode: PRIVATE_MODE, existing: ExistingMode::Keep };

    /// The file ends up private to its owner, whatever it was before.
    pub const SECRET: WriteOptions =
        WriteOptions { mode: PRIVATE_MODE, existing: ExistingMode::Replace };

    /// Keeps an existing file's permissions; a new file gets `mode`.
    pub const fn new_file_mode(mode: u32) -> WriteOptions {
        WriteOptions { mode, existing: ExistingMode::Keep }
    }
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self::KEEP
    }
}

/// A step on a file that failed.
#[derive(Debug, thiserror::Error)]
#[error("cannot {act} {}: {source}", .file.display())]
pub struct AtomicError {
    /// The file (or folder) the step was about.
    pub file: PathBuf,
    /// What was tried, as a verb phrase: "replace", "create a temporary file beside".
    pub act: &'static str,
    /// The system's answer.
    pub source: io::Error,
}

impl AtomicError {
    /// For use with `map_err`: remembers what was being done to which file.
    pub fn when(act: &'static str, file: &Path) -> impl FnOnce(io::Error) -> AtomicError {
        let file = file.to_path_buf();
        move |source| AtomicError { file, act, source }
    }
}

/// Replaces the content of `path` with `bytes`, or creates it; see the module text.
///
/// The folder must exist.
pub fn write(path: &Path, bytes: &[u8], options: WriteOptions) -> Result<(), AtomicError> {
    let target = follow_links(path)?;
    let existing = existing_file(&target)?;
    let folder = folder_of(&target);
    let name = target.file_name().ok_or_else(|| AtomicError {
        file: target.clone(),
        act: "write to",
        source: io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"),
    })?;

    let mut temp = tempfile::Builder::new()
        .prefix(&temp_prefix(name))
        .suffix(TEMP_SUFFIX)
        .rand_bytes(10)
        .tempfile_in(folder)
        .map_err(AtomicError::when("create a temporary file beside", &target))?;
    temp.write_all(bytes).map_err(AtomicError::when("write the new content of", &target))?;
    dress(temp.as_file(), existing.as_ref(), options)
        .map_err(AtomicError::when("set the permissions of", &target))?;
    temp.as_file()
        .sync_all()
        .map_err(AtomicError::when("flush the new content to disk for", &target))?;
    temp.persist(&target)
        .map_err(|error| error.error)
        .map_err(AtomicError::when("replace", &target))?;
    sync_folder(folder).map_err(AtomicError::when("flush to disk the folder", folder))
}

/// Removes temporary files that a killed process left in `folder`, and says which.
///
/// Only files untouched for `min_age` go, since a younger one may belong to a running process.
/// A missing folder has none.
pub fn remove_stray_temps(folder: &Path, min_age: Duration) -> Result<Vec<PathBuf>, AtomicError> {
    let listing = match fs::read_dir(folder) {
        Ok(listing) => listing,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(AtomicError::when("list", folder)(error)),
    };
    let now = SystemTime::now();
    let mut removed = Vec::new();
    for entry in listing {
        let entry = entry.map_err(AtomicError::when("list", folder))?;
        let path = entry.path();
        if !is_temp_name(&entry.file_name())
            || !entry.metadata().is_ok_and(|m| old(&m, now, min_age))
        {
            continue;
        }
        match fs::remove_file(&path) {
            Ok(()) => removed.push(path),
            // Somebody else cleaned up at the same time: the goal is reached.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(AtomicError::when("remove", &path)(error)),
        }
    }
    removed.sort();
    Ok(removed)
}

/// Whether a file name is one that [`write()`] gives its temporary files.
pub fn is_temp_name(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(b".") && name.ends_with(TEMP_SUFFIX.as_bytes())
}

/// Reads a whole file; `None` when there is none.
pub(crate) fn read_if_present(
    path: &Path,
    limit: u64,
) -> Result<Option<(Vec<u8>, Metadata)>, AtomicError> {
    use io::Read as _;
    let file = match open_without_waiting(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(AtomicError::when("open", path)(error)),
    };
    let metadata = file.metadata().map_err(AtomicError::when("look at", path))?;
    if !metadata.is_file() && !metadata.is_dir() {
        let message = "it is a pipe, a socket or a device, not a file";
        return Err(AtomicError::when("read", path)(io::Error::other(message)));
    }
    let mut bytes = Vec::new();
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(AtomicError::when("read", path))?;
    if bytes.len() as u64 > limit {
        let message = format!("it is larger than {limit} bytes");
        return Err(AtomicError::when("read", path)(io::Error::other(message)));
    }
    Ok(Some((bytes, metadata)))
}

/// Opens a file; a pipe that nobody writes to is not waited for.
#[cfg(unix)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    fs::OpenOptions::new().read(true).custom_flags(nix::libc::O_NONBLOCK).open(path)
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Removes what killed processes left while they were replacing this file. Only for whoever holds the
/// lock that every writer of the file takes: nobody else is writing it then.
pub(crate) fn remove_temps_of(path: &Path) {
    let Ok(target) = follow_links(path) else { return };
    let (Some(name), Ok(listing)) = (target.file_name(), fs::read_dir(folder_of(&target))) else {
        return;
    };
    let prefix = temp_prefix(name);
    for entry in listing.filter_map(Result::ok) {
        let found = entry.file_name();
        let is_ours = found.as_encoded_bytes().starts_with(prefix.as_encoded_bytes());
        if is_ours && is_temp_name(&found) {
            // What cannot be removed is in nobody's way.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The folder a file sits in, also for a bare file name.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

fn temp_prefix(name: &OsStr) -> std::ffi::OsString {
    let mut prefix = std::ffi::OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    prefix
}

fn old(metadata: &Metadata, now: SystemTime, min_age: Duration) -> bool {
    metadata.is_file()
        && metadata
            .modified()
            .is_ok_and(|changed| now.duration_since(changed).is_ok_and(|age| age >= min_age))
}

/// The file a path finally means. Unlike `canonicalize` this also works for a link whose target
/// does not exist yet, which is then created.
fn follow_links(path: &Path) -> Result<PathBuf, AtomicError> {
    let mut current = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&current) {
            Ok(metadata) if metadata.file_type().is_symlink() => {
                let next = fs::read_link(&current)
                    .map_err(AtomicError::when("follow the link", &current))?;
                current = folder_of(&current).join(next);
            }
            Ok(_) => return Ok(current),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(current),
            Err(error) => return Err(AtomicError::when("look at", &current)(error)),
        }
    }
    Err(AtomicError::when("follow the link", path)(io::Error::other("too many links")))
}

fn existing_file(target: &Path) -> Result<Option<Metadata>, AtomicError> {
    let refuse =
        |why: &'static str| Err(AtomicError::when("replace", target)(io::Error::other(why)));
    match fs::symlink_metadata(target) {
        Ok(metadata) if !metadata.is_file() => refuse("it is not a regular file"),
        Ok(metadata) if metadata.permissions().readonly() => refuse("it is write-protected"),
        Ok(metadata) => Ok(Some(metadata)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(AtomicError::when("look at", target)(error)),
    }
}

#[cfg(unix)]
fn dress(file: &File, existing: Option<&Metadata>, options: WriteOptions) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let mut mode = options.mode;
    if let Some(old) = existing {
        let new = file.metadata()?;
        // Only root may give files away; for everybody else the attempt fails and the file is
        // theirs, which is also what an editor would have left behind.
        if old.uid() != new.uid() {
            let _ = fchown(file, Some(old.uid()), None);
        }
        if old.gid() != new.gid() {
            let _ = fchown(file, None, Some(old.gid()));
        }
        if options.existing == ExistingMode::Keep {
            mode = old.mode() & 0o7777;
        }
    }
    // After the change of owner, which clears some of these bits.
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn dress(_: &File, _: Option<&Metadata>, _: WriteOptions) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests;
