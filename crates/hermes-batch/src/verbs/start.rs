//! Verbs that run tasks.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hermes_host::Host;
use hermes_runtime::distributions::{Distributions, Share};
use hermes_skills::report::{ReportPart, VerbReport};
use hermes_store::atomic::is_temp_name;
use hermes_tool::settings::Settings as _;
use serde_json::{Map, Value, json};

use super::args::{PlaceArgs, ResumeArgs, RunArgs, RunnerKind, StartArgs};
use super::look::{dataset_warnings, summary, tool_table};
use super::{BatchEnd, BatchReport, RunHome};
use crate::BatchError;
use crate::dataset::Dataset;
use crate::derive;
use crate::filter::written_filters;
use crate::options::{RunOptions, TrajectoryFilter};
use crate::record::TaskStatus;
use crate::run::{
    AgentExecutor, BatchTask, ExecutorOptions, LocalPermits, RateLimiter, RateLimits, RunControl,
    RunEnd, RunFront, RunJob, RunLeftovers, RunLimits, RunSpend, Running, TaskExecutor, coordinate,
    take_in_unwritten,
};
use crate::settings::LimitSettings;
use crate::store::{
    RunFolder, RunGeneration, RunIndex, RunLock, RunManifest, SegmentLimits, SegmentWriter,
};

/// Rows whose text has changed that are named.
const NAMED_CHANGES: usize = 5;

pub(super) async fn run(
    host: &Host,
    home: &RunHome,
    args: &RunArgs,
    front: &dyn RunFront,
    control: &RunControl,
) -> Result<BatchReport, BatchError> {
    let (source, name) = (source_of(args), name_of(args)?);
    let folder = home.find(&name, args.start.out.as_deref());
    let mut options = options(host, home, args)?;
    if folder.has_run() {
        if !args.resume {
            return Err(BatchError::usage(format!(
                "{} has a run already\n  go on with it: hermes batch resume {name}\n  or choose another --name",
                folder.root().display()
            )));
        }
        let manifest = folder.manifest()?;
        // What chance chose stays, and nobody means more rows by saying nothing about them.
        if args.seed.is_none() {
            options.seed = manifest.now().seed;
        }
        if args.max_samples.is_none() {
            options.max_samples = manifest.now().max_samples;
        }
        let next = next_generation(host, &manifest, options, args.new_generation).await?;
        let (start, place) = (&args.start, &args.place);
        let changed = ChangedRows::of(args.accept_changed);
        let source = Some(source);
        let job = Start { host, home, folder, source, start, place, shard: None, changed, next };
        return job.go(front, control).await;
    }
    let begun = begin(host, &folder, args, options, front).await?;
    let (source, dataset, manifest) = match begun {
        Begun::Rehearsed(report) => return Ok(report),
        Begun::Ready { source, dataset, manifest } => (source, dataset, manifest),
    };
    drop(dataset);
    folder.begin(&manifest)?;
    let (start, place, changed) = (&args.start, &args.place, ChangedRows::Refused);
    let (source, shard, next) = (Some(source), None, None);
    let begun = folder.clone();
    let went = Start { host, home, folder, source, start, place, shard, changed, next }
        .go(front, control)
        .await;
    if let Err(error) = &went
        && BatchEnd::of_error(error) == BatchEnd::Usage
        && !begun.segments().read_dir().is_ok_and(|mut segments| segments.next().is_some())
    {
        // Words that make no sense begin no run: the next try may have the same name.
        let _ = std::fs::remove_dir_all(begun.root());
    }
    went
}

/// What the run goes on with if that is not what it has: only the rows may become more without a word.
async fn next_generation(
    host: &Host,
    manifest: &RunManifest,
    options: RunOptions,
    is_wanted: bool,
) -> Result<Option<RunGeneration>, BatchError> {
    let (kept, name) = (manifest.now(), &manifest.name);
    if options == *kept {
        return Ok(None);
    }
    if options.samples != kept.samples {
        return Err(BatchError::usage(format!(
            "the run has {} tasks for each row, which is part of their names; choose another --name for {}",
            kept.samples, options.samples
        )));
    }
    if let (limit, Some(wanted)) = (kept.max_samples.unwrap_or(usize::MAX), options.max_samples)
        && wanted < limit
    {
        return Err(BatchError::usage(format!(
            "the run was begun with more rows than {wanted}; a run can only grow"
        )));
    }
    let as_kept = RunOptions { max_samples: kept.max_samples, ..options.clone() };
    let differs = kept.differences(&as_kept);
    if !differs.is_empty() && !is_wanted {
        return Err(BatchError::usage(format!(
            "the run was begun with other options:\n  {}\n  `hermes batch resume {name}` goes on with those it has, --new-generation with these",
            differs.join("\n  ")
        )));
    }
    Ok(Some(RunGeneration {
        model: model_name(host, &options).await?,
        options,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        created: jiff::Timestamp::now().to_string(),
    }))
}

