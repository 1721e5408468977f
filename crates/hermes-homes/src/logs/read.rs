//! Lines of log files, ours and those of the Python program.

use jiff::civil::DateTime;
use serde::Serialize;

use super::LogSeverity;

/// A line with what stands at its beginning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct LogLine {
    /// Local time, as written.
    pub(super) time: Option<String>,
    pub(super) level: Option<LogSeverity>,
    /// The part of the program, in a word.
    pub(super) component: Option<String>,
    pub(super) text: String,
    /// The line as it stands in the file.
    #[serde(skip)]
    pub(super) raw: String,
}

impl LogLine {
    /// Reads a line; one without a beginning of its own belongs to what came before it.
    pub(super) fn read(raw: &str, before: Option<&Self>) -> Self {
        if let Some(line) = Self::with_beginning(raw) {
            return line;
        }
        Self {
            time: before.and_then(|line| line.time.clone()),
            level: before.and_then(|line| line.level),
            component: before.and_then(|line| line.component.clone()),
            text: raw.to_owned(),
            raw: raw.to_owned(),
        }
    }

    fn with_beginning(raw: &str) -> Option<Self> {
        let (time, rest) = raw.split_at_checked("2026-11-18 20:09:00,391".len())?;
        let moment = time.get(..19)?;
        moment.parse::<DateTime>().ok()?;
        let (level, rest) = rest.strip_prefix(' ')?.split_once(' ')?;
        let level = LogSeverity::of(level)?;
        // The Python program puts the session in brackets before the name of its module.
        let named = match rest.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
            Some((_, named)) => named,
            None => rest,
        };
        let (component, text) = match named.split_once(": ") {
            Some((name, text)) if !name.contains(' ') => (Some(component(name)), text),
            _ => (None, rest),
        };
        Some(Self {
            time: Some(time.to_owned()),
            level: Some(level),
            component,
            text: text.to_owned(),
            raw: raw.to_owned(),
        })
    }

    /// When it was written.
    pub(super) fn moment(&self) -> Option<DateTime> {
        self.time.as_deref()?.get(..19)?.parse().ok()
    }
}

/// The part of the program that a module belongs to: `gateway.run` to `gateway`.
fn component(module: &str) -> String {
    let first = module.split(['.', ':']).next().unwrap_or_default();
    match first {
        "run_agent" => "agent".to_owned(),
        "hermes_cli" => "cli".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_both_programs_are_read() {
        let ours = LogLine::read("2026-11-18 20:09:00,391 WARNING gateway: lost it: again", None);
        assert_eq!(ours.level, Some(LogSeverity::Warning));
        assert_eq!(
            (ours.component.as_deref(), ours.text.as_str()),
            (Some("gateway"), "lost it: again")
        );
        let theirs =
            "2026-11-18 20:09:01,392 ERROR [20261118_200729_401eb7] tools.mcp_tool: no answer";
        let theirs = LogLine::read(theirs, None);
        assert_eq!(theirs.component.as_deref(), Some("tools"));
        let more = LogLine::read("  pip install it", Some(&theirs));
        assert_eq!(
            (more.level, more.text.as_str()),
            (Some(LogSeverity::Error), "  pip install it")
        );
        assert_eq!(more.moment(), theirs.moment());
        for other in [
            "",
            "2026",
            "hello there, this is a line of nothing",
            "2026-13-18 20:09:00,391 INFO x: y",
        ] {
            assert_eq!(LogLine::read(other, None).level, None, "{other}");
        }
    }
}
