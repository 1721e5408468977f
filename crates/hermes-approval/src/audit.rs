//! The log of decisions: `logs/approvals.jsonl` in the home, one JSON object a line.
//!
//! Every decision of the gate is there, with who made it and why; commands are written as they may
//! be shown. The file only grows at its end, and when it has grown past [`MAX_BYTES`] it is set
//! aside as `approvals.jsonl.1`; [`KEPT`] of those are kept. A log that cannot be written is told
//! once and changes no decision.

use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hermes_store::atomic::PRIVATE_MODE;
use hermes_store::home::{Home, ensure_private_dir};
use hermes_store::lock::{EDIT_WAIT, FileLock, Wait, lock_path};
use serde_json::{Value, json};

use crate::concern::Concern;
use crate::display::shown;
use crate::{ApprovalGrant, ApprovalRefusal};

/// The name of the log in the folder of logs.
pub const FILE_NAME: &str = "approvals.jsonl";
/// When the log has grown past this, a new one is begun.
pub const MAX_BYTES: u64 = 5 * 1024 * 1024;
/// How many old logs are kept.
pub const KEPT: u32 = 3;

/// What was decided about.
pub(crate) struct AuditSubject<'a> {
    pub(crate) session: &'a str,
    pub(crate) purpose: &'static str,
    pub(crate) text: &'a str,
}

/// The log.
#[derive(Clone, Debug)]
pub(crate) struct Audit(Arc<Log>);

#[derive(Debug)]
struct Log {
    file: PathBuf,
    max_bytes: u64,
    writing: Mutex<()>,
    has_warned: AtomicBool,
}

impl Audit {
    pub(crate) fn in_home(home: &Home) -> Self {
        Self::at(home.logs().join(FILE_NAME), MAX_BYTES)
    }

    fn at(file: PathBuf, max_bytes: u64) -> Self {
        let has_warned = AtomicBool::new(false);
        Self(Arc::new(Log { file, max_bytes, writing: Mutex::new(()), has_warned }))
    }

    /// Writes down a decision.
    pub(crate) async fn record(
        &self,
        subject: &AuditSubject<'_>,
        decision: &Result<ApprovalGrant, ApprovalRefusal>,
    ) {
        let line = format!("{}\n", entry(subject, decision));
        let log = Arc::clone(&self.0);
        let written = tokio::task::spawn_blocking(move || {
            let result = log.append(&line);
            (log, result)
        });
        if let Ok((log, Err(problem))) = written.await
            && !log.has_warned.swap(true, Ordering::Relaxed)
        {
            tracing::warn!("decisions about commands are not logged: {problem}");
        }
    }
}

impl Log {
    fn append(&self, line: &str) -> io::Result<()> {
        let _turn = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = self.file.parent() {
            ensure_private_dir(folder).map_err(io::Error::other)?;
        }
        self.begin_anew_if_full()?;
        let mut options = OpenOptions::new();
        let mut file = options.create(true).append(true).mode(PRIVATE_MODE).open(&self.file)?;
        // One write: lines of two processes never mix.
        file.write_all(line.as_bytes())
    }

    fn begin_anew_if_full(&self) -> io::Result<()> {
        let is_full =
            || std::fs::metadata(&self.file).is_ok_and(|meta| meta.len() > self.max_bytes);
        if !is_full() {
            return Ok(());
        }
        let lock = FileLock::acquire(&lock_path(&self.file), Wait::AtMost(EDIT_WAIT));
        let _lock = lock.map_err(io::Error::other)?;
        // Another process may have done it while we waited.
        if is_full() {
            for number in (1..KEPT).rev() {
                rename_if_there(&self.numbered(number), &self.numbered(number + 1))?;
            }
            rename_if_there(&self.file, &self.numbered(1))?;
        }
        Ok(())
    }

    fn numbered(&self, number: u32) -> PathBuf {
        let mut name = self.file.as_os_str().to_os_string();
        name.push(format!(".{number}"));
        name.into()
    }
}

fn rename_if_there(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::rename(from, to) {
        Err(problem) if problem.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

fn entry(subject: &AuditSubject<'_>, decision: &Result<ApprovalGrant, ApprovalRefusal>) -> Value {
    let (verdict, by, rule, scope, concerns) = match decision {
        Ok(grant) => {
            let scope = match &grant.by {
                crate::GrantedBy::Person(scope) => Some(scope.name()),
                _ => None,
            };
            ("allowed", grant.by.name(), grant.by.rule(), scope, grant.concerns.as_slice())
        }
        Err(no) => (no.status(), no.reason().name(), no.reason().rule(), None, no.concerns()),
    };
    let findings: Vec<Value> = concerns.iter().map(Concern::to_json).collect();
    json!({
        "time": jiff::Timestamp::now().to_string(),
        "session": subject.session,
        "purpose": subject.purpose,
        "command": shown(subject.text),
        "verdict": verdict,
        "by": by,
        "rule": rule,
        "scope": scope,
        "findings": findings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GrantScope, GrantedBy};

    const SUBJECT: AuditSubject<'_> = AuditSubject {
        session: "s",
        purpose: "foreground",
        text: "echo ghp_A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8",
    };

    fn granted() -> Result<ApprovalGrant, ApprovalRefusal> {
        Ok(ApprovalGrant::by(GrantedBy::Person(GrantScope::Session)))
    }

    fn lines(file: &Path) -> Vec<Value> {
        let text = std::fs::read_to_string(file).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[tokio::test]
    async fn a_line_says_who_decided_and_hides_secrets() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::at(folder.path());
        Audit::in_home(&home).record(&SUBJECT, &granted()).await;
        let file = home.logs().join(FILE_NAME);
        let lines = lines(&file);
        assert_eq!((&lines[0]["verdict"], &lines[0]["by"]), (&json!("allowed"), &json!("user")));
        assert_eq!(lines[0]["scope"], "session");
        assert!(!lines[0].to_string().contains("A1b2C3d4"), "{}", lines[0]);
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[tokio::test]
    async fn old_logs_are_set_aside_and_their_number_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE_NAME);
        let audit = Audit::at(file.clone(), 10);
        for _ in 0..8 {
            audit.record(&SUBJECT, &granted()).await;
        }
        let count = std::fs::read_dir(folder.path())
            .unwrap()
            .filter(|entry| !entry.as_ref().unwrap().path().ends_with("approvals.jsonl.lock"))
            .count();
        assert_eq!(count, 1 + KEPT as usize);
        assert_eq!(lines(&file).len(), 1);
    }

    #[tokio::test]
    async fn a_log_that_cannot_be_written_stops_nothing() {
        let audit = Audit::at(PathBuf::from("/proc/nowhere/approvals.jsonl"), 10);
        audit.record(&SUBJECT, &granted()).await;
        assert!(audit.0.has_warned.load(Ordering::Relaxed));
    }
}
