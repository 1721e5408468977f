//! Names of new sessions.

use hermes_store::clock::random;
use jiff::Zoned;

/// An id nobody else has: local date and time, and six random hexadecimal digits.
#[must_use]
pub fn new_session_id() -> String {
    session_id_at(&Zoned::now(), random())
}

fn session_id_at(time: &Zoned, random: u64) -> String {
    format!("{}_{:06x}", time.strftime("%Y%m%d_%H%M%S"), random & 0xff_ffff)
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
}
