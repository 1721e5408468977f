//! What pages write to their console, and the errors of their scripts.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How many entries of each kind are kept.
const KEPT: usize = 1000;
/// Characters of one entry that are kept.
const LONGEST: usize = 2000;

/// A line of the console.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConsoleMessage {
    /// log, warning, error, …
    #[serde(rename = "type")]
    pub kind: String,
    /// What was logged, arguments joined by blanks.
    pub text: String,
    /// Who wrote it: `console`, or the part of the browser.
    pub source: String,
}

/// An error that no script caught.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JsError {
    /// What went wrong.
    pub message: String,
    /// Where, as far as known.
    pub source: String,
}

/// The entries since the last time they were cleared.
#[derive(Default)]
pub(crate) struct Console {
    messages: VecDeque<ConsoleMessage>,
    errors: VecDeque<JsError>,
}

impl Console {
    pub(crate) fn api_called(&mut self, event: ConsoleCall) {
        let text = event.args.iter().map(RemoteObject::text).collect::<Vec<_>>().join(" ");
        self.message(ConsoleMessage { kind: event.kind, text, source: "console".to_owned() });
    }

    pub(crate) fn logged(&mut self, event: LogEntry) {
        let LogEntryBody { source, level, text, url } = event.entry;
        if level == "verbose" {
            // Advice for whoever writes pages.
            return;
        }
        let text = match url {
            Some(url) if !url.is_empty() => format!("{text} ({url})"),
            _ => text,
        };
        self.message(ConsoleMessage { kind: level, text, source });
    }

    pub(crate) fn thrown(&mut self, event: ExceptionThrown) {
        let details = event.exception_details;
        let source = details.place();
        push(&mut self.errors, JsError { message: cut(details.message()), source });
    }

    fn message(&mut self, message: ConsoleMessage) {
        let text = cut(message.text);
        push(&mut self.messages, ConsoleMessage { text, ..message });
    }

    /// All entries.
    pub(crate) fn entries(&self) -> (Vec<ConsoleMessage>, Vec<JsError>) {
        (self.messages.iter().cloned().collect(), self.errors.iter().cloned().collect())
    }

    pub(crate) fn clear(&mut self) {
        self.messages.clear();
        self.errors.clear();
    }
}

fn push<T>(entries: &mut VecDeque<T>, entry: T) {
    if entries.len() == KEPT {
        entries.pop_front();
    }
    entries.push_back(entry);
}

fn cut(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[derive(Deserialize)]
pub(crate) struct ConsoleCall {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    args: Vec<RemoteObject>,
}

#[derive(Deserialize)]
pub(crate) struct LogEntry {
    entry: LogEntryBody,
}

#[derive(Deserialize)]
struct LogEntryBody {
    #[serde(default)]
    source: String,
    #[serde(default)]
    level: String,
    #[serde(default)]
    text: String,
    url: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExceptionThrown {
    exception_details: ExceptionDetails,
}

/// How a script failed.
#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExceptionDetails {
    #[serde(default)]
    text: String,
    url: Option<String>,
    #[serde(default)]
    line_number: i64,
    #[serde(default)]
    column_number: i64,
    exception: Option<RemoteObject>,
}

impl ExceptionDetails {
    pub(crate) fn message(&self) -> String {
        match &self.exception {
            Some(exception) => match exception.text() {
                text if text.is_empty() => self.text.clone(),
                text => text,
            },
            None => self.text.clone(),
        }
    }

    fn place(&self) -> String {
        let at = format!("{}:{}", self.line_number + 1, self.column_number + 1);
        match self.url.as_deref() {
            Some(url) if !url.is_empty() => format!("{url}:{at}"),
            _ => at,
        }
    }
}

/// A value of a script, as the browser tells of it.
#[derive(Deserialize, Debug, Default)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RemoteObject {
    #[serde(rename = "type", default)]
    pub(crate) kind: String,
    pub(crate) subtype: Option<String>,
    pub(crate) value: Option<Value>,
    pub(crate) unserializable_value: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) object_id: Option<String>,
    preview: Option<Preview>,
}

#[derive(Deserialize, Debug)]
struct Preview {
    #[serde(default)]
    properties: Vec<PreviewProperty>,
    #[serde(default)]
    overflow: bool,
    subtype: Option<String>,
}

#[derive(Deserialize, Debug)]
struct PreviewProperty {
    name: String,
    value: Option<String>,
}

impl RemoteObject {
    /// The value for people: texts as they are, objects by what is known of them.
    pub(crate) fn text(&self) -> String {
        if let Some(value) = &self.value {
            return match value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
        }
        if let Some(preview) = &self.preview
            && self.subtype.as_deref() != Some("error")
        {
            return preview.text();
        }
        let named = self.unserializable_value.clone().or_else(|| self.description.clone());
        named.unwrap_or_else(|| self.kind.clone())
    }
}

impl Preview {
    fn text(&self) -> String {
        let is_list = self.subtype.as_deref() == Some("array");
        let value = |property: &PreviewProperty| property.value.clone().unwrap_or_default();
        let mut parts: Vec<String> = self
            .properties
            .iter()
            .map(|property| match is_list {
                true => value(property),
                false => format!("{}: {}", property.name, value(property)),
            })
            .collect();
        if self.overflow {
            parts.push("…".to_owned());
        }
        let inside = parts.join(", ");
        if is_list { format!("[{inside}]") } else { format!("{{{inside}}}") }
    }
}
