//! All plugins of a process: found, loaded, used, closed.
//!
//! ```no_run
//! use hermes_plugins::{Plugins, PluginOptions, Wake};
//! use hermes_runtime::Runtime;
//! # let vars = hermes_tool::Vars::default();
//! # let home = hermes_store::home::Home::at("/home/ada/.hermes");
//! # let config = serde_json::json!({"plugins": {"enabled": ["weather"]}});
//! let runtime = Runtime::builder().build();
//! let plugins = Plugins::open(PluginOptions::new(home, vars, &config), &runtime);
//! for problem in plugins.problems() {
//!     eprintln!("{problem}");
//! }
//! plugins.wake_blocking(Wake::Unknown);
//! // The runtime has their tools, hooks and middleware now.
//! ```
//!
//! Opening reads records of earlier runs and starts nothing; with no plugin enabled it does not even
//! look. Processes are looked after on the [shared runtime](hermes_runtime::bridge), so callers may be on
//! any runtime or none. Dropping [`Plugins`] ends every process and whatever is still asked of one.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::{ArcSwap, ArcSwapOption};
use hermes_runtime::Runtime;
use hermes_runtime::bridge::shared_runtime;
use hermes_tool::ContextParts;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::discover::FoundPlugin;
use crate::error::PluginError;
use crate::link::About;
use crate::log::LogEcho;
use crate::plugin::Plugin;
use crate::protocol::CommandEntry;
use crate::report::PluginReport;
use crate::setup::PluginOptions;
use crate::shared::{MessageSink, ModelDoor, PluginContext};

/// Shows plugins' logs on stderr.
pub const DEBUG_VARIABLE: &str = "HERMES_PLUGINS_DEBUG";
/// How long all plugins together may take to end.
const CLOSING: Duration = Duration::from_secs(2);

/// Which plugins are started beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Those whose last run says nothing certain about this one; the others when they are used.
    Unknown,
    /// All. Those of the first sort are waited for, the others are not.
    All,
    /// All, and all are waited for.
    AndWait,
}

/// The plugins of a process.
pub struct Plugins {
    shared: Option<Arc<PluginContext>>,
    plugins: Vec<Arc<Plugin>>,
    problems: Vec<String>,
}

impl Plugins {
    /// Finds the enabled plugins and puts what is known of them into the runtime.
    #[must_use]
    pub fn open(setup: PluginOptions, runtime: &Runtime) -> Self {
        if setup.wants_none() {
            return Self::none(Vec::new());
        }
        Self::open_with(setup, runtime, None)
    }

    /// Only this plugin, enabled or not.
    #[must_use]
    pub fn open_one(setup: PluginOptions, runtime: &Runtime, plugin: FoundPlugin) -> Self {
        Self::open_with(setup, runtime, Some(plugin))
    }

    fn none(problems: Vec<String>) -> Self {
        Self { shared: None, plugins: Vec::new(), problems }
    }

    fn open_with(setup: PluginOptions, runtime: &Runtime, only: Option<FoundPlugin>) -> Self {
        let mut problems = Vec::new();
        let chosen = match only {
            Some(plugin) => vec![plugin],
            None => setup.chosen(&mut problems),
        };
        let echo = if setup.vars.is_on(DEBUG_VARIABLE) { LogEcho::On } else { LogEcho::Off };
        let shared = Arc::new(PluginContext {
            interpreter: setup.interpreter(),
            home: setup.home,
            vars: setup.vars,
            settings: setup.settings,
            profile: setup.profile,
            reserved_commands: setup.reserved_commands,
            echo,
            runtime: runtime.clone(),
            closed: CancellationToken::new(),
            context: ArcSwap::from_pointee(ContextParts::default()),
            messages: ArcSwapOption::empty(),
            model: ArcSwapOption::empty(),
        });
        let plugins =
            chosen.into_iter().map(|found| Plugin::new(found, Arc::clone(&shared))).collect();
        Self { shared: Some(shared), plugins, problems }
    }

    pub(crate) fn all(&self) -> &[Arc<Plugin>] {
        &self.plugins
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.plugins.is_empty()
    }

