//! Seeds: chance that depends on the run and the task, and on nothing else.
//!
//! Not on the worker, the order, the machine or the attempt: so a task that runs again, elsewhere or later, draws the
//! same toolsets, and two runs with the same seed can be compared row by row.

use hermes_runtime::distributions::DrawSource;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore as _, SeedableRng as _};
use sha2::{Digest as _, Sha256};

/// Mixes the seed of the run with the name of a task, and with nothing else.
#[must_use]
pub fn task_seed(run_seed: u64, task: &str) -> u64 {
    let mut digest = Sha256::new();
    digest.update(b"hermes-batch-1");
    digest.update(run_seed.to_string());
    digest.update([0]);
    digest.update(task);
    let digest: [u8; 32] = digest.finalize().into();
    let [a, b, c, d, e, f, g, h, ..] = digest;
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// The chances of one task, in the order they are needed: toolsets first, then waits.
#[derive(Clone, Debug)]
pub struct TaskStream(ChaCha8Rng);

impl TaskStream {
    /// The stream of a seed, from its beginning.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }
}

impl DrawSource for TaskStream {
    fn draw(&mut self) -> f64 {
        const STEPS: f64 = (1_u64 << 53) as f64;
        (self.0.next_u64() >> 11) as f64 / STEPS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_and_draws_stay_what_they_were_in_earlier_versions() {
        assert_eq!(task_seed(7, "a"), task_seed(7, "a"));
        assert_ne!(task_seed(7, "a"), task_seed(7, "a.1"));
        assert_ne!(task_seed(7, "a"), task_seed(8, "a"));
        let mut stream = TaskStream::new(42);
        let drawn: Vec<f64> = (0..3).map(|_| stream.draw()).collect();
        assert!(drawn.iter().all(|u| (0.0..1.0).contains(u)));
        let again: Vec<f64> = {
            let mut stream = TaskStream::new(42);
            (0..3).map(|_| stream.draw()).collect()
        };
        assert_eq!(drawn, again);
    }
}
