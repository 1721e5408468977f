//! Files of this machine, natively.

use std::fs::{File, Metadata};
use std::io::{self, Cursor, Read, Seek as _};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use hermes_tool::BoxFuture;
use tokio::task::JoinError;

use super::{
    ContentQuery, FileKind, FileSystem, FilesLocation, FsError, NameQuery, OpenFile, ReadSeek,
    Resolved, SearchRoot, Stamp, Stat, Written, inline_or_spawn_io, spawn_blocking_io,
};
use crate::search::{ContentReply, ContentSearch, FileReply, FileSearch, SearchError, SearchScope};

mod directory;
mod keep;
mod opening;
mod resolve;
mod temp;
#[cfg(test)]
mod tests;
mod write;

use directory::Directory;
pub use temp::{TEMP_PREFIX, remove_stray_temps};

/// Largest file that is read at once when it is opened.
const SMALL_BYTES: u64 = 64 << 10;

/// The files of this machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalFiles;

/// The home of a user of this machine, by name.
#[must_use]
pub fn user_home(name: &str) -> Option<PathBuf> {
    nix::unistd::User::from_name(name).ok()?.map(|user| user.dir)
}

/// Runs file work where it may block.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, FsError> + Send + 'static,
) -> Result<T, FsError> {
    spawn_blocking_io(work).await.unwrap_or_else(broken_off)
}

/// The same for a look that takes no time on a disk that answers.
async fn looking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, FsError> + Send + 'static,
) -> Result<T, FsError> {
    inline_or_spawn_io(work).await.unwrap_or_else(broken_off)
}

#[expect(clippy::needless_pass_by_value, reason = "shaped for `unwrap_or_else`")]
fn broken_off<T>(gone: JoinError) -> Result<T, FsError> {
    Err(FsError::BadPath { problem: format!("the file work was broken off: {gone}") })
}

pub(crate) fn stat_of(metadata: &Metadata) -> Stat {
    let kind = metadata.file_type();
    let kind = if kind.is_file() {
        FileKind::File
    } else if kind.is_dir() {
        FileKind::Directory
    } else if kind.is_fifo() {
        FileKind::Pipe
    } else if kind.is_socket() {
        FileKind::Socket
    } else {
        FileKind::Device
    };
    let modified_ns =
        i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
    Stat { kind, stamp: Stamp { modified_ns, size: metadata.len(), inode: metadata.ino() } }
}

/// Opens a regular file and nothing else. No part of the path is followed as a link: the path is
/// canonical, and a link that appeared in it since must not lead elsewhere.
fn open_regular(path: &Path) -> Result<(File, Stamp), FsError> {
    regular(directory::read_without_links(path), path)
}

/// What was opened, if it is a regular file.
fn regular(opened: io::Result<File>, path: &Path) -> Result<(File, Stamp), FsError> {
    let file = opened.map_err(directory::failed("open", path))?;
    let stat = stat_of(&file.metadata().map_err(FsError::of("look at", path))?);
    match stat.kind {
        FileKind::File => Ok((file, stat.stamp)),
        kind => Err(FsError::NotRegular { path: path.to_owned(), kind }),
    }
}

fn read_whole(path: &Path, most: u64) -> Result<(Vec<u8>, Stamp), FsError> {
    let (file, stamp) = open_regular(path)?;
    let too_large = |size| FsError::TooLarge { path: path.to_owned(), size, most };
    if stamp.size > most {
        return Err(too_large(stamp.size));
    }
    let mut content = Vec::with_capacity(usize::try_from(stamp.size).unwrap_or(0) + 1);
    // One byte more than allowed, to notice a file that grew since it was measured.
    file.take(most.saturating_add(1))
        .read_to_end(&mut content)
        .map_err(FsError::of("read", path))?;
    match content.len() as u64 {
        size if size > most => Err(too_large(size)),
        _ => Ok((content, stamp)),
    }
}

/// The content of a file that is not worth going back to the system for every look at it. What says that
/// it is empty may be a window into the kernel, and what has grown since may be large: those are left.
fn small(file: &mut File, size: u64) -> io::Result<Option<Vec<u8>>> {
    if !(1..=SMALL_BYTES).contains(&size) {
        return Ok(None);
    }
    let mut content = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    file.take(SMALL_BYTES + 1).read_to_end(&mut content)?;
    if content.len() as u64 <= SMALL_BYTES {
        return Ok(Some(content));
    }
    file.rewind()?;
    Ok(None)
}

fn names_in(directory: &Path, most: usize) -> Result<Vec<String>, FsError> {
    let entries = std::fs::read_dir(directory).map_err(FsError::of("list", directory))?;
    Ok(entries
        .take(most)
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .collect())
}

