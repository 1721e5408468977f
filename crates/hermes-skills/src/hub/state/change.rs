//! Changes of what is installed, which are whole or did not happen.
//!
//! A skill is a folder and an entry of the lock file, and no disk changes both in one step. So a change is announced
//! in `pending.json` first, then made, then the announcement is taken back. A process that dies in between leaves the
//! announcement; whoever comes next looks at what is there and brings both in step: to the new state if the folder is
//! new already, else to the old one. The folder itself is exchanged in one step, so that a reader never finds half a
//! skill or none.
//!
//! A bundle waits in `quarantine/` until somebody decided. Nothing there outlives the process that put it there by more
//! than one start.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hermes_store::atomic::{self, AtomicError};
use serde::{Deserialize, Serialize};

use super::installed::InstalledSkill;
use super::{HubGuard, HubState, OWN_FILES, audit_log, lock_file, read_if_exists};
use crate::hub::bundle::{BundleFiles, hash};
use crate::hub::error::HubError;

/// What is announced.
#[derive(Debug, Serialize, Deserialize)]
struct PendingChange {
    name: String,
    /// The word in the log.
    action: String,
    install_path: String,
    /// Below the quarantine; what is or was to become the skill.
    staged: Option<String>,
    /// The entry to be; nothing for a removal.
    entry: Option<InstalledSkill>,
}

/// A bundle in quarantine; gone when this is dropped.
#[derive(Debug)]
pub struct StagedBundle {
    folder: PathBuf,
}

impl StagedBundle {
    /// Where its files are.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for StagedBundle {
    fn drop(&mut self) {
        let _ = remove_folder(&self.folder);
    }
}

/// Writes a bundle into quarantine, flushed to the disk. Programs with a shebang keep their executable bit.
///
/// # Errors
/// The disk refuses.
pub fn stage(
    state: &HubState,
    _guard: &HubGuard,
    name: &str,
    files: &BundleFiles,
) -> Result<StagedBundle, HubError> {
    let folder = state.skills().hub_quarantine().join(name);
    remove_folder(&folder)?;
    let staged = StagedBundle { folder };
    let folder = staged.folder();
    fs::create_dir_all(folder).map_err(AtomicError::when("create", folder))?;
    for (path, file) in files.iter() {
        let place = folder.join(path);
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent).map_err(AtomicError::when("create", parent))?;
        }
        let runs = file.executable && file.bytes.starts_with(b"#!");
        write_new(&place, &file.bytes, if runs { 0o755 } else { 0o644 })
            .map_err(AtomicError::when("write", &place))?;
    }
    Ok(staged)
}

/// A new file; links that somebody put in its place are not followed.
fn write_new(place: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    use std::io::Write as _;
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    let mut file = options.open(place)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes a staged bundle the skill, instead of what is at its place if something is.
///
/// # Errors
/// The disk refuses; then the old state is there, or the next start restores it.
pub fn install(
    state: &HubState,
    guard: &HubGuard,
    staged: StagedBundle,
    name: &str,
    action: &str,
    entry: &InstalledSkill,
) -> Result<(), HubError> {
    let target = entry.folder(name, &state.skills().root())?;
    let pending = PendingChange {
        name: name.to_owned(),
        action: action.to_owned(),
        install_path: entry.install_path.clone(),
        staged: staged.folder().file_name().map(|name| name.to_string_lossy().into_owned()),
        entry: Some(entry.clone()),
    };
    announce(state, &pending)?;
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent).map_err(AtomicError::when("create", parent))?;
    }
    put_in_place(staged.folder(), &target).map_err(AtomicError::when("put into place", &target))?;
    record(state, guard, &pending)?;
    // What was exchanged for the new content is in quarantine now, and goes with it.
    drop(staged);
    take_back(state)
}

/// Removes a skill.
///
/// # Errors
/// The disk refuses.
pub fn uninstall(
    state: &HubState,
    guard: &HubGuard,
    name: &str,
    entry: &InstalledSkill,
) -> Result<(), HubError> {
    let target = entry.folder(name, &state.skills().root())?;
    let pending = PendingChange {
        name: name.to_owned(),
        action: "UNINSTALL".to_owned(),
        install_path: entry.install_path.clone(),
        staged: Some(format!("{name}.removed")),
        entry: None,
    };
    announce(state, &pending)?;
    finish_removal(state, guard, &pending, &target, entry)
}

fn finish_removal(
    state: &HubState,
    guard: &HubGuard,
    pending: &PendingChange,
    target: &Path,
    entry: &InstalledSkill,
) -> Result<(), HubError> {
    let quarantine = state.skills().hub_quarantine();
    fs::create_dir_all(&quarantine).map_err(AtomicError::when("create", &quarantine))?;
    let aside = quarantine.join(pending.staged.as_deref().unwrap_or("removed"));
    if target.exists() {
        remove_folder(&aside)?;
        fs::rename(target, &aside).map_err(AtomicError::when("move away", target))?;
    }
    audit_log::record(
        state,
        "UNINSTALL",
        &pending.name,
        &entry.source,
        entry.trust_level,
        &entry.scan_verdict,
        &[],
    )?;
    lock_file::change(state, guard, |lock| {
        lock.installed.remove(&pending.name);
    })?;
    remove_folder(&aside)?;
    remove_empty_parents(target, &state.skills().root());
    take_back(state)
}

