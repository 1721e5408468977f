//! The host: home, variables and configuration, read once.
//!
//! [`Host::open`] reads two small files and starts nothing: no network, no child process, no
//! database. A file that cannot be used does not stop it, so that what only looks still works, by the
//! defaults; [`Host::file_problems`] says why. Whatever acts (tools, agents, servers) is made only of a
//! sound configuration: [`Host::require_sound_config`].
//!
//! What never happens here: a file is written.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use hermes_cron::Deliveries;
use hermes_guard::redact::Redactor;
use hermes_plugins::shell_hooks::SAFE_MODE_VARIABLE;
use hermes_runtime::Runtime;
use hermes_runtime::approval::{Approver, Nobody};
use hermes_runtime::registry::Registry;
use hermes_store::atomic::AtomicError;
use hermes_store::config::{Config, ConfigError};
use hermes_store::dotenv::DotEnv;
use hermes_store::home::{HOME_VARIABLE, Home};
use hermes_tool::Vars;
use hermes_tools::configured_redactor;
use serde_json::Value;

use crate::HostError;

/// The platform whose toolsets a surface uses that has none of its own.
pub const PLATFORM: &str = "cli";

/// The variable by which tools know that a person is at the terminal.
const INTERACTIVE_VARIABLE: &str = "HERMES_INTERACTIVE";

/// The file of a home that names the profile in use where nothing else does.
pub const ACTIVE_PROFILE_FILE: &str = "active_profile";

/// The profile that a home says is in use, if it is there.
#[must_use]
pub fn active_profile(home: &Home) -> Option<String> {
    let text = std::fs::read_to_string(home.root().join(ACTIVE_PROFILE_FILE)).ok()?;
    let name = text.trim().to_owned();
    home.profile(&name).ok().filter(|home| home.root().is_dir()).map(|_| name)
}

/// What a host is opened with. The default is what `hermes` without flags does.
#[derive(Clone, Debug, Default)]
pub struct HostOptions {
    /// The state folder; without one `HERMES_HOME` and then `~/.hermes` is taken.
    pub home: Option<Home>,
    /// The profile within it.
    pub profile: Option<String>,
    /// The variables to work with; without any those of this process.
    pub vars: Option<Vars>,
    /// Runs neither shell hooks nor plugins.
    pub safe_mode: bool,
    /// Lets flagged commands run without asking. What is never allowed still is not.
    pub yolo: bool,
    /// Agrees to every configured shell hook.
    pub accept_hooks: bool,
    /// Takes built-in settings instead of config.yaml.
    pub ignore_user_config: bool,
    /// Whether a person sits at the terminal of this process.
    pub interactive: bool,
    /// Slash commands of the surface, which plugins must not take over.
    pub reserved_commands: Vec<String>,
}

impl HostOptions {
    /// The usual options with the state in this folder.
    pub fn at(home: impl Into<PathBuf>) -> Self {
        Self { home: Some(Home::at(home)), ..Self::default() }
    }
}

/// What is wrong with one of the two files, and what that means.
#[derive(Debug)]
pub enum FileProblem<'a> {
    /// The configuration is broken: what it says about sandboxes, rules and places is not known, so
    /// nothing that acts is made from this host. What only looks goes by the defaults.
    Config(&'a ConfigError),
    /// The secrets cannot be read: none is in force.
    DotEnv(&'a AtomicError),
    /// A line of the secrets means nothing and was skipped.
    DotEnvLine {
        /// The file.
        file: PathBuf,
        /// Which line, and why.
        warning: String,
    },
}

impl fmt::Display for FileProblem<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(problem) => write!(
                f,
                "the configuration is broken, and until it is mended nothing runs, is changed or \
                 served:\n{problem}"
            ),
            Self::DotEnv(problem) => write!(f, "no secrets are in force: {problem}"),
            Self::DotEnvLine { file, warning } => write!(f, "{}: {warning}", file.display()),
        }
    }
}

/// Where the state is and what it says: the beginning of everything this crate makes.
#[derive(Clone)]
pub struct Host {
    home: Home,
    vars: Vars,
    process_vars: Vars,
    dotenv: DotEnv,
    dotenv_error: Option<Arc<AtomicError>>,
    config: Config,
    config_value: Arc<Value>,
    config_error: Option<Arc<ConfigError>>,
    redactor: Redactor,
    deliveries: Deliveries,
    options: HostOptions,
}

impl Host {
    /// Finds the state folder and reads `.env` and `config.yaml` in it.
    ///
    /// # Errors
    /// If there is no such folder to be named, or the profile's name cannot be one. That the folder or
    /// the files are not there is no error.
    pub fn open(options: HostOptions) -> Result<Self, HostError> {
        let process_vars = options.vars.clone().unwrap_or_else(Vars::from_process);
        let mut home = match &options.home {
            Some(home) => home.clone(),
            None => Home::locate(|name| process_vars.get(name).map(str::to_owned))?,
        };
        let is_named = options.home.is_some() || process_vars.non_blank(HOME_VARIABLE).is_some();
        let chosen = if is_named { None } else { active_profile(&home) };
        if let Some(profile) = options.profile.as_ref().or(chosen.as_ref()) {
            let root = home.of_default_profile().unwrap_or(home);
            home = if profile == "default" { root } else { root.profile(profile)? };
        }
        // Whoever comes later, child processes included, finds the same folder by the variable.
        let name = (HOME_VARIABLE.to_owned(), home.root().display().to_string());
        let process_vars = process_vars.overlaid([name]);
        let mut host = Self::read(home, process_vars, options);
        host.redactor = configured_redactor(host.config.value(), &host.vars);
        Ok(host)
    }

