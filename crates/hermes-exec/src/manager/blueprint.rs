//! From settings to backends.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hermes_process::{Command, Confinement};
use hermes_store::dotenv::is_secret_name;
use hermes_tool::Vars;
use hermes_tool::settings::Settings as _;
use serde_json::{Map, Value};

use crate::apptainer::{Apptainer, ApptainerOptions};
use crate::backend::{Backend, BackendKind};
use crate::child_env::{
    self, Credentials, EnvRules, HomeRules, HostKind, Passthrough, SessionContext,
};
use crate::cloud::{Cloud, CloudOptions};
use crate::code::ScriptsHere;
use crate::docker::{Docker, DockerOptions};
use crate::error::ExecError;
use crate::granted::GrantedFiles;
use crate::local::{Local, LocalOptions, confinement};
use crate::mark::SandboxMark;
use crate::settings::{BackendSettings, ScriptSettings, TerminalSettings, with_overrides};
use crate::ssh::{Ssh, SshOptions};
use crate::sync::{SyncScope, SyncSources};

/// Everything environments are made from.
#[derive(Clone, Debug)]
pub struct Blueprint {
    /// The configuration.
    pub config: Arc<Value>,
    /// Variables settings are read from: those of the process with `.env` over them.
    pub vars: Vars,
    /// Variables commands inherit: those of the process alone.
    pub process_vars: Vars,
    /// `HERMES_HOME`.
    pub home: PathBuf,
    /// Where we were started.
    pub process_cwd: PathBuf,
}

/// What one task has for itself.
#[derive(Clone, Debug, Default)]
pub struct TaskOverride {
    /// Where it begins.
    pub cwd: Option<String>,
    /// Keys of the `terminal` section that differ for it, such as `backend` or `docker_image`.
    pub terminal: Map<String, Value>,
    /// Whose its container or sandbox is, where that is a run.
    pub mark: Option<SandboxMark>,
}

/// The settings that name a variable with a key in it.
const KEY_SETTINGS: [&str; 2] = ["key_env", "api_key_env"];

/// Shorter values are found in others by chance.
const LEAST_SECRET: usize = 8;

/// The keys that give a task an environment to itself.
const ISOLATING: [&str; 7] = [
    "docker_image",
    "modal_image",
    "singularity_image",
    "daytona_image",
    "vercel_runtime",
    "env_type",
    "backend",
];

impl TaskOverride {
    /// Whether the task must not share.
    pub(super) fn isolates(&self) -> bool {
        ISOLATING.iter().any(|key| self.terminal.contains_key(*key))
    }
}

impl Blueprint {
    pub(super) fn settings(
        &self,
        own: Option<&TaskOverride>,
    ) -> Result<Arc<TerminalSettings>, ExecError> {
        let Self { config, vars, home, process_cwd, .. } = self;
        let settings = match own.filter(|own| !own.terminal.is_empty()) {
            None => TerminalSettings::read(config, vars, home, process_cwd),
            Some(own) => TerminalSettings::read(
                &with_overrides(config, &own.terminal),
                vars,
                home,
                process_cwd,
            ),
        };
        settings.map(Arc::new).map_err(|error| ExecError::Settings(error.to_string()))
    }

    /// Has the image of a task here, where containers are made of images that are fetched; its name, if that was
    /// necessary.
    pub(super) async fn bring_image(
        &self,
        settings: &TerminalSettings,
    ) -> Result<Option<String>, ExecError> {
        match &settings.backend_settings {
            BackendSettings::Docker(docker) => {
                crate::docker::bring_image(docker, &self.process_vars).await
            }
            _ => Ok(None),
        }
    }

    pub(super) async fn remove_image(
        &self,
        settings: &TerminalSettings,
    ) -> Result<bool, ExecError> {
        match &settings.backend_settings {
            BackendSettings::Docker(docker) => {
                crate::docker::remove_image(docker, &self.process_vars).await
            }
            _ => Ok(false),
        }
    }

