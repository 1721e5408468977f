//! Remote controls of a running program, for as many tasks as need one.
//!
//! A table of background processes has one task per process that waits for it, and others that
//! look, list and kill. None of them should have to wait for another, so everything here takes
//! `&self`: the waiting task keeps the [`Child`](crate::Child), which decides how long the tree
//! lives, and the table keeps a [`ProcessHandle`].
//!
//! A handle never signals a process by its number: orders go to the supervisor, over a link that is
//! dead when the tree is. So a handle kept for too long can do no harm.

use std::fmt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::time::timeout;

use crate::command::Lifetime;
use crate::error::ProcessError;
use crate::supervisor::{SupervisorLink, TreeState};

/// How long a killed tree may take to be gone before we stop waiting for it.
pub(crate) const KILL_LIMIT: Duration = Duration::from_secs(2);

/// How a tree is brought to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopMode {
    /// SIGTERM, and nothing more: who ignores it runs on.
    Ask,
    /// SIGTERM, and SIGKILL to what is left after this time.
    AskThenKill(Duration),
    /// SIGKILL.
    Kill,
}

/// A handle on a program and its tree that can be copied and shared.
///
/// Holding one keeps nothing alive: dropping the [`Child`](crate::Child) ends the tree all the
/// same, and the handle tells of it.
#[derive(Clone)]
pub struct ProcessHandle(Arc<Shared>);

struct Shared {
    pid: u32,
    start_time: Option<u64>,
    lifetime: Lifetime,
    link: SupervisorLink,
    hung_up: AtomicBool,
    loss_noted: AtomicBool,
}

impl ProcessHandle {
    pub(crate) fn new(
        pid: u32,
        start_time: Option<u64>,
        lifetime: Lifetime,
        link: SupervisorLink,
    ) -> Self {
        let (hung_up, loss_noted) = (AtomicBool::new(false), AtomicBool::new(false));
        Self(Arc::new(Shared { pid, start_time, lifetime, link, hung_up, loss_noted }))
    }

    /// The program's process id, which is also that of its group and session.
    pub fn pid(&self) -> u32 {
        self.0.pid
    }

    /// When the program was started, as the kernel counts (clock ticks since the system's start);
    /// none if it had ended before one could look. Kept with the process id it names the program
    /// across restarts of ours, see [`signal_if_same`](crate::signal_if_same).
    pub fn start_time(&self) -> Option<u64> {
        self.0.start_time
    }

    /// How the program has ended, if it has; descendants may still run. Does not wait.
    pub fn try_wait(&self) -> Result<Option<ExitStatus>, ProcessError> {
        let state = self.0.link.state();
        match state.status {
            None if state.gone => Err(self.without_status()),
            status => Ok(status),
        }
    }

    /// Whether the whole tree has ended. Does not wait.
    pub fn is_gone(&self) -> bool {
        self.0.link.state().gone
    }

    /// Waits for the program itself to end; descendants may still run. Can be called again and by
    /// several tasks at a time, and loses nothing when cancelled.
    pub async fn wait(&self) -> Result<ExitStatus, ProcessError> {
        let ended =
            |state: TreeState| (state.gone || state.status.is_some()).then_some(state.status);
        self.0.link.until(ended).await.ok_or_else(|| self.without_status())
    }

    /// Waits for the whole tree to end.
    pub async fn gone(&self) {
        self.0.link.until(|state| state.gone.then_some(())).await;
        if self.0.link.state().status.is_none() {
            self.note_lost_supervisor();
        }
    }

    /// Orders the end of the whole tree and returns at once. Who waits will hear of it.
    pub fn order(&self, stop: StopMode) {
        match stop {
            StopMode::Ask => self.0.link.terminate(Duration::MAX),
            StopMode::AskThenKill(grace) => self.0.link.terminate(grace),
            StopMode::Kill => self.0.link.kill(),
        }
    }

    /// Sends SIGTERM to the whole tree, and SIGKILL to what is left of it after `grace`. Returns
    /// when all are gone.
    pub async fn terminate(&self, grace: Duration) -> Result<(), ProcessError> {
        self.order(StopMode::AskThenKill(grace));
        self.gone_within(grace.saturating_add(KILL_LIMIT)).await
    }

    /// Sends SIGKILL to the whole tree. Returns when all are gone.
    pub async fn kill(&self) -> Result<(), ProcessError> {
        self.order(StopMode::Kill);
        self.gone_within(KILL_LIMIT).await
    }

    pub(crate) async fn gone_within(&self, limit: Duration) -> Result<(), ProcessError> {
        if self.is_gone() {
            return Ok(());
        }
        let gone = timeout(limit, self.gone()).await;
        gone.map_err(|_| ProcessError::StillRunning { pid: self.0.pid })
    }

    /// What dropping the [`Child`](crate::Child) means.
    pub(crate) fn hang_up(&self) {
        self.0.hung_up.store(true, Ordering::Relaxed);
        self.0.link.hang_up();
    }

    /// Lets the tree run on, watched over until we end.
    pub(crate) fn release(&self) {
        self.0.link.release();
    }

    /// A supervisor has left without a word.
    fn without_status(&self) -> ProcessError {
        if self.was_let_go() {
            return ProcessError::LetGo { pid: self.0.pid };
        }
        self.note_lost_supervisor();
        ProcessError::SupervisorLost { pid: self.0.pid }
    }

    /// Whether it steps aside on our word: the program is to survive its handle.
    fn was_let_go(&self) -> bool {
        self.0.lifetime == Lifetime::Survives && self.0.hung_up.load(Ordering::Relaxed)
    }

    /// The supervisor was killed. The program dies by its parent-death signal; its group, at least,
    /// can be reached from here.
    fn note_lost_supervisor(&self) {
        if !self.was_let_go() && !self.0.loss_noted.swap(true, Ordering::Relaxed) {
            tracing::warn!(pid = self.0.pid, "the supervisor of this process was killed");
            let _ = killpg(Pid::from_raw(self.0.pid.cast_signed()), Signal::SIGKILL);
        }
    }
}

impl fmt::Debug for ProcessHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProcessHandle").field("pid", &self.0.pid).finish_non_exhaustive()
    }
}
