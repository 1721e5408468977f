//! Which environment belongs to whom, and how long it stays.
//!
//! [`Environments`] starts an environment when the first command needs it and keeps it for the
//! next. All tasks share one, unless a task was given an image or a backend of its own
//! ([`Environments::override_task`]): then it has one to itself. Directories are remembered for
//! each conversation apart from that, so that two conversations in one place do not lead each other
//! astray, and an environment that is started again continues where it was.
//!
//! An environment nobody has used for a while is closed, unless a background process runs in it.
//!
//! What never happens here: an environment is started twice at once, closed while a command runs in
//! it, or replaced by another kind of backend because it did not start.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use hermes_approval::{Approved, ExecutionTarget, ShellLine};
use hermes_process::Command;
use tokio::time::timeout;

use crate::backend::BackendKind;
use crate::background::Processes;
use crate::child_env::{self, Passthrough};
use crate::code::ScriptBackend;
use crate::environment::{Environment, ShellMemory};
use crate::error::ExecError;
use crate::granted::{GrantedFiles, GrantedVariables};
pub use crate::lease::EnvironmentLease;
use crate::lease::EnvironmentSlot;
use crate::settings::TerminalSettings;

mod blueprint;

pub use blueprint::{Blueprint, TaskOverride};

/// The environment of everybody who has none to themselves.
const SHARED: &str = "default";
/// How often idle environments are looked for.
const ROUND: Duration = Duration::from_secs(60);
/// How long it may take to end the background processes of one, or to wait for its start, when we
/// end. How long its own end may take, its backend knows.
const CLOSE_LIMIT: Duration = Duration::from_secs(15);

/// The environments of this process.
pub struct Environments {
    blueprint: Blueprint,
    processes: Arc<Processes>,
    table: Mutex<Table>,
    granted: Arc<GrantedVariables>,
    files: Arc<GrantedFiles>,
}

#[derive(Default)]
struct Table {
    slots: HashMap<String, Arc<EnvironmentSlot>>,
    overrides: HashMap<String, TaskOverride>,
    directories: HashMap<String, String>,
    reaper_runs: bool,
}

impl Environments {
    /// No environment yet.
    #[must_use]
    pub fn new(blueprint: Blueprint, processes: Arc<Processes>) -> Arc<Self> {
        let (granted, files) = (Arc::default(), Arc::default());
        Arc::new(Self { blueprint, processes, table: Mutex::default(), granted, files })
    }

    /// Whether commands could run: the settings make sense, and the client or the key they need is there. Nothing is
    /// started.
    pub fn check(&self) -> Result<(), ExecError> {
        self.blueprint.check()
    }

    /// The background processes started in them.
    #[must_use]
    pub fn processes(&self) -> &Arc<Processes> {
        &self.processes
    }

    /// What the settings say for a task.
    pub fn settings(&self, task: &str) -> Result<Arc<TerminalSettings>, ExecError> {
        let own = self.table().overrides.get(task).cloned();
        self.blueprint.settings(own.as_ref())
    }

    /// Gives a task a directory, an image or a backend of its own.
    pub fn override_task(&self, task: &str, own: TaskOverride) {
        self.table().overrides.insert(task.to_owned(), own);
    }

    /// The name of the environment a task uses: its own, if it was given an image or a backend.
    #[must_use]
    pub fn key_of(&self, task: &str) -> String {
        let isolated = self.table().overrides.get(task).is_some_and(TaskOverride::isolates);
        if isolated { task.to_owned() } else { SHARED.to_owned() }
    }

    /// The environment of a task; started if it is not there yet.
    pub async fn of_task(self: &Arc<Self>, task: &str) -> Result<EnvironmentLease, ExecError> {
        let key = self.key_of(task);
        let settings = self.settings(task)?;
        let slot = self.slot(&key);
        slot.touch();
        let environment = {
            let mut started = slot.environment.lock().await;
            match &*started {
                Some(environment) => Arc::clone(environment),
                None => {
                    let own = self.table().overrides.get(task).cloned();
                    let mark = own.and_then(|own| own.mark);
                    let backend = self.blueprint.backend(&key, &settings, mark, &self.files)?;
                    let memory = if settings.persistent_shell {
                        ShellMemory::Kept
                    } else {
                        ShellMemory::DirectoryOnly
                    };
                    let fresh = Environment::start(backend, memory).await?;
                    let fresh = Arc::new(fresh.with_granted(Arc::clone(&self.granted)));
                    *started = Some(Arc::clone(&fresh));
                    fresh
                }
            }
        };
        self.look_after(settings.lifetime);
        Ok(EnvironmentLease { environment, key, settings, slot })
    }

    /// Has the image of a task here before anything is made of it; its name, if it had to be fetched.
    pub async fn bring_image(&self, task: &str) -> Result<Option<String>, ExecError> {
        self.blueprint.bring_image(&*self.settings(task)?).await
    }

    /// Removes the image of a task that has none of its own running; whether it is gone.
    pub async fn remove_image(&self, task: &str) -> Result<bool, ExecError> {
        self.blueprint.remove_image(&*self.settings(task)?).await
    }

    /// Ends what was made, in a place like this task's, for earlier starts of a run: containers and sandboxes with its
    /// [mark](crate::SandboxMark) and a lower number. How many that were.
    pub async fn end_leftovers(
        &self,
        task: &str,
        run: &str,
        before: u64,
    ) -> Result<usize, ExecError> {
        self.blueprint.end_leftovers(&*self.settings(task)?, run, before).await
    }

    /// Where the scripts of a task run. On this machine that needs no session of shells.
    pub async fn scripts_of_task(self: &Arc<Self>, task: &str) -> Result<ScriptBackend, ExecError> {
        let settings = self.settings(task)?;
        match settings.backend() {
            BackendKind::Local => Ok(ScriptBackend::Here(self.blueprint.scripts_here(&settings))),
            _ => Ok(ScriptBackend::Elsewhere(self.of_task(task).await?)),
        }
    }

