//! An environment with a memory: one backend and the session of shells in it.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hermes_approval::{Approved, ShellLine};
use hermes_guard::command::KeptShell;
use hermes_guard::command_line::sudo;
use hermes_process::{Child, End, FinishedProcess, Leftovers, OutputMode, Stdin};
use tokio::io::AsyncWriteExt as _;

use crate::backend::{
    Backend, BackendKind, BackendState, ClientInput, ClientTrouble, FileReach, ShellCall,
};
use crate::error::ExecError;
use crate::granted::GrantedVariables;
use crate::guard::Guard;
use crate::quote::quoted;
use crate::session::{Keep, Password, Scripts, Wrapped, first_input, is_long};

mod begin;
mod bytes;
mod conclude;
mod files;
mod live;
mod options;
mod prepare;
mod shells;

pub(crate) use begin::random_id;
pub use live::LiveOutput;
pub use options::{ExecEnd, ExecOptions, ExecResult, ShellMemory, SpawnOptions, SudoPassword};

use begin::{SessionState, StartOfShell, own_command};
use conclude::conclude;
use prepare::PreparedCommand;
use shells::{CommandOwner, SessionShell, Shells};

/// Time between SIGTERM and SIGKILL when a command is stopped.
const GRACE: Duration = Duration::from_secs(1);

/// A process started to run on its own.
pub struct SpawnedProcess {
    /// The process on this machine: the shell, or the client of the one over there.
    pub child: Child,
    pub(crate) call: String,
    pub(crate) guard: Option<Guard>,
}

enum Attempt {
    Ran(ExecResult),
    Gone(String),
}

/// One backend and its session of shells.
pub struct Environment {
    backend: Arc<dyn Backend>,
    memory: ShellMemory,
    calls: AtomicU64,
    /// How often what it ran in was gone.
    losses: AtomicU64,
    state: Mutex<SessionState>,
    shells: Mutex<Shells>,
    revival: tokio::sync::Mutex<()>,
    granted: Arc<GrantedVariables>,
}

impl Environment {
    /// Makes the environment ready and takes the first snapshot.
    pub async fn start(backend: Arc<dyn Backend>, memory: ShellMemory) -> Result<Self, ExecError> {
        backend.before_execute().await?;
        let (state, shells) = begin::session(&*backend, None).await?;
        Ok(Self {
            backend,
            memory,
            calls: AtomicU64::new(1),
            losses: AtomicU64::new(0),
            state: Mutex::new(state),
            shells: Mutex::new(shells),
            revival: tokio::sync::Mutex::default(),
            granted: Arc::default(),
        })
    }

    /// The same, whose commands see what their conversations were granted.
    pub(crate) fn with_granted(self, granted: Arc<GrantedVariables>) -> Self {
        Self { granted, ..self }
    }

    /// What kind of backend it is.
    #[must_use]
    pub fn kind(&self) -> BackendKind {
        self.backend.kind()
    }

