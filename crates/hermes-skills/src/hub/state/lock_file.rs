//! `lock.json`: what is installed, from where, and what it looked like.
//!
//! Whoever loses this file loses the difference between a skill of the user's own and one of the hub's, so it is
//! never taken for empty. A file that cannot be read is replaced by its backup; without one it is put together again
//! from the audit log and the folders on the disk; without those it is an error.

use std::path::{Path, PathBuf};

use hermes_store::atomic::{self, AtomicError};
use serde_json::{Map, Value};

use super::installed::{HubLock, InstalledSkill, VERSION};
use super::{HubGuard, HubState, OWN_FILES};
use crate::hub::bundle::hash;
use crate::hub::error::HubError;
use crate::layout::SKILL_FILE;

/// What reading the file had to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LockRepair {
    /// Nothing.
    None,
    /// The backup was taken.
    FromBackup,
    /// It was put together from the audit log and the disk.
    Rebuilt,
}

impl LockRepair {
    /// What to tell a person, if anything.
    #[must_use]
    pub fn warning(&self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::FromBackup => Some("lock.json could not be read; its backup was restored"),
            Self::Rebuilt => Some(
                "lock.json and its backup could not be read; it was put together again from the audit log and the folders",
            ),
        }
    }
}

/// Reads the file; one that is not there is empty.
///
/// # Errors
/// It is there, cannot be read, and cannot be replaced by anything.
pub fn read(state: &HubState) -> Result<(HubLock, LockRepair), HubError> {
    let file = state.skills().hub_lock();
    match load(&file)? {
        Loaded::Whole(lock) => Ok((lock, LockRepair::None)),
        Loaded::Absent => match load(&backup_of(&file))? {
            // The file is replaced in one step and never removed, so somebody else did that.
            Loaded::Whole(lock) if !lock.installed.is_empty() => Ok((lock, LockRepair::FromBackup)),
            _ => Ok((HubLock::default(), LockRepair::None)),
        },
        Loaded::Broken(why) => {
            if let Loaded::Whole(lock) = load(&backup_of(&file))? {
                return Ok((lock, LockRepair::FromBackup));
            }
            match rebuild(state) {
                Some(lock) => Ok((lock, LockRepair::Rebuilt)),
                None => Err(HubError::State {
                    file,
                    why: format!(
                        "{why}; there is no backup and no audit log to put it together from. Mend it by hand, or move \
                         it away to give up the record of what was installed"
                    ),
                }),
            }
        }
    }
}

enum Loaded {
    Whole(HubLock),
    Absent,
    Broken(String),
}

fn load(file: &Path) -> Result<Loaded, HubError> {
    let bytes = match std::fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Loaded::Absent),
        Err(error) => return Err(AtomicError::when("read", file)(error).into()),
    };
    Ok(match serde_json::from_slice::<HubLock>(&bytes) {
        Ok(lock) if lock.version > VERSION => {
            return Err(HubError::State {
                file: file.to_owned(),
                why: format!(
                    "it has layout {}, written by a newer version of this program",
                    lock.version
                ),
            });
        }
        Ok(lock) => Loaded::Whole(lock),
        Err(error) => Loaded::Broken(error.to_string()),
    })
}

fn backup_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".bak");
    name.into()
}

/// Changes the file, and then its backup.
///
/// # Errors
/// The file cannot be read or written.
pub fn change(
    state: &HubState,
    _guard: &HubGuard,
    act: impl FnOnce(&mut HubLock),
) -> Result<(), HubError> {
    let file = state.skills().hub_lock();
    let (mut lock, _) = read(state)?;
    act(&mut lock);
    let text = render(&lock);
    atomic::write(&file, &text, OWN_FILES)?;
    // The same once more, and not the state before: whoever needs the backup wants to lose nothing.
    atomic::write(&backup_of(&file), &text, OWN_FILES)?;
    Ok(())
}

fn render(lock: &HubLock) -> Vec<u8> {
    // A map of plain values always has a JSON form.
    let mut text = serde_json::to_vec_pretty(lock).unwrap_or_default();
    text.push(b'\n');
    text
}

