//! The checkpoints of a directory: which there are, and how they differ from it now.
//!
//! The refs are the only record of checkpoints; there is no list to fall out of step with them. A
//! hash given by a user is looked for among the checkpoints of that one directory, never handed to
//! git to make sense of: no name, option or foreign object can be reached with it.
//!
//! To compare with the present, the present is made a tree in the store, by way of a copy of the
//! project's index. It is no checkpoint: nothing refers to it, and upkeep clears it away.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::error::CheckpointError;
use super::git::Git;
use super::project::Project;
use super::staging::Staged;
use super::store::CheckpointStore;

/// Where the refs of all checkpoints are.
pub(super) const REFS: &str = "refs/snapshots";
/// The most characters of a diff.
pub const MAX_DIFF_CHARS: usize = 400_000;
const SHORT_HASH: usize = 8;
const HASH_DIGITS: std::ops::RangeInclusive<usize> = 4..=64;

/// One checkpoint, as shown in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// What to restore it by. Stays the same for as long as the checkpoint exists.
    pub hash: String,
    /// The beginning of the hash.
    pub short: String,
    /// When the commit was made, to the second.
    pub time: SystemTime,
    /// What was about to happen, on one line; see [`super::MAX_REASON_CHARS`].
    pub reason: String,
    /// Files that differ from the checkpoint before it. Zero for the oldest, as are the others.
    pub files_changed: u64,
    /// Lines added since the checkpoint before it.
    pub insertions: u64,
    /// Lines removed since the checkpoint before it.
    pub deletions: u64,
}

/// A checkpoint in the store.
#[derive(Debug, Clone)]
pub(super) struct StoredCheckpoint {
    pub(super) sequence: u64,
    pub(super) commit: String,
    pub(super) tree: String,
    time: SystemTime,
    reason: String,
}

impl StoredCheckpoint {
    fn parse(line: &str) -> Option<(String, Self)> {
        let mut fields = line.splitn(5, '\0');
        let mut next = || fields.next();
        let (name, commit, tree, time, reason) = (next()?, next()?, next()?, next()?, next()?);
        let (id, sequence) = name.strip_prefix(REFS)?.strip_prefix('/')?.split_once('/')?;
        let entry = Self {
            sequence: sequence.parse().ok()?,
            commit: commit.to_owned(),
            tree: tree.to_owned(),
            time: UNIX_EPOCH + Duration::from_secs(time.parse().ok()?),
            reason: reason.to_owned(),
        };
        Some((id.to_owned(), entry))
    }

    pub(super) fn ref_name(&self, id: &str) -> String {
        ref_name(id, self.sequence)
    }

    pub(super) fn short(&self) -> &str {
        self.commit.get(..SHORT_HASH).unwrap_or(&self.commit)
    }
}

/// The name of a checkpoint's ref. Padded, so that names sort as numbers do.
pub(super) fn ref_name(id: &str, sequence: u64) -> String {
    format!("{REFS}/{id}/{sequence:010}")
}

impl CheckpointStore {
    /// The checkpoints of a directory, newest first.
    pub async fn list(&self, dir: &Path) -> Result<Vec<Checkpoint>, CheckpointError> {
        let project = Project::of(dir)?;
        let git = self.git(self.deadline());
        let entries = self.entries(&git, &project.id).await?;
        let pairs = entries.iter().zip(entries.iter().skip(1));
        let input: String =
            pairs.map(|(new, old)| format!("{} {}\n", new.commit, old.commit)).collect();
        let mut changes = HashMap::new();
        if !input.is_empty() {
            let call = git.call("diff-tree").args(["--stdin", "-r", "--shortstat"]).input(input);
            changes = parse_changes(&call.run().await?);
        }
        let checkpoint = |entry: StoredCheckpoint| {
            let Changes { files, insertions, deletions } =
                changes.get(&entry.commit).copied().unwrap_or_default();
            Checkpoint {
                short: entry.short().to_owned(),
                hash: entry.commit,
                time: entry.time,
                reason: entry.reason,
                files_changed: files,
                insertions,
                deletions,
            }
        };
        Ok(entries.into_iter().map(checkpoint).collect())
    }

    /// How a directory, or one file or folder of it, differs from a checkpoint: what was added
    /// since has a `+`. Empty if nothing was. Cut in the middle above [`MAX_DIFF_CHARS`].
    pub async fn diff(
        &self,
        dir: &Path,
        hash: &str,
        path: Option<&Path>,
    ) -> Result<String, CheckpointError> {
        let project = Project::of(dir)?;
        let path = path.map(inside).transpose()?;
        let deadline = self.deadline();
        let git = self.git(deadline);
        let then = self.find(&git, &project, hash).await?;
        let now = self.present(&git, &project, &[]).await?;
        let mut call = git
            .call("diff-tree")
            .args(["-r", "-p", "--no-color", "--no-ext-diff", "--no-textconv"])
            .args([&then.tree, &now.tree, "--"])
            .env("GIT_LITERAL_PATHSPECS", "1")
            .at_most(MAX_DIFF_CHARS);
        if let Some(path) = path {
            call = call.args([path]);
        }
        call.run().await
    }

