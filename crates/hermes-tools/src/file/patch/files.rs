//! The files of a patch: what is there, seen once before anything is planned.

use std::collections::HashMap;
use std::path::PathBuf;

use hermes_files::fs::{FileKind, FsError, Stamp};
use hermes_files::state::WriteExtent;
use hermes_files::v4a::{PatchPlan, PatchWorkspace, PathNeed, PathState};
use hermes_guard::redact::Redactor;
use hermes_tool::ToolError;

use super::super::changing::MAX_CHANGED_BYTES;
use super::super::syntax;
use super::super::workspace::{Target, Workspace};

/// The files of a patch as they were when it was read.
#[derive(Default)]
pub(super) struct PatchFiles {
    pub(super) targets: HashMap<String, Target>,
    pub(super) contents: HashMap<String, PathState>,
    pub(super) redactor: Redactor,
}

impl PatchFiles {
    /// Reads what is there.
    pub(super) async fn look(&mut self, workspace: &Workspace) -> Result<(), ToolError> {
        for (path, target) in &self.targets {
            let state = match target.kind() {
                None => PathState::Missing,
                Some(FileKind::File) => {
                    match workspace
                        .files
                        .read(target.canonical().to_owned(), MAX_CHANGED_BYTES)
                        .await
                    {
                        Ok((content, _)) => PathState::Text(content),
                        Err(FsError::NotFound(_)) => PathState::Missing,
                        Err(error) => PathState::Unreadable(error.to_string()),
                    }
                }
                Some(kind) => PathState::NotRegular(kind.name().to_owned()),
            };
            self.contents.insert(path.clone(), state);
        }
        Ok(())
    }

    pub(super) fn canonical(&self, path: &str) -> PathBuf {
        self.targets.get(path).map_or_else(|| path.into(), |target| target.canonical().to_owned())
    }

    /// The state a file had when the patch was planned.
    pub(super) fn stamp(&self, path: &str) -> Option<Stamp> {
        self.targets.get(path)?.resolved.stat.map(|stat| stat.stamp)
    }

    pub(super) fn original(&self, path: &str) -> Option<&Vec<u8>> {
        match self.contents.get(path) {
            Some(PathState::Text(content)) => Some(content),
            _ => None,
        }
    }

    pub(super) fn stale(&self, workspace: &Workspace, plan: &PatchPlan) -> Option<String> {
        let warnings: Vec<String> = plan
            .files
            .iter()
            .filter_map(|file| self.targets.get(&file.path))
            .flat_map(|target| {
                let stamp = target.resolved.stat.map(|stat| stat.stamp);
                let stale = workspace.stale(target.canonical(), stamp, WriteExtent::Quoted);
                stale.into_iter().chain(target.outside.clone())
            })
            .collect();
        (!warnings.is_empty()).then(|| warnings.join(" | "))
    }
}

impl PatchWorkspace for PatchFiles {
    fn state(&self, path: &str, need: PathNeed) -> PathState {
        match (self.contents.get(path).cloned().unwrap_or(PathState::Missing), need) {
            (PathState::Text(_) | PathState::Unreadable(_), PathNeed::Existence) => {
                PathState::Present
            }
            (state, _) => state,
        }
    }

    fn identity(&self, path: &str) -> String {
        self.canonical(path).display().to_string()
    }

    fn gate(&self, path: &str, before: Option<&[u8]>, after: &[u8]) -> Option<String> {
        syntax::objection(&self.canonical(path), before, after)
    }
}
