//! Reading a file, whole or in pieces as they are needed.
//!
//! An opened file brings its first piece with it, so that a small file costs one round trip and no
//! more. The rest comes when it is asked for, in pieces that grow while the reader goes straight
//! on. A window of lines counts the lines of the whole file, so it has to come over whole, once,
//! and is never in memory whole.
//!
//! Each piece is a script of its own that opens the file again. That it is still the same file is
//! looked at every time; one that was replaced in between is an error, never a mixture of two.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_files::fs::{FileKind, FsError, OpenFile, ReadSeek, Stamp};
use tokio::runtime::Handle;

use super::answer::{RemoteFileState, incomplete};
use super::script::FileScript;
use super::{ScriptRunner, TRANSFER_LIMIT};

const OPEN: &str = include_str!("scripts/open.sh");
const READ: &str = include_str!("scripts/read.sh");
const CHUNK: &str = include_str!("scripts/chunk.sh");

/// Pieces begin at multiples of this.
const BLOCK: u64 = 64 << 10;
/// Blocks in the first piece.
const FIRST_BLOCKS: u64 = 16;
/// Blocks in the largest piece.
const MOST_BLOCKS: u64 = 256;

pub(super) async fn read(
    runner: Arc<dyn ScriptRunner>,
    path: PathBuf,
    most: u64,
) -> Result<(Vec<u8>, Stamp), FsError> {
    const ACT: &str = "read";
    // The shell counts with signs, and one more than this is asked for.
    let most_there = most.min(i64::MAX as u64 - 1);
    let script = FileScript::about(&path)?
        .value("most", most_there)
        .then(OPEN)
        .then(READ)
        .says(most_there)
        .within(TRANSFER_LIMIT);
    let mut answer = script.run(&*runner, ACT, &path).await.map_err(|error| match error {
        FsError::TooLarge { path, size, .. } => FsError::TooLarge { path, size, most },
        other => other,
    })?;
    answer.record();
    let stamp = regular(answer.state(), ACT, &path)?.stat.stamp;
    let content = answer.rest();
    match content.len() as u64 {
        size if size > most => Err(FsError::TooLarge { path, size, most }),
        _ => Ok((content, stamp)),
    }
}

pub(super) async fn open(
    runner: Arc<dyn ScriptRunner>,
    path: PathBuf,
) -> Result<OpenFile, FsError> {
    let range = Range { first: 0, blocks: FIRST_BLOCKS };
    let (state, bytes) = fetch(&*runner, &path, "", range).await?;
    let stamp = state.stat.stamp;
    let piece = Piece { range, bytes };
    let away = RemoteFile { runner, path, identity: state.identity, handle: Handle::current() };
    let content = Box::new(Pieces { away, size: stamp.size, position: 0, piece });
    Ok(OpenFile { content, stamp })
}

fn regular(
    state: Option<RemoteFileState>,
    act: &'static str,
    path: &Path,
) -> Result<RemoteFileState, FsError> {
    let state = state.ok_or_else(|| incomplete(act, path))?;
    match state.stat.kind {
        FileKind::File => Ok(state),
        kind => Err(FsError::NotRegular { path: path.to_owned(), kind }),
    }
}

/// Which blocks of a file.
#[derive(Clone, Copy, Debug)]
struct Range {
    first: u64,
    blocks: u64,
}

async fn fetch(
    runner: &dyn ScriptRunner,
    path: &Path,
    identity: &str,
    range: Range,
) -> Result<(RemoteFileState, Vec<u8>), FsError> {
    const ACT: &str = "read";
    let script = FileScript::about(path)?
        .value("known", identity)
        .value("block", BLOCK)
        .value("skip", range.first)
        .value("count", range.blocks)
        .then(OPEN)
        .then(CHUNK)
        .says(range.blocks * BLOCK)
        .within(TRANSFER_LIMIT);
    let mut answer = script.run(runner, ACT, path).await?;
    answer.record();
    let state = regular(answer.state(), ACT, path)?;
    Ok((state, answer.rest()))
}

/// A file and the way to it.
struct RemoteFile {
    runner: Arc<dyn ScriptRunner>,
    path: PathBuf,
    identity: String,
    handle: Handle,
}

/// A part of a file at hand.
struct Piece {
    range: Range,
    bytes: Vec<u8>,
}

impl Piece {
    fn start(&self) -> u64 {
        self.range.first * BLOCK
    }

    fn end(&self) -> u64 {
        self.start() + self.bytes.len() as u64
    }

    /// Whether the file ended in it.
    fn is_last(&self) -> bool {
        (self.bytes.len() as u64) < self.range.blocks * BLOCK
    }
}

/// A file read piece by piece, on a thread that may block.
struct Pieces {
    away: RemoteFile,
    size: u64,
    position: u64,
    piece: Piece,
}

impl Pieces {
    /// What is at hand from the position on; fetches it if need be.
    fn at_hand(&mut self) -> io::Result<&[u8]> {
        let ended = self.piece.is_last() && self.position >= self.piece.end();
        let inside = (self.piece.start()..self.piece.end()).contains(&self.position);
        if !ended && !inside {
            let goes_on = self.position == self.piece.end();
            let blocks = match goes_on {
                true => (self.piece.range.blocks * 2).min(MOST_BLOCKS),
                false => FIRST_BLOCKS,
            };
            let range = Range { first: self.position / BLOCK, blocks };
            let RemoteFile { runner, path, identity, handle } = &self.away;
            let (_, bytes) = handle
                .block_on(fetch(&**runner, path, identity, range))
                .map_err(io::Error::other)?;
            self.piece = Piece { range, bytes };
        }
        let skipped = usize::try_from(self.position - self.piece.start()).unwrap_or(usize::MAX);
        Ok(self.piece.bytes.get(skipped..).unwrap_or_default())
    }
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let mut bytes = self.at_hand()?;
        let count = bytes.read(buffer)?;
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for Pieces {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (base, offset) = match to {
            SeekFrom::Start(position) => (position, 0),
            SeekFrom::End(offset) => (self.size, offset),
            SeekFrom::Current(offset) => (self.position, offset),
        };
        self.position = base
            .checked_add_signed(offset)
            .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.position)
    }
}

impl ReadSeek for Pieces {}
