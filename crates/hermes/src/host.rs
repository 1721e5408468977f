//! The host: home, variables, configuration and the runtime built from them.
//!
//! [`Host::open`] reads two small files and starts nothing: no network, no child process, no
//! database. A file that cannot be used does not stop it; commands that can work without it call
//! [`Host::warn_about_files`] and go on, those that cannot call [`Host::require_sound_config`].
//! [`Host::runtime`] makes the runtime with every linked tool, and
//! [`Host::register_shell_hooks`] puts into force the hooks somebody has agreed to.
//!
//! [`Host::approvals`] makes the gate that commands have to pass.
//!
//! What never happens here: a file is written, or a hook runs that nobody has agreed to.

mod approvals;
mod environments;
mod mcp;
mod plugins;

use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use hermes_plugins::shell_hooks::consent::{Asker, Reply};
use hermes_plugins::shell_hooks::{
    Allowlist, Consent, ConsentSources, ReadConfig, Runner, SAFE_MODE_VARIABLE, ShellHook,
    read_config, register,
};
use hermes_runtime::approval::Approver;
use hermes_runtime::registry::{Registry, Snapshot};
use hermes_runtime::toolsets::builtin::PLATFORMS;
use hermes_runtime::toolsets::platform::{
    Credential, PlatformRequest, PlatformSettings, enabled_mcp_servers,
};
use hermes_runtime::toolsets::{RegisteredTools, Toolsets};
use hermes_runtime::{Runtime, ToolScope};
use hermes_store::atomic::AtomicError;
use hermes_store::config::{Config, ConfigError};
use hermes_store::dotenv::DotEnv;
use hermes_store::home::Home;
use hermes_tool::{Origin, Tool, Vars};
use hermes_tools::agent_level::MoaSettings;
use serde_json::Value;

use crate::approve::{TerminalApprover, answer, is_interactive};
use crate::cli::GlobalFlags;
use crate::exit::UsageError;
use crate::ui::Ui;

/// The platform whose toolsets the command line uses.
pub(crate) const PLATFORM: &str = "cli";
/// The toolset of several models on one question.
const MIXTURE: &str = "moa";

/// Where things are and what they say.
pub(crate) struct Host {
    /// The state folder.
    pub(crate) home: Home,
    /// Variables of the process with `.env` laid over them.
    pub(crate) vars: Vars,
    /// `.env` as read, or empty if it cannot be read.
    pub(crate) dotenv: DotEnv,
    /// Why `.env` could not be read.
    pub(crate) dotenv_error: Option<AtomicError>,
    /// Variables of the process alone.
    pub(crate) process_vars: Vars,
    /// `config.yaml`, or the defaults if it is broken.
    pub(crate) config: Config,
    /// Why `config.yaml` could not be used.
    pub(crate) config_error: Option<ConfigError>,
    flags: GlobalFlags,
}

impl Host {
    /// Reads `.env` and `config.yaml`.
    pub(crate) fn open(flags: &GlobalFlags) -> anyhow::Result<Self> {
        let process_vars = Vars::from_process();
        let mut home = Home::locate(|name| process_vars.get(name).map(str::to_owned))?;
        if let Some(profile) = &flags.profile {
            home = home.profile(profile)?;
        }
        let (dotenv, dotenv_error) = match DotEnv::load(&home.env_file()) {
            Ok(dotenv) => (dotenv, None),
            Err(problem) => (DotEnv::default(), Some(problem)),
        };
        let mut over: Vec<(String, String)> =
            dotenv.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        if flags.safe_mode {
            over.push((SAFE_MODE_VARIABLE.to_owned(), "1".to_owned()));
        }
        let vars = process_vars.overlaid(over);
        let lookup = |name: &str| vars.get(name).map(str::to_owned);
        let (config, config_error) = if flags.ignore_user_config {
            (Config::empty(home.config_file()), None)
        } else {
            Config::load_or_default(&home.config_file(), lookup)
        };
        let flags = flags.clone();
        Ok(Self { home, vars, dotenv, dotenv_error, process_vars, config, config_error, flags })
    }

    /// Builds a runtime with every linked tool.
    pub(crate) fn runtime(&self) -> Runtime {
        self.runtime_asking(Arc::new(TerminalApprover))
    }

