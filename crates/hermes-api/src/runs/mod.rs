//! Runs: turns that go on without their client, and what is kept of them.

mod journal;
mod run;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::problem::Refusal;
pub(crate) use run::Run;

/// How long a run that is over can be asked about.
const KEPT_FOR: Duration = Duration::from_secs(3_600);
/// Runs that are kept; of those that are over the oldest go first.
const MOST: usize = 200;

/// The runs of this process.
#[derive(Default)]
pub(crate) struct Runs(Mutex<HashMap<String, Arc<Run>>>);

impl Runs {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Run>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a run for whoever asks about it.
    pub(crate) fn keep(&self, run: Arc<Run>) {
        let mut runs = self.lock();
        runs.retain(|_, run| run.ended().is_none_or(|ended| ended.elapsed() < KEPT_FOR));
        while runs.len() >= MOST {
            let over = runs.values().filter_map(|run| Some((run.ended()?, run.id.clone())));
            let Some((_, oldest)) = over.min() else { break };
            runs.remove(&oldest);
        }
        runs.insert(run.id.clone(), run);
    }

    /// The run of this id.
    pub(crate) fn find(&self, id: &str) -> Result<Arc<Run>, Refusal> {
        self.lock().get(id).cloned().ok_or_else(|| {
            let text = format!(
                "There is no run `{id}`; they are kept for an hour, by the process that ran them"
            );
            Refusal::unknown("run_not_found", text)
        })
    }

    /// Those that are at work.
    pub(crate) fn at_work(&self) -> usize {
        self.lock().values().filter(|run| run.ended().is_none()).count()
    }
}
