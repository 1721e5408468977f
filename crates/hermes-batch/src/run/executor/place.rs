//! Where a task works: its folder on this machine, or its container or sandbox elsewhere.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;
use std::time::Duration;

use hermes_approval::{Audience, CommandRequest, HostFacts};
use hermes_exec::manager::{EnvironmentLease, TaskOverride};
use hermes_exec::{BackendKind, Environment, ExecOptions, ExecResult, SandboxMark};
use hermes_tool::settings::SettingValue as _;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

use super::{AgentExecutor, ExecutorOptions, Trouble};
use crate::dataset::hex;
use crate::run::task::BatchTask;
use crate::store::FetchedImages;

/// Longest time of a set-up or a check.
const SIDE_COMMAND_LIMIT: Duration = Duration::from_secs(600);
/// Seconds that a place stays beyond the time of its task, which stands still while the task waits.
const SPARE_LIFE: u64 = 600;
/// The disk of a container in MB if nobody asks for another.
const USUAL_DISK: u64 = 10_240;

/// Where a task works.
pub(super) struct TaskWorkspace {
    /// Names its shell, its conversation and its environment.
    pub(super) key: String,
    /// On this machine.
    pub(super) folder: PathBuf,
    /// What its container or sandbox carries.
    mark: SandboxMark,
}

/// Where a setting says what a task is to be made of, and how.
fn image_setting(backend: BackendKind, image: &str) -> Result<(&'static str, String), Trouble> {
    match backend {
        BackendKind::Docker => Ok(("docker_image", image.to_owned())),
        BackendKind::Singularity => Ok(("singularity_image", format!("docker://{image}"))),
        BackendKind::Modal => Ok(("modal_image", image.to_owned())),
        BackendKind::Daytona => Ok(("daytona_image", image.to_owned())),
        BackendKind::Local | BackendKind::Ssh | BackendKind::Vercel => Err(Trouble::new(
            "config",
            format!("the row wants the image {image}, and on {backend} nothing is made of images"),
        )),
    }
}

/// What was lost on the way is no fault of the model, and what it did afterwards is no trajectory.
pub(super) fn still_there(held: Option<&Environment>) -> Result<(), Trouble> {
    let lost = held.filter(|held| held.kind() != BackendKind::Ssh && held.losses() > 0);
    lost.map_or(Ok(()), |held| {
        Err(Trouble::new(
            "infra.sandbox",
            format!("the {} environment was gone in the middle, with all its files", held.kind()),
        ))
    })
}

/// Whether it is the disk that refuses, or what is asked of it.
fn disk_class(error: &std::io::Error) -> &'static str {
    use std::io::ErrorKind::{QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    match error.kind() {
        StorageFull | QuotaExceeded | ReadOnlyFilesystem => "infra.disk",
        _ => "infra.sandbox",
    }
}

fn sandbox_class(image: &Option<String>) -> &'static str {
    if image.is_some() { "infra.image" } else { "infra.sandbox" }
}

fn put_files_here(folder: &Path, task: &BatchTask) -> std::io::Result<()> {
    for (path, bytes) in &task.row.files {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::io::Write::write_all(&mut std::fs::File::create_new(&path)?, bytes)?;
    }
    Ok(())
}

impl AgentExecutor {
    /// Where a task works in this start: nobody else does, in no other run either.
    pub(super) fn place_of(&self, task: &BatchTask) -> TaskWorkspace {
        let ExecutorOptions { run, epoch, folder, .. } = &self.setup;
        let hash = hex(&Sha256::digest(&task.id)[..8]);
        let name = format!("{epoch:06}-{hash}");
        let mark = SandboxMark { run: run.clone(), epoch: *epoch, task: hash };
        let short: String = run.chars().take(8).collect();
        TaskWorkspace {
            key: format!("batch-{short}-{name}"),
            folder: folder.sandboxes().join(&name),
            mark,
        }
    }