/// A run that can begin.
pub(super) enum Begun {
    /// It was only asked what would run.
    Rehearsed(BatchReport),
    /// Everything that was found out about it.
    Ready { source: PathBuf, dataset: Dataset, manifest: Box<RunManifest> },
}

/// Looks at everything a new run needs, and writes nothing but what is piped in.
pub(super) async fn begin(
    host: &Host,
    folder: &RunFolder,
    args: &RunArgs,
    options: RunOptions,
    front: &dyn RunFront,
) -> Result<Begun, BatchError> {
    let source = source_of(args);
    if source.to_string_lossy().contains("://") {
        return Err(BatchError::usage(format!(
            "{} is no file: a data set is a file or folder of this machine, or - for stdin",
            source.display()
        )));
    }
    let name = args.name.clone().unwrap_or_default();
    // What a kill in the first moment left behind is nothing yet.
    let is_used = folder.root().read_dir().is_ok_and(|mut entries| {
        entries.any(|entry| entry.is_ok_and(|entry| !is_temp_name(&entry.file_name())))
    });
    if is_used {
        return Err(BatchError::usage(format!(
            "{} is not empty and holds no run; choose another --name",
            folder.root().display()
        )));
    }
    host.require_sound_config()?;
    // What is piped in is gone once it is read: it becomes a file of the run.
    let (source, piped) = if source == Path::new("-") {
        std::fs::create_dir_all(folder.root()).map_err(BatchError::when("make", folder.root()))?;
        (keep_stdin(folder)?, true)
    } else {
        (std::path::absolute(&source).map_err(BatchError::when("find", &source))?, false)
    };
    let dataset = Dataset::open(&source, &std::env::temp_dir(), options.max_samples);
    let dataset = match dataset {
        Ok(dataset) => dataset,
        Err(error) => {
            if piped {
                let _ = std::fs::remove_dir_all(folder.root());
            }
            return Err(error);
        }
    };
    dataset_warnings(&dataset)
        .iter()
        .for_each(|warning| front.note(&format!("warning: {warning}")));
    if args.dry_run {
        let tasks = dataset.len() * options.samples as usize;
        let value = json!({"rows": dataset.len(), "tasks": tasks, "options": options});
        return Ok(Begun::Rehearsed(BatchReport::done(VerbReport::json(&value))));
    }
    let manifest = Box::new(RunManifest {
        format: 1,
        id: random_run_id(),
        name,
        dataset: source.clone(),
        dataset_bytes: dataset.bytes(),
        dataset_sha256: dataset.digest(),
        rows: dataset.len(),
        model: model_name(host, &options).await?,
        options,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        created: jiff::Timestamp::now().to_string(),
        generations: Vec::new(),
    });
    Ok(Begun::Ready { source, dataset, manifest })
}

fn source_of(args: &RunArgs) -> PathBuf {
    args.dataset.clone().or_else(|| args.dataset_file.clone()).unwrap_or_default()
}

/// The name of a new run, if it can be one.
pub(super) fn name_of(args: &RunArgs) -> Result<String, BatchError> {
    let name = args.name.clone().unwrap_or_default();
    let is_plain = !name.is_empty()
        && !name.starts_with('.')
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    if is_plain {
        return Ok(name);
    }
    Err(BatchError::usage(format!(
        "{name:?} cannot be the name of a run: letters, digits, '-', '_' and '.' can be in one"
    )))
}

pub(super) async fn resume(
    host: &Host,
    home: &RunHome,
    args: &ResumeArgs,
    front: &dyn RunFront,
    control: &RunControl,
) -> Result<BatchReport, BatchError> {
    let folder = home.find(&args.run.run, args.start.out.as_deref());
    let source = args.dataset.clone();
    let (start, place, changed) = (&args.start, &args.place, ChangedRows::of(args.accept_changed));
    Start { host, home, folder, source, start, place, shard: None, changed, next: None }
        .go(front, control)
        .await
}

