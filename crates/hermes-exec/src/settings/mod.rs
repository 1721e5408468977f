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
//! Only what the place in use needs ([`PlaceSettings`]). A number that is none, a word nobody
//! knows and a missing host are errors rather than defaults: a command that runs in the wrong place
//! or with the wrong limits is worse than one that does not run.
//!
//! # What never happens here
//!
//! Nothing is started, written or created. The one question asked of the file system is whether a
//! working directory is there. No value of a list or section is put into an error, for it may be a
//! secret.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hermes_tool::Vars;
use serde_json::Value;

use crate::backend::BackendKind;
use crate::child_env::HomeMode;

mod cwd;
mod error;
mod expand;
mod places;
mod reader;

#[cfg(test)]
mod tests;

pub use error::{Origin, SettingsError};
pub use places::{
    ContainerSettings, DaytonaSettings, DockerSettings, LocalSettings, ModalMode, ModalSettings,
    PlaceSettings, Sandbox, SingularitySettings, SshSettings, VercelSettings,
};

use cwd::{WORKSPACE, Wanted};
use places::Sources;
use reader::Reader;

const TIMEOUT_SECS: u64 = 180;
const MAX_FOREGROUND_SECS: u64 = 600;
const LIFETIME_SECS: u64 = 300;
const TERM_GRACE_SECS: f64 = 2.0;
/// The longest time that makes sense: a hundred years.
const MOST_SECS: u64 = 100 * 366 * 86_400;
/// The longest grace that makes sense.
const MOST_GRACE_SECS: f64 = 86_400.0;
const MAX_OUTPUT_CHARS: usize = 50_000;

/// Where and how commands run.
#[derive(Clone, Debug, PartialEq)]
pub struct TerminalSettings {
    /// The directory commands begin in, as the place in use knows it.
    pub cwd: String,
    /// The longest run of a command that does not say.
    pub timeout: Duration,
    /// The longest run a foreground command may ask for.
    pub max_foreground_timeout: Duration,
    /// When an idle environment is closed.
    pub lifetime: Duration,
    /// The time a background process has to end by itself; zero for as long as it likes.
    pub term_grace: Duration,
    /// Whether state is kept from one command to the next.
    pub persistent_shell: bool,
    /// The characters of output that are kept.
    pub max_output_chars: usize,
    /// Which home directory commands see.
    pub home_mode: HomeMode,
    /// Variables that are asked for by name.
    pub env_passthrough: Vec<String>,
    /// Files taken to other places, relative to `HERMES_HOME`. Not checked here.
    pub credential_files: Vec<String>,
    /// The folder for files of containers.
    pub sandbox_dir: PathBuf,
    /// What the place in use needs.
    pub place: PlaceSettings,
}

impl TerminalSettings {
    /// Reads the settings. `home` is `HERMES_HOME`; `process_cwd` is empty if the directory of the
    /// process is gone.
    pub fn read(
        config: &Value,
        vars: &Vars,
        home: &Path,
        process_cwd: &Path,
    ) -> Result<Self, SettingsError> {
        let backend = match Reader::new(config, vars)?.get("backend") {
            None => BackendKind::Local,
            Some(found) => BackendKind::named(&found.text()?).ok_or_else(|| {
                let names = BackendKind::ALL.map(|(name, _)| name);
                found.unusable(&format!("one of {}", names.join(", ")))
            })?,
        };
        Self::read_as(backend, config, vars, home, process_cwd)
    }

    /// The same for a kind of place chosen otherwise, as a task may.
    pub fn read_as(
        backend: BackendKind,
        config: &Value,
        vars: &Vars,
        home: &Path,
        process_cwd: &Path,
    ) -> Result<Self, SettingsError> {
        let reader = Reader::new(config, vars)?;
        let cwd = reader.get("cwd").map(|found| found.text()).transpose()?;
        let wanted = Wanted::new(cwd, vars, process_cwd);
        let sandbox_dir = match reader.get("sandbox_dir") {
            Some(found) => expand::tilde(&found.text()?, vars),
            None => home.join("sandboxes"),
        };
        let sources = Sources { reader: &reader, vars, wanted: &wanted, sandbox_dir: &sandbox_dir };
        let place = sources.read(backend)?;
        let is_mounted =
            matches!(&place, PlaceSettings::Docker(docker) if docker.workspace.is_some());

        let seconds = |found: Option<reader::Found<'_>>, default| {
            let seconds = found.map_or(Ok(default), |found| found.whole(1..=MOST_SECS))?;
            Ok(Duration::from_secs(seconds))
        };
        let grace = reader.key("daemon_term_grace_seconds");
        let grace = grace.map_or(Ok(TERM_GRACE_SECS), |found| found.number(MOST_GRACE_SECS))?;
        let home_mode = reader.get("home_mode");
        Ok(Self {
            cwd: if is_mounted { WORKSPACE.to_owned() } else { wanted.directory(backend) },
            timeout: seconds(reader.get("timeout"), TIMEOUT_SECS)?,
            max_foreground_timeout: seconds(
                reader.variable("TERMINAL_MAX_FOREGROUND_TIMEOUT"),
                MAX_FOREGROUND_SECS,
            )?,
            lifetime: seconds(reader.get("lifetime_seconds"), LIFETIME_SECS)?,
            term_grace: Duration::from_secs_f64(grace),
            persistent_shell: reader.flag("persistent_shell", true)?,
            max_output_chars: max_output_chars(config),
            home_mode: home_mode
                .map_or(Ok(HomeMode::Auto), |found| found.one_of(HomeMode::WORDS))?,
            env_passthrough: reader
                .key("env_passthrough")
                .map_or_else(|| Ok(Vec::new()), |found| found.texts())?,
            credential_files: reader
                .key("credential_files")
                .map_or_else(|| Ok(Vec::new()), |found| found.paths())?,
            sandbox_dir,
            place,
        })
    }

    /// The kind of the place in use.
    #[must_use]
    pub const fn backend(&self) -> BackendKind {
        self.place.kind()
    }
}

/// `tool_output.max_bytes`. Other tools read the same section and take what makes no sense there
/// for not given, so it must not be an error here.
fn max_output_chars(config: &Value) -> usize {
    let given = config.get("tool_output").and_then(|section| section.get("max_bytes"));
    let number = given.and_then(|given| match given {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse::<i64>().ok().map(|number| number as f64),
        _ => None,
    });
    // A float to a whole number is cut and kept in range.
    number.filter(|number| *number >= 1.0).map_or(MAX_OUTPUT_CHARS, |number| number as usize)
}
