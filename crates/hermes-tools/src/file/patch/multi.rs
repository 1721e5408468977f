//! A patch over several files: reading it, looking at the files, planning, answering.
//!
//! All paths are checked and locked before the first file is read. The plan is made on copies in memory
//! and lists every problem it meets; only a plan without any is carried out, by `transaction`.

use std::collections::HashMap;
use std::path::PathBuf;

use hermes_files::edit::{render_places, unified_diff};
use hermes_files::fs::{FileKind, FsError, Stamp};
use hermes_files::lint;
use hermes_files::state::Extent;
use hermes_files::v4a::{
    Change, Effect, FileState, Need, Plan, Problem, ProblemKind, Workspace as PatchWorld, parse,
    plan,
};
use hermes_guard::redact::redact_file;
use hermes_tool::{ToolError, ToolOutput, ToolResult};
use serde_json::{Map, Value, json};

use super::super::changing::{CrossProfile, MAX_CHANGED_BYTES, may_change, quoted, syntax};
use super::super::workspace::{Target, Workspace};
use super::transaction::carry_out;

/// Problems for which the closest places are shown; more would bury the list.
const MAX_PLACED_PROBLEMS: usize = 3;

pub(super) async fn apply(
    workspace: &Workspace,
    text: &str,
    cross_profile: CrossProfile,
) -> ToolResult {
    let patch = parse(text).map_err(|problem| {
        ToolError::answer(format!("The patch cannot be read: {problem}")).with("success", false)
    })?;
    let mut world = World::default();
    for path in patch.paths() {
        let target = workspace.target(path).await?;
        may_change(workspace, &target, cross_profile)?;
        world.targets.insert(path.to_owned(), target);
    }
    let paths: Vec<PathBuf> =
        world.targets.values().map(|target| target.canonical().to_owned()).collect();
    let _alone = workspace.state.lock(paths).await;
    world.look(workspace).await?;
    // Matching and syntax checks may take a while; they do not belong on an async worker.
    let (world, planned) = tokio::task::spawn_blocking(move || {
        let planned = plan(&patch, &world);
        (world, planned)
    })
    .await
    .map_err(|gone| ToolError::failure("Planning", gone.to_string()))?;
    let plan = planned.map_err(|problems| refused(&problems))?;
    let stale = world.stale(workspace, &plan);
    let touched: Vec<PathBuf> = plan.files.iter().map(|file| world.canonical(&file.path)).collect();
    workspace.checkpoint(&touched, "before patch").await;
    carry_out(workspace, &world, &plan).await?;
    let mut lints = Map::new();
    for effect in &plan.effects {
        if let Effect::Write { path, before, after } = effect {
            let report = syntax(&world.canonical(path), before.as_deref(), after).await;
            lints.insert(path.clone(), report);
        }
    }
    answer(&world, &plan, lints, stale)
}

/// Every problem of a patch, and where the lines that were not found may have been meant.
fn refused(problems: &[Problem]) -> ToolError {
    let mut message = "No file was changed:".to_owned();
    for problem in problems {
        message += &format!("\n{problem}");
    }
    let misses = problems.iter().filter_map(|problem| match &problem.kind {
        ProblemKind::NotFound { closest, .. } if !closest.is_empty() => Some((problem, closest)),
        _ => None,
    });
    for (problem, closest) in misses.take(MAX_PLACED_PROBLEMS) {
        let Problem { path, patch_line, .. } = problem;
        message += &format!("\n\n{path} (patch line {patch_line}): {}", render_places(closest));
    }
    ToolError::answer(redact_file(&message)).with("success", false)
}

/// The files of a patch as they were when it was read.
#[derive(Default)]
pub(super) struct World {
    targets: HashMap<String, Target>,
    contents: HashMap<String, FileState>,
}

