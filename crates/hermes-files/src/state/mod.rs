//! What the file tools remember: who read what, who wrote what, and what is being repeated.
//!
//! One [`FileState`] serves a whole process. Tasks that work side by side see each other's writes
//! through it, so that nobody overwrites a sibling's work without being told. A path is locked over
//! read, change and write; several paths are locked in sorted order, so two patches cannot wait for
//! each other. Everything is bounded: what is forgotten costs a warning, never correctness.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use super::fs::Stamp;

mod bounded;
mod locks;
mod loops;
#[cfg(test)]
mod tests;

use bounded::Bounded;
pub use locks::PathGuards;
use locks::PathLocks;
use loops::Loops;
pub use loops::{LoopVerdict, ReadKey, SearchKey, SeenBefore};

/// Paths remembered of one task, and of all writers.
const MAX_PATHS: usize = 4_096;
/// Paths on which one task's failed edits are counted.
const MAX_FAILED_PATHS: usize = 64;
/// Tasks remembered.
const MAX_TASKS: usize = 256;

/// Who gets the answers, as a service of the call. A script has no earlier answer to look back at:
/// nothing is withheld from it as shown before, and what it repeats is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReaderKind {
    /// A conversation, in which earlier answers still stand.
    #[default]
    Conversation,
    /// A program.
    Script,
}

/// How much of a file a write replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteExtent {
    /// All of it: what was not read is lost.
    Whole,
    /// A place quoted by the caller, who has therefore seen it.
    Quoted,
}

#[derive(Clone, Copy, Debug)]
struct Reading {
    stamp: Stamp,
    at: SystemTime,
    is_partial: bool,
}

#[derive(Clone, Debug)]
struct Writing {
    task: String,
    at: SystemTime,
}

#[derive(Default)]
struct Task {
    readings: Bounded<PathBuf, Reading>,
    failures: Bounded<PathBuf, u32>,
    loops: Loops,
}

#[derive(Default)]
struct Memory {
    tasks: HashMap<String, Task>,
    order: Vec<String>,
    writings: Bounded<PathBuf, Writing>,
}

/// The memory of one process.
#[derive(Default)]
pub struct FileState {
    locks: PathLocks,
    memory: Mutex<Memory>,
}

impl FileState {
    /// Waits until these paths are ours alone.
    pub async fn lock(&self, paths: impl IntoIterator<Item = PathBuf>) -> PathGuards {
        self.locks.lock(paths).await
    }

    /// What a task should be told before it writes: somebody else changed the file, or the task has
    /// not seen all of what it is about to replace.
    pub fn before_write(
        &self,
        task: &str,
        path: &Path,
        present: Option<Stamp>,
        extent: WriteExtent,
    ) -> Option<String> {
        let present = present?;
        let mut memory = self.memory();
        let writing = memory.writings.get(path).cloned();
        let reading = memory.task(task).readings.get(path).copied();
        let shown = path.display();
        if let Some(writing) = writing.filter(|writing| writing.task != task) {
            match reading {
                None => {
                    return Some(format!(
                        "{shown} was written by task '{}' and this task has not read it since",
                        writing.task
                    ));
                }
                Some(reading) if reading.at < writing.at => {
                    return Some(format!(
                        "{shown} was written by task '{}' after this task last read it",
                        writing.task
                    ));
                }
                Some(_) => {}
            }
        }
        let reading = reading?;
        if reading.stamp != present {
            return Some(format!("{shown} was changed by another program since it was last read"));
        }
        (reading.is_partial && extent == WriteExtent::Whole)
            .then(|| format!("{shown} was read only in part; the rest is being replaced unseen"))
    }

    /// Whether a task has read or written a file.
    pub fn is_known(&self, task: &str, path: &Path) -> bool {
        self.memory().task(task).readings.get(path).is_some()
    }