    /// What the user should know: plugins that are enabled and not there, and the like.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        &self.problems
    }

    /// What a call that a plugin makes on its own account knows: services, variables, folder.
    pub fn set_context(&self, context: ContextParts) {
        if let Some(shared) = &self.shared {
            shared.context.store(Arc::new(context));
        }
    }

    /// Where plugins' words for the conversation go.
    pub fn set_messages(&self, sink: MessageSink) {
        if let Some(shared) = &self.shared {
            shared.messages.store(Some(Arc::new(sink)));
        }
    }

    /// Who answers plugins' questions to a model.
    pub fn set_model(&self, door: ModelDoor) {
        if let Some(shared) = &self.shared {
            shared.model.store(Some(Arc::new(door)));
        }
    }

    /// Starts plugins and waits, for a limited time, for those that have to be heard first. What
    /// goes wrong is in the [reports](Self::reports).
    pub async fn wake(&self, wake: Wake, patience: Duration) {
        let Some(shared) = self.shared.as_ref() else { return };
        let mut waited_for = Vec::new();
        for plugin in &self.plugins {
            let is_current = plugin.is_current();
            if is_current && wake == Wake::Unknown {
                continue;
            }
            let plugin = Arc::clone(plugin);
            let waking = shared.spawn(async move { plugin.wake().await });
            if !is_current || wake == Wake::AndWait {
                waited_for.push(waking);
            }
        }
        let all = shared.spawn(async move {
            let all = async {
                for waking in waited_for {
                    let _ = waking.await;
                }
            };
            let _ = tokio::time::timeout(patience, all).await;
        });
        let _ = all.await;
    }

    /// The same for callers without a runtime, for as long as plugins may take.
    pub fn wake_blocking(&self, wake: Wake) {
        if !self.is_empty() {
            let longest = self.start_timeout() + Duration::from_secs(1);
            shared_runtime().block_on(self.wake(wake, longest));
        }
    }

    /// How long a plugin may take to start.
    #[must_use]
    pub fn start_timeout(&self) -> Duration {
        self.shared.as_ref().map_or(Duration::ZERO, |shared| shared.settings.start_timeout())
    }

    /// The slash commands in force; of two with the same name the first counts.
    #[must_use]
    pub fn commands(&self) -> Vec<CommandEntry> {
        let mut all: Vec<CommandEntry> = Vec::new();
        for plugin in &self.plugins {
            for command in &plugin.book().commands {
                if all.iter().all(|known| known.name != command.name) {
                    all.push(command.clone());
                }
            }
        }
        all
    }

    /// Runs a slash command; what it says, if anything. `None` if no plugin has it.
    ///
    /// # Errors
    /// When the plugin fails.
    pub async fn run_command(
        &self,
        name: &str,
        args: &str,
        session: &str,
    ) -> Option<Result<Option<String>, PluginError>> {
        let owner = self
            .plugins
            .iter()
            .find(|plugin| plugin.book().commands.iter().any(|command| command.name == name))?;
        let params = json!({"command": name, "args": args, "session_id": session});
        let deadline = owner.shared.settings.call_timeout();
        let said = owner.ask("command.run", params, About::Nothing, deadline).await;
        Some(said.map(|said| match said {
            Value::Null => None,
            Value::String(text) => Some(text),
            other => Some(other.to_string()),
        }))
    }

    /// Runs a command for the shell; exit code, stdout and stderr. `None` if no plugin has it.
    ///
    /// # Errors
    /// When the plugin fails.
    pub fn run_cli(
        &self,
        name: &str,
        argv: &[String],
    ) -> Option<Result<(i32, String, String), PluginError>> {
        let owner = self.plugins.iter().find(|plugin| {
            plugin.book().brings.cli_commands.iter().any(|command| command.name == name)
        })?;
        let params = json!({"command": name, "argv": argv});
        let deadline = owner.shared.settings.call_timeout();
        let said =
            shared_runtime().block_on(owner.ask("cli.run", params, About::Nothing, deadline));
        Some(said.map(|said| {
            let text = |key: &str| said[key].as_str().unwrap_or_default().to_owned();
            let exit = said["exit"].as_i64().and_then(|code| i32::try_from(code).ok());
            (exit.unwrap_or(0), text("stdout"), text("stderr"))
        }))
    }

    /// What became of each plugin.
    #[must_use]
    pub fn reports(&self) -> Vec<PluginReport> {
        self.plugins.iter().map(|plugin| PluginReport::of(plugin)).collect()
    }

    /// Ends every process, politely at first.
    pub async fn close(&self) {
        let Some(shared) = self.shared.as_ref() else { return };
        let closing: Vec<_> = self
            .plugins
            .iter()
            .map(|plugin| {
                let plugin = Arc::clone(plugin);
                shared.spawn(async move { plugin.close().await })
            })
            .collect();
        let all = shared.spawn(async move {
            let all = async {
                for one in closing {
                    let _ = one.await;
                }
            };
            let _ = tokio::time::timeout(CLOSING, all).await;
        });
        let _ = all.await;
    }

    /// The same for callers without a runtime.
    pub fn close_blocking(&self) {
        if !self.is_empty() {
            shared_runtime().block_on(self.close());
        }
    }
}

impl Drop for Plugins {
    fn drop(&mut self) {
        if let Some(shared) = &self.shared {
            shared.closed.cancel();
        }
        for link in self.plugins.drain(..).filter_map(|plugin| plugin.live()) {
            link.kill("was closed");
        }
    }
}
