//! What the loop itself says to the model, in the person's place. How such notes are marked is
//! `hermes_protocol::notes`, because surfaces look for the mark too.

pub use hermes_protocol::notes::{MARK, is_note, note};

pub(crate) const GO_ON: &str = "Your last message was cut off by the limit on its length. Go on \
    exactly where it stopped: no greeting, no repetition, no summary.";
pub(crate) const UNREADABLE_CALL: &str = "A part of your last message could not be read on its way, and \
    with it the tool calls; nothing was run. Make the calls again.";
pub(crate) const BROKEN_CALL: &str = "The connection broke while you were writing a tool call, so \
    nothing was run. Make the call again, in smaller pieces (below about 8,000 tokens each).";
pub(crate) const NUDGE: &str = "You called tools and then said nothing. Look at their results and \
    go on with the task, or answer.";
pub(crate) const ANSWER_NOW: &str = "You have thought about it but not answered. Write your answer \
    now.";
pub(crate) const SUM_UP: &str = "The limit on steps for this request is reached and no more tools can \
    be called. Say briefly what is done, what is not, and what the next step would be.";
pub(crate) const LOOP_ENDED: &str = "The same calls came again and again without anything new, so no more \
    tools can be called for this request. Say briefly what was found, what is done, and what is missing.";
pub(crate) const STOPPED_BEFORE_TEXT: &str = "(stopped by the user before there was an answer)";
pub(crate) const STOPPED_AT_TOOLS: &str = "(stopped by the user while tools were running)";

/// So many characters of what arrived are quoted, for the model to go on from.
const LAST_WORDS: usize = 120;

/// Asks for the rest of a message whose connection broke.
pub(crate) fn go_on_after(arrived: &str) -> String {
    let from = arrived.char_indices().rev().nth(LAST_WORDS - 1).map_or(0, |(at, _)| at);
    let last = arrived.get(from..).unwrap_or_default();
    let dots = if from > 0 { "…" } else { "" };
    note(&format!(
        "The connection broke in the middle of your last message. These are the very last words that \
         arrived:\n{dots}{last}\nGo on directly after them, in the middle of a word if need be: no greeting, \
         no repetition, no summary."
    ))
}