    pub(super) async fn end_leftovers(
        &self,
        settings: &TerminalSettings,
        run: &str,
        before: u64,
    ) -> Result<usize, ExecError> {
        let process = &self.process_vars;
        match &settings.backend_settings {
            BackendSettings::Local(_) | BackendSettings::Ssh(_) => Ok(0),
            BackendSettings::Docker(docker) => {
                crate::docker::end_leftovers(docker, process, run, before).await
            }
            BackendSettings::Singularity(_) => {
                crate::apptainer::end_leftovers(process, run, before).await
            }
            BackendSettings::Cloud(cloud) => {
                crate::cloud::end_leftovers(cloud.kind, &self.vars, run, before).await
            }
        }
    }

    pub(super) fn backend(
        &self,
        key: &str,
        settings: &TerminalSettings,
        mark: Option<SandboxMark>,
        granted: &Arc<GrantedFiles>,
    ) -> Result<Arc<dyn Backend>, ExecError> {
        match &settings.backend_settings {
            BackendSettings::Local(local) => Ok(Arc::new(Local::new(LocalOptions {
                variables: child_env::variables(&self.process_vars, &self.env_rules(settings)),
                cwd: PathBuf::from(&settings.cwd),
                init_files: local.init_files.clone(),
                temp_dir: None,
                confinement: confinement(local, Path::new(&settings.cwd)),
                limits: local.limits,
            })?)),
            BackendSettings::Docker(docker) => {
                let options = DockerOptions {
                    settings: docker.clone(),
                    cwd: settings.cwd.clone(),
                    task: key.to_owned(),
                    profile: self.profile(),
                    mark,
                    sandbox_dir: settings.sandbox_dir.clone(),
                    shown: self.mounts(settings),
                    forwarded: child_env::forwarded(
                        &self.vars,
                        &docker.forward_env,
                        &Passthrough::new(&settings.env_passthrough, &BTreeSet::new()),
                    ),
                    lifetime: settings.lifetime,
                };
                let docker = Docker::new(options, &self.process_vars)?;
                Ok(Arc::new(docker.with_granted(&self.home, granted)))
            }
            BackendSettings::Ssh(ssh) => {
                let options = SshOptions {
                    settings: ssh.clone(),
                    cwd: settings.cwd.clone(),
                    // Tasks of a run bring nothing back, so they get nothing.
                    shown: mark.is_none().then(|| self.shown(settings)),
                    options: Vec::new(),
                };
                let ssh = Ssh::new(options, &self.process_vars)?;
                Ok(Arc::new(ssh.with_granted(granted)))
            }
            BackendSettings::Singularity(singularity) => {
                let options = ApptainerOptions {
                    settings: singularity.clone(),
                    cwd: settings.cwd.clone(),
                    task: key.to_owned(),
                    mark,
                    home: self.home.clone(),
                    shown: self.mounts(settings),
                };
                let apptainer = Apptainer::new(options, &self.process_vars)?;
                Ok(Arc::new(apptainer.with_granted(&self.home, granted)))
            }
            BackendSettings::Cloud(cloud) => {
                let options = CloudOptions {
                    settings: cloud.clone(),
                    cwd: settings.cwd.clone(),
                    task: key.to_owned(),
                    profile: self.profile(),
                    mark,
                    home: self.home.clone(),
                    shown: Some(self.shown(settings)),
                    lifetime: settings.lifetime,
                };
                Ok(Arc::new(Cloud::new(options, &self.vars)?.with_granted(granted)))
            }
        }
    }

    /// This machine, for scripts: they see less than commands, and nothing of other processes.
    pub(super) fn scripts_here(&self, settings: &TerminalSettings) -> ScriptsHere {
        let rules = self.env_rules(settings);
        let sandbox = match &settings.backend_settings {
            BackendSettings::Local(local) => confinement(local, Path::new(&settings.cwd)),
            _ => None,
        };
        let scripts = ScriptSettings::read(&self.config, &self.vars);
        let apart = scripts.confine.then(Confinement::processes_only);
        ScriptsHere {
            variables: child_env::script_variables(&self.process_vars, &rules),
            is_sandboxed: sandbox.is_some(),
            confinement: sandbox.or(apart),
            cwd: settings.cwd.clone(),
        }
    }

