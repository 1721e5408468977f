//! Counting the lines of a large file with several threads.
//!
//! The file is cut into blocks; each thread takes the next block nobody has taken and counts its
//! newlines. Then it is known in which block a line begins, so the window can be read from there, and
//! so can the next one: [`Remembered`] keeps the blocks.
//! Bytes that are added to the file in the meantime are not seen; if some are taken away, the lines
//! are counted as far as they could be read.

use std::fs::File;
use std::io::{self, SeekFrom};
use std::num::NonZero;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::available_parallelism;

use memchr::memchr_iter;

use super::super::encoding::Bom;
use super::WindowRequest;
use super::rows::Rows;
use super::scan::{ScanPass, ScanUntil, Totals, scan};
use crate::fs::ReadSeek;

mod remembered;

use remembered::{FileVersion, Remembered};

/// Files smaller than this are not worth the threads.
const LARGE: u64 = 32 << 20;
const BLOCK: u64 = 1 << 20;
/// Bytes read at a time: half of what a processor's own cache holds today.
const BUFFER_BYTES: usize = 256 * 1024;
/// More threads than this only wait for the memory.
const MAX_THREADS: usize = 4;

/// To find out takes a dozen system calls.
static THREADS: LazyLock<usize> =
    LazyLock::new(|| available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS));
static LATELY: Remembered = Remembered::new();

/// What is in one block.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    newlines: usize,
    bytes: u64,
    /// Whether its last byte is a newline.
    ends_line: bool,
}

/// The blocks of a file, in order.
#[derive(Debug, Default)]
pub(super) struct LineSurvey {
    blocks: Vec<Block>,
    block_bytes: u64,
}

/// Counts the lines of a file, if it is large and there are threads to do it with, or has the number
/// from last time.
pub(super) fn survey(source: &impl ReadSeek) -> io::Result<Option<Arc<LineSurvey>>> {
    let Some(file) = source.as_file() else { return Ok(None) };
    let state = FileVersion::of(file)?;
    if state.bytes() < LARGE || *THREADS < 2 {
        return Ok(None);
    }
    if let Some(survey) = LATELY.get(state) {
        return Ok(Some(survey));
    }
    let survey = Arc::new(LineSurvey::of(file, BLOCK, *THREADS)?);
    LATELY.keep(state, FileVersion::of(file)?, &survey);
    Ok(Some(survey))
}

impl LineSurvey {
    fn of(file: &File, block_bytes: u64, threads: usize) -> io::Result<Self> {
        let count = file.metadata()?.len().div_ceil(block_bytes);
        let next = AtomicU64::new(0);
        let work = || {
            let mut buffer = vec![0; BUFFER_BYTES];
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= count {
                    return Ok(done);
                }
                done.push((number, Block::read(file, number, block_bytes, &mut buffer)?));
            }
        };
        let mut numbered: Vec<(u64, Block)> = std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut all: io::Result<Vec<_>> = work();
            for helper in helpers {
                let part = helper.join().unwrap_or_else(|_| Err(io::Error::other("a panic")));
                all = all.and_then(|mut all| {
                    all.extend(part?);
                    Ok(all)
                });
            }
            all
        })?;
        numbered.sort_unstable_by_key(|(number, _)| *number);
        let blocks = numbered.into_iter().map(|(_, block)| block).collect();
        Ok(Self { blocks, block_bytes })
    }

    /// Puts the lines of the window into `rows`; the totals are those of the whole file, without
    /// its mark.
    pub(super) fn collect(
        &self,
        file: &mut impl ReadSeek,
        bom: Option<Bom>,
        request: &WindowRequest,
        rows: &mut Rows,
    ) -> io::Result<Totals> {
        let mark = bom.map_or(0, Bom::len);
        let first = request.offset - 1;
        let mut line = 0;
        for (number, block) in (0_u64..).zip(&self.blocks) {
            if line + block.newlines >= first {
                file.seek(SeekFrom::Start((number * self.block_bytes).max(mark)))?;
                scan(file, request, rows, ScanPass { line, until: ScanUntil::WindowEnds })?;
                break;
            }
            line += block.newlines;
        }
        let newlines: usize = self.blocks.iter().map(|block| block.newlines).sum();
        let bytes: u64 = self.blocks.iter().map(|block| block.bytes).sum();
        let last = self.blocks.iter().rfind(|block| block.bytes > 0);
        let unended = bytes > mark && last.is_some_and(|block| !block.ends_line);
        Ok(Totals { lines: newlines + usize::from(unended), bytes: bytes.saturating_sub(mark) })
    }
}

impl Block {
    fn read(file: &File, number: u64, size: u64, buffer: &mut [u8]) -> io::Result<Self> {
        let mut block = Self::default();
        while block.bytes < size {
            let left = usize::try_from(size - block.bytes).unwrap_or(usize::MAX);
            let piece = &mut buffer[..left.min(BUFFER_BYTES)];
            let read = match file.read_at(piece, number * size + block.bytes) {
                Ok(0) => break,
                Ok(read) => &piece[..read],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            block.newlines += memchr_iter(b'\n', read).count();
            block.bytes += read.len() as u64;
            block.ends_line = read.ends_with(b"\n");
        }
        Ok(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::{Seek, Write};

    fn file_of(content: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        file
    }

    proptest! {
        #[test]
        fn finds_what_one_pass_finds(
            content in "(\u{feff})?(a{0,6}\n){0,20}a{0,3}",
            offset in 1..25_usize,
            limit in 1..6_usize,
            block in 1..12_u64,
        ) {
            let request = WindowRequest::lines(offset, limit);
            let mut file = file_of(content.as_bytes());
            let bom = Bom::read(&mut file).unwrap();

            let mut rows = Rows::new(&request);
            file.seek(SeekFrom::Start(bom.map_or(0, Bom::len))).unwrap();
            let totals = scan(&mut file, &request, &mut rows, ScanPass::whole()).unwrap();

            let mut found = Rows::new(&request);
            let survey = LineSurvey::of(&file, block, 2).unwrap();
            let counted = survey.collect(&mut file, bom, &request, &mut found).unwrap();
            prop_assert_eq!(counted, totals);
            let (found, rows) = (found.finish(), rows.finish());
            prop_assert_eq!((found.text, found.count), (rows.text, rows.count));
        }
    }

    #[test]
    fn a_large_file_is_counted_anew_once_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let line = "a line of a log that has grown for long enough\n";
        let mut file = File::create_new(&path).unwrap();
        file.write_all(line.repeat((LARGE as usize).div_ceil(line.len())).as_bytes()).unwrap();
        let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
        file.set_modified(long_ago).unwrap();
        let lines = |path| {
            let mut file = File::open(path).unwrap();
            let request = WindowRequest::lines(1, 1);
            super::super::read_window(&mut file, &request).unwrap().total_lines
        };
        let before = lines(&path);
        assert_eq!(lines(&path), before);
        file.write_all(b"more\n").unwrap();
        assert_eq!(lines(&path), before + 1);
        // The same size and the same time of change, as a tool that hides its tracks leaves them.
        file.write_at(b"\n", 3).unwrap();
        file.set_modified(long_ago).unwrap();
        assert_eq!(lines(&path), before + 2);
    }

    #[test]
    fn only_large_files_are_surveyed() {
        assert!(survey(&file_of(b"a\nb\n")).unwrap().is_none());
        assert!(survey(&io::Cursor::new("a\nb\n")).unwrap().is_none());
    }
}
