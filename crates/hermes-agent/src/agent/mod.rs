//! The agent itself: what it knows, what it may use, and its conversation.
//!
//! A [`AgentContext`] holds what all agents of a process share; [`AgentOptions`] says what is particular to one.
//! [`Agent::turn`] takes what a person says to an answer. Between turns the conversation can be
//! looked at, taken back, shortened or given another model.

mod compact;
mod delegate;
mod moa;
pub(crate) mod state;
pub mod template;
mod turn;

use std::sync::Arc;

use hermes_llm::MessageContent;
use hermes_llm::metadata::estimate_text;
use hermes_runtime::{DefinitionRequest, Runtime, ToolScope};
use hermes_sessions::NewSession;
use hermes_tool::{Services, Vars};
use hermes_tools::memory::MemoryStore;
use hermes_tools::todo::TodoEntry;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::budget::IterationBudget;
use crate::compaction::CompactionSettings;
use crate::context::AgentContext;
use crate::conversation::Conversation;
use crate::event::{AgentEvent, NoticeLevel};
use crate::history;
use crate::model_chain::ModelChain;
use crate::outcome::TurnResult;
use crate::settings::AgentSettings;
use crate::steer::Steering;
use crate::system_prompt::SystemPrompt;
use compact::CompactionState;
use state::{AgentState, AgentStateParts};
use turn::Turn;

/// What is particular to one agent.
pub struct AgentOptions {
    /// Who answers.
    pub chain: ModelChain,
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
    pub memory: Option<Arc<MemoryStore>>,
    /// Model calls in one turn, if not as configured.
    pub max_turns: Option<u32>,
    /// What the session's row says of the agent's origin.
    pub origin: Map<String, Value>,
    /// The marks around what the person says while it works.
    pub steering: Steering,
    /// Names its shell and its view of files; the session's name if absent.
    pub task: Option<String>,
    /// What its commands know, if not the context's variables.
    pub vars: Option<Vars>,
}

/// The tools on offer: the same bytes for the whole conversation, unless a server or plugin brings or
/// takes some between two turns.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfferedTools {
    pub(crate) functions: Arc<[Value]>,
    pub(crate) names: Arc<[Arc<str>]>,
    tokens: u64,
    /// Of the registry they were taken from.
    generation: u64,
}

impl OfferedTools {
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
    pub(crate) context: Arc<AgentContext>,
    pub(crate) settings: AgentSettings,
    pub(crate) chain: ModelChain,
    pub(crate) conversation: Conversation,
    pub(crate) prompt: SystemPrompt,
    pub(crate) tools: OfferedTools,
    pub(crate) scope: ToolScope,
    pub(crate) state: Arc<AgentState>,
    pub(crate) services: Services,
    pub(crate) compaction: CompactionState,
    /// Tokens the conversation takes up, as far as is known.
    pub(crate) context_tokens: u64,
    pub(crate) hints: crate::system_prompt::hints::DirectoryHints,
    /// What the model hears with the next message of the person.
    pub(crate) attached_notes: Vec<String>,
    source: String,
    max_turns: Option<u32>,
    origin: Map<String, Value>,
}