    /// A command line for this machine's shell, whatever backend commands have: as bare as one of theirs, and as
    /// confined.
    pub(super) fn command_here(&self, settings: &TerminalSettings, text: &str) -> Command {
        let (confinement, limits) = match &settings.backend_settings {
            BackendSettings::Local(local) => {
                (confinement(local, Path::new(&settings.cwd)), local.limits.prologue())
            }
            _ => (None, String::new()),
        };
        let command = Command::new("bash")
            .arg("-c")
            .arg(format!("{limits}{text}"))
            .envs(child_env::variables(&self.process_vars, &self.env_rules(settings)));
        match confinement {
            Some(confinement) => command.confine(confinement),
            None => command,
        }
    }

    /// What of the home commands elsewhere may see.
    fn shown(&self, settings: &TerminalSettings) -> SyncSources {
        SyncSources {
            home: self.home.clone(),
            credential_files: settings.credential_files.clone(),
            external_skills: Vec::new(),
            scope: SyncScope::Everything,
        }
    }

    fn mounts(&self, settings: &TerminalSettings) -> Vec<(String, String)> {
        self.shown(settings).mounts(&settings.sandbox_dir.join("shown"))
    }

    /// The profile whose home it is: `default`, or the folder's name below `profiles`.
    fn profile(&self) -> String {
        let below_profiles = self.home.parent().is_some_and(|parent| parent.ends_with("profiles"));
        let name = self.home.file_name().filter(|_| below_profiles);
        name.map_or_else(|| "default".to_owned(), |name| name.to_string_lossy().into_owned())
    }

    /// The variables that hold the keys of the user's own providers and servers: the configuration
    /// names them, or uses their values where a secret belongs (`api_key: ${HOUSE_KEY}`).
    pub(super) fn own_keys(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        let mut secrets: Vec<&str> = Vec::new();
        let mut open: Vec<&Value> = vec![&self.config];
        while let Some(value) = open.pop() {
            match value {
                Value::Object(fields) => {
                    let named = KEY_SETTINGS.iter().filter_map(|key| fields.get(*key)?.as_str());
                    names.extend(named.map(str::to_owned));
                    let secret = |(name, _): &(&String, &Value)| {
                        is_secret_name(&name.to_ascii_uppercase().replace('-', "_"))
                    };
                    let values = fields.iter().filter(secret).filter_map(|(_, v)| v.as_str());
                    secrets.extend(values.filter(|value| value.len() >= LEAST_SECRET));
                    open.extend(fields.values());
                }
                Value::Array(items) => open.extend(items),
                _ => {}
            }
        }
        let used = |value: &str| {
            value.len() >= LEAST_SECRET && secrets.iter().any(|secret| secret.contains(value))
        };
        names.extend(self.process_vars.iter().filter(|(_, v)| used(v)).map(|(n, _)| n.to_owned()));
        names
    }

    /// Whether commands could run: the settings make sense and the client they need is there.
    /// Nothing is started.
    pub fn check(&self) -> Result<(), ExecError> {
        let settings = self.settings(None)?;
        let process = &self.process_vars;
        match &settings.backend_settings {
            BackendSettings::Local(_) => Ok(()),
            BackendSettings::Docker(docker) => crate::docker::check(docker, process),
            BackendSettings::Ssh(_) => crate::ssh::client(process).map(|_| ()),
            BackendSettings::Singularity(_) => crate::apptainer::client(process).map(|_| ()),
            BackendSettings::Cloud(cloud) => crate::cloud::check(cloud.kind, &self.vars),
        }
    }

