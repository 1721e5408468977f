//! The parts of a zipped document, unpacked within limits.

use std::cell::Cell;
use std::io::{self, BufReader, Cursor, Read};

use zip::ZipArchive;

/// Most bytes unpacked from one document, all its parts together.
pub(super) const MAX_UNPACKED_BYTES: u64 = 128 * 1024 * 1024;
/// Most bytes unpacked from one packed byte. Repetitive sheets reach a hundred, deflate a thousand.
pub(super) const MAX_RATIO: u64 = 300;
/// Less than this is harmless at any ratio.
const FREE_BYTES: u64 = 1024 * 1024;

/// A zip archive that refuses to grow without bounds.
pub(super) struct Zipped<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    unpacked: Cell<u64>,
}

impl<'a> Zipped<'a> {
    /// Reads the list of parts.
    pub(super) fn open(bytes: &'a [u8]) -> Option<Self> {
        let archive = ZipArchive::new(Cursor::new(bytes)).ok()?;
        Some(Self { archive, unpacked: Cell::new(0) })
    }

    /// Opens a part by name. Sizes written in the archive can lie, so reading itself is limited.
    pub(super) fn part(&mut self, name: &str) -> Option<BufReader<impl Read>> {
        let entry = self.archive.by_name(name).ok()?;
        let most = entry.compressed_size().saturating_mul(MAX_RATIO).max(FREE_BYTES);
        Some(BufReader::new(Limited { entry, left: most, unpacked: &self.unpacked }))
    }
}

/// Fails when a part, or all of them together, has given more than it may.
struct Limited<'a, R> {
    entry: R,
    left: u64,
    unpacked: &'a Cell<u64>,
}

impl<R: Read> Read for Limited<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.entry.read(buffer)?;
        let total = self.unpacked.get() + count as u64;
        self.unpacked.set(total);
        match self.left.checked_sub(count as u64) {
            Some(left) if total <= MAX_UNPACKED_BYTES => self.left = left,
            _ => return Err(io::Error::other("the document unpacks to too many bytes")),
        }
        Ok(count)
    }
}
