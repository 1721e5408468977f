//! The five fields of a cron line, as sets of numbers.
//!
//! A line is read once into bit sets; looking for the next match walks days, not minutes, and skips whole months, so
//! the rarest line (29 February) costs some hundred steps. Wall time only: zones are the business of
//! [`clock`](super::clock).

use std::fmt;

use jiff::civil::{Date, DateTime, Time};

use super::error::ScheduleError;

/// Days looked at before a line counts as never matching: 29 February can be eight years away.
const MOST_DAYS: usize = 366 * 9;
/// The most days each month can have.
const LONGEST_MONTHS: [u8; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MONTHS: [&str; 12] =
    ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS: [&str; 7] = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/// Short names for lines.
const NICKNAMES: [(&str, &str); 7] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
];

/// What one field may hold.
struct Field {
    name: &'static str,
    low: u8,
    high: u8,
    /// Names of the numbers from `low` on.
    names: &'static [&'static str],
}

const MINUTE: Field = Field { name: "minute", low: 0, high: 59, names: &[] };
const HOUR: Field = Field { name: "hour", low: 0, high: 23, names: &[] };
const DAY: Field = Field { name: "day of month", low: 1, high: 31, names: &[] };
const MONTH: Field = Field { name: "month", low: 1, high: 12, names: &MONTHS };
// Both 0 and 7 are Sunday.
const WEEKDAY: Field = Field { name: "day of week", low: 0, high: 7, names: &WEEKDAYS };

/// Numbers as bits, and whether they are all there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    bits: u64,
    is_open: bool,
}

impl Numbers {
    fn has(self, number: u8) -> bool {
        self.bits & (1 << number) != 0
    }
}

/// A line of five fields: minute, hour, day of month, month, day of week.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CronLine {
    text: String,
    minutes: Numbers,
    hours: Numbers,
    days: Numbers,
    months: Numbers,
    weekdays: Numbers,
}

impl CronLine {
    /// Reads five fields, or one of the short names such as `@daily`.
    ///
    /// # Errors
    /// When a field cannot be understood, or no day ever matches.
    pub fn parse(text: &str) -> Result<Self, ScheduleError> {
        let lower = text.trim().to_ascii_lowercase();
        let known = NICKNAMES.iter().find(|(name, _)| *name == lower);
        let meant = known.map_or(text, |(_, line)| line);
        let fields: Vec<&str> = meant.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields[..] else {
            return Err(ScheduleError::FieldCount { count: fields.len() });
        };
        let mut weekdays = WEEKDAY.read(weekday)?;
        if weekdays.has(7) {
            weekdays.bits = (weekdays.bits & 0x7f) | 1;
        }
        weekdays.is_open = weekdays.bits == 0x7f;
        let line = Self {
            text: known.map_or_else(|| fields.join(" "), |(name, _)| (*name).to_owned()),
            minutes: MINUTE.read(minute)?,
            hours: HOUR.read(hour)?,
            days: DAY.read(day)?,
            months: MONTH.read(month)?,
            weekdays,
        };
        if line.is_possible() {
            Ok(line)
        } else {
            Err(ScheduleError::NeverMatches { line: line.text })
        }
    }

    fn is_possible(&self) -> bool {
        let fits =
            |month: u8| (1..=LONGEST_MONTHS[usize::from(month) - 1]).any(|day| self.days.has(day));
        !self.weekdays.is_open || (1..=12).any(|month| self.months.has(month) && fits(month))
    }

    /// The first matching minute after this wall time.
    #[must_use]
    pub fn next_wall(&self, after: DateTime) -> Option<DateTime> {
        let mut date = after.date();
        let mut minute = Some(
            u32::from(after.hour().unsigned_abs()) * 60
                + u32::from(after.minute().unsigned_abs())
                + 1,
        );
        for _ in 0..MOST_DAYS {
            if !self.months.has(date.month().unsigned_abs()) {
                date = date.last_of_month().tomorrow().ok()?;
                minute = None;
                continue;
            }
            if self.matches_day(date)
                && let Some(time) = self.time_from(minute.unwrap_or(0))
            {
                return Some(date.to_datetime(time));
            }
            date = date.tomorrow().ok()?;
            minute = None;
        }
        None
    }

    /// Where both days are restricted, either is enough, as in every cron.
    fn matches_day(&self, date: Date) -> bool {
        let day = self.days.has(date.day().unsigned_abs());
        let weekday = self.weekdays.has(date.weekday().to_sunday_zero_offset().unsigned_abs());
        match (self.days.is_open, self.weekdays.is_open) {
            (false, false) => day || weekday,
            _ => day && weekday,
        }
    }

    fn time_from(&self, minute_of_day: u32) -> Option<Time> {
        let first_hour = u8::try_from(minute_of_day / 60).ok()?;
        (first_hour..24).filter(|hour| self.hours.has(*hour)).find_map(|hour| {
            let first = if hour == first_hour { minute_of_day % 60 } else { 0 };
            let minute = (first..60).filter_map(|minute| u8::try_from(minute).ok());
            let minute = minute.into_iter().find(|minute| self.minutes.has(*minute))?;
            Time::new(i8::try_from(hour).ok()?, i8::try_from(minute).ok()?, 0, 0).ok()
        })
    }
}

