//! Where instances keep their files, and the record of what belongs to whom.

use std::path::{Path, PathBuf};

use hermes_store::atomic::{self, WriteOptions};
use hermes_store::lock::{EDIT_WAIT, FileLock, Wait, lock_path};
use serde_json::{Map, Value};

use super::arguments::tame;
use crate::error::ExecError;

/// The record, in the Hermes home.
const RECORD: &str = "singularity_snapshots.json";
/// The folder of overlays, in the scratch folder.
const OVERLAYS: &str = "hermes-overlays";
/// Machines that share disks have one here; it is never made by us.
const SHARED: &str = "/scratch";

/// The first of the candidates that can be written to.
pub(super) fn scratch(candidates: &[PathBuf]) -> Result<PathBuf, ExecError> {
    let usable = |folder: &Path| {
        if folder.starts_with(SHARED) && !Path::new(SHARED).is_dir() {
            return false;
        }
        std::fs::create_dir_all(folder).is_ok()
            && nix::unistd::access(folder, nix::unistd::AccessFlags::W_OK).is_ok()
    };
    candidates.iter().find(|folder| usable(folder)).cloned().ok_or_else(|| {
        let tried: Vec<_> = candidates.iter().map(|it| it.display().to_string()).collect();
        ExecError::Settings(format!(
            "no folder for the files of instances can be written to (tried {}); set \
             TERMINAL_SCRATCH_DIR",
            tried.join(", ")
        ))
    })
}

/// The overlay of a task: the one it had, if that is still there, or a new one that is recorded.
pub(super) fn overlay(home: &Path, scratch: &Path, task: &str) -> Result<PathBuf, ExecError> {
    let record = home.join(RECORD);
    let trouble = |why: String| ExecError::Settings(format!("{}: {why}", record.display()));
    let lock = FileLock::acquire(&lock_path(&record), Wait::AtMost(EDIT_WAIT));
    let _lock = lock.map_err(|error| trouble(error.to_string()))?;
    let mut known: Map<String, Value> = match std::fs::read(&record) {
        // What cannot be read is made anew: the overlays themselves are not touched.
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_default(),
        Err(_) => Map::new(),
    };
    if let Some(had) = known.get(task).and_then(Value::as_str).map(PathBuf::from)
        && had.is_dir()
    {
        return Ok(had);
    }
    let folder = scratch.join(OVERLAYS).join(format!("overlay-{}", tame(task)));
    std::fs::create_dir_all(&folder).map_err(|source| ExecError::File {
        act: "make",
        path: folder.display().to_string(),
        source,
    })?;
    known.insert(task.to_owned(), Value::String(folder.display().to_string()));
    let text = serde_json::to_vec_pretty(&known).map_err(|error| trouble(error.to_string()))?;
    let written = atomic::write(&record, &text, WriteOptions::KEEP);
    written.map_err(|error| trouble(error.to_string()))?;
    Ok(folder)
}

/// Says so when the files of instances have grown beyond `limit` bytes.
pub(super) fn warn_of_size(scratch: &Path, limit: u64) {
    let size = size_of_ours(scratch);
    if size > limit {
        tracing::warn!(
            folder = %scratch.display(),
            gigabytes = size >> 30,
            "the files of instances take a lot of room; remove what is not needed, or raise \
             TERMINAL_DISK_WARNING_GB"
        );
    }
}

fn size_of_ours(scratch: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(scratch) else { return 0 };
    let ours =
        entries.flatten().filter(|it| it.file_name().as_encoded_bytes().starts_with(b"hermes-"));
    ours.map(|entry| size(&entry.path())).sum()
}

fn size(path: &Path) -> u64 {
    let Ok(about) = std::fs::symlink_metadata(path) else { return 0 };
    if !about.is_dir() {
        return about.len();
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| size(&entry.path())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overlay_is_found_again_and_made_anew_when_it_is_gone() {
        let home = tempfile::tempdir().unwrap();
        let scratch = home.path().join("scratch");
        let first = overlay(home.path(), &scratch, "a task").unwrap();
        assert!(first.ends_with("hermes-overlays/overlay-a_task"), "{first:?}");
        let elsewhere = home.path().join("elsewhere");
        assert_eq!(overlay(home.path(), &elsewhere, "a task").unwrap(), first);
        assert_ne!(overlay(home.path(), &scratch, "other").unwrap(), first);
        std::fs::remove_dir(&first).unwrap();
        assert!(overlay(home.path(), &elsewhere, "a task").unwrap().starts_with(&elsewhere));
        let record = std::fs::read_to_string(home.path().join(RECORD)).unwrap();
        assert!(record.contains("a task") && record.contains("other"), "{record}");
    }

    #[test]
    fn the_first_folder_that_can_be_written_to_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let good = folder.path().join("deep/scratch");
        let bad = PathBuf::from("/proc/no-such-folder");
        assert_eq!(scratch(&[bad.clone(), good.clone()]).unwrap(), good);
        assert!(scratch(&[bad]).unwrap_err().to_string().contains("TERMINAL_SCRATCH_DIR"));
    }

    #[test]
    fn only_our_files_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        for (name, len) in [("hermes-overlays/a/file", 100), ("other/file", 1_000)] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::File::create(path).unwrap().set_len(len).unwrap();
        }
        assert_eq!(size_of_ours(folder.path()), 100);
    }
}
