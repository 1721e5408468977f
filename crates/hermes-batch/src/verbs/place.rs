//! Work elsewhere: workers at pipes, on Ray, in Slurm arrays, in pods.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hermes_host::{Host, ModelSources, SessionModels};
use hermes_llm::Secret;
use hermes_llm::provider::EndpointChoice;
use hermes_skills::report::VerbReport;
use hermes_tool::settings::Settings as _;

use super::args::{JobEngine, RunnerKind, StartArgs};
use super::start::Start;
use super::{BatchEnd, BatchReport};
use crate::BatchError;
use crate::place::{KubernetesJob, SlurmJob, follow};
use crate::run::{
    DriverOptions, HostMessage, LocalPermits, PROTOCOL, PoolOptions, ProcessOptions, RunControl,
    RunFront, Running, WorkerManifest, WorkerPool, serve,
};
use crate::settings::{RaySettings, SlurmSettings};
use crate::store::{RunFolder, RunManifest};

/// `hermes batch worker --stdio`.
pub(super) async fn worker_at_pipe(
    host: &Host,
    slots: u32,
    grace: f64,
    control: &RunControl,
) -> Result<BatchReport, BatchError> {
    let grace = Duration::try_from_secs_f64(grace).unwrap_or(Duration::from_secs(30));
    serve(host, slots as usize, grace, control).await?;
    // Nothing but messages goes to stdout.
    Ok(BatchReport { said: VerbReport::ended(BatchEnd::Done.status()), end: BatchEnd::Done })
}

impl Start<'_> {
    /// Workers in processes of their own, here or on Ray.
    pub(super) async fn pool(
        &self,
        manifest: &RunManifest,
        epoch: u64,
        slots: usize,
        permits: LocalPermits,
        running: Arc<Running>,
        api_key: Option<String>,
    ) -> Result<WorkerPool, BatchError> {
        let options = manifest.now().clone();
        let folder = std::path::absolute(self.folder.root())
            .map_err(BatchError::when("find", self.folder.root()))?;
        let program = std::env::current_exe()
            .map_err(BatchError::when("find", &PathBuf::from("this program")))?;
        let logs = folder.join("logs");
        let mut told = WorkerManifest {
            options,
            id: manifest.id.clone(),
            generation: manifest.generation(),
            model: None,
            provider: None,
            base_url: None,
            api_key,
            folder: Some(folder),
        };
        if self.place.on == RunnerKind::Ray {
            self.with_endpoint(&mut told).await?;
        }
        let hello = HostMessage::Hello {
            protocol: PROTOCOL,
            run: manifest.name.clone(),
            epoch,
            manifest: Box::new(told),
        };
        let pool = PoolOptions { hello, folder: self.folder.clone(), permits, running };
        if self.place.on == RunnerKind::Ray {
            let settings = RaySettings::read(self.host.config().value(), self.host.vars());
            let said = self.host.vars().get("RAY_ADDRESS").map(str::to_owned);
            let address = self.place.ray_address.clone().or(said).unwrap_or(settings.address);
            return Ok(WorkerPool::of_driver(
                pool,
                DriverOptions {
                    python: self.place.python.clone().unwrap_or(settings.python),
                    address,
                    slots,
                    cpus: manifest.now().cpus,
                    resources: serde_json::Map::new(),
                    binary: program,
                    remote_binary: self.place.remote_binary.clone(),
                    log: logs.join("ray-driver.log"),
                },
            ));
        }
        let count = self.place.processes.map_or(1, |count| count as usize).min(slots.max(1));
        let each = slots.div_ceil(count);
        Ok(WorkerPool::of_processes(pool, &ProcessOptions { count, slots: each, program, logs }))
    }

    /// Tells workers that may have no configuration of their own whom to ask, with the key.
    async fn with_endpoint(&self, told: &mut WorkerManifest) -> Result<(), BatchError> {
        let choice = EndpointChoice {
            provider: told.options.provider.clone(),
            model: told.options.model.clone(),
            base_url: told.options.base_url.clone(),
            api_key: told.api_key.clone().map(Secret::new),
        };
        let models = SessionModels::of(&ModelSources::of(self.host), &choice).await?;
        let endpoint = models.endpoint();
        told.provider = Some(endpoint.provider.clone());
        told.model = Some(endpoint.model.clone());
        told.base_url = Some(endpoint.base_url.clone());
        told.api_key = endpoint.api_key.as_ref().map(|key| key.expose().to_owned());
        // A node has its own disks.
        told.folder = None;
        Ok(())
    }

    /// Has an array of jobs do the run; false if we stopped looking before it was over.
    pub(super) async fn in_slurm(
        &self,
        manifest: &RunManifest,
        tasks: usize,
        front: &dyn RunFront,
        control: &RunControl,
    ) -> Result<bool, BatchError> {
        let mut job =
            slurm_job(self.host, &self.folder, manifest, tasks, self.place.shards, self.start)?;
        job.args.extend(self.place.slurm_args.iter().cloned());
        let array = job.submit().await?;
        let (parts, name) = (job.parts, &manifest.name);
        front.note(&format!(
            "array {array} of {parts} parts is submitted; it does not need this program any more (Ctrl-C leaves it)"
        ));
        front.event(
            &serde_json::json!({"event": "submitted", "run": name, "array": array, "parts": parts}),
        );
        follow(&array, &control.drain, |states| front.note(&format!("array {array}: {states}")))
            .await
    }
}