    /// This machine for scripts, if the settings say that they run here. Nothing is started.
    pub fn scripts(&self) -> Result<Option<ScriptsHere>, ExecError> {
        let settings = self.settings(None)?;
        let is_here = settings.backend() == BackendKind::Local;
        Ok(is_here.then(|| self.scripts_here(&settings)))
    }

    fn env_rules(&self, settings: &TerminalSettings) -> EnvRules {
        let profile_home = Some(self.home.join("home")).filter(|home| home.is_dir());
        let account = nix::unistd::User::from_uid(nix::unistd::getuid());
        let also_withheld = self.own_keys();
        EnvRules {
            passthrough: Passthrough::new(&settings.env_passthrough, &also_withheld),
            also_withheld,
            credentials: Credentials::Withheld,
            own_directory: std::env::current_exe()
                .ok()
                .and_then(|program| program.parent().map(Path::to_owned)),
            home: HomeRules {
                mode: settings.home_mode,
                host: HostKind::of(&self.process_vars, Path::exists),
                profile_home,
                account_home: account.ok().flatten().map(|account| account.dir),
            },
            session: SessionContext::NotInUse,
            ..EnvRules::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn blueprint(config: Value, process: &[(&str, &str)]) -> Blueprint {
        let vars: Vars =
            process.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Blueprint {
            config: Arc::new(config),
            vars: vars.clone(),
            process_vars: vars,
            home: PathBuf::from("/nonexistent/.hermes"),
            process_cwd: PathBuf::from("/"),
        }
    }

    fn complaint(terminal: &Value) -> String {
        let bare = [("PATH", "/nonexistent")];
        blueprint(json!({"terminal": terminal}), &bare).check().unwrap_err().to_string()
    }

    #[test]
    fn a_place_that_cannot_be_used_is_told_with_the_remedy() {
        let fine = blueprint(json!({}), &[("PATH", "/nonexistent")]);
        assert!(fine.check().is_ok(), "this machine needs nothing");
        for (terminal, told) in [
            (json!({"backend": "ssh"}), "ssh_host"),
            (json!({"backend": "ssh", "ssh_host": "h", "ssh_user": "u"}), "install the OpenSSH"),
            (json!({"backend": "singularity"}), "install one of them"),
            (json!({"backend": "modal"}), "MODAL_TOKEN_ID"),
            (json!({"backend": "daytona"}), "DAYTONA_API_KEY"),
            (json!({"backend": "vercel_sandbox"}), "VERCEL_TOKEN"),
            (json!({"backend": "nowhere"}), "nowhere"),
        ] {
            let complaint = complaint(&terminal);
            assert!(complaint.contains(told), "{complaint}");
        }
        let chosen = [("PATH", "/nonexistent"), ("HERMES_DOCKER_BINARY", "/no/such/docker")];
        let docker = blueprint(json!({"terminal": {"backend": "docker"}}), &chosen);
        let complaint = docker.check().unwrap_err().to_string();
        assert!(complaint.contains("/no/such/docker"), "{complaint}");
    }

    #[test]
    fn keys_of_the_users_own_providers_stay_here() {
        let config = json!({
            "providers": {"house": {"key_env": "HOUSE_KEY", "models": [{"api_key_env": "M_KEY"}]}},
            "terminal": {"env_passthrough": ["HOUSE_KEY", "MINE"]},
        });
        let process = [("PATH", "/bin"), ("HOUSE_KEY", "x"), ("M_KEY", "y"), ("MINE", "z")];
        let blueprint = blueprint(config, &process);
        let settings = blueprint.settings(None).unwrap();
        let rules = blueprint.env_rules(&settings);
        let given = child_env::variables(&blueprint.process_vars, &rules);
        assert_eq!(given.get("MINE").map(String::as_str), Some("z"));
        assert!(!given.contains_key("HOUSE_KEY") && !given.contains_key("M_KEY"));
        assert!(given.contains_key("HERMES_REAL_HOME"), "the system knows the user's home");
    }
}
