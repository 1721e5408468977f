//! Times our calls the way `reference.py` times its own: the batch size grows until a
//! batch is long enough for the clock, and the fastest of several batches counts.

use std::hint::black_box;
use std::time::{Duration, Instant};

const BATCHES: usize = 10;
const BATCH: Duration = Duration::from_millis(20);
const RECOMPUTATIONS: usize = 50;
/// Inputs made at a time: so few that the calls find them in the cache, as a caller's arguments are.
const CHUNK: usize = 512;

/// Nanoseconds per call in the fastest batch. Inputs are made outside the timed part.
pub(crate) fn fastest<I, O>(fresh_input: impl Fn() -> I, mut call: impl FnMut(I) -> O) -> f64 {
    let mut size = 1;
    while batch(size, &fresh_input, &mut call) < BATCH {
        size *= 2;
    }
    let batches = (0..BATCHES).map(|_| batch(size, &fresh_input, &mut call));
    batches.min().map_or(f64::NAN, |took| took.as_nanos() as f64 / size as f64)
}

/// Nanoseconds of the median call, each timed alone after an untimed `disturb`.
pub(crate) fn median_after<O>(mut disturb: impl FnMut(), mut call: impl FnMut() -> O) -> f64 {
    let mut runs: Vec<Duration> = (0..RECOMPUTATIONS)
        .map(|_| {
            disturb();
            batch(1, &|| (), &mut |()| call())
        })
        .collect();
    runs.sort_unstable();
    runs.get(runs.len() / 2).map_or(f64::NAN, |took| took.as_nanos() as f64)
}

/// The number in the middle.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}

/// What is made in the timed part is dropped in it too, as it is on the other side.
fn batch<I, O>(
    size: usize,
    fresh_input: &impl Fn() -> I,
    call: &mut impl FnMut(I) -> O,
) -> Duration {
    let mut took = Duration::ZERO;
    let mut left = size;
    while left > 0 {
        let inputs: Vec<I> = (0..left.min(CHUNK)).map(|_| fresh_input()).collect();
        left -= inputs.len();
        let start = Instant::now();
        for input in inputs {
            black_box(call(black_box(input)));
        }
        took += start.elapsed();
    }
    took
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn every_call_gets_an_input_of_its_own() {
        let made = Cell::new(0_u64);
        let mut called = 0_u64;
        let nanoseconds = fastest(|| made.set(made.get() + 1), |()| called += 1);
        assert_eq!(made.get(), called);
        assert!(nanoseconds.is_finite());
    }

    #[test]
    fn disturbs_before_each_measured_call() {
        let generation = Cell::new(0_usize);
        let seen = Cell::new(0_usize);
        let nanoseconds = median_after(
            || generation.set(generation.get() + 1),
            || assert_eq!(seen.replace(generation.get()) + 1, generation.get()),
        );
        assert_eq!(seen.get(), RECOMPUTATIONS);
        assert!(nanoseconds.is_finite());
    }
}