impl fmt::Display for CronLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Field {
    fn read(&self, text: &str) -> Result<Numbers, ScheduleError> {
        let mut bits = 0;
        for item in text.split(',') {
            bits |= self.item(item).ok_or_else(|| ScheduleError::Field {
                field: self.name,
                item: item.to_owned(),
                low: self.low,
                high: self.high,
            })?;
        }
        let all = (self.low..=self.high).fold(0, |bits, number| bits | (1 << number));
        Ok(Numbers { bits, is_open: bits == all })
    }

    /// `*`, `5`, `1-5`, each with `/step`; `5/10` goes on to the end.
    fn item(&self, item: &str) -> Option<u64> {
        let (range, step) = match item.split_once('/') {
            Some((range, step)) => (range, Some(number(step).filter(|step| *step > 0)?)),
            None => (item, None),
        };
        let (low, high) = match range.split_once('-') {
            _ if range == "*" => (self.low, self.high),
            Some((low, high)) => {
                let (low, high) = (self.value(low)?, self.value(high)?);
                // `SAT-SUN`: the week ends with the Sunday that is called 7, too.
                let is_whole_week = self.high == 7 && high == 0 && low > 0;
                (low, if is_whole_week { 7 } else { high })
            }
            None => match (self.value(range)?, step) {
                (value, Some(_)) => (value, self.high),
                (value, None) => (value, value),
            },
        };
        if low > high {
            return None;
        }
        let step = usize::from(step.unwrap_or(1));
        Some((low..=high).step_by(step).fold(0, |bits, number| bits | (1 << number)))
    }

    fn value(&self, text: &str) -> Option<u8> {
        let named = self.names.iter().position(|name| name.eq_ignore_ascii_case(text));
        match named {
            Some(place) => Some(self.low + u8::try_from(place).ok()?),
            None => number(text).filter(|number| (self.low..=self.high).contains(number)),
        }
    }
}

/// A number in plain digits; no sign, no blanks.
fn number(text: &str) -> Option<u8> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(line: &str, after: &str) -> String {
        let line = CronLine::parse(line).unwrap();
        line.next_wall(after.parse().unwrap()).unwrap().to_string()
    }

    #[test]
    fn names_steps_ranges_and_lists_are_understood() {
        assert_eq!(next("0 9 * * MON-FRI", "2026-11-20T09:00"), "2026-11-23T09:00:00");
        assert_eq!(next("*/15 * * jan,Feb *", "2026-11-20T09:00"), "2027-01-01T00:00:00");
        assert_eq!(next("5/20 8-18/5 * * *", "2026-11-20T08:06"), "2026-11-20T08:25:00");
        assert_eq!(next("0 0 * * 7", "2026-11-20T08:06"), "2026-11-22T00:00:00");
        assert_eq!(next("0 0 * * sat-sun", "2026-11-22T00:00"), "2026-11-28T00:00:00");
        assert_eq!(next("@monthly", "2026-11-20T08:06"), "2026-12-01T00:00:00");
    }

    #[test]
    fn either_day_is_enough_where_both_are_given() {
        assert_eq!(next("0 0 13 * FRI", "2026-11-01T00:00"), "2026-11-06T00:00:00");
        assert_eq!(next("0 0 13 * FRI", "2026-12-11T00:00"), "2026-12-13T00:00:00");
        assert_eq!(next("0 0 13 * *", "2026-11-01T00:00"), "2026-11-13T00:00:00");
    }

    #[test]
    fn the_rarest_day_is_found_and_an_impossible_one_is_refused() {
        assert_eq!(next("0 0 29 2 *", "2096-03-01T00:00"), "2104-02-29T00:00:00");
        for never in ["0 0 31 2 *", "0 0 30 FEB *", "0 0 31 4,6,9,11 *"] {
            let problem = CronLine::parse(never).unwrap_err().to_string();
            assert!(problem.contains("never"), "{problem}");
        }
        CronLine::parse("0 0 31 2 MON").unwrap();
    }

    #[test]
    fn what_is_no_line_is_refused_with_the_field() {
        for bad in [
            "60 * * * *",
            "* 24 * * *",
            "* * 0 * *",
            "* * * 13 *",
            "* * * * 8",
            "5-1 * * * *",
            "*/0 * * * *",
            "a * * * *",
            "1, * * * *",
            "* * * * MON-",
            "+1 * * * *",
            "* * * * * *",
            "* * * *",
            "@never",
            "",
            "*-5 * * * *",
            "1/2/3 * * * *",
        ] {
            assert!(CronLine::parse(bad).is_err(), "{bad}");
        }
        let problem = CronLine::parse("* 25 * * *").unwrap_err().to_string();
        assert!(problem.contains("hour") && problem.contains("0 to 23"), "{problem}");
    }
}
