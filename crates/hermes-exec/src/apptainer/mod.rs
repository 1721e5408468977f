//! Instances of apptainer, or of singularity as it was called before.
//!
//! An instance is started once and every command joins it. It sees nothing of the host but the
//! image, and the files of the Hermes home that are shown, read-only; its changes go to an overlay
//! that is found again, or to memory. It is stopped when we end, however we end
//! ([`CleanupSupervisor`]).
//!
//! What never happens here: the variables of this process, or folders of the host that they name,
//! get into an instance; limits that the engine can enforce are left out.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_approval::{ExecutionTarget, HostAccess};
use hermes_process::{Command, process_start_time};
use hermes_tool::Vars;
use serde_json::Value;

use crate::backend::{Backend, BackendKind, BackendState, ClientInput, ClientTrouble, ShellCall};
use crate::cleanup::CleanupSupervisor;
use crate::environment::random_id;
use crate::error::ExecError;
use crate::granted::GrantedFiles;
use crate::mark::{SandboxMark, epoch_of_name};
use crate::programs::ClientProgram;
use crate::settings::SingularitySettings;
use crate::sync::{FileSync, RemoteShell, SEEN_AT};

mod arguments;
mod image;
mod storage;

use arguments::{ApptainerLimits, InstancePlan, STOP, execute, is_about_limits};

const VERSION_LIMIT: Duration = Duration::from_secs(5);
const START_LIMIT: Duration = Duration::from_secs(120);
const LIST_LIMIT: Duration = Duration::from_secs(15);
const STOP_LIMIT: Duration = Duration::from_secs(30);

/// The newer name is preferred.
const NAMES: [&str; 2] = ["apptainer", "singularity"];

/// Variables the client needs of ours. Not among them are those that mount folders of the host or
/// set variables inside.
const VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "TMPDIR",
    "XDG_RUNTIME_DIR",
    "DBUS_SESSION_BUS_ADDRESS",
    "APPTAINER_CACHEDIR",
    "APPTAINER_CONFIGDIR",
    "APPTAINER_TMPDIR",
    "APPTAINER_USERNS",
    "SINGULARITY_CACHEDIR",
    "SINGULARITY_TMPDIR",
];

/// What it needs besides to fetch an image.
const FETCH_VARIABLES: &[&str] = &[
    "APPTAINER_DOCKER_USERNAME",
    "APPTAINER_DOCKER_PASSWORD",
    "SINGULARITY_DOCKER_USERNAME",
    "SINGULARITY_DOCKER_PASSWORD",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
];

/// What a terminal inside is taken for.
const TERMINAL: &str = "xterm-256color";

/// What the apptainer backend needs to know.
#[derive(Clone, Debug)]
pub struct ApptainerOptions {
    /// The image, and what its instances may use.
    pub settings: SingularitySettings,
    /// Where commands begin.
    pub cwd: String,
    /// The task it belongs to.
    pub task: String,
    /// Whose it is, where that is a run.
    pub mark: Option<SandboxMark>,
    /// `HERMES_HOME`, where the record of overlays is.
    pub home: PathBuf,
    /// Files and folders shown inside, read-only: on the host, and below the Hermes home of the
    /// user in there.
    pub shown: Vec<(String, String)>,
}

/// Commands in an instance.
pub struct Apptainer {
    client: ClientProgram,
    builder: ClientProgram,
    options: ApptainerOptions,
    instance: Mutex<Option<Arc<Instance>>>,
    starting: tokio::sync::Mutex<()>,
    /// Files with credentials that conversations are granted. They are copied in, since an instance cannot be given
    /// another mount.
    files: Option<FileSync>,
}

struct Instance {
    name: String,
    /// Its first process, with the time it was started, if the engine tells.
    process: Option<(u32, u64)>,
    cleanup: Mutex<Option<CleanupSupervisor>>,
}

impl Instance {
    fn lives(&self) -> bool {
        self.process.is_none_or(|(pid, started)| process_start_time(pid) == Some(started))
    }
}

/// The client.
pub(crate) fn client(process: &Vars) -> Result<ClientProgram, ExecError> {
    client_with(VARIABLES, process)
}