    /// The same with somebody else to ask about calls that a hook is unsure of.
    pub(crate) fn runtime_asking(&self, approver: Arc<dyn Approver>) -> Runtime {
        Runtime::builder()
            .registry(Arc::new(Registry::with_linked_tools()))
            .config(self.config.value().clone())
            .vars(self.call_vars())
            .approver(approver)
            .build()
    }

    /// The flags that every command takes.
    pub(crate) fn flags(&self) -> &GlobalFlags {
        &self.flags
    }

    /// Whether more is to be said on stderr.
    pub(crate) fn is_verbose(&self) -> bool {
        self.flags.verbose > 0
    }

    /// Tells loudly what is wrong with the configuration and `.env`, and not in force.
    pub(crate) fn warn_about_files(&self, ui: &mut Ui) -> anyhow::Result<()> {
        if let Some(problem) = &self.config_error {
            ui.warn(format_args!(
                "the configuration is broken, so defaults are in force and no hooks run:\n\
                 {problem}\n  `hermes config edit` opens it; the file was not changed"
            ))?;
        }
        if let Some(problem) = &self.dotenv_error {
            ui.warn(format_args!("no secrets are in force: {problem}"))?;
        }
        for warning in self.dotenv.warnings() {
            ui.warn(format_args!("{}: {warning}", self.home.env_file().display()))?;
        }
        Ok(())
    }

    /// For commands that make no sense with a broken configuration.
    pub(crate) fn require_sound_config(&self) -> anyhow::Result<()> {
        match &self.config_error {
            None => Ok(()),
            Some(problem) => anyhow::bail!("{problem}\n  `hermes config edit` opens the file"),
        }
    }

    /// The toolsets the configuration gives the command line. Those nobody knows may mean something
    /// later (a plugin, a server), so they are worth a warning and no more.
    pub(crate) fn scope(&self, runtime: &Runtime, ui: &mut Ui) -> anyhow::Result<ToolScope> {
        let enabled = self.platform_toolsets(runtime, PLATFORM);
        let tables = runtime.registry().snapshot();
        let toolsets = runtime.toolsets().snapshot();
        // A server's tools are known once it has answered.
        let servers = enabled_mcp_servers(self.config.value());
        let is_known = |name: &&String| toolsets.is_valid(name, &*tables) || servers.contains(name);
        for name in enabled.iter().filter(|name| !is_known(name)) {
            let hint = toolsets
                .suggestion(name, &*tables)
                .map(|near| format!("; did you mean `{near}`?"))
                .unwrap_or_default();
            ui.warn(format_args!("unknown toolset `{name}` in the configuration{hint}"))?;
        }
        Ok(ToolScope { enabled: Some(enabled), disabled: Vec::new() })
    }

    /// The toolsets the configuration gives a platform.
    pub(crate) fn platform_toolsets(&self, runtime: &Runtime, platform: &str) -> Vec<String> {
        self.with_platform(runtime, platform, |toolsets, request, tables| {
            toolsets.for_platform(request, tables)
        })
    }

