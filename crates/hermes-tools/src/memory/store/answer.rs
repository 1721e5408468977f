//! What a model is told about its change.

use serde_json::{Value, json};

use super::change::{Done, Refusal};
use super::entries;
use crate::memory::request::{MemoryAction, MemoryOperation, MemoryTarget};

/// Whether a change stands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Single,
    OfBatch,
}

/// Whether the changes name existing entries, or come in a batch, so that the file must be as we
/// would have written it.
pub(super) fn must_know_entries(changes: &[MemoryOperation], step: Step) -> bool {
    step == Step::OfBatch || changes.iter().any(|change| change.action != MemoryAction::Add)
}

/// The outcome of a call.
#[derive(Debug)]
pub(super) enum Answer {
    Success {
        done: Vec<Done>,
        entries: Vec<String>,
    },
    Refused {
        at: usize,
        step: Step,
        refusal: Refusal,
        entries: Vec<String>,
    },
    /// The notes are turned off, or their file cannot be read: there is nothing to show of them.
    Unavailable(String),
}

impl Answer {
    /// A refusal of the call itself.
    pub(super) fn invalid(why: String, entries: Vec<String>) -> Self {
        let refusal = Refusal::Invalid(why);
        Self::Refused { at: 0, step: Step::Single, refusal, entries }
    }

    /// Whether a model that fails like this again and again should stop.
    pub(super) fn counts(&self) -> bool {
        match self {
            Self::Success { .. } | Self::Unavailable(_) => false,
            Self::Refused { step: Step::OfBatch, .. } => true,
            Self::Refused { refusal, .. } => {
                matches!(refusal, Refusal::TooLong(_) | Refusal::NoMatch(_))
            }
        }
    }

    pub(super) fn to_value(&self, target: MemoryTarget, limit: usize) -> Value {
        match self {
            Self::Success { done, entries } => json!({
                "success": true,
                "done": true,
                "target": name(target),
                "usage": usage(entries, limit),
                "entry_count": entries.len(),
                "message": message(done),
                "note": "Saved; later sessions begin with it. No need to check or to repeat.",
            }),
            Self::Refused { at, step, refusal, entries } => {
                let mut answer = refused(refusal, entries, limit);
                if *step == Step::OfBatch
                    && let Some(error) = answer["error"].as_str()
                {
                    answer["error"] =
                        format!("Operation {}: {error} None of them was done.", at + 1).into();
                }
                answer
            }
            Self::Unavailable(why) => json!({"success": false, "error": why}),
        }
    }
}

/// The answer to one failure too many.
pub(super) fn stop(entries: &[String], limit: usize) -> Value {
    json!({
        "success": false,
        "done": true,
        "error": "Too many failed attempts in this turn; nothing was changed. Leave the notes as they \
                  are and go on with the task.",
        "usage": fill(entries, limit),
        "current_entries": entries,
    })
}

/// A failure shows how full the notes are and what they hold: what a model needs to do it better.
fn refused(refusal: &Refusal, entries: &[String], limit: usize) -> Value {
    let error = match refusal {
        Refusal::Invalid(why) => why.clone(),
        Refusal::Ambiguous(wanted, _) => {
            format!("Several entries hold `{wanted}`; quote more of the one you mean.")
        }
        Refusal::Blocked(kinds) => format!(
            "The content looks like an attempt to steer whoever reads it ({kinds}), so it is not kept. \
             Say the fact in plain words."
        ),
        Refusal::TooLong(size) => format!(
            "That would be {size} characters of at most {limit}. Shorten or remove entries, in one call \
             with `operations`."
        ),
        Refusal::NoOldText => "`old_text` is missing: a part of the one entry you mean.".to_owned(),
        Refusal::NoMatch(wanted) => format!("No entry holds `{wanted}`."),
    };
    let usage = fill(entries, limit);
    let mut answer =
        json!({"success": false, "error": error, "usage": usage, "current_entries": entries});
    match refusal {
        Refusal::Ambiguous(_, matches) => answer["matches"] = json!(matches),
        Refusal::TooLong(size) => answer[OVER_LIMIT] = json!(size.saturating_sub(limit)),
        _ => {}
    }
    answer
}

/// By how many characters a change would be too long, in the answer that says so.
pub(crate) const OVER_LIMIT: &str = "over_limit_by";

/// `C/L`.
fn fill(entries: &[String], limit: usize) -> String {
    format!("{}/{limit}", entries::size(entries))
}

/// `P% — C/L chars`.
pub(super) fn usage(entries: &[String], limit: usize) -> String {
    let size = entries::size(entries);
    let percent = (size * 100 / limit.max(1)).min(100);
    format!("{percent}% — {size}/{limit} chars")
}

pub(super) fn name(target: MemoryTarget) -> &'static str {
    match target {
        MemoryTarget::Memory => "memory",
        MemoryTarget::User => "user",
    }
}

fn message(done: &[Done]) -> String {
    match done {
        [Done::AlreadyThere] => "This entry is there already.".to_owned(),
        [Done::Added] => "Entry added.".to_owned(),
        [Done::Replaced] => "Entry replaced.".to_owned(),
        [Done::Removed] => "Entry removed.".to_owned(),
        several => {
            let count = |what: &Done| several.iter().filter(|done| *done == what).count();
            format!(
                "{} added, {} replaced, {} removed, {} there already.",
                count(&Done::Added),
                count(&Done::Replaced),
                count(&Done::Removed),
                count(&Done::AlreadyThere)
            )
        }
    }
}
