//! Changes that wait for the database, in a file beside it.
//!
//! While another program holds the database locked, what is said is put into
//! `state.db.unwritten-PROCESS-NUMBER`, a JSON object a line, before anybody is told that it is recorded.
//! A process that is killed meanwhile loses nothing: whoever uses the database next takes the file in
//! ([`recover`]) and removes it.
//!
//! Nothing is taken in twice. The file belongs to whoever holds the operating system's lock on it, which
//! ends with its process; and how many of its lines are in the database is noted there in the same
//! transaction as the lines themselves.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_store::atomic::PRIVATE_MODE;
use hermes_store::clock::random;

use super::change::{Rows, SessionChange};
use super::database::SessionDatabase;
use super::error::{Result, SessionsError};
use super::notes;

/// Between the name of the database and what tells one file from another.
const SUFFIX: &str = ".unwritten-";
/// The first line: what the file is, and the form of the others.
const HEADER: &str = r#"{"hermes_session_changes":1}"#;
/// Before the name of a file, in the notes of the database: how many of its lines were taken in.
const TAKEN_IN: &str = "unwritten:";
/// How long taking in waits for another process; there is a next time.
const RECOVER_WAIT: Duration = Duration::from_millis(75);

/// The file of this process.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
    /// How many changes are in the file.
    pub(crate) written: usize,
}

impl Journal {
    /// A new file beside the database, which is this process's own from its first moment.
    pub(crate) fn create(database: &Path) -> io::Result<Self> {
        let mut name = database.as_os_str().to_owned();
        name.push(format!("{SUFFIX}{}-{:08x}", std::process::id(), random() & 0xffff_ffff));
        let path = PathBuf::from(name);
        let mut options = OpenOptions::new();
        options.append(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, PRIVATE_MODE);
        let mut file = options.open(&path)?;
        file.lock()?;
        writeln!(file, "{HEADER}")?;
        Ok(Self { file, path, written: 0 })
    }

    /// Adds a change; when this returns, a killed process does not lose it.
    pub(crate) fn append(&mut self, change: &SessionChange) -> io::Result<()> {
        let mut line = serde_json::to_string(change).map_err(io::Error::other)?;
        line.push('\n');
        // In one piece, so that a kill leaves at most the beginning of one line.
        self.file.write_all(line.as_bytes())?;
        self.written += 1;
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Under which name the database notes how many of the lines it has.
    pub(crate) fn key(&self) -> String {
        key(&self.path)
    }

    /// Everything is in the database: the file goes, then the note about it.
    pub(crate) fn finish(self, database: &SessionDatabase) {
        finish(&self.path, database);
    }
}

fn key(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    format!("{TAKEN_IN}{}", name.unwrap_or_default())
}

/// The note goes last: with the file still there and no note, its lines would be taken in again.
fn finish(path: &Path, database: &SessionDatabase) {
    if let Err(problem) = std::fs::remove_file(path) {
        tracing::warn!(%problem, path = %path.display(), "a file that was taken in stays");
        return;
    }
    let key = key(path);
    if let Err(problem) = database.write(|connection| Ok(notes::set(connection, &key, None)?)) {
        tracing::debug!(%problem, "a note about a file that is gone stays");
    }
}

/// Takes in what earlier processes could not write. While the database is still locked, the files stay.
pub fn recover(database: &Path) {
    for path in left_behind(database) {
        let taken_in = take_in(database, &path);
        if let Err(problem) = taken_in {
            tracing::warn!(%problem, path = %path.display(), "unwritten changes stay in their file");
        }
    }
}

fn left_behind(database: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (database.parent(), database.file_name()) else {
        return Vec::new();
    };
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let prefix = format!("{}{SUFFIX}", name.to_string_lossy());
    let mut found: Vec<PathBuf> = entries
        .filter_map(std::result::Result::ok)
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
        .map(|entry| entry.path())
        .collect();
    // The oldest first: a conversation may have gone on in a second file.
    found.sort_by_key(|path| std::fs::metadata(path).and_then(|data| data.modified()).ok());
    found
}

fn take_in(database: &Path, path: &Path) -> Result<()> {
    let failed = |source| SessionsError::File { act: "read", path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    // Its process lives, or another one takes it in and has perhaps just removed it.
    if file.try_lock().is_err() || !path.exists() {
        return Ok(());
    }
    let Some(changes) = read(&file).map_err(failed)? else {
        tracing::warn!(path = %path.display(), "not a file of this version; it stays");
        return Ok(());
    };
    let key = key(path);
    let database = SessionDatabase::with_lock_wait(database.to_owned(), RECOVER_WAIT);
    database.write(|connection| {
        let taken_in = notes::get(connection, &key)?.and_then(|count| count.parse().ok());
        let known = HashMap::new();
        let mut rows = Rows::new(&known);
        for change in changes.iter().skip(taken_in.unwrap_or(0)) {
            match change.apply(connection, &mut rows) {
                Err(problem) if problem.trouble().is_none() => {
                    // Somebody removed the session meanwhile; the others are taken in all the same.
                    tracing::warn!(%problem, session = change.session, "a change that is left out");
                }
                done => done?,
            }
        }
        Ok(notes::set(connection, &key, Some(&changes.len().to_string()))?)
    })?;
    finish(path, &database);
    Ok(())
}

/// The changes in a file; none of a form that is not known. A last line that was cut short was never
/// acknowledged.
fn read(file: &File) -> io::Result<Option<Vec<SessionChange>>> {
    let mut changes = Vec::new();
    let mut reader = BufReader::new(file);
    let mut line = String::new();
    let mut is_first = true;
    while reader.read_line(&mut line)? > 0 {
        if !line.ends_with('\n') {
            break;
        }
        if std::mem::take(&mut is_first) {
            if line.trim_end() != HEADER {
                return Ok(None);
            }
        } else {
            match serde_json::from_str(&line) {
                Ok(change) => changes.push(change),
                Err(problem) => return Err(io::Error::other(problem)),
            }
        }
        line.clear();
    }
    Ok(Some(changes))
}
