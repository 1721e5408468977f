//! The desk: what the agent-level tools work on.
//!
//! `todo`, `memory`, `session_search`, `clarify`, `delegate_task` and `mixture_of_agents` change or ask the state of one
//! agent. Their calls come through the runtime like all others; the innermost step is here.

mod clarify;
mod mixture;
mod recall;
mod remember;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_llm::Message;
use hermes_runtime::ToolScope;
use hermes_runtime::agent::AgentHandler;
use hermes_store::sessions::SessionStore;
use hermes_tool::{
    Args, BoxFuture, ToolContext, ToolError, ToolOutput, ToolResult, Vars, read_arguments,
};
use serde_json::Value;

use crate::agent::World;
use crate::conversation::Conversation;
use crate::delegate::Delegator;
use crate::memory::MemoryStore;
use crate::seats::Seats;
use crate::settings::AgentSettings;
use crate::steer::Steering;
use crate::todo::{Item, TodoList};

/// What a desk is made from.
pub(crate) struct DeskSetup<'a> {
    pub(crate) world: Arc<World>,
    pub(crate) seats: Seats,
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
pub(crate) struct Desk {
    pub(crate) steer: SteerBox,
    pub(crate) steering: Steering,
    world: Arc<World>,
    todo: Mutex<TodoList>,
    memory: Option<Arc<MemoryStore>>,
    store: Option<SessionStore>,
    session: String,
    task: String,
    turns: AtomicU64,
    settings: AgentSettings,
    vars: Vars,
    delegator: Mutex<Arc<Delegator>>,
}

impl Desk {
    pub(crate) fn new(setup: DeskSetup<'_>) -> Self {
        let delegator = Delegator {
            world: Arc::clone(&setup.world),
            seats: setup.seats,
            scope: setup.scope,
            settings: setup.settings.delegation.clone(),
            depth: setup.depth,
            session: setup.session.clone(),
            vars: setup.vars.clone(),
            spent: Mutex::default(),
        };
        Self {
            steer: SteerBox::default(),
            steering: setup.steering,
            todo: Mutex::new(TodoList::from_history(setup.messages)),
            memory: setup.memory,
            store: setup.world.store.clone(),
            session: setup.session,
            task: setup.task,
            turns: AtomicU64::new(0),
            settings: setup.settings,
            vars: setup.vars,
            delegator: Mutex::new(Arc::new(delegator)),
            world: setup.world,
        }
    }

    /// The desk of the same agent in another conversation.
    pub(crate) fn for_conversation(&self, talk: &Conversation, steering: Steering) -> Self {
        let delegator = lock(&self.delegator).for_session(talk.id());
        Self {
            steer: SteerBox::default(),
            steering,
            world: Arc::clone(&self.world),
            todo: Mutex::new(TodoList::from_history(talk.messages())),
            memory: self.memory.clone(),
            store: self.store.clone(),
            session: talk.id().to_owned(),
            task: talk.id().to_owned(),
            turns: AtomicU64::new(0),
            settings: self.settings.clone(),
            vars: self.vars.clone(),
            delegator: Mutex::new(Arc::new(delegator)),
        }
    }

    /// A turn begins: what is counted by turn begins anew.
    pub(crate) fn begin_turn(&self, messages: &[Message]) {
        self.turns.fetch_add(1, Ordering::Relaxed);
        if let Some(memory) = &self.memory {
            memory.begin_turn();
        }
        let mut todo = lock(&self.todo);
        if todo.is_empty() {
            *todo = TodoList::from_history(messages);
        }
        drop(todo);
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

    pub(crate) fn todo_items(&self) -> Vec<Item> {
        lock(&self.todo).items().to_vec()
    }

    /// The open steps, as they are said again after the history was shortened.
    pub(crate) fn todo_note(&self) -> Option<String> {
        lock(&self.todo).note()
    }

    pub(crate) fn set_seats(&self, seats: Seats) {
        let mut delegator = lock(&self.delegator);
        *delegator = Arc::new(delegator.with_seats(seats));
    }

    async fn handle(&self, tool: String, args: Args, cx: ToolContext) -> ToolResult {
        match tool.as_str() {
            "todo" => {
                let answer = lock(&self.todo).call(read_arguments(args)?)?;
                ToolOutput::json(&answer)
            }
            "memory" => match &self.memory {
                Some(memory) => self.remember(memory, args, &cx).await,
                None => Err(ToolError::answer("This agent has no memory")),
            },
            "session_search" => self.recall(read_arguments(args)?),
            "mixture_of_agents" => self.mixture(read_arguments(args)?, &cx).await,
            "clarify" => self.clarify(read_arguments(args)?, &cx).await,
            "delegate_task" => {
                let delegator = Arc::clone(&lock(&self.delegator));
                let answer: Value = delegator.run(read_arguments(args)?, &cx).await?;
                ToolOutput::json(&answer)
            }
            other => Err(ToolError::needs_agent(other)),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The desk as the runtime knows it.
pub(crate) struct DeskHandler(pub(crate) Arc<Desk>);

impl AgentHandler for DeskHandler {
    fn handle(&self, tool: &str, args: Args, cx: ToolContext) -> BoxFuture<ToolResult> {
        let (desk, tool) = (Arc::clone(&self.0), tool.to_owned());
        Box::pin(async move { desk.handle(tool, args, cx).await })
    }
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