    /// Starts the container or sandbox of a task. An image that is not there is found out before a token is spent.
    pub(super) async fn started(
        &self,
        task: &BatchTask,
        place: &TaskWorkspace,
    ) -> Result<EnvironmentLease, Trouble> {
        let environments = self.agents.tools().environments();
        let images = || self.images.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = images().contains(&task.row.image);
        if !is_known {
            let brought = environments.bring_image(&place.key).await;
            let brought = brought.map_err(|error| Trouble::new("infra.image", error))?;
            if let Some(image) = brought
                && let Err(error) = FetchedImages(&self.setup.folder).add(&image)
            {
                tracing::warn!(%error, image, "gc will not know of an image");
            }
            images().insert(task.row.image.clone());
        }
        let started = environments.of_task(&place.key).await;
        started.map_err(|error| {
            // It may have been removed since.
            images().remove(&task.row.image);
            Trouble::new(sandbox_class(&task.row.image), error)
        })
    }

    /// Makes the place of a task and says where it begins.
    pub(super) fn prepare(
        &self,
        task: &BatchTask,
        place: &TaskWorkspace,
    ) -> Result<PathBuf, Trouble> {
        let options = &self.setup.options;
        let broken = |error: std::io::Error| {
            Trouble::new(disk_class(&error), format!("{}: {error}", place.folder.display()))
        };
        std::fs::create_dir_all(&place.folder).map_err(broken)?;
        let environments = self.agents.tools().environments();
        let configured = environments.settings(&place.key);
        let configured = configured.map_err(|error| Trouble::new("config", error))?.backend();
        let backend = match &options.backend {
            None => configured,
            Some(word) => BackendKind::from_config(&json!(word)).ok_or_else(|| {
                Trouble::new("config", format!("{word:?} is no place where commands run"))
            })?,
        };
        let limit = task.row.timeout_s.unwrap_or(options.row_timeout_s);
        let mut terminal = Map::new();
        terminal.insert("backend".to_owned(), backend.name().into());
        terminal.insert("lifetime_seconds".to_owned(), (limit.ceil() as u64 + SPARE_LIFE).into());
        let mut cwd = task.row.cwd.clone();
        if backend == BackendKind::Local {
            if let Some(image) = &task.row.image {
                let why = format!(
                    "the row wants the image {image}, and tasks run on this machine; give --backend docker"
                );
                return Err(Trouble::new("config", why));
            }
            put_files_here(&place.folder, task).map_err(broken)?;
            let here = match &cwd {
                Some(wanted) if !Path::new(wanted).is_dir() => {
                    return Err(Trouble::new(
                        "config",
                        format!("the row's directory {wanted} is not there"),
                    ));
                }
                Some(wanted) => PathBuf::from(wanted),
                None => place.folder.clone(),
            };
            let here = std::fs::canonicalize(&here).map_err(broken)?;
            terminal.insert("cwd".to_owned(), here.display().to_string().into());
            if options.is_limited {
                terminal.insert("local_memory".to_owned(), options.memory_mb.into());
                terminal.insert("local_file_size".to_owned(), options.disk_mb.into());
                terminal.insert("local_processes".to_owned(), options.pids.into());
            }
            let cwd = Some(here.display().to_string());
            environments.override_task(&place.key, TaskOverride { cwd, terminal, mark: None });
            return Ok(here);
        }
        // A cloud whose disk has one size refuses any other; nobody asked for this one.
        let has_one_disk = backend == BackendKind::Vercel && options.disk_mb == USUAL_DISK;
        let settings: [(&str, Value); 9] = [
            ("container_cpu", json!(options.cpus)),
            ("container_memory", json!(options.memory_mb)),
            ("container_disk", json!(if has_one_disk { 0 } else { options.disk_mb })),
            ("container_pids", json!(options.pids)),
            ("container_persistent", json!(false)),
            ("container_network", json!(options.network)),
            ("docker_network", json!(options.network)),
            ("docker_persist_across_processes", json!(false)),
            ("docker_mount_cwd_to_workspace", json!(false)),
        ];
        terminal.extend(settings.map(|(name, value)| (name.to_owned(), value)));
        if let Some(image) = &task.row.image {
            let (key, image) = image_setting(backend, image)?;
            terminal.insert(key.to_owned(), image.into());
        }
        if let Some(cwd) = &cwd {
            terminal.insert("cwd".to_owned(), cwd.clone().into());
        }
        let there = cwd.take();
        let mark = Some(place.mark.clone());
        environments.override_task(&place.key, TaskOverride { cwd: there, terminal, mark });
        Ok(place.folder.clone())
    }

