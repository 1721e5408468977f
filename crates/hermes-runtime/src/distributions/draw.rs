//! Where chance comes from.

use std::hash::{BuildHasher, RandomState};

/// A source of random numbers.
pub trait DrawSource {
    /// The next number, at least 0 and below 1.
    fn draw(&mut self) -> f64;
}

/// A small generator: one 64-bit counter, well mixed (the SplitMix64 construction).
///
/// Good enough to choose toolsets and the same on every machine; not for secrets.
#[derive(Debug, Clone)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// A generator that always gives the same numbers for the same seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A generator that gives different numbers each time.
    pub fn from_os() -> Self {
        // The standard library seeds its hash keys from the operating system.
        Self::new(RandomState::new().hash_one(0))
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl DrawSource for SplitMix64 {
    fn draw(&mut self) -> f64 {
        // The 53 upper bits are exactly what a double can hold.
        const STEPS: f64 = (1_u64 << 53) as f64;
        (self.next() >> 11) as f64 / STEPS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gives_the_published_first_numbers_for_seed_zero() {
        let mut generator = SplitMix64::new(0);
        assert_eq!(generator.next(), 0xe220_a839_7b1d_cdaf);
        assert_eq!(generator.next(), 0x6e78_9e6a_a1b9_65f4);
    }

    #[test]
    fn draws_stay_in_range_and_spread_evenly() {
        let mut generator = SplitMix64::new(42);
        let draws: Vec<f64> = (0..10_000).map(|_| generator.draw()).collect();
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
        let mean = draws.iter().sum::<f64>() / 10_000.0;
        assert!((mean - 0.5).abs() < 0.01, "mean {mean}");
    }

    #[test]
    fn generators_seeded_by_the_system_differ() {
        let first: Vec<u64> = (0..4).map(|_| SplitMix64::from_os().next()).collect();
        assert!(first.iter().any(|number| *number != first[0]));
    }
}
