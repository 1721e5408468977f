//! At most one checkpoint per directory and turn.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

/// How many pairs of turn and directory are remembered; the oldest are forgotten first.
const REMEMBERED: usize = 512;

type Claim = (String, PathBuf, Arc<OnceCell<()>>);

/// The checkpoints that were asked for lately.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<VecDeque<Claim>>);

impl Turns {
    /// The cell of a pair, to be filled by whoever comes first.
    pub(super) fn claim(&self, turn: &str, dir: &Path) -> Arc<OnceCell<()>> {
        let mut claims = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = claims.iter().find(|(t, d, _)| t == turn && d == dir);
        if let Some((.., cell)) = known {
            return Arc::clone(cell);
        }
        if claims.len() == REMEMBERED {
            claims.pop_front();
        }
        let cell = Arc::default();
        claims.push_back((turn.to_owned(), dir.to_owned(), Arc::clone(&cell)));
        cell
    }
}
