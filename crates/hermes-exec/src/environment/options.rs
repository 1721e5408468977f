//! How commands are run, and what comes of it.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use hermes_process::{CaptureLimit, PtySize};
use tokio_util::sync::CancellationToken;

use super::live::LiveOutput;

/// How a command is run.
#[derive(Clone)]
pub struct ExecOptions {
    /// Where, if not where the last one ended. Does not become the session's directory.
    pub cwd: Option<String>,
    /// When it is stopped.
    pub timeout: Duration,
    /// What it reads; nothing if `None`.
    pub stdin: Option<Vec<u8>>,
    /// How much of its output is kept.
    pub capture: CaptureLimit,
    /// Stops it.
    pub cancel: CancellationToken,
    /// Variables for this command (and those after it, unless they say otherwise).
    pub exports: Vec<(String, String)>,
    /// Keeps what it wrote last, for whoever watches.
    pub live: Option<Arc<LiveOutput>>,
    /// Who is asked when sudo wants a password.
    pub sudo: Option<Arc<dyn SudoPassword>>,
}

impl Default for ExecOptions {
    fn default() -> Self {
        Self {
            cwd: None,
            timeout: Duration::from_secs(180),
            stdin: None,
            capture: CaptureLimit::default(),
            cancel: CancellationToken::new(),
            exports: Vec::new(),
            live: None,
            sudo: None,
        }
    }
}

/// Knows the password for sudo, or whom to ask for it.
pub trait SudoPassword: Send + Sync {
    /// The password; nothing if there is none. Asked only when a command needs it.
    fn password(&self) -> BoxFuture<'_, Option<String>>;
}

/// A password that was configured.
impl SudoPassword for String {
    fn password(&self) -> BoxFuture<'_, Option<String>> {
        Box::pin(async { Some(self.clone()) })
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExecEnd {
    /// By itself.
    Finished,
    /// By us, for it took too long.
    TimedOut,
    /// By us, for somebody asked.
    Interrupted,
}

/// A command that has been run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecResult {
    /// What it wrote, within the limit.
    pub output: String,
    /// Its exit code: 124 when it timed out, 130 when it was interrupted, 126 when its directory
    /// could not be entered, negative for a signal on this machine.
    pub code: i32,
    /// How it ended.
    pub ending: ExecEnd,
    /// Where its shell went, if it did not end where it began.
    pub moved_to: Option<String>,
}

/// How a process of its own is started.
#[derive(Clone, Debug, Default)]
pub struct SpawnOptions {
    /// Where, if not where the last command ended.
    pub cwd: Option<String>,
    /// The size of its terminal; pipes if `None`.
    pub pty: Option<PtySize>,
    /// Variables for it alone.
    pub exports: Vec<(String, String)>,
}

/// Whether commands see what earlier ones did to their shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShellMemory {
    /// They do.
    Kept,
    /// Each begins as the first did; only the directory is kept.
    DirectoryOnly,
}