impl World {
    async fn look(&mut self, workspace: &Workspace) -> Result<(), ToolError> {
        for (path, target) in &self.targets {
            let state = match target.kind() {
                None => FileState::Missing,
                Some(FileKind::File) => {
                    match workspace
                        .files
                        .read(target.canonical().to_owned(), MAX_CHANGED_BYTES)
                        .await
                    {
                        Ok((content, _)) => FileState::Text(content),
                        Err(FsError::NotFound(_)) => FileState::Missing,
                        Err(error) => FileState::Unreadable(error.to_string()),
                    }
                }
                Some(kind) => FileState::NotRegular(kind.name().to_owned()),
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

    fn original(&self, path: &str) -> Option<&Vec<u8>> {
        match self.contents.get(path) {
            Some(FileState::Text(content)) => Some(content),
            _ => None,
        }
    }

    fn stale(&self, workspace: &Workspace, plan: &Plan) -> Option<String> {
        let warnings: Vec<String> = plan
            .files
            .iter()
            .filter_map(|file| self.targets.get(&file.path))
            .flat_map(|target| {
                let stamp = target.resolved.stat.map(|stat| stat.stamp);
                let stale = workspace.stale(target.canonical(), stamp, Extent::Quoted);
                stale.into_iter().chain(target.outside.clone())
            })
            .collect();
        (!warnings.is_empty()).then(|| warnings.join(" | "))
    }
}

impl PatchWorld for World {
    fn state(&self, path: &str, need: Need) -> FileState {
        match (self.contents.get(path).cloned().unwrap_or(FileState::Missing), need) {
            (FileState::Text(_) | FileState::Unreadable(_), Need::Existence) => FileState::Present,
            (state, _) => state,
        }
    }

    fn identity(&self, path: &str) -> String {
        self.canonical(path).display().to_string()
    }

    fn gate(&self, path: &str, before: Option<&[u8]>, after: &[u8]) -> Option<String> {
        lint::gate(&self.canonical(path), before, after).map(|problem| quoted(&problem))
    }
}

fn answer(
    world: &World,
    plan: &Plan,
    lints: Map<String, Value>,
    stale: Option<String>,
) -> ToolResult {
    let mut diff = String::new();
    for effect in &plan.effects {
        match effect {
            Effect::Write { path, before, after } => {
                diff += &unified_diff(before.as_deref().unwrap_or_default(), after, path);
            }
            Effect::Move { from, to } => diff += &format!("rename from {from}\nrename to {to}\n"),
            Effect::Delete { path } => {
                let before = world.original(path).map(Vec::as_slice).unwrap_or_default();
                diff += &unified_diff(before, b"", path);
            }
        }
    }
    let absolute = |path: &str| world.canonical(path).display().to_string();
    let mut modified: Vec<String> = plan.modified().map(absolute).collect();
    let moved: Vec<Value> = plan
        .files
        .iter()
        .filter_map(|file| match &file.change {
            Change::Moved { from, .. } => {
                Some(json!({"from": absolute(from), "to": absolute(&file.path)}))
            }
            _ => None,
        })
        .collect();
    modified.sort();
    let strategies: Map<String, Value> = plan
        .files
        .iter()
        .filter(|file| !file.hunks.is_empty())
        .map(|file| {
            let names: Vec<&str> = file
                .hunks
                .iter()
                .filter_map(|hunk| hunk.strategy)
                .map(|strategy| strategy.name())
                .collect();
            (file.path.clone(), json!(names))
        })
        .collect();
    let mut fields = Map::new();
    fields.insert("success".into(), true.into());
    fields.insert("diff".into(), redact_file(&diff).into_owned().into());
    if plan.files.len() == 1 {
        fields.insert("resolved_path".into(), absolute(&plan.files[0].path).into());
    }
    fields.insert("files_modified".into(), modified.into());
    fields.insert("files_created".into(), plan.created().map(absolute).collect());
    fields.insert("files_deleted".into(), plan.deleted().map(absolute).collect());
    if !moved.is_empty() {
        fields.insert("files_moved".into(), moved.into());
    }
    fields.insert("match_strategy".into(), strategies.into());
    fields.insert("lint".into(), lints.into());
    if let Some(warning) = stale {
        fields.insert("_warning".into(), warning.into());
    }
    ToolOutput::json(&Value::Object(fields))
}
