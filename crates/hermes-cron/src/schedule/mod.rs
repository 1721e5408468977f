//! Cron schedules: the text a person writes, and the moments it means.
//!
//! | text | kind | next |
//! |---|---|---|
//! | `30m`, `2h`, `1d`, `90 minutes` | once | that long from now |
//! | `every 30m` | interval | that long after the last run |
//! | `0 9 * * MON-FRI`, `@daily` | cron | the next match on the clock of the zone |
//! | `2026-12-24T18:00`, with zone or offset or without | once | then |
//!
//! [`Schedule::parse`] reads any of them in time that grows with the text, which has a limit. [`ScheduleRecord`] is the
//! form in `jobs.json`, which other programs write too: what cannot be understood there is never due, and stays.

mod clock;
mod cron_line;
mod error;
#[cfg(test)]
mod property_tests;
mod zone;

pub use cron_line::CronLine;
pub use error::{SCHEDULE_FORMS, ScheduleError};
pub use zone::{ZoneSettings, named_zone};

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Longest text that is looked at, in bytes.
pub const LONGEST_TEXT: usize = 256;
/// Longest duration, in days: a hundred years.
pub const LONGEST_DAYS: u64 = 36_525;
/// How far a time given for a single run may lie behind: whoever typed it took a moment.
pub const FORGIVEN: SignedDuration = SignedDuration::from_secs(120);
/// How much of a wrong text is repeated.
const SHOWN_CHARS: usize = 60;
const MINUTES_OF_DAY: u64 = 24 * 60;

/// When a job runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// At one moment.
    Once(Timestamp),
    /// So many minutes after the last run.
    Interval {
        /// At least one.
        minutes: u64,
    },
    /// Whenever a cron line matches.
    Cron(CronLine),
}

impl Schedule {
    /// Reads what a person wrote. `now` is what durations count from; `zone` is where times without one are.
    ///
    /// # Errors
    /// When it is no schedule, or lies in the past.
    pub fn parse(text: &str, now: Timestamp, zone: &TimeZone) -> Result<Self, ScheduleError> {
        let text = text.trim();
        let unknown = || ScheduleError::Unknown { text: text.chars().take(SHOWN_CHARS).collect() };
        if text.is_empty() || text.len() > LONGEST_TEXT {
            return Err(unknown());
        }
        if let Some(rest) = strip_word(text, "every") {
            let minutes = minutes(rest)?.ok_or_else(unknown)?;
            return Ok(Self::Interval { minutes });
        }
        if let Some(minutes) = minutes(text)? {
            let wait = SignedDuration::from_mins(i64::try_from(minutes).unwrap_or(i64::MAX));
            let too_long = |_| ScheduleError::TooLong { text: text.to_owned() };
            return Ok(Self::Once(seconds(now).checked_add(wait).map_err(too_long)?));
        }
        if let Some(time) = moment(text, zone) {
            let late = now.duration_since(time);
            if late > FORGIVEN {
                let time = stored(time, zone);
                return Err(ScheduleError::Past { time, ago: in_words(late) });
            }
            return Ok(Self::Once(time));
        }
        if text.starts_with('@') || text.split_whitespace().nth(1).is_some() {
            return match CronLine::parse(text) {
                Ok(line) => Ok(Self::Cron(line)),
                // Words that do not even look like fields are better told all forms.
                Err(ScheduleError::FieldCount { .. } | ScheduleError::Field { .. })
                    if !looks_like_cron(text) =>
                {
                    Err(unknown())
                }
                Err(problem) => Err(problem),
            };
        }
        Err(unknown())
    }

    /// The first moment after `after` at which it is due; none if there is none any more.
    #[must_use]
    pub fn next_after(&self, after: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        match self {
            Self::Once(time) => (*time > after).then_some(*time),
            Self::Interval { minutes } => {
                let wait = SignedDuration::from_mins(i64::try_from(*minutes).ok()?);
                seconds(after).checked_add(wait).ok()
            }
            Self::Cron(line) => line.next_in(after, zone),
        }
    }

    /// When a job that is made now runs first.
    #[must_use]
    pub fn first(&self, now: Timestamp, zone: &TimeZone) -> Option<Timestamp> {
        match self {
            // A time that was just missed counts: it is due at once.
            Self::Once(time) => Some(*time),
            other => other.next_after(now, zone),
        }
    }

