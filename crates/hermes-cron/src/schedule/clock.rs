//! Cron lines on clocks that people change.
//!
//! A line speaks of wall time. Where a zone's clock jumps ahead, the times in the gap happen at the moment the old clock
//! would have shown them: 02:30 becomes 03:30, once. Where it is set back, a time that comes twice happens at its first
//! turn only. So a job of 09:00 runs at 09:00 every day, and nothing is left out or doubled.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};

use super::cron_line::CronLine;

const SECOND: jiff::SignedDuration = jiff::SignedDuration::from_secs(1);

/// A stretch of wall time that a clock leaves out.
struct Gap {
    before: Offset,
    /// The wall time the new clock begins with.
    end: DateTime,
    /// The moment the old clock would have shown that.
    caught_up: Timestamp,
}

impl Gap {
    /// The gap of the last change of the clock up to this moment, if it was one.
    fn behind(moment: Timestamp, zone: &TimeZone) -> Option<Self> {
        let change = zone.preceding(moment.checked_add(SECOND).ok()?).next()?;
        let start = change.timestamp();
        let before = zone.to_offset(start.checked_sub(SECOND).ok()?);
        let end = change.offset().to_datetime(start);
        let caught_up = before.to_timestamp(end).ok()?;
        (caught_up > start).then_some(Self { before, end, caught_up })
    }
}

impl CronLine {
    /// The first moment after this one at which the line is due in a zone.
    #[must_use]
    pub fn next_in(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let regular = self.next_on_the_clock(after, zone);
        let left_out =
            Gap::behind(after, zone).filter(|gap| after < gap.caught_up).and_then(|gap| {
                let wall = self.next_wall(gap.before.to_datetime(after))?;
                if wall < gap.end { gap.before.to_timestamp(wall).ok() } else { None }
            });
        regular.into_iter().chain(left_out).min()
    }

    fn next_on_the_clock(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        let mut wall = zone.to_datetime(after);
        loop {
            wall = self.next_wall(wall)?;
            let found = zone.to_ambiguous_timestamp(wall);
            let is_left_out = matches!(found.offset(), AmbiguousOffset::Gap { .. });
            let moment = found.compatible().ok()?;
            if moment <= after {
                // The second turn of a repeated hour: its times were due in the first.
                continue;
            }
            if !is_left_out {
                return Some(moment);
            }
            // What comes right after the gap is earlier than what was moved out of it.
            let behind = Gap::behind(moment, zone).and_then(|gap| {
                let minute = jiff::SignedDuration::from_mins(1);
                let wall = self.next_wall(gap.end.checked_sub(minute).ok()?)?;
                zone.to_timestamp(wall).ok()
            });
            return Some(behind.map_or(moment, |behind| behind.min(moment)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(line: &str, zone: &str, from: &str, count: usize) -> Vec<String> {
        let (line, zone) = (CronLine::parse(line).unwrap(), TimeZone::get(zone).unwrap());
        let mut now: Timestamp = from.parse().unwrap();
        (0..count)
            .map(|_| {
                now = line.next_in(now, &zone).unwrap();
                now.to_zoned(zone.clone()).strftime("%m-%d %H:%M %:z").to_string()
            })
            .collect()
    }

    #[test]
    fn nine_in_the_morning_stays_nine_in_the_morning() {
        let berlin = times("0 9 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", 3);
        assert_eq!(berlin, ["03-28 09:00 +01:00", "03-29 09:00 +02:00", "03-30 09:00 +02:00"]);
        let berlin = times("0 9 * * *", "Europe/Berlin", "2026-10-23T12:00:00Z", 3);
        assert_eq!(berlin, ["10-24 09:00 +02:00", "10-25 09:00 +01:00", "10-26 09:00 +01:00"]);
    }

    #[test]
    fn a_time_that_is_left_out_runs_once_at_the_shifted_moment() {
        let berlin = times("30 2 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", 3);
        assert_eq!(berlin, ["03-28 02:30 +01:00", "03-29 03:30 +02:00", "03-30 02:30 +02:00"]);
        // What was moved out of the gap and what follows it are in order, and one where they meet.
        let berlin = times("15,30 2,3 * * *", "Europe/Berlin", "2026-03-29T00:59:00Z", 3);
        assert_eq!(berlin, ["03-29 03:15 +02:00", "03-29 03:30 +02:00", "03-30 02:15 +02:00"]);
        let berlin = times("10 3 29 3 *", "Europe/Berlin", "2026-03-29T00:59:00Z", 1);
        assert_eq!(berlin, ["03-29 03:10 +02:00"]);
        let berlin = times("10 3,2 * * *", "Europe/Berlin", "2026-03-29T00:59:00Z", 2);
        assert_eq!(berlin, ["03-29 03:10 +02:00", "03-30 02:10 +02:00"]);
        let mixed = times("50 2 * * *", "Europe/Berlin", "2026-03-29T01:10:00Z", 1);
        assert_eq!(mixed, ["03-29 03:50 +02:00"], "asked for within the hour that was moved");
    }

    #[test]
    fn a_time_that_comes_twice_runs_at_its_first_turn() {
        let new_york = times("30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", 2);
        assert_eq!(new_york, ["11-01 01:30 -04:00", "11-02 01:30 -05:00"]);
        let new_york = times("30 1 * * *", "America/New_York", "2026-11-01T06:00:00Z", 1);
        assert_eq!(new_york, ["11-02 01:30 -05:00"], "asked for within the second turn");
    }

    #[test]
    fn half_an_hour_and_a_whole_day_are_changes_too() {
        let island = times("15 2 * * *", "Australia/Lord_Howe", "2026-10-02T20:00:00Z", 2);
        assert_eq!(island, ["10-04 02:45 +11:00", "10-05 02:15 +11:00"]);
        let samoa = times("0 12 30 12 *", "Pacific/Apia", "2011-12-29T12:00:00Z", 1);
        assert_eq!(samoa, ["12-31 12:00 +14:00"], "30 December 2011 did not exist there");
    }
}
