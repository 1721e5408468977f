//! A home takes the place of another, in one step; and what follows, also after a kill.
//!
//! The two folders change places, so that there is a whole home at every moment. What no copy holds is then moved over from the
//! old one, and the rest of it becomes a snapshot. The new home knows that this is still to be done ([`SWAP_FILE`]): whoever is
//! killed in the middle leaves it to the next start of the program.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use hermes_store::atomic::{self, ExistingMode, WriteOptions};
use hermes_store::home::Home;
use hermes_store::lock::{EDIT_WAIT, FileLock, Wait};
use serde::{Deserialize, Serialize};

use crate::staging::{MARK, Staging, begin_of_names, make_folder, remove};

/// Says in a new home where the old one is, until nothing of it is needed any more.
pub(crate) const SWAP_FILE: &str = ".hermes-swap.json";
/// What belongs to a machine, can be made again or is a copy itself: no copy of a home holds it, and it stays as it is when
/// another home takes the place.
pub(crate) const STAYS: &[&str] = &[
    "cache",
    "logs",
    "checkpoints",
    "sandboxes",
    "backups",
    "state-snapshots",
    "trash",
    "hook_outputs",
    "models",
    "active_profile",
    "node_modules",
    ".git",
    "venv",
    ".venv",
];
const PROFILES: &str = "profiles";

/// What is left to do.
#[derive(Debug, Serialize, Deserialize)]
struct Swap {
    /// The name of the snapshot that the old home becomes.
    snapshot: String,
    /// The name of the folder beside the home in which the old one is.
    old: String,
}

/// Puts a home that is ready into its place; where what was there before is kept now.
pub(crate) fn put_in_place(
    staging: Staging,
    root: &Path,
    label: &str,
) -> anyhow::Result<Option<PathBuf>> {
    if !root.exists() {
        staging.place(root)?;
        return Ok(None);
    }
    let swap = announce(&staging, label)?;
    // With a mark the old home would look like something half made.
    remove(&root.join(MARK))?;
    exchange(staging.path(), root)?;
    let _lock = staging.keep();
    finish(root, &swap).map(Some)
}

/// Notes in the new home what has to follow once it is in its place.
fn announce(staging: &Staging, label: &str) -> anyhow::Result<Swap> {
    let stamp = jiff::Zoned::now().strftime("%Y%m%d-%H%M%S").to_string();
    let name = staging.path().file_name().and_then(|name| name.to_str());
    let old = name.context("the folder's name is no text")?.to_owned();
    let swap = Swap { snapshot: format!("{label}-{stamp}"), old };
    let options = WriteOptions { mode: 0o600, existing: ExistingMode::Replace };
    atomic::write(&staging.path().join(SWAP_FILE), &serde_json::to_vec(&swap)?, options)?;
    Ok(swap)
}

/// Two folders change places, in one step that cannot be seen half done.
fn exchange(one: &Path, other: &Path) -> anyhow::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE).with_context(|| {
        format!("put the new home in the place of {} (nothing was changed)", other.display())
    })
}

/// Does what follows. Each step may have been done already.
fn finish(root: &Path, swap: &Swap) -> anyhow::Result<PathBuf> {
    let folder = root.parent().context("the home has no folder above it")?;
    let is_ours = swap.old.starts_with(&begin_of_names(root)) && !swap.old.contains('/');
    let is_name = !swap.snapshot.contains('/') && !swap.snapshot.starts_with('.');
    ensure!(is_ours && is_name, "{} is broken", root.join(SWAP_FILE).display());
    let old = folder.join(&swap.old);
    let snapshots = root.join("state-snapshots");
    let mut before = snapshots.join(&swap.snapshot);
    if old.exists() {
        keep(&old, root)?;
        make_folder(&snapshots)?;
        // Of the same second as another one, which came over from the old home.
        let mut number = 2;
        while before.symlink_metadata().is_ok() {
            before = snapshots.join(format!("{}-{number}", swap.snapshot));
            number += 1;
        }
        fs::rename(&old, &before)
            .with_context(|| format!("keep what was there in {}", before.display()))?;
    }
    // In this order: a home never has a mark for longer than the note of what is left to do.
    remove(&root.join(MARK))?;
    remove(&root.join(SWAP_FILE))?;
    Ok(before)
}

/// Moves what no copy holds from the old home to the new one; of profiles that are in both, too.
fn keep(old: &Path, new: &Path) -> anyhow::Result<()> {
    let is_there = |path: &Path| path.symlink_metadata().is_ok();
    let carry = |from: &Path, to: &Path| match is_there(from) && !is_there(to) {
        true => fs::rename(from, to).with_context(|| format!("keep {}", to.display())),
        false => Ok(()),
    };
    for name in STAYS {
        carry(&old.join(name), &new.join(name))?;
    }
    for entry in fs::read_dir(old.join(PROFILES)).into_iter().flatten().flatten() {
        let (from, to) = (entry.path(), new.join(PROFILES).join(entry.file_name()));
        make_folder(&new.join(PROFILES))?;
        match is_there(&to) {
            true => keep(&from, &to)?,
            false => carry(&from, &to)?,
        }
    }
    Ok(())
}

