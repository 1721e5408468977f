//! Room on the disk of a run: looked at before tasks begin, waited for when a record cannot be written.
//!
//! A record is money that was spent. One that the disk refuses is kept and handed in again, and nothing new begins
//! meanwhile. If that lasts too long the run ends, and what could not be written goes into a file beside the segments,
//! which the next start takes in ([`take_in_unwritten`]).

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::BatchError;
use crate::record::TaskRecord;
use crate::store::{IndexEntry, RunFolder, SegmentWriter};

/// How often it is looked how much room there is.
const LOOK: Duration = Duration::from_secs(1);
/// The folder of records that found no room in a segment.
const UNWRITTEN: &str = "unwritten";
/// On a small disk less is enough: so many parts of the whole.
const PART: u64 = 50;

/// Says whether there is room, and how long there has been none.
#[derive(Debug)]
pub(super) struct DiskRoom {
    folder: PathBuf,
    least: u64,
    looked: Option<Instant>,
    low: Option<String>,
    /// What the disk said to the last record, if it refused it.
    refused: Option<String>,
    since: Option<Instant>,
}

/// What has changed about the room.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RoomNews {
    /// There is none any more, for this reason.
    None(String),
    /// There is some again.
    Some,
}

impl DiskRoom {
    /// For the disk of this folder, of which so many bytes stay free.
    pub(super) fn of(folder: &RunFolder, least: u64) -> Self {
        let folder = folder.root().to_path_buf();
        Self { folder, least, looked: None, low: None, refused: None, since: None }
    }

    /// A record was refused.
    pub(super) fn refused(&mut self, why: String) {
        self.refused = Some(why);
    }

    /// A record is safe.
    pub(super) fn taken(&mut self) {
        self.refused = None;
    }

    /// Looks at the disk now and then; what has changed since the last look.
    pub(super) fn look(&mut self) -> Option<RoomNews> {
        if self.looked.is_none_or(|at| at.elapsed() >= LOOK) {
            self.looked = Some(Instant::now());
            self.low = self.shortage();
        }
        match (self.why(), self.since) {
            (Some(why), None) => {
                let news = RoomNews::None(why.to_owned());
                self.since = Some(Instant::now());
                Some(news)
            }
            (None, Some(_)) => {
                self.since = None;
                Some(RoomNews::Some)
            }
            _ => None,
        }
    }

    /// Why nothing may begin, if that is so.
    pub(super) fn why(&self) -> Option<&str> {
        self.refused.as_deref().or(self.low.as_deref())
    }

    /// How long there has been no room.
    pub(super) fn lasted(&self) -> Duration {
        self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn shortage(&self) -> Option<String> {
        let found = rustix::fs::statvfs(&self.folder).ok()?;
        let (free, all) = (found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize);
        is_short(free, all, self.least).then(|| {
            let place = self.folder.display();
            format!("{} MB are free on the disk of {place}", free >> 20)
        })
    }
}

/// Whether so little is free that nothing may begin.
fn is_short(free: u64, all: u64, least: u64) -> bool {
    free < least.min(all / PART)
}

/// Keeps records that no segment took; where they are.
pub(super) fn keep_unwritten(
    folder: &RunFolder,
    epoch: u64,
    records: &[&TaskRecord],
) -> Result<PathBuf, BatchError> {
    let place = folder.path(UNWRITTEN);
    std::fs::create_dir_all(&place).map_err(BatchError::when("make", &place))?;
    let path = place.join(format!("{epoch:06}.jsonl"));
    let write = || {
        let mut file = File::create(&path)?;
        for record in records {
            let mut line = serde_json::to_vec(record)?;
            line.push(b'\n');
            file.write_all(&line)?;
        }
        file.sync_all()?;
        File::open(&place)?.sync_all()
    };
    write().map_err(BatchError::when("write", &path))?;
    Ok(path)
}

/// Takes in what earlier starts could not write; how many records that were. A line that is none was being written when
/// somebody died: its task counts as pending.
///
/// # Errors
/// If they cannot be read, or there is still no room for them.
pub async fn take_in_unwritten(
    folder: &RunFolder,
    writer: &SegmentWriter,
) -> Result<usize, BatchError> {
    let Ok(entries) = folder.path(UNWRITTEN).read_dir() else { return Ok(0) };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let mut count = 0;
    for path in paths {
        let file = File::open(&path).map_err(BatchError::when("open", &path))?;
        for line in BufReader::new(file).split(b'\n') {
            let line = line.map_err(BatchError::when("read", &path))?;
            let Ok(record) = serde_json::from_slice::<TaskRecord>(&line) else { continue };
            let written = writer.commit(IndexEntry::of(&record), line).await;
            written.map_err(BatchError::when("write into", &folder.segments()))?;
            count += 1;
        }
        std::fs::remove_file(&path).map_err(BatchError::when("remove", &path))?;
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_disk_needs_less_room_than_a_large_one() {
        let gib = 1 << 30;
        assert!(is_short(gib, 1000 * gib, 2 * gib) && !is_short(3 * gib, 1000 * gib, 2 * gib));
        // Of 8 MB there are never two gigabytes free: a fiftieth is enough.
        assert!(!is_short(1 << 20, 8 << 20, 2 * gib) && is_short(100_000, 8 << 20, 2 * gib));
    }

    #[test]
    fn what_changes_about_the_room_is_told_once() {
        let place = tempfile::tempdir().unwrap();
        let mut room = DiskRoom::of(&RunFolder::at(place.path()), 0);
        assert_eq!(room.look(), None);
        room.refused("full".to_owned());
        assert_eq!(room.look(), Some(RoomNews::None("full".to_owned())));
        assert_eq!((room.look(), room.why()), (None, Some("full")));
        room.taken();
        assert_eq!((room.look(), room.why()), (Some(RoomNews::Some), None));
    }
}
