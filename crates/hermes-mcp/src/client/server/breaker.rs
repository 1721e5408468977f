//! Leaves a server alone that cannot be reached.
//!
//! After a few failures in a row calls are answered at once for a while: waiting for each of them
//! would cost a model minutes. Then one call may try. An error *of* the server is no failure here;
//! only not reaching it is.

use std::time::{Duration, Instant};

/// Failures in a row before the server is left alone.
pub(crate) const LIMIT: u32 = 3;

/// Counts failures.
#[derive(Debug, Default)]
pub(crate) struct CircuitBreaker {
    failures: u32,
    until: Option<Instant>,
}

/// The server is left alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CircuitOpen {
    pub(crate) failures: u32,
    pub(crate) left: Duration,
}

impl CircuitBreaker {
    /// Whether a call may be made now. After the pause one may, and the others wait for its outcome.
    pub(crate) fn ask(&mut self, now: Instant, pause: Duration) -> Result<(), CircuitOpen> {
        match self.until {
            None => Ok(()),
            Some(until) if now < until => {
                Err(CircuitOpen { failures: self.failures, left: until - now })
            }
            Some(_) => {
                self.until = Some(now + pause);
                Ok(())
            }
        }
    }

    /// The server was reached.
    pub(crate) fn reached(&mut self) {
        *self = Self::default();
    }

    /// The server was not reached.
    pub(crate) fn failed(&mut self, now: Instant, pause: Duration) {
        self.failures += 1;
        if self.failures >= LIMIT {
            self.until = Some(now + pause);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAUSE: Duration = Duration::from_secs(60);

    #[test]
    fn three_failures_open_it_and_one_call_tries_after_the_pause() {
        let mut breaker = CircuitBreaker::default();
        let start = Instant::now();
        for _ in 0..2 {
            breaker.failed(start, PAUSE);
            assert_eq!(breaker.ask(start, PAUSE), Ok(()));
        }
        breaker.failed(start, PAUSE);
        let open = breaker.ask(start + Duration::from_secs(20), PAUSE).unwrap_err();
        assert_eq!((open.failures, open.left.as_secs()), (3, 40));
        let later = start + PAUSE;
        assert_eq!(breaker.ask(later, PAUSE), Ok(()), "the trial");
        assert!(breaker.ask(later, PAUSE).is_err(), "only one");
        breaker.reached();
        assert_eq!(breaker.ask(later, PAUSE), Ok(()));
    }

    #[test]
    fn a_success_in_between_starts_the_count_again() {
        let mut breaker = CircuitBreaker::default();
        let now = Instant::now();
        for _ in 0..5 {
            breaker.failed(now, PAUSE);
            breaker.failed(now, PAUSE);
            breaker.reached();
        }
        assert_eq!(breaker.ask(now, PAUSE), Ok(()));
    }
}