pub(super) async fn worker(
    host: &Host,
    home: &RunHome,
    run: &str,
    shard: &str,
    start: &StartArgs,
    front: &dyn RunFront,
    control: &RunControl,
) -> Result<BatchReport, BatchError> {
    let parts =
        shard.split_once('/').and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?)));
    let shard: (u32, u32) = parts.filter(|(part, of)| part < of).ok_or_else(|| {
        BatchError::usage(format!("{shard:?} is no part; the second of four is 1/4"))
    })?;
    let folder = home.find(run, start.out.as_deref());
    let (place, shard, changed) = (&PlaceArgs::default(), Some(shard), ChangedRows::Refused);
    let start =
        Start { host, home, folder, source: None, start, place, shard, changed, next: None };
    start.go(front, control).await
}

/// What becomes of records whose row has another text now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangedRows {
    /// Nothing runs.
    Refused,
    /// They no longer count.
    RunAgain,
}

impl ChangedRows {
    fn of(is_accepted: bool) -> Self {
        if is_accepted { Self::RunAgain } else { Self::Refused }
    }
}

/// One start of a run.
pub(super) struct Start<'a> {
    pub(super) host: &'a Host,
    pub(super) home: &'a RunHome,
    pub(super) folder: RunFolder,
    source: Option<PathBuf>,
    pub(super) start: &'a StartArgs,
    pub(super) place: &'a PlaceArgs,
    shard: Option<(u32, u32)>,
    changed: ChangedRows,
    /// What the run goes on with, if not with what it has.
    next: Option<RunGeneration>,
}