    /// Hands everything platform resolution depends on to `act`.
    pub(crate) fn with_platform<T>(
        &self,
        runtime: &Runtime,
        platform: &str,
        act: impl FnOnce(&Toolsets, &PlatformRequest<'_>, &Snapshot) -> T,
    ) -> T {
        let config = self.config.value();
        let mut settings = PlatformSettings::read(config, platform);
        if platform == PLATFORM && settings.listed.is_none() {
            settings.listed = self.config.text_list("toolsets");
        }
        let tables = runtime.registry().snapshot();
        let toolsets = runtime.toolsets().snapshot();
        let mut credentials = Vec::new();
        if self.vars.non_blank("HASS_TOKEN").is_some() {
            credentials.push(Credential::HomeAssistant);
        }
        if self.vars.non_blank("XAI_API_KEY").is_some() {
            credentials.push(Credential::Xai);
        }
        let mut unlisted = unlisted_toolsets(&toolsets, &tables);
        // Several models at once cost several times as much: only who has named them gets the tool.
        if !MoaSettings::from_config(config, None).is_some_and(|moa| moa.is_usable()) {
            unlisted.retain(|name| name != MIXTURE);
        }
        let request = PlatformRequest {
            platform,
            settings: &settings,
            plugin_toolsets: &unlisted,
            mcp_servers: &enabled_mcp_servers(config),
            credentials: &credentials,
        };
        act(&toolsets, &request, &tables)
    }

    /// Refuses platforms nobody has heard of: neither built in, nor a plugin's, nor configured.
    pub(crate) fn require_platform(&self, runtime: &Runtime, name: &str) -> Result<(), UsageError> {
        let known = PLATFORMS.contains(&name)
            || runtime.registry().snapshot().is_platform(name)
            || self.config.value()["platform_toolsets"].get(name).is_some();
        if known { Ok(()) } else { Err(UsageError::none_of("platform", name, PLATFORMS)) }
    }

    /// The shell hooks of the configuration, and what is wrong with the rest.
    pub(crate) fn shell_hooks(&self) -> ReadConfig {
        read_config(self.config.get("hooks").unwrap_or(&Value::Null))
    }

    /// The file of agreements to shell hooks.
    pub(crate) fn allowlist(&self) -> Allowlist {
        Allowlist::at(self.home.shell_hooks_allowlist())
    }

    /// What runs shell hooks.
    pub(crate) fn hook_runner(&self) -> Runner {
        let runner = Runner::new(self.vars.clone(), self.home.root());
        match std::env::current_dir() {
            Ok(cwd) => runner.in_directory(cwd),
            Err(_) => runner,
        }
    }

    /// Puts into force the shell hooks somebody has agreed to, asking where somebody can answer.
    pub(crate) fn register_shell_hooks(
        &self,
        runtime: &Runtime,
        ui: &mut Ui,
    ) -> anyhow::Result<()> {
        let ReadConfig { hooks, problems } = self.shell_hooks();
        for problem in problems {
            ui.warn(problem)?;
        }
        let sources = ConsentSources {
            accept_hooks_flag: self.flags.accept_hooks,
            vars: &self.vars,
            config: self.config.value(),
        };
        let asker: Option<Asker> = is_interactive().then(|| Box::new(ask_about_hook) as Asker);
        let consent = Consent { allowlist: self.allowlist(), policy: sources.policy(asker) };
        let registered = register(runtime.hooks(), &hooks, &consent, &self.hook_runner());
        for skipped in registered.skipped {
            ui.warn(skipped)?;
        }
        for problem in registered.problems {
            ui.warn(problem)?;
        }
        Ok(())
    }
}

/// Toolsets that no table lists: those of plugins, and new ones among the linked tools. They are
/// on until somebody turns them off, so that a tool in a new folder is there without further ado.
fn unlisted_toolsets(toolsets: &Toolsets, tables: &Snapshot) -> Vec<String> {
    let is_unlisted = |tool: &&Tool| match tool.origin() {
        Origin::Plugin(_) => true,
        Origin::Linked => toolsets.definition(tool.toolset()).is_none(),
        Origin::Mcp(_) => false,
    };
    let mut names: Vec<String> = tables
        .tools()
        .into_iter()
        .filter(is_unlisted)
        .map(|tool| tool.toolset().to_string())
        .collect();
    names.sort();
    names.dedup();
    names
}

fn ask_about_hook(hook: &ShellHook) -> Reply {
    let question = format!(
        "\nThe configuration has a shell hook that was not approved yet:\n  on {}: {}\nMay it run from now on? [y/N] ",
        hook.event, hook.command
    );
    match answer(&question).as_deref() {
        Some("y" | "yes") => Reply::Yes,
        _ => Reply::No,
    }
}

/// Runs an interactive program, such as an editor, on a file and waits for it.
pub(crate) fn run_in_terminal(program: &str, file: &Path, vars: &Vars) -> anyhow::Result<()> {
    let words = shlex::split(program)
        .filter(|words| !words.is_empty())
        .with_context(|| format!("`{program}` is not a command"))?;
    let environment = vars.iter().map(|(name, value)| (name.to_owned(), value.to_owned()));
    let status = hermes_process::Command::new(&words[0])
        .args(words[1..].iter().cloned())
        .arg(file)
        .envs(environment)
        .run_in_foreground()
        .with_context(|| format!("open {} in `{program}`", file.display()))?;
    anyhow::ensure!(status.success(), "`{program}` ended with {status}");
    Ok(())
}
