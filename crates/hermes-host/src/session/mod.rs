//! A session with an agent, built from the user's settings.
//!
//! [`Host::agent_session`] finds the models, gets the tools ready, chooses the session to go on with,
//! writes or finds its system prompt and makes an agent of all that. The agent can then be asked
//! ([`AgentSession::ask`]), and is let go in an order that loses nothing ([`AgentSession::close`]).
//!
//! What never happens here: a request to a model before somebody asked something, or more than one
//! request to find out about the model.

mod choose;
mod hooks;
mod profile;
mod prompt;
mod skills;
mod skills_upkeep;
mod tasks;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hermes_agent::system_prompt::ProjectRules;
use hermes_agent::{Agent, AgentContext, AgentOptions, FrontEnd, TurnResult};
use hermes_approval::Audience;
use hermes_exec::manager::TaskOverride;
use hermes_llm::{EndpointChoice, Message, MessageContent, Secret};
use hermes_mcp::client::Servers;
use hermes_protocol::Planning;
use hermes_runtime::pipeline::ReadOnlyGate;
use hermes_sessions::{SessionStore, SessionsError};
use hermes_skills::SkillRefusal;
use hermes_skills::offer::SessionPlatform;
use hermes_tool::{ContextParts, Services};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

pub use choose::{ChosenSession, Continue, find_session, resume_session};
pub use hooks::{session_finalized, session_reset};
pub use skills::{Expanded, SessionSkills};
pub use tasks::{TaskAgentOptions, TaskAgents};

use crate::mcp::McpStart;
use crate::models::{ModelSources, SessionModels};
use crate::planning;
use crate::plugin_model::model_door;
use crate::plugins::PluginStart;
use crate::tools::{ToolOptions, ToolSession};
use crate::{Host, HostError, Interaction, PLATFORM};
pub(crate) use prompt::PromptParts;

/// How long MCP servers are waited for before a question that nobody can repeat: it is to be answered
/// with all tools.
const SERVER_PATIENCE: Duration = Duration::from_secs(10);
/// How long people wait before they are told what for.
const TELL_AFTER: Duration = Duration::from_secs(2);

/// What an [`AgentSession`] is made with. The default is a new session with the configured model and
/// toolsets.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// The model, if not the configured one.
    pub model: Option<String>,
    /// Who serves it, if not the configured provider.
    pub provider: Option<String>,
    /// The toolsets on offer; those of the configuration if none is named.
    pub toolsets: Vec<String>,
    /// Skills that are loaded from the start; commas separate names too.
    pub skills: Vec<String>,
    /// Which session it goes on with.
    pub session: Continue,
    /// Most model calls for one answer, if not as configured.
    pub max_turns: Option<u32>,
    /// Whether SOUL.md, project files and memory are part of the system prompt.
    pub rules: ProjectRules,
    /// Tells the model the id of its session.
    pub tell_session_id: bool,
    /// Where the session came from, for lists; the platform by default.
    pub source: Option<String>,
    /// The surface it takes place on, which the system prompt has a paragraph about.
    pub platform: String,
    /// Whether it begins with a plan: tools that change something wait until that is accepted.
    pub planning: Planning,
    /// Toolsets it does not have, whatever else is said.
    pub withheld: Vec<String>,
    /// The folder it works in, if not the current one.
    pub cwd: Option<PathBuf>,
    /// Whether it begins with the notes of earlier sessions, and can add to them.
    pub notes: SessionNotes,
    /// Who could be asked, where that does not follow from the [`Interaction`].
    pub audience: Option<Audience>,
    /// Variables its calls see over those of the host.
    pub vars: Vec<(String, String)>,
    /// Where the model is served, if not where its provider is.
    pub base_url: Option<String>,
    /// The key for it, if not the one its provider's variable holds.
    pub api_key: Option<Secret>,
    /// What whoever asks adds to the system prompt.
    pub instructions: Option<String>,
    /// What was said before, in a conversation that somebody else keeps. The model sees it, our record does not hold
    /// it; a session that goes on from its own record takes no notice of it.
    pub history: Vec<Message>,
    /// Whether it has tools at all.
    pub offer: ToolOffer,
    /// MCP servers it has besides those of the configuration, in the form of `mcp_servers`; they end with it.
    pub mcp_servers: Map<String, Value>,
    /// What its calls find besides the usual services.
    pub furnishing: Option<CallFurnishing>,
}

/// Adds to what the calls of a session find: an editor's files, somebody who is asked before a change.
#[derive(Clone)]
pub struct CallFurnishing(Arc<dyn Fn(Services) -> Services + Send + Sync>);

impl CallFurnishing {
    /// With this function, which gets the usual services.
    pub fn new(add: impl Fn(Services) -> Services + Send + Sync + 'static) -> Self {
        Self(Arc::new(add))
    }
}

impl fmt::Debug for CallFurnishing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallFurnishing")
    }
}