fn client_with(variables: &[&str], process: &Vars) -> Result<ClientProgram, ExecError> {
    ClientProgram::find(&NAMES, variables, process).ok_or_else(|| ExecError::Unavailable {
        backend: BackendKind::Singularity,
        why: "neither apptainer nor singularity was found in PATH; install one of them".into(),
    })
}

/// The words that stop an instance.
fn stop_words(client: &ClientProgram, name: &str) -> Vec<String> {
    let mut words = ["/bin/sh", "-c", STOP, "hermes-stop"].map(str::to_owned).to_vec();
    words.extend(client.words([name]));
    words
}

/// Stops an instance; says whether that worked or there was none.
async fn stop(client: &ClientProgram, name: &str) -> bool {
    let words = stop_words(client, name);
    let Some((program, words)) = words.split_first() else { return false };
    let command = Command::new(program).args(words.iter().cloned());
    let stopped = command.envs(client.variables()).cwd("/").deadline(STOP_LIMIT).run().await;
    stopped.is_ok_and(|done| done.success() || done.stderr.text().contains("no instance found"))
}

/// Stops the instances of a run that were started before a start of it; how many that were.
pub(crate) async fn end_leftovers(
    process: &Vars,
    run: &str,
    before: u64,
) -> Result<usize, ExecError> {
    let client = client(process)?;
    let listed = client.ask(["instance", "list", "--json"], LIST_LIMIT).await?;
    if !listed.succeeded {
        let why = listed.words;
        return Err(ExecError::Unavailable { backend: BackendKind::Singularity, why });
    }
    let listed: Value = serde_json::from_str(&listed.output).unwrap_or_default();
    let names = listed["instances"].as_array().into_iter().flatten();
    let names = names.filter_map(|instance| instance["instance"].as_str());
    let old = names.filter(|name| epoch_of_name(name, run).is_some_and(|epoch| epoch < before));
    let mut ended = 0;
    for name in old {
        ended += usize::from(stop(&client, name).await);
    }
    Ok(ended)
}

