//! The words in whatever a server sent.

use serde_json::Value;

use super::class::status_of_type;

/// What a failing server said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorReport {
    /// Its message, for people.
    pub message: String,
    /// Everything it said, in lower case, for matching.
    pub words: String,
    /// The status it names in the text, where it does.
    pub status: Option<u16>,
}

/// How much of a body is looked at.
const MAX_WORDS: usize = 16_000;

impl ErrorReport {
    /// Reads a body of any kind.
    #[must_use]
    pub fn of_body(body: &str) -> Self {
        match serde_json::from_str::<Value>(body) {
            Ok(value) if value.is_object() || value.is_array() => Self::of_value(&value),
            _ => Self { message: plain(body), words: words(body), status: None },
        }
    }

    /// Reads an error object, or one that holds it.
    #[must_use]
    pub fn of_value(value: &Value) -> Self {
        // Gemini wraps its object into a list.
        let value = value.get(0).unwrap_or(value);
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let message = message(error).or_else(|| message(value)).unwrap_or_default();
        let status = ["code", "status", "status_code", "http_code"]
            .iter()
            .find_map(|name| error.get(*name).and_then(status))
            .or_else(|| {
                ["type", "code"].iter().find_map(|name| status_of_type(error.get(*name)?.as_str()?))
            });
        Self { message: plain(&message), words: words(&value.to_string()), status }
    }
}

fn status(value: &Value) -> Option<u16> {
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
    u16::try_from(number).ok().filter(|status| (300..600).contains(status))
}

fn message(value: &Value) -> Option<String> {
    // An aggregator's own message says little; what its provider said is below `metadata`.
    if let Some(raw) = value.pointer("/metadata/raw").and_then(Value::as_str) {
        let inner = ErrorReport::of_body(raw);
        let own = value["message"].as_str().unwrap_or_default();
        return Some(format!("{own}: {}", inner.message));
    }
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => {
            // Validators list what they found, as `msg`.
            let found: Vec<String> = items.iter().filter_map(message).collect();
            (!found.is_empty()).then(|| found.join("; "))
        }
        Value::Object(_) => ["message", "msg", "detail", "error_description", "reason"]
            .iter()
            .find_map(|name| value.get(*name).and_then(message)),
        _ => None,
    }
}

fn words(text: &str) -> String {
    text.chars().take(MAX_WORDS).collect::<String>().to_lowercase()
}

/// Text without tags, for servers (mostly proxies) that answer with a page.
fn plain(text: &str) -> String {
    let text: String = text.chars().take(MAX_WORDS).collect();
    if !text.trim_start().starts_with('<') {
        return text;
    }
    let mut plain = String::new();
    let mut inside = false;
    for character in text.chars() {
        match character {
            '<' => inside = true,
            '>' => {
                inside = false;
                plain.push(' ');
            }
            other if !inside => plain.push(other),
            _ => {}
        }
    }
    plain
}
