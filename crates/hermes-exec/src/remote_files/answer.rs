//! What a script says.
//!
//! An answer is a row of records, each ended by a zero byte, after which content may follow as it
//! is. A failure is an answer like any other; a script that breaks off, or that never ran, gives
//! none.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use hermes_files::fs::{FileKind, FsError, Stamp, Stat};
use nix::errno::Errno;

use super::{RawRun, RunEnd};

/// What an answer begins with; anything before it was said by somebody else.
const GREETING: &[u8] = b"hermes-files\0";

/// Characters of a client's words that are passed on.
const CLIENT_WORDS: usize = 300;

/// The records and the content of an answer.
#[derive(Debug)]
pub(super) struct ScriptReply {
    bytes: Vec<u8>,
    at: usize,
}

impl ScriptReply {
    /// The answer in what came back.
    pub(super) fn of(run: RawRun) -> io::Result<Self> {
        let problem = match run.end {
            RunEnd::Exited(0) => None,
            RunEnd::Exited(code) => Some(format!("the shell ended early, with code {code}")),
            RunEnd::TooMuch => Some("more came back than was asked for".to_owned()),
            RunEnd::TimedOut => return Err(io::ErrorKind::TimedOut.into()),
            RunEnd::Cancelled => return Err(io::Error::other("cancelled")),
        };
        let begins = run.stdout.windows(GREETING.len()).position(|bytes| bytes == GREETING);
        let problem = match (problem, begins) {
            (None, Some(at)) => return Ok(Self { bytes: run.stdout, at: at + GREETING.len() }),
            (Some(problem), _) => problem,
            (None, None) => "the shell gave no answer".to_owned(),
        };
        let said: String = run.stderr.trim().chars().take(CLIENT_WORDS).collect();
        let said = if said.is_empty() { said } else { format!(" ({said})") };
        Err(io::Error::other(format!("{problem}{said}")))
    }

    /// The next record.
    pub(super) fn record(&mut self) -> Option<&[u8]> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| *byte == 0)?;
        let start = self.at;
        self.at += length + 1;
        Some(&self.bytes[start..start + length])
    }

    /// The next record as text.
    pub(super) fn text(&mut self) -> Option<String> {
        self.record().map(|record| String::from_utf8_lossy(record).into_owned())
    }

    /// The next record as a path.
    pub(super) fn path(&mut self) -> Option<PathBuf> {
        self.record().map(|record| PathBuf::from(OsStr::from_bytes(record)))
    }

    /// The next record as the state of a file.
    pub(super) fn state(&mut self) -> Option<RemoteFileState> {
        RemoteFileState::parse(&self.text()?)
    }

    /// All that follows.
    pub(super) fn rest(mut self) -> Vec<u8> {
        self.bytes.split_off(self.at)
    }

    /// The failure this answer tells of, if it does. `path` is what the act was about.
    pub(super) fn failure(&mut self, path: &Path) -> Option<FsError> {
        let before = self.at;
        if self.record() != Some(b"failed") {
            self.at = before;
            return None;
        }
        let sort = self.text().unwrap_or_default();
        let act = known_act(&self.text().unwrap_or_default());
        let path = self.path().unwrap_or_else(|| path.to_owned());
        let detail = self.text().unwrap_or_default();
        Some(match sort.as_str() {
            "loop" => FsError::LinkLoop(path),
            "exchanged" => FsError::Exchanged(path),
            "kind" => FsError::NotRegular { path, kind: kind_of(&detail) },
            "large" => FsError::TooLarge { path, size: detail.parse().unwrap_or(0), most: 0 },
            "exists" => FsError::BadPath { problem: format!("{} already exists", path.display()) },
            "changed" => of_other(act, path, "it was replaced by another file meanwhile"),
            "cut" => of_other(act, path, "the content did not arrive whole; nothing was changed"),
            _ => of_message(act, &path, &detail),
        })
    }
}

/// An answer that does not have what it should.
pub(super) fn incomplete(act: &'static str, path: &Path) -> FsError {
    of_other(act, path.to_owned(), "the answer is incomplete")
}

fn of_other(act: &'static str, path: PathBuf, what: &str) -> FsError {
    FsError::Io { act, path, source: io::Error::other(what.to_owned()) }
}

