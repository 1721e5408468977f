//! The processes of a training: started so that they outlive us, found again by number and start time.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use hermes_approval::{Approved, ExecutionTarget, ShellLine};
use hermes_process::{Command, Lifetime, OutputMode, StopMode, process_start_time, signal_if_same};
use hermes_store::home::HOME_VARIABLE;
use hermes_tool::Vars;

use super::runs::TrainingProcess;

/// Variables of ours that a process of a training gets.
const VARIABLES: [&str; 14] = [
    "HOME",
    "PATH",
    "LANG",
    "LC_ALL",
    "TMPDIR",
    "USER",
    "VIRTUAL_ENV",
    "PYTHONPATH",
    "HF_HOME",
    "HF_HUB_OFFLINE",
    "CUDA_VISIBLE_DEVICES",
    "LD_LIBRARY_PATH",
    HOME_VARIABLE,
    "SSL_CERT_FILE",
];
/// Keys of the services that trainers use.
pub(super) const TRAINER_KEYS: [&str; 3] = ["TINKER_API_KEY", "WANDB_API_KEY", "HF_TOKEN"];
/// How often it is looked whether a process has ended.
const LOOK: Duration = Duration::from_millis(50);

/// A command of a training that may run.
pub(super) enum StartLine {
    /// As it stands in the settings.
    Configured(Approved<ShellLine>),
    /// This program with the user's environment, which is what the gate was asked about.
    OwnProgram { line: String, _environment: Approved<ShellLine> },
}

impl StartLine {
    fn text(&self) -> Result<&str, String> {
        match self {
            Self::OwnProgram { line, .. } => Ok(line),
            Self::Configured(approved) => {
                approved.text_for(ExecutionTarget::Local).map_err(|error| error.to_string())
            }
        }
    }
}

/// What is started, and how.
pub(super) struct Launch<'a> {
    pub(super) role: &'a str,
    pub(super) line: &'a StartLine,
    pub(super) folder: Option<&'a Path>,
    pub(super) log: &'a Path,
    pub(super) keys: &'a [&'a str],
    pub(super) vars: &'a Vars,
}

impl Launch<'_> {
    /// Starts it; it lives on without us.
    pub(super) fn start(&self) -> Result<TrainingProcess, String> {
        let broken = |error: &dyn std::fmt::Display| format!("{}: {error}", self.log.display());
        let line = self.line.text()?;
        if let Some(folder) = self.log.parent() {
            hermes_store::home::ensure_private_dir(folder).map_err(|error| broken(&error))?;
        }
        let log = File::options().append(true).create(true).open(self.log);
        let log = log.map_err(|error| broken(&error))?;
        let given = self.keys.iter().filter_map(|key| Some((*key, self.vars.get(key)?.to_owned())));
        let mut command = Command::new("/bin/sh")
            .args(["-c", line])
            .env_inherit(VARIABLES)
            .envs(given)
            .lifetime(Lifetime::Survives)
            .output(OutputMode::ToFile(log));
        if let Some(folder) = self.folder {
            command = command.cwd(folder);
        }
        let child = command.spawn().map_err(|error| format!("`{line}`: {error}"))?;
        let (pid, start_time) = (child.pid(), child.start_time());
        child.release();
        let start_time =
            start_time.ok_or_else(|| format!("{} ended at once: `{line}`", self.role))?;
        Ok(TrainingProcess { role: self.role.to_owned(), pid, start_time, boot: boot() })
    }
}

/// Which boot of the machine this is.
pub(super) fn boot() -> String {
    let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    id.trim().to_owned()
}

impl TrainingProcess {
    /// Whether it still runs.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.boot == boot() && process_start_time(self.pid) == Some(self.start_time)
    }

    /// Ends it with everything it started: asked first, killed if it does not go in time.
    pub(super) async fn end(&self, patience: Duration) {
        if !self.is_alive() {
            return;
        }
        let stop = StopMode::AskThenKill(patience);
        if let Err(error) = signal_if_same(self.pid, self.start_time, stop).await {
            tracing::warn!(%error, pid = self.pid, "a process of a training does not end");
        }
    }

    /// Whether it runs on for so long.
    pub(super) async fn lasts(&self, time: Duration) -> bool {
        let ended = async {
            while self.is_alive() {
                tokio::time::sleep(LOOK).await;
            }
        };
        tokio::time::timeout(time, ended).await.is_err() && self.is_alive()
    }
}