    /// A command that runs on this machine whatever backend a task's commands have, and was approved for it. The caller
    /// says where and for how long. It sees what was [granted](Self::grant) to the conversation, and no key of ours.
    pub fn command_here(
        &self,
        task: &str,
        conversation: &str,
        line: &Approved<ShellLine>,
    ) -> Result<Command, ExecError> {
        let text = line.text_for(ExecutionTarget::Local)?;
        let settings = self.settings(task)?;
        let granted = self.granted(conversation);
        Ok(self.blueprint.command_here(&settings, text).envs(granted))
    }

    /// Where a conversation's next command runs: where its last one ended, where its task was put,
    /// or where the settings say.
    #[must_use]
    pub fn directory(&self, conversation: &str, task: &str) -> Option<String> {
        let table = self.table();
        let remembered = table.directories.get(conversation).cloned();
        remembered.or_else(|| table.overrides.get(task).and_then(|own| own.cwd.clone()))
    }

    /// Remembers where a conversation's last command ended.
    pub fn remember_directory(&self, conversation: &str, cwd: String) {
        self.table().directories.insert(conversation.to_owned(), cwd);
    }

    /// Whether a variable holds a credential of ours: a provider's key, an account's token, a key of the user's own
    /// configuration. Nothing that is loaded can ask for it.
    #[must_use]
    pub fn is_own_credential(&self, name: &str) -> bool {
        child_env::is_withheld(name) || self.blueprint.own_keys().contains(name)
    }

    /// Lets the commands of a conversation see variables, except [credentials of ours](Self::is_own_credential).
    pub fn grant(&self, conversation: &str, variables: Vec<(String, String)>) {
        let own = self.blueprint.own_keys();
        let names = Passthrough::new(variables.iter().map(|(name, _)| name), &own);
        self.granted
            .add(conversation, variables.into_iter().filter(|(name, _)| names.allows(name)));
    }

    /// Has files below the home brought to where a conversation's commands run, if that is not this machine. Stores
    /// of ours and what leads out of the home are left out, whoever asks.
    pub fn grant_files(&self, conversation: &str, files: Vec<String>) {
        if !files.is_empty() {
            self.files.add(conversation, files);
        }
    }

    /// What was [granted](Self::grant) to a conversation.
    #[must_use]
    pub fn granted(&self, conversation: &str) -> Vec<(String, String)> {
        self.granted.of(conversation)
    }

    /// Gives up what is kept for a conversation that is over: its directory and its shell. Background
    /// processes go on.
    pub fn forget(&self, conversation: &str) {
        let slots: Vec<Arc<EnvironmentSlot>> = {
            let mut table = self.table();
            table.directories.remove(conversation);
            table.overrides.remove(conversation);
            self.granted.forget(conversation);
            self.files.forget(conversation);
            table.slots.values().cloned().collect()
        };
        // An environment that is just being started or closed keeps nothing of it yet, or no longer.
        for slot in slots {
            if let Ok(environment) = slot.environment.try_lock()
                && let Some(environment) = &*environment
            {
                environment.forget(conversation);
            }
        }
    }

    /// Closes one environment with everything that runs in it.
    pub async fn close(&self, key: &str) {
        let slot = self.table().slots.remove(key);
        let Some(slot) = slot else { return };
        let ended = timeout(CLOSE_LIMIT, self.processes.kill_all(Some(key))).await;
        let slot = timeout(CLOSE_LIMIT, slot.environment.lock()).await;
        let environment = slot.map(|mut slot| slot.take());
        let in_time = match environment {
            Ok(Some(environment)) => {
                let limit = environment.backend().clean_up_limit();
                timeout(limit, environment.clean_up()).await.is_ok()
            }
            Ok(None) => true,
            Err(_) => false,
        };
        if ended.is_err() || !in_time {
            tracing::warn!(key, "an environment took too long to close");
        }
    }

    /// Ends every environment of every task, side by side.
    pub async fn close_all(&self) {
        let keys: Vec<String> = self.table().slots.keys().cloned().collect();
        futures_util::future::join_all(keys.iter().map(|key| self.close(key))).await;
    }

    fn slot(&self, key: &str) -> Arc<EnvironmentSlot> {
        let mut table = self.table();
        let slot = table.slots.entry(key.to_owned()).or_insert_with(|| {
            let last_used = Mutex::new(Instant::now());
            Arc::new(EnvironmentSlot { environment: tokio::sync::Mutex::default(), last_used })
        });
        Arc::clone(slot)
    }

    /// Starts the round that closes idle environments, once.
    fn look_after(self: &Arc<Self>, lifetime: Duration) {
        let first = !std::mem::replace(&mut self.table().reaper_runs, true);
        if first {
            tokio::spawn(close_idle(Arc::downgrade(self), lifetime));
        }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn close_idle(environments: Weak<Environments>, lifetime: Duration) {
    loop {
        tokio::time::sleep(ROUND.min(lifetime)).await;
        let Some(environments) = environments.upgrade() else { return };
        let slots: Vec<(String, Arc<EnvironmentSlot>)> = environments
            .table()
            .slots
            .iter()
            .map(|(key, slot)| (key.clone(), Arc::clone(slot)))
            .collect();
        for (key, slot) in slots {
            // The table holds one, this loop another; a third is a command under way.
            let is_used = Arc::strong_count(&slot) > 2;
            if !is_used && slot.idle() > lifetime && !environments.processes.any_running_in(&key) {
                tracing::info!(key, "closing an environment nobody uses");
                environments.close(&key).await;
            }
        }
    }
}
