//! Where files are: the one trait behind the file tools.
//!
//! A tool never touches a file except through a [`FileSystem`]. On this machine that is
//! [`LocalFiles`], which works natively. In a container or on another host it is the terminal
//! backend's own, which does each of these acts in one round trip. The trait is cut along what the
//! tools need, not along system calls: resolve a path, show a window, replace a file, search a tree.
//!
//! Every act that opens a file refuses anything but a regular one after looking at what was really
//! opened, so a pipe cannot hang a tool and a device cannot feed it for ever, whatever the path said
//! a moment before.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_tool::BoxFuture;
use thiserror::Error;
use tokio_util::sync::CancellationToken;

mod blocking;
mod local;

pub use blocking::{batch_io, inline_or_spawn_io, spawn_blocking_io, with_inline_io};
pub use local::{LocalFiles, TEMP_PREFIX, remove_stray_temps, user_home};

use super::search::{ContentOutput, ContentReply, FileReply, Page, SearchError};

/// Where a file system is, as far as the rules about paths care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilesLocation {
    /// On this machine.
    Local,
    /// On another machine.
    Remote,
    /// In a container, whose links must not be followed on the host.
    Container,
}

/// What the system says stands at a path, links followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A named pipe.
    Pipe,
    /// A socket.
    Socket,
    /// A character or block device.
    Device,
}

impl FileKind {
    /// The kind with an article, for messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Directory => "a directory",
            Self::Pipe => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
        }
    }
}

/// What tells one state of a file from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// Time of the last change, in nanoseconds.
    pub modified_ns: i128,
    /// Size in bytes, which tells changes within one tick of the clock.
    pub size: u64,
    /// Number of the file on its device; another one means it was replaced.
    pub inode: u64,
}

/// What is known about a path without opening it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// File, directory or something that is never opened.
    pub kind: FileKind,
    /// What tells whether it has changed since.
    pub stamp: Stamp,
}

/// A path with everything the rules look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// Absolute, with `.` and `..` worked out, links as written.
    pub literal: PathBuf,
    /// The whole path after each link met on the way, absolute.
    pub hops: Vec<PathBuf>,
    /// With all links followed; of a path that does not exist yet, as far as it exists.
    pub canonical: PathBuf,
    /// What is there; `None` when nothing is.
    pub stat: Option<Stat>,
}

/// What a write left on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Size on disk afterwards, line endings of the old file included.
    pub bytes: u64,
    /// Whether directories had to be made.
    pub made_directories: bool,
    /// The state of the file now.
    pub stamp: Stamp,
}

/// Why an act on a file failed.
#[derive(Debug, Error)]
pub enum FsError {
    /// Nothing is there.
    #[error("File not found: {}", .0.display())]
    NotFound(PathBuf),
    /// Something else than a regular file is there.
    #[error("{} is {}, not a regular file", .path.display(), .kind.name())]
    NotRegular {
        /// Which path it was about, as resolved.
        path: PathBuf,
        /// What is there instead of a file.
        kind: FileKind,
    },
    /// A part of the path that should be a directory is none.
    #[error("{} is not a directory", .0.display())]
    NotADirectory(PathBuf),
    /// The links lead in a circle.
    #[error("{} cannot be resolved: its symbolic links lead in a circle", .0.display())]
    LinkLoop(PathBuf),
    /// A link is where a directory or file was when the path was looked at.
    #[error("{} has just become a symbolic link; nothing was changed", .0.display())]
    Exchanged(PathBuf),
    /// No right to do this.
    #[error("Permission denied: cannot {act} {}", .path.display())]
    Denied {
        /// What was tried, as a verb: `read`, `replace`.
        act: &'static str,
        /// Which path it was about, as resolved.
        path: PathBuf,
    },
    /// The disk or the quota is full. Nothing was changed.
    #[error("No space left to write {}; the file was not changed", .0.display())]
    NoSpace(PathBuf),
    /// The file is larger than the tool takes.
    #[error("{} has {size} bytes; the most this tool takes is {most}", .path.display())]
    TooLarge {
        /// Which path it was about, as resolved.
        path: PathBuf,
        /// The size of the file, in bytes.
        size: u64,
        /// The most that whoever asked can take, in bytes.
        most: u64,
    },
    /// The path cannot name a file.
    #[error("{problem}")]
    BadPath {
        /// What the search engine objects to, as a sentence.
        problem: String,
    },
    /// Anything else the system said.
    #[error("cannot {act} {}: {source}", .path.display())]
    Io {
        /// What was tried, as a verb: `read`, `replace`.
        act: &'static str,
        /// Which path it was about, as resolved.
        path: PathBuf,
        /// What the operating system answered.
        source: io::Error,
    },
}

impl FsError {
    /// Files an error of the system under what was tried on which path.
    pub fn of(act: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound(path),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::Denied { act, path }
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::NoSpace(path),
            io::ErrorKind::NotADirectory => Self::NotADirectory(path),
            _ if source.raw_os_error() == Some(nix::libc::ELOOP) => Self::LinkLoop(path),
            _ => Self::Io { act, path, source },
        }
    }

    /// A short, stable word for the sort of error.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::NotFound(_) => "not_found",
            Self::NotRegular { .. } => "not_regular",
            Self::NotADirectory(_) => "not_a_directory",
            Self::LinkLoop(_) => "link_loop",
            Self::Exchanged(_) => "exchanged",
            Self::Denied { .. } => "permission_denied",
            Self::NoSpace(_) => "no_space",
            Self::TooLarge { .. } => "too_large",
            Self::BadPath { .. } => "bad_path",
            Self::Io { .. } => "io",
        }
    }
}

