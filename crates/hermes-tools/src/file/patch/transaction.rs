//! Carrying out a patch, all or nothing.
//!
//! Before a file is replaced or removed it is kept beside its place. When a step fails, the kept files
//! go back, newest first, with mode, owner and time; when all are done, they are let go. What the
//! process remembers about files changes only when the whole patch is done.

use std::path::{Path, PathBuf};

use hermes_files::fs::{FsError, Stamp};
use hermes_files::v4a::{PatchEffect, PatchPlan};
use hermes_tool::ToolError;

use super::super::workspace::{Workspace, gate_text};
use super::files::PatchFiles;

/// What takes back one step.
enum Undo {
    PutBack { kept: PathBuf, path: PathBuf },
    Remove { path: PathBuf },
    MoveBack { from: PathBuf, to: PathBuf },
}

/// What was done, for the memory of the process.
enum Done {
    Wrote { path: PathBuf, stamp: Stamp, text: Option<String> },
    Removed { path: PathBuf },
}

struct Transaction<'a> {
    workspace: &'a Workspace,
    files: &'a PatchFiles,
    undo: Vec<Undo>,
    done: Vec<Done>,
}

/// Carries out the effects; a failure takes back everything done before it.
pub(super) async fn carry_out(
    workspace: &Workspace,
    files: &PatchFiles,
    plan: &PatchPlan,
) -> Result<(), ToolError> {
    let mut transaction = Transaction { workspace, files, undo: Vec::new(), done: Vec::new() };
    for effect in &plan.effects {
        if let Err(error) = transaction.step(effect).await {
            let message = match transaction.roll_back().await {
                Ok(()) => format!("No file was changed: {error}"),
                Err(lost) => format!(
                    "The patch failed ({error}) and could not be taken back completely ({lost}); \
                     look at the files before going on"
                ),
            };
            return Err(ToolError::answer(message)
                .with("success", false)
                .with("error_type", error.kind()));
        }
    }
    transaction.finish().await;
    Ok(())
}

impl Transaction<'_> {
    async fn step(&mut self, effect: &PatchEffect) -> Result<(), FsError> {
        let files = &self.workspace.files;
        match effect {
            PatchEffect::Move { from, to } => {
                let stamp = self.files.stamp(from);
                let text = self.files.original(from).and_then(|content| gate_text(content));
                let (from, to) = (self.files.canonical(from), self.files.canonical(to));
                files.rename(from.clone(), to.clone()).await?;
                self.done.push(Done::Removed { path: from.clone() });
                self.done.extend(stamp.map(|stamp| Done::Wrote { path: to.clone(), stamp, text }));
                self.undo.push(Undo::MoveBack { from, to });
            }
            PatchEffect::Delete { path } => {
                let path = self.files.canonical(path);
                self.keep(&path).await?;
                files.remove(path.clone()).await?;
                self.done.push(Done::Removed { path });
            }
            PatchEffect::Write { path, before, after } => {
                let path = self.files.canonical(path);
                if before.is_some() {
                    self.keep(&path).await?;
                }
                let written = files.write(path.clone(), after.clone()).await?;
                if before.is_none() {
                    self.undo.push(Undo::Remove { path: path.clone() });
                }
                let text = gate_text(after);
                self.done.push(Done::Wrote { path, stamp: written.stamp, text });
            }
        }
        Ok(())
    }

    async fn keep(&mut self, path: &Path) -> Result<(), FsError> {
        let kept = self.workspace.files.keep(path.to_owned()).await?;
        self.undo.push(Undo::PutBack { kept, path: path.to_owned() });
        Ok(())
    }

    async fn roll_back(self) -> Result<(), FsError> {
        let files = &self.workspace.files;
        let mut outcome = Ok(());
        for step in self.undo.into_iter().rev() {
            let undone = match step {
                Undo::PutBack { kept, path } => files.put_back(kept, path).await,
                Undo::Remove { path } => files.remove(path).await,
                Undo::MoveBack { from, to } => files.rename(to, from).await,
            };
            outcome = outcome.and(undone);
        }
        outcome
    }

    async fn finish(self) {
        for step in self.undo {
            if let Undo::PutBack { kept, .. } = step
                && let Err(problem) = self.workspace.files.remove(kept).await
            {
                tracing::warn!(%problem, "a kept file stays behind");
            }
        }
        let workspace = self.workspace;
        for step in self.done {
            match step {
                Done::Wrote { path, stamp, text } => workspace.wrote(&path, stamp, text),
                Done::Removed { path } => workspace.state.after_remove(&workspace.task, &path),
            }
        }
    }
}
