//! From what a server said to what kind of failure it is.
//!
//! Servers agree on little: the status is often right, sometimes a lie (an overflow as 500, a wrong key as
//! 400), and the text is written for people. So a failure is read in two steps, both pure: `report` finds
//! the words in whatever body came, and `class` weighs status and words. Every phrase that is looked for is
//! in `words`, every number that is learned from a text in `limits`, every piece of advice in `advice`.
//!
//! Nothing here decides what to do next: that is [`retry`](crate::retry) and the caller.

mod advice;
mod class;
mod limits;
mod report;
mod words;

use std::time::Duration;

use jiff::Timestamp;

pub use advice::advice;
pub use class::{class_of, status_of_type};
pub use limits::{context_limit, output_limit, wait_time};
pub use report::ErrorReport;

use crate::endpoint::Endpoint;
use crate::model::{ErrorClass, ModelError};
use crate::secret::mask;

/// The most characters of a server's words that are shown.
const MAX_MESSAGE: usize = 400;

/// A failure that the server answered with.
#[must_use]
pub fn from_status(
    endpoint: &Endpoint,
    status: u16,
    body: &str,
    retry_after: Option<Duration>,
) -> ModelError {
    let report = ErrorReport::of_body(body);
    let mut error = from_report(endpoint, Some(status), &report);
    error.retry_after = retry_after.or(error.retry_after);
    error
}

/// A failure that is told inside an answer or a stream.
#[must_use]
pub fn from_report(endpoint: &Endpoint, status: Option<u16>, report: &ErrorReport) -> ModelError {
    let status = status.filter(|status| *status >= 300).or(report.status);
    let class = class_of(status, &report.words);
    let said = if report.message.is_empty() { "no explanation" } else { &report.message };
    let said = match status {
        Some(status) => format!("{} answered {status}: {said}", place(endpoint)),
        None => format!("{} reports: {said}", place(endpoint)),
    };
    let limit = match class {
        ErrorClass::ContextOverflow => context_limit(&report.words),
        ErrorClass::OutputCap => output_limit(&report.words),
        _ => None,
    };
    let retry_after = wait_time(&report.words);
    ModelError { status, limit, retry_after, ..error(endpoint, class, &said) }
}

/// A failure of our own making or of the connection, in our own words.
#[must_use]
pub fn error(endpoint: &Endpoint, class: ErrorClass, message: &str) -> ModelError {
    ModelError {
        class,
        message: one_line(&mask(message, endpoint.api_key.as_ref())),
        advice: advice(endpoint, class),
        status: None,
        retry_after: None,
        limit: None,
        partial: None,
    }
}

/// A failure of the connection.
#[must_use]
pub fn from_transport(endpoint: &Endpoint, failure: &reqwest::Error) -> ModelError {
    let mut causes = vec![failure.to_string()];
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(failure);
    while let Some(inner) = cause {
        causes.push(inner.to_string());
        cause = inner.source();
    }
    let all = causes.join(": ");
    let innermost = causes.last().map_or("", String::as_str);
    let place = place(endpoint);
    if failure.is_connect() && words::speaks_of_certificates(&all) {
        let said = format!("{place} could not prove who it is: {innermost}");
        return error(endpoint, ErrorClass::Tls, &said);
    }
    if failure.is_connect() && is_refused(failure) && endpoint.is_on_this_machine() {
        let said = format!("nothing listens at {} ({innermost})", endpoint.base_url);
        return error(endpoint, ErrorClass::NotRunning, &said);
    }
    if failure.is_timeout() || failure.is_connect() {
        let said = format!("cannot reach {place} ({}): {innermost}", endpoint.base_url);
        return error(endpoint, ErrorClass::Timeout, &said);
    }
    error(endpoint, ErrorClass::Dropped, &format!("the connection to {place} broke: {innermost}"))
}

/// Whether the system itself says that there is nobody at the port.
fn is_refused(failure: &reqwest::Error) -> bool {
    let mut cause: Option<&dyn std::error::Error> = std::error::Error::source(failure);
    while let Some(inner) = cause {
        if let Some(io) = inner.downcast_ref::<std::io::Error>()
            && io.kind() == std::io::ErrorKind::ConnectionRefused
        {
            return true;
        }
        cause = inner.source();
    }
    false
}

/// The provider as people know it: a custom one by its host.
fn place(endpoint: &Endpoint) -> String {
    if endpoint.provider == "custom" { endpoint.host() } else { endpoint.provider.clone() }
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The time of a `Retry-After` header: seconds, or a date.
#[must_use]
pub fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return (seconds.is_finite() && seconds >= 0.0)
            .then(|| Duration::from_secs_f64(seconds.min(1e6)));
    }
    let then = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
    let left = then.duration_since(now);
    Some(Duration::try_from(left).unwrap_or_default())
}

#[cfg(test)]
mod tests;
