//! Which record of each task counts, worked out from the segments.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::RunFolder;
use super::segment::{DamagedLine, IndexEntry, read_index, read_segment};
use crate::BatchError;
use crate::record::{TaskRecord, TaskStatus};

/// Where the record of a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptRecord {
    /// How the task ended.
    pub status: TaskStatus,
    /// Which start wrote it.
    pub epoch: u64,
    segment: u32,
    length: u32,
    offset: u64,
}

impl KeptRecord {
    /// Smaller is better: worth, then the earlier start, then the order in the files.
    fn order(&self) -> (u8, u64, u32, u64) {
        (self.status.rank(), self.epoch, self.segment, self.offset)
    }
}

/// The records of a run, one for each task that has any.
#[derive(Debug, Default)]
pub struct RunIndex {
    segments: Vec<PathBuf>,
    /// By the number whoever reads gives to tasks.
    kept: HashMap<u32, KeptRecord>,
    superseded: u64,
    damaged: Vec<DamagedLine>,
    epochs: Vec<u64>,
}

impl RunIndex {
    /// Reads all segments. `number` gives each task a number; what it does not know is left out. It is also told the
    /// fingerprint of the row that the record was made for.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read(
        folder: &RunFolder,
        mut number: impl FnMut(&IndexEntry) -> Option<u32>,
    ) -> Result<Self, BatchError> {
        let put_back = put_back(folder)?;
        let mut index = Self::default();
        for (epoch, path) in segment_files(&folder.segments())? {
            let segment = u32::try_from(index.segments.len()).unwrap_or(u32::MAX);
            index.segments.push(path.clone());
            if index.epochs.last() != Some(&epoch) {
                index.epochs.push(epoch);
            }
            let mut damaged = Vec::new();
            let mut take = |entry: IndexEntry| {
                if put_back.get(&entry.id).is_some_and(|since| epoch < *since) {
                    return;
                }
                let Some(task) = number(&entry) else { return };
                let IndexEntry { offset, length, status, .. } = entry;
                index.keep(task, KeptRecord { status, epoch, segment, length, offset });
            };
            let mut entries = Vec::new();
            if read_index(&path, |entry| entries.push(entry)).is_some() {
                entries.into_iter().for_each(take);
                continue;
            }
            let file = File::open(&path).map_err(BatchError::when("open", &path))?;
            read_segment(file, |offset, entry| match entry {
                Ok(entry) => take(entry),
                Err(()) => damaged.push(DamagedLine { file: path.clone(), offset }),
            })
            .map_err(BatchError::when("read", &path))?;
            index.damaged.append(&mut damaged);
        }
        Ok(index)
    }

    /// Every record of one task in the order of the files, and whether it is the one that counts.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn records_of(folder: &RunFolder, id: &str) -> Result<Vec<(TaskRecord, bool)>, BatchError> {
        let index = Self::read(folder, |entry| (entry.id == id).then_some(0))?;
        let counts = index.get(0).copied();
        let mut found = Vec::new();
        for (segment, path) in index.segments.iter().enumerate() {
            let file = File::open(path).map_err(BatchError::when("open", path))?;
            read_segment(file, |_, entry| {
                let Ok(entry) = entry else { return };
                if entry.id == id {
                    let IndexEntry { offset, length, status, .. } = entry;
                    found.push((segment, offset, length, status));
                }
            })
            .map_err(BatchError::when("read", path))?;
        }
        let mut records = Vec::new();
        for (segment, offset, length, status) in found {
            let segment = u32::try_from(segment).unwrap_or(u32::MAX);
            let kept = KeptRecord { status, epoch: 0, segment, length, offset };
            let is_it =
                counts.is_some_and(|counts| (counts.segment, counts.offset) == (segment, offset));
            records.push((index.record(&kept)?, is_it));
        }
        Ok(records)
    }

    fn keep(&mut self, task: u32, found: KeptRecord) {
        match self.kept.get_mut(&task) {
            None => {
                self.kept.insert(task, found);
            }
            Some(kept) => {
                self.superseded += 1;
                if found.order() < kept.order() {
                    *kept = found;
                }
            }
        }
    }

    /// The record of a task, if it has one.
    #[must_use]
    pub fn get(&self, task: u32) -> Option<&KeptRecord> {
        self.kept.get(&task)
    }

    /// How many tasks have a record.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether no task has one.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// How many tasks ended this way.
    #[must_use]
    pub fn count(&self, status: TaskStatus) -> usize {
        self.kept.values().filter(|kept| kept.status == status).count()
    }

    /// Records that another one of the same task stands for.
    #[must_use]
    pub fn superseded(&self) -> u64 {
        self.superseded
    }

    /// Lines that are no records.
    #[must_use]
    pub fn damaged(&self) -> &[DamagedLine] {
        &self.damaged
    }

    /// The starts that wrote something.
    #[must_use]
    pub fn epochs(&self) -> &[u64] {
        &self.epochs
    }

    /// The numbers of tasks with a record, in order.
    #[must_use]
    pub fn tasks(&self) -> Vec<u32> {
        let mut tasks: Vec<u32> = self.kept.keys().copied().collect();
        tasks.sort_unstable();
        tasks
    }

    /// The bytes of a record.
    ///
    /// # Errors
    /// If the segment cannot be read.
    pub fn bytes(&self, kept: &KeptRecord) -> Result<Vec<u8>, BatchError> {
        let path = &self.segments[kept.segment as usize];
        let read = || {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(kept.offset))?;
            let mut bytes = vec![0; kept.length as usize];
            file.read_exact(&mut bytes).map(|()| bytes)
        };
        read().map_err(BatchError::when("read", path))
    }

    /// A whole record.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn record(&self, kept: &KeptRecord) -> Result<TaskRecord, BatchError> {
        let path = &self.segments[kept.segment as usize];
        let bytes = self.bytes(kept)?;
        serde_json::from_slice(&bytes).map_err(|error| BatchError::broken(path, error))
    }
}