    /// The present state of a directory, which is left as it is, and so is its index.
    pub(super) async fn present(
        &self,
        git: &Git,
        project: &Project,
        also: &[PathBuf],
    ) -> Result<Staged, CheckpointError> {
        self.placement(project).map_err(CheckpointError::Unprotected)?;
        let survey = self.survey(project).await?.map_err(CheckpointError::Unprotected)?;
        self.prepare(git.deadline).await?;
        let _held = self.locks.take(&project.id, git.deadline).await?;
        self.stage(git, project, &survey, also).await
    }

    /// All checkpoints of a project, newest first.
    pub(super) async fn entries(
        &self,
        git: &Git,
        id: &str,
    ) -> Result<Vec<StoredCheckpoint>, CheckpointError> {
        let mut entries: Vec<StoredCheckpoint> = self
            .all_entries(git, &format!("{REFS}/{id}/"))
            .await?
            .into_iter()
            .map(|(_, entry)| entry)
            .collect();
        entries.sort_by_key(|entry| std::cmp::Reverse(entry.sequence));
        Ok(entries)
    }

    /// The checkpoints under a prefix, with the ids of their projects.
    pub(super) async fn all_entries(
        &self,
        git: &Git,
        prefix: &str,
    ) -> Result<Vec<(String, StoredCheckpoint)>, CheckpointError> {
        if !self.exists() {
            return Ok(Vec::new());
        }
        let format = "--format=%(refname)%00%(objectname)%00%(tree)%00\
                      %(committerdate:unix)%00%(contents:subject)";
        let lines = git.call("for-each-ref").args([format, prefix]).run().await?;
        Ok(lines.lines().filter_map(StoredCheckpoint::parse).collect())
    }

    /// The one checkpoint of this directory whose hash begins so.
    pub(super) async fn find(
        &self,
        git: &Git,
        project: &Project,
        hash: &str,
    ) -> Result<StoredCheckpoint, CheckpointError> {
        let hash = hash.trim().to_ascii_lowercase();
        let is_hash = hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hash || !HASH_DIGITS.contains(&hash.len()) {
            return Err(CheckpointError::InvalidHash { given: hash });
        }
        let mut found = self.entries(git, &project.id).await?;
        found.retain(|entry| entry.commit.starts_with(&hash));
        match (found.pop(), found.len()) {
            (Some(entry), 0) => Ok(entry),
            (Some(_), others) => Err(CheckpointError::AmbiguousHash { hash, count: others + 1 }),
            (None, _) => {
                Err(CheckpointError::UnknownCheckpoint { hash, dir: project.workdir.clone() })
            }
        }
    }
}

/// A path that stays inside the directory it is relative to, in its plainest spelling.
pub(super) fn inside(path: &Path) -> Result<PathBuf, CheckpointError> {
    let refuse = |problem| CheckpointError::InvalidPath { path: path.to_owned(), problem };
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => plain.push(name),
            Component::CurDir => {}
            Component::ParentDir => return Err(refuse("leads out of the directory")),
            Component::RootDir | Component::Prefix(_) => return Err(refuse("is absolute")),
        }
    }
    if plain.as_os_str().is_empty() { Err(refuse("names no file")) } else { Ok(plain) }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Changes {
    files: u64,
    insertions: u64,
    deletions: u64,
}

/// Reads lines of hashes, each followed by a line of counts (or by none, if there is no change).
fn parse_changes(text: &str) -> HashMap<String, Changes> {
    let mut changes = HashMap::new();
    let mut commit = "";
    for line in text.lines().map(str::trim) {
        if !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            commit = line;
            continue;
        }
        let mut counted = Changes::default();
        for part in line.split(", ") {
            let Some((count, what)) = part.split_once(' ') else { continue };
            let Ok(count) = count.parse() else { continue };
            match what.as_bytes().first() {
                Some(b'f') => counted.files = count,
                Some(b'i') => counted.insertions = count,
                Some(b'd') => counted.deletions = count,
                _ => {}
            }
        }
        changes.insert(commit.to_owned(), counted);
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_must_stay_inside() {
        assert_eq!(inside(Path::new("./a//b/./c")).unwrap(), PathBuf::from("a/b/c"));
        for bad in ["", ".", "/etc/passwd", "../x", "a/../../x"] {
            let error = inside(Path::new(bad)).unwrap_err();
            assert!(matches!(error, CheckpointError::InvalidPath { .. }), "{bad}: {error}");
        }
    }

    #[test]
    fn reads_counts_of_changes() {
        let text = "aa11\n 3 files changed, 5 insertions(+), 1 deletion(-)\nbb22\n\
                    cc33\n 1 file changed, 2 deletions(-)\n";
        let changes = parse_changes(text);
        assert_eq!(changes["aa11"], Changes { files: 3, insertions: 5, deletions: 1 });
        assert_eq!(changes["cc33"], Changes { files: 1, insertions: 0, deletions: 2 });
        assert!(!changes.contains_key("bb22"));
    }
}
