//! What the agent remembers between sessions: two small files of notes.
//!
//! `memories/MEMORY.md` holds the agent's own notes, `memories/USER.md` what it knows of the user. Each is
//! a list of short entries ([`entries`]) with a limit in characters. A session starts with a frozen copy of
//! both ([`MemorySnapshot`]), so that its prompt never changes; the tool `memory` changes the files for the
//! sessions after it ([`MemoryStore::call`]). People change them with the same store, or an editor.
//!
//! What holds for every change:
//!
//! * it is decided on what the file holds now, read again under a lock, because two sessions may write;
//! * it is written whole or not at all, by a rename; a list of changes counts as one;
//! * it never overwrites what could not be read: bytes that are no text, a file that may not be read;
//! * a file that somebody edited into a shape we do not write is copied before anything is replaced or
//!   removed in it, and the change is refused, because "the one entry with this text" may not be what the
//!   model thinks. Adding is safe and goes on;
//! * text that looks like an attack on whoever reads it is not taken in.
//!
//! The answers are for models: they say how full the file is and never repeat the entries after a success,
//! since models that see them again start over. After [`MAX_FAILURES`] failures in a turn the answer tells
//! the model to leave it.
//!
//! With `memory.write_approval` a person has to agree to what the tool changes ([`approval`]).

mod answer;
pub mod approval;
mod change;
mod disk;
pub mod entries;
mod settings;
mod snapshot;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use hermes_store::home::Home;
use hermes_store::pending::PendingStore;
use serde_json::Value;

use super::request::{Memory, MemoryOperation, MemoryTarget};

pub(super) use answer::OVER_LIMIT;
use answer::{Answer, Step};
use change::{apply, check_size};
pub use disk::{MAX_BYTES, MemoryFileError};
pub use settings::{MemorySettings, MemorySwitch};
pub use snapshot::MemorySnapshot;

/// Failed calls in one turn after which the model is told to stop trying.
pub const MAX_FAILURES: usize = 3;

/// The two files and their limits.
#[derive(Debug)]
pub struct MemoryStore {
    folder: PathBuf,
    settings: MemorySettings,
    failures: AtomicUsize,
    pending: PendingStore,
}

/// Whether a change is made or only thought through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Act {
    Perform,
    Pretend,
}

impl MemoryStore {
    /// The notes in a home. Touches nothing.
    #[must_use]
    pub fn new(home: &Home, settings: MemorySettings) -> Self {
        let pending = PendingStore::new(home, approval::SUBSYSTEM);
        Self { folder: home.memories(), settings, failures: AtomicUsize::new(0), pending }
    }

    /// Where the notes of one kind are.
    #[must_use]
    pub fn path(&self, target: MemoryTarget) -> PathBuf {
        self.folder.join(match target {
            MemoryTarget::Memory => "MEMORY.md",
            MemoryTarget::User => "USER.md",
        })
    }

    /// The limits and switches.
    #[must_use]
    pub fn settings(&self) -> &MemorySettings {
        &self.settings
    }

    /// The changes that wait for a person's word.
    #[must_use]
    pub fn pending(&self) -> &PendingStore {
        &self.pending
    }

    /// The entries of one kind, as they are on disk now.
    pub fn entries(&self, target: MemoryTarget) -> Result<Vec<String>, MemoryFileError> {
        Ok(disk::read(&self.path(target))?.map_or_else(Vec::new, |text| entries::parse(&text)))
    }

    /// A copy of both for the prompt of a session.
    #[must_use]
    pub fn snapshot(&self) -> MemorySnapshot {
        MemorySnapshot::take(self)
    }

    /// A new turn begins: failures of the last one are forgotten.
    pub fn begin_turn(&self) {
        self.failures.store(0, Ordering::Relaxed);
    }

    /// Answers one call of the tool. Blocks on files: call it off the async workers.
    pub fn call(&self, args: Memory) -> Value {
        let target = args.target.unwrap_or_default();
        let answer = self.change(target, args, Act::Perform);
        self.answered(target, &answer)
    }

    /// What the answer would be to a call that cannot succeed; nothing if it can. Changes no notes.
    pub fn refusal(&self, args: Memory) -> Option<Value> {
        let target = args.target.unwrap_or_default();
        match self.change(target, args, Act::Pretend) {
            Answer::Success { .. } => None,
            refused => Some(self.answered(target, &refused)),
        }
    }