    /// Notes what a task knows of a file, for warnings before its next write.
    pub fn after_read(&self, task: &str, path: &Path, stamp: Stamp, is_partial: bool) {
        let reading = Reading { stamp, at: SystemTime::now(), is_partial };
        self.memory().task(task).readings.put(path.to_owned(), reading, MAX_PATHS);
    }

    /// A task has written a file: it knows all of it now, and what it read before no longer counts.
    pub fn after_write(&self, task: &str, path: &Path, stamp: Stamp) {
        let at = SystemTime::now();
        let mut memory = self.memory();
        let writing = Writing { task: task.to_owned(), at };
        memory.writings.put(path.to_owned(), writing, MAX_PATHS);
        let task = memory.task(task);
        task.readings.put(path.to_owned(), Reading { stamp, at, is_partial: false }, MAX_PATHS);
        task.loops.forget_path(path);
        task.failures.remove(path);
    }

    /// A task has removed a file or moved it away.
    pub fn after_remove(&self, task: &str, path: &Path) {
        let mut memory = self.memory();
        let writing = Writing { task: task.to_owned(), at: SystemTime::now() };
        memory.writings.put(path.to_owned(), writing, MAX_PATHS);
        let task = memory.task(task);
        task.readings.remove(path);
        task.loops.forget_path(path);
    }

    /// Whether a task has had this very window of this very state of a file before.
    pub fn seen_before(&self, task: &str, key: &ReadKey, stamp: Stamp) -> SeenBefore {
        self.memory().task(task).loops.seen_before(key, stamp)
    }

    /// Counts a read that returned content, and remembers its window.
    pub fn count_read(&self, task: &str, key: ReadKey, stamp: Stamp) -> LoopVerdict {
        self.memory().task(task).loops.count_read(key, stamp)
    }

    /// Counts a search and says whether it is being repeated.
    pub fn count_search(&self, task: &str, key: SearchKey) -> LoopVerdict {
        self.memory().task(task).loops.count_search(key)
    }

    /// Counts a failed edit; says how many in a row there were on this path.
    pub fn edit_failed(&self, task: &str, path: &Path) -> u32 {
        let mut memory = self.memory();
        let failures = &mut memory.task(task).failures;
        let count = failures.get(path).copied().unwrap_or(0) + 1;
        failures.put(path.to_owned(), count, MAX_FAILED_PATHS);
        count
    }

    /// Another tool than reading or searching ran: whatever was repeated, something happened since.
    pub fn other_tool_ran(&self, task: &str) {
        if let Some(task) = self.memory().tasks.get_mut(task) {
            task.loops.break_loops();
        }
    }

    /// The conversation was compressed: what was shown before can no longer be looked up there.
    pub fn forget_shown(&self, task: &str) {
        if let Some(task) = self.memory().tasks.get_mut(task) {
            task.loops = Loops::default();
        }
    }

    /// Files among those a task has read that others have written since a moment, sorted.
    #[must_use]
    pub fn written_by_others(&self, task: &str, since: SystemTime) -> Vec<PathBuf> {
        let memory = self.memory();
        let Some(own) = memory.tasks.get(task) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = memory
            .writings
            .iter()
            .filter(|(path, writing)| {
                writing.task != task
                    && writing.at >= since
                    && own.readings.get(path.as_path()).is_some()
            })
            .map(|(path, _)| path.clone())
            .collect();
        paths.sort();
        paths
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        // Entries are replaced whole; nothing is half written.
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    fn task(&mut self, name: &str) -> &mut Task {
        if !self.tasks.contains_key(name) {
            if self.order.len() == MAX_TASKS {
                let oldest = self.order.remove(0);
                self.tasks.remove(&oldest);
            }
            self.order.push(name.to_owned());
        }
        self.tasks.entry(name.to_owned()).or_default()
    }
}

impl std::fmt::Debug for FileState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileState")
            .field("tasks", &self.memory().tasks.len())
            .finish_non_exhaustive()
    }
}
