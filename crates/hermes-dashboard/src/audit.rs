//! `logs/dashboard-audit.log`: who changed what, when, from where. One line of JSON each; no values, only names.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use hermes_store::clock::{local_time, now};
use hermes_store::home::{Home, ensure_private_dir};
use serde_json::json;

/// The file's name.
pub(crate) const AUDIT_LOG: &str = "dashboard-audit.log";
/// A larger file is put aside, one deep.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Writes the log.
pub(crate) struct Audit {
    folder: PathBuf,
    turn: Mutex<()>,
}

impl Audit {
    pub(crate) fn at(home: &Home) -> Self {
        Self { folder: home.logs(), turn: Mutex::default() }
    }

    /// Notes an act.
    pub(crate) fn note(&self, who: &str, from: &str, act: &str, what: &str) {
        let line =
            json!({"at": local_time(now()), "who": who, "from": from, "act": act, "what": what});
        if let Err(problem) = self.append(&line.to_string()) {
            tracing::warn!(%problem, "the dashboard's log cannot be written");
        }
    }

    fn append(&self, line: &str) -> std::io::Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        ensure_private_dir(&self.folder).map_err(std::io::Error::other)?;
        let file = self.folder.join(AUDIT_LOG);
        if std::fs::metadata(&file).is_ok_and(|file| file.len() > MAX_BYTES) {
            std::fs::rename(&file, self.folder.join(format!("{AUDIT_LOG}.1")))?;
        }
        let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(file)?;
        writeln!(file, "{line}")
    }
}
