//! What one process leaves for the next. Losing it costs a little time, so nothing here is an error.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use hermes_store::atomic::{self, WriteOptions};
use serde::{Deserialize, Serialize};

use super::entry::Summary;
use super::stamp::Stamp;

/// Changes with what a summary means, so that older ones are not believed.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct Snapshot {
    version: u32,
    documents: Vec<(PathBuf, Stamp, Summary)>,
}

pub(super) fn load(file: &Path) -> HashMap<PathBuf, (Stamp, Summary)> {
    let snapshot: Option<Snapshot> =
        std::fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let documents =
        snapshot.filter(|snapshot| snapshot.version == VERSION).map(|snapshot| snapshot.documents);
    let documents = documents.unwrap_or_default().into_iter();
    documents.map(|(path, stamp, summary)| (path, (stamp, summary))).collect()
}

/// Whether a snapshot, where there is one, can be believed once it is compared.
pub(super) fn is_usable(file: &Path) -> bool {
    match std::fs::read(file) {
        Ok(bytes) => serde_json::from_slice::<Snapshot>(&bytes)
            .is_ok_and(|snapshot| snapshot.version == VERSION),
        Err(problem) => problem.kind() == std::io::ErrorKind::NotFound,
    }
}

/// Writes in the background: nobody waits for the disk because of a cache.
pub(super) fn save(file: &Path, documents: &HashMap<PathBuf, (Stamp, Summary)>) {
    let documents =
        documents.iter().map(|(path, (stamp, summary))| (path.clone(), *stamp, summary.clone()));
    let snapshot = Snapshot { version: VERSION, documents: documents.collect() };
    let file = file.to_path_buf();
    let write = move || {
        let written = serde_json::to_vec(&snapshot)
            .map_err(|problem| problem.to_string())
            .and_then(|bytes| {
                atomic::write(&file, &bytes, WriteOptions::KEEP)
                    .map_err(|problem| problem.to_string())
            });
        if let Err(problem) = written {
            tracing::debug!(%problem, "the snapshot of skills was not written");
        }
    };
    if let Err(problem) = std::thread::Builder::new().name("skills-snapshot".into()).spawn(write) {
        tracing::debug!(%problem, "the snapshot of skills was not written");
    }
}