impl Start<'_> {
    async fn go(
        self,
        front: &dyn RunFront,
        control: &RunControl,
    ) -> Result<BatchReport, BatchError> {
        let mut manifest = self.folder.manifest()?;
        let lock = match self.shard {
            None => RunLock::take(&self.folder, &manifest.name)?,
            Some(_) => RunLock::share(&self.folder, &manifest.name)?,
        };
        if let Some(next) = self.next.clone() {
            manifest.generations.push(next);
        }
        let source = self.source.clone().unwrap_or_else(|| manifest.dataset.clone());
        let dataset = Dataset::open(&source, self.folder.root(), manifest.now().max_samples)?;
        let epoch = self.folder.next_epoch()?;
        if self.shard.is_none() {
            self.folder.clear_sandboxes(epoch);
            self.end_leftovers(&manifest, epoch, front).await;
            self.take_in_unwritten(epoch, front).await?;
        }
        if self.changed == ChangedRows::RunAgain {
            let changed = self.changed_rows(&manifest, &dataset)?;
            if !changed.is_empty() {
                front.note(&format!(
                    "{} tasks run again, because their rows changed",
                    changed.len()
                ));
                self.folder.put_back_before(epoch, &changed)?;
            }
        }
        let (index, pending) = self.pending(&manifest, &dataset)?;
        // Agreed on once everything else is in order.
        if self.next.is_some() {
            self.folder.begin(&manifest)?;
        }
        let total = dataset.len() * manifest.now().samples.max(1) as usize;
        let done = TaskStatus::ALL.into_iter().map(|status| (status, index.count(status)));
        let done: BTreeMap<TaskStatus, usize> = done.filter(|(_, count)| *count > 0).collect();
        front.note(&format!(
            "run {} · {total} tasks, {} to do · seed {} · model {} · {}",
            manifest.name,
            pending.len(),
            manifest.now().seed,
            manifest.model_now(),
            self.folder.root().display()
        ));
        drop(index);
        let totals = if pending.is_empty() {
            None
        } else if self.place.on == RunnerKind::Slurm {
            // The workers of the parts share the lock.
            drop(lock);
            let is_over = self.in_slurm(&manifest, pending.len(), front, control).await?;
            if !is_over {
                let name = &manifest.name;
                let told =
                    format!("the array goes on by itself; look with: hermes batch status {name}");
                let said = VerbReport::ended(BatchEnd::Stopped.status()).noted([told]);
                return Ok(BatchReport { said, end: BatchEnd::Stopped });
            }
            return self.conclude(&manifest, total, None);
        } else {
            Some(self.work(&manifest, dataset, epoch, pending, done, total, front, control).await?)
        };
        drop(lock);
        self.conclude(&manifest, total, totals)
    }

    fn segment_limits(&self) -> SegmentLimits {
        let settings = &self.home.settings;
        SegmentLimits {
            bytes: settings.segment_bytes,
            commit: Duration::from_millis(settings.commit_ms),
        }
    }

    /// Containers and sandboxes of earlier starts are nobody's any more.
    async fn end_leftovers(&self, manifest: &RunManifest, epoch: u64, front: &dyn RunFront) {
        // The first start has none before it.
        if epoch <= 1 {
            return;
        }
        for backend in manifest.backends() {
            match RunLeftovers::of(self.host, &manifest.id, backend).end_before(epoch).await {
                Ok(Some(count)) if count > 0 => front.note(&format!(
                    "{count} containers or sandboxes of earlier starts were removed"
                )),
                Ok(_) => {}
                Err(why) => front.note(&format!(
                    "warning: containers or sandboxes of earlier starts may be left: {why}"
                )),
            }
        }
    }

    /// The tasks whose rows have another text than when they were run.
    fn changed_rows(
        &self,
        manifest: &RunManifest,
        dataset: &Dataset,
    ) -> Result<Vec<String>, BatchError> {
        let options = manifest.now();
        let mut changed = Vec::new();
        RunIndex::read(&self.folder, |entry| {
            let number = BatchTask::find(dataset, options, &entry.id)?;
            let now = dataset.fingerprint((number / options.samples.max(1)) as usize);
            if entry.row_hash != format!("{now:016x}") {
                changed.push(entry.id.clone());
            }
            Some(number)
        })?;
        changed.sort();
        changed.dedup();
        Ok(changed)
    }

    /// Records that an earlier start paid for and had no room to write come first: their tasks need not run again.
    async fn take_in_unwritten(&self, epoch: u64, front: &dyn RunFront) -> Result<(), BatchError> {
        let segments = self.folder.segments();
        let writer = SegmentWriter::start(&segments, epoch, "unwritten", self.segment_limits())?;
        let count = take_in_unwritten(&self.folder, &writer).await?;
        if count > 0 {
            front.note(&format!(
                "{count} records of an earlier start that found no room are written now"
            ));
        }
        Ok(())
    }

    /// The tasks without a record, in the order of the data set; those of the shard only.
    fn pending(
        &self,
        manifest: &RunManifest,
        dataset: &Dataset,
    ) -> Result<(RunIndex, Vec<u32>), BatchError> {
        let options = manifest.now();
        let samples = options.samples.max(1);
        let mut changed: Vec<String> = Vec::new();
        let index = RunIndex::read(&self.folder, |entry| {
            let number = BatchTask::find(dataset, options, &entry.id)?;
            let now = dataset.fingerprint((number / samples) as usize);
            if entry.row_hash != format!("{now:016x}") && changed.len() <= NAMED_CHANGES {
                changed.push(entry.id.clone());
            }
            Some(number)
        })?;
        if !changed.is_empty() {
            changed.truncate(NAMED_CHANGES);
            return Err(BatchError::usage(format!(
                "rows have changed since their tasks were run: {}\n  give changed rows new ids, run them again with --accept-changed, or begin another run",
                changed.join(", ")
            )));
        }
        let total = u32::try_from(dataset.len() * samples as usize)
            .map_err(|_| BatchError::usage("a run has at most four thousand million tasks"))?;
        let mut pending: Vec<u32> = (0..total).filter(|task| index.get(*task).is_none()).collect();
        if let Some((part, of)) = self.shard {
            pending.retain(|task| task % of == part);
        }
        Ok((index, pending))
    }

    #[expect(clippy::too_many_arguments, reason = "what one start has worked out so far")]
    async fn work(
        &self,
        manifest: &RunManifest,
        dataset: Dataset,
        epoch: u64,
        pending: Vec<u32>,
        done: BTreeMap<TaskStatus, usize>,
        total: usize,
        front: &dyn RunFront,
        control: &RunControl,
    ) -> Result<crate::run::RunTotals, BatchError> {
        let (start, settings) = (self.start, &self.home.settings);
        let slots = start.num_workers.map_or(settings.num_workers, |count| count as usize);
        // Without a coordinator each part keeps to its share of the limits.
        let share = self.shard.map_or(1, |(_, of)| of.max(1));
        let limits = RateLimits {
            requests_per_minute: start.rpm.map(|rate| (rate / share).max(1)),
            input_tokens_per_minute: start.input_tpm.map(|rate| (rate / u64::from(share)).max(1)),
            output_tokens_per_minute: start.output_tpm.map(|rate| (rate / u64::from(share)).max(1)),
            concurrency: start.max_concurrency,
        };
        let limiter = Arc::new(RateLimiter::new(limits, slots));
        let spend = Arc::new(RunSpend::default());
        if start.max_cost.is_some() || start.max_total_tokens.is_some() {
            let index = RunIndex::read(&self.folder, |entry| {
                BatchTask::find(&dataset, manifest.now(), &entry.id)
            })?;
            let before = derive::statistics(&index)?;
            spend.add(Some(before.cost_usd), before.usage.tokens());
        }
        let running = Arc::new(Running::default());
        let permits = LocalPermits { limiter: Arc::clone(&limiter), spend: Arc::clone(&spend) };
        let executor = self.executor(manifest, epoch, slots, permits, &running, front).await?;
        let worker = match self.shard {
            None => "local".to_owned(),
            Some((part, of)) => format!("s{part}of{of}"),
        };
        let writer = Arc::new(SegmentWriter::start(
            &self.folder.segments(),
            epoch,
            &worker,
            self.segment_limits(),
        )?);
        let job = RunJob {
            folder: self.folder.clone(),
            dataset: Arc::new(dataset),
            options: manifest.now().clone(),
            generation: manifest.generation(),
            epoch,
            pending,
            done,
            total,
            writer,
            executor: Arc::clone(&executor),
            limiter,
            spend,
            running,
        };
        let limits = RunLimits {
            slots,
            max_usd: start.max_cost,
            max_tokens: start.max_total_tokens,
            max_time: start.deadline.and_then(|time| Duration::try_from_secs_f64(time).ok()),
            least_free: settings.min_free << 20,
            disk_patience: settings.disk_patience.duration(),
            outage_patience: settings.outage_patience.duration(),
        };
        let totals = coordinate(&job, limits, control, front).await;
        executor.close().await;
        totals
    }

    /// Who tries the tasks: agents of this process, or workers in others.
    async fn executor(
        &self,
        manifest: &RunManifest,
        epoch: u64,
        slots: usize,
        permits: LocalPermits,
        running: &Arc<Running>,
        front: &dyn RunFront,
    ) -> Result<Arc<dyn TaskExecutor>, BatchError> {
        let api_key = self.api_key(front)?;
        if self.place.on == RunnerKind::Ray || self.place.processes.is_some() {
            let pool = self.pool(manifest, epoch, slots, permits, Arc::clone(running), api_key);
            return Ok(Arc::new(pool.await?));
        }
        let agents = self.host.task_agents().await?;
        agents
            .tools()
            .warnings()
            .iter()
            .for_each(|warning| front.note(&format!("warning: {warning}")));
        let setup = ExecutorOptions {
            folder: self.folder.clone(),
            options: manifest.now().clone(),
            run: manifest.id.clone(),
            generation: manifest.generation(),
            epoch,
            api_key,
            permits: Arc::new(permits),
            running: Arc::clone(running),
            companion: None,
        };
        Ok(Arc::new(AgentExecutor::new(agents, setup).await?))
    }

    fn api_key(&self, front: &dyn RunFront) -> Result<Option<String>, BatchError> {
        if self.start.api_key.is_some() {
            front.note("warning: other users of this machine see --api-key in ps; give --api-key-env NAME instead");
            return Ok(self.start.api_key.clone());
        }
        if let Some(file) = &self.start.api_key_file {
            let key = std::fs::read_to_string(file).map_err(BatchError::when("read", file))?;
            return Ok(Some(key.trim().to_owned()).filter(|key| !key.is_empty()));
        }
        let Some(name) = &self.start.api_key_env else { return Ok(None) };
        match self.host.vars().get(name) {
            Some(key) if !key.is_empty() => Ok(Some(key.to_owned())),
            _ => Err(BatchError::usage(format!("the variable {name} is not set"))),
        }
    }

    /// Makes what is derived, and says how it went.
    fn conclude(
        &self,
        manifest: &RunManifest,
        total: usize,
        totals: Option<crate::run::RunTotals>,
    ) -> Result<BatchReport, BatchError> {
        if self.shard.is_some() {
            let end = totals.map_or(RunEnd::Complete, |totals| totals.end);
            let end = match end {
                RunEnd::Cancelled => BatchEnd::Interrupted,
                RunEnd::Stopped(why) if why != "some tasks could not be run" => BatchEnd::Stopped,
                _ => BatchEnd::Done,
            };
            return Ok(BatchReport { said: VerbReport::text("the part is done"), end });
        }
        let source = self.source.clone().unwrap_or_else(|| manifest.dataset.clone());
        let dataset = Dataset::open(&source, self.folder.root(), manifest.now().max_samples)?;
        let index = RunIndex::read(&self.folder, |entry| {
            BatchTask::find(&dataset, manifest.now(), &entry.id)
        })?;
        let derived = || {
            let merged = derive::merge(&self.folder, manifest, &index, None)?;
            let sums = derive::statistics(&index)?.with_filtered(merged.by_filter);
            sums.write(&self.folder, manifest, &index, total)
        };
        let is_early =
            totals.as_ref().is_some_and(|totals| !matches!(totals.end, RunEnd::Complete));
        let (value, trouble) = match derived() {
            Ok(value) => (value, None),
            // What ended the run, a full disk say, may be in their way, too. The next end makes them.
            Err(error) if is_early => (Value::Null, Some(format!("warning: {error}"))),
            Err(error) => return Err(error),
        };
        let (name, count) = (&manifest.name, index.len());
        let failed = index.count(TaskStatus::Failed);
        let place = self.folder.root().display();
        let (line, end) = match totals.map(|totals| totals.end) {
            Some(RunEnd::Cancelled) => (
                format!("cancelled with {count} of {total}. Continue: hermes batch resume {name}"),
                BatchEnd::Interrupted,
            ),
            _ if count >= total && failed == 0 => {
                (format!("done: {count} of {total}, in {place}"), BatchEnd::Done)
            }
            _ if count >= total => (
                format!(
                    "done: {count} of {total}, {failed} failed for good (hermes batch retry {name}), in {place}"
                ),
                BatchEnd::Failed,
            ),
            Some(RunEnd::Stopped(why)) => (
                format!(
                    "stopped with {count} of {total}: {why}. Continue: hermes batch resume {name}"
                ),
                BatchEnd::Stopped,
            ),
            _ => (
                format!("{count} of {total}. Continue: hermes batch resume {name}"),
                BatchEnd::Stopped,
            ),
        };
        let mut said = match self.start.json {
            true => VerbReport::json(&json!({"event": "run_summary", "statistics": value})),
            false if value.is_null() => VerbReport::ended(end.status()),
            false => VerbReport::text(summary(&value)),
        };
        if let Some(table) = tool_table(&value).filter(|_| !self.start.json) {
            said = said.with(ReportPart::Table(table));
        }
        Ok(BatchReport { said: said.noted(trouble.into_iter().chain([line])), end })
    }
}

