//! Containers of docker or podman.
//!
//! A container is made once and sleeps; every command is an `exec` into it. It has no capabilities
//! but a few for files, cannot gain privileges, and has limits on processors, memory and processes
//! where the engine can enforce them. By default it is left running for the next start of Hermes,
//! which finds it by its labels; otherwise it is removed when we end, however we end
//! ([`CleanupSupervisor`]).
//!
//! What never happens here: a container whose network differs from the settings is used again, or a
//! command is taken to have failed because of something it wrote itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_approval::{ExecutionTarget, HostAccess};
use hermes_process::Command;
use hermes_tool::Vars;

use crate::backend::{Backend, BackendKind, BackendState, ClientInput, ClientTrouble, ShellCall};
use crate::cleanup::CleanupSupervisor;
use crate::environment::random_id;
use crate::error::ExecError;
use crate::granted::GrantedFiles;
use crate::mark::SandboxMark;
use crate::programs::{ClientProgram, ProgramOutput};
use crate::settings::DockerSettings;
use crate::sync::{FileSync, RemoteShell, SEEN_AT};

mod arguments;
mod engine;
mod images;
mod orphans;

use arguments::{ContainerPlan, DockerLimits, Init, PLAN_LABEL, labels, reaches_host};

const VERSION_LIMIT: Duration = Duration::from_secs(5);
const INSPECT_LIMIT: Duration = Duration::from_secs(15);
const RUN_LIMIT: Duration = Duration::from_secs(120);
const START_LIMIT: Duration = Duration::from_secs(30);
const REMOVE_LIMIT: Duration = Duration::from_secs(30);

/// Entry points that reap by themselves and run programs from `/run`.
const S6_ENTRY_POINTS: [&str; 2] = ["/init", "/package/admin/s6-overlay/command/init"];

/// What the docker backend needs to know.
#[derive(Clone, Debug)]
pub struct DockerOptions {
    /// The image, and what its containers may use.
    pub settings: DockerSettings,
    /// Where commands begin.
    pub cwd: String,
    /// The task it belongs to.
    pub task: String,
    /// The profile it belongs to.
    pub profile: String,
    /// Whose it is, where that is a run.
    pub mark: Option<SandboxMark>,
    /// Where files of persistent containers are kept.
    pub sandbox_dir: PathBuf,
    /// Files and folders shown inside, read-only: on the host, and below the Hermes home of the
    /// user in there.
    pub shown: Vec<(String, String)>,
    /// Variables handed on.
    pub forwarded: BTreeMap<String, String>,
    /// When an idle environment is closed.
    pub lifetime: Duration,
}

/// Whether there is a client.
pub(crate) fn check(settings: &DockerSettings, process: &Vars) -> Result<(), ExecError> {
    engine::find(settings.binary.as_deref(), process).map(|_| ())
}

/// Has the image here that containers are made of; its name, if it was fetched for this.
pub(crate) async fn bring_image(
    settings: &DockerSettings,
    process: &Vars,
) -> Result<Option<String>, ExecError> {
    let engine = engine::find(settings.binary.as_deref(), process)?;
    let image = &settings.image;
    let here = images::bring(&engine, image).await?;
    Ok(here.was_fetched.then(|| image.clone()))
}

/// Removes the image, unless a container is made of it; whether it is gone.
pub(crate) async fn remove_image(
    settings: &DockerSettings,
    process: &Vars,
) -> Result<bool, ExecError> {
    let engine = engine::find(settings.binary.as_deref(), process)?;
    images::remove(&engine, &settings.image).await
}

/// Removes the containers of a run that were made before a start of it; how many that were.
pub(crate) async fn end_leftovers(
    settings: &DockerSettings,
    process: &Vars,
    run: &str,
    before: u64,
) -> Result<usize, ExecError> {
    let engine = engine::find(settings.binary.as_deref(), process)?;
    orphans::remove_of_run(&engine, run, before).await
}

