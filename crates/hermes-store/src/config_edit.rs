//! Changing `config.yaml` without disturbing what its owner wrote around the change.
//!
//! An [`Edit`] is applied to the *text* of the file in up to two ways:
//!
//! 1. **In place**, on a lossless syntax tree: comments, order, quoting, indentation and line ends
//!    stay, only the setting itself changes.
//! 2. **Block rewritten**, if the first way fails: the lines of the one top-level key that the
//!    setting belongs to are printed anew from its value, everything else stays byte for byte.
//!    Comments *inside* those lines are lost, and [`EditReport::lost_comments`] says which.
//!
//! Either result is then judged, never trusted: it is parsed by the same reader that loads the
//! configuration and must equal the value meant, and it may differ from the old text only within
//! the lines of that one top-level key. If neither way passes, nothing is written and the error
//! says so. One case that always ends there is a setting other settings refer to by a YAML alias.
//!
//! A file that cannot be read as a configuration is never edited; the error shows the line to
//! repair. A missing file is created. Edits hold the file's lock ([`crate::lock`]) from reading to
//! writing, so two processes cannot undo each other's work, and a file that a person saves in
//! between is read again. Writing is atomic.
//!
//! There is a backup (`config.yaml.bak`, one deep) only when comments are lost, since that is the
//! one thing the user did not ask for and could not get back. Any other edit changes just what it
//! was told to, and a second copy of a file that may hold keys is not worth having for that.
//!
//! Values are edited as written: `${NAME}` is neither expanded nor lost.

mod cli_value;
mod in_place;
mod model;
mod rewrite;
mod text;

pub use cli_value::parse_cli_value;
pub use model::Impossible;
pub use text::{EditedText, TextError, edit_text};

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::atomic::{self, AtomicError, WriteOptions, folder_of, read_if_present};
use crate::config::{ConfigError, Fingerprint, MAX_CONFIG_BYTES};
use crate::home::ensure_private_dir;
use crate::key_path::KeyPath;
use crate::lock::{EDIT_WAIT, FileLock, LockError, Wait, lock_path};

/// How often an edit starts over because the file changed under its hands.
const MAX_ATTEMPTS: usize = 5;

/// One change.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// Gives a setting a value. Missing sections on the way are created; in a list only an
    /// existing position can be set.
    Set(KeyPath, Value),
    /// Removes a setting or list item; the section around it stays, even if empty.
    Unset(KeyPath),
    /// Appends to a list, which is created when missing.
    Push(KeyPath, Value),
    /// Appends to a list unless it holds an equal item already.
    PushNew(KeyPath, Value),
    /// Removes every equal item from a list.
    RemoveItem(KeyPath, Value),
}

impl Edit {
    /// The setting the edit is about.
    pub fn path(&self) -> &KeyPath {
        match self {
            Edit::Set(path, _)
            | Edit::Unset(path)
            | Edit::Push(path, _)
            | Edit::PushNew(path, _)
            | Edit::RemoveItem(path, _) => path,
        }
    }
}

/// How a text was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Method {
    /// It already said what was wanted.
    Unchanged,
    /// Only the setting itself.
    InPlace,
    /// The lines of its top-level key were printed anew.
    BlockRewritten,
}

/// What an edit did to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditReport {
    /// How the text was changed; for several edits, the most far-reaching way.
    pub method: Method,
    /// Comments that are gone from the file.
    pub lost_comments: Vec<String>,
    /// Where the old text was kept, if comments were lost.
    pub backup: Option<PathBuf>,
}

