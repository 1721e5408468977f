//! Many agents over one set of tools: for surfaces with as many conversations as people.
//!
//! An [`AgentFactory`] holds what costs something to make (the runtime with its MCP servers and plugins, environments, the
//! models) once. [`AgentFactory::agent`] makes an agent for one turn of one session from its rows in the database; between
//! turns a session is nothing but those rows.
//!
//! What never happens here: an agent is kept, or two of them share a session. Whoever calls sees to the latter.

use std::path::PathBuf;
use std::sync::Arc;

use hermes_agent::system_prompt::ProjectRules;
use hermes_agent::{Agent, AgentContext, AgentOptions, FrontEnd};
use hermes_approval::Audience;
use hermes_runtime::ToolScope;
use hermes_sessions::{SessionStore, SessionsError};
use hermes_skills::offer::SessionPlatform;
use hermes_tool::SessionVars;
use hermes_tools::delegation::{LateReport, LateReports};
use hermes_tools::memory::MemoryStore;
use serde_json::Map;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::mcp::McpStart;
use crate::models::{ModelSources, SessionModels};
use crate::plugin_model::model_door;
use crate::plugins::PluginStart;
use crate::session::{ChosenSession, PromptParts, SessionOptions, ToolOffer, resume_session};
use crate::tools::{ToolOptions, ToolSession};
use crate::{Host, HostError, Interaction};

/// What all agents of a surface are made from. End it with [`close`](Self::close).
pub struct AgentFactory {
    tools: ToolSession,
    store: SessionStore,
    cwd: PathBuf,
    /// The usual models are kept: an engine that runs on this machine lives as long as somebody holds it, and sessions hold
    /// theirs for one turn only.
    _models: Arc<SessionModels>,
    later: Option<LateReports>,
}

/// What is particular to one agent of a factory.
#[derive(Clone, Debug)]
pub struct AgentRequest {
    /// The session it goes on with; begun under this id if there is none yet.
    pub session: String,
    /// Model, platform and so on. Which session to continue is not taken from here.
    pub options: SessionOptions,
    /// Variables that its tools and commands see besides the host's.
    pub vars: Vec<(String, String)>,
    /// Whether the owner's notes are part of its prompt and its tools.
    pub memory: MemoryAccess,
    /// Who can be asked about its commands.
    pub audience: Audience,
    /// Toolsets beside those of its platform.
    pub more_toolsets: Vec<String>,
}

/// Whether an agent knows the owner's notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryAccess {
    /// It talks with the owner.
    Owner,
    /// It talks with somebody else.
    None,
}

impl Host {
    /// Gets tools ready for many agents. Must be called inside an async runtime.
    ///
    /// # Errors
    /// If the configuration is broken, or no model can be asked.
    pub async fn agent_factory(
        &self,
        interaction: &Interaction,
    ) -> Result<AgentFactory, HostError> {
        self.require_sound_config()?;
        let cwd = std::env::current_dir().map_err(HostError::CurrentDirectory)?;
        let models =
            SessionModels::of(&ModelSources::of(self), &SessionOptions::default().choice()).await?;
        let options = ToolOptions {
            plugins: PluginStart::default(),
            mcp: McpStart::All,
            reviewer: models.reviewer(),
            ..ToolOptions::default()
        };
        let tools = self.tools(options, interaction).await?;
        let models = Arc::new(models);
        tools.plugins().set_model(model_door(&models));
        let store = SessionStore::at(self.home().state_db());
        Ok(AgentFactory { tools, store, cwd, _models: models, later: None })
    }
}

impl AgentFactory {
    /// The tools all agents share.
    #[must_use]
    pub fn tools(&self) -> &ToolSession {
        &self.tools
    }

    /// The database all conversations are kept in.
    #[must_use]
    pub fn store(&self) -> &SessionStore {
        &self.store
    }

    /// Lets agents have work done in the background, for a surface that can wake their sessions: what comes of it comes out
    /// of here.
    pub fn hear_later(&mut self) -> UnboundedReceiver<LateReport> {
        let (reports, arriving) = LateReports::new();
        self.later = Some(reports);
        arriving
    }