    /// The same host with the files as they are now.
    #[must_use]
    pub fn reread(&self) -> Self {
        // Whether secrets are hidden is decided once: a model must not be able to change it.
        let redactor = self.redactor;
        let deliveries = self.deliveries.clone();
        let read = Self::read(self.home.clone(), self.process_vars.clone(), self.options.clone());
        Self { redactor, deliveries, ..read }
    }

    fn read(home: Home, process_vars: Vars, options: HostOptions) -> Self {
        let (dotenv, dotenv_error) = match DotEnv::load(&home.env_file()) {
            Ok(dotenv) => (dotenv, None),
            Err(problem) => (DotEnv::default(), Some(Arc::new(problem))),
        };
        let mut over: Vec<(String, String)> =
            dotenv.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        if options.safe_mode {
            over.push((SAFE_MODE_VARIABLE.to_owned(), "1".to_owned()));
        } else if hermes_process::descends_from_own_command() {
            // A command that a model wrote may set any variable; this one would leave out the user's hooks.
            over.push((SAFE_MODE_VARIABLE.to_owned(), String::new()));
        }
        let vars = process_vars.overlaid(over);
        let lookup = |name: &str| vars.get(name).map(str::to_owned);
        let (config, config_error) = if options.ignore_user_config {
            (Config::empty(home.config_file()), None)
        } else {
            Config::load_or_default(&home.config_file(), lookup)
        };
        let config_value = Arc::new(config.value().clone());
        let config_error = config_error.map(Arc::new);
        Self {
            home,
            vars,
            process_vars,
            dotenv,
            dotenv_error,
            config,
            config_value,
            config_error,
            redactor: Redactor::default(),
            deliveries: Deliveries::default(),
            options,
        }
    }

    /// The same host with platforms that scheduled jobs can tell of their runs.
    #[must_use]
    pub fn with_deliveries(self, deliveries: Deliveries) -> Self {
        Self { deliveries, ..self }
    }

    /// Who can be told of what scheduled jobs did.
    #[must_use]
    pub fn deliveries(&self) -> &Deliveries {
        &self.deliveries
    }

    /// The state folder everything of this host lives in.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The variables of the process with `.env` laid over them.
    #[must_use]
    pub fn vars(&self) -> &Vars {
        &self.vars
    }

    /// The variables of the process without `.env`: what commands of a person would see.
    #[must_use]
    pub fn process_vars(&self) -> &Vars {
        &self.process_vars
    }

    /// The variables of a tool call, which say whether a person is at the terminal.
    #[must_use]
    pub fn call_vars(&self) -> Vars {
        if self.options.interactive && self.vars.get(INTERACTIVE_VARIABLE).is_none() {
            self.vars.overlaid([(INTERACTIVE_VARIABLE.to_owned(), "1".to_owned())])
        } else {
            self.vars.clone()
        }
    }

    /// `.env` as read, or empty if it cannot be read.
    #[must_use]
    pub fn dotenv(&self) -> &DotEnv {
        &self.dotenv
    }

    /// Why `.env` could not be read.
    #[must_use]
    pub fn dotenv_error(&self) -> Option<&AtomicError> {
        self.dotenv_error.as_deref()
    }

    /// `config.yaml`, or the defaults if it is broken.
    #[must_use]
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// All settings as one value that parts of a session share.
    #[must_use]
    pub fn config_value(&self) -> Arc<Value> {
        Arc::clone(&self.config_value)
    }

    /// Why `config.yaml` could not be used.
    #[must_use]
    pub fn config_error(&self) -> Option<&ConfigError> {
        self.config_error.as_deref()
    }

    /// Hides secrets in whatever leaves a session: results, the record, the screen, logs.
    #[must_use]
    pub fn redactor(&self) -> Redactor {
        self.redactor
    }

    /// What it was opened with.
    #[must_use]
    pub fn options(&self) -> &HostOptions {
        &self.options
    }

    /// What is wrong with the configuration and `.env`, and therefore not in force.
    #[must_use]
    pub fn file_problems(&self) -> Vec<FileProblem<'_>> {
        let mut problems: Vec<FileProblem<'_>> =
            self.config_error().map(FileProblem::Config).into_iter().collect();
        problems.extend(self.dotenv_error().map(FileProblem::DotEnv));
        problems.extend(self.dotenv.warnings().iter().map(|warning| FileProblem::DotEnvLine {
            file: self.home.env_file(),
            warning: warning.to_string(),
        }));
        problems
    }

    /// For callers that make no sense with a broken configuration.
    ///
    /// # Errors
    /// If the configuration is broken.
    pub fn require_sound_config(&self) -> Result<(), HostError> {
        match self.config_error() {
            None => Ok(()),
            Some(problem) => Err(problem.into()),
        }
    }

    /// A runtime with every linked tool, to look at: nobody answers questions of its calls.
    #[must_use]
    pub fn runtime(&self) -> Runtime {
        self.runtime_with(Arc::new(Nobody))
    }

    /// The same with somebody to ask about calls that a hook is unsure of.
    #[must_use]
    pub fn runtime_with(&self, approver: Arc<dyn Approver>) -> Runtime {
        self.runtime_seeing(self.call_vars(), approver)
    }

    /// The same whose checks see these variables.
    pub(crate) fn runtime_seeing(&self, vars: Vars, approver: Arc<dyn Approver>) -> Runtime {
        Runtime::builder()
            .registry(Arc::new(Registry::with_linked_tools()))
            .toolsets(hermes_tools::product::toolset_catalog())
            .config(self.config.value().clone())
            .vars(vars)
            .approver(approver)
            .build()
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("home", &self.home).finish_non_exhaustive()
    }
}
