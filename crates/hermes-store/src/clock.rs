//! Times as the files of a home keep them, and names that do not collide.

use std::hash::{BuildHasher, Hasher, RandomState};

use jiff::tz::TimeZone;

/// Seconds since 1970, with microseconds: the form of every time in a file of the home.
#[must_use]
pub fn now() -> f64 {
    jiff::Timestamp::now().as_microsecond() as f64 / 1e6
}

/// A time for people, in the zone of this machine, to the minute. Empty where no calendar reaches.
#[must_use]
pub fn local_time(seconds: f64) -> String {
    match jiff::Timestamp::from_millisecond((seconds * 1e3) as i64) {
        Ok(time) => time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => String::new(),
    }
}

/// A number nobody can guess well enough to collide on purpose; not for secrets.
#[must_use]
pub fn random() -> u64 {
    // Each state of a hash map has keys of its own, drawn from the system's source of randomness.
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_too_far_away_are_no_panic() {
        assert_eq!(local_time(f64::MAX), "");
        assert_eq!(local_time(f64::NAN).len(), "1970-01-01 00:00".len());
    }
}
