//! Tools that can be called, without an agent: the runtime with all that calls need.
//!
//! `hermes tools call`, `hermes mcp serve` and `hermes serve` use a [`ToolSession`] as it is; an
//! [`AgentSession`](crate::AgentSession) puts an agent on top of one. Tools, rules and limits are
//! therefore the same whoever calls.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hermes_approval::{Approvals, Audience, Reviewer};
use hermes_browser::BrowserSessions;
use hermes_exec::manager::{Environments, TaskOverride};
use hermes_files::state::FileState;
use hermes_mcp::client::Servers;
use hermes_mcp::names;
use hermes_plugins::Plugins;
use hermes_runtime::{CallOutcome, Runtime, ToolCall, ToolScope};
use hermes_skills::SkillLibrary;
use hermes_store::atomic::remove_stray_temps;
use hermes_store::config_keys::misspelt;
use hermes_tool::{ContextParts, Services, Vars};
use hermes_tools::messaging::Messenger;
use hermes_web::{DoorOptions, HttpDoor};
use serde_json::{Map, Value};

use crate::mcp::McpStart;
use crate::models::ModelSources;
use crate::plugin_skills;
use crate::plugins::{self, PluginStart};
use crate::{Host, HostError, Interaction, PLATFORM};

/// What a [`ToolSession`] is made with. The default offers the configured toolsets and no MCP server.
#[derive(Clone, Default)]
pub struct ToolOptions {
    /// The toolsets on offer; those of the configuration if none is named.
    pub toolsets: Vec<String>,
    /// The platform whose toolsets are meant where none is named; the command line by default.
    pub platform: Option<String>,
    /// Toolsets that are not on offer, whatever else is said.
    pub withheld: Vec<String>,
    /// The folder commands begin in, if not the current one.
    pub cwd: Option<PathBuf>,
    /// Variables over those of the host, for checks and calls.
    pub vars: Vec<(String, String)>,
    /// Which plugins are started, and how long they are waited for.
    pub plugins: PluginStart,
    /// Which MCP servers are started.
    pub mcp: McpStart,
    /// Servers besides those of the configuration, in the form of `mcp_servers`.
    pub mcp_servers: Map<String, Value>,
    /// A model that looks at flagged commands before a person does.
    pub reviewer: Option<Arc<dyn Reviewer>>,
    /// Lets flagged commands run without asking, as [`HostOptions::yolo`](crate::HostOptions::yolo)
    /// does for all sessions.
    pub run_flagged: bool,
}

/// What stands behind the calls of a runtime: the approval gate, the environments for commands, and
/// what files were seen.
pub struct CallServices {
    approvals: Arc<Approvals>,
    environments: Arc<Environments>,
    browsers: Arc<BrowserSessions>,
    services: Services,
    cwd: Option<PathBuf>,
    vars: Vars,
    config: Arc<Value>,
}

/// A runtime whose calls work, with plugins and MCP servers. End it with [`close`](Self::close).
pub struct ToolSession {
    runtime: Arc<Runtime>,
    scope: ToolScope,
    call: CallServices,
    plugins: Arc<Plugins>,
    servers: Option<Servers>,
    warnings: Vec<String>,
}

