//! Segments: files of records, each written by one process, ever.
//!
//! **The commit rule.** A record counts when its whole line, line end included, is in a segment and the disk has
//! said so (`fdatasync`). Only then is whoever handed it in told, and only then is it counted or shown. Records that
//! come in close after each other are synced together.
//!
//! **The reading rule.** A segment ends at its last line end. What is behind that was being written when somebody
//! died, and is left alone for good: every start of a run has files of its own, so nothing is ever appended to a torn
//! line. A line in the middle that cannot be read costs its own task only.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use hermes_store::atomic::{self, WriteOptions};
use tokio::sync::oneshot;

use crate::BatchError;
use crate::record::{RecordHead, TaskRecord, TaskStatus};

/// Records that are synced together at most.
const GROUP: usize = 20;
/// A segment is closed after this long, so that what is in it has an index.
const MAX_AGE: Duration = Duration::from_secs(600);

/// When segments are synced and closed.
#[derive(Clone, Copy, Debug)]
pub struct SegmentLimits {
    /// A segment of this many bytes is closed.
    pub bytes: u64,
    /// How long a record waits for others to be synced with.
    pub commit: Duration,
}

/// What an index says of one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    /// The task.
    pub id: String,
    /// Where the line begins.
    pub offset: u64,
    /// Its bytes, without the line end.
    pub length: u32,
    /// How the task ended.
    pub status: TaskStatus,
    /// Tells whether the row has changed since.
    pub row_hash: String,
}

impl IndexEntry {
    /// That of a record which is nowhere yet.
    #[must_use]
    pub fn of(record: &TaskRecord) -> Self {
        let (id, row_hash) = (record.id.clone(), record.row_hash.clone());
        Self { id, offset: 0, length: 0, status: record.status, row_hash }
    }
}

/// A line of a segment that is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedLine {
    /// The segment.
    pub file: PathBuf,
    /// Where the line begins.
    pub offset: u64,
}

/// Everything that is whole in a segment, in its order. What is behind the last line end is no line.
///
/// # Errors
/// What the reader says.
pub fn read_segment(
    reader: impl io::Read,
    mut each: impl FnMut(u64, Result<IndexEntry, ()>),
) -> io::Result<()> {
    let mut reader = BufReader::with_capacity(1 << 18, reader);
    let (mut line, mut offset) = (Vec::new(), 0_u64);
    loop {
        line.clear();
        let read = reader.read_until(b'\n', &mut line)? as u64;
        if line.last() != Some(&b'\n') {
            return Ok(());
        }
        line.pop();
        let length = u32::try_from(line.len()).unwrap_or(u32::MAX);
        let entry = serde_json::from_slice::<RecordHead>(&line).map_err(drop).map(|head| {
            let RecordHead { id, status, row_hash } = head;
            IndexEntry { id, offset, length, status, row_hash }
        });
        each(offset, entry);
        offset += read;
    }
}

/// The index of a closed segment, if there is one that fits.
pub(super) fn read_index(segment: &Path, mut each: impl FnMut(IndexEntry)) -> Option<()> {
    let size = segment.metadata().ok()?.len();
    let file = File::open(index_path(segment)).ok()?;
    let mut reader = BufReader::with_capacity(1 << 18, file);
    let mut line = String::new();
    reader.read_line(&mut line).ok()?;
    // An index of another length is of another file.
    if line.trim_end() != format!("#bytes\t{size}") {
        return None;
    }
    loop {
        line.clear();
        if reader.read_line(&mut line).ok()? == 0 {
            return Some(());
        }
        each(parse_index_line(line.trim_end_matches('\n'))?);
    }
}

fn parse_index_line(line: &str) -> Option<IndexEntry> {
    let mut parts = line.split('\t');
    let entry = IndexEntry {
        id: parts.next()?.to_owned(),
        offset: parts.next()?.parse().ok()?,
        length: parts.next()?.parse().ok()?,
        status: TaskStatus::of_word(parts.next()?)?,
        row_hash: parts.next()?.to_owned(),
    };
    parts.next().is_none().then_some(entry)
}

fn index_path(segment: &Path) -> PathBuf {
    segment.with_extension("idx")
}

/// A record on its way to the disk.
struct Handed {
    line: Vec<u8>,
    entry: IndexEntry,
    told: oneshot::Sender<io::Result<()>>,
}

