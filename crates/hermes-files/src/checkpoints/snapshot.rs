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

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempPath;

use super::error::{CheckpointError, Skip};
use super::git::{Deadline, Git};
use super::history::{Entry, ref_name};
use super::project::{Project, Record, Seen};
use super::store::Store;
use super::survey::Survey;

/// The most characters kept of a reason.
pub const MAX_REASON_CHARS: usize = 200;
/// Tells checkpoints apart that are otherwise equal, as commits without a parent may be.
const SEQUENCE_TRAILER: &str = "Hermes-Sequence";
/// How old the note of a project's last use may be before it is renewed.
const TOUCH_INTERVAL: Duration = Duration::from_secs(3600);

/// What came of the wish for a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// A checkpoint with this hash was taken.
    Taken(String),
    /// The directory still is what the checkpoint with this hash says.
    Unchanged(String),
    /// None was taken, for this reason.
    Skipped(Skip),
}

/// The present state of a project, as a tree in the store and the index it was made with.
pub(super) struct Staged {
    pub(super) tree: String,
    pub(super) index: TempPath,
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

impl Store {
    /// Takes a checkpoint of a directory. `reason` is what the list will say about it.
    pub async fn snapshot(&self, dir: &Path, reason: &str) -> Result<Outcome, CheckpointError> {
        if !self.settings.enabled {
            return Ok(Outcome::Skipped(Skip::Disabled));
        }
        let project = Project::of(dir)?;
        if let Err(skip) = self.placement(&project) {
            return Ok(Outcome::Skipped(skip));
        }
        let survey = match self.survey(&project).await? {
            Ok(survey) => survey,
            Err(skip) => return Ok(Outcome::Skipped(skip)),
        };
        if let Some(commit) = self.known(&project, &survey)? {
            return Ok(Outcome::Unchanged(commit));
        }
        let deadline = self.deadline();
        let attempt = async {
            self.prepare(deadline).await?;
            let _held = self.locks.take(&project.id, deadline).await?;
            self.save(&project, &survey, reason, Protect::NOTHING, deadline).await
        };
        match attempt.await {
            Err(CheckpointError::GitMissing) => Ok(Outcome::Skipped(Skip::GitMissing)),
            outcome => outcome,
        }
    }

    /// The checkpoint a directory is known to equal, by its looks alone.
    fn known(&self, project: &Project, survey: &Survey) -> Result<Option<String>, CheckpointError> {
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
        survey: &Survey,
        reason: &str,
        protect: Protect<'_>,
        deadline: Deadline,
    ) -> Result<Outcome, CheckpointError> {
        let git = self.git(deadline);
        let staged = self.stage(&git, project, survey, protect.also).await?;
        let entries = self.entries(&git, &project.id).await?;
        let outcome = match entries.first() {
            Some(last) if last.tree == staged.tree => Outcome::Unchanged(last.commit.clone()),
            last => {
                let sequence = last.map_or(1, |last| last.sequence + 1);
                let commit = commit(&git, &staged.tree, reason, sequence).await?;
                let drop = self.surplus(&entries, protect.keep);
                let created = format!("create {} {commit}\n", ref_name(&project.id, sequence));
                let dropped = drop.map(|e| format!("delete {}\n", e.ref_name(&project.id)));
                let changes: String = std::iter::once(created).chain(dropped).collect();
                git.call("update-ref").args(["--stdin"]).input(changes).run().await?;
                Outcome::Taken(commit)
            }
        };
        self.conclude(project, survey, staged, &outcome)?;
        Ok(outcome)
    }

