//! The agent itself: what it knows, what it may use, and its conversation.
//!
//! A [`World`] holds what all agents of a process share; [`Setup`] says what is particular to one.
//! [`Agent::turn`] takes what a person says to an answer. Between turns the conversation can be
//! looked at, taken back, shortened or given another model.

use std::path::PathBuf;
use std::sync::Arc;

use hermes_guard::redact::{Mode, Redactor};
use hermes_llm::Content;
use hermes_llm::metadata::estimate_text;
use hermes_runtime::agent::AgentTools;
use hermes_runtime::{DefinitionRequest, Runtime, ToolScope};
use hermes_store::sessions::{NewSession, SessionStore};
use hermes_tool::{Services, Vars};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::budget::Budget;
use crate::compress::CompressionSettings;
use crate::conversation::Conversation;
use crate::desk::{Desk, DeskHandler};
use crate::event::FrontEnd;
use crate::history;
use crate::outcome::TurnResult;
use crate::seats::{Seat, Seats};
use crate::settings::AgentSettings;
use crate::shortening::Compression;
use crate::standing::SystemPrompt;
use crate::steer::Steering;
use crate::turn::Turn;

/// What all agents of a process share.
pub struct World {
    /// The tools.
    pub runtime: Arc<Runtime>,
    /// Services for the tools, such as the gate for commands and the environments.
    pub services: Services,
    /// The configuration.
    pub config: Arc<Value>,
    /// The variables.
    pub vars: Vars,
    /// Where relative paths begin.
    pub cwd: PathBuf,
    /// The state folder.
    pub home: PathBuf,
    /// Where conversations are kept, if they are.
    pub store: Option<SessionStore>,
    /// Who watches.
    pub front: Arc<dyn FrontEnd>,
    /// Who writes summaries; the model of the conversation if nobody else is named.
    pub summariser: Option<Seat>,
    /// Finds a model by name, for mixtures.
    pub models: Option<FindModel>,
    /// Masks secrets in what is kept.
    pub redactor: Redactor,
}

/// Finds a model that is named by its provider and its name.
pub type FindModel =
    Arc<dyn Fn(Option<&str>, &str) -> Result<Arc<dyn hermes_llm::Model>, String> + Send + Sync>;

impl World {
    /// The same world with somebody else watching.
    pub(crate) fn with_front(&self, front: Arc<dyn FrontEnd>) -> Self {
        Self {
            runtime: Arc::clone(&self.runtime),
            services: self.services.clone(),
            config: Arc::clone(&self.config),
            vars: self.vars.clone(),
            cwd: self.cwd.clone(),
            home: self.home.clone(),
            store: self.store.clone(),
            front,
            summariser: self.summariser.clone(),
            models: self.models.clone(),
            redactor: self.redactor,
        }
    }

    /// A text without secrets.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        self.redactor.redact(text, Mode::Full).into_owned()
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World").field("cwd", &self.cwd).finish_non_exhaustive()
    }
}

/// What is particular to one agent.
pub struct Setup {
    /// Who answers.
    pub seats: Seats,
    /// The toolsets it may use.
    pub scope: ToolScope,
    /// Its conversation, new or taken up again.
    pub conversation: Conversation,
    /// Its instructions.
    pub prompt: SystemPrompt,
    /// Where it came from: `cli`, `cron`, `subagent` …
    pub source: String,
    /// Its place in a tree of agents; zero for the one a person talks to.
    pub depth: u32,
    /// Its memory, unless it has none.
    pub memory: Option<Arc<crate::memory::MemoryStore>>,
    /// Model calls in one turn, if not as configured.
    pub max_turns: Option<u32>,
    /// What the session's row says of the agent's origin.
    pub origin: Map<String, Value>,
    /// The marks around what the person says while it works.
    pub steering: Steering,
    /// Names its shell and its view of files; the session's name if absent.
    pub task: Option<String>,
    /// What its commands know, if not the world's variables.
    pub vars: Option<Vars>,
}

/// The tools on offer: the same bytes for the whole conversation, unless a server or plugin brings or
/// takes some between two turns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Offer {
    pub(crate) functions: Arc<[Value]>,
    pub(crate) names: Arc<[Arc<str>]>,
    tokens: u64,
    /// Of the registry they were taken from.
    generation: u64,
}

