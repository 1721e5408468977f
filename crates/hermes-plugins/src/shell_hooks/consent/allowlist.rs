//! The file of agreements, `shell-hooks-allowlist.json` in the Hermes home.
//!
//! ```json
//! { "approvals": [ {
//!     "event": "pre_tool_call", "command": "~/hooks/guard.sh",
//!     "approved_at": "2026-03-01T09:30:00Z",
//!     "script_mtime_at_approval": "2026-02-27T18:02:11.482930Z"
//! } ] }
//! ```
//!
//! Reading takes no lock, since the file is replaced in one step. Every change reads the file again
//! under a lock shared with other processes, changes that, and keeps what it does not know: other
//! keys, other entries, their order. A file that cannot be understood is never written to; until a
//! person has repaired it, nothing in it counts.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hermes_runtime::hooks::HookEvent;
use hermes_store::atomic::{self, AtomicError, WriteOptions};
use hermes_store::home::ensure_private_dir;
use hermes_store::lock::{self, FileLock, LockError, Wait};
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::script::{self, ScriptState};

const APPROVALS: &str = "approvals";
const EVENT: &str = "event";
const COMMAND: &str = "command";
const APPROVED_AT: &str = "approved_at";
const SCRIPT_MTIME: &str = "script_mtime_at_approval";

/// The agreements in one file.
#[derive(Clone, Debug)]
pub struct Allowlist {
    file: PathBuf,
}

/// One agreement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// The event's name. Text, as another version of Hermes may know other events.
    pub event: String,
    /// The command as it was written in the settings.
    pub command: String,
    /// When somebody agreed.
    pub approved_at: Option<Timestamp>,
    /// When the script behind the command had last been changed by then.
    pub script_mtime: Option<Timestamp>,
}

/// Why the list could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum AllowlistError {
    /// The content is not what it should be.
    #[error(
        "{} is damaged: {problem}; none of its approvals count and it is left as it is. \
         Repair it, or remove it and approve the hooks again", .file.display()
    )]
    Damaged {
        /// The list.
        file: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// It could not be read.
    #[error("cannot read {}: {source}", .file.display())]
    Read {
        /// The list.
        file: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// It could not be replaced.
    #[error(transparent)]
    Write(#[from] AtomicError),
    /// Another process is changing it.
    #[error(transparent)]
    Lock(#[from] LockError),
}

impl Allowlist {
    /// The list in this file, which need not exist yet.
    pub fn at(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into() }
    }

    /// Where it lies.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// What was agreed to, in the order of the file. Entries without event or command are no
    /// agreement to anything and are left out.
    pub fn approvals(&self) -> Result<Vec<Approval>, AllowlistError> {
        let document = self.read()?;
        Ok(self.entries(&document)?.iter().filter_map(Approval::read).collect())
    }

    /// Notes that a command may run on an event, with the present state of its script. Agreeing
    /// again renews both times.
    pub fn approve(
        &self,
        event: HookEvent,
        command: &str,
        user_folder: Option<&str>,
    ) -> Result<(), AllowlistError> {
        ensure_private_dir(self.file.parent().unwrap_or(Path::new(".")))?;
        self.change(|entries| {
            let known = entries.iter().position(|entry| {
                Approval::read(entry).is_some_and(|approval| approval.covers(event, command))
            });
            let index = known.unwrap_or_else(|| {
                entries.push(Value::Object(Map::new()));
                entries.len() - 1
            });
            let entry = &mut entries[index];
            entry[EVENT] = event.name().into();
            entry[COMMAND] = command.into();
            entry[APPROVED_AT] = format!("{:.0}", Timestamp::now()).into();
            entry[SCRIPT_MTIME] =
                script::modified(command, user_folder).map(|time| format!("{time:.6}")).into();
            Change::Made
        })
    }

    /// Takes back every agreement to a command, on whatever event, and says how many there were.
    pub fn revoke(&self, command: &str) -> Result<usize, AllowlistError> {
        if !self.file.exists() {
            return Ok(0); // and leave no lock file behind
        }
        let mut removed = 0;
        self.change(|entries| {
            let before = entries.len();
            entries.retain(|entry| {
                Approval::read(entry).is_none_or(|approval| approval.command != command)
            });
            removed = before - entries.len();
            if removed == 0 { Change::None } else { Change::Made }
        })?;
        Ok(removed)
    }

    fn change(&self, edit: impl FnOnce(&mut Vec<Value>) -> Change) -> Result<(), AllowlistError> {
        let _held = FileLock::acquire(&lock::lock_path(&self.file), Wait::AtMost(lock::EDIT_WAIT))?;
        let mut document = self.read()?;
        let mut entries = self.entries(&document)?.to_vec();
        if let Change::None = edit(&mut entries) {
            return Ok(());
        }
        document.insert(APPROVALS.into(), entries.into());
        let text = format!("{:#}\n", Value::Object(document));
        Ok(atomic::write(&self.file, text.as_bytes(), WriteOptions::KEEP)?)
    }

    fn read(&self) -> Result<Map<String, Value>, AllowlistError> {
        let text = match fs::read(&self.file) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Map::new()),
            Err(source) => return Err(AllowlistError::Read { file: self.file.clone(), source }),
        };
        match serde_json::from_slice(&text) {
            Ok(Value::Object(document)) => Ok(document),
            Ok(_) => Err(self.damaged("it does not hold a JSON object")),
            Err(error) => Err(self.damaged(error.to_string())),
        }
    }

    fn entries<'a>(&self, document: &'a Map<String, Value>) -> Result<&'a [Value], AllowlistError> {
        match document.get(APPROVALS) {
            None => Ok(&[]),
            Some(Value::Array(entries)) => Ok(entries),
            Some(_) => Err(self.damaged(format!("`{APPROVALS}` is not a list"))),
        }
    }

    fn damaged(&self, problem: impl Into<String>) -> AllowlistError {
        AllowlistError::Damaged { file: self.file.clone(), problem: problem.into() }
    }
}

/// Whether there is anything to write.
enum Change {
    Made,
    None,
}

impl Approval {
    fn read(entry: &Value) -> Option<Self> {
        let text = |key| entry.get(key).and_then(Value::as_str);
        let time = |key| text(key).and_then(|time| time.parse().ok());
        Some(Self {
            event: text(EVENT)?.to_owned(),
            command: text(COMMAND)?.to_owned(),
            approved_at: time(APPROVED_AT),
            script_mtime: time(SCRIPT_MTIME),
        })
    }

    /// Whether it agrees to this command on this event.
    #[must_use]
    pub fn covers(&self, event: HookEvent, command: &str) -> bool {
        self.event == event.name() && self.command == command
    }

    /// Whether the script behind the command is still the one that was agreed to.
    #[must_use]
    pub fn script_state(&self, user_folder: Option<&str>) -> ScriptState {
        ScriptState::compare(self.script_mtime, script::modified(&self.command, user_folder))
    }
}

#[cfg(test)]
mod tests;