    /// The answer as the model gets it; failures are counted.
    fn answered(&self, target: MemoryTarget, answer: &Answer) -> Value {
        let limit = self.settings.limit(target);
        match answer {
            Answer::Success { .. } => self.failures.store(0, Ordering::Relaxed),
            Answer::Refused { entries, .. }
                if answer.counts()
                    && self.failures.fetch_add(1, Ordering::Relaxed) >= MAX_FAILURES =>
            {
                return answer::stop(entries, limit);
            }
            Answer::Refused { .. } | Answer::Unavailable(_) => {}
        }
        answer.to_value(target, limit)
    }

    fn change(&self, target: MemoryTarget, args: Memory, act: Act) -> Answer {
        if let Some(key) = self.settings.turned_off_by(target) {
            return Answer::Unavailable(format!(
                "These notes are turned off ({key}); only the user can turn them on."
            ));
        }
        let (changes, step) = match args.operations {
            Some(operations) if !operations.is_empty() => (operations, Step::OfBatch),
            _ => match args.action {
                Some(action) => {
                    let (content, old_text) = (args.content, args.old_text);
                    (vec![MemoryOperation { action, content, old_text }], Step::Single)
                }
                None => {
                    let why = "Say what to do with `action`, or give several `operations`.";
                    return self.invalid(target, why.to_owned());
                }
            },
        };
        match self.write(target, &changes, step, act) {
            Ok(answer) => answer,
            Err(error) => Answer::Unavailable(format!("{error}.")),
        }
    }

    /// Answers a call whose arguments cannot be read, `why` says how.
    pub fn unreadable(&self, target: MemoryTarget, why: String) -> Value {
        match self.settings.turned_off_by(target) {
            Some(_) => self.call(Memory { target: Some(target), ..Memory::default() }),
            None => self.answered(target, &self.invalid(target, why)),
        }
    }

    fn invalid(&self, target: MemoryTarget, why: String) -> Answer {
        match self.entries(target) {
            Ok(entries) => Answer::invalid(why, entries),
            Err(_) => Answer::Unavailable(why),
        }
    }

    /// Reads, decides and writes under the lock.
    fn write(
        &self,
        target: MemoryTarget,
        changes: &[MemoryOperation],
        step: Step,
        act: Act,
    ) -> Result<Answer, MemoryFileError> {
        let file = self.path(target);
        let limit = self.settings.limit(target);
        let _lock = match act {
            Act::Perform => Some(disk::lock(&file)?),
            Act::Pretend => None,
        };
        let text = disk::read(&file)?.unwrap_or_default();
        let before = entries::parse(&text);
        if answer::must_know_entries(changes, step) && drifted(&text, &before, limit) {
            return self.refuse_drift(&file, &text, before);
        }
        let mut after = before.clone();
        let mut done = Vec::with_capacity(changes.len());
        for (at, change) in changes.iter().enumerate() {
            match apply(&mut after, change) {
                Ok(what) => done.push(what),
                Err(refusal) => return Ok(Answer::Refused { at, step, refusal, entries: before }),
            }
        }
        if after != before {
            if let Err(refusal) = check_size(&after, limit) {
                let at = changes.len() - 1;
                return Ok(Answer::Refused { at, step, refusal, entries: before });
            }
            if act == Act::Perform {
                disk::write(&file, &entries::render(&after))?;
            }
        }
        Ok(Answer::Success { done, entries: after })
    }

    fn refuse_drift(
        &self,
        file: &Path,
        text: &str,
        entries: Vec<String>,
    ) -> Result<Answer, MemoryFileError> {
        let copy = disk::back_up(file, text)?;
        let why = format!(
            "{} was edited by somebody else into a form that cannot be changed safely. It is as it \
             was, with a copy in {}. Tell the user to put a line with only `§` between entries, \
             without blank entries, each within the limit; `add` still works.",
            file.display(),
            copy.display()
        );
        Ok(Answer::invalid(why, entries))
    }
}

/// Whether a file was edited into a shape that we do not write.
fn drifted(text: &str, entries: &[String], limit: usize) -> bool {
    entries::is_foreign(text) || entries.iter().any(|entry| entry.chars().count() > limit)
}