/// Whether a session has tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolOffer {
    /// Those of its toolsets.
    #[default]
    Configured,
    /// None: it only talks.
    None,
}

/// Whether a session has to do with the notes that sessions keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionNotes {
    /// It begins with them and may add to them.
    #[default]
    Kept,
    /// It knows nothing of them.
    None,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            model: None,
            provider: None,
            toolsets: Vec::new(),
            skills: Vec::new(),
            session: Continue::New,
            max_turns: None,
            rules: ProjectRules::Load,
            tell_session_id: false,
            source: None,
            platform: PLATFORM.to_owned(),
            planning: Planning::Off,
            withheld: Vec::new(),
            cwd: None,
            notes: SessionNotes::Kept,
            audience: None,
            vars: Vec::new(),
            base_url: None,
            api_key: None,
            instructions: None,
            history: Vec::new(),
            offer: ToolOffer::Configured,
            mcp_servers: Map::new(),
            furnishing: None,
        }
    }
}

impl SessionOptions {
    /// Which model was asked for.
    #[must_use]
    pub fn choice(&self) -> EndpointChoice {
        let (provider, model) = (self.provider.clone(), self.model.clone());
        let (base_url, api_key) = (self.base_url.clone(), self.api_key.clone());
        EndpointChoice { provider, model, base_url, api_key }
    }
}

/// An agent with all that belongs to it. End it with [`close`](Self::close).
pub struct AgentSession {
    agent: Agent,
    models: Arc<SessionModels>,
    tools: ToolSession,
    store: SessionStore,
    warnings: Vec<String>,
}

impl Host {
    /// Gets an agent ready. What happens in its turns is told to `events`; who can be asked is in
    /// `interaction`. Must be called inside an async runtime.
    ///
    /// # Errors
    /// If no model can be asked, or what the options name is not there.
    pub async fn agent_session(
        &self,
        options: &SessionOptions,
        events: Arc<dyn FrontEnd>,
        interaction: &Interaction,
    ) -> Result<AgentSession, HostError> {
        self.require_sound_config()?;
        let cwd = match &options.cwd {
            Some(folder) => folder.clone(),
            None => std::env::current_dir().map_err(HostError::CurrentDirectory)?,
        };
        let sources = ModelSources::of(self);
        let models = Arc::new(SessionModels::of(&sources, &options.choice()).await?);
        let is_attended = interaction.asker.is_some();
        let tools = self
            .tools(
                ToolOptions {
                    toolsets: profile::toolsets(self, options, &models).await,
                    platform: Some(options.platform.clone()),
                    withheld: options.withheld.clone(),
                    cwd: options.cwd.clone(),
                    vars: options.vars.clone(),
                    // Who asks one question wants the answer with all tools; who talks wants the prompt.
                    plugins: match is_attended {
                        true => PluginStart::default(),
                        false => PluginStart::AllReady,
                    },
                    mcp: McpStart::All,
                    mcp_servers: options.mcp_servers.clone(),
                    reviewer: models.reviewer(),
                    run_flagged: !is_attended
                        && options.audience.is_none()
                        && self.allows_flagged_in_one_shot(),
                },
                interaction,
            )
            .await?;
        let store = SessionStore::at(self.home().state_db());
        let chosen = choose::choose(&options.session, &store, &options.platform).await?;
        let gate = match options.planning {
            Planning::On => ReadOnlyGate::engaged(),
            Planning::Off => ReadOnlyGate::default(),
        };
        if let Some(folder) = &options.cwd {
            let cwd = Some(folder.to_string_lossy().into_owned());
            tools
                .environments()
                .override_task(&chosen.id, TaskOverride { cwd, ..TaskOverride::default() });
        }
        let services = match options.audience {
            Some(Audience::Cron) => tools
                .services()
                .with(Arc::new(Audience::Cron))
                .with(Arc::new(self.cron_jobs_of_a_job())),
            Some(audience) => tools.services().with(Arc::new(audience)),
            None => tools.services().clone(),
        };
        let services = match &options.furnishing {
            Some(furnishing) => (furnishing.0)(services),
            None => services,
        };
        let vars = if is_attended { self.call_vars() } else { self.vars().clone() };
        let context = Arc::new(AgentContext {
            runtime: Arc::clone(tools.runtime()),
            services: services
                .with(Arc::new(gate))
                .with(Arc::new(SessionPlatform(options.platform.clone()))),
            config: self.config_value(),
            vars: vars.overlaid(options.vars.iter().cloned()),
            cwd,
            home: self.home().root().to_owned(),
            store: Some(store.clone()),
            front: events,
            summariser: models.summariser(),
            models: Some(sources.finder()),
            redactor: self.redactor(),
        });
        // Calls that plugins make on their own account know what the agent's calls know.
        tools.plugins().set_context(ContextParts {
            vars: context.vars.clone(),
            services: context.services.clone(),
            ..tools.context()
        });
        tools.plugins().set_model(model_door(&models));
        let (model, provider) = models.names();
        let parts = PromptParts {
            host: self,
            options,
            model,
            provider,
            window: models.window(),
            scope: tools.scope(),
        };
        let upkeep = self.look_after_skills().await;
        let preloaded = parts.preloaded(&context, &chosen.id).await;
        let prepared = parts.prepare(&context, chosen.prompt.as_deref(), &chosen.id, preloaded);
        let mut warnings = tools.warnings().to_vec();
        warnings.extend(upkeep);
        warnings.extend(prepared.warnings);
        warnings.extend(models.problems());
        let agent = Agent::new(
            context,
            AgentOptions {
                chain: models.chain(),
                scope: tools.scope().clone(),
                conversation: chosen.conversation,
                prompt: prepared.prompt,
                source: options.source.clone().unwrap_or_else(|| options.platform.clone()),
                depth: 0,
                memory: (options.notes == SessionNotes::Kept).then_some(prepared.memory),
                max_turns: options.max_turns,
                origin: Map::new(),
                steering: prepared.steering,
                task: None,
                vars: None,
            },
        );
        Ok(AgentSession { agent, models, tools, store, warnings })
    }
}