/// Folders of a category that hold nothing any more.
pub(crate) fn remove_empty_parents(target: &Path, root: &Path) {
    let mut parent = target.parent();
    while let Some(folder) = parent.filter(|folder| folder.starts_with(root) && *folder != root) {
        // Refuses by itself where something is left.
        if fs::remove_dir(folder).is_err() {
            return;
        }
        parent = folder.parent();
    }
}

fn announce(state: &HubState, pending: &PendingChange) -> Result<(), HubError> {
    let text = serde_json::to_vec_pretty(pending).unwrap_or_default();
    atomic::write(&state.pending_file(), &text, OWN_FILES)?;
    Ok(())
}

fn take_back(state: &HubState) -> Result<(), HubError> {
    let file = state.pending_file();
    match fs::remove_file(&file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(AtomicError::when("remove", &file)(error).into())
        }
        _ => Ok(()),
    }
}

fn record(state: &HubState, guard: &HubGuard, pending: &PendingChange) -> Result<(), HubError> {
    let Some(entry) = &pending.entry else { return Ok(()) };
    audit_log::record_installed(state, &pending.action, &pending.name, entry)?;
    lock_file::change(state, guard, |lock| {
        lock.installed.insert(pending.name.clone(), entry.clone());
    })
}

/// A folder that is not there is moved there; one that is there is exchanged, in one step where the disk can.
fn put_in_place(staged: &Path, target: &Path) -> io::Result<()> {
    if fs::symlink_metadata(target).is_err() {
        return fs::rename(staged, target);
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, staged, CWD, target, RenameFlags::EXCHANGE) {
            Ok(()) => return Ok(()),
            Err(
                rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::OPNOTSUPP,
            ) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let mut aside = staged.as_os_str().to_owned();
    aside.push(".old");
    let aside = PathBuf::from(aside);
    fs::rename(target, &aside)?;
    if let Err(error) = fs::rename(staged, target) {
        fs::rename(&aside, target)?;
        return Err(error);
    }
    fs::rename(&aside, staged)
}

/// Whether something lies in quarantine.
pub(super) fn has_quarantine(state: &HubState) -> bool {
    fs::read_dir(state.skills().hub_quarantine()).is_ok_and(|mut entries| entries.next().is_some())
}

/// Brings folder and lock file in step after a process died, and empties the quarantine.
pub(super) fn recover(state: &HubState, guard: &HubGuard) -> Result<(), HubError> {
    if let Some(bytes) = read_if_exists(&state.pending_file())? {
        // The file is replaced in one step: one that cannot be read is not ours to act on.
        if let Ok(pending) = serde_json::from_slice::<PendingChange>(&bytes) {
            settle(state, guard, &pending)?;
        }
        take_back(state)?;
    }
    if lock_file::read(state)?.1 != lock_file::LockRepair::None {
        // Whoever may change things writes down what was restored.
        lock_file::change(state, guard, |_| {})?;
    }
    let quarantine = state.skills().hub_quarantine();
    if quarantine.exists() {
        remove_folder(&quarantine)?;
    }
    Ok(())
}

fn settle(state: &HubState, guard: &HubGuard, pending: &PendingChange) -> Result<(), HubError> {
    let (lock, _) = lock_file::read(state)?;
    let known = lock.installed.get(&pending.name);
    let root = state.skills().root();
    match &pending.entry {
        Some(entry) => {
            let target = entry.folder(&pending.name, &root)?;
            let arrived = hash::of_folder(&target).is_ok_and(|hash| hash == entry.content_hash);
            if arrived && known != Some(entry) {
                record(state, guard, pending)?;
            }
            // Two renames instead of an exchange, and the end between them: the old folder goes back.
            let staged = pending.staged.as_deref().unwrap_or_default();
            let aside = state.skills().hub_quarantine().join(format!("{staged}.old"));
            if !target.exists() && aside.is_dir() {
                fs::rename(&aside, &target).map_err(AtomicError::when("put back", &target))?;
            }
            if !target.exists() {
                remove_empty_parents(&target, &root);
            }
            Ok(())
        }
        None => match known {
            Some(entry) => {
                let entry = entry.clone();
                let target = entry.folder(&pending.name, &root)?;
                finish_removal(state, guard, pending, &target, &entry)
            }
            None => Ok(()),
        },
    }
}

/// Removes a folder with all that is in it; links in it are removed, not followed. One that is not there is fine.
pub(crate) fn remove_folder(folder: &Path) -> Result<(), HubError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(AtomicError::when("remove", folder)(error).into())
        }
        _ => Ok(()),
    }
}
