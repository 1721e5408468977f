//! Changing one variable in a `.env` file.

use std::path::{Path, PathBuf};

use super::{DotEnv, MAX_DOTENV_BYTES, clean, parse};
use crate::atomic::{self, AtomicError, WriteOptions, folder_of, read_if_present};
use crate::home::ensure_private_dir;
use crate::lock::{EDIT_WAIT, FileLock, LockError, Wait, lock_path};

/// Why a `.env` file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum DotEnvError {
    /// The file could not be read or written.
    #[error(transparent)]
    File(#[from] AtomicError),
    /// Another process is changing the file.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The name cannot name a variable. It is not repeated, since people paste a key in its place.
    #[error(
        "that cannot be the name of a variable: use letters, digits and _, not beginning with a digit"
    )]
    BadName,
    /// The value contains a NUL character.
    #[error("the value for {name} contains a NUL character, which no variable can hold")]
    BadValue {
        /// The variable.
        name: String,
    },
    /// The file is not UTF-8, so it cannot be changed safely.
    #[error("{} is not UTF-8 text; save it in that encoding first", .file.display())]
    NotUtf8 {
        /// The file.
        file: PathBuf,
    },
    /// The changed text would not read back as meant; nothing was written.
    #[error(
        "changing {name} would not have given the wanted result, so the file was left as it is; edit it by hand"
    )]
    Refused {
        /// The variable.
        name: String,
    },
}

/// What [`set`] did to the value on its way into the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// How many non-ASCII characters were removed, because the name looks like a credential.
    pub removed_non_ascii: usize,
}

/// Sets a variable in the file at `path`, creating file and folder when missing.
pub fn set(path: &Path, name: &str, value: &str) -> Result<Stored, DotEnvError> {
    let (value, removed_non_ascii) = clean(name, value.to_string());
    change(path, |text| set_in_text(text, name, &value))?;
    Ok(Stored { removed_non_ascii })
}

/// Removes a variable from the file at `path`; says whether it was there.
pub fn unset(path: &Path, name: &str) -> Result<bool, DotEnvError> {
    if !path.exists() {
        return Ok(false);
    }
    change(path, |text| unset_in_text(text, name))
}

/// Reads, changes and writes under the lock; says whether anything was to be written.
fn change(
    path: &Path,
    edit: impl FnOnce(&str) -> Result<String, DotEnvError>,
) -> Result<bool, DotEnvError> {
    ensure_private_dir(folder_of(path))?;
    let _lock = FileLock::acquire(&lock_path(path), Wait::AtMost(EDIT_WAIT))?;
    atomic::remove_temps_of(path);
    let bytes =
        read_if_present(path, MAX_DOTENV_BYTES)?.map(|(bytes, _)| bytes).unwrap_or_default();
    let text =
        String::from_utf8(bytes).map_err(|_| DotEnvError::NotUtf8 { file: path.to_path_buf() })?;
    let changed = edit(&text)?;
    if changed == text {
        return Ok(false);
    }
    atomic::write(path, changed.as_bytes(), WriteOptions::SECRET)?;
    Ok(true)
}

/// Sets a variable in a text.
///
/// An existing line keeps its `export`, its spacing and its comment; if there are several, the
/// last one, which is the one that counts, is changed. A new line goes to the end.
pub fn set_in_text(text: &str, name: &str, value: &str) -> Result<String, DotEnvError> {
    if !parse::is_name(name) {
        return Err(DotEnvError::BadName);
    }
    if value.contains('\0') {
        return Err(DotEnvError::BadValue { name: name.to_string() });
    }
    let written = parse::write_value(value);
    let mut changed = text.to_string();
    match assignments(text, name).last() {
        Some(assignment) => changed.replace_range(assignment.value.clone(), &written),
        None => {
            let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
            if !text.is_empty() && text != "\u{feff}" && !text.ends_with('\n') {
                changed.push_str(line_end);
            }
            changed.push_str(&format!("{name}={written}{line_end}"));
        }
    }
    checked(text, changed, name, Some(value))
}

/// Removes a variable from a text, with every line that sets it.
pub fn unset_in_text(text: &str, name: &str) -> Result<String, DotEnvError> {
    let mut changed = String::new();
    let mut kept = 0;
    for assignment in assignments(text, name) {
        changed.push_str(&text[kept..assignment.line.start]);
        kept = assignment.line.end;
    }
    changed.push_str(&text[kept..]);
    checked(text, changed, name, None)
}

/// Where a variable is set.
struct AssignmentSpan {
    /// The whole line with its end.
    line: std::ops::Range<usize>,
    /// The value as written.
    value: std::ops::Range<usize>,
}

fn assignments(text: &str, name: &str) -> Vec<AssignmentSpan> {
    let mut spans = Vec::new();
    let mut start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    for raw in text[start..].split_inclusive('\n') {
        let content = raw.strip_suffix('\n').unwrap_or(raw);
        let content = content.strip_suffix('\r').unwrap_or(content);
        if let Ok(Some(found)) = parse::line(content)
            && found.name == name
        {
            let value = start + found.written.start..start + found.written.end;
            spans.push(AssignmentSpan { line: start..start + raw.len(), value });
        }
        start += raw.len();
    }
    spans
}

/// Lets a changed text pass only if exactly the meant variable has changed.
fn checked(old: &str, new: String, name: &str, meant: Option<&str>) -> Result<String, DotEnvError> {
    let (before, after) = (DotEnv::parse(old), DotEnv::parse(&new));
    // A caller that sets a credential directly in a text may leave the cleaning to the reader.
    let meant = meant.map(|value| clean(name, value.to_string()).0);
    let others = |env: &DotEnv| -> Vec<(String, String)> {
        env.entries.iter().filter(|(known, _)| known != name).cloned().collect()
    };
    if after.get(name) == meant.as_deref() && others(&before) == others(&after) {
        Ok(new)
    } else {
        Err(DotEnvError::Refused { name: name.to_string() })
    }
}