impl Host {
    /// Gets everything ready that calls of tools need. Must be called inside an async runtime.
    ///
    /// # Errors
    /// If a toolset was named that nobody knows, or the configuration cannot be read: with it the
    /// sandbox, the deny rules and the place where commands run would be lost.
    pub async fn tools(
        &self,
        options: ToolOptions,
        interaction: &Interaction,
    ) -> Result<ToolSession, HostError> {
        self.require_sound_config()?;
        self.sweep();
        let vars = self.call_vars().overlaid(options.vars.iter().cloned());
        let runtime = Arc::new(self.runtime_seeing(vars, Arc::clone(&interaction.approver)));
        let person = interaction.elicitation.clone();
        let servers = match &options.mcp {
            McpStart::None => None,
            McpStart::All => {
                Some(self.mcp_servers_with(&options.mcp_servers, runtime.registry(), person))
            }
            McpStart::ForTool { tool, .. } => {
                self.mcp_servers_for(tool, runtime.registry(), person)
            }
        };
        if let Some(servers) = &servers {
            servers.start();
        }
        let plugins = Arc::new(self.plugins(&runtime));
        let mut warnings: Vec<String> = misspelt(self.config().value())
            .iter()
            .map(|finding| format!("config.yaml: {finding}"))
            .collect();
        warnings.extend(plugins.problems().iter().map(ToString::to_string));
        plugins::start(&plugins, options.plugins).await;
        if let (Some(servers), McpStart::ForTool { wait, .. }) = (&servers, &options.mcp) {
            servers.wait_ready(*wait).await;
            warnings.extend(servers.status().into_iter().filter_map(|server| server.error));
        }
        warnings.extend(self.register_shell_hooks(&runtime, interaction.hook_question.clone()));
        let platform = options.platform.as_deref().unwrap_or(PLATFORM);
        let (mut scope, unknown) = self.scope_on(platform, &runtime, &options.toolsets)?;
        scope.disabled.extend(options.withheld.iter().cloned());
        // Servers of this session alone are wanted whatever the configuration lists.
        if let Some(enabled) = &mut scope.enabled {
            enabled.extend(options.mcp_servers.keys().map(|name| names::toolset(name)));
        }
        warnings.extend(unknown);
        let (call, odd) = self.call_services_of(&runtime, &options, interaction);
        warnings.extend(odd);
        plugin_skills::serve(&call.services, &plugins, self.plugin_setup());
        plugins.set_context(call.context());
        Ok(ToolSession { runtime, scope, call, plugins, servers, warnings })
    }

    /// Clears the home of what killed processes left half-written.
    fn sweep(&self) {
        /// Nobody writes a file for as long as this.
        const LEFT_FOR: Duration = Duration::from_secs(3_600);
        if let Err(error) = remove_stray_temps(self.home().root(), LEFT_FOR) {
            tracing::debug!(%error, "leftovers stay in the home");
        }
    }

    /// What the calls of a runtime need that was put together by hand, and what is wrong with the
    /// settings of it.
    #[must_use]
    pub fn call_services(
        &self,
        runtime: &Runtime,
        interaction: &Interaction,
    ) -> (CallServices, Vec<String>) {
        self.call_services_of(runtime, &ToolOptions::default(), interaction)
    }

    fn call_services_of(
        &self,
        runtime: &Runtime,
        options: &ToolOptions,
        interaction: &Interaction,
    ) -> (CallServices, Vec<String>) {
        let (mut settings, warnings) = self.approval_settings();
        settings.yolo |= options.run_flagged;
        let (asker, reviewer) = (interaction.asker.clone(), options.reviewer.clone());
        let approvals = self.approvals(settings, runtime, asker, reviewer);
        let environments = self.environments_in(options.cwd.as_deref());
        let door = self.http_door();
        let browsers = hermes_tools::browser::browser_sessions(
            self.config().value(),
            self.vars(),
            self.home(),
            &environments,
            door.clone(),
        );
        let services = Services::default()
            .with(Arc::clone(&browsers))
            .with(Arc::clone(&approvals))
            .with(Arc::clone(&environments))
            .with(Arc::new(self.home().clone()))
            .with(Arc::new(SkillLibrary::new(self.home())))
            .with(Arc::new(self.cron_jobs()))
            .with(Arc::new(Messenger { deliveries: self.deliveries().clone() }))
            .with(Arc::new(self.redactor()))
            .with(Arc::new(ModelSources::of(self).servers()))
            .with(Arc::new(door))
            .with(Arc::new(FileState::default()));
        let cwd = options.cwd.clone().or_else(|| std::env::current_dir().ok());
        let vars = self.vars().overlaid(options.vars.iter().cloned());
        let config = self.config_value();
        let call = CallServices { approvals, environments, browsers, services, cwd, vars, config };
        (call, warnings)
    }
}

