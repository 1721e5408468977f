//! Going back to a checkpoint.
//!
//! The present state is saved first, always, so that a restore can itself be undone. Then git is
//! told the tree that *is* and the tree that *shall be*, and makes the one into the other: files
//! that differ are rewritten, files that are gone come back, and files that were created since are
//! removed. It does so only if no file changed since the present was saved; otherwise it refuses
//! before touching any.
//!
//! Only files that a checkpoint knows are ever written or removed. What is ignored, too large or
//! in a repository of its own stays, with one exception: a file the checkpoint does have is put
//! back even if it would be left out today. Its present content is then part of the saved state,
//! whatever the rules say.
//!
//! Two things git does not record, and so do not come back: empty directories, and permissions
//! other than the executable bit. A file that exists keeps its permissions.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::error::CheckpointError;
use super::git::Git;
use super::history::{StoredCheckpoint, inside};
use super::project::Project;
use super::quoted::unquote;
use super::snapshot::{Protect, SnapshotOutcome};
use super::store::CheckpointStore;

/// How git writes the mode of an ordinary file, and of an executable one.
const FILE_MODE: &str = "100644";
const EXECUTABLE_MODE: &str = "100755";

/// What a restore would do. Paths are relative to the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestorePlan {
    /// The full hash of the checkpoint.
    pub hash: String,
    /// Files that would be written, over what is there or anew.
    pub restored: Vec<PathBuf>,
    /// Files created since the checkpoint, which would be removed.
    pub removed: Vec<PathBuf>,
}

/// What a restore did. Paths are relative to the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreReport {
    /// Files that were written, relative to the project.
    pub restored: Vec<PathBuf>,
    /// Files that the checkpoint does not have and that were removed.
    pub removed: Vec<PathBuf>,
    /// The checkpoint to restore to undo this.
    pub pre_rollback: String,
}

/// How one path differs between two trees.
struct Change {
    old_mode: String,
    new_mode: String,
    new_object: String,
    status: char,
    /// The path as git printed it, and takes it back.
    printed: String,
    path: PathBuf,
}

impl Change {
    /// Reads a line like `:100644 100755 <object> <object> M<TAB>path`.
    fn parse(line: &str) -> Option<Self> {
        let (facts, printed) = line.strip_prefix(':')?.split_once('\t')?;
        let mut facts = facts.split(' ');
        let (old_mode, new_mode) = (facts.next()?, facts.next()?);
        let (_, new_object, status) = (facts.next()?, facts.next()?, facts.next()?);
        Some(Self {
            old_mode: old_mode.to_owned(),
            new_mode: new_mode.to_owned(),
            new_object: new_object.to_owned(),
            status: status.chars().next()?,
            printed: printed.to_owned(),
            path: unquote(printed),
        })
    }

    fn removes(&self) -> bool {
        self.status == 'D'
    }

    /// The line that makes git put this change into an index.
    fn for_index(&self) -> String {
        let mode = if self.removes() { "0" } else { &self.new_mode };
        format!("{mode} {}\t{}\n", self.new_object, self.printed)
    }

    fn is_between_files(&self) -> bool {
        let is_file = |mode: &str| mode == FILE_MODE || mode == EXECUTABLE_MODE;
        is_file(&self.old_mode) && is_file(&self.new_mode)
    }
}

impl CheckpointStore {
    /// What [`CheckpointStore::restore`] would do with a directory, or with one file or folder of it.
    pub async fn restore_plan(
        &self,
        dir: &Path,
        hash: &str,
        path: Option<&Path>,
    ) -> Result<RestorePlan, CheckpointError> {
        let project = Project::of(dir)?;
        let path = path.map(inside).transpose()?;
        let git = self.git(self.deadline());
        let target = self.find(&git, &project, hash).await?;
        let now = self.present(&git, &project, &[]).await?;
        let changes = changes(&git, &now.tree, &target.tree, path.as_deref()).await?;
        self.check_known(&git, &target, path.as_deref(), &changes).await?;
        let (restored, removed) = split(&changes);
        Ok(RestorePlan { hash: target.commit, restored, removed })
    }

    /// Makes a directory, or one file or folder of it, what it was at a checkpoint.
    ///
    /// A directory that is gone is made again. Files created since the checkpoint are removed;
    /// [`CheckpointStore::restore_plan`] tells which.
    pub async fn restore(
        &self,
        dir: &Path,
        hash: &str,
        path: Option<&Path>,
    ) -> Result<RestoreReport, CheckpointError> {
        let project = Project::of(dir)?;
        let path = path.map(inside).transpose()?;
        let path = path.as_deref();
        let deadline = self.deadline();
        let git = self.git(deadline);
        let target = self.find(&git, &project, hash).await?;
        let workdir = &project.workdir;
        fs::create_dir_all(workdir).map_err(CheckpointError::io("create directory", workdir))?;

        let first = self.present(&git, &project, &[]).await?;
        let also = overlooked(workdir, &changes(&git, &first.tree, &target.tree, path).await?);
        let survey = self.survey(&project).await?.map_err(CheckpointError::Unprotected)?;

        let _held = self.locks.take(&project.id, deadline).await?;
        let protect = Protect { keep: &target.commit, also: &also };
        let reason = format!("before restoring {}", target.short());
        let before = match self.save(&project, &survey, &reason, protect, deadline).await? {
            SnapshotOutcome::Taken(commit) | SnapshotOutcome::Unchanged(commit) => commit,
            SnapshotOutcome::Skipped(skip) => return Err(CheckpointError::Unprotected(skip)),
        };
        let before = self.find(&git, &project, &before).await?;
        let changes = changes(&git, &before.tree, &target.tree, path).await?;
        self.check_known(&git, &target, path, &changes).await?;
        if !changes.is_empty() {
            let goal = match path {
                None => target.tree.clone(),
                Some(_) => self.merged(&git, &project, &before.tree, &changes).await?,
            };
            self.check_out(&git, &project, [&before.tree, &goal], &changes).await?;
        }
        let (restored, removed) = split(&changes);
        Ok(RestoreReport { restored, removed, pre_rollback: before.commit })
    }