    /// The backend itself.
    #[must_use]
    pub fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }

    /// How often the container, sandbox or host was gone and another took its place, without the files of the old.
    #[must_use]
    pub fn losses(&self) -> u64 {
        self.losses.load(Ordering::Relaxed)
    }

    /// Where a conversation begins.
    #[must_use]
    pub fn cwd(&self) -> String {
        self.shells().look("").cwd.clone()
    }

    /// What a conversation's next command finds in its shell, for the gate to judge it by; nothing
    /// where that is out of our reach.
    #[must_use]
    pub fn kept_shell(&self, session: &str) -> Option<Arc<KeptShell>> {
        self.shells().look(session).readable.clone()
    }

    /// Gives up the shell of a conversation that is over.
    pub(crate) fn forget(&self, session: &str) {
        self.shells().forget(session);
    }

    /// Runs an approved command to its end.
    pub async fn execute(
        &self,
        line: &Approved<ShellLine>,
        how: ExecOptions,
    ) -> Result<ExecResult, ExecError> {
        let command = line.text_for(self.backend.target())?;
        self.run_as(owner(line), command, how).await
    }

    async fn run_as(
        &self,
        owner: CommandOwner<'_>,
        command: &str,
        how: ExecOptions,
    ) -> Result<ExecResult, ExecError> {
        self.make_ready().await?;
        let prepared = self.prepare(command, &how).await;
        match self.attempt(&prepared, owner, &how).await? {
            Attempt::Ran(ran) => Ok(ran),
            Attempt::Gone(why) => {
                // The client says that the command never started, so it may be tried once more.
                tracing::warn!(backend = %self.kind(), why, "starting the environment again");
                self.revive(BackendState::AsBefore).await?;
                match self.attempt(&prepared, owner, &how).await? {
                    Attempt::Ran(ran) => Ok(ran),
                    Attempt::Gone(why) => Err(ExecError::Gone { backend: self.kind(), why }),
                }
            }
        }
    }

    /// Starts an approved command that runs on its own, with its input open.
    pub async fn spawn(
        &self,
        line: &Approved<ShellLine>,
        how: SpawnOptions,
    ) -> Result<SpawnedProcess, ExecError> {
        let command = line.text_for(self.backend.target())?;
        self.spawn_as(owner(line), command, how).await
    }

    async fn spawn_as(
        &self,
        owner: CommandOwner<'_>,
        command: &str,
        how: SpawnOptions,
    ) -> Result<SpawnedProcess, ExecError> {
        self.no_zero(command)?;
        if how.pty.is_some() && is_long(command) {
            let why = "a command this long cannot be given a terminal; write it to a file and run \
                       that";
            return Err(ExecError::NotStarted { backend: self.kind(), why: why.to_owned() });
        }
        self.make_ready().await?;
        let mut spawned = self.spawn_client(command, owner, &how, OutputMode::Merged)?;
        // Not for a terminal, where it would be typed: there a long command is told to be too long.
        if let Some(mut pipe) = spawned.child.take_stdin() {
            let _ = pipe.write_all(&first_input(command, None)).await;
            spawned.child.return_stdin(pipe);
        }
        Ok(spawned)
    }

    /// Starts a short command of ours in a conversation's shell, with what its client says apart from
    /// what it writes; and the folder of the environment's scripts.
    pub(crate) async fn spawn_apart(
        &self,
        session: &str,
        command: &str,
        cwd: Option<String>,
    ) -> Result<(SpawnedProcess, String), ExecError> {
        self.make_ready().await?;
        let folder = self.state().scripts.folder().to_owned();
        let how = SpawnOptions { cwd, ..SpawnOptions::default() };
        let owner = CommandOwner { session, judged: None };
        Ok((self.spawn_client(command, owner, &how, OutputMode::Separate)?, folder))
    }

    fn spawn_client(
        &self,
        command: &str,
        owner: CommandOwner<'_>,
        how: &SpawnOptions,
        output: OutputMode,
    ) -> Result<SpawnedProcess, ExecError> {
        let SessionState { scripts, start, guard } = self.view();
        let SessionShell { number, cwd, kept, .. } = self.shell_of(owner)?;
        let call = self.next_call();
        let script = scripts.wrap(&Wrapped {
            command,
            cwd: how.cwd.as_deref().unwrap_or(&cwd),
            call: &call,
            snapshot: number,
            exports: &how.exports,
            keep: Keep::Nothing,
            start: start.start(scripts.reach(), &kept),
            password: Password::None,
        });
        let input = if how.pty.is_some() { ClientInput::Terminal } else { ClientInput::Forwarded };
        let shell_call = ShellCall {
            script: &script,
            shell: start.shell(),
            variables: start.variables(scripts.reach(), &kept),
            granted: &self.granted.of(owner.session),
            input,
            tag: scripts.tag(&call),
        };
        let client = self.backend.client(&shell_call);
        let client = match how.pty {
            Some(size) => client.pty(size),
            None => client.stdin(Stdin::Piped).output(output),
        };
        Ok(SpawnedProcess { child: client.spawn()?, call, guard })
    }

    /// Ends the session and everything started in it.
    pub async fn clean_up(&self) {
        let guard = self.state().guard.take();
        if let Some(guard) = guard {
            guard.dismiss().await;
        }
        let scripts = self.state().scripts.clone();
        if scripts.reach() == FileReach::Local {
            let _ = std::fs::remove_dir_all(scripts.folder());
        }
        self.backend.clean_up().await;
    }

    async fn make_ready(&self) -> Result<(), ExecError> {
        let ready = self.backend.before_execute().await?;
        let guard_stands = self.backend.reach() == FileReach::Local
            || self.state().guard.as_ref().is_some_and(Guard::stands);
        if ready == BackendState::Anew || !guard_stands {
            self.revive(ready).await?;
        }
        Ok(())
    }

    /// Begins a new session in an environment that lost the old one.
    async fn revive(&self, found: BackendState) -> Result<(), ExecError> {
        let _one_at_a_time = self.revival.lock().await;
        let is_new = self.backend.before_execute().await? == BackendState::Anew
            || found == BackendState::Anew;
        // In a new environment there is no old guard, even if we have not noticed its end yet.
        let stands = !is_new && self.state().guard.as_ref().is_some_and(Guard::stands);
        if stands && self.backend.reach() == FileReach::Remote {
            let scripts = self.state().scripts.clone();
            let folder = quoted(scripts.folder());
            let still_there = own_command(&*self.backend, &scripts, &format!("[ -d {folder} ]"))
                .deadline(begin::PROBE_LIMIT)
                .run()
                .await;
            if still_there.is_ok_and(|done| done.success()) {
                return Ok(());
            }
        }
        let cwd = self.cwd();
        let (state, shells) = begin::session(&*self.backend, Some(cwd)).await?;
        if is_new {
            self.losses.fetch_add(1, Ordering::Relaxed);
        }
        *self.state() = state;
        *self.shells() = shells;
        Ok(())
    }

    async fn attempt(
        &self,
        prepared: &PreparedCommand<'_>,
        owner: CommandOwner<'_>,
        how: &ExecOptions,
    ) -> Result<Attempt, ExecError> {
        let SessionState { scripts, start, guard } = self.view();
        let SessionShell { number, cwd: session_cwd, kept, .. } = self.shell_of(owner)?;
        let call = self.next_call();
        let command = match &prepared.password {
            Some(_) => sudo::with_options(&prepared.command, &scripts.sudo_options(&call)),
            None => Cow::Borrowed(&*prepared.command),
        };
        self.no_zero(&command)?;
        let mut input = first_input(&command, prepared.password.as_deref());
        let keep = match self.memory {
            ShellMemory::Kept if start == StartOfShell::Snapshot => Keep::State,
            ShellMemory::Kept | ShellMemory::DirectoryOnly => Keep::Directory,
        };
        let script = scripts.wrap(&Wrapped {
            command: &command,
            cwd: how.cwd.as_deref().unwrap_or(&session_cwd),
            call: &call,
            snapshot: number,
            exports: &how.exports,
            keep,
            start: start.start(scripts.reach(), &kept),
            password: match prepared.password {
                Some(_) => Password::OnInput,
                None => Password::None,
            },
        });
        let has_input = how.stdin.is_some() || !input.is_empty();
        input.extend_from_slice(how.stdin.as_deref().unwrap_or_default());
        let shell_call = ShellCall {
            script: &script,
            shell: start.shell(),
            variables: start.variables(scripts.reach(), &kept),
            granted: &self.granted.of(owner.session),
            input: if has_input { ClientInput::Forwarded } else { ClientInput::None },
            tag: scripts.tag(&call),
        };
        let client = self.backend.client(&shell_call);
        let client = if has_input { client.stdin_bytes(input) } else { client };
        let has_file = prepared.password.is_some() && scripts.reach() == FileReach::Local;
        let _tidy = RemoveFiles(
            has_file.then(|| [scripts.password_file(&call), scripts.asked_file(&call)]),
        );
        let merged = match scripts.reach() {
            FileReach::Local => OutputMode::Merged,
            FileReach::Remote => OutputMode::Separate,
        };
        let ender = EndRemoteCall { guard: guard.as_ref(), call: &call };
        let client = match &how.live {
            Some(live) => {
                live.leave_out(scripts.marker());
                client.on_output(live.tap())
            }
            None => client,
        };
        let done = client
            .output(merged)
            .capture(how.capture)
            .deadline(how.timeout)
            .grace(GRACE)
            .cancel(how.cancel.clone())
            .leftovers(Leftovers::Keep)
            .run()
            .await?;
        match done.end {
            End::TimedOut | End::Cancelled => ender.end_now().await,
            End::Exited(_) | End::Signalled(_) => ender.not_needed(),
        }
        if scripts.reach() == FileReach::Remote
            && let Some(trouble) = self.trouble(&scripts, &done)
        {
            return match trouble {
                ClientTrouble::Gone(why) => Ok(Attempt::Gone(why)),
                ClientTrouble::Refused(why) => {
                    Err(ExecError::NotStarted { backend: self.kind(), why })
                }
                ClientTrouble::Unreachable(why) => {
                    Err(ExecError::Unreachable { backend: self.kind(), why })
                }
            };
        }
        let (ran, mut left) = conclude(&scripts, &call, keep, how, &done);
        if let Some(left) = left.as_mut().filter(|_| prepared.password.is_some()) {
            left.put_back("SUDO_ASKPASS", &kept);
        }
        let mut shells = self.shells();
        let shell = shells.of(owner.session);
        if let Some(cwd) = &ran.moved_to {
            shell.cwd.clone_from(cwd);
        }
        if let Some(left) = left
            && begin::put_down(&scripts, &call, &left, &shell.kept, number)
        {
            shells.leave(owner.session, left);
        }
        Ok(Attempt::Ran(ran))
    }

    /// The shell a command runs in, if it is still the one it was judged for.
    fn shell_of(&self, owner: CommandOwner<'_>) -> Result<SessionShell, ExecError> {
        let shell = self.shells().of(owner.session).clone();
        let is_other =
            |judged| shell.readable.as_ref().is_some_and(|now| !Arc::ptr_eq(now, judged));
        if owner.judged.is_some_and(is_other) {
            return Err(ExecError::StateChanged);
        }
        Ok(shell)
    }

    /// Text with a zero in it is no text for a shell, and would end early where it is read.
    fn no_zero(&self, command: &str) -> Result<(), ExecError> {
        if command.contains('\0') {
            let why = "the command has a NUL byte in it; remove it".to_owned();
            return Err(ExecError::NotStarted { backend: self.kind(), why });
        }
        Ok(())
    }

    fn trouble(&self, scripts: &Scripts, done: &FinishedProcess) -> Option<ClientTrouble> {
        let End::Exited(code) = done.end else { return None };
        let words = done.stderr.text();
        if words.contains(&scripts.lost()) {
            return Some(ClientTrouble::Gone("its session was lost".to_owned()));
        }
        self.backend.trouble(code, &words)
    }

    fn view(&self) -> SessionState {
        self.state().clone()
    }

    fn next_call(&self) -> String {
        self.calls.fetch_add(1, Ordering::Relaxed).to_string()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn shells(&self) -> std::sync::MutexGuard<'_, Shells> {
        self.shells.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn owner(line: &Approved<ShellLine>) -> CommandOwner<'_> {
    CommandOwner { session: line.session(), judged: line.shell() }
}

/// Removes files on this machine, however a call ends.
struct RemoveFiles(Option<[String; 2]>);

impl Drop for RemoveFiles {
    fn drop(&mut self) {
        for file in self.0.iter().flatten() {
            let _ = std::fs::remove_file(file);
        }
    }
}

/// Ends a call out of our reach when the one who waits for it goes away.
struct EndRemoteCall<'a> {
    guard: Option<&'a Guard>,
    call: &'a str,
}

impl EndRemoteCall<'_> {
    async fn end_now(mut self) {
        if let Some(guard) = self.guard.take() {
            guard.end_and_wait(self.call).await;
        }
    }

    fn not_needed(mut self) {
        self.guard = None;
    }
}

impl Drop for EndRemoteCall<'_> {
    fn drop(&mut self) {
        if let Some(guard) = self.guard {
            guard.end(self.call);
        }
    }
}

#[cfg(test)]
mod tests;
