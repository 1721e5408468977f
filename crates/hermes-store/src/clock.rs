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

/// Seconds of a day.
pub const DAY: f64 = 86_400.0;

/// Seconds of `90d`, `12h`, `30m`, `2w`; a bare number counts days.
#[must_use]
pub fn parse_age(text: &str) -> Option<f64> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = match unit.trim() {
        "" | "d" | "day" | "days" => DAY,
        "m" | "min" => 60.0,
        "h" | "hour" | "hours" => 3_600.0,
        "w" | "week" | "weeks" => 7.0 * DAY,
        _ => return None,
    };
    number.parse::<f64>().ok().map(|number| number * unit)
}

/// A point in time, or the beginning of a day in the zone of this machine, in seconds since 1970.
#[must_use]
pub fn parse_time(text: &str) -> Option<f64> {
    let seconds = |time: jiff::Timestamp| time.as_millisecond() as f64 / 1e3;
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Some(seconds(time));
    }
    let local = text.parse::<jiff::civil::DateTime>().or_else(|_| {
        text.parse::<jiff::civil::Date>()
            .map(|date| date.to_datetime(jiff::civil::Time::midnight()))
    });
    let local = local.and_then(|time| time.to_zoned(TimeZone::system())).ok()?;
    Some(seconds(local.timestamp()))
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
    fn ages_and_dates_are_read() {
        assert_eq!(parse_age("90"), Some(90.0 * DAY));
        assert_eq!((parse_age("12h"), parse_age("2w")), (Some(43_200.0), Some(14.0 * DAY)));
        assert_eq!(parse_time("1970-01-02T00:00:00Z"), Some(DAY));
        assert!(parse_time("1970-01-02").unwrap() > 0.0);
        for bad in ["", "x", "3y", "-1d", "1970"] {
            assert!(parse_age(bad).is_none() || bad == "1970", "{bad}");
            assert!(parse_time(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn times_too_far_away_are_no_panic() {
        assert_eq!(local_time(f64::MAX), "");
        assert_eq!(local_time(f64::NAN).len(), "1970-01-01 00:00".len());
    }
}