impl Agent {
    /// Builds one.
    #[must_use]
    pub fn new(context: Arc<AgentContext>, setup: AgentOptions) -> Self {
        let AgentOptions { chain, scope, conversation, prompt, source, depth, memory, .. } = setup;
        let primary = chain.primary().clone();
        let settings = AgentSettings::read(&context.config, primary.model.name());
        let tools = OfferedTools::new(&context.runtime, &scope, primary.window.tokens());
        let state = Arc::new(AgentState::new(AgentStateParts {
            context: Arc::clone(&context),
            chain: chain.clone(),
            scope: scope.clone(),
            settings: settings.clone(),
            memory,
            messages: conversation.messages(),
            session: conversation.id().to_owned(),
            task: setup.task.unwrap_or_else(|| conversation.id().to_owned()),
            depth,
            steering: setup.steering,
            vars: setup.vars.unwrap_or_else(|| context.vars.clone()),
        }));
        let services = state.services();
        let compaction = CompactionState::new(CompactionSettings::from_config(&context.config));
        let hints = crate::system_prompt::hints::DirectoryHints::new(&context.cwd);
        let mut agent = Self {
            context,
            settings,
            chain,
            conversation,
            prompt,
            tools,
            scope,
            state,
            services,
            compaction,
            context_tokens: 0,
            hints,
            attached_notes: Vec::new(),
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
        said: impl Into<MessageContent>,
        cancel: &CancellationToken,
    ) -> TurnResult {
        self.renew_tools();
        Turn::begin(self, cancel).run(said.into()).await
    }

    /// Takes tools into the offer that were registered since it was made, and the gone ones out of it.
    fn renew_tools(&mut self) {
        if self.tools.generation == self.context.runtime.registry().generation() {
            return;
        }
        let window = self.chain.primary().window.tokens();
        let renewed = OfferedTools::new(&self.context.runtime, &self.scope, window);
        if renewed.functions == self.tools.functions {
            // Not the same text twice in memory, and not another one for the provider's cache.
            self.tools.generation = renewed.generation;
        } else {
            self.tools = renewed;
        }
    }

    /// What was said in its session so far, and where that is recorded.
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
    pub fn chain(&self) -> &ModelChain {
        &self.chain
    }

    /// The tools runtime it calls.
    #[must_use]
    pub fn runtime(&self) -> &Arc<Runtime> {
        &self.context.runtime
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

    /// The definitions of the tools on offer, as models get them.
    #[must_use]
    pub fn tool_functions(&self) -> &Arc<[Value]> {
        &self.tools.functions
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
    pub fn attach_note(&mut self, text: &str) {
        let text = self.state.steering.defuse(text);
        self.attached_notes.push(self.context.redact(&text));
    }

    /// Has the model read a text that the person attached to their next message. It is not theirs to be shown again;
    /// secrets in it are masked by whoever read it, who knows what kind of text it is.
    pub fn attach_text(&mut self, text: &str) {
        self.attached_notes.push(self.state.steering.defuse(text).into_owned());
    }

    /// Where and when the agent works, if nothing that is sent says so: before the first message, after
    /// a compaction that left it out, in a session that is taken up elsewhere.
    pub(crate) fn untold_situation(&self) -> Option<String> {
        let situation = self.prompt.situation()?;
        let said = self.conversation.messages().iter();
        let mut sent = said.filter_map(|message| message.api_content.as_deref());
        let is_told =
            self.prompt.is_told(self.prompt.text()) || sent.any(|text| self.prompt.is_told(text));
        (!is_told).then(|| self.context.redact(situation))
    }

    /// Where words for a model at work are left.
    #[must_use]
    pub fn steer(&self) -> state::SteerBox {
        self.state.steer.clone()
    }

    /// The steps of the task at hand.
    #[must_use]
    pub fn todo(&self) -> Vec<TodoEntry> {
        self.state.todo_items()
    }

    /// Another model answers from now on. The history stays; the instructions name the new model.
    pub fn change_model(&mut self, chain: ModelChain) {
        self.settings = AgentSettings::read(&self.context.config, chain.primary().model.name());
        self.state.set_chain(chain.clone());
        self.chain = chain;
    }

    /// How much the model thinks from now on.
    pub fn set_effort(&mut self, effort: Option<hermes_llm::model::Effort>) {
        self.settings.effort = effort;
    }

    /// Offers other tools from now on.
    pub fn change_tools(&mut self, scope: ToolScope) {
        self.tools =
            OfferedTools::new(&self.context.runtime, &scope, self.chain.primary().window.tokens());
        self.scope = scope;
    }

    /// Model calls in one turn.
    pub(crate) fn step_limit(&self) -> u32 {
        self.max_turns.unwrap_or(self.settings.max_turns)
    }

    pub(crate) fn budget(&self) -> IterationBudget {
        IterationBudget::new(self.step_limit())
    }

    /// What the next request would take up, by its length.
    pub(crate) fn estimate(&self) -> u64 {
        self.overhead() + history::estimate_tokens(self.conversation.messages())
    }

    /// Tells the person something that has to do with no turn.
    pub fn notify(&self, text: &str) {
        let (level, text) = (NoticeLevel::Warning, text.to_owned());
        self.context.front.on_event(AgentEvent::Notice { level, text });
    }

    /// What instructions and tools take up of it.
    pub(crate) fn overhead(&self) -> u64 {
        estimate_text(self.prompt.text()) + self.tools.tokens
    }

    /// The instructions that a conversation was begun with, if they are ours.
    #[must_use]
    pub fn stored_prompt(&self, text: String) -> Option<SystemPrompt> {
        Steering::from_prompt(&text)?;
        let model = &self.chain.primary().model;
        let prompt = SystemPrompt::new(text, model.name(), model.provider());
        Some(match self.prompt.situation() {
            Some(situation) => prompt.with_situation(Arc::clone(situation)),
            None => prompt,
        })
    }

    /// Another conversation from now on: a new one, or one that is taken up with the instructions it
    /// was begun with.
    pub fn turn_to(&mut self, why: &str, conversation: Conversation, prompt: Option<SystemPrompt>) {
        self.conversation.end(why);
        let steering = prompt.as_ref().and_then(|prompt| Steering::from_prompt(prompt.text()));
        if let Some(prompt) = prompt {
            self.prompt = prompt;
        }
        let steering = steering.unwrap_or_else(|| self.state.steering.clone());
        self.state = Arc::new(self.state.for_conversation(&conversation, steering));
        self.services = self.state.services();
        self.conversation = conversation;
        self.attached_notes.clear();
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
        let Self { conversation, prompt, chain, source, context, origin, .. } = self;
        let model = chain.primary().model.name().to_owned();
        let provider = chain.primary().model.provider().to_owned();
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
                    .get(hermes_sessions::DELEGATE_FROM)
                    .and_then(Value::as_str)
                    .map(str::to_owned),
                cwd: Some(context.cwd.display().to_string()),
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
            .field("chain", &self.chain)
            .finish_non_exhaustive()
    }
}