    pub(super) fn is_contained(&self, place: &TaskWorkspace) -> Result<bool, Trouble> {
        let settings = self.agents.tools().environments().settings(&place.key);
        let settings = settings.map_err(|error| Trouble::new("config", error))?;
        Ok(settings.backend() != hermes_exec::BackendKind::Local)
    }

    /// Puts the row's files where its commands will find them, over the way commands go.
    pub(super) async fn put_files(
        &self,
        task: &BatchTask,
        place: &TaskWorkspace,
        stop: &CancellationToken,
    ) -> Result<(), Trouble> {
        for (path, bytes) in &task.row.files {
            let quoted = hermes_exec::quoted(path);
            let parent =
                Path::new(path).parent().map(|parent| parent.to_string_lossy().into_owned());
            let made = match parent.filter(|parent| !parent.is_empty()) {
                Some(parent) => format!("mkdir -p {} && ", hermes_exec::quoted(&parent)),
                None => String::new(),
            };
            let line = format!("{made}cat > {quoted}");
            let ran = self.command_with(&line, place, &[], Some(bytes.clone()), stop).await?;
            if ran.code != 0 {
                return Err(Trouble::new(
                    "infra.sandbox",
                    format!("cannot put {path}: {}", ran.output),
                ));
            }
        }
        Ok(())
    }

    pub(super) async fn command(
        &self,
        command: &str,
        place: &TaskWorkspace,
        variables: &[(String, String)],
        stop: &CancellationToken,
    ) -> Result<ExecResult, Trouble> {
        self.command_with(command, place, variables, None, stop).await
    }

    /// Runs a command of the row in the task's place, if the gate lets it.
    async fn command_with(
        &self,
        command: &str,
        place: &TaskWorkspace,
        variables: &[(String, String)],
        stdin: Option<Vec<u8>>,
        stop: &CancellationToken,
    ) -> Result<ExecResult, Trouble> {
        let (tools, host) = (self.agents.tools(), self.agents.host());
        let environment = tools.environments().of_task(&place.key).await;
        let environment = environment.map_err(|error| Trouble::new("infra.sandbox", error))?;
        let cwd = tools.environments().directory(&place.key, &place.key);
        let mut request = CommandRequest::new(command);
        request.session = place.key.clone();
        request.target = environment.backend().target();
        request.audience = Audience::Nobody;
        let facts = HostFacts::from_vars(host.vars(), host.home().root());
        let here = cwd.clone().unwrap_or_else(|| environment.cwd());
        request.host = HostFacts { cwd: Some(here), ..facts };
        request.shell = environment.kept_shell(&place.key);
        request.cancellation = stop.clone();
        let line = tools.approvals().admit(request).await;
        let line = line.map_err(|refusal| {
            let why = Value::Object(refusal.to_result());
            Trouble::new(
                "config",
                format!(
                    "`{command}` was refused: {}",
                    why["error"].as_str().unwrap_or("a rule says no")
                ),
            )
        })?;
        let how = ExecOptions {
            cwd,
            timeout: SIDE_COMMAND_LIMIT,
            stdin,
            cancel: stop.clone(),
            exports: variables.to_vec(),
            ..ExecOptions::default()
        };
        environment.execute(&line, how).await.map_err(|error| Trouble::new("infra.sandbox", error))
    }
}