/// Commands in a container.
pub struct Docker {
    engine: ClientProgram,
    options: DockerOptions,
    container: Mutex<Option<String>>,
    cleanup: Mutex<Option<CleanupSupervisor>>,
    starting: tokio::sync::Mutex<()>,
    /// Files with credentials that conversations are granted. They are copied in, since a container cannot be given
    /// another mount.
    files: Option<FileSync>,
}

impl Docker {
    /// Finds the client; the container is started with the first command.
    pub fn new(options: DockerOptions, process: &Vars) -> Result<Self, ExecError> {
        let engine = engine::find(options.settings.binary.as_deref(), process)?;
        Ok(Self {
            engine,
            options,
            container: Mutex::default(),
            cleanup: Mutex::default(),
            starting: tokio::sync::Mutex::default(),
            files: None,
        })
    }

    /// The same, which also copies in the files that conversations are granted.
    pub(crate) fn with_granted(self, home: &Path, granted: &Arc<GrantedFiles>) -> Self {
        let files = FileSync::of_granted(home.to_owned(), Arc::clone(granted));
        Self { files: Some(files), ..self }
    }

    async fn make_ready(&self) -> Result<BackendState, ExecError> {
        let state = self.make_sure().await?;
        if let Some(files) = &self.files {
            files.bring_if_possible(state, &self.inside()).await;
        }
        Ok(state)
    }

