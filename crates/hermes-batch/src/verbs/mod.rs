//! The verbs of `hermes batch`: what each does, and what it has to say.

mod args;
mod compress;
mod front;
mod gc;
mod import;
mod look;
mod place;
mod start;
mod watch;

use std::path::{Path, PathBuf};

use hermes_host::Host;
use hermes_skills::report::{VerbReport, VerbStatus};
use hermes_tool::settings::Settings as _;

pub(crate) use args::parse_time;
pub use args::{
    BatchVerb, CompressArgs, JobEngine, PlaceArgs, ResumeArgs, RunArgs, RunName, RunnerKind,
    StartArgs,
};
pub use front::{StreamFront, stopped_by_signals};

use crate::BatchError;
use crate::run::{RunControl, RunFront};
use crate::settings::BatchSettings;
use crate::store::RunFolder;

/// How a verb ended, for the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchEnd {
    /// Everything was done; every task has a record.
    Done,
    /// Some tasks failed for good, or the verb did.
    Failed,
    /// The words make no sense.
    Usage,
    /// No line is a row.
    NoValidRow,
    /// Stopped early; it can be resumed.
    Stopped,
    /// Somebody else works on the run.
    Locked,
    /// Interrupted twice.
    Interrupted,
}

impl BatchEnd {
    /// The same as verbs of other kinds say it. The exit codes agree but for the last two, which those do not have.
    #[must_use]
    pub fn status(self) -> VerbStatus {
        match self {
            Self::Done => VerbStatus::Done,
            Self::Usage => VerbStatus::Usage,
            Self::NoValidRow => VerbStatus::Partly,
            Self::Stopped => VerbStatus::Blocked,
            Self::Failed | Self::Locked | Self::Interrupted => VerbStatus::Failed,
        }
    }

    /// The end that an error means.
    #[must_use]
    pub fn of_error(error: &BatchError) -> Self {
        match error {
            BatchError::Usage(_) => Self::Usage,
            BatchError::NoValidRow(_) => Self::NoValidRow,
            BatchError::Locked { .. } => Self::Locked,
            BatchError::Host(error) if error.is_mistaken_request() => Self::Usage,
            _ => Self::Failed,
        }
    }
}

/// What a verb has to say, and how it ended.
#[derive(Debug)]
pub struct BatchReport {
    /// For whoever prints it.
    pub said: VerbReport,
    /// For the exit code.
    pub end: BatchEnd,
}

impl BatchReport {
    fn done(said: VerbReport) -> Self {
        Self { said, end: BatchEnd::Done }
    }
}

/// Does what a verb says, tells the way on the streams of this process and heeds its signals. What cannot be done is
/// a report, too.
///
/// # Errors
/// If signals cannot be listened for.
pub async fn run_here(host: &Host, verb: &BatchVerb) -> std::io::Result<BatchReport> {
    let (front, control) = (StreamFront::of(verb), stopped_by_signals()?);
    let done = run(host, verb, &front, &control).await;
    front.clear();
    let mut report = done.unwrap_or_else(|error| BatchReport {
        said: VerbReport::ended(VerbStatus::Failed).noted([format!("error: {error}")]),
        end: BatchEnd::of_error(&error),
    });
    report.said.status = report.end.status();
    Ok(report)
}

/// Does what a verb says. `front` hears of the way, `control` ends it early.
///
/// # Errors
/// If it cannot be done; [`BatchEnd::of_error`] has the exit code.
pub async fn run(
    host: &Host,
    verb: &BatchVerb,
    front: &dyn RunFront,
    control: &RunControl,
) -> Result<BatchReport, BatchError> {
    let home = RunHome::of(host);
    match verb {
        BatchVerb::Run(args) if args.list_distributions => look::distributions(host, None, false),
        BatchVerb::Run(args) => start::run(host, &home, args, front, control).await,
        BatchVerb::Resume(args) => start::resume(host, &home, args, front, control).await,
        BatchVerb::Worker { stdio: true, slots, grace, .. } => {
            place::worker_at_pipe(host, *slots, *grace, control).await
        }
        BatchVerb::Worker { run, shard, start, .. } => {
            let (run, shard) = (run.as_deref().unwrap_or_default(), shard.as_deref());
            start::worker(host, &home, run, shard.unwrap_or_default(), start, front, control).await
        }
        BatchVerb::Import { from, args } => import::imported(host, &home, from, args, front).await,
        BatchVerb::Manifest { engine, run, shards, image, folder, claim, secret, start } => {
            let pods = place::PodWords { image, folder: folder.as_deref(), claim, secret };
            let run = home.find(&run.run, start.out.as_deref());
            place::manifest(host, &run, *engine, *shards, &pods, start)
        }
        BatchVerb::RayDriver { .. } => {
            Ok(BatchReport::done(VerbReport::text(crate::run::RAY_DRIVER.trim_end())))
        }
        BatchVerb::Check { dataset, json } => look::check(dataset, *json),
        BatchVerb::Status { run, watch: true, json } => {
            watch::watched(&home.find(&run.run, None), *json, front, control).await
        }
        BatchVerb::Status { run, json, .. } => look::status(&home.find(&run.run, None), *json),
        BatchVerb::Show { run, id, attempts: true, .. } => {
            watch::attempts(&home.find(&run.run, None), id)
        }
        BatchVerb::Show { run, id, raw, .. } => look::show(&home.find(&run.run, None), id, *raw),
        BatchVerb::Retry { run, classes, ids, discarded } => {
            look::retry(&home.find(&run.run, None), classes, ids, *discarded)
        }
        BatchVerb::Merge { run, filters } => look::merged(&home.find(&run.run, None), filters),
        BatchVerb::Stats { run, json } => look::stats(&home.find(&run.run, None), *json),
        BatchVerb::Export {
            run,
            format,
            out,
            status,
            strip_think,
            cut,
            shuffle,
            shard_size,
            split,
        } => {
            let wanted = look::ExportWords {
                format: *format,
                out,
                status,
                strip_think: *strip_think,
                cut: *cut,
                shuffle: *shuffle,
                shard_size: *shard_size,
                split,
            };
            look::exported(&home.find(&run.run, None), &wanted)
        }
        BatchVerb::Compress(args) => compress::compressed(host, args, front, control).await,
        BatchVerb::Distributions { name, json } => {
            look::distributions(host, name.as_deref(), *json)
        }
        BatchVerb::Gc { run, prune_images } => {
            gc::gc(host, &home.find(&run.run, None), *prune_images).await
        }
    }
}

/// Where runs are kept.
struct RunHome {
    settings: BatchSettings,
}

impl RunHome {
    fn of(host: &Host) -> Self {
        Self { settings: BatchSettings::read(host.config().value(), host.vars()) }
    }

    /// The folder of a run: below where runs are kept, or the folder itself if a path is given.
    fn find(&self, name: &str, out: Option<&Path>) -> RunFolder {
        let as_path = Path::new(name);
        if as_path.components().count() > 1 || as_path.join("run.json").is_file() {
            return RunFolder::at(as_path);
        }
        let root = out.map_or_else(|| PathBuf::from(&self.settings.dir), Path::to_path_buf);
        RunFolder::at(root.join(name))
    }
}
