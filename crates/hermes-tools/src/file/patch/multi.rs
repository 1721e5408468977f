//! A patch over several files: reading it, looking at the files, planning, answering.
//!
//! All paths are checked and locked before the first file is read. The plan is made on copies in memory
//! and lists every problem it meets; only a plan without any is carried out, by `transaction`.

use std::path::PathBuf;

use hermes_files::edit::{render_near_misses, unified_diff};
use hermes_files::v4a::{
    ChangeKind, PatchEffect, PatchPlan, PatchProblem, ProblemKind, parse, plan,
};
use hermes_guard::redact::RedactMode;
use hermes_tool::{ToolError, ToolOutput, ToolResult};
use serde_json::{Map, Value, json};

use super::super::changing::{CrossProfile, may_change};
use super::super::syntax;
use super::super::workspace::Workspace;
use super::files::PatchFiles;
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
    let mut files = PatchFiles { redactor: workspace.redactor, ..PatchFiles::default() };
    for path in patch.paths() {
        let target = workspace.target(path).await?;
        may_change(workspace, &target, cross_profile).await?;
        files.targets.insert(path.to_owned(), target);
    }
    let paths: Vec<PathBuf> =
        files.targets.values().map(|target| target.canonical().to_owned()).collect();
    let _alone = workspace.state.lock(paths).await;
    files.look(workspace).await?;
    // Matching and syntax checks may take a while; they do not belong on an async worker.
    let (files, planned) = tokio::task::spawn_blocking(move || {
        let planned = plan(&patch, &files);
        (files, planned)
    })
    .await
    .map_err(|gone| ToolError::failure("Planning", gone.to_string()))?;
    let plan = planned.map_err(|problems| refused(&problems, workspace))?;
    let stale = files.stale(workspace, &plan);
    let touched: Vec<PathBuf> = plan.files.iter().map(|file| files.canonical(&file.path)).collect();
    workspace.checkpoint(&touched, "before patch").await;
    carry_out(workspace, &files, &plan).await?;
    let mut lints = Map::new();
    for effect in &plan.effects {
        if let PatchEffect::Write { path, before, after } = effect {
            let report =
                syntax::report_async(&files.canonical(path), before.as_deref(), after).await;
            lints.insert(path.clone(), report);
        }
    }
    answer(&files, &plan, lints, stale)
}

/// Every problem of a patch, and where the lines that were not found may have been meant.
fn refused(problems: &[PatchProblem], workspace: &Workspace) -> ToolError {
    let mut message = "No file was changed:".to_owned();
    for problem in problems {
        message += &format!("\n{problem}");
    }
    let misses = problems.iter().filter_map(|problem| match &problem.kind {
        ProblemKind::NotFound { closest, .. } if !closest.is_empty() => Some((problem, closest)),
        _ => None,
    });
    for (problem, closest) in misses.take(MAX_PLACED_PROBLEMS) {
        let PatchProblem { path, patch_line, .. } = problem;
        message +=
            &format!("\n\n{path} (patch line {patch_line}): {}", render_near_misses(closest));
    }
    ToolError::answer(workspace.redacted(&message)).with("success", false)
}

fn answer(
    files: &PatchFiles,
    plan: &PatchPlan,
    lints: Map<String, Value>,
    stale: Option<String>,
) -> ToolResult {
    let mut diff = String::new();
    for effect in &plan.effects {
        match effect {
            PatchEffect::Write { path, before, after } => {
                diff += &unified_diff(before.as_deref().unwrap_or_default(), after, path);
            }
            PatchEffect::Move { from, to } => {
                diff += &format!("rename from {from}\nrename to {to}\n");
            }
            PatchEffect::Delete { path } => {
                let before = files.original(path).map(Vec::as_slice).unwrap_or_default();
                diff += &unified_diff(before, b"", path);
            }
        }
    }
    let absolute = |path: &str| files.canonical(path).display().to_string();
    let mut modified: Vec<String> = plan.modified().map(absolute).collect();
    let moved: Vec<Value> = plan
        .files
        .iter()
        .filter_map(|file| match &file.change {
            ChangeKind::Moved { from, .. } => {
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
    fields.insert(
        "diff".into(),
        files.redactor.redact(&diff, RedactMode::FileRead).into_owned().into(),
    );
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
