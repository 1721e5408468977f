//! Changes to entries, as pure decisions: from a list of entries to the next, or a refusal.

use hermes_guard::threats::{self, ThreatScope};

use super::entries::{self, holds_delimiter};
use crate::memory::request::{MemoryAction, MemoryOperation};

/// Characters of an entry that are shown where several fit.
const MATCH_CHARS: usize = 80;

/// What a change does.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Done {
    /// The entry is there already.
    AlreadyThere,
    Added,
    Replaced,
    Removed,
}

/// Why a change is refused.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The call itself is wrong.
    Invalid(String),
    /// `old_text` is missing; the entries may help to choose one.
    NoOldText,
    /// No entry holds `old_text`.
    NoMatch(String),
    /// Several do; the beginnings of them.
    Ambiguous(String, Vec<String>),
    /// The result would be too long: this many characters.
    TooLong(usize),
    /// The content looks like an attack; the kinds.
    Blocked(String),
}

/// Applies one change; the limit is checked by the caller, who knows whether more follow.
pub(super) fn apply(list: &mut Vec<String>, change: &MemoryOperation) -> Result<Done, Refusal> {
    match change.action {
        MemoryAction::Add => {
            let content = content(change)?;
            if list.contains(&content) {
                return Ok(Done::AlreadyThere);
            }
            list.push(content);
            Ok(Done::Added)
        }
        MemoryAction::Replace => {
            let content = content(change)?;
            let at = position(list, change)?;
            list[at].clone_from(&content);
            // The new text may be another entry's: one of them is enough.
            let mut seen = false;
            list.retain(|entry| *entry != content || !std::mem::replace(&mut seen, true));
            Ok(Done::Replaced)
        }
        MemoryAction::Remove => {
            let at = position(list, change)?;
            list.remove(at);
            Ok(Done::Removed)
        }
    }
}

/// Whether the entries fit.
pub(super) fn check_size(list: &[String], limit: usize) -> Result<(), Refusal> {
    let size = entries::size(list);
    if size > limit { Err(Refusal::TooLong(size)) } else { Ok(()) }
}

/// The new entry, if it may be one.
fn content(change: &MemoryOperation) -> Result<String, Refusal> {
    let content = entries::normalised(change.content.as_deref().unwrap_or_default());
    let content = content.trim();
    if content.is_empty() {
        return Err(Refusal::Invalid("`content` must not be blank.".to_owned()));
    }
    if holds_delimiter(content) {
        return Err(Refusal::Invalid(
            "`content` has a line with nothing but `§`, which separates entries. Leave that line \
             out, or add several entries."
                .to_owned(),
        ));
    }
    let threats = threats::scan(content, ThreatScope::Strict);
    if threats.is_empty() {
        return Ok(content.to_owned());
    }
    let kinds: Vec<&str> = threats.iter().map(|threat| &*threat.id).collect();
    Err(Refusal::Blocked(kinds.join(", ")))
}

/// The one entry that is meant.
fn position(list: &[String], change: &MemoryOperation) -> Result<usize, Refusal> {
    let wanted = change.old_text.as_deref().unwrap_or_default().trim();
    if wanted.is_empty() {
        return Err(Refusal::NoOldText);
    }
    if let Some(exact) = list.iter().position(|entry| entry == wanted) {
        return Ok(exact);
    }
    let mut matches = (0..list.len()).filter(|at| list[*at].contains(wanted));
    let first = matches.next().ok_or_else(|| Refusal::NoMatch(wanted.to_owned()))?;
    let others: Vec<usize> = matches.filter(|at| list[*at] != list[first]).collect();
    if others.is_empty() {
        return Ok(first);
    }
    let all = std::iter::once(first).chain(others).map(|at| beginning(&list[at])).collect();
    Err(Refusal::Ambiguous(wanted.to_owned(), all))
}

fn beginning(entry: &str) -> String {
    match entry.char_indices().nth(MATCH_CHARS) {
        Some((at, _)) => format!("{}...", &entry[..at]),
        None => entry.to_owned(),
    }
}
