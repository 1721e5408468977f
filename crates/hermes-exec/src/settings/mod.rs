//! What a user can decide about where and how commands run.
//!
//! [`TerminalSettings::read`] takes the configuration and the variables and gives back typed
//! settings or an error that names the key or variable at fault. A settings value is complete:
//! nobody looks at the configuration again, and nothing in it has to be checked later.
//!
//! # Which source counts
//!
//! A key of the `terminal` section in `config.yaml` wins over its variable; the file is what the
//! user sees and edits. A key that is not there is filled from the variable (`TERMINAL_` and the
//! key in capitals; `TERMINAL_ENV` for the backend), and then from the default.
//!
//! # What is read
//!
//! Only what the environment in use needs ([`BackendSettings`]). A number that is none, a word
//! nobody knows and a missing host are errors rather than defaults: a command that runs in the
//! wrong environment or with the wrong limits is worse than one that does not run.
//!
//! # What never happens here
//!
//! Nothing is started, written or created. The one question asked of the file system is whether a
//! working directory is there. No value of a list or section is put into an error, for it may be a
//! secret.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_tool::settings::{Seconds, Settings};
use hermes_tool::{OutputCaps, Vars};
use serde_json::{Map, Value};

use crate::backend::BackendKind;
use crate::child_env::HomeMode;

mod backends;
mod cwd;
mod error;
mod expand;
mod values;

#[cfg(test)]
mod tests;

pub use backends::{
    BackendSettings, CloudSettings, ContainerSettings, DockerSettings, LocalSettings, SandboxMode,
    ShellLimits, SingularitySettings, SshSettings,
};
pub use error::TerminalSettingsError;

use backends::SettingSources;
use cwd::{WORKSPACE, WantedDirectory};
use values::{Paths, Texts};

/// The longest time that makes sense: a hundred years.
const MOST_SECS: u64 = 100 * 366 * 86_400;
/// More processes than a system lets a user have.
const MOST_BACKGROUND: u64 = 100_000;
/// The longest grace that makes sense.
const MOST_GRACE: Seconds = Seconds::new(86_400.0);

/// The keys of the section that every backend needs, as they are written.
#[derive(Settings)]
#[settings(path = "terminal", about = "Where and how commands run", open, variables = "TERMINAL_")]
struct TerminalSection {
    /// Where commands run.
    #[setting(default = BackendKind::Local, fallback = "TERMINAL_ENV")]
    backend: BackendKind,
    /// Working directory to start in.
    #[setting(default = ".")]
    cwd: String,
    /// Longest run of a command, in seconds.
    #[setting(default = 180, range = 1..=MOST_SECS)]
    timeout: u64,
    /// Longest run a foreground command may ask for, in seconds.
    #[setting(variable_only = "TERMINAL_MAX_FOREGROUND_TIMEOUT", default = 600, range = 1..=MOST_SECS)]
    max_foreground_timeout: u64,
    /// When an idle environment is closed, in seconds.
    #[setting(default = 300, range = 1..=MOST_SECS)]
    lifetime_seconds: u64,
    /// Time a background process has to end by itself, in seconds; 0 for as long as it likes.
    #[setting(default = Seconds::new(2.0), range = Seconds::new(0.0)..=MOST_GRACE, file_only)]
    daemon_term_grace_seconds: Seconds,
    /// Most background processes that run at once for one home.
    #[setting(default = 64, range = 1..=MOST_BACKGROUND)]
    max_background: u64,
    /// Keep variables and directory from one command to the next.
    #[setting(default = true)]
    persistent_shell: bool,
    /// Which home directory commands see.
    home_mode: HomeMode,
    /// Variables commands see although they would be left out; never keys of Hermes itself.
    #[setting(file_only)]
    env_passthrough: Texts,
    /// Files copied into containers.
    #[setting(file_only)]
    credential_files: Paths,
    /// Folder for container files; sandboxes in the home if unset.
    sandbox_dir: Option<String>,
}

/// How scripts on this machine are kept apart.
#[derive(Settings)]
#[settings(path = "code_execution", open)]
pub(crate) struct ScriptSettings {
    /// Keep scripts on this machine from looking into other processes.
    #[setting(default = true)]
    pub(crate) confine: bool,
}