impl Host {
    /// The door for addresses that models and pages name, by the user's rules. One for a session: it keeps connections
    /// and what it read of lists of blocked sites.
    fn http_door(&self) -> HttpDoor {
        HttpDoor::new(DoorOptions::read(self.config().value(), self.vars(), self.home().root()))
    }
}

impl CallServices {
    /// The context of a call that comes from nobody in particular, in the current folder.
    #[must_use]
    pub fn context(&self) -> ContextParts {
        ContextParts {
            cwd: self.cwd.clone(),
            vars: self.vars.clone(),
            config: Arc::clone(&self.config),
            services: self.services.clone(),
            ..ContextParts::default()
        }
    }

    /// Ends the commands that still run, and the browsers.
    pub async fn close(&self) {
        tokio::join!(self.environments.close_all(), self.browsers.close_all());
    }
}

impl ToolSession {
    /// Runs calls and knows which tools there are.
    #[must_use]
    pub fn runtime(&self) -> &Arc<Runtime> {
        &self.runtime
    }

    /// The toolsets on offer.
    #[must_use]
    pub fn scope(&self) -> &ToolScope {
        &self.scope
    }

    /// The gate that commands pass.
    #[must_use]
    pub fn approvals(&self) -> &Arc<Approvals> {
        &self.call.approvals
    }

    /// Where commands run, and what runs in the background.
    #[must_use]
    pub fn environments(&self) -> &Arc<Environments> {
        &self.call.environments
    }

    /// The plugins whose tools and hooks are in the runtime.
    #[must_use]
    pub fn plugins(&self) -> &Arc<Plugins> {
        &self.plugins
    }

    /// The MCP servers that were started, if any.
    #[must_use]
    pub fn servers(&self) -> Option<&Servers> {
        self.servers.as_ref()
    }

    /// What a person should know before the first call.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What calls find their state in: gate, environments, files seen.
    #[must_use]
    pub fn services(&self) -> &Services {
        &self.call.services
    }

    /// The context of a call that comes from nobody in particular, in the current folder.
    #[must_use]
    pub fn context(&self) -> ContextParts {
        self.call.context()
    }

    /// Calls a tool on behalf of nobody in particular. Whoever has a session, a task or a deadline makes
    /// a [`ToolCall`] and gives it to the [`runtime`](Self::runtime).
    pub async fn call(&self, tool: &str, args: Value) -> CallOutcome {
        let call = ToolCall { context: self.context(), ..ToolCall::new(tool.to_owned(), args) };
        self.runtime.call(call).await
    }

    /// Makes services for the calls of a client's session. Sessions share a terminal; each begins where
    /// the settings say, not where another has gone to.
    pub fn services_of(&self) -> impl Fn(&str, Audience) -> Services + Send + Sync + Clone + use<> {
        let (services, environments) =
            (self.call.services.clone(), Arc::clone(&self.call.environments));
        move |session, audience| {
            if environments.directory(session, session).is_none()
                && let Ok(settings) = environments.settings(session)
            {
                let cwd = Some(settings.cwd.clone());
                environments
                    .override_task(session, TaskOverride { cwd, ..TaskOverride::default() });
            }
            services.with(Arc::new(audience))
        }
    }

    /// The tools of the scope, which are those that a tool may call in turn.
    #[must_use]
    pub fn enabled_tools(&self) -> Arc<[Arc<str>]> {
        let toolsets = self.scope.enabled.iter().flatten().map(String::as_str);
        let tables = self.runtime.registry().snapshot();
        self.runtime.toolsets().snapshot().resolve_each(toolsets, &*tables).into_iter().collect()
    }

    /// Ends everything that was started through it: servers, commands, plugins.
    pub async fn close(&self) {
        if let Some(servers) = &self.servers {
            servers.stop().await;
        }
        self.call.close().await;
        self.plugins.close().await;
    }
}