    /// Makes an agent for a session as it is recorded. What happens in its turns is told to `events`.
    ///
    /// # Errors
    /// If no model can be asked, or the database cannot be read.
    pub async fn agent(
        &self,
        host: &Host,
        request: &AgentRequest,
        events: Arc<dyn FrontEnd>,
    ) -> Result<Agent, HostError> {
        let sources = ModelSources::of(host);
        let models = SessionModels::of(&sources, &request.options.choice()).await?;
        let mut chosen = self.conversation(&request.session).await?;
        if chosen.conversation.messages().is_empty() {
            for said in &request.options.history {
                chosen.conversation.push_unrecorded(said.clone());
            }
        }
        let vars = host.vars().overlaid(request.vars.iter().cloned());
        let toolsets = match (request.options.offer, request.options.toolsets.is_empty()) {
            (ToolOffer::None, _) => Vec::new(),
            (_, true) => host.platform_toolsets(self.tools.runtime(), &request.options.platform),
            (_, false) => request.options.toolsets.clone(),
        };
        let toolsets = toolsets.into_iter().chain(request.more_toolsets.iter().cloned()).collect();
        let disabled = request.options.withheld.clone();
        let scope = ToolScope { enabled: Some(toolsets), disabled };
        let mut services = self
            .tools
            .services()
            .with(Arc::new(request.audience))
            .with(Arc::new(SessionVars(request.vars.clone())))
            .with(Arc::new(SessionPlatform(request.options.platform.clone())));
        if let Some(later) = &self.later {
            services = services.with(Arc::new(later.clone()));
        }
        let context = Arc::new(AgentContext {
            runtime: Arc::clone(self.tools.runtime()),
            services,
            config: host.config_value(),
            vars,
            cwd: self.cwd.clone(),
            home: host.home().root().to_owned(),
            store: Some(self.store.clone()),
            front: events,
            summariser: models.summariser(),
            models: Some(sources.finder()),
            redactor: host.redactor(),
        });
        let options = match request.memory {
            MemoryAccess::Owner => request.options.clone(),
            MemoryAccess::None => {
                SessionOptions { rules: ProjectRules::Ignore, ..request.options.clone() }
            }
        };
        let (model, provider) = models.names();
        let window = models.window();
        let parts = PromptParts { host, options: &options, model, provider, window, scope: &scope };
        let preloaded = parts.preloaded(&context, &chosen.id).await;
        let prepared = parts.prepare(&context, chosen.prompt.as_deref(), &chosen.id, preloaded);
        let memory: Option<Arc<MemoryStore>> =
            (request.memory == MemoryAccess::Owner).then_some(prepared.memory);
        Ok(Agent::new(
            context,
            AgentOptions {
                chain: models.chain(),
                scope,
                conversation: chosen.conversation,
                prompt: prepared.prompt,
                source: options.source.clone().unwrap_or_else(|| options.platform.clone()),
                depth: 0,
                memory,
                max_turns: options.max_turns,
                origin: Map::new(),
                steering: prepared.steering,
                task: None,
                vars: None,
            },
        ))
    }

    /// The newest continuation of a session, or an empty conversation of that id. Titles and beginnings of ids are not
    /// looked for: whoever names a session here is a program, perhaps with a name of its own making.
    async fn conversation(&self, session: &str) -> Result<ChosenSession, HostError> {
        let wanted = session.to_owned();
        let row = self.store.read(move |database| match database.get(&wanted)? {
            Some(row) => database.get(&database.tip(&row.id)?),
            None => Ok(None),
        });
        match row.await? {
            Some(row) => resume_session(&self.store, row).await,
            None => {
                let id = session.to_owned();
                let conversation = hermes_agent::conversation::Conversation::new(
                    id.clone(),
                    Some(self.store.clone()),
                );
                Ok(ChosenSession { id, conversation, prompt: None })
            }
        }
    }

    /// Ends what was started for its agents. What is returned a person should know: not everything could be written to
    /// the database yet.
    pub async fn close(&self) -> Option<String> {
        if let Some(later) = &self.later {
            later.stop();
        }
        self.tools.close().await;
        match self.store.close().await {
            Err(problem @ SessionsError::Unwritten { .. }) => Some(problem.to_string()),
            _ => None,
        }
    }
}
