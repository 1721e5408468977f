//! From the words of the command line to a filter of the store.

use std::path::{Path, PathBuf};

use anyhow::Context;
use hermes_sessions::PruneFilter;
use hermes_store::clock::{DAY, now, parse_age, parse_time};

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

/// A length of time, or what one looks like.
fn age(text: &str) -> Result<f64, UsageError> {
    let advice = "write `90d`, `12h`, `30m` or `2w`";
    parse_age(text)
        .ok_or_else(|| UsageError::new(format!("`{text}` is no length of time\n  {advice}")))
}

/// A day or a point in time, or what one looks like.
fn time(text: &str) -> Result<f64, UsageError> {
    let advice = "write `2026-01-31` or `2026-01-31T12:00:00Z`";
    parse_time(text).ok_or_else(|| UsageError::new(format!("`{text}` is no date\n  {advice}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_age_gives_way_to_any_other() {
        let said = Filter { newer_than: Some("1d".into()), ..Filter::default() };
        assert_eq!(read(&said, Some(90.0)).unwrap().before, None);
        let other = Filter { source: Some("cron".into()), ..Filter::default() };
        assert!(read(&other, Some(90.0)).unwrap().before.is_some());
        assert!(is_empty(&Filter::default()) && !is_empty(&other));
    }
}
