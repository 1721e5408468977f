//! Taking a checkpoint.
//!
//! The walk of `survey.rs` answers most requests: nothing changed. Otherwise git is asked to bring
//! a copy of the project's index up to date, which tells, by what the index remembers of each
//! file, the few that must be read. The resulting tree is compared with that of the last
//! checkpoint; a new one becomes a commit *without a parent* under a ref of its own. So the oldest
//! can be dropped at any time without touching the others: a hash, once shown, stays good for as
//! long as its checkpoint exists.
//!
//! The index is replaced only after everything else is done. Whenever a process is killed, the
//! index left behind fits a checkpoint that is complete; if it ever does not, it is made anew.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::error::{CheckpointError, Skip};
use super::git::{Deadline, Git};
use super::history::{StoredCheckpoint, ref_name};
use super::project::{Project, ProjectRecord, SeenState};
use super::staging::Staged;
use super::store::CheckpointStore;
use super::survey::ProjectSurvey;

/// The most characters kept of a reason.
pub const MAX_REASON_CHARS: usize = 200;
/// Tells checkpoints apart that are otherwise equal, as commits without a parent may be.
const SEQUENCE_TRAILER: &str = "Hermes-Sequence";
/// How old the note of a project's last use may be before it is renewed.
const TOUCH_INTERVAL: Duration = Duration::from_secs(3600);

/// What came of the wish for a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SnapshotOutcome {
    /// A checkpoint with this hash was taken.
    Taken(String),
    /// The directory still is what the checkpoint with this hash says.
    Unchanged(String),
    /// None was taken, for this reason.
    Skipped(Skip),
}

/// What is special about a checkpoint that a restore takes first.
#[derive(Clone, Copy)]
pub(super) struct Protect<'a> {
    /// This checkpoint is not dropped to make room.
    pub(super) keep: &'a str,
    /// These files are saved, too, though rules or size would leave them out.
    pub(super) also: &'a [PathBuf],
}

impl Protect<'_> {
    pub(super) const NOTHING: Self = Self { keep: "", also: &[] };
}

impl CheckpointStore {
    /// Takes a checkpoint of a directory. `reason` is what the list will say about it.
    pub async fn snapshot(
        &self,
        dir: &Path,
        reason: &str,
    ) -> Result<SnapshotOutcome, CheckpointError> {
        if !self.settings.enabled {
            return Ok(SnapshotOutcome::Skipped(Skip::Disabled));
        }
        let project = Project::of(dir)?;
        if let Err(skip) = self.placement(&project) {
            return Ok(SnapshotOutcome::Skipped(skip));
        }
        let survey = match self.survey(&project).await? {
            Ok(survey) => survey,
            Err(skip) => return Ok(SnapshotOutcome::Skipped(skip)),
        };
        if let Some(commit) = self.known(&project, &survey)? {
            return Ok(SnapshotOutcome::Unchanged(commit));
        }
        let deadline = self.deadline();
        let attempt = async {
            self.prepare(deadline).await?;
            let _held = self.locks.take(&project.id, deadline).await?;
            self.save(&project, &survey, reason, Protect::NOTHING, deadline).await
        };
        match attempt.await {
            Err(CheckpointError::GitMissing) => Ok(SnapshotOutcome::Skipped(Skip::GitMissing)),
            outcome => outcome,
        }
    }

    /// Takes a checkpoint, unless one of this directory was taken (or tried) in this turn.
    ///
    /// A second caller waits until the first is done, so that no change can overtake the
    /// checkpoint that is to protect from it. A failed try is not repeated within the turn.
    pub async fn snapshot_once(
        &self,
        turn: &str,
        dir: &Path,
        reason: &str,
    ) -> Result<SnapshotOutcome, CheckpointError> {
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
        let claim = self.turns.claim(turn, &dir);
        let mut outcome = Ok(SnapshotOutcome::Skipped(Skip::AlreadyThisTurn));
        claim.get_or_init(async || outcome = self.snapshot(&dir, reason).await).await;
        outcome
    }