/// The array of jobs for a run.
fn slurm_job(
    host: &Host,
    folder: &RunFolder,
    manifest: &RunManifest,
    tasks: usize,
    shards: Option<u32>,
    start: &StartArgs,
) -> Result<SlurmJob, BatchError> {
    let settings = SlurmSettings::read(host.config().value(), host.vars());
    let options = manifest.now();
    Ok(SlurmJob {
        folder: std::path::absolute(folder.root())
            .map_err(BatchError::when("find", folder.root()))?,
        name: manifest.name.clone(),
        program: std::env::current_exe()
            .map_err(BatchError::when("find", &PathBuf::from("this program")))?,
        parts: SlurmJob::parts(shards, tasks, settings.rows_per_shard),
        worker_args: worker_args(start)?,
        cpus: (options.cpus.ceil() as u32).max(1),
        memory_mb: options.memory_mb,
        time: settings.time,
        partition: settings.partition,
        account: settings.account,
        args: settings.args,
    })
}

/// What workers of parts are told besides their part.
fn worker_args(start: &StartArgs) -> Result<Vec<String>, BatchError> {
    if start.max_cost.is_some() || start.max_total_tokens.is_some() {
        return Err(BatchError::usage(
            "parts do not know what the others spend: --max-cost and --max-total-tokens hold on this machine and on Ray",
        ));
    }
    if start.api_key.is_some() || start.api_key_env.is_some() {
        return Err(BatchError::usage(
            "job files hold no keys and jobs get no variables with them: put the key into HERMES_HOME/.env there, or name a file with --api-key-file",
        ));
    }
    let mut args = Vec::new();
    let mut give = |name: &str, value: Option<String>| {
        args.extend(value.map(|value| [format!("--{name}"), value]).into_iter().flatten());
    };
    give("num-workers", start.num_workers.map(|count| count.to_string()));
    give("rpm", start.rpm.map(|rate| rate.to_string()));
    give("input-tpm", start.input_tpm.map(|rate| rate.to_string()));
    give("output-tpm", start.output_tpm.map(|rate| rate.to_string()));
    give("max-concurrency", start.max_concurrency.map(|count| count.to_string()));
    give("deadline", start.deadline.map(|seconds| format!("{seconds}s")));
    let file = start.api_key_file.as_ref().map(std::path::absolute).transpose();
    let file = file.map_err(BatchError::when("find", &PathBuf::from("the file with the key")))?;
    give("api-key-file", file.map(|file| file.display().to_string()));
    Ok(args)
}

/// What pods are told.
pub(super) struct PodWords<'a> {
    pub(super) image: &'a str,
    pub(super) folder: Option<&'a str>,
    pub(super) claim: &'a str,
    pub(super) secret: &'a str,
}

/// `hermes batch manifest`.
pub(super) fn manifest(
    host: &Host,
    folder: &RunFolder,
    engine: JobEngine,
    shards: Option<u32>,
    pods: &PodWords<'_>,
    start: &StartArgs,
) -> Result<BatchReport, BatchError> {
    let manifest = folder.manifest()?;
    let tasks = manifest.rows * manifest.now().samples.max(1) as usize;
    let job = slurm_job(host, folder, &manifest, tasks, shards, start)?;
    let (path, next) = match engine {
        JobEngine::Slurm => {
            let path = job.write()?;
            let next = format!("sbatch {}", path.display());
            (path, next)
        }
        JobEngine::K8s => {
            let there =
                pods.folder.map_or_else(|| format!("/data/{}", manifest.name), str::to_owned);
            let options = manifest.now();
            let job = KubernetesJob {
                name: manifest.name.clone(),
                folder: there,
                image: pods.image.to_owned(),
                parts: job.parts,
                worker_args: job.worker_args,
                cpus: options.cpus,
                memory_mb: options.memory_mb,
                claim: pods.claim.to_owned(),
                secret: pods.secret.to_owned(),
            };
            folder.write("job.json", format!("{:#}\n", job.manifest()).as_bytes())?;
            let path = folder.path("job.json");
            let next = format!("kubectl apply -f {}", path.display());
            (path, next)
        }
    };
    Ok(BatchReport::done(
        VerbReport::text(path.display().to_string()).noted([format!("submit it with: {next}")]),
    ))
}