/// The acts of the file tools. Paths are absolute; `canonical` ones come from [`resolve`].
///
/// [`resolve`]: FileSystem::resolve
pub trait FileSystem: Send + Sync {
    /// Where it is.
    fn location(&self) -> FilesLocation;

    /// Works out a path and says what is there.
    fn resolve(&self, path: PathBuf) -> BoxFuture<Result<Resolved, FsError>>;

    /// The whole content of a regular file of at most `most` bytes, with its state.
    fn read(&self, canonical: PathBuf, most: u64) -> BoxFuture<Result<(Vec<u8>, Stamp), FsError>>;

    /// Looks at a regular file through a function that reads it on a thread of its own.
    fn open(&self, canonical: PathBuf) -> BoxFuture<Result<OpenFile, FsError>>;

    /// Names in a directory, at most `most` of them, in no order.
    fn names(&self, directory: PathBuf, most: usize) -> BoxFuture<Result<Vec<String>, FsError>>;

    /// Replaces or creates a file in one step: whoever looks sees the old content or the new.
    fn write(&self, canonical: PathBuf, content: Vec<u8>) -> BoxFuture<Result<Written, FsError>>;

    /// Removes a file.
    fn remove(&self, canonical: PathBuf) -> BoxFuture<Result<(), FsError>>;

    /// Moves a file to a place where nothing is, making directories as needed.
    fn rename(&self, from: PathBuf, to: PathBuf) -> BoxFuture<Result<(), FsError>>;

    /// Keeps a file as it is, with its mode, owner and attributes, under a hidden name beside it, and
    /// says which. It stays where it was; replacing or removing it there leaves the kept one alone.
    fn keep(&self, canonical: PathBuf) -> BoxFuture<Result<PathBuf, FsError>>;

    /// Puts a kept file back in its place, over whatever is there.
    fn put_back(&self, kept: PathBuf, canonical: PathBuf) -> BoxFuture<Result<(), FsError>>;

    /// Searches contents.
    fn search_content(
        &self,
        target: SearchRoot,
        query: ContentQuery,
    ) -> BoxFuture<Result<ContentReply, SearchError>>;

    /// Searches names.
    fn search_names(
        &self,
        target: SearchRoot,
        query: NameQuery,
    ) -> BoxFuture<Result<FileReply, SearchError>>;
}

/// Where to search, and what to leave out.
#[derive(Clone)]
pub struct SearchRoot {
    /// File or directory, canonical.
    pub root: PathBuf,
    /// The same as the caller wrote it; results are named after it.
    pub shown_root: String,
    /// Ends the search early; what was found by then is returned.
    pub cancel: CancellationToken,
    /// Files that may not be read; they are left out unopened, and counted.
    pub denied: Arc<dyn Fn(&Path) -> bool + Send + Sync>,
}

/// What to look for inside files, wherever they are.
#[derive(Clone, Debug)]
pub struct ContentQuery {
    /// A regular expression in the syntax of the `regex` crate.
    pub pattern: String,
    /// Glob that files must match.
    pub file_glob: Option<String>,
    /// Lines, names of files, or numbers of matches.
    pub output: ContentOutput,
    /// Lines before and after each match; for lines only.
    pub context: usize,
    /// Which of the results to return, of all that are counted.
    pub page: Page,
}

/// A search for files by name.
#[derive(Clone, Debug)]
pub struct NameQuery {
    /// A glob, the exact name of a file, or a part of one.
    pub pattern: String,
    /// Which of the results to return, of all that are counted.
    pub page: Page,
}

/// The service under which a call finds the files of its execution environment; without one the
/// tools work on this machine.
#[derive(Clone)]
pub struct Files(
    /// All file tools of the call work on these.
    pub Arc<dyn FileSystem>,
);

impl std::fmt::Debug for SearchRoot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SearchPlace").field("root", &self.root).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Files {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Files").field(&self.0.location()).finish()
    }
}

/// An open regular file with the state it had when it was opened.
pub struct OpenFile {
    /// Read as far as it is needed, not at once.
    pub content: Box<dyn ReadSeek>,
    /// What tells whether it has changed since.
    pub stamp: Stamp,
}

/// What a view reads from: a file here, or a stream from elsewhere.
pub trait ReadSeek: io::Read + io::Seek + Send {
    /// The file behind it, where there is one: several threads can read that side by side.
    fn as_file(&self) -> Option<&File> {
        None
    }
}

impl<T: AsRef<[u8]> + Send> ReadSeek for io::Cursor<T> {}

impl ReadSeek for File {
    fn as_file(&self) -> Option<&File> {
        Some(self)
    }
}

impl ReadSeek for Box<dyn ReadSeek> {
    fn as_file(&self) -> Option<&File> {
        (**self).as_file()
    }
}

impl std::fmt::Debug for OpenFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OpenFile").field("stamp", &self.stamp).finish_non_exhaustive()
    }
}