    /// Refuses a path that is nowhere, as it is likely misspelt.
    async fn check_known(
        &self,
        git: &Git,
        target: &StoredCheckpoint,
        path: Option<&Path>,
        changes: &[Change],
    ) -> Result<(), CheckpointError> {
        let Some(path) = path.filter(|_| changes.is_empty()) else { return Ok(()) };
        let found = git
            .call("ls-tree")
            .env("GIT_LITERAL_PATHSPECS", "1")
            .args([target.tree.as_ref(), "--".as_ref(), path.as_os_str()])
            .run()
            .await?;
        if found.is_empty() {
            let hash = target.short().to_owned();
            return Err(CheckpointError::NotInCheckpoint { path: path.to_owned(), hash });
        }
        Ok(())
    }

    /// A tree with only some changes made to it.
    async fn merged(
        &self,
        git: &Git,
        project: &Project,
        base: &str,
        changes: &[Change],
    ) -> Result<String, CheckpointError> {
        let index = self.scratch_index(&project.id, None)?;
        git.call("read-tree").index(&index).args([base]).run().await?;
        let lines: String = changes.iter().map(Change::for_index).collect();
        let update = git.call("update-index").index(&index).args(["--replace", "--index-info"]);
        update.input(lines).run().await?;
        Ok(git.call("write-tree").index(&index).run().await?.trim().to_owned())
    }

    /// Makes the directory, which is what the first tree says, into what the second says.
    async fn check_out(
        &self,
        git: &Git,
        project: &Project,
        [from, to]: [&str; 2],
        changes: &[Change],
    ) -> Result<(), CheckpointError> {
        if let Some(mut record) = self.record(&project.id) {
            record.seen = None;
            self.write_record(&project.id, &record)?;
        }
        let workdir = &project.workdir;
        let modes: Vec<(&Change, u32)> = changes
            .iter()
            .filter(|change| change.is_between_files())
            .filter_map(|change| {
                let metadata = fs::symlink_metadata(workdir.join(&change.path)).ok()?;
                Some((change, metadata.permissions().mode()))
            })
            .collect();
        let index = self.index(&project.id);
        // Git's own lock, if one is there, is of a process that was killed: we hold the project's.
        let _ = fs::remove_file(index.with_extension("lock"));
        git.call("read-tree").on(workdir, &index).args(["-m", "-u", from, to]).run().await?;
        for (change, mode) in modes {
            let mode = if change.new_mode == EXECUTABLE_MODE {
                // Whoever may read it may run it.
                mode | (mode & 0o444) >> 2
            } else {
                mode & !0o111
            };
            let path = workdir.join(&change.path);
            fs::set_permissions(&path, Permissions::from_mode(mode))
                .map_err(CheckpointError::io("set the permissions of", &path))?;
        }
        Ok(())
    }
}

async fn changes(
    git: &Git,
    from: &str,
    to: &str,
    path: Option<&Path>,
) -> Result<Vec<Change>, CheckpointError> {
    let mut call = git
        .call("diff-tree")
        .args(["-r", "--raw", "--no-abbrev", "--no-renames", from, to, "--"])
        .env("GIT_LITERAL_PATHSPECS", "1");
    if let Some(path) = path {
        call = call.args([path]);
    }
    Ok(call.run().await?.lines().filter_map(Change::parse).collect())
}

/// Files that a restore would write over though the present state does not include them.
fn overlooked(workdir: &Path, changes: &[Change]) -> Vec<PathBuf> {
    let is_there = |path: &Path| {
        let is_dir = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
        let above = path.ancestors().skip(1).filter(|dir| !dir.as_os_str().is_empty());
        above.map(|dir| workdir.join(dir)).all(|dir| is_dir(&dir))
            && fs::symlink_metadata(workdir.join(path))
                .is_ok_and(|found| found.is_file() || found.is_symlink())
    };
    let added = changes.iter().filter(|change| change.status == 'A');
    added.map(|change| change.path.clone()).filter(|path| is_there(path)).collect()
}

fn split(changes: &[Change]) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (removed, restored): (Vec<_>, Vec<_>) = changes.iter().partition(|c| c.removes());
    let paths = |changes: Vec<&Change>| changes.into_iter().map(|c| c.path.clone()).collect();
    (paths(restored), paths(removed))
}
