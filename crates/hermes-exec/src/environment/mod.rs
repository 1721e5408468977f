//! A place with a memory: one backend and the session of shells in it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hermes_approval::{Approved, ShellLine};
use hermes_process::{Child, End, Finished, Leftovers, Output, Stdin};

use crate::backend::{Backend, BackendKind, ClientTrouble, Input, Reach, Ready, ShellCall};
use crate::error::ExecError;
use crate::guard::Guard;
use crate::session::{Keep, Scripts, Wrapped};

mod begin;
mod bytes;
mod conclude;
mod options;
mod prepare;

pub(crate) use begin::random_id;
pub use options::{Ending, Execute, Memory, Ran, Spawn};

use begin::{StartOfShell, State, own_command};
use conclude::conclude;
use prepare::Prepared;

/// Time between SIGTERM and SIGKILL when a command is stopped.
const GRACE: Duration = Duration::from_secs(1);

/// A process started to run on its own.
pub struct Spawned {
    /// The process on this machine: the shell, or the client of the one over there.
    pub child: Child,
    pub(crate) call: String,
    pub(crate) guard: Option<Guard>,
}

enum Attempt {
    Ran(Ran),
    Gone(String),
}

/// One place and its session of shells.
pub struct Environment {
    backend: Arc<dyn Backend>,
    memory: Memory,
    calls: AtomicU64,
    state: Mutex<State>,
    revival: tokio::sync::Mutex<()>,
}

impl Environment {
    /// Makes the place ready and takes the first snapshot.
    pub async fn start(backend: Arc<dyn Backend>, memory: Memory) -> Result<Self, ExecError> {
        backend.before_execute().await?;
        let state = begin::session(&*backend, None).await?;
        Ok(Self {
            backend,
            memory,
            calls: AtomicU64::new(1),
            state: Mutex::new(state),
            revival: tokio::sync::Mutex::default(),
        })
    }

    /// What kind of place it is.
    #[must_use]
    pub fn kind(&self) -> BackendKind {
        self.backend.kind()
    }

    /// The backend itself.
    #[must_use]
    pub fn backend(&self) -> &Arc<dyn Backend> {
        &self.backend
    }

    /// Where the next command runs.
    #[must_use]
    pub fn cwd(&self) -> String {
        self.state().cwd.clone()
    }

    /// Sets where the next command runs.
    pub fn set_cwd(&self, cwd: impl Into<String>) {
        self.state().cwd = cwd.into();
    }

    /// Runs an approved command to its end.
    pub async fn execute(
        &self,
        line: &Approved<ShellLine>,
        how: Execute,
    ) -> Result<Ran, ExecError> {
        let command = line.text_for(self.backend.place())?;
        self.run(command, how).await
    }