/// Finishes what a process that was killed began when it put a home into its place, here or in the home that this one is a
/// profile of; whether there was something to do. Without it the program would not find profiles, models and snapshots.
///
/// # Errors
/// If it cannot be finished: nothing should be done in a home like that.
pub fn finish_interrupted(home: &Home) -> anyhow::Result<bool> {
    let mut any = false;
    for home in [Some(home.clone()), home.of_default_profile()].into_iter().flatten() {
        any |= finish_in(home.root())?;
    }
    Ok(any)
}

fn finish_in(root: &Path) -> anyhow::Result<bool> {
    let file = root.join(SWAP_FILE);
    if !file.exists() {
        return Ok(false);
    }
    // Somebody may be at it right now.
    let _lock = FileLock::acquire(&root.join(MARK), Wait::AtMost(EDIT_WAIT))?;
    match fs::read(&file) {
        Ok(text) => {
            let swap = serde_json::from_slice(&text)
                .with_context(|| format!("{} is broken", file.display()))?;
            let before = finish(root, &swap)?;
            tracing::info!(before = %before.display(), "a home was put into its place to the end");
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => remove(&root.join(MARK))?,
        Err(error) => return Err(error).with_context(|| format!("read {}", file.display())),
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        atomic::write(path, text.as_bytes(), Default::default()).unwrap();
    }

    /// An old home in its place, and a new one beside it.
    fn scene() -> (tempfile::TempDir, PathBuf, Staging) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("home");
        for name in
            ["config.yaml", "models/m.gguf", "profiles/gone/.env", "profiles/both/models/p.gguf"]
        {
            put(&root.join(name), "old");
        }
        let staging = Staging::beside(&root).unwrap();
        put(&staging.path().join("config.yaml"), "new");
        put(&staging.path().join("profiles/both/config.yaml"), "new");
        (folder, root, staging)
    }

    fn is_done(root: &Path) {
        let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
        assert_eq!(read("config.yaml"), "new");
        for name in ["models/m.gguf", "profiles/gone/.env", "profiles/both/models/p.gguf"] {
            assert_eq!(read(name), "old", "{name}");
        }
        let snapshots: Vec<_> =
            fs::read_dir(root.join("state-snapshots")).unwrap().flatten().collect();
        assert_eq!(snapshots.len(), 1);
        assert_eq!(fs::read_to_string(snapshots[0].path().join("config.yaml")).unwrap(), "old");
        assert!(!root.join(MARK).exists() && !root.join(SWAP_FILE).exists());
        // Nothing else is beside it.
        assert_eq!(fs::read_dir(root.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn what_no_copy_holds_stays_of_the_home_and_of_its_profiles() {
        let (_folder, root, staging) = scene();
        put_in_place(staging, &root, "before-test").unwrap();
        is_done(&root);
    }

    /// Killed right after the two changed places: profiles and models were in a folder that the next attempt took for litter.
    #[test]
    fn a_kill_right_after_the_exchange_loses_nothing() {
        let (_folder, root, staging) = scene();
        announce(&staging, "before-test").unwrap();
        exchange(staging.path(), &root).unwrap();
        drop(staging.keep());
        // The next attempt does not touch what it does not know.
        drop(Staging::beside(&root).unwrap());
        assert!(finish_interrupted(&Home::at(&root)).unwrap());
        is_done(&root);
        assert!(!finish_interrupted(&Home::at(&root)).unwrap());
    }

    /// Killed in the middle of moving: what was moved stays, what was not follows. Found from a profile, too.
    #[test]
    fn a_kill_in_the_middle_of_moving_loses_nothing() {
        let (_folder, root, staging) = scene();
        let swap = announce(&staging, "before-test").unwrap();
        exchange(staging.path(), &root).unwrap();
        drop(staging.keep());
        let old = root.parent().unwrap().join(&swap.old);
        fs::rename(old.join("models"), root.join("models")).unwrap();
        assert!(finish_interrupted(&Home::at(root.join("profiles/both"))).unwrap());
        is_done(&root);
    }

    /// The second of two imports within a second found its snapshot's name taken, and left a home that no command would use.
    #[test]
    fn two_snapshots_of_the_same_second_are_two() {
        let (_folder, root, staging) = scene();
        let swap = announce(&staging, "before-test").unwrap();
        put(&root.join("state-snapshots").join(&swap.snapshot).join("config.yaml"), "older");
        exchange(staging.path(), &root).unwrap();
        drop(staging.keep());
        let before = finish(&root, &swap).unwrap();
        assert!(before.to_str().unwrap().ends_with("-2"), "{}", before.display());
        let read = |name: &str| {
            let folder = root.join("state-snapshots").join(name);
            fs::read_to_string(folder.join("config.yaml")).unwrap()
        };
        assert_eq!(
            (read(&swap.snapshot), read(&format!("{}-2", swap.snapshot))),
            ("older".into(), "old".into())
        );
    }

    #[test]
    fn a_note_that_names_other_folders_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("home");
        put(&root.join(SWAP_FILE), r#"{"snapshot": "x", "old": "../../etc"}"#);
        assert!(finish_interrupted(&Home::at(&root)).unwrap_err().to_string().contains("broken"));
    }
}
