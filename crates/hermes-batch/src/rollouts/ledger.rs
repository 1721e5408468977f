//! Which groups were left with a trainer: a file that is asked before anything is posted.
//!
//! A line is written and synced before a group is sent, another when it is known what became of it. A group of which only
//! the first line is there may have arrived or not; it is never sent again.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::BatchError;

/// What became of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PostState {
    /// It is being sent.
    Begun,
    /// It provably did not get there, and may be sent again.
    NotSent,
    /// The API has it.
    Received,
    /// The API has it, and waits for others to complete it.
    Buffered,
    /// Nobody knows.
    Unsure,
    /// All its rollouts are worth the same, so it was not sent.
    Alike,
    /// It is not complete, or the API did not want it.
    Dropped,
}

#[derive(Serialize, Deserialize)]
struct LedgerLine {
    item: u64,
    group: String,
    state: PostState,
}

/// The file.
#[derive(Debug)]
pub struct PostLedger {
    file: File,
    path: PathBuf,
    states: BTreeMap<u64, PostState>,
}

impl PostLedger {
    /// Opens it, and counts what was being sent when somebody was killed as unsure.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn open(path: &Path) -> Result<Self, BatchError> {
        let opened = File::options().read(true).append(true).create(true).open(path);
        let mut file = opened.map_err(BatchError::when("open", path))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(BatchError::when("read", path))?;
        if !text.is_empty() && !text.ends_with('\n') {
            // A torn line stays what it is; ours begin behind it.
            file.write_all(b"\n").map_err(BatchError::when("write", path))?;
        }
        let lines = text.lines().filter_map(|line| serde_json::from_str::<LedgerLine>(line).ok());
        let mut states: BTreeMap<u64, PostState> =
            lines.map(|line| (line.item, line.state)).collect();
        for state in states.values_mut().filter(|state| **state == PostState::Begun) {
            *state = PostState::Unsure;
        }
        Ok(Self { file, path: path.to_path_buf(), states })
    }

    /// The first item nothing is known about.
    #[must_use]
    pub fn next_item(&self) -> u64 {
        self.states.last_key_value().map_or(0, |(item, _)| item + 1)
    }

    /// Notes a state, on the disk.
    ///
    /// # Errors
    /// If that fails: then nothing may be sent.
    pub fn note(&mut self, item: u64, group: &str, state: PostState) -> Result<(), BatchError> {
        let line = LedgerLine { item, group: group.to_owned(), state };
        let mut text = serde_json::to_string(&line).unwrap_or_default();
        text.push('\n');
        let write = |file: &mut File| {
            file.write_all(text.as_bytes())?;
            file.sync_data()
        };
        write(&mut self.file).map_err(BatchError::when("write", &self.path))?;
        self.states.insert(item, state);
        Ok(())
    }

    /// How many groups are in a state.
    #[must_use]
    pub fn count(&self, state: PostState) -> usize {
        self.states.values().filter(|found| **found == state).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_being_sent_when_somebody_was_killed_is_not_sent_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("posted.jsonl");
        let mut ledger = PostLedger::open(&path).unwrap();
        ledger.note(0, "r/a", PostState::Begun).unwrap();
        ledger.note(0, "r/a", PostState::Received).unwrap();
        ledger.note(1, "r/b", PostState::Begun).unwrap();
        drop(ledger);
        let mut torn = File::options().append(true).open(&path).unwrap();
        torn.write_all(b"{\"item\":7,\"gro").unwrap();
        let mut ledger = PostLedger::open(&path).unwrap();
        assert_eq!(ledger.next_item(), 2);
        assert_eq!((ledger.count(PostState::Received), ledger.count(PostState::Unsure)), (1, 1));
        ledger.note(2, "r/c", PostState::Alike).unwrap();
        assert_eq!(PostLedger::open(&path).unwrap().next_item(), 3);
    }
}
