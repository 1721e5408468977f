//! At most one checkpoint per directory and turn.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

use super::error::{CheckpointError, Skip};
use super::snapshot::Outcome;
use super::store::Store;

/// How many pairs of turn and directory are remembered; the oldest are forgotten first.
const REMEMBERED: usize = 512;

type Claim = (String, PathBuf, Arc<OnceCell<()>>);

/// The checkpoints that were asked for lately.
#[derive(Debug, Default)]
pub(super) struct Turns(Mutex<VecDeque<Claim>>);

impl Turns {
    fn claim(&self, turn: &str, dir: &Path) -> Arc<OnceCell<()>> {
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

impl Store {
    /// Takes a checkpoint, unless one of this directory was taken (or tried) in this turn.
    ///
    /// A second caller waits until the first is done, so that no change can overtake the
    /// checkpoint that is to protect from it. A failed try is not repeated within the turn.
    pub async fn snapshot_once(
        &self,
        turn: &str,
        dir: &Path,
        reason: &str,
    ) -> Result<Outcome, CheckpointError> {
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        let claim = self.turns.claim(turn, &dir);
        let mut outcome = Ok(Outcome::Skipped(Skip::AlreadyThisTurn));
        claim.get_or_init(async || outcome = self.snapshot(&dir, reason).await).await;
        outcome
    }
}
