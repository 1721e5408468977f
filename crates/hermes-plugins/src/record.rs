//! What a plugin brought when it last ran, kept so that it need not run to be listed.
//!
//! The record holds a fingerprint of everything it depends on: the plugin's files, the Python that
//! runs it, what it was allowed. With a record that still fits, a session begins without waiting
//! for the plugin; one that does not fit is still good for listings.

use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::{Home, ensure_private_dir};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::discover::{FoundPlugin, Runs};
use crate::log::file_name;
use crate::protocol::{Registrations, VERSION};
use crate::python;

/// Most files of a plugin that are looked at.
const MAX_FILES: usize = 500;
/// How deep below its folder.
const MAX_DEPTH: usize = 4;

/// What a plugin brought when it last ran.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct RunRecord {
    pub(crate) fingerprint: String,
    #[serde(default)]
    pub(crate) runs_on: Option<String>,
    pub(crate) brings: Registrations,
}

impl RunRecord {
    fn file(home: &Home, key: &str) -> PathBuf {
        let digest: String =
            Sha256::digest(key).iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        home.cache().join("plugins").join(format!("{}-{digest}.json", file_name(key)))
    }

    /// The record of a plugin, if there is one that can be read.
    pub(crate) fn load(home: &Home, key: &str) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(Self::file(home, key)).ok()?).ok()
    }

    /// Keeps the record; without it the plugin is asked again next time.
    pub(crate) fn save(&self, home: &Home, key: &str) {
        let file = Self::file(home, key);
        let written = file.parent().map_or(Ok(()), ensure_private_dir).and_then(|()| {
            atomic::write(&file, json!(self).to_string().as_bytes(), WriteOptions::KEEP)
        });
        if let Err(problem) = written {
            tracing::debug!(%problem, "keep the record of a plugin");
        }
    }
}

/// What a record depends on, in a few characters. `allowed` is whatever the user decided.
pub(crate) fn fingerprint(found: &FoundPlugin, interpreter: &Path, allowed: &str) -> String {
    let mut digest = Sha256::new();
    let mut add = |part: &str| {
        digest.update(part.len().to_le_bytes());
        digest.update(part);
    };
    add(&VERSION.to_string());
    add(env!("CARGO_PKG_VERSION"));
    add(&found.folder.display().to_string());
    add(&found.manifest.version);
    add(allowed);
    if !matches!(found.runs, Runs::Command(_)) {
        add(&python::digest());
        add(&interpreter.display().to_string());
    }
    let mut files = Vec::new();
    if found.runs != Runs::Nothing && !found.folder.as_os_str().is_empty() {
        list(&found.folder, MAX_DEPTH, &mut files);
    }
    files.sort();
    files.iter().for_each(|file| add(file));
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn list(folder: &Path, depth: usize, files: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_noise = name.to_string_lossy().starts_with('.') || name == "__pycache__";
        if is_noise || files.len() >= MAX_FILES {
            continue;
        }
        let path = entry.path();
        let Ok(found) = std::fs::metadata(&path) else { continue };
        if found.is_dir() {
            if depth > 0 && name != "node_modules" {
                list(&path, depth - 1, files);
            }
            continue;
        }
        let changed = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let changed = changed.map_or(0, |since| since.as_nanos());
        files.push(format!("{}\0{}\0{changed}", path.display(), found.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::PluginSource;
    use crate::manifest::Manifest;
    use crate::put;

    #[test]
    fn a_changed_file_another_python_and_another_consent_all_show() {
        let folder = tempfile::tempdir().unwrap();
        put(&folder.path().join("__init__.py"), "a");
        let found = FoundPlugin {
            key: "p".into(),
            source: PluginSource::User,
            folder: folder.path().to_owned(),
            manifest: Manifest::default(),
            runs: Runs::Python,
        };
        let print = |python: &str, allowed: &str| fingerprint(&found, Path::new(python), allowed);
        let before = print("python3", "");
        assert_eq!(before, print("python3", ""));
        assert_ne!(before, print("python4", ""));
        assert_ne!(before, print("python3", "override"));
        put(&folder.path().join("__init__.py"), "ab");
        assert_ne!(before, print("python3", ""));
    }

    #[test]
    fn a_record_is_read_as_it_was_kept_and_nonsense_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        let record =
            RunRecord { fingerprint: "f".into(), runs_on: None, brings: Registrations::default() };
        record.save(&home, "web/p");
        assert_eq!(RunRecord::load(&home, "web/p"), Some(record));
        assert_eq!(RunRecord::load(&home, "other"), None);
        put(&RunRecord::file(&home, "web/p"), "{");
        assert_eq!(RunRecord::load(&home, "web/p"), None);
    }
}