/// The segments in the order in which they are read: by start, worker and number, which is that of their names.
fn segment_files(folder: &Path) -> Result<Vec<(u64, PathBuf)>, BatchError> {
    let entries = match folder.read_dir() {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(BatchError::when("list", folder)(error)),
    };
    let mut files = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name();
        let Some(stem) = name.to_str().and_then(|name| name.strip_suffix(".jsonl")) else {
            continue;
        };
        let epoch = stem.split('-').next().and_then(|epoch| epoch.parse().ok());
        files.extend(epoch.map(|epoch| (epoch, path)));
    }
    files.sort();
    Ok(files)
}

/// Tasks that were put back, with the start before which their records no longer count.
fn put_back(folder: &RunFolder) -> Result<HashMap<String, u64>, BatchError> {
    let mut tasks = HashMap::new();
    let Ok(entries) = folder.path("retries").read_dir() else { return Ok(tasks) };
    for entry in entries.flatten() {
        let path = entry.path();
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let Some(epoch) = stem.and_then(|stem| stem.parse::<u64>().ok()) else { continue };
        let text = std::fs::read(&path).map_err(BatchError::when("read", &path))?;
        let ids: Vec<String> =
            serde_json::from_slice(&text).map_err(|error| BatchError::broken(&path, error))?;
        for id in ids {
            let since = tasks.entry(id).or_insert(epoch);
            *since = epoch.max(*since);
        }
    }
    Ok(tasks)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn segment(folder: &RunFolder, name: &str, lines: &[(&str, &str)]) {
        std::fs::create_dir_all(folder.segments()).unwrap();
        let mut file = File::create(folder.segments().join(name)).unwrap();
        for (id, status) in lines {
            writeln!(file, "{{\"id\":\"{id}\",\"status\":\"{status}\"}}").unwrap();
        }
    }

    fn read(folder: &RunFolder) -> RunIndex {
        RunIndex::read(folder, |entry| entry.id.parse().ok()).unwrap()
    }

    #[test]
    fn of_two_records_the_better_then_the_earlier_one_counts() {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::at(place.path());
        segment(
            &folder,
            "000001-w-0000.jsonl",
            &[("1", "failed"), ("2", "ok"), ("3", "incomplete")],
        );
        segment(
            &folder,
            "000002-w-0000.jsonl",
            &[("1", "ok"), ("2", "ok"), ("3", "partial"), ("3", "refused")],
        );
        let index = read(&folder);
        assert_eq!((index.len(), index.superseded()), (3, 4));
        assert_eq!(index.get(1).map(|kept| kept.epoch), Some(2), "a success stands for a failure");
        assert_eq!(index.get(2).map(|kept| kept.epoch), Some(1), "the earlier of two equals");
        assert_eq!(index.get(3).map(|kept| kept.status), Some(TaskStatus::Incomplete));
    }

    #[test]
    fn a_task_that_was_put_back_has_no_record_until_it_ran_again() {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::at(place.path());
        assert_eq!(folder.next_epoch().unwrap(), 1);
        segment(&folder, "000001-w-0000.jsonl", &[("1", "ok"), ("2", "ok")]);
        folder.put_back(&["1".to_owned()]).unwrap();
        assert_eq!(read(&folder).tasks(), [2]);
        assert_eq!(folder.next_epoch().unwrap(), 3);
        segment(&folder, "000003-w-0000.jsonl", &[("1", "failed")]);
        assert_eq!(read(&folder).tasks(), [1, 2]);
    }
}
