//! The state of an agent: what the tools of one agent work on.
//!
//! `todo`, `memory`, `session_search`, `clarify`, `delegate_task` and `mixture_of_agents` are tools like
//! all others, declared in `hermes-tools`; they find their state by its type among the services of the
//! call. [`AgentState::services`] puts it there: the list and the notes themselves, and the state itself as whoever
//! can delegate and ask several models.

mod moa;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_llm::Message;
use hermes_media::vision::SeeingModel;
use hermes_runtime::ToolScope;
use hermes_tool::{Services, ToolContext, Vars};
use hermes_tools::delegation::{Delegation, DelegationLimits, SubagentTask};
use hermes_tools::memory::{AgentMemory, MemoryStore};
use hermes_tools::moa::ModelPanel;
use hermes_tools::session_search::SessionArchive;
use hermes_tools::todo::{TodoEntry, TodoList};
use serde_json::Value;

use super::delegate::{Caller, Delegator};
use crate::context::AgentContext;
use crate::conversation::Conversation;
use crate::event::FrontEnd;
use crate::model_chain::ModelChain;
use crate::settings::AgentSettings;
use crate::steer::Steering;
use crate::todo;

/// What a state is made from.
pub(crate) struct AgentStateParts<'a> {
    pub(crate) context: Arc<AgentContext>,
    pub(crate) chain: ModelChain,
    pub(crate) scope: ToolScope,
    pub(crate) settings: AgentSettings,
    pub(crate) memory: Option<Arc<MemoryStore>>,
    pub(crate) messages: &'a [Message],
    pub(crate) session: String,
    pub(crate) task: String,
    pub(crate) depth: u32,
    pub(crate) steering: Steering,
    pub(crate) vars: Vars,
}

/// The state of one agent that its tools work on.
pub(crate) struct AgentState {
    pub(crate) steer: SteerBox,
    pub(crate) steering: Steering,
    context: Arc<AgentContext>,
    todo: Arc<Mutex<TodoList>>,
    memory: Option<Arc<MemoryStore>>,
    task: String,
    turns: AtomicU64,
    vars: Vars,
    delegator: Mutex<Arc<Delegator>>,
}

impl AgentState {
    pub(crate) fn new(setup: AgentStateParts<'_>) -> Self {
        let delegator = Delegator {
            context: Arc::clone(&setup.context),
            chain: setup.chain,
            scope: setup.scope,
            settings: setup.settings.delegation,
            depth: setup.depth,
            session: setup.session,
            vars: setup.vars.clone(),
            steering: setup.steering.clone(),
            spent: Mutex::default(),
        };
        Self {
            steer: SteerBox::default(),
            steering: setup.steering,
            todo: Arc::new(Mutex::new(todo::list_in(setup.messages))),
            memory: setup.memory,
            task: setup.task,
            turns: AtomicU64::new(0),
            vars: setup.vars,
            delegator: Mutex::new(Arc::new(delegator)),
            context: setup.context,
        }
    }

    /// The state of the same agent in another conversation.
    pub(crate) fn for_conversation(&self, talk: &Conversation, steering: Steering) -> Self {
        let delegator = lock(&self.delegator).for_session(talk.id());
        Self {
            steer: SteerBox::default(),
            steering,
            context: Arc::clone(&self.context),
            todo: Arc::new(Mutex::new(todo::list_in(talk.messages()))),
            memory: self.memory.clone(),
            task: talk.id().to_owned(),
            turns: AtomicU64::new(0),
            vars: self.vars.clone(),
            delegator: Mutex::new(Arc::new(delegator)),
        }
    }

    /// The shared services and what this agent's tools work on.
    pub(crate) fn services(self: &Arc<Self>) -> Services {
        let person: Arc<dyn FrontEnd> = Arc::clone(&self.context.front);
        let memory = AgentMemory { store: self.memory.clone(), person: Arc::clone(&person) };
        let services = self
            .context
            .services
            .with(Arc::clone(&self.todo))
            .with(Arc::new(memory))
            .with(Arc::new(SessionArchive(self.context.store.clone())))
            .with(person)
            .with::<dyn Delegation>(Arc::clone(self) as _)
            .with::<dyn ModelPanel>(Arc::clone(self) as _)
            .with::<dyn SeeingModel>(Arc::clone(self) as _);
        for missing in self.context.runtime.missing_states(&services) {
            tracing::warn!(%missing, "a tool can only refuse");
        }
        services
    }

    /// A turn begins: what is counted by turn begins anew.
    pub(crate) fn begin_turn(&self, messages: &[Message]) {
        self.turns.fetch_add(1, Ordering::Relaxed);
        if let Some(memory) = &self.memory {
            memory.begin_turn();
        }
        let mut list = lock(&self.todo);
        if list.is_empty() {
            *list = todo::list_in(messages);
        }
        drop(list);
        lock(&self.delegator).begin_turn();
    }

    pub(crate) fn turn_number(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }

    pub(crate) fn task_id(&self) -> &str {
        &self.task
    }

    pub(crate) fn memory(&self) -> Option<Arc<MemoryStore>> {
        self.memory.clone()
    }

    pub(crate) fn vars(&self) -> &Vars {
        &self.vars
    }

    pub(crate) fn todo_items(&self) -> Vec<TodoEntry> {
        lock(&self.todo).items().to_vec()
    }

    /// The open steps, as they are said again after the history was shortened.
    pub(crate) fn todo_note(&self) -> Option<String> {
        lock(&self.todo).note()
    }

    pub(crate) fn set_chain(&self, chain: ModelChain) {
        let mut delegator = lock(&self.delegator);
        *delegator = Arc::new(delegator.with_chain(chain));
    }
}

impl Delegation for AgentState {
    fn limits(&self) -> DelegationLimits {
        lock(&self.delegator).settings.limits
    }

    fn depth(&self) -> u32 {
        lock(&self.delegator).depth
    }

    fn work_on<'a>(
        &'a self,
        task: SubagentTask,
        count: usize,
        cx: &'a ToolContext,
    ) -> hermes_llm::model::BoxFuture<'a, Value> {
        // The delegator of the moment: another model may be chosen while children work.
        let delegator = Arc::clone(&lock(&self.delegator));
        Box::pin(async move { delegator.work_on(task, count, &Caller::of(cx)).await })
    }

    fn begin(&self, tasks: Vec<SubagentTask>, cx: &ToolContext) -> Result<String, String> {
        let delegator = Arc::clone(&lock(&self.delegator));
        delegator.begin(tasks, cx)
    }
}

impl SeeingModel for AgentState {
    fn sees_images(&self) -> bool {
        lock(&self.delegator).chain.current().model.sees_images()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Words for a model at work, until they find their place in a result.
#[derive(Clone, Debug, Default)]
pub struct SteerBox(Arc<Mutex<Vec<String>>>);

impl SteerBox {
    /// Leaves words.
    pub fn leave(&self, words: impl Into<String>) {
        lock(&self.0).push(words.into());
    }

    /// Takes all that was left.
    #[must_use]
    pub fn take(&self) -> Option<String> {
        let words = std::mem::take(&mut *lock(&self.0));
        (!words.is_empty()).then(|| words.join("\n\n"))
    }

    /// Throws away what was left.
    pub fn clear(&self) {
        lock(&self.0).clear();
    }
}
