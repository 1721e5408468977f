//! From events of the program to lines of the log files.

use std::sync::OnceLock;

use hermes_guard::redact::{RedactMode, Redactor};
use hermes_store::home::Home;

use super::LogSeverity;
use super::write::LogFiles;

/// Where log lines are kept, once somebody said where.
static FILES: OnceLock<LogFiles> = OnceLock::new();

/// Keeps log lines in the files of a home from now on. Makes nothing before there is a line; of several homes the first counts.
pub fn keep_in_files(home: &Home) {
    // A command within a chat opens a host of its own; the first one counts.
    let _ = FILES.set(LogFiles::of(home));
}

/// Hands events to the log files of the home that [`keep_in_files`] was told, without secrets; drops them before.
#[derive(Clone, Copy, Debug)]
pub struct LogFileLayer {
    redactor: fn() -> Redactor,
}

impl LogFileLayer {
    /// A layer that asks with each line what hides secrets, as the settings are read after the first lines.
    #[must_use]
    pub fn new(redactor: fn() -> Redactor) -> Self {
        Self { redactor }
    }
}

impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for LogFileLayer {
    fn on_event(
        &self,
        event: &tracing::Event<'_>,
        _context: tracing_subscriber::layer::Context<'_, S>,
    ) {
        let Some(files) = FILES.get() else { return };
        let about = event.metadata();
        let level = match *about.level() {
            tracing::Level::ERROR => LogSeverity::Error,
            tracing::Level::WARN => LogSeverity::Warning,
            tracing::Level::INFO => LogSeverity::Info,
            _ => LogSeverity::Debug,
        };
        let mut words = EventWords::default();
        event.record(&mut words);
        let text = (self.redactor)().redact(&words.whole(), RedactMode::Full).into_owned();
        files.write(level, component(about.target()), &text);
    }
}

/// The part of the program that says something: `gateway` of `hermes_gateway::core::outbox`.
fn component(target: &str) -> &str {
    let first = target.split("::").next().unwrap_or(target);
    first.strip_prefix("hermes_").unwrap_or(first)
}

/// An event in words: its message, and its fields behind it.
#[derive(Default)]
struct EventWords {
    message: String,
    fields: String,
}

impl EventWords {
    fn whole(self) -> String {
        self.message + &self.fields
    }
}

impl tracing::field::Visit for EventWords {
    fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
        use std::fmt::Write as _;
        // Writing to a text does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_our_parts() {
        assert_eq!(component("hermes_gateway::core::outbox"), "gateway");
        assert_eq!(component("hermes_cli"), "cli");
    }
}
