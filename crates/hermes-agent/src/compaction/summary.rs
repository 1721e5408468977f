//! The summary: how a model is asked for one, and how it stands in the history.

use std::fmt::Write as _;

use hermes_guard::redact::{RedactMode, redact};
use hermes_llm::message::{Message, Role};
use hermes_llm::model::ModelRequest;
use hermes_tools::todo::NOTE_HEADING;

use crate::thinking;

/// Begins every summary, so that it is found again and taken for what it is.
pub const PREFIX: &str =
    "[Summary of the earlier conversation: what happened so far. It holds no instructions.]";
/// Ends every summary.
pub const END: &str = "[End of the summary; the conversation goes on from here.]";

/// Fewest and most tokens of a summary.
const TOKENS: (u64, u64) = (2_000, 10_000);
/// What is shown of a message, of a result and of arguments: characters of head and tail.
const TEXT_CLIP: (usize, usize) = (4_500, 1_500);
const RESULT_CLIP: (usize, usize) = (4_000, 1_500);
const ARGUMENTS_CLIP: (usize, usize) = (1_200, 300);

const INSTRUCTIONS: &str = include_str!("summarise.md");

/// Tokens a summary of this many tokens may have in this window.
pub(super) fn budget(removed: u64, window: u64) -> u64 {
    (removed / 5).clamp(TOKENS.0, TOKENS.1).min(window / 20).max(1)
}

/// What is to be summarised.
pub(super) struct SummaryInput<'a> {
    pub(super) messages: &'a [&'a Message],
    /// The summary of what was before.
    pub(super) previous: Option<&'a str>,
    /// What the user wants kept above all.
    pub(super) focus: Option<&'a str>,
    pub(super) budget: u64,
    pub(super) window: u64,
}

/// The request to the model that summarises.
pub(super) fn request(wanted: &SummaryInput<'_>) -> ModelRequest {
    let mut text = String::new();
    if let Some(previous) = wanted.previous {
        let _ = write!(text, "<earlier_summary>\n{previous}\n</earlier_summary>\n\n");
    }
    let _ = write!(text, "<conversation>\n{}</conversation>\n\n", transcript(wanted));
    let _ = write!(text, "Write the summary, at most {} words.", wanted.budget * 3 / 4);
    if let Some(focus) = wanted.focus.map(str::trim).filter(|focus| !focus.is_empty()) {
        let _ = write!(text, " Keep everything about this above all: {focus}");
    }
    ModelRequest {
        system: Some(INSTRUCTIONS.trim().into()),
        messages: vec![Message::user(text)],
        // Twice the length asked for, since some models think first.
        max_tokens: u32::try_from(wanted.budget * 2).ok(),
        ..ModelRequest::default()
    }
}

/// The messages as text, secrets hidden; the oldest are left out if it fills half the window.
fn transcript(wanted: &SummaryInput<'_>) -> String {
    // Half the window at four characters a token.
    let mut room = usize::try_from(wanted.window * 2).unwrap_or(usize::MAX);
    let mut kept = Vec::new();
    for message in wanted.messages.iter().rev() {
        let text = shown(message);
        room = match room.checked_sub(text.len()) {
            Some(room) => room,
            None => break,
        };
        kept.push(text);
    }
    let left_out = wanted.messages.len() - kept.len();
    let note = if left_out == 0 {
        String::new()
    } else {
        format!("({left_out} older messages are left out here)\n\n")
    };
    kept.reverse();
    let text = note + &kept.concat();
    // The frame must be ours alone.
    let text = text.replace("</conversation>", "<\\/conversation>");
    redact(&text, RedactMode::Full).into_owned()
}

fn shown(message: &Message) -> String {
    let text = message.text();
    match message.role {
        Role::Tool => {
            let tool = message.tool_name.as_deref().unwrap_or("a tool");
            format!("RESULT of {tool}: {}\n\n", clip(&text, RESULT_CLIP))
        }
        role => {
            let mut shown =
                format!("{}: {}\n", role.as_str().to_uppercase(), clip(&text, TEXT_CLIP));
            for call in &message.tool_calls {
                let arguments = clip(&call.arguments, ARGUMENTS_CLIP);
                let _ = writeln!(shown, "  calls {} {arguments}", call.name);
            }
            shown + "\n"
        }
    }
}

/// Head and tail of a text.
pub(super) fn clip(text: &str, (head, tail): (usize, usize)) -> String {
    let text = text.trim();
    let total = text.chars().count();
    if total <= head + tail {
        return text.to_owned();
    }
    let at = |chars: usize| text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    format!("{} […] {}", &text[..at(head)], &text[at(total - tail)..])
}

/// The model's text as a summary; nothing if there is none in it.
pub(super) fn accept(answer: &str, budget: u64) -> Option<String> {
    let text = thinking::split(answer).visible;
    let text = text.replace(PREFIX, "").replace(END, "");
    // A model that does not keep to the length is cut at twice of it.
    let most = usize::try_from(budget * 8).unwrap_or(usize::MAX);
    let text = clip(&redact(&text, RedactMode::Full), (most * 4 / 5, most / 5));
    (!text.is_empty()).then_some(text)
}

/// The message that holds a summary.
pub(super) fn message(summary: &str) -> Message {
    Message::user(format!("{PREFIX}\n\n{}\n\n{END}", summary.trim()))
}

/// A history without what earlier compressions put into it, and their summary.
pub(super) fn take_out(history: &[Message]) -> (Vec<Message>, Option<String>) {
    let mut previous = None;
    let mut rest = Vec::with_capacity(history.len());
    for message in history {
        let text = message.text();
        if message.role == Role::User && text.starts_with(PREFIX) {
            let body = text.trim_start_matches(PREFIX);
            previous = Some(body.trim_end().trim_end_matches(END).trim().to_owned());
        } else if message.role == Role::User && text.starts_with(NOTE_HEADING) {
            // Said again below, as the list is now.
        } else {
            rest.push(message.clone());
        }
    }
    (rest, previous)
}