pub(super) fn options(
    host: &Host,
    home: &RunHome,
    args: &RunArgs,
) -> Result<RunOptions, BatchError> {
    let settings = &home.settings;
    let limits = LimitSettings::read(host.config().value(), host.vars());
    let distribution = args.distribution.clone().unwrap_or_else(|| settings.distribution.clone());
    let distribution_table = match &args.distribution_file {
        None => None,
        Some(file) => Some(own_distribution(file, &distribution)?),
    };
    let prefill = match &args.prefill_messages_file {
        None => Vec::new(),
        Some(file) => {
            let text = std::fs::read(file).map_err(BatchError::when("read", file))?;
            serde_json::from_slice(&text)
                .map_err(|error| BatchError::broken(file, format!("no JSON list: {error}")))?
        }
    };
    let mut filters = vec![TrajectoryFilter::KnownTools];
    if settings.require_reasoning && !args.no_require_reasoning {
        filters.insert(0, TrajectoryFilter::RequireReasoning);
    }
    for filter in written_filters(&args.filters)? {
        if !filters.contains(&filter) {
            filters.push(filter);
        }
    }
    let effort = match args.reasoning_disabled {
        true => Some("none".to_owned()),
        false => args.reasoning_effort.clone(),
    };
    Ok(RunOptions {
        distribution,
        distribution_table,
        toolsets: (!args.toolsets.is_empty()).then(|| args.toolsets.clone()),
        model: args.model.clone(),
        provider: args.provider.clone(),
        base_url: args.base_url.clone(),
        routing: routing(args),
        max_turns: args.max_turns,
        max_tokens: args.max_tokens,
        temperature: args.temperature,
        reasoning_effort: effort,
        ephemeral_system_prompt: args.ephemeral_system_prompt.clone(),
        prefill,
        seed: args.seed.unwrap_or_else(random_seed),
        samples: args.samples,
        group_tools: args.samples > 1,
        max_samples: args.max_samples,
        row_timeout_s: args.row_timeout.unwrap_or(settings.row_timeout.duration().as_secs_f64()),
        max_task_tokens: args.max_task_tokens,
        retries: args.retries.unwrap_or(settings.retries),
        backend: args.backend.clone().or_else(|| settings.backend.clone()),
        network: args.network.as_deref().map_or(settings.network, |word| word == "on"),
        cpus: args.cpus.unwrap_or(limits.cpus),
        memory_mb: args.memory.unwrap_or(limits.memory),
        disk_mb: args.disk.unwrap_or(limits.disk),
        pids: args.pids.unwrap_or(limits.pids),
        is_limited: args.memory.is_some() || args.disk.is_some() || args.pids.is_some(),
        setup: args.setup.clone(),
        verify: args.verify.clone(),
        filters,
    })
}