impl Offer {
    fn new(runtime: &Runtime, scope: &ToolScope, window: u64) -> Self {
        let request = DefinitionRequest {
            scope: scope.clone(),
            context_tokens: Some(window),
            ..DefinitionRequest::default()
        };
        // Asked first: what is registered meanwhile is then found to be new.
        let generation = runtime.registry().generation();
        let definitions = runtime.definitions(&request);
        let functions: Arc<[Value]> = definitions.functions().into();
        let names = functions
            .iter()
            .filter_map(|function| function["function"]["name"].as_str())
            .map(Arc::from)
            .collect();
        let tokens = estimate_text(definitions.json());
        Self { functions, names, tokens, generation }
    }
}

/// An agent in conversation.
pub struct Agent {
    pub(crate) world: Arc<World>,
    pub(crate) settings: AgentSettings,
    pub(crate) seats: Seats,
    pub(crate) conversation: Conversation,
    pub(crate) prompt: SystemPrompt,
    pub(crate) tools: Offer,
    pub(crate) scope: ToolScope,
    pub(crate) desk: Arc<Desk>,
    pub(crate) services: Services,
    pub(crate) compression: Compression,
    /// Tokens the conversation takes up, as far as is known.
    pub(crate) context_tokens: u64,
    pub(crate) hints: crate::prompt::hints::Hints,
    /// What the model hears with the next message of the person.
    pub(crate) news: Vec<String>,
    source: String,
    max_turns: Option<u32>,
    origin: Map<String, Value>,
}

impl Agent {
    /// Builds one.
    #[must_use]
    pub fn new(world: Arc<World>, setup: Setup) -> Self {
        let Setup { seats, scope, conversation, prompt, source, depth, memory, .. } = setup;
        let primary = seats.primary().clone();
        let settings = AgentSettings::read(&world.config, primary.model.name());
        let tools = Offer::new(&world.runtime, &scope, primary.window.tokens());
        let desk = Arc::new(Desk::new(crate::desk::DeskSetup {
            world: Arc::clone(&world),
            seats: seats.clone(),
            scope: scope.clone(),
            settings: settings.clone(),
            memory,
            messages: conversation.messages(),
            session: conversation.id().to_owned(),
            task: setup.task.unwrap_or_else(|| conversation.id().to_owned()),
            depth,
            steering: setup.steering,
            vars: setup.vars.unwrap_or_else(|| world.vars.clone()),
        }));
        let handler = AgentTools::new(DeskHandler(Arc::clone(&desk)));
        let services = world.services.with(Arc::new(handler));
        let compression = Compression::new(CompressionSettings::from_config(&world.config));
        let hints = crate::prompt::hints::Hints::new(&world.cwd);
        let mut agent = Self {
            world,
            settings,
            seats,
            conversation,
            prompt,
            tools,
            scope,
            desk,
            services,
            compression,
            context_tokens: 0,
            hints,
            news: Vec::new(),
            source,
            max_turns: setup.max_turns,
            origin: setup.origin,
        };
        agent.context_tokens = agent.estimate();
        agent
    }

    /// Takes what a person says to an answer.
    pub async fn turn(
        &mut self,
        said: impl Into<Content>,
        cancel: &CancellationToken,
    ) -> TurnResult {
        self.renew_tools();
        Turn::begin(self, cancel).run(said.into()).await
    }

    /// Takes tools into the offer that were registered since it was made, and the gone ones out of it.
    fn renew_tools(&mut self) {
        if self.tools.generation == self.world.runtime.registry().generation() {
            return;
        }
        let window = self.seats.primary().window.tokens();
        let renewed = Offer::new(&self.world.runtime, &self.scope, window);
        if renewed.functions == self.tools.functions {
            // Not the same text twice in memory, and not another one for the provider's cache.
            self.tools.generation = renewed.generation;
        } else {
            self.tools = renewed;
        }
    }

    /// The conversation.
    #[must_use]
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// The conversation, to take back turns or end it.
    pub fn conversation_mut(&mut self) -> &mut Conversation {
        &mut self.conversation
    }

    /// Who answers.
    #[must_use]
    pub fn seats(&self) -> &Seats {
        &self.seats
    }

    /// The tools runtime it calls.
    #[must_use]
    pub fn runtime(&self) -> &Arc<Runtime> {
        &self.world.runtime
    }

    /// Where it came from.
    pub(crate) fn source(&self) -> &str {
        &self.source
    }

    /// The instructions.
    #[must_use]
    pub fn prompt(&self) -> &SystemPrompt {
        &self.prompt
    }

    /// The tools on offer.
    #[must_use]
    pub fn tool_names(&self) -> &[Arc<str>] {
        &self.tools.names
    }

    /// The toolsets it may use.
    #[must_use]
    pub fn scope(&self) -> &ToolScope {
        &self.scope
    }