    /// The oldest checkpoints, so many that there is room for one more.
    fn surplus<'a>(&self, entries: &'a [Entry], keep: &str) -> impl Iterator<Item = &'a Entry> {
        let excess = (entries.len() + 1).saturating_sub(self.settings.max_snapshots);
        let keep = keep.to_owned();
        entries.iter().rev().filter(move |entry| entry.commit != keep).take(excess)
    }

    /// Keeps the index for the next time, and notes what the directory looked like.
    fn conclude(
        &self,
        project: &Project,
        survey: &Survey,
        staged: Staged,
        outcome: &Outcome,
    ) -> Result<(), CheckpointError> {
        let index = self.index(&project.id);
        staged.index.persist(&index).map_err(|e| CheckpointError::io("keep", &index)(e.error))?;
        let now = SystemTime::now();
        let mut record = self.record(&project.id).unwrap_or_else(|| Record::new(project, now));
        record.touch(now);
        record.seen = match outcome {
            Outcome::Taken(commit) | Outcome::Unchanged(commit)
                if survey.settled(&project.workdir) =>
            {
                Some(Seen { fingerprint: survey.fingerprint, commit: commit.clone() })
            }
            _ => None,
        };
        self.write_record(&project.id, &record)
    }

    /// Brings a copy of the project's index up to date, and makes a tree of it.
    pub(super) async fn stage(
        &self,
        git: &Git,
        project: &Project,
        survey: &Survey,
        also: &[PathBuf],
    ) -> Result<Staged, CheckpointError> {
        let index = self.index(&project.id);
        match self.stage_from(Some(&index), git, project, survey, also).await {
            // The index may be damaged, or speak of objects that are gone.
            Err(CheckpointError::Git { command, message }) if index.exists() => {
                tracing::warn!(command, message, "making a new index of the project");
                self.stage_from(None, git, project, survey, also).await
            }
            staged => staged,
        }
    }

    async fn stage_from(
        &self,
        index: Option<&Path>,
        git: &Git,
        project: &Project,
        survey: &Survey,
        also: &[PathBuf],
    ) -> Result<Staged, CheckpointError> {
        let copy = self.scratch_index(&project.id, index)?;
        let tree = &project.workdir;
        if index.is_some() && !survey.left_out.is_empty() {
            let paths = survey.left_out.iter().map(|path| literally("", path));
            git.call("rm")
                .on(tree, &copy)
                .args(["--cached", "-r", "-f", "--quiet", "--ignore-unmatch"])
                .args(["--pathspec-from-file=-", "--pathspec-file-nul"])
                .input(paths.collect::<Vec<_>>().concat())
                .run()
                .await?;
        }
        let add = git.call("add").on(tree, &copy).args(["--all", "--ignore-errors"]);
        let add = if survey.left_out.is_empty() {
            add
        } else {
            let paths = survey.left_out.iter().map(|path| literally("exclude,", path));
            let everything_but: Vec<Vec<u8>> =
                std::iter::once(b".\0".to_vec()).chain(paths).collect();
            add.args(["--pathspec-from-file=-", "--pathspec-file-nul"])
                .input(everything_but.concat())
        };
        // A file that may not be read must not keep all others from being saved.
        add.partly_is_enough().run().await?;
        if !also.is_empty() {
            let paths: Vec<u8> = also
                .iter()
                .flat_map(|path| [path.as_os_str().as_bytes(), b"\0"].concat())
                .collect();
            git.call("update-index")
                .on(tree, &copy)
                .args(["--add", "--replace", "-z", "--stdin"])
                .input(paths)
                .run()
                .await?;
        }
        let tree = git.call("write-tree").index(&copy).run().await?.trim().to_owned();
        Ok(Staged { tree, index: copy })
    }

    /// A file for an index to work on, with the content of another one.
    pub(super) fn scratch_index(
        &self,
        id: &str,
        content: Option<&Path>,
    ) -> Result<TempPath, CheckpointError> {
        let folder = self.repository().join("indexes");
        let copy = tempfile::Builder::new()
            .prefix(&format!("{id}."))
            .suffix(".tmp")
            .tempfile_in(&folder)
            .map_err(CheckpointError::io("create an index in", &folder))?
            .into_temp_path();
        match content {
            Some(content) if content.exists() => {
                copy_with_time(content, &copy).map_err(CheckpointError::io("copy", content))?;
            }
            // To git an empty file is a broken index, and no file an empty one.
            _ => fs::remove_file(&copy).map_err(CheckpointError::io("remove", &copy))?,
        }
        Ok(copy)
    }
}

/// Copies an index. By the age of its index git tells which files may have changed unnoticed, in
/// the same second they were last looked at; a copy must not seem younger than it is.
fn copy_with_time(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to)?;
    let written = fs::metadata(from)?.modified()?;
    File::options().write(true).open(to)?.set_modified(written)
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

/// A pathspec, with its final NUL, that means exactly this path.
fn literally(magic: &str, path: &Path) -> Vec<u8> {
    let path: &OsStr = path.as_os_str();
    [format!(":({magic}literal)").as_bytes(), path.as_bytes(), b"\0"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change made in the second of the last checkpoint was missed by the next one.
    #[test]
    fn a_copied_index_is_as_old_as_the_original() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        let long_ago = SystemTime::UNIX_EPOCH + Duration::new(1_000_000_000, 123_456_789);
        File::create(&from).unwrap().set_modified(long_ago).unwrap();
        copy_with_time(&from, &to).unwrap();
        assert_eq!(fs::metadata(&to).unwrap().modified().unwrap(), long_ago);
    }

    #[test]
    fn a_reason_becomes_one_short_line() {
        assert_eq!(subject("before\n\tpatch  x"), "before patch x");
        assert_eq!(subject(" \n"), "checkpoint");
        assert_eq!(subject(&"é".repeat(500)).chars().count(), MAX_REASON_CHARS);
    }
}