/// The error a tool's message tells of.
pub(super) fn of_message(act: &'static str, path: &Path, message: &str) -> FsError {
    let is_in_the_way = matches!(errno_in(message), Some(Errno::EEXIST | Errno::ELOOP));
    if act == MAKE_DIRECTORY && is_in_the_way {
        return FsError::NotADirectory(path.to_owned());
    }
    FsError::of(act, path)(error_in(message))
}

/// The system's error that a tool's message ends with.
pub(super) fn error_in(message: &str) -> io::Error {
    match errno_in(message) {
        Some(number) => number.into(),
        None => io::Error::other(message.trim().to_owned()),
    }
}

const MAKE_DIRECTORY: &str = "create the directory";

/// What can be tried, in the words of errors.
const ACTS: [&str; 15] = [
    MAKE_DIRECTORY,
    "copy",
    "find",
    "flush to disk",
    "list",
    "look at",
    "move",
    "open",
    "put back",
    "read",
    "remove",
    "replace",
    "set the permissions of",
    "write",
    "write beside",
];

fn known_act(act: &str) -> &'static str {
    ACTS.into_iter().find(|known| *known == act).unwrap_or("use")
}

/// How the C libraries of Linux call their errors; where they differ, both.
const MESSAGES: [(&str, Errno); 21] = [
    ("No such file or directory", Errno::ENOENT),
    ("Permission denied", Errno::EACCES),
    ("Operation not permitted", Errno::EPERM),
    ("Not a directory", Errno::ENOTDIR),
    ("Is a directory", Errno::EISDIR),
    ("File exists", Errno::EEXIST),
    ("Read-only file system", Errno::EROFS),
    ("No space left on device", Errno::ENOSPC),
    ("Disk quota exceeded", Errno::EDQUOT),
    ("Quota exceeded", Errno::EDQUOT),
    ("Too many levels of symbolic links", Errno::ELOOP),
    ("Symbolic link loop", Errno::ELOOP),
    ("File name too long", Errno::ENAMETOOLONG),
    ("Filename too long", Errno::ENAMETOOLONG),
    ("Input/output error", Errno::EIO),
    ("I/O error", Errno::EIO),
    ("Device or resource busy", Errno::EBUSY),
    ("Resource busy", Errno::EBUSY),
    ("Text file busy", Errno::ETXTBSY),
    ("Directory not empty", Errno::ENOTEMPTY),
    ("Stale file handle", Errno::ESTALE),
];

fn errno_in(message: &str) -> Option<Errno> {
    let message = message.trim_end();
    let known =
        MESSAGES.iter().find(|(text, _)| message.ends_with(text)).map(|(_, number)| *number);
    // The one error that `mv` has words of its own for.
    known.or_else(|| message.contains(" to a subdirectory of itself, ").then_some(Errno::EINVAL))
}

/// A file as it is, and which one it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RemoteFileState {
    /// Device and number, as the tools write them.
    pub(super) identity: String,
    pub(super) stat: Stat,
}

impl RemoteFileState {
    /// Reads `%d:%i %f %s %Y %y` of `stat`. The last is the time for people, which is where the
    /// parts of a second are.
    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split(' ');
        let identity = words.next()?.to_owned();
        let inode = identity.split_once(':')?.1.parse().ok()?;
        let kind = kind_of(words.next()?);
        let size = words.next()?.parse().ok()?;
        let seconds: i128 = words.next()?.parse().ok()?;
        let parts =
            words.nth(1).and_then(|time| time.split_once('.')).map_or("0", |(_, part)| part);
        let modified_ns = seconds * 1_000_000_000 + nanoseconds(parts);
        Some(Self { identity, stat: Stat { kind, stamp: Stamp { modified_ns, size, inode } } })
    }
}

/// Digits after the point as nanoseconds.
pub(super) fn nanoseconds(digits: &str) -> i128 {
    let nine: String = digits.chars().chain(std::iter::repeat('0')).take(9).collect();
    nine.parse().unwrap_or(0)
}

/// What kind of file a mode in hexadecimal digits says it is.
fn kind_of(mode: &str) -> FileKind {
    match u32::from_str_radix(mode.trim(), 16).unwrap_or(0) & 0o170_000 {
        0o100_000 => FileKind::File,
        0o040_000 => FileKind::Directory,
        0o010_000 => FileKind::Pipe,
        0o140_000 => FileKind::Socket,
        _ => FileKind::Device,
    }
}