    /// The way into the container for files.
    fn inside(&self) -> RemoteShell<'_> {
        let shell = |script: &str, input| {
            let container = self.container().clone().unwrap_or_default();
            let command = self.engine.command().arg("exec");
            let command = if input == ClientInput::None { command } else { command.arg("-i") };
            command.arg(container).args(["sh", "-c", script])
        };
        RemoteShell { base: SEEN_AT, shell: Box::new(shell) }
    }

    async fn make_sure(&self) -> Result<BackendState, ExecError> {
        if self.container().is_some() {
            return Ok(BackendState::AsBefore);
        }
        let _one_at_a_time = self.starting.lock().await;
        if self.container().is_some() {
            return Ok(BackendState::AsBefore);
        }
        let version =
            self.engine.ask(["version", "--format", "{{.Server.Version}}"], VERSION_LIMIT);
        let version = version.await?;
        if !version.succeeded {
            let why = format!("the engine does not answer: {}", version.words);
            return Err(ExecError::Unavailable { backend: BackendKind::Docker, why });
        }
        if self.options.settings.orphan_reaper {
            tokio::spawn(orphans::remove(
                self.engine.clone(),
                self.options.profile.clone(),
                self.options.lifetime,
            ));
        }
        let init = self.init_of_image().await?;
        let name = match self.reusable(init).await? {
            Some(id) => id,
            None => self.make(init).await?,
        };
        *self.container() = Some(name);
        Ok(BackendState::Anew)
    }

    /// A container of an earlier run that can be used again.
    async fn reusable(&self, init: Init) -> Result<Option<String>, ExecError> {
        if !self.options.settings.persist_across_processes {
            return Ok(None);
        }
        let mut words = vec!["ps".to_owned(), "-a".to_owned(), "--no-trunc".to_owned()];
        for label in labels(&self.options.task, &self.options.profile) {
            words.extend(["--filter".to_owned(), format!("label={label}")]);
        }
        let shape = format!("{{{{.ID}}}} {{{{.State}}}} {{{{.Label \"{PLAN_LABEL}\"}}}}");
        words.extend(["--format".to_owned(), shape]);
        let found = self.engine.ask(words, INSPECT_LIMIT).await?;
        let mut candidates: Vec<(&str, &str, &str)> = found
            .output
            .lines()
            .filter_map(|line| {
                let (id, rest) = line.split_once(' ')?;
                let (state, plan) = rest.split_once(' ').unwrap_or((rest, ""));
                Some((id, state, plan))
            })
            .collect();
        candidates.sort_by_key(|(_, state, _)| *state != "running");
        let wanted =
            self.with_plan("", init, DockerLimits { resources: true, disk: true }, |plan| {
                plan.fingerprint()
            });
        for (id, state, plan) in candidates {
            if plan != wanted || !self.network_fits(id).await? {
                self.engine.ask(["rm", "-f", id], REMOVE_LIMIT).await?;
                continue;
            }
            let revived = match state {
                "running" => true,
                "paused" => self.engine.ask(["unpause", id], START_LIMIT).await?.succeeded,
                _ => self.engine.ask(["start", id], START_LIMIT).await?.succeeded,
            };
            if revived {
                return Ok(Some(id.to_owned()));
            }
        }
        Ok(None)
    }

    /// Whether a container's network is as closed as the settings want it. Not knowing means no.
    async fn network_fits(&self, id: &str) -> Result<bool, ExecError> {
        if self.options.settings.network {
            return Ok(true);
        }
        let words = ["inspect", "--format", "{{.HostConfig.NetworkMode}}", id];
        let mode = self.engine.ask(words, INSPECT_LIMIT).await?;
        Ok(mode.succeeded && mode.output == "none")
    }

    async fn make(&self, init: Init) -> Result<String, ExecError> {
        let options = &self.options;
        let storage = self.storage();
        if options.settings.container.persistent {
            for folder in ["home", "workspace"] {
                let folder = storage.join(folder);
                std::fs::create_dir_all(&folder).map_err(|source| ExecError::File {
                    act: "make",
                    path: folder.display().to_string(),
                    source,
                })?;
            }
        }
        let mut limits = DockerLimits { resources: true, disk: true };
        loop {
            let name = match &options.mark {
                Some(mark) => mark.name(),
                None => format!("hermes-{}", &random_id()[..8]),
            };
            let words = self.with_plan(&name, init, limits, |plan| plan.words());
            let (cleanup, answer) = self.start(&name, &words).await?;
            if answer.succeeded {
                *self.cleanup.lock().unwrap_or_else(PoisonError::into_inner) = cleanup;
                return Ok(name);
            }
            // Dropped, a cleanup supervisor removes what there may be after all.
            if cleanup.is_none() {
                self.engine.ask(["rm", "-f", &name], REMOVE_LIMIT).await?;
            }
            match fewer_limits(limits, &answer) {
                Some(fewer) => limits = fewer,
                None => {
                    let why = answer.words;
                    return Err(ExecError::NotStarted { backend: BackendKind::Docker, why });
                }
            }
        }
    }

    /// Where files of this task's containers are kept.
    fn storage(&self) -> PathBuf {
        self.options.sandbox_dir.join("docker").join(arguments::label(&self.options.task))
    }

    /// Hands everything that decides about a container to `act`.
    fn with_plan<T>(
        &self,
        name: &str,
        init: Init,
        limits: DockerLimits,
        act: impl FnOnce(&ContainerPlan<'_>) -> T,
    ) -> T {
        let options = &self.options;
        let storage = self.storage();
        let host_user = format!("{}:{}", nix::unistd::getuid(), nix::unistd::getgid());
        act(&ContainerPlan {
            settings: &options.settings,
            name,
            task: &options.task,
            profile: &options.profile,
            mark: options.mark.as_ref(),
            cwd: &options.cwd,
            storage: &storage,
            shown: &options.shown,
            host_user: &host_user,
            init,
            limits,
        })
    }

    /// Starts a container: by ourselves if it is to outlive us, else by the one who removes it.
    async fn start(
        &self,
        name: &str,
        words: &[String],
    ) -> Result<(Option<CleanupSupervisor>, ProgramOutput), ExecError> {
        let engine = &self.engine;
        if self.options.settings.persist_across_processes {
            return Ok((None, engine.ask(words, RUN_LIMIT).await?));
        }
        let make = engine.words(words.iter().map(String::as_str));
        let remove = engine.words(["rm", "-f", name]);
        let (cleanup, answer) =
            CleanupSupervisor::make(&make, &remove, engine.variables(), RUN_LIMIT).await?;
        Ok((Some(cleanup), answer))
    }

    async fn init_of_image(&self) -> Result<Init, ExecError> {
        let image = images::bring(&self.engine, &self.options.settings.image).await?;
        let entry: Vec<String> = serde_json::from_str(&image.entry_point).unwrap_or_default();
        let is_s6 = entry.first().is_some_and(|first| S6_ENTRY_POINTS.contains(&first.as_str()));
        Ok(if is_s6 { Init::S6 } else { Init::Ours })
    }

    fn container(&self) -> MutexGuard<'_, Option<String>> {
        self.container.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What to leave out after the engine has said what it cannot do.
fn fewer_limits(limits: DockerLimits, answer: &ProgramOutput) -> Option<DockerLimits> {
    let words = answer.words.to_ascii_lowercase();
    let about = |terms: &[&str]| terms.iter().any(|term| words.contains(term));
    if limits.disk && about(&["storage-opt", "storage opt", "pquota", "quota"]) {
        return Some(DockerLimits { disk: false, ..limits });
    }
    if limits.resources && about(&["cgroup", "nanocpus", "cpus", "memory limit", "pids"]) {
        return Some(DockerLimits { resources: false, ..limits });
    }
    None
}

impl Backend for Docker {
    fn kind(&self) -> BackendKind {
        BackendKind::Docker
    }

    fn target(&self) -> ExecutionTarget {
        let access =
            if reaches_host(&self.options.settings) { HostAccess::Some } else { HostAccess::None };
        ExecutionTarget::of_backend(BackendKind::Docker.name(), access)
    }

    fn client(&self, call: &ShellCall<'_>) -> Command {
        let container = self.container().clone().unwrap_or_default();
        let command = self.engine.command().arg("exec");
        let command = match call.input {
            ClientInput::None => command,
            ClientInput::Forwarded => command.arg("-i"),
            ClientInput::Terminal => command.arg("-it").args(["-e", "TERM=xterm-256color"]),
        };
        // By name: the client takes the value from its own environment.
        let names = call.granted.iter().flat_map(|(name, _)| ["-e", name.as_str()]);
        let command = command.args(names).envs(call.granted.iter().cloned());
        command.arg(container).args(call.words())
    }

    fn first_cwd(&self) -> String {
        self.options.cwd.clone()
    }

    fn forwarded(&self) -> BTreeMap<String, String> {
        self.options.forwarded.clone()
    }

    fn before_execute(&self) -> BoxFuture<'_, Result<BackendState, ExecError>> {
        Box::pin(self.make_ready())
    }

    fn trouble(&self, code: i32, client_words: &str) -> Option<ClientTrouble> {
        let words = client_words.trim();
        if code == 0 || words.is_empty() {
            return None;
        }
        let said = |term: &str| words.contains(term);
        let gone = ["No such container", "no such container", "is not running", "is paused"];
        if gone.into_iter().any(said) {
            *self.container() = None;
            return Some(ClientTrouble::Gone(words.to_owned()));
        }
        if said("Cannot connect to the Docker daemon") {
            return Some(ClientTrouble::Unreachable(words.to_owned()));
        }
        if said("No such exec instance") {
            return Some(ClientTrouble::Unreachable(words.to_owned()));
        }
        let refused = said("OCI runtime exec failed") || said("Error response from daemon");
        refused.then(|| ClientTrouble::Refused(words.to_owned()))
    }

    fn clean_up(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            // A container and its files may stay; what was lent goes.
            if let Some(files) = self.files.as_ref().filter(|_| self.container().is_some())
                && let Err(error) = files.take_away(&self.inside()).await
            {
                tracing::warn!(%error, "files could not be taken out of the container");
            }
            if self.options.settings.persist_across_processes {
                return;
            }
            let container = self.container().take();
            let cleanup = self.cleanup.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(container) = container else { return };
            let removed = self.engine.ask(["rm", "-f", &container], REMOVE_LIMIT).await;
            match (removed, cleanup) {
                (Ok(answer), Some(cleanup)) if answer.succeeded => cleanup.dismiss().await,
                // Dropped, it tries again without us.
                (_, cleanup) => drop(cleanup),
            }
        })
    }
}
