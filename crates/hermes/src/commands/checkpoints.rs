//! `hermes checkpoints`: the state of a project before a tool changed it.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;
use hermes_files::checkpoints::{
    CheckpointSettings, CheckpointStore, Upkeep, UpkeepTrigger, project_root,
};
use hermes_guard::redact::redact_file;
use hermes_tui::line_prompt::{answer, is_interactive};
use owo_colors::OwoColorize;
use serde_json::{Value, json};

use crate::args::CheckpointsCommand;
use crate::exit::{Exit, UsageError};
use crate::host::{self, Host};
use crate::ui::{Cell, Table, Ui};
use crate::workers::block_on;

/// Runs one of the subcommands.
pub(crate) fn run(command: &CheckpointsCommand, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host::warn_about_files(host, ui)?;
    let settings = CheckpointSettings::from_config(host.config().value(), host.vars());
    let is_enabled = settings.enabled;
    let store = CheckpointStore::open(&host.home().checkpoints(), settings);
    block_on(async {
        match command {
            CheckpointsCommand::List { dir, json } => {
                list(&store, &project(dir.as_deref())?, is_enabled, *json, ui).await
            }
            CheckpointsCommand::Show { hash, file, dir } => {
                let project = project(dir.as_deref())?;
                show(&store, &project, hash, file.as_deref(), ui).await
            }
            CheckpointsCommand::Restore { hash, file, dir, yes } => {
                let project = project(dir.as_deref())?;
                let consent = if *yes { Consent::Given } else { Consent::Ask };
                restore(&store, &project, hash, file.as_deref(), consent, ui).await
            }
            CheckpointsCommand::Prune => prune(&store, ui).await,
            CheckpointsCommand::Status { json } => status(&store, is_enabled, *json, ui).await,
        }
    })
}

/// Whether the user has agreed already.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Consent {
    Given,
    Ask,
}

/// The project somebody means: the one given, or the one the current directory is in.
fn project(dir: Option<&Path>) -> anyhow::Result<PathBuf> {
    let here = match dir {
        Some(dir) => dir.to_owned(),
        None => std::env::current_dir().context("find the current directory")?,
    };
    let here = here
        .canonicalize()
        .map_err(|problem| UsageError::new(format!("{}: {problem}", here.display())))?;
    // The rule asks about a file; any name inside the directory will do.
    Ok(project_root(&here.join("file")))
}

fn when(time: SystemTime) -> String {
    jiff::Timestamp::try_from(time)
        .map(|time| time.to_zoned(jiff::tz::TimeZone::system()).strftime("%F %T").to_string())
        .unwrap_or_default()
}

async fn list(
    store: &CheckpointStore,
    project: &Path,
    is_enabled: bool,
    as_json: bool,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let checkpoints = store.list(project).await?;
    if as_json {
        let rows: Vec<Value> = checkpoints
            .iter()
            .map(|checkpoint| {
                json!({
                    "hash": checkpoint.hash, "short": checkpoint.short,
                    "time": when(checkpoint.time), "reason": checkpoint.reason,
                    "files_changed": checkpoint.files_changed,
                    "insertions": checkpoint.insertions, "deletions": checkpoint.deletions,
                })
            })
            .collect();
        ui.json(&rows)?;
        return Ok(Exit::Done);
    }
    if checkpoints.is_empty() {
        ui.note(format_args!("there are no checkpoints of {}", project.display()))?;
        if !is_enabled {
            ui.note(
                "checkpoints are off; `hermes config set checkpoints.enabled true` turns them on",
            )?;
        }
        return Ok(Exit::Done);
    }
    let mut table =
        Table::new(["checkpoint", "taken", "files", "+", "-", "reason"]).right(&[2, 3, 4]);
    for checkpoint in &checkpoints {
        table.row([
            checkpoint.short.as_str().into(),
            Cell::dim(when(checkpoint.time)),
            checkpoint.files_changed.to_string().into(),
            checkpoint.insertions.to_string().into(),
            checkpoint.deletions.to_string().into(),
            checkpoint.reason.as_str().into(),
        ]);
    }
    ui.table(&table)?;
    ui.note(format_args!("{} checkpoints of {}", checkpoints.len(), project.display()))?;
    Ok(Exit::Done)
}

