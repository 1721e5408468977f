//! A summary without a model: what was asked, which files were touched, what came last.

use std::fmt::Write as _;

use hermes_guard::redact::{RedactMode, redact};
use hermes_llm::message::{Message, RequestedCall, Role};
use hermes_runtime::repair::arguments::parse_arguments;
use serde_json::Value;

use super::PolicyLookup;
use super::one_line::one_line;
use super::summary::clip;

/// How many questions, files and results are listed.
const ASKED: usize = 10;
const FILES: usize = 30;
const RESULTS: usize = 5;
/// Characters of a request.
const ASKED_CLIP: (usize, usize) = (200, 50);
/// Characters that stay of an earlier summary.
const PREVIOUS_CLIP: (usize, usize) = (3_000, 1_000);
/// Arguments that name files.
const PATHS: &[&str] = &["path", "file_path", "workdir"];

/// The summary of these messages.
pub(super) fn summarise(
    messages: &[&Message],
    previous: Option<&str>,
    policies: PolicyLookup<'_>,
) -> String {
    let mut text =
        "This part was shortened without a model, so only its outline is left.".to_owned();
    if let Some(previous) = previous {
        let _ = write!(text, "\n\n## Before that\n{}", clip(previous, PREVIOUS_CLIP));
    }
    let asked = messages.iter().filter(|message| message.role == Role::User);
    section(
        &mut text,
        "Asked by the user",
        newest(asked.map(|message| clip(&message.text(), ASKED_CLIP)), ASKED),
    );
    let calls = || messages.iter().flat_map(|message| &message.tool_calls);
    section(&mut text, "Files", newest(calls().flat_map(files), FILES));
    let results = messages.iter().filter(|message| message.role == Role::Tool).map(|message| {
        let call = calls().find(|call| Some(&call.id) == message.tool_call_id.as_ref());
        let name = message.tool_name.as_deref().unwrap_or("tool");
        let arguments = call.map(|call| call.arguments.as_str()).unwrap_or_default();
        one_line(name, policies(name).summary, arguments, &message.text())
    });
    section(&mut text, "Last results", newest(results, RESULTS));
    redact(&text, RedactMode::Full).into_owned()
}

fn section(text: &mut String, title: &str, lines: Vec<String>) {
    if !lines.is_empty() {
        let _ = write!(text, "\n\n## {title}");
        for line in lines {
            let _ = write!(text, "\n- {}", line.replace('\n', " "));
        }
    }
}

/// The last few different ones, in their order.
fn newest(lines: impl DoubleEndedIterator<Item = String>, most: usize) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for line in lines.rev() {
        if kept.len() == most {
            break;
        }
        if !line.is_empty() && !kept.contains(&line) {
            kept.push(line);
        }
    }
    kept.reverse();
    kept
}

fn files(call: &RequestedCall) -> Vec<String> {
    let Ok(parsed) = parse_arguments(&call.arguments) else { return Vec::new() };
    let path = |name: &&str| parsed.object.get(*name).and_then(Value::as_str);
    PATHS.iter().filter_map(path).map(|path| clip(path, ASKED_CLIP)).collect()
}
