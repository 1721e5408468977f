//! Changes that wait for a person's word.
//!
//! Where a part of the program wants a person to agree before it keeps something (notes, skills), and
//! nobody can be asked just then, the change is put aside: one small file each, in
//! `pending/SUBSYSTEM/ID.json`. Later a person lists what waits ([`PendingStore::list`]), and either
//! the change is made after all, by whoever knows how, or it is thrown away; in both cases the file
//! goes ([`PendingStore::remove`]).
//!
//! What never happens here: a change is made. What the payload means is the subsystem's business.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::atomic::{self, AtomicError, WriteOptions};
use crate::clock::now;
use crate::home::{Home, ensure_private_dir};

/// Most changes that wait in one subsystem; whoever wants to add more is told so.
pub const MAX_PENDING: usize = 500;
/// The largest file that is read.
const MAX_BYTES: u64 = 1024 * 1024;

/// A change that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pending {
    /// Its name: eight hexadecimal digits.
    pub id: String,
    /// What part of the program it belongs to: `memory`, `skills`.
    pub subsystem: String,
    /// What kind of change it is: `add`, `replace` …
    pub action: String,
    /// What it would do, in a line for people.
    pub summary: String,
    /// Who wants it: the session.
    pub origin: String,
    /// When it was put aside, in seconds since 1970.
    pub created_at: f64,
    /// What is needed to make the change.
    pub payload: Value,
}

/// What is said of a change that is put aside.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "as in Pending")]
pub struct NewPending {
    pub action: String,
    pub summary: String,
    pub origin: String,
    pub payload: Value,
}

/// Why changes cannot be put aside or found again.
#[derive(Debug, thiserror::Error)]
pub enum PendingError {
    /// A file could not be read, written or removed.
    #[error(transparent)]
    File(#[from] AtomicError),
    /// None has this name.
    #[error("no change `{id}` waits; `hermes {subsystem} pending` lists those that do")]
    Unknown {
        /// What was asked for.
        id: String,
        /// Where.
        subsystem: String,
    },
    /// Several begin like this.
    #[error("`{id}` could be any of {}", .candidates.join(", "))]
    Ambiguous {
        /// What was asked for.
        id: String,
        /// Those it could be.
        candidates: Vec<String>,
    },
    /// Too many wait already.
    #[error("{MAX_PENDING} changes wait already; `hermes {subsystem} pending` lists them")]
    Full {
        /// Where.
        subsystem: String,
    },
}

/// The changes of one subsystem that wait.
#[derive(Clone, Debug)]
pub struct PendingStore {
    folder: PathBuf,
    subsystem: String,
}

impl PendingStore {
    /// Those of a subsystem in a home. Touches nothing.
    #[must_use]
    pub fn new(home: &Home, subsystem: &str) -> Self {
        Self { folder: home.pending().join(subsystem), subsystem: subsystem.to_owned() }
    }

    /// Puts a change aside.
    ///
    /// # Errors
    /// When the file cannot be written, or too many wait.
    pub fn stage(&self, new: NewPending) -> Result<Pending, PendingError> {
        if self.names()?.len() >= MAX_PENDING {
            return Err(PendingError::Full { subsystem: self.subsystem.clone() });
        }
        ensure_private_dir(&self.folder)?;
        let id = loop {
            let id = format!("{:08x}", crate::clock::random() & 0xffff_ffff);
            if !self.file(&id).exists() {
                break id;
            }
        };
        let NewPending { action, summary, origin, payload } = new;
        let subsystem = self.subsystem.clone();
        let pending =
            Pending { id, subsystem, action, summary, origin, created_at: now(), payload };
        let text = serde_json::to_string_pretty(&pending).unwrap_or_default();
        atomic::write(&self.file(&pending.id), text.as_bytes(), WriteOptions::SECRET)?;
        Ok(pending)
    }

    /// All that wait, oldest first. A file that cannot be understood is left alone and left out.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list(&self) -> Result<Vec<Pending>, PendingError> {
        let mut all: Vec<Pending> =
            self.names()?.iter().filter_map(|id| read(&self.file(id), id)).collect();
        all.sort_by(|a, b| a.created_at.total_cmp(&b.created_at).then_with(|| a.id.cmp(&b.id)));
        Ok(all)
    }

