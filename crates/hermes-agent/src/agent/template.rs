//! Background agents: further agents like one that is busy.
//!
//! An agent is busy while a turn runs. Its [`AgentTemplate`] is a small copy of what it is made of, taken
//! between turns and kept elsewhere: from it a background agent with the same tools, system prompt and
//! model chain is made for a session of its own, and single tools are called for the person.

use std::sync::Arc;

use hermes_runtime::pipeline::ReadOnlyGate;
use hermes_runtime::{ToolCall, ToolScope};
use hermes_sessions::new_session_id;
use hermes_tool::{CallIds, ContextParts, Vars};
use hermes_tools::memory::MemoryStore;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, AgentOptions};
use crate::context::AgentContext;
use crate::conversation::Conversation;
use crate::event::FrontEnd;
use crate::model_chain::ModelChain;
use crate::steer::Steering;
use crate::system_prompt::SystemPrompt;

/// Under this key the row of a background session names the one it was begun from. Rows of earlier
/// versions hold it, so the key stays as it was.
const BACKGROUND_OF: &str = "_beside";

/// What background agents are made from. Cheap to clone.
#[derive(Clone)]
pub struct AgentTemplate {
    context: Arc<AgentContext>,
    chain: ModelChain,
    scope: ToolScope,
    prompt: SystemPrompt,
    steering: Steering,
    memory: Option<Arc<MemoryStore>>,
    session: String,
    task: String,
    vars: Vars,
}

impl Agent {
    /// A copy of what this agent is made of, for background agents.
    #[must_use]
    pub fn template(&self) -> AgentTemplate {
        AgentTemplate {
            context: Arc::clone(&self.context),
            chain: self.chain.clone(),
            scope: self.scope.clone(),
            prompt: self.prompt.clone(),
            steering: self.state.steering.clone(),
            memory: self.state.memory(),
            session: self.conversation.id().to_owned(),
            task: self.state.task_id().to_owned(),
            vars: self.state.vars().clone(),
        }
    }
}

impl AgentTemplate {
    /// What this agent shares with all others of the process.
    #[must_use]
    pub fn context(&self) -> &Arc<AgentContext> {
        &self.context
    }

    /// The models as they were when the copy was taken.
    #[must_use]
    pub fn chain(&self) -> &ModelChain {
        &self.chain
    }

    /// The toolsets a background agent may use.
    #[must_use]
    pub fn scope(&self) -> &ToolScope {
        &self.scope
    }

    /// The same, for agents that can change nothing: only tools run that look.
    #[must_use]
    pub fn read_only(&self) -> Self {
        let context = self.context.with_service(Arc::new(ReadOnlyGate::engaged()));
        Self { context: Arc::new(context), ..self.clone() }
    }

    /// An agent with a new session in which nobody can be asked. `source` is kept in its row.
    #[must_use]
    pub fn background_agent(&self, front: Arc<dyn FrontEnd>, source: &str) -> Agent {
        let context = Arc::new(self.context.with_front(front));
        let conversation = Conversation::new(new_session_id(), context.store.clone());
        let mut origin = Map::new();
        origin.insert(BACKGROUND_OF.to_owned(), self.session.clone().into());
        Agent::new(
            context,
            AgentOptions {
                chain: self.chain.clone(),
                scope: self.scope.clone(),
                conversation,
                prompt: self.prompt.clone(),
                source: source.to_owned(),
                depth: 0,
                memory: self.memory.clone(),
                max_turns: None,
                origin,
                steering: self.steering.clone(),
                task: None,
                vars: Some(crate::context::nobody_there(&self.vars)),
            },
        )
    }

    /// Calls a tool as the agent would, with all its rules; its result. It is the person who calls: a plan that the
    /// agent has to wait for holds back only the agent.
    pub async fn call(&self, tool: &str, args: Value, cancel: &CancellationToken) -> String {
        let context = self.call_context(cancel);
        let call = ToolCall { context, ..ToolCall::new(tool.to_owned(), args) };
        self.context.runtime.call(call).await.text().to_string()
    }

    /// What such a call knows.
    #[must_use]
    pub fn call_context(&self, cancel: &CancellationToken) -> ContextParts {
        ContextParts {
            ids: CallIds {
                task_id: self.task.clone(),
                session_id: self.session.clone(),
                ..CallIds::default()
            },
            cwd: Some(self.context.cwd.clone()),
            vars: self.vars.clone(),
            config: Arc::clone(&self.context.config),
            cancellation: cancel.child_token(),
            services: self.context.services.with(Arc::new(ReadOnlyGate::default())),
            ..ContextParts::default()
        }
    }
}

impl std::fmt::Debug for AgentTemplate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentTemplate").field("session", &self.session).finish_non_exhaustive()
    }
}