    /// Whether it is for a single run.
    #[must_use]
    pub fn is_once(&self) -> bool {
        matches!(self, Self::Once(_))
    }

    /// What people are shown.
    #[must_use]
    pub fn display(&self, zone: &TimeZone) -> String {
        match self {
            Self::Once(time) => {
                let time = time.to_zoned(zone.clone());
                format!("once at {}", time.strftime("%Y-%m-%d %H:%M"))
            }
            Self::Interval { minutes } => format!("every {}", short_minutes(*minutes)),
            Self::Cron(line) => line.to_string(),
        }
    }

    /// The form in `jobs.json`.
    #[must_use]
    pub fn record(&self, zone: &TimeZone) -> ScheduleRecord {
        let display = Some(self.display(zone));
        let empty = ScheduleRecord { display, ..ScheduleRecord::default() };
        match self {
            Self::Once(time) => {
                ScheduleRecord { kind: "once".into(), run_at: Some(stored(*time, zone)), ..empty }
            }
            Self::Interval { minutes } => {
                ScheduleRecord { kind: "interval".into(), minutes: Some(*minutes), ..empty }
            }
            Self::Cron(line) => {
                ScheduleRecord { kind: "cron".into(), expr: Some(line.to_string()), ..empty }
            }
        }
    }
}

/// A schedule as `jobs.json` has it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ScheduleRecord {
    /// `once`, `interval` or `cron`.
    pub kind: String,
    /// Of an interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes: Option<u64>,
    /// The line of a cron schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expr: Option<String>,
    /// When a single run is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_at: Option<String>,
    /// What people are shown.
    pub display: Option<String>,
    /// What other programs keep here.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ScheduleRecord {
    /// What it says, if that can be understood.
    #[must_use]
    pub fn schedule(&self, zone: &TimeZone) -> Option<Schedule> {
        match self.kind.as_str() {
            "once" => moment(self.run_at.as_deref()?, zone).map(Schedule::Once),
            "interval" => self
                .minutes
                .filter(|minutes| *minutes > 0)
                .map(|minutes| Schedule::Interval { minutes }),
            "cron" => CronLine::parse(self.expr.as_deref()?).ok().map(Schedule::Cron),
            _ => None,
        }
    }
}

/// A time as files of jobs keep it: to the second, with the offset of the zone.
#[must_use]
pub fn stored(time: Timestamp, zone: &TimeZone) -> String {
    time.to_zoned(zone.clone()).strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// A date or a time; without an offset it is of the zone, a bare date is its midnight.
#[must_use]
pub fn moment(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > LONGEST_TEXT || !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    // A `Z` or an offset that made no timestamp is not to be ignored: civil times take none.
    let wall = match text.parse::<Date>() {
        Ok(date) if text.len() <= "2026-12-24".len() => DateTime::from(date),
        _ => text.parse::<DateTime>().ok()?,
    };
    zone.to_timestamp(wall).ok()
}

/// The same moment without parts of a second.
fn seconds(time: Timestamp) -> Timestamp {
    Timestamp::from_second(time.as_second()).unwrap_or(time)
}

fn strip_word<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let (first, rest) = text.split_once(char::is_whitespace)?;
    first.eq_ignore_ascii_case(word).then(|| rest.trim_start())
}

/// Minutes of `30m`, `2 hours`, `1d`; none if it has not that form.
fn minutes(text: &str) -> Result<Option<u64>, ScheduleError> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let factor = match unit.trim_start().to_ascii_lowercase().as_str() {
        _ if digits == 0 => return Ok(None),
        "m" | "min" | "mins" | "minute" | "minutes" => 1,
        "h" | "hr" | "hrs" | "hour" | "hours" => 60,
        "d" | "day" | "days" => MINUTES_OF_DAY,
        _ => return Ok(None),
    };
    let minutes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor));
    match minutes {
        Some(0) => Err(ScheduleError::Zero),
        Some(minutes) if minutes <= LONGEST_DAYS * MINUTES_OF_DAY => Ok(Some(minutes)),
        _ => Err(ScheduleError::TooLong { text: text.chars().take(SHOWN_CHARS).collect() }),
    }
}

/// Whether somebody meant cron fields: the first one has only their signs.
fn looks_like_cron(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    first.bytes().all(|byte| byte.is_ascii_digit() || b"*/,-".contains(&byte))
}