fn move_file(from: &Path, to: &Path) -> Result<(), FsError> {
    let (target, new, _) = directory::make_for(to)?;
    let occupied = || FsError::BadPath { problem: format!("{} already exists", to.display()) };
    if target.look_at(new).map_err(FsError::of("look at", to))?.is_some() {
        return Err(occupied());
    }
    let (source, name) = Directory::of_file(from)?;
    match source.rename_new(name, &target, new) {
        // Across devices a move is a copy and a removal; the copy is complete before anything goes.
        Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
            let (mut content, _) = regular(source.read(name), from)?;
            write::copy(&mut content, (&source, name), (&target, new), to)?;
            source.remove(name).map_err(FsError::of("remove", from))
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(occupied()),
        done => done.map_err(FsError::of("move", from)),
    }
}

fn remove_file(path: PathBuf) -> Result<(), FsError> {
    let (directory, name) = Directory::of_file(&path)?;
    match directory.look_at(name).map_err(FsError::of("find", &path))? {
        None => Err(FsError::NotFound(path)),
        Some(found) if found.is_dir() => {
            Err(FsError::NotRegular { path, kind: FileKind::Directory })
        }
        Some(_) => directory.remove(name).map_err(FsError::of("remove", &path)),
    }
}

impl FileSystem for LocalFiles {
    fn location(&self) -> FilesLocation {
        FilesLocation::Local
    }

    fn resolve(&self, path: PathBuf) -> BoxFuture<Result<Resolved, FsError>> {
        Box::pin(looking(move || resolve::resolve(&path)))
    }

    fn read(&self, canonical: PathBuf, most: u64) -> BoxFuture<Result<(Vec<u8>, Stamp), FsError>> {
        Box::pin(blocking(move || read_whole(&canonical, most)))
    }

    fn open(&self, canonical: PathBuf) -> BoxFuture<Result<OpenFile, FsError>> {
        Box::pin(looking(move || {
            let (mut file, stamp) = open_regular(&canonical)?;
            let small = small(&mut file, stamp.size).map_err(FsError::of("read", &canonical))?;
            let content: Box<dyn ReadSeek> = match small {
                Some(content) => Box::new(Cursor::new(content)),
                None => Box::new(file),
            };
            Ok(OpenFile { content, stamp })
        }))
    }

    fn names(&self, directory: PathBuf, most: usize) -> BoxFuture<Result<Vec<String>, FsError>> {
        Box::pin(blocking(move || names_in(&directory, most)))
    }

    fn write(&self, canonical: PathBuf, content: Vec<u8>) -> BoxFuture<Result<Written, FsError>> {
        Box::pin(blocking(move || write::replace(&canonical, &content)))
    }

    fn remove(&self, canonical: PathBuf) -> BoxFuture<Result<(), FsError>> {
        Box::pin(blocking(move || remove_file(canonical)))
    }

    fn rename(&self, from: PathBuf, to: PathBuf) -> BoxFuture<Result<(), FsError>> {
        Box::pin(blocking(move || move_file(&from, &to)))
    }

    fn keep(&self, canonical: PathBuf) -> BoxFuture<Result<PathBuf, FsError>> {
        Box::pin(blocking(move || keep::keep(&canonical)))
    }

    fn put_back(&self, kept: PathBuf, canonical: PathBuf) -> BoxFuture<Result<(), FsError>> {
        Box::pin(blocking(move || keep::put_back(&kept, &canonical)))
    }

    fn search_content(
        &self,
        target: SearchRoot,
        query: ContentQuery,
    ) -> BoxFuture<Result<ContentReply, SearchError>> {
        Box::pin(searching(target, move |scope| {
            let ContentQuery { pattern, file_glob, output, context, page } = query;
            ContentSearch { scope, pattern, file_glob, output, context, page }.run()
        }))
    }

    fn search_names(
        &self,
        target: SearchRoot,
        query: NameQuery,
    ) -> BoxFuture<Result<FileReply, SearchError>> {
        Box::pin(searching(target, move |scope| {
            FileSearch { scope, pattern: query.pattern, page: query.page }.run()
        }))
    }
}

/// Runs a search where it may block.
async fn searching<T: Send + 'static>(
    target: SearchRoot,
    search: impl FnOnce(SearchScope<'_>) -> Result<T, SearchError> + Send + 'static,
) -> Result<T, SearchError> {
    let shown = target.shown_root.clone();
    let work = move || {
        let SearchRoot { root, shown_root, cancel, denied } = target;
        let cancelled = || cancel.is_cancelled();
        let denied = |path: &Path| denied(path);
        search(SearchScope::new(root, shown_root).cancel(&cancelled).denied(&denied))
    };
    spawn_blocking_io(work).await.unwrap_or_else(|gone| {
        Err(SearchError::Unreadable { path: shown, source: std::io::Error::other(gone) })
    })
}
