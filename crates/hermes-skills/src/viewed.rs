//! What was looked at before it is changed.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Most views remembered.
const MAX_VIEWS: usize = 4096;

/// Which files of skills were viewed, in which turn.
#[derive(Debug, Default)]
pub struct ViewedSkills(Mutex<HashSet<(String, PathBuf)>>);

impl ViewedSkills {
    /// Remembers a view in a turn.
    pub fn note(&self, turn: &str, file: &Path) {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MAX_VIEWS {
            seen.clear();
        }
        seen.insert((turn.to_owned(), file.to_path_buf()));
    }

    /// Whether a file was viewed in a turn.
    #[must_use]
    pub fn holds(&self, turn: &str, file: &Path) -> bool {
        let seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        seen.contains(&(turn.to_owned(), file.to_path_buf()))
    }
}
