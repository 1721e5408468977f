//! How far a compression is, on the disk: what was killed goes on where it was.

use std::path::{Path, PathBuf};

use hermes_store::atomic::{self, WriteOptions};
use serde::{Deserialize, Serialize};

use super::totals::CompressTotals;
use crate::BatchError;

/// Everything before these places is in the output, and the disk has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct CompressProgress {
    /// Tells one job from another: its options and its files with their sizes.
    pub(super) job: String,
    /// When it began.
    pub(super) began: String,
    /// How many files are done.
    pub(super) files: usize,
    /// Bytes of the next one that are done.
    pub(super) offset: u64,
    /// Lines of it.
    pub(super) lines: u32,
    /// Bytes of its output.
    pub(super) written: u64,
    /// Whether its output is whole and only has to be put in its place.
    pub(super) is_whole: bool,
    /// What was done so far.
    pub(super) totals: CompressTotals,
}

impl CompressProgress {
    /// Where the progress of an output is kept.
    pub(super) fn path(out: &Path) -> PathBuf {
        let mut name = out.file_name().unwrap_or_default().to_owned();
        name.push(".progress.json");
        out.with_file_name(name)
    }

    /// What an earlier start of the same job left; none if there was no such start.
    pub(super) fn read(path: &Path, job: &str) -> Option<Self> {
        let text = std::fs::read(path).ok()?;
        serde_json::from_slice(&text).ok().filter(|progress: &Self| progress.job == job)
    }

    pub(super) fn write(&self, path: &Path) -> Result<(), BatchError> {
        let text = serde_json::to_vec(self).map_err(|error| BatchError::broken(path, error))?;
        Ok(atomic::write(path, &text, WriteOptions::KEEP)?)
    }
}
