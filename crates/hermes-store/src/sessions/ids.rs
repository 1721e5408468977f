//! Names and times of new sessions.

use std::hash::{BuildHasher, Hasher, RandomState};

use jiff::Zoned;
use jiff::tz::TimeZone;

/// Now, in seconds since 1970, as the database keeps times.
#[must_use]
pub fn now() -> f64 {
    jiff::Timestamp::now().as_microsecond() as f64 / 1e6
}

/// A new session id: local date and time, and six hexadecimal digits of chance.
#[must_use]
pub fn new_session_id() -> String {
    session_id_at(&Zoned::now(), random())
}

fn session_id_at(time: &Zoned, chance: u64) -> String {
    format!("{}_{:06x}", time.strftime("%Y%m%d_%H%M%S"), chance & 0xff_ffff)
}

/// A number nobody can guess well enough to collide on purpose; not for secrets.
pub(crate) fn random() -> u64 {
    // Each state of a hash map has keys of its own, drawn from the system's source of chance.
    RandomState::new().build_hasher().finish()
}

/// A time for people, in the zone of this machine.
#[must_use]
pub fn when(seconds: f64) -> String {
    match jiff::Timestamp::from_millisecond((seconds * 1e3) as i64) {
        Ok(time) => time.to_zoned(TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string(),
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_time_and_six_digits() {
        let time = "2026-01-02T03:04:05[UTC]".parse().unwrap();
        assert_eq!(session_id_at(&time, 0xabcd), "20260102_030405_00abcd");
        assert_eq!(session_id_at(&time, u64::MAX), "20260102_030405_ffffff");
        assert_ne!(new_session_id(), new_session_id());
    }

    #[test]
    fn times_too_far_away_are_no_panic() {
        assert_eq!(when(f64::MAX), "");
        assert_eq!(when(f64::NAN).len(), "1970-01-01 00:00".len());
    }
}
