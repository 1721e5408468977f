//! From the words of the command line to a filter of the store.

use std::path::{Path, PathBuf};

use anyhow::Context;
use hermes_sessions::PruneFilter;
use hermes_store::clock::now;
use jiff::tz::TimeZone;

use super::args::Filter;
use crate::exit::UsageError;

/// Whether nothing at all was said.
pub(super) fn is_empty(filter: &Filter) -> bool {
    let Filter {
        older_than,
        newer_than,
        before,
        after,
        source,
        title,
        cwd,
        model,
        min_messages,
        max_messages,
    } = filter;
    let texts = [older_than, newer_than, before, after, source, title, model];
    texts.iter().all(|text| text.is_none())
        && cwd.is_none()
        && min_messages.is_none()
        && max_messages.is_none()
}

/// The store's filter; without a word about the past, sessions older than `days`.
pub(super) fn read(filter: &Filter, days: Option<f64>) -> anyhow::Result<PruneFilter> {
    let ago = |text: &String| age(text).map(|seconds| now() - seconds);
    let before = match (&filter.older_than, &filter.before) {
        (Some(text), _) => Some(ago(text)?),
        (None, Some(text)) => Some(time(text)?),
        (None, None) => None,
    };
    let after = match (&filter.newer_than, &filter.after) {
        (Some(text), _) => Some(ago(text)?),
        (None, Some(text)) => Some(time(text)?),
        (None, None) => None,
    };
    let by_default = days.filter(|_| before.is_none() && after.is_none());
    Ok(PruneFilter {
        before: before.or(by_default.map(|days| now() - days * DAY)),
        after,
        source: filter.source.clone(),
        title: filter.title.clone(),
        cwd: filter.cwd.as_deref().map(folder).transpose()?,
        model: filter.model.clone(),
        min_messages: filter.min_messages,
        max_messages: filter.max_messages,
    })
}

/// A folder as sessions note it.
pub(super) fn folder(path: &Path) -> anyhow::Result<String> {
    let whole: PathBuf = match path.canonicalize() {
        Ok(path) => path,
        // The folder of an old session may be gone.
        Err(_) => std::path::absolute(path).context("find the current directory")?,
    };
    Ok(whole.to_string_lossy().into_owned())
}

const DAY: f64 = 86_400.0;

/// Seconds of `90d`, `12h`, `30m`, `2w`; a bare number counts days.
fn age(text: &str) -> anyhow::Result<f64> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let unit = match unit.trim() {
        "" | "d" | "day" | "days" => DAY,
        "m" | "min" => 60.0,
        "h" | "hour" | "hours" => 3_600.0,
        "w" | "week" | "weeks" => 7.0 * DAY,
        _ => f64::NAN,
    };
    match number.parse::<f64>() {
        Ok(number) if unit.is_finite() => Ok(number * unit),
        _ => Err(UsageError::new(format!(
            "`{text}` is no length of time\n  write `90d`, `12h`, `30m` or `2w`"
        ))
        .into()),
    }
}

/// A day or a point in time, in seconds since 1970.
fn time(text: &str) -> anyhow::Result<f64> {
    if let Ok(time) = text.parse::<jiff::Timestamp>() {
        return Ok(time.as_millisecond() as f64 / 1e3);
    }
    let local = text.parse::<jiff::civil::DateTime>().or_else(|_| {
        text.parse::<jiff::civil::Date>()
            .map(|date| date.to_datetime(jiff::civil::Time::midnight()))
    });
    match local.and_then(|time| time.to_zoned(TimeZone::system())) {
        Ok(time) => Ok(time.timestamp().as_millisecond() as f64 / 1e3),
        Err(_) => Err(UsageError::new(format!(
            "`{text}` is no date\n  write `2026-01-31` or `2026-01-31T12:00:00Z`"
        ))
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_dates_are_read() {
        assert_eq!(age("90").unwrap(), 90.0 * DAY);
        assert_eq!((age("12h").unwrap(), age("2w").unwrap()), (43_200.0, 14.0 * DAY));
        assert_eq!(time("1970-01-02T00:00:00Z").unwrap(), DAY);
        assert!(time("1970-01-02").unwrap() > 0.0);
        for bad in ["", "x", "3y", "-1d", "1970"] {
            assert!(age(bad).is_err() || bad == "1970", "{bad}");
            assert!(time(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_default_age_gives_way_to_any_other() {
        let said = Filter { newer_than: Some("1d".into()), ..Filter::default() };
        assert_eq!(read(&said, Some(90.0)).unwrap().before, None);
        let other = Filter { source: Some("cron".into()), ..Filter::default() };
        assert!(read(&other, Some(90.0)).unwrap().before.is_some());
        assert!(is_empty(&Filter::default()) && !is_empty(&other));
    }
}
