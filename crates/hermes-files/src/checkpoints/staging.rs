//! The present state of a project as a tree in the store.
//!
//! Git is asked to bring a *copy* of the project's index up to date: the index itself is replaced only
//! by whoever keeps the result, after everything else is done.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::error::CheckpointError;
use super::git::Git;
use super::project::Project;
use super::store::CheckpointStore;
use super::survey::ProjectSurvey;

/// The present state of a project, as a tree in the store and the index it was made with.
pub(super) struct Staged {
    pub(super) tree: String,
    pub(super) index: TempPath,
}

impl CheckpointStore {
    /// Brings a copy of the project's index up to date, and makes a tree of it.
    pub(super) async fn stage(
        &self,
        git: &Git,
        project: &Project,
        survey: &ProjectSurvey,
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
        survey: &ProjectSurvey,
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

/// A pathspec, with its final NUL, that means exactly this path.
fn literally(magic: &str, path: &Path) -> Vec<u8> {
    let path: &OsStr = path.as_os_str();
    [format!(":({magic}literal)").as_bytes(), path.as_bytes(), b"\0"].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

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
}