    /// Tokens the conversation takes up, instructions and tools included.
    #[must_use]
    pub fn context_tokens(&self) -> u64 {
        self.context_tokens
    }

    /// Has the model hear something with the next message of the person, who does not see it there.
    pub fn tell(&mut self, text: &str) {
        let text = self.desk.steering.defuse(text);
        self.news.push(self.world.redact(&text));
    }

    /// Where words for a model at work are left.
    #[must_use]
    pub fn steer(&self) -> crate::desk::SteerBox {
        self.desk.steer.clone()
    }

    /// The steps of the task at hand.
    #[must_use]
    pub fn todo(&self) -> Vec<crate::todo::Item> {
        self.desk.todo_items()
    }

    /// Another model answers from now on. The history stays; the instructions name the new model.
    pub fn change_model(&mut self, seats: Seats) {
        self.settings = AgentSettings::read(&self.world.config, seats.primary().model.name());
        self.desk.set_seats(seats.clone());
        self.seats = seats;
    }

    /// How much the model thinks from now on.
    pub fn set_effort(&mut self, effort: Option<hermes_llm::model::Effort>) {
        self.settings.effort = effort;
    }

    /// Offers other tools from now on.
    pub fn change_tools(&mut self, scope: ToolScope) {
        self.tools = Offer::new(&self.world.runtime, &scope, self.seats.primary().window.tokens());
        self.scope = scope;
    }

    /// Model calls in one turn.
    pub(crate) fn step_limit(&self) -> u32 {
        self.max_turns.unwrap_or(self.settings.max_turns)
    }

    pub(crate) fn budget(&self) -> Budget {
        Budget::new(self.step_limit())
    }

    /// What the next request would take up, by its length.
    pub(crate) fn estimate(&self) -> u64 {
        self.overhead() + history::estimate_tokens(self.conversation.messages())
    }

    /// What instructions and tools take up of it.
    pub(crate) fn overhead(&self) -> u64 {
        estimate_text(self.prompt.text()) + self.tools.tokens
    }

    /// Another conversation from now on: a new one, or one that is taken up with the instructions it
    /// was begun with.
    pub fn turn_to(&mut self, why: &str, conversation: Conversation, prompt: Option<String>) {
        self.conversation.end(why);
        let steering = prompt.as_deref().and_then(Steering::from_prompt);
        if let (Some(prompt), Some(_)) = (prompt, &steering) {
            let model = &self.seats.primary().model;
            self.prompt = SystemPrompt::new(prompt, model.name(), model.provider());
        }
        let steering = steering.unwrap_or_else(|| self.desk.steering.clone());
        self.desk = Arc::new(self.desk.for_conversation(&conversation, steering));
        let handler = AgentTools::new(DeskHandler(Arc::clone(&self.desk)));
        self.services = self.world.services.with(Arc::new(handler));
        self.conversation = conversation;
        self.news.clear();
        self.context_tokens = self.estimate();
    }

    /// Takes back the last turns; what the person said in the first of them.
    pub fn undo(&mut self, turns: usize) -> Option<String> {
        let said = self.conversation.rewind(turns);
        self.context_tokens = self.estimate();
        said
    }

    /// Makes sure that the conversation is in the record, to be named or branched from.
    pub fn begin_session(&mut self) {
        self.open_session();
    }

    /// How much the model thinks.
    #[must_use]
    pub fn effort(&self) -> Option<hermes_llm::model::Effort> {
        self.settings.effort
    }

    /// Makes sure that the conversation has its row.
    pub(crate) fn open_session(&mut self) {
        let Self { conversation, prompt, seats, source, world, origin, .. } = self;
        let model = seats.primary().model.name().to_owned();
        let provider = seats.primary().model.provider().to_owned();
        let begin = |id: &str| {
            let mut config = origin.clone();
            config.insert("provider".into(), provider.clone().into());
            NewSession {
                id: id.to_owned(),
                source: source.clone(),
                model: Some(model.clone()),
                model_config: Some(Value::Object(config)),
                system_prompt: Some(prompt.text().to_owned()),
                parent_session_id: origin
                    .get(hermes_store::sessions::DELEGATE_FROM)
                    .and_then(Value::as_str)
                    .map(str::to_owned),
                cwd: Some(world.cwd.display().to_string()),
                ..NewSession::default()
            }
        };
        conversation.begin(&begin);
    }
}

impl std::fmt::Debug for Agent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Agent")
            .field("session", &self.conversation.id())
            .field("seats", &self.seats)
            .finish_non_exhaustive()
    }
}