/// Whom an aggregator may ask, if that is said.
fn routing(args: &RunArgs) -> Option<Map<String, Value>> {
    let lists = [
        ("only", &args.providers_allowed),
        ("ignore", &args.providers_ignored),
        ("order", &args.providers_order),
    ];
    let lists = lists.into_iter().filter(|(_, names)| !names.is_empty());
    let mut said: Map<String, Value> =
        lists.map(|(key, names)| (key.to_owned(), json!(names))).collect();
    said.extend(args.provider_sort.iter().map(|sort| ("sort".to_owned(), json!(sort))));
    (!said.is_empty()).then_some(said)
}

/// An id no other run has.
fn random_run_id() -> String {
    use std::hash::{BuildHasher as _, Hasher as _};
    format!("{:016x}", std::collections::hash_map::RandomState::new().build_hasher().finish())
}

/// A number nobody chose, small enough to be typed.
fn random_seed() -> u64 {
    use std::hash::{BuildHasher as _, Hasher as _};
    std::collections::hash_map::RandomState::new().build_hasher().finish() % 1_000_000
}

/// A distribution of a file of the user's.
fn own_distribution(file: &Path, name: &str) -> Result<Vec<(String, f64)>, BatchError> {
    let text = std::fs::read_to_string(file).map_err(BatchError::when("read", file))?;
    let value: Value =
        serde_saphyr::from_str(&text).map_err(|error| BatchError::broken(file, error))?;
    // Either `toolset: percent` or `{description, toolsets: {toolset: percent}}` under each name.
    let tables: serde_json::Map<String, Value> = value
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, table)| (name.clone(), table.get("toolsets").unwrap_or(table).clone()))
        .collect();
    let mut known = Distributions::default();
    let problems = known.load_config(&json!({"distributions": tables}));
    if let Some(problem) = problems.first() {
        return Err(BatchError::broken(file, problem.to_string()));
    }
    let found = known.get(name).map_err(|error| BatchError::usage(error.to_string()))?;
    Ok(found
        .shares
        .iter()
        .map(|Share { toolset, percent }| (toolset.to_string(), *percent))
        .collect())
}

/// The model as it will be found, so that a mistake shows before the run has a folder.
async fn model_name(host: &Host, options: &RunOptions) -> Result<String, BatchError> {
    use hermes_host::{ModelSources, SessionModels};
    let choice = hermes_llm::provider::EndpointChoice {
        provider: options.provider.clone(),
        model: options.model.clone(),
        base_url: options.base_url.clone(),
        api_key: None,
    };
    let models = SessionModels::of(&ModelSources::of(host), &choice).await?;
    Ok(models.names().0.to_owned())
}

fn keep_stdin(folder: &RunFolder) -> Result<PathBuf, BatchError> {
    let path = folder.path("dataset.jsonl");
    let mut file = std::fs::File::create(&path).map_err(BatchError::when("make", &path))?;
    std::io::copy(&mut std::io::stdin().lock(), &mut file)
        .map_err(BatchError::when("write", &path))?;
    file.sync_all().map_err(BatchError::when("flush", &path))?;
    std::path::absolute(&path).map_err(BatchError::when("find", &path))
}