impl Apptainer {
    /// Finds the client; the instance is started with the first command.
    pub fn new(options: ApptainerOptions, process: &Vars) -> Result<Self, ExecError> {
        let client = client(process)?;
        let with_fetch = [VARIABLES, FETCH_VARIABLES].concat();
        let builder = client_with(&with_fetch, process)?;
        Ok(Self {
            client,
            builder,
            options,
            instance: Mutex::default(),
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

    /// The way into the instance for files.
    fn inside(&self) -> RemoteShell<'_> {
        let shell = |script: &str, _: ClientInput| {
            let name = self.instance().as_ref().map(|instance| instance.name.clone());
            let command = self.client.command().args(execute(&name.unwrap_or_default()));
            command.args(["sh", "-c", script])
        };
        RemoteShell { base: SEEN_AT, shell: Box::new(shell) }
    }

    async fn make_sure(&self) -> Result<BackendState, ExecError> {
        if self.stands() {
            return Ok(BackendState::AsBefore);
        }
        let _one_at_a_time = self.starting.lock().await;
        if self.stands() {
            return Ok(BackendState::AsBefore);
        }
        // Dropped, its cleanup supervisor removes what is left of it.
        *self.instance() = None;
        let version = self.client.ask(["--version"], VERSION_LIMIT).await?;
        if !version.succeeded {
            let why = format!("{} does not answer: {}", self.client.name(), version.words);
            return Err(ExecError::Unavailable { backend: BackendKind::Singularity, why });
        }
        let instance = self.make().await?;
        *self.instance() = Some(Arc::new(instance));
        Ok(BackendState::Anew)
    }

    async fn make(&self) -> Result<Instance, ExecError> {
        let ApptainerOptions { settings, task, home, shown, .. } = &self.options;
        let scratch = storage::scratch(&settings.scratch)?;
        let (looked_at, limit) = (scratch.clone(), settings.disk_warning_bytes);
        tokio::task::spawn_blocking(move || storage::warn_of_size(&looked_at, limit));
        let cache = settings.cache_dir.clone().unwrap_or_else(|| scratch.join("images"));
        let image = image::usable(&settings.image, &cache, &self.builder).await?;
        let overlay = match settings.container.persistent {
            true => Some(storage::overlay(home, &scratch, task)?),
            false => None,
        };
        let mut limits = ApptainerLimits::Asked;
        loop {
            let name = match &self.options.mark {
                Some(mark) => mark.name(),
                None => format!("hermes_{}", random_id()),
            };
            let plan = InstancePlan {
                container: &settings.container,
                image: &image,
                name: &name,
                overlay: overlay.as_deref(),
                shown,
                limits,
            };
            let words = plan.words();
            let make = self.client.words(words.iter().map(String::as_str));
            let remove = stop_words(&self.client, &name);
            let made =
                CleanupSupervisor::make(&make, &remove, self.client.variables(), START_LIMIT);
            let (cleanup, answer) = made.await?;
            if answer.succeeded {
                let process = self.first_process(&name).await;
                return Ok(Instance { name, process, cleanup: Mutex::new(Some(cleanup)) });
            }
            self.stop(&name).await;
            // Stops what may have been started after all.
            drop(cleanup);
            if limits == ApptainerLimits::Asked && is_about_limits(&answer.words) {
                tracing::warn!(
                    words = answer.words,
                    "this engine cannot limit memory and processors"
                );
                limits = ApptainerLimits::LeftOut;
                continue;
            }
            let why = answer.words;
            return Err(ExecError::NotStarted { backend: BackendKind::Singularity, why });
        }
    }

    async fn first_process(&self, name: &str) -> Option<(u32, u64)> {
        let listed =
            self.client.ask(["instance", "list", "--json", name], LIST_LIMIT).await.ok()?;
        let listed: Value = serde_json::from_str(&listed.output).ok()?;
        let pid = listed.get("instances")?.get(0)?.get("pid")?.as_u64()?;
        let pid = u32::try_from(pid).ok()?;
        Some((pid, process_start_time(pid)?))
    }

    /// Stops an instance; says whether that worked or there was none.
    async fn stop(&self, name: &str) -> bool {
        stop(&self.client, name).await
    }

    fn stands(&self) -> bool {
        self.instance().as_ref().is_some_and(|instance| instance.lives())
    }

    fn instance(&self) -> MutexGuard<'_, Option<Arc<Instance>>> {
        self.instance.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for Apptainer {
    fn kind(&self) -> BackendKind {
        BackendKind::Singularity
    }

    fn target(&self) -> ExecutionTarget {
        ExecutionTarget::of_backend(BackendKind::Singularity.name(), HostAccess::None)
    }

    fn client(&self, call: &ShellCall<'_>) -> Command {
        let name = self.instance().as_ref().map(|instance| instance.name.clone());
        let command = self.client.command().args(execute(&name.unwrap_or_default()));
        let command = match call.input {
            // The terminal of the client is the one of the command.
            ClientInput::Terminal => command.env("TERM", TERMINAL),
            ClientInput::None | ClientInput::Forwarded => command,
        };
        let granted = call.granted.iter();
        let granted = granted.map(|(name, value)| (format!("APPTAINERENV_{name}"), value.clone()));
        command.envs(granted).args(call.words())
    }

    fn first_cwd(&self) -> String {
        self.options.cwd.clone()
    }

    fn before_execute(&self) -> BoxFuture<'_, Result<BackendState, ExecError>> {
        Box::pin(self.make_ready())
    }

    fn trouble(&self, code: i32, client_words: &str) -> Option<ClientTrouble> {
        let complaint = client_words.lines().find(|line| line.starts_with("FATAL:"))?;
        if code == 0 {
            return None;
        }
        let complaint = complaint.trim_start_matches("FATAL:").trim().to_owned();
        if complaint.contains("no instance found") {
            *self.instance() = None;
            return Some(ClientTrouble::Gone(complaint));
        }
        Some(ClientTrouble::Refused(complaint))
    }

    fn clean_up(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            // Its overlay may stay; what was lent goes.
            if let Some(files) = self.files.as_ref().filter(|_| self.stands())
                && let Err(error) = files.take_away(&self.inside()).await
            {
                tracing::warn!(%error, "files could not be taken out of the instance");
            }
            let instance = self.instance().take();
            let Some(instance) = instance else { return };
            let cleanup = instance.cleanup.lock().unwrap_or_else(PoisonError::into_inner).take();
            match (self.stop(&instance.name).await, cleanup) {
                (true, Some(cleanup)) => cleanup.dismiss().await,
                // Dropped, it tries again without us.
                (_, cleanup) => drop(cleanup),
            }
        })
    }
}