/// Which MCP servers are waited for, in words.
pub(crate) fn late_servers(servers: &Servers) -> String {
    let late = servers.unanswered();
    let names: Vec<String> = late.iter().map(|name| format!("'{name}'")).collect();
    match names.as_slice() {
        [one] => format!("MCP server {one} has not answered yet"),
        several => format!("MCP servers {} have not answered yet", several.join(", ")),
    }
}

impl AgentSession {
    /// Asks one question and waits for the whole answer, with all tools there: MCP servers that are
    /// about to be ready are waited for.
    pub async fn ask(
        &mut self,
        asked: impl Into<MessageContent>,
        stop: &CancellationToken,
    ) -> TurnResult {
        if let Some(servers) = self.tools.servers() {
            let patience = servers.discovery_timeout().max(SERVER_PATIENCE);
            let first = patience.min(TELL_AFTER);
            let ready = stop.run_until_cancelled(servers.wait_ready(first)).await;
            if ready == Some(false) {
                self.agent.notify(&format!("{}; waiting for a moment", late_servers(servers)));
                let rest = servers.wait_ready(patience.saturating_sub(first));
                stop.run_until_cancelled(rest).await;
            }
        }
        if planning::is_planning(&self.agent) {
            self.agent.attach_note(planning::PLAN_NOTE);
        }
        self.agent.turn(asked, stop).await
    }

    /// What becomes of a line that may call skills by name.
    ///
    /// # Errors
    /// When it calls skills and none can be used.
    pub async fn expand_skills(
        &self,
        line: &str,
        stop: &CancellationToken,
    ) -> Result<Expanded, SkillRefusal> {
        SessionSkills::of_agent(&self.agent.template()).expand(line, stop).await
    }

    /// The agent, for whoever wants more of it than [`ask`](Self::ask).
    pub fn agent_mut(&mut self) -> &mut Agent {
        &mut self.agent
    }

    /// The agent, to look at.
    #[must_use]
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// The models it uses.
    #[must_use]
    pub fn models(&self) -> &SessionModels {
        &self.models
    }

    /// The tools its agent has, with all that stands behind them.
    #[must_use]
    pub fn tools(&self) -> &ToolSession {
        &self.tools
    }

    /// The database its conversation is kept in.
    #[must_use]
    pub fn store(&self) -> &SessionStore {
        &self.store
    }

    /// What a person should know before the first word.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The agent and the rest of the session, for surfaces that look after the agent themselves. They
    /// end the rest with [`SessionParts::close`].
    #[must_use]
    pub fn into_parts(self) -> (Agent, SessionParts) {
        let Self { agent, models, tools, store, .. } = self;
        (agent, SessionParts { models, tools, store })
    }

    /// Ends the session for this reason, and everything that was started for it. What is returned a person
    /// should know: not everything could be written to the database yet.
    pub async fn close(mut self, reason: &str) -> Option<String> {
        session_finalized(&self.agent, reason).await;
        self.agent.conversation_mut().end(reason);
        self.into_parts().1.close().await
    }
}

/// A session without its agent.
pub struct SessionParts {
    /// The models it uses.
    pub models: Arc<SessionModels>,
    /// The tools its agent has.
    pub tools: ToolSession,
    /// The database its conversation is kept in.
    pub store: SessionStore,
}

impl SessionParts {
    /// Lets go of everything: servers, commands and plugins end, the database is closed. What is returned
    /// a person should know: not everything could be written to the database yet.
    pub async fn close(&self) -> Option<String> {
        self.tools.close().await;
        match self.store.close().await {
            Ok(()) => None,
            Err(problem @ SessionsError::Unwritten { .. }) => Some(problem.to_string()),
            Err(problem) => {
                tracing::debug!(%problem, "close the database");
                None
            }
        }
    }
}