async fn show(
    store: &CheckpointStore,
    project: &Path,
    hash: &str,
    file: Option<&Path>,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let diff = store.diff(project, hash, file).await?;
    if diff.trim().is_empty() {
        ui.note("nothing has changed since")?;
        return Ok(Exit::Done);
    }
    for line in redact_file(&diff).lines() {
        match line.as_bytes().first() {
            Some(b'+') => ui.line(line.green())?,
            Some(b'-') => ui.line(line.red())?,
            _ => ui.line(line)?,
        }
    }
    Ok(Exit::Done)
}

async fn restore(
    store: &CheckpointStore,
    project: &Path,
    hash: &str,
    file: Option<&Path>,
    consent: Consent,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let plan = store.restore_plan(project, hash, file).await?;
    if plan.restored.is_empty() && plan.removed.is_empty() {
        ui.note("nothing has changed since; there is nothing to restore")?;
        return Ok(Exit::Done);
    }
    for path in &plan.restored {
        ui.line(format_args!("restore {}", path.display()))?;
    }
    for path in &plan.removed {
        ui.line(format_args!("remove  {}", path.display()))?;
    }
    if consent == Consent::Ask {
        if !is_interactive() {
            anyhow::bail!("nothing was changed: nobody is there to ask; pass --yes to go ahead");
        }
        show(store, project, hash, file, ui).await?;
        if !matches!(answer("Go back to this state? [y/N] ").as_deref(), Some("y" | "yes")) {
            ui.note("nothing was changed")?;
            return Ok(Exit::Failed);
        }
    }
    let report = store.restore(project, hash, file).await?;
    ui.line(format_args!(
        "{} restored, {} removed; the state before is checkpoint {}",
        report.restored.len(),
        report.removed.len(),
        report.pre_rollback.get(..8).unwrap_or(&report.pre_rollback)
    ))?;
    Ok(Exit::Done)
}

async fn prune(store: &CheckpointStore, ui: &mut Ui) -> anyhow::Result<Exit> {
    match store.upkeep(UpkeepTrigger::Now).await? {
        Upkeep::Done(report) => ui.line(format_args!(
            "{} projects that are gone, {} unused for long, {} old archives and {} checkpoints over \
             the size limit removed",
            report.orphans, report.expired, report.legacy, report.trimmed
        ))?,
        Upkeep::NotDue => ui.line("nothing to do")?,
        Upkeep::Busy => anyhow::bail!("another process is pruning; try again later"),
    }
    Ok(Exit::Done)
}

async fn status(
    store: &CheckpointStore,
    is_enabled: bool,
    as_json: bool,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let status = store.status().await?;
    if as_json {
        let projects: Vec<Value> = status
            .projects
            .iter()
            .map(|project| {
                json!({"directory": project.workdir, "exists": project.exists,
                       "checkpoints": project.snapshots, "last_touch": when(project.last_touch)})
            })
            .collect();
        ui.json(&json!({
            "enabled": is_enabled, "directory": status.directory, "bytes": status.bytes,
            "checkpoints": status.snapshots, "projects": projects,
            "legacy_archives": status.legacy_archives,
        }))?;
        return Ok(Exit::Done);
    }
    let state = if is_enabled { "on" } else { "off (checkpoints.enabled)" };
    ui.line(format_args!("checkpoints are {state}"))?;
    ui.line(format_args!(
        "{} checkpoints of {} projects in {}, {} bytes",
        status.snapshots,
        status.projects.len(),
        status.directory.display(),
        status.bytes
    ))?;
    Ok(Exit::Done)
}
