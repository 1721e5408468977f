//! The shown files as a container of this machine mounts them.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::inventory::{files_of, has_hidden};
use super::shown::{SyncSources, SyncedKind, SyncedPath};

impl SyncSources {
    /// What to mount, read-only: on the host, and below `~/.hermes`. A skills folder that holds
    /// links or files the agent may not read is mounted from a copy without them, kept in
    /// `copies`; when the copy cannot be made, it is left out.
    #[must_use]
    pub fn mounts(&self, copies: &Path) -> Vec<(String, String)> {
        let mut mounts = Vec::new();
        for shown in self.list() {
            let host = if shown.kind == SyncedKind::Skills && has_hidden(&shown, self) {
                let copy = copies.join(shown.below.replace('/', "-"));
                match bring_up_to_date(&copy, &shown, self) {
                    Ok(()) => copy,
                    Err(error) => {
                        let folder = shown.host.display();
                        tracing::warn!(%folder, %error, "skills cannot be shown");
                        continue;
                    }
                }
            } else {
                shown.host
            };
            if let Some(host) = host.to_str() {
                mounts.push((host.to_owned(), shown.below));
            }
        }
        mounts
    }
}

/// Makes the copy like the folder, file by file: a container may have it mounted.
fn bring_up_to_date(copy: &Path, shown: &SyncedPath, sources: &SyncSources) -> io::Result<()> {
    hermes_store::home::ensure_private_dir(copy).map_err(|error| error.source)?;
    let mut wanted = BTreeSet::new();
    for (host, below) in files_of(shown, sources) {
        let Ok(rest) = Path::new(&below).strip_prefix(&shown.below) else { continue };
        let target = copy.join(rest);
        let (from, to) = (fs::metadata(&host)?, fs::metadata(&target));
        let is_same =
            to.is_ok_and(|to| to.len() == from.len() && to.modified().ok() >= from.modified().ok());
        if !is_same {
            if let Some(folder) = target.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::copy(&host, &target)?;
        }
        wanted.insert(target);
    }
    remove_others(copy, &wanted)
}

fn remove_others(folder: &Path, wanted: &BTreeSet<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if fs::symlink_metadata(&path)?.is_dir() {
            remove_others(&path, wanted)?;
        } else if !wanted.contains(&path) {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}