    /// The one with this name, or the only one whose name begins like this.
    ///
    /// # Errors
    /// When there is none, or several.
    pub fn find(&self, id: &str) -> Result<Pending, PendingError> {
        let mut all = self.list()?;
        all.retain(|pending| !id.is_empty() && pending.id.starts_with(id));
        match all.len() {
            1 => Ok(all.swap_remove(0)),
            0 => {
                Err(PendingError::Unknown { id: id.to_owned(), subsystem: self.subsystem.clone() })
            }
            _ => Err(PendingError::Ambiguous {
                id: id.to_owned(),
                candidates: all.into_iter().map(|pending| pending.id).collect(),
            }),
        }
    }

    /// Lets go of one that was made or is not wanted. One that is gone already is no error.
    ///
    /// # Errors
    /// When the file cannot be removed.
    pub fn remove(&self, pending: &Pending) -> Result<(), PendingError> {
        let file = self.file(&pending.id);
        match std::fs::remove_file(&file) {
            Err(problem) if problem.kind() == ErrorKind::NotFound => Ok(()),
            done => Ok(done.map_err(AtomicError::when("remove", &file))?),
        }
    }

    fn file(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    /// The names of the files that are ours.
    fn names(&self) -> Result<Vec<String>, PendingError> {
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(problem) if problem.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(problem) => {
                return Err(AtomicError::when("read the folder", &self.folder)(problem).into());
            }
        };
        let id = |name: &str| {
            let id = name.strip_suffix(".json")?;
            (id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
                .then(|| id.to_owned())
        };
        Ok(entries.flatten().filter_map(|entry| id(entry.file_name().to_str()?)).collect())
    }
}

fn read(file: &Path, id: &str) -> Option<Pending> {
    if std::fs::metadata(file).ok()?.len() > MAX_BYTES {
        return None;
    }
    let pending: Pending = serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()?;
    // A file that was renamed by hand is known by its new name.
    Some(Pending { id: id.to_owned(), ..pending })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn new(summary: &str) -> NewPending {
        NewPending {
            action: "add".into(),
            summary: summary.into(),
            origin: "s1".into(),
            payload: json!({"content": summary}),
        }
    }

    fn store() -> (tempfile::TempDir, PendingStore) {
        let folder = tempfile::tempdir().unwrap();
        let store = PendingStore::new(&Home::at(folder.path()), "memory");
        (folder, store)
    }

    #[test]
    fn what_is_put_aside_is_listed_oldest_first_and_found_by_its_beginning() {
        let (folder, store) = store();
        assert_eq!(store.list().unwrap(), []);
        assert!(!folder.path().join("pending").exists(), "looking makes nothing");
        let first = store.stage(new("one")).unwrap();
        let second = store.stage(new("two")).unwrap();
        assert_eq!(store.list().unwrap(), [first.clone(), second.clone()]);
        assert!(folder.path().join("pending/memory").join(format!("{}.json", first.id)).exists());
        assert_eq!(store.find(&first.id).unwrap(), first);
        assert_eq!(store.find(&second.id[..7]).unwrap().payload["content"], "two");
        store.remove(&first).unwrap();
        store.remove(&first).unwrap();
        assert_eq!(store.list().unwrap(), [second]);
    }

    #[test]
    fn what_is_not_there_or_unclear_is_said() {
        let (_folder, store) = store();
        assert!(store.find("").unwrap_err().to_string().contains("hermes memory pending"));
        assert!(store.find("../../etc").is_err());
        let (mut first, mut second) =
            (store.stage(new("one")).unwrap(), store.stage(new("two")).unwrap());
        for (pending, id) in [(&mut first, "abcd0001"), (&mut second, "abcd0002")] {
            let from = store.file(&pending.id);
            std::fs::rename(from, store.file(id)).unwrap();
        }
        let problem = store.find("abcd").unwrap_err().to_string();
        assert!(problem.contains("abcd0001") && problem.contains("abcd0002"), "{problem}");
    }

    #[test]
    fn files_that_are_none_of_ours_are_left_alone() {
        let (_folder, store) = store();
        let pending = store.stage(new("one")).unwrap();
        for name in ["deadbeef.json", "notes.txt", "x.json"] {
            let file = store.folder.join(name);
            atomic::write(&file, b"{ not json", WriteOptions::KEEP).unwrap();
        }
        assert_eq!(store.list().unwrap(), [pending]);
        assert!(store.folder.join("deadbeef.json").exists());
    }
}