/// Where and how commands run.
#[derive(Clone, Debug, PartialEq)]
pub struct TerminalSettings {
    /// The directory commands begin in, as the environment in use knows it.
    pub cwd: String,
    /// The longest run of a command that does not say.
    pub timeout: Duration,
    /// The longest run a foreground command may ask for.
    pub max_foreground_timeout: Duration,
    /// When an idle environment is closed.
    pub lifetime: Duration,
    /// The time a background process has to end by itself; zero for as long as it likes.
    pub term_grace: Duration,
    /// Most background processes that run at once for one home.
    pub max_background: usize,
    /// Whether state is kept from one command to the next.
    pub persistent_shell: bool,
    /// The characters of output that are kept.
    pub max_output_chars: usize,
    /// Which home directory commands see.
    pub home_mode: HomeMode,
    /// Variables that are asked for by name.
    pub env_passthrough: Vec<String>,
    /// Files taken to other environments, relative to `HERMES_HOME`. Not checked here.
    pub credential_files: Vec<String>,
    /// The folder for files of containers.
    pub sandbox_dir: PathBuf,
    /// What the environment in use needs.
    pub backend_settings: BackendSettings,
}

impl TerminalSettings {
    /// Reads the settings. `home` is `HERMES_HOME`; `process_cwd` is empty if the directory of the
    /// process is gone.
    pub fn read(
        config: &Value,
        vars: &Vars,
        home: &Path,
        process_cwd: &Path,
    ) -> Result<Self, TerminalSettingsError> {
        let written = TerminalSection::read_strictly(config, vars)?;
        let wanted = WantedDirectory::new(written.cwd.trim().to_owned(), vars, process_cwd);
        let sandbox_dir = match &written.sandbox_dir {
            Some(written) => expand::tilde(written.trim(), vars),
            None => home.join("sandboxes"),
        };
        let sources = SettingSources { config, vars, wanted: &wanted, sandbox_dir: &sandbox_dir };
        let backend_settings = sources.read(written.backend)?;
        let is_mounted = matches!(&backend_settings, BackendSettings::Docker(docker) if docker.workspace.is_some());
        Ok(Self {
            cwd: if is_mounted { WORKSPACE.to_owned() } else { wanted.directory(written.backend) },
            timeout: Duration::from_secs(written.timeout),
            max_foreground_timeout: Duration::from_secs(written.max_foreground_timeout),
            lifetime: Duration::from_secs(written.lifetime_seconds),
            term_grace: written.daemon_term_grace_seconds.duration(),
            max_background: usize::try_from(written.max_background).unwrap_or(usize::MAX),
            persistent_shell: written.persistent_shell,
            // Other tools read the same section and take what makes no sense there for not given, so it must
            // not be an error here.
            max_output_chars: OutputCaps::read(config, vars).max_bytes,
            home_mode: written.home_mode,
            env_passthrough: written.env_passthrough.0,
            credential_files: written.credential_files.0,
            sandbox_dir,
            backend_settings,
        })
    }

    /// The kind of the environment in use.
    #[must_use]
    pub const fn backend(&self) -> BackendKind {
        self.backend_settings.kind()
    }

    /// Where commands on this machine may write, if `terminal.sandbox` limits that.
    #[must_use]
    pub fn writable_places(&self) -> Option<Vec<PathBuf>> {
        match &self.backend_settings {
            BackendSettings::Local(local) => local.writable_places(Path::new(&self.cwd)),
            _ => None,
        }
    }
}

/// Where commands run by the configuration, for those who only tell of it. A word that means nothing counts as not
/// given here; whoever runs commands gets an error from [`TerminalSettings::read`].
#[must_use]
pub fn configured_backend(config: &Value, vars: &Vars) -> BackendKind {
    TerminalSection::read(config, vars).backend
}

/// The time a background process has to end by itself.
#[must_use]
pub fn configured_grace(config: &Value, vars: &Vars) -> Duration {
    TerminalSection::read(config, vars).daemon_term_grace_seconds.duration()
}

/// The configuration with other keys in its `terminal` section, where `env_type` is an older name of `backend`.
pub(crate) fn with_overrides(config: &Value, own: &Map<String, Value>) -> Value {
    const SECTION: &str = "terminal";
    let mut config = config.clone();
    if let Value::Object(root) = &mut config {
        let mut section = match root.get(SECTION) {
            Some(Value::Object(section)) => section.clone(),
            _ => Map::new(),
        };
        section.extend(own.clone());
        if let Some(kind) = section.shift_remove("env_type") {
            section.insert("backend".to_owned(), kind);
        }
        root.insert(SECTION.to_owned(), Value::Object(section));
    }
    config
}
