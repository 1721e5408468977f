//! Calls to services that speak JSON.

use std::time::Duration;

use hermes_guard::redact::RedactMode;
use hermes_web::{FetchLimits, FetchRequest, Url};
use serde_json::Value;

use super::{Hit, PageResult, Web, shortened};

/// How long a search may take.
pub(super) const SEARCH_TIME: Duration = Duration::from_secs(15);
/// How long everything else may take.
pub(super) const OTHER_TIME: Duration = Duration::from_secs(60);
/// Longest answer.
const MOST_BYTES: usize = 20 << 20;
/// Letters of what a service says about its failure.
const MESSAGE_CHARS: usize = 200;

/// Sends a request to a configured service and reads its JSON.
///
/// # Errors
/// One line: who, which status, what it said.
pub(super) async fn call(
    web: &Web,
    name: &str,
    request: FetchRequest,
    time: Duration,
) -> Result<Value, String> {
    let limits = FetchLimits { bytes: MOST_BYTES, time: web.patience(time), redirects: 3 };
    let got = web
        .door
        .fetch(request.configured_by_user().limits(limits))
        .await
        .map_err(|error| format!("{name}: {}", error.for_model()))?;
    let value = serde_json::from_slice::<Value>(&got.body);
    if !got.status.is_success() {
        let said = value.ok().and_then(|value| message(&value)).unwrap_or_default();
        let said =
            web.redactor.redact(&shortened(&said, MESSAGE_CHARS), RedactMode::Full).into_owned();
        let status = got.status.as_u16();
        let meaning = match status {
            401 | 403 => " (the key was not accepted)",
            402 => " (no credit left)",
            429 => " (rate limited)",
            500.. => " (the service failed)",
            _ => "",
        };
        let colon = if said.is_empty() { "" } else { ": " };
        return Err(format!("{name} answered HTTP {status}{meaning}{colon}{said}"));
    }
    value.map_err(|_| format!("{name} answered with something that is not JSON"))
}

fn message(value: &Value) -> Option<String> {
    for name in ["error", "message", "detail", "msg"] {
        match value.get(name) {
            Some(Value::String(text)) => return Some(text.clone()),
            Some(inner @ Value::Object(_)) => return message(inner),
            _ => {}
        }
    }
    None
}

/// The base address of a service and a path below it.
pub(super) fn at(base: &str, path: &str) -> String {
    format!("{}{path}", base.trim().trim_end_matches('/'))
}

pub(super) fn text(value: &Value, name: &str) -> String {
    value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}

pub(super) fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Texts of a list, in one.
pub(super) fn joined(value: &Value, name: &str, between: &str) -> String {
    match value.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(between)
        }
        _ => String::new(),
    }
}

/// A found page, unless it has no address.
pub(super) fn hit(value: &Value, description: String) -> Option<Hit> {
    let url = text(value, "url");
    (!url.is_empty()).then(|| Hit { title: text(value, "title"), url, description })
}

/// Puts what a service answered into the order of what was asked; addresses it does not speak of have failed.
pub(super) fn in_order(name: &str, urls: &[Url], mut answered: Vec<PageResult>) -> Vec<PageResult> {
    let same = |one: &str, other: &str| one.trim_end_matches('/') == other.trim_end_matches('/');
    urls.iter()
        .map(|url| match answered.iter().position(|page| same(&page.url, url.as_str())) {
            Some(at) => answered.swap_remove(at),
            None => {
                PageResult::failed(url.as_str(), format!("{name} did not answer for this page"))
            }
        })
        .collect()
}

/// Addresses as a service wants them.
pub(super) fn texts(urls: &[Url]) -> Vec<&str> {
    urls.iter().map(Url::as_str).collect()
}