/// Takes records and tells when they are safe. Dropping it closes the segment in order.
pub struct SegmentWriter {
    sender: Option<Sender<Handed>>,
    thread: Option<JoinHandle<()>>,
}

impl SegmentWriter {
    /// Writes segments of this epoch and worker into a folder. The first file comes with the first record.
    ///
    /// # Errors
    /// If the folder cannot be made or no thread can be started.
    pub fn start(
        folder: &Path,
        epoch: u64,
        worker: &str,
        limits: SegmentLimits,
    ) -> Result<Self, BatchError> {
        std::fs::create_dir_all(folder).map_err(BatchError::when("make", folder))?;
        let (sender, receiver) = channel();
        let mut pen = Pen {
            folder: folder.to_path_buf(),
            stem: format!("{epoch:06}-{worker}"),
            limits,
            number: 0,
            open: None,
        };
        let thread = std::thread::Builder::new()
            .name("batch-segments".to_owned())
            .spawn(move || pen.run(&receiver))
            .map_err(BatchError::when("start a thread for", folder))?;
        Ok(Self { sender: Some(sender), thread: Some(thread) })
    }

    /// Hands in a record and waits until it is safe.
    ///
    /// # Errors
    /// If it could not be written or synced: then it does not count.
    pub async fn commit(&self, entry: IndexEntry, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        let (told, hears) = oneshot::channel();
        let gone = || io::Error::other("the writer of records is gone");
        let sender = self.sender.as_ref().ok_or_else(gone)?;
        sender.send(Handed { line, entry, told }).map_err(|_| gone())?;
        hears.await.map_err(|_| gone())?
    }
}

impl Drop for SegmentWriter {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The segment that is written at the moment.
struct OpenSegment {
    file: File,
    path: PathBuf,
    bytes: u64,
    since: Instant,
    entries: Vec<IndexEntry>,
}

struct Pen {
    folder: PathBuf,
    stem: String,
    limits: SegmentLimits,
    number: u32,
    open: Option<OpenSegment>,
}

impl Pen {
    fn run(&mut self, receiver: &Receiver<Handed>) {
        while let Ok(first) = receiver.recv() {
            let mut group = vec![first];
            let until = Instant::now() + self.limits.commit;
            while group.len() < GROUP {
                let left = until.saturating_duration_since(Instant::now());
                match receiver.recv_timeout(left) {
                    Ok(handed) => group.push(handed),
                    Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
                }
            }
            self.write(group);
        }
        self.close();
    }

    fn write(&mut self, mut group: Vec<Handed>) {
        let written = self.append(&mut group);
        if written.is_err() {
            // Nobody knows how much of it is in the file: nothing more goes behind it. One without anything that counts
            // is not left to fill a disk that is full.
            if let Some(segment) = self.open.take().filter(|segment| segment.entries.is_empty()) {
                let _ = std::fs::remove_file(&segment.path);
            }
        }
        for handed in group {
            let told = match &written {
                Ok(()) => Ok(()),
                Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
            };
            let _ = handed.told.send(told);
        }
        let limits = self.limits;
        if self
            .open
            .as_ref()
            .is_some_and(|it| it.bytes >= limits.bytes || it.since.elapsed() >= MAX_AGE)
        {
            self.close();
        }
    }

    fn append(&mut self, group: &mut [Handed]) -> io::Result<()> {
        let segment = self.segment()?;
        let mut bytes = Vec::with_capacity(group.iter().map(|handed| handed.line.len()).sum());
        let mut entries = Vec::with_capacity(group.len());
        for handed in group.iter_mut() {
            let mut entry = handed.entry.clone();
            entry.offset = segment.bytes + bytes.len() as u64;
            entry.length = u32::try_from(handed.line.len() - 1).map_err(io::Error::other)?;
            entries.push(entry);
            bytes.append(&mut handed.line);
        }
        segment.file.write_all(&bytes)?;
        segment.file.sync_data()?;
        segment.bytes += bytes.len() as u64;
        segment.entries.append(&mut entries);
        Ok(())
    }

