//! A piece of a turn as it is shown.

use hermes_guard::redact::{RedactMode, Redactor};
use serde::Serialize;
use serde_json::Value;

/// Characters of a tool's output that are shown.
const MAX_OUTPUT: usize = 8_000;
/// Characters of a call's arguments that are shown.
const MAX_ARGS: usize = 4_000;
/// Characters of the line that tells of a call.
const MAX_PREVIEW: usize = 110;

/// What a piece is.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum BlockKind {
    /// What the person said.
    User { text: String, pictures: Vec<String>, waits: bool },
    /// What the model says.
    Text { text: String },
    /// What it thinks.
    Reasoning { text: String },
    /// A tool at work, or done.
    Tool {
        tool: String,
        preview: String,
        args: String,
        output: String,
        state: &'static str,
        took: String,
    },
    /// A question to the person.
    Question {
        /// Its name, for answers.
        question: String,
        headline: String,
        subject: String,
        reasons: Vec<(String, String)>,
        choices: Vec<Choice>,
        /// Whether words of one's own are an answer.
        free: bool,
        /// What became of it.
        settled: Option<String>,
    },
    /// Something worth knowing.
    Notice { level: &'static str, text: String },
    /// The turn is over.
    End { state: &'static str, text: String },
}

/// An answer on offer.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Choice {
    pub(crate) value: String,
    pub(crate) label: String,
    /// How it looks: `primary`, `plain` or `danger`.
    pub(crate) style: &'static str,
}

/// A piece with its place and the number of its last change.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Block {
    pub(crate) id: u64,
    #[serde(skip)]
    pub(crate) changed: u64,
    #[serde(flatten)]
    pub(crate) what: BlockKind,
}

impl BlockKind {
    /// A call that begins.
    pub(crate) fn call(tool: &str, args: &Value) -> Self {
        Self::Tool {
            tool: tool.to_owned(),
            preview: preview(args),
            args: pretty(args),
            output: String::new(),
            state: "running",
            took: String::new(),
        }
    }

    /// As it may be shown.
    pub(crate) fn masked(mut self, redactor: Redactor) -> Self {
        let hide = |text: &mut String| {
            *text = redactor.redact(text, RedactMode::Full).into_owned();
        };
        match &mut self {
            Self::Text { text }
            | Self::Reasoning { text }
            | Self::Notice { text, .. }
            | Self::End { text, .. } => {
                hide(text);
            }
            Self::Tool { preview, args, output, .. } => {
                hide(preview);
                hide(args);
                hide(output);
            }
            Self::User { .. } | Self::Question { .. } => {}
        }
        self
    }
}

/// The beginning of a call's arguments, on one line.
pub(crate) fn preview(args: &Value) -> String {
    let first = args.as_object().and_then(|args| args.values().find_map(Value::as_str));
    let line: Vec<&str> = first.unwrap_or_default().split_whitespace().collect();
    cut(&line.join(" "), MAX_PREVIEW)
}

/// Arguments for reading.
pub(crate) fn pretty(args: &Value) -> String {
    cut(&serde_json::to_string_pretty(args).unwrap_or_default(), MAX_ARGS)
}

/// What a tool gave, for reading: the text itself where it is wrapped in one field.
pub(crate) fn readable(output: &str) -> String {
    let value: Value = match serde_json::from_str(output) {
        Ok(value @ Value::Object(_)) => value,
        _ => return cut(output, MAX_OUTPUT),
    };
    let text =
        ["output", "content", "result", "error"].iter().find_map(|name| value[*name].as_str());
    match text.filter(|text| !text.trim().is_empty()) {
        Some(text) => cut(text, MAX_OUTPUT),
        None => cut(&serde_json::to_string_pretty(&value).unwrap_or_default(), MAX_OUTPUT),
    }
}

/// The beginning of a text.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// A picture as it came from a page of ours: of a kind browsers show, and nothing but the picture.
pub(crate) fn is_picture(url: &str) -> bool {
    const KINDS: [&str; 4] = ["png", "jpeg", "gif", "webp"];
    let Some(rest) = url.strip_prefix("data:image/") else { return false };
    let Some((kind, data)) = rest.split_once(";base64,") else { return false };
    let is_base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    KINDS.contains(&kind) && !data.is_empty() && data.bytes().all(is_base64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn output_is_read_out_of_its_envelope() {
        assert_eq!(readable(r#"{"output":"a\nb","exit_code":0}"#), "a\nb");
        assert_eq!(readable(r#"{"output":"","exit_code":1}"#).lines().count(), 4);
        assert_eq!(readable("plain"), "plain");
        assert_eq!(readable(&"x".repeat(MAX_OUTPUT + 5)).chars().count(), MAX_OUTPUT + 1);
        assert_eq!(preview(&json!({"n": 1, "command": "ls\n -l"})), "ls -l");
    }

    #[test]
    fn only_plain_pictures_are_shown() {
        assert!(is_picture("data:image/png;base64,AAAA"));
        for other in [
            "data:image/svg+xml;base64,AAAA",
            "data:text/html;base64,AAAA",
            "https://example.org/x.png",
            "data:image/png;base64,A\" onerror=alert(1)",
            "javascript:1",
        ] {
            assert!(!is_picture(other), "{other}");
        }
    }
}