    async fn run(&self, command: &str, mut how: Execute) -> Result<Ran, ExecError> {
        self.make_ready().await?;
        let Prepared { command, stdin } = self.prepare(command, &how).await;
        how.stdin = stdin;
        match self.attempt(&command, &how).await? {
            Attempt::Ran(ran) => Ok(ran),
            Attempt::Gone(why) => {
                // The client says that the command never started, so it may be tried once more.
                tracing::warn!(backend = %self.kind(), why, "starting the environment again");
                self.revive(Ready::AsBefore).await?;
                match self.attempt(&command, &how).await? {
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
        how: Spawn,
    ) -> Result<Spawned, ExecError> {
        let command = line.text_for(self.backend.place())?;
        self.spawn_text(command, how).await
    }

    pub(crate) async fn spawn_text(&self, command: &str, how: Spawn) -> Result<Spawned, ExecError> {
        self.make_ready().await?;
        let (scripts, cwd, start, guard) = self.view();
        let call = self.next_call();
        let script = scripts.wrap(&Wrapped {
            command,
            cwd: how.cwd.as_deref().unwrap_or(&cwd),
            call: &call,
            exports: &how.exports,
            keep: Keep::Nothing,
            snapshot: start.snapshot(),
        });
        let input = if how.pty.is_some() { Input::Terminal } else { Input::Forwarded };
        let shell_call = ShellCall {
            script: &script,
            shell: start.shell(),
            variables: start.variables(),
            input,
            tag: scripts.tag(&call),
        };
        let client = self.backend.client(&shell_call);
        let client = match how.pty {
            Some(size) => client.pty(size),
            None => client.stdin(Stdin::Piped).output(Output::Merged),
        };
        Ok(Spawned { child: client.spawn()?, call, guard })
    }

    /// Ends the session and everything started in it.
    pub async fn clean_up(&self) {
        let guard = self.state().guard.take();
        if let Some(guard) = guard {
            guard.dismiss().await;
        }
        let scripts = self.state().scripts.clone();
        if scripts.reach() == Reach::Local {
            let _ = std::fs::remove_dir_all(scripts.folder());
        }
        self.backend.clean_up().await;
    }

    async fn make_ready(&self) -> Result<(), ExecError> {
        let ready = self.backend.before_execute().await?;
        let guard_stands = self.backend.reach() == Reach::Local
            || self.state().guard.as_ref().is_some_and(Guard::stands);
        if ready == Ready::Anew || !guard_stands {
            self.revive(ready).await?;
        }
        Ok(())
    }

    /// Begins a new session in a place that lost the old one.
    async fn revive(&self, found: Ready) -> Result<(), ExecError> {
        let _one_at_a_time = self.revival.lock().await;
        let is_new = self.backend.before_execute().await? == Ready::Anew || found == Ready::Anew;
        // In a new place there is no old guard, even if we have not noticed its end yet.
        let stands = !is_new && self.state().guard.as_ref().is_some_and(Guard::stands);
        if stands && self.backend.reach() == Reach::Remote {
            let scripts = self.state().scripts.clone();
            let still_there = own_command(&*self.backend, &scripts, "true").run().await;
            if still_there.is_ok_and(|done| done.success()) {
                return Ok(());
            }
        }
        let cwd = self.cwd();
        let fresh = begin::session(&*self.backend, Some(cwd)).await?;
        *self.state() = fresh;
        Ok(())
    }

    async fn attempt(&self, command: &str, how: &Execute) -> Result<Attempt, ExecError> {
        let (scripts, session_cwd, start, guard) = self.view();
        let call = self.next_call();
        let keep = match self.memory {
            Memory::Kept if start == StartOfShell::Snapshot => Keep::State,
            Memory::Kept | Memory::DirectoryOnly => Keep::Directory,
        };
        let script = scripts.wrap(&Wrapped {
            command,
            cwd: how.cwd.as_deref().unwrap_or(&session_cwd),
            call: &call,
            exports: &how.exports,
            keep,
            snapshot: start.snapshot(),
        });
        let shell_call = ShellCall {
            script: &script,
            shell: start.shell(),
            variables: start.variables(),
            input: if how.stdin.is_some() { Input::Forwarded } else { Input::None },
            tag: scripts.tag(&call),
        };
        let client = self.backend.client(&shell_call);
        let client = match &how.stdin {
            Some(bytes) => client.stdin_bytes(bytes.clone()),
            None => client,
        };
        let merged = match scripts.reach() {
            Reach::Local => Output::Merged,
            Reach::Remote => Output::Separate,
        };
        let ender = Ender { guard: guard.as_ref(), call: &call };
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
        if scripts.reach() == Reach::Remote
            && let Some(trouble) = self.trouble(&done)
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
        let ran = conclude(&scripts, &call, keep, how, &done);
        if let Some(cwd) = &ran.moved_to {
            self.state().cwd.clone_from(cwd);
        }
        Ok(Attempt::Ran(ran))
    }

    fn trouble(&self, done: &Finished) -> Option<ClientTrouble> {
        let End::Exited(code) = done.end else { return None };
        self.backend.trouble(code, &done.stderr.text())
    }

    fn view(&self) -> (Scripts, String, StartOfShell, Option<Guard>) {
        let state = self.state();
        (state.scripts.clone(), state.cwd.clone(), state.start, state.guard.clone())
    }

    fn next_call(&self) -> String {
        self.calls.fetch_add(1, Ordering::Relaxed).to_string()
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a call out of our reach when the one who waits for it goes away.
struct Ender<'a> {
    guard: Option<&'a Guard>,
    call: &'a str,
}

impl Ender<'_> {
    async fn end_now(mut self) {
        if let Some(guard) = self.guard.take() {
            guard.end_and_wait(self.call).await;
        }
    }

    fn not_needed(mut self) {
        self.guard = None;
    }
}

impl Drop for Ender<'_> {
    fn drop(&mut self) {
        if let Some(guard) = self.guard {
            guard.end(self.call);
        }
    }
}

#[cfg(test)]
mod tests;
