//! `hermes checkpoints`: the state of a project before a tool changed it.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context as _;
use clap::Subcommand;
use hermes_files::checkpoints::{
    CheckpointSettings, CheckpointStore, Upkeep, UpkeepTrigger, project_root,
};
use hermes_guard::redact::redact_file;
use hermes_host::{Host, UsageError};
use hermes_skills::report::{ReportPart, ReportTable, VerbReport, VerbStatus};
use serde_json::{Value, json};

/// What can be done with the states that were saved.
#[derive(Debug, Subcommand)]
pub enum CheckpointsVerb {
    /// List the checkpoints of a project, newest first
    #[command(visible_alias = "ls")]
    List {
        /// The project; the one of the current directory by default
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Show what changed since a checkpoint
    Show {
        /// The checkpoint, as listed
        hash: String,
        /// Only this file, relative to the project
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        /// The project; the one of the current directory by default
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
    /// Go back to a checkpoint: shows the difference, asks, and saves the present state first
    Restore {
        /// The checkpoint, as listed
        hash: String,
        /// Only this file, relative to the project
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        /// The project; the one of the current directory by default
        #[arg(long, value_name = "DIR")]
        dir: Option<PathBuf>,
        /// Do not ask
        #[arg(long, short)]
        yes: bool,
    },
    /// Remove checkpoints that are too old, too many or of projects that are gone
    Prune,
    /// Say how many checkpoints there are and how much room they take
    Status {
        /// Print JSON for programs
        #[arg(long)]
        json: bool,
    },
}

/// Who agrees to a restoration.
pub trait RestoreFront {
    /// Shows what would be done, or what would change, before the question.
    ///
    /// # Errors
    /// If nobody reads any more.
    fn show(&mut self, report: VerbReport) -> anyhow::Result<()>;

    /// Whether somebody is there to be asked.
    fn is_attended(&self) -> bool;

    /// Asks; anything but a clear yes is a no.
    fn agrees(&mut self, question: &str) -> bool;
}

impl CheckpointsVerb {
    /// Does it. `front` is shown and asked what a restoration would do; its answer is not needed for anything else.
    ///
    /// # Errors
    /// A [`UsageError`] for a project that is not there; else what went wrong with the checkpoints.
    pub async fn run(
        &self,
        host: &Host,
        front: &mut dyn RestoreFront,
    ) -> anyhow::Result<VerbReport> {
        let settings = CheckpointSettings::from_config(host.config().value(), host.vars());
        let is_enabled = settings.enabled;
        let store = CheckpointStore::open(&host.home().checkpoints(), settings);
        match self {
            Self::List { dir, json } => {
                list(&store, &project(dir.as_deref())?, is_enabled, *json).await
            }
            Self::Show { hash, file, dir, json } => {
                let diff = store.diff(&project(dir.as_deref())?, hash, file.as_deref()).await?;
                Ok(difference(&redact_file(&diff), hash, *json))
            }
            Self::Restore { hash, file, dir, yes } => {
                let project = project(dir.as_deref())?;
                let front = (!yes).then_some(front);
                restore(&store, &project, hash, file.as_deref(), front).await
            }
            Self::Prune => prune(&store).await,
            Self::Status { json } => status(&store, is_enabled, *json).await,
        }
    }
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
) -> anyhow::Result<VerbReport> {
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
        return Ok(VerbReport::json(&rows));
    }
    if checkpoints.is_empty() {
        let off = "checkpoints are off; `hermes config set checkpoints.enabled true` turns them on";
        return Ok(VerbReport::ended(VerbStatus::Done)
            .noted([format!("there are no checkpoints of {}", project.display())])
            .noted((!is_enabled).then_some(off)));
    }
    let mut table =
        ReportTable::new(["checkpoint", "taken", "files", "+", "-", "reason"]).minor(&[1]);
    table.numbers = vec![2, 3, 4];
    for checkpoint in &checkpoints {
        table.row([
            checkpoint.short.clone(),
            when(checkpoint.time),
            checkpoint.files_changed.to_string(),
            checkpoint.insertions.to_string(),
            checkpoint.deletions.to_string(),
            checkpoint.reason.clone(),
        ]);
    }
    let all = format!("{} checkpoints of {}", checkpoints.len(), project.display());
    Ok(VerbReport::table(table).noted([all]))
}

fn difference(diff: &str, hash: &str, as_json: bool) -> VerbReport {
    if as_json {
        return VerbReport::json(&json!({"hash": hash, "diff": diff}));
    }
    let report = VerbReport::ended(VerbStatus::Done);
    match diff.trim().is_empty() {
        true => report.noted(["nothing has changed since"]),
        false => report.with(ReportPart::Diff(diff.to_owned())),
    }
}

/// Goes back, without a question where nobody is given to ask.
async fn restore(
    store: &CheckpointStore,
    project: &Path,
    hash: &str,
    file: Option<&Path>,
    front: Option<&mut dyn RestoreFront>,
) -> anyhow::Result<VerbReport> {
    let plan = store.restore_plan(project, hash, file).await?;
    if plan.restored.is_empty() && plan.removed.is_empty() {
        return Ok(VerbReport::ended(VerbStatus::Done)
            .noted(["nothing has changed since; there is nothing to restore"]));
    }
    let restored = plan.restored.iter().map(|path| format!("restore {}", path.display()));
    let removed = plan.removed.iter().map(|path| format!("remove  {}", path.display()));
    let mut report = VerbReport::text(restored.chain(removed).collect::<Vec<_>>().join("\n"));
    if let Some(front) = front {
        front.show(report)?;
        report = VerbReport::ended(VerbStatus::Done);
        if !front.is_attended() {
            anyhow::bail!("nothing was changed: nobody is there to ask; pass --yes to go ahead");
        }
        let diff = store.diff(project, hash, file).await?;
        front.show(difference(&redact_file(&diff), hash, false))?;
        if !front.agrees("Go back to this state? [y/N] ") {
            return Ok(VerbReport::ended(VerbStatus::Failed).noted(["nothing was changed"]));
        }
    }
    let done = store.restore(project, hash, file).await?;
    Ok(report.with(ReportPart::Text(format!(
        "{} restored, {} removed; the state before is checkpoint {}",
        done.restored.len(),
        done.removed.len(),
        done.pre_rollback.get(..8).unwrap_or(&done.pre_rollback)
    ))))
}

async fn prune(store: &CheckpointStore) -> anyhow::Result<VerbReport> {
    match store.upkeep(UpkeepTrigger::Now).await? {
        Upkeep::Done(report) => Ok(VerbReport::text(format!(
            "{} projects that are gone, {} unused for long, {} old archives and {} checkpoints over \
             the size limit removed",
            report.orphans, report.expired, report.legacy, report.trimmed
        ))),
        Upkeep::NotDue => Ok(VerbReport::text("nothing to do")),
        Upkeep::Busy => anyhow::bail!("another process is pruning; try again later"),
    }
}

async fn status(
    store: &CheckpointStore,
    is_enabled: bool,
    as_json: bool,
) -> anyhow::Result<VerbReport> {
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
        return Ok(VerbReport::json(&json!({
            "enabled": is_enabled, "directory": status.directory, "bytes": status.bytes,
            "checkpoints": status.snapshots, "projects": projects,
            "legacy_archives": status.legacy_archives,
        })));
    }
    let state = if is_enabled { "on" } else { "off (checkpoints.enabled)" };
    Ok(VerbReport::text(format!(
        "checkpoints are {state}\n{} checkpoints of {} projects in {}, {} bytes",
        status.snapshots,
        status.projects.len(),
        status.directory.display(),
        status.bytes
    )))
}