    /// The checkpoint a directory is known to equal, by its looks alone.
    fn known(
        &self,
        project: &Project,
        survey: &ProjectSurvey,
    ) -> Result<Option<String>, CheckpointError> {
        let Some(mut record) = self.record(&project.id) else { return Ok(None) };
        let commit = match &record.seen {
            Some(seen) if seen.fingerprint == survey.fingerprint => seen.commit.clone(),
            _ => return Ok(None),
        };
        let now = SystemTime::now();
        if now.duration_since(record.last_touch()).is_ok_and(|age| age > TOUCH_INTERVAL) {
            record.touch(now);
            self.write_record(&project.id, &record)?;
        }
        Ok(Some(commit))
    }

    /// Saves the present state. The caller holds the project's lock.
    pub(super) async fn save(
        &self,
        project: &Project,
        survey: &ProjectSurvey,
        reason: &str,
        protect: Protect<'_>,
        deadline: Deadline,
    ) -> Result<SnapshotOutcome, CheckpointError> {
        let git = self.git(deadline);
        let staged = self.stage(&git, project, survey, protect.also).await?;
        let entries = self.entries(&git, &project.id).await?;
        let outcome = match entries.first() {
            Some(last) if last.tree == staged.tree => {
                SnapshotOutcome::Unchanged(last.commit.clone())
            }
            last => {
                let sequence = last.map_or(1, |last| last.sequence + 1);
                let commit = commit(&git, &staged.tree, reason, sequence).await?;
                let drop = self.surplus(&entries, protect.keep);
                let created = format!("create {} {commit}\n", ref_name(&project.id, sequence));
                let dropped = drop.map(|e| format!("delete {}\n", e.ref_name(&project.id)));
                let changes: String = std::iter::once(created).chain(dropped).collect();
                git.call("update-ref").args(["--stdin"]).input(changes).run().await?;
                SnapshotOutcome::Taken(commit)
            }
        };
        self.conclude(project, survey, staged, &outcome)?;
        Ok(outcome)
    }

    /// The oldest checkpoints, so many that there is room for one more.
    fn surplus<'a>(
        &self,
        entries: &'a [StoredCheckpoint],
        keep: &str,
    ) -> impl Iterator<Item = &'a StoredCheckpoint> {
        let excess = (entries.len() + 1).saturating_sub(self.settings.max_snapshots);
        let keep = keep.to_owned();
        entries.iter().rev().filter(move |entry| entry.commit != keep).take(excess)
    }

    /// Keeps the index for the next time, and notes what the directory looked like.
    fn conclude(
        &self,
        project: &Project,
        survey: &ProjectSurvey,
        staged: Staged,
        outcome: &SnapshotOutcome,
    ) -> Result<(), CheckpointError> {
        let index = self.index(&project.id);
        staged.index.persist(&index).map_err(|e| CheckpointError::io("keep", &index)(e.error))?;
        let now = SystemTime::now();
        let mut record =
            self.record(&project.id).unwrap_or_else(|| ProjectRecord::new(project, now));
        record.touch(now);
        record.seen = match outcome {
            SnapshotOutcome::Taken(commit) | SnapshotOutcome::Unchanged(commit)
                if survey.settled(&project.workdir) =>
            {
                Some(SeenState { fingerprint: survey.fingerprint, commit: commit.clone() })
            }
            _ => None,
        };
        self.write_record(&project.id, &record)
    }
}

async fn commit(
    git: &Git,
    tree: &str,
    reason: &str,
    sequence: u64,
) -> Result<String, CheckpointError> {
    let message = format!("{}\n\n{SEQUENCE_TRAILER}: {sequence}\n", subject(reason));
    let call = git.call("commit-tree").identity(SystemTime::now()).args([tree]).input(message);
    Ok(call.run().await?.trim().to_owned())
}

/// A reason as one line of limited length.
fn subject(reason: &str) -> String {
    let line = reason.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|c| !c.is_control()).take(MAX_REASON_CHARS).collect();
    if line.is_empty() { "checkpoint".to_owned() } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_becomes_one_short_line() {
        assert_eq!(subject("before\n\tpatch  x"), "before patch x");
        assert_eq!(subject(" \n"), "checkpoint");
        assert_eq!(subject(&"é".repeat(500)).chars().count(), MAX_REASON_CHARS);
    }
}