    fn segment(&mut self) -> io::Result<&mut OpenSegment> {
        if self.open.is_none() {
            let path = self.folder.join(format!("{}-{:04}.jsonl", self.stem, self.number));
            self.number += 1;
            let file = OpenOptions::new().append(true).create_new(true).open(&path)?;
            File::open(&self.folder)?.sync_all()?;
            let (since, entries) = (Instant::now(), Vec::new());
            self.open = Some(OpenSegment { file, path, bytes: 0, since, entries });
        }
        self.open.as_mut().ok_or_else(|| io::Error::other("no segment is open"))
    }

    /// Closes the segment and writes its index, without which it would be read from end to end.
    fn close(&mut self) {
        let Some(segment) = self.open.take() else { return };
        let mut text = format!("#bytes\t{}\n", segment.bytes);
        for entry in &segment.entries {
            let IndexEntry { id, offset, length, status, row_hash } = entry;
            text.push_str(&format!("{id}\t{offset}\t{length}\t{}\t{row_hash}\n", status.word()));
        }
        let path = index_path(&segment.path);
        if let Err(error) = atomic::write(&path, text.as_bytes(), WriteOptions::KEEP) {
            tracing::warn!(%error, "a segment stays without an index");
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn line(id: &str) -> Vec<u8> {
        format!(
            "{{\"id\":\"{id}\",\"status\":\"ok\",\"row_hash\":\"ab\",\"text\":\"{}\"}}",
            "x".repeat(9)
        )
        .into_bytes()
    }

    fn entry(id: &str) -> IndexEntry {
        let (id, row_hash) = (id.to_owned(), "ab".to_owned());
        IndexEntry { id, offset: 0, length: 0, status: TaskStatus::Ok, row_hash }
    }

    fn ids(bytes: &[u8]) -> Vec<String> {
        let mut ids = Vec::new();
        read_segment(bytes, |_, entry| ids.extend(entry.map(|entry| entry.id))).unwrap();
        ids
    }

    #[tokio::test]
    async fn what_was_acknowledged_is_there_wherever_the_file_is_cut_behind_it() {
        let folder = tempfile::tempdir().unwrap();
        let limits = SegmentLimits { bytes: 1 << 20, commit: Duration::from_millis(1) };
        let writer = SegmentWriter::start(folder.path(), 1, "w", limits).unwrap();
        let path = folder.path().join("000001-w-0000.jsonl");
        let mut safe = Vec::new();
        for id in ["a", "b", "c"] {
            writer.commit(entry(id), line(id)).await.unwrap();
            safe.push(path.metadata().unwrap().len());
        }
        drop(writer);
        let bytes = std::fs::read(&path).unwrap();
        for cut in 0..=bytes.len() {
            let whole = safe.iter().filter(|end| **end <= cut as u64).count();
            assert_eq!(ids(&bytes[..cut]), ["a", "b", "c"][..whole], "cut at {cut}");
        }
        let mut indexed = Vec::new();
        read_index(&path, |entry| indexed.push(entry)).unwrap();
        let mut scanned = Vec::new();
        read_segment(&bytes[..], |_, entry| scanned.extend(entry)).unwrap();
        assert_eq!(indexed, scanned);
    }

    #[tokio::test]
    async fn a_full_segment_is_closed_and_another_begun() {
        let folder = tempfile::tempdir().unwrap();
        let limits = SegmentLimits { bytes: 1, commit: Duration::ZERO };
        let writer = SegmentWriter::start(folder.path(), 3, "w", limits).unwrap();
        writer.commit(entry("a"), line("a")).await.unwrap();
        writer.commit(entry("b"), line("b")).await.unwrap();
        drop(writer);
        for number in 0..2 {
            assert!(folder.path().join(format!("000003-w-000{number}.idx")).exists());
        }
    }

    proptest! {
        #[test]
        fn damage_in_the_middle_costs_the_damaged_lines_only(
            lines in proptest::collection::vec(any::<bool>(), 0..12)
        ) {
            let mut bytes = Vec::new();
            let mut expected = Vec::new();
            for (number, is_sound) in lines.iter().enumerate() {
                let id = format!("t{number}");
                if *is_sound {
                    bytes.extend(line(&id));
                    expected.push(id);
                } else {
                    bytes.extend(b"{\"id\": torn \xff");
                }
                bytes.push(b'\n');
            }
            prop_assert_eq!(ids(&bytes), expected);
        }

        #[test]
        fn no_bytes_make_the_readers_fall_over(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = ids(&bytes);
            let _ = parse_index_line(&String::from_utf8_lossy(&bytes));
        }
    }
}