fn short_minutes(minutes: u64) -> String {
    match minutes {
        days if days.is_multiple_of(MINUTES_OF_DAY) => format!("{}d", days / MINUTES_OF_DAY),
        hours if hours.is_multiple_of(60) => format!("{}h", hours / 60),
        minutes => format!("{minutes}m"),
    }
}

/// A stretch of time in words, to its largest unit.
#[must_use]
pub fn in_words(time: SignedDuration) -> String {
    let seconds = time.as_secs().unsigned_abs();
    let (number, unit) = match seconds {
        0..=119 => (seconds, "second"),
        120..=7_199 => (seconds / 60, "minute"),
        7_200..=172_799 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    format!("{number} {unit}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-11-18T12:00:00.5Z".parse().unwrap()
    }

    fn read(text: &str) -> Result<Schedule, ScheduleError> {
        Schedule::parse(text, now(), &TimeZone::get("Europe/Berlin").unwrap())
    }

    fn first(text: &str) -> String {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        read(text).unwrap().first(now(), &zone).unwrap().to_string()
    }

    #[test]
    fn durations_run_once_and_every_repeats() {
        for text in ["30m", "30 MIN", "30minutes", " 30 mins "] {
            assert_eq!(first(text), "2026-11-18T12:30:00Z", "{text}");
            assert!(read(text).unwrap().is_once());
        }
        assert_eq!(first("2h"), "2026-11-18T14:00:00Z");
        assert_eq!(first("1 Day"), "2026-11-19T12:00:00Z");
        assert_eq!(read("Every 2 hrs").unwrap(), Schedule::Interval { minutes: 120 });
        assert_eq!(read("every 90m").unwrap().display(&TimeZone::UTC), "every 90m");
    }

    #[test]
    fn times_are_of_the_zone_unless_they_say_otherwise() {
        assert_eq!(first("2026-12-24"), "2026-12-23T23:00:00Z");
        assert_eq!(first("2026-12-24T18:00"), "2026-12-24T17:00:00Z");
        assert_eq!(first("2026-12-24 18:00:05"), "2026-12-24T17:00:05Z");
        assert_eq!(first("2026-12-24T18:00Z"), "2026-12-24T18:00:00Z");
        assert_eq!(first("2026-12-24T18:00:00-05:00"), "2026-12-24T23:00:00Z");
    }

    #[test]
    fn a_time_just_missed_is_taken_and_one_long_past_is_refused() {
        assert_eq!(first("2026-11-18T12:58:31"), "2026-11-18T11:58:31Z");
        let problem = read("2026-11-18T12:58").unwrap_err().to_string();
        assert!(problem.contains("was 2 minutes ago"), "{problem}");
    }

    #[test]
    fn nonsense_shows_every_form() {
        for bad in [
            "",
            "soon",
            "every",
            "every soon",
            "30",
            "30 s",
            "-5m",
            "1.5h",
            "2026-13-01",
            "2026-12-24T25:00",
            "tomorrow at nine",
            "every monday",
            &"9".repeat(300),
        ] {
            let problem = read(bad).unwrap_err().to_string();
            assert!(
                problem.contains("every 30m") && problem.contains("MON-FRI"),
                "{bad}: {problem}"
            );
            assert!(problem.len() < 600, "{bad}");
        }
    }

    #[test]
    fn nothing_too_much_and_the_impossible_are_refused() {
        for (bad, why) in [
            ("every 0m", "at least one minute"),
            ("0d", "at least one minute"),
            ("99999999999999999999h", "too long"),
            ("every 36526d", "too long"),
            ("0 0 31 2 *", "never happens"),
            ("0 0 0 1 1 *", "five fields"),
            ("61 * * * *", "0 to 59"),
        ] {
            let problem = read(bad).unwrap_err().to_string();
            assert!(problem.contains(why), "{bad}: {problem}");
        }
    }

    #[test]
    fn what_was_stored_is_read_back() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        for text in ["30m", "every 2h", "0 9 * * MON-FRI", "@daily"] {
            let schedule = read(text).unwrap();
            assert_eq!(schedule.record(&zone).schedule(&zone), Some(schedule), "{text}");
        }
        let odd = ScheduleRecord { kind: "lunar".into(), ..ScheduleRecord::default() };
        assert_eq!(odd.schedule(&zone), None);
    }
}
