//! Why a text is no schedule.

/// One example of each form, for whoever wrote something else.
pub const SCHEDULE_FORMS: &str = "write a duration (`30m`, `2h`, `1d`) to run once after it, `every 30m` to repeat, \
     five cron fields (`0 9 * * MON-FRI`) or `@hourly`, `@daily`, `@weekly`, `@monthly`, `@yearly`, or a time \
     (`2026-12-24T18:00`) to run once then";

/// Why a text is no schedule. Says what to write instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// It has none of the forms.
    #[error("`{text}` is no schedule: {SCHEDULE_FORMS}")]
    Unknown {
        /// What was written, shortened.
        text: String,
    },
    /// A duration of nothing.
    #[error("a schedule needs at least one minute; {SCHEDULE_FORMS}")]
    Zero,
    /// A duration longer than any calendar here goes.
    #[error("`{text}` is too long: at most {} days; {SCHEDULE_FORMS}", super::LONGEST_DAYS)]
    TooLong {
        /// What was written.
        text: String,
    },
    /// A cron line with too many or too few fields.
    #[error(
        "a cron line has five fields (minute, hour, day of month, month, day of week), not {count}; {SCHEDULE_FORMS}"
    )]
    FieldCount {
        /// How many there are.
        count: usize,
    },
    /// A field of a cron line.
    #[error(
        "`{item}` is no {field} of a cron line: numbers from {low} to {high}, `*`, ranges `1-5`, lists `1,3`, steps `*/2`"
    )]
    Field {
        /// Which field.
        field: &'static str,
        /// The part that cannot be read.
        item: String,
        /// The least number.
        low: u8,
        /// The greatest number.
        high: u8,
    },
    /// A cron line whose day does not exist.
    #[error("`{line}` never happens: no month it names has such a day")]
    NeverMatches {
        /// The line.
        line: String,
    },
    /// A time that is gone.
    #[error("{time} was {ago} ago; give a time to come, or a duration such as `30m`")]
    Past {
        /// The time as it was understood.
        time: String,
        /// How long ago it was.
        ago: String,
    },
    /// No time.
    #[error(
        "`{text}` is no time: write `2026-12-24T18:00`, with `Z` or `+01:00` for another zone, or a date"
    )]
    Moment {
        /// What was written.
        text: String,
    },
    /// A zone nobody has heard of.
    #[error(
        "`{name}` is no time zone known here; zones have names such as `Europe/Berlin` or `UTC`"
    )]
    Zone {
        /// What was written.
        name: String,
    },
}