/// Why a file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file is broken or unreadable.
    #[error("the configuration was not changed: {0}")]
    Broken(#[from] ConfigError),
    /// The edit makes no sense for what is there, or could not be done safely.
    #[error("{} was not changed: {source}", .file.display())]
    Text {
        /// The file.
        file: PathBuf,
        /// What is in the way.
        source: TextError,
    },
    /// The file could not be written.
    #[error(transparent)]
    File(#[from] AtomicError),
    /// Another process is editing the file.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// Something keeps rewriting the file.
    #[error("{} was not changed: it is being written by another program over and over", .file.display())]
    Restless {
        /// The file.
        file: PathBuf,
    },
}

/// Sets one setting in a file.
pub fn set(file: &Path, path: &KeyPath, value: Value) -> Result<EditReport, EditError> {
    apply(file, &[Edit::Set(path.clone(), value)])
}

/// Removes one setting from a file.
pub fn unset(file: &Path, path: &KeyPath) -> Result<EditReport, EditError> {
    apply(file, &[Edit::Unset(path.clone())])
}

/// Appends to a list in a file.
pub fn push(file: &Path, path: &KeyPath, value: Value) -> Result<EditReport, EditError> {
    apply(file, &[Edit::Push(path.clone(), value)])
}

/// Removes every item equal to `value` from a list in a file.
pub fn remove_item(file: &Path, path: &KeyPath, value: Value) -> Result<EditReport, EditError> {
    apply(file, &[Edit::RemoveItem(path.clone(), value)])
}

/// Applies several edits in order and writes once; if one fails, none happens.
pub fn apply(file: &Path, edits: &[Edit]) -> Result<EditReport, EditError> {
    const NOTHING: EditReport =
        EditReport { method: Method::Unchanged, lost_comments: Vec::new(), backup: None };
    // Removing something from a file that is not there leaves no folder and no lock behind.
    if !file.exists() && edit_all(file, "", edits)?.text.is_empty() {
        return Ok(NOTHING);
    }
    ensure_private_dir(folder_of(file))?;
    let _lock = FileLock::acquire(&lock_path(file), Wait::AtMost(EDIT_WAIT))?;
    atomic::remove_temps_of(file);
    for _ in 0..MAX_ATTEMPTS {
        let (text, seen) = read(file)?;
        let done = edit_all(file, &text, edits)?;
        if done.text == text {
            return Ok(NOTHING);
        }
        // The lock holds off other processes of ours, not an editor in which the file is open.
        if Fingerprint::of(file) == seen {
            let backup = keep_backup(file, &text, &done)?;
            atomic::write(file, done.text.as_bytes(), WriteOptions::KEEP)?;
            let EditedText { method, lost_comments, .. } = done;
            return Ok(EditReport { method, lost_comments, backup });
        }
    }
    Err(EditError::Restless { file: file.to_path_buf() })
}

fn read(file: &Path) -> Result<(String, Option<Fingerprint>), EditError> {
    let Some((bytes, metadata)) = read_if_present(file, MAX_CONFIG_BYTES)? else {
        return Ok((String::new(), None));
    };
    let text = String::from_utf8(bytes).map_err(|error| ConfigError::not_utf8(file, &error))?;
    Ok((text, Some(Fingerprint::from_metadata(&metadata))))
}

fn edit_all(file: &Path, text: &str, edits: &[Edit]) -> Result<EditedText, EditError> {
    let mut done = EditedText::unchanged(text);
    for edit in edits {
        let next = edit_text(&done.text, edit).map_err(|error| match error {
            TextError::Broken(problem) => EditError::Broken(problem.in_file(file)),
            source => EditError::Text { file: file.to_path_buf(), source },
        })?;
        done.text = next.text;
        done.method = done.method.max(next.method);
        done.lost_comments.extend(next.lost_comments);
    }
    Ok(done)
}

fn keep_backup(file: &Path, text: &str, done: &EditedText) -> Result<Option<PathBuf>, EditError> {
    if done.lost_comments.is_empty() {
        return Ok(None);
    }
    let mut name = file.as_os_str().to_os_string();
    name.push(".bak");
    let backup = PathBuf::from(name);
    // Never wider than the original: the old text may hold keys.
    atomic::write(&backup, text.as_bytes(), WriteOptions::SECRET)?;
    Ok(Some(backup))
}

#[cfg(test)]
mod property_tests;
#[cfg(test)]
mod tests;
