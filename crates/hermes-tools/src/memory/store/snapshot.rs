//! The notes as a session sees them: taken once, never changed.

use hermes_guard::threats::{self, ThreatScope};

use super::answer::usage;
use super::{MemoryFileError, MemoryStore, entries};
use crate::memory::request::MemoryTarget;

/// The line above and below a title.
const RULE: &str = "══════════════════════════════════════════════";

/// The blocks for the prompt, and what the user should know about the files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemorySnapshot {
    /// The agent's own notes.
    pub memory: Option<String>,
    /// The notes on the user.
    pub user: Option<String>,
    /// Problems with the files, one line each. The session starts all the same.
    pub warnings: Vec<String>,
}

impl MemorySnapshot {
    pub(super) fn take(store: &MemoryStore) -> Self {
        let mut warnings = Vec::new();
        let memory = block(store, MemoryTarget::Memory, &mut warnings);
        let user = block(store, MemoryTarget::User, &mut warnings);
        Self { memory, user, warnings }
    }
}

fn block(store: &MemoryStore, target: MemoryTarget, warnings: &mut Vec<String>) -> Option<String> {
    if store.settings().turned_off_by(target).is_some() {
        return None;
    }
    let list = match store.entries(target) {
        Ok(list) => list,
        Err(error) => {
            warnings.push(error.to_string());
            match error {
                // One bad byte is no reason to forget everything.
                MemoryFileError::NotText { lossy, .. } => entries::parse(&lossy),
                _ => return None,
            }
        }
    };
    if list.is_empty() {
        return None;
    }
    let limit = store.settings().limit(target);
    let title = match target {
        MemoryTarget::Memory => "MEMORY (your own notes)",
        MemoryTarget::User => "USER (what you know of the user)",
    };
    let shown = shown(&list, limit);
    Some(format!("{RULE}\n{title} [{}]\n{RULE}\n{}", usage(&list, limit), entries::render(&shown)))
}

/// The entries, those that look like an attack replaced, and no more of them than the limit lets in:
/// a file may have been filled by hand.
fn shown(list: &[String], limit: usize) -> Vec<String> {
    let mut shown = Vec::new();
    let mut room = limit;
    for (at, entry) in list.iter().enumerate() {
        let size = entry.chars().count() + entries::DELIMITER.chars().count();
        if size > room + entries::DELIMITER.chars().count() {
            shown.push(format!("[{} more entries do not fit and are not shown]", list.len() - at));
            break;
        }
        room = room.saturating_sub(size);
        let found = threats::scan(entry, ThreatScope::Strict);
        if found.is_empty() {
            shown.push(entry.clone());
        } else {
            let kinds: Vec<&str> = found.iter().map(|threat| &*threat.id).collect();
            shown.push(format!(
                "[BLOCKED: entry {} looked like an attack ({})]",
                at + 1,
                kinds.join(", ")
            ));
        }
    }
    shown
}