/// What the audit log says was installed and is still on the disk.
fn rebuild(state: &HubState) -> Option<HubLock> {
    let mut lock = HubLock::default();
    for act in super::audit_log::read(state)? {
        if act.action == "UNINSTALL" {
            lock.installed.remove(&act.name);
            continue;
        }
        let (Some(identifier), Some(path)) = (act.extra("identifier"), act.extra("path")) else {
            continue;
        };
        if !matches!(act.action.as_str(), "INSTALL" | "UPDATE") {
            continue;
        }
        let entry = InstalledSkill {
            source: act.source.clone(),
            identifier: identifier.to_owned(),
            trust_level: act.trust,
            scan_verdict: act.verdict.clone(),
            content_hash: act.extra("hash").unwrap_or_default().to_owned(),
            install_path: path.to_owned(),
            files: Vec::new(),
            metadata: Map::new(),
            scan_provenance: Value::Null,
            installed_at: act.time.clone(),
            updated_at: act.time.clone(),
            more: Map::new(),
        };
        lock.installed.insert(act.name.clone(), entry);
    }
    let root = state.skills().root();
    lock.installed.retain(|name, entry| match entry.folder(name, &root) {
        Ok(folder) if folder.join(SKILL_FILE).is_file() => {
            let files = hash::read_folder(&folder).unwrap_or_default();
            entry.files = files.into_iter().map(|(path, _)| path).collect();
            true
        }
        _ => false,
    });
    Some(lock)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::record::TrustLevel;
    use crate::layout::SkillsHome;
    use hermes_store::home::Home;

    fn state(folder: &Path) -> HubState {
        HubState::new(&SkillsHome::new(&Home::at(folder)))
    }

    fn entry(path: &str) -> InstalledSkill {
        InstalledSkill {
            source: "github".to_owned(),
            identifier: "o/r/pdf".to_owned(),
            trust_level: TrustLevel::Community,
            scan_verdict: "safe".to_owned(),
            content_hash: "sha256:0".to_owned(),
            install_path: path.to_owned(),
            files: Vec::new(),
            metadata: Map::new(),
            scan_provenance: Value::Null,
            installed_at: String::new(),
            updated_at: String::new(),
            more: Map::new(),
        }
    }

    fn add(state: &HubState, name: &str) {
        let guard = state.begin().unwrap();
        change(state, &guard, |lock| {
            lock.installed.insert(name.to_owned(), entry(name));
        })
        .unwrap();
    }

    fn spoil(file: &Path) {
        atomic::write(file, b"{\"version\":1,\"insta", OWN_FILES).unwrap();
    }

    #[test]
    fn a_corrupt_lock_is_restored_from_its_backup_never_read_as_empty() {
        let home = tempfile::tempdir().unwrap();
        let state = state(home.path());
        add(&state, "one");
        add(&state, "two");
        spoil(&state.skills().hub_lock());
        let (lock, repair) = read(&state).unwrap();
        assert_eq!(repair, LockRepair::FromBackup);
        assert_eq!(lock.installed.keys().collect::<Vec<_>>(), ["one", "two"]);
        spoil(&backup_of(&state.skills().hub_lock()));
        let error = read(&state).unwrap_err().to_string();
        assert!(error.contains("lock.json cannot be used"), "{error}");
    }

    #[test]
    fn without_a_backup_it_is_put_together_from_the_log_and_the_disk() {
        let home = tempfile::tempdir().unwrap();
        let state = state(home.path());
        state.prepare().unwrap();
        for (name, on_disk) in [("kept", true), ("gone", false)] {
            let mut entry = entry(name);
            entry.identifier = format!("o/r/{name}");
            super::super::audit_log::record_installed(&state, "INSTALL", name, &entry).unwrap();
            if on_disk {
                let folder = state.skills().root().join(name);
                std::fs::create_dir_all(&folder).unwrap();
                atomic::write(&folder.join(SKILL_FILE), b"x", OWN_FILES).unwrap();
            }
        }
        spoil(&state.skills().hub_lock());
        let (lock, repair) = read(&state).unwrap();
        assert_eq!(repair, LockRepair::Rebuilt);
        assert_eq!(lock.installed["kept"].identifier, "o/r/kept");
        assert_eq!(lock.installed["kept"].files, ["SKILL.md"]);
        assert_eq!(lock.installed.len(), 1);
    }

    #[test]
    fn a_recorded_path_leads_nowhere_but_to_the_skill() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("skills");
        std::fs::create_dir_all(&root).unwrap();
        for bad in [
            "",
            ".",
            "..",
            "../pdf",
            "/pdf",
            "a/../pdf",
            "pdf/",
            "other",
            ".hub/pdf",
            ".archive/pdf",
        ] {
            assert!(entry(bad).folder("pdf", &root).is_err(), "{bad}");
        }
        assert_eq!(entry("docs/pdf").folder("pdf", &root).unwrap(), root.join("docs/pdf"));
        std::os::unix::fs::symlink("/tmp", root.join("docs")).unwrap();
        assert!(entry("docs/pdf").folder("pdf", &root).is_err());
    }

    #[test]
    fn fields_of_other_versions_are_kept() {
        let text = r#"{"version":1,"installed":{"a":{"source":"s","identifier":"i","trust_level":"trusted",
            "content_hash":"h","install_path":"a","future":[1]}}}"#;
        let lock: HubLock = serde_json::from_str(text).unwrap();
        assert!(String::from_utf8(render(&lock)).unwrap().contains("\"future\""));
    }
}
