//! Further agents of the same kind, beside one that works.
//!
//! An agent is busy while a turn runs. Its [`Kin`] is a small copy of what it is made of, taken
//! between turns and kept elsewhere: from it another agent with the same tools, instructions and
//! model is made for a session of its own, and single tools are called for the person.

use std::sync::Arc;

use hermes_runtime::{ToolCall, ToolScope};
use hermes_store::sessions::new_session_id;
use hermes_tool::{CallIds, ContextParts, Vars};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::agent::{Agent, Setup, World};
use crate::conversation::Conversation;
use crate::event::FrontEnd;
use crate::memory::MemoryStore;
use crate::seats::Seats;
use crate::standing::SystemPrompt;
use crate::steer::Steering;

/// Under this name a session's settings tell which one it was begun from.
pub const BESIDE: &str = "_beside";

/// What further agents are made from. Cheap to clone.
#[derive(Clone)]
pub struct Kin {
    world: Arc<World>,
    seats: Seats,
    scope: ToolScope,
    prompt: SystemPrompt,
    steering: Steering,
    memory: Option<Arc<MemoryStore>>,
    session: String,
    task: String,
    vars: Vars,
}

impl Agent {
    /// What further agents like this one are made from.
    #[must_use]
    pub fn kin(&self) -> Kin {
        Kin {
            world: Arc::clone(&self.world),
            seats: self.seats.clone(),
            scope: self.scope.clone(),
            prompt: self.prompt.clone(),
            steering: self.desk.steering.clone(),
            memory: self.desk.memory(),
            session: self.conversation.id().to_owned(),
            task: self.desk.task_id().to_owned(),
            vars: self.desk.vars().clone(),
        }
    }
}

impl Kin {
    /// What all agents share.
    #[must_use]
    pub fn world(&self) -> &Arc<World> {
        &self.world
    }

    /// Who answers.
    #[must_use]
    pub fn seats(&self) -> &Seats {
        &self.seats
    }

    /// The toolsets.
    #[must_use]
    pub fn scope(&self) -> &ToolScope {
        &self.scope
    }

    /// An agent with a new session, which nobody can be asked in.
    #[must_use]
    pub fn beside(&self, front: Arc<dyn FrontEnd>, source: &str) -> Agent {
        let world = Arc::new(self.world.with_front(front));
        let conversation = Conversation::new(new_session_id(), world.store.clone());
        let mut origin = Map::new();
        origin.insert(BESIDE.to_owned(), self.session.clone().into());
        Agent::new(
            world,
            Setup {
                seats: self.seats.clone(),
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
                vars: Some(nobody_there(&self.vars)),
            },
        )
    }

    /// Calls a tool as the agent would, with all its rules; its result.
    pub async fn call(&self, tool: &str, args: Value, cancel: &CancellationToken) -> String {
        let context = ContextParts {
            ids: CallIds {
                task_id: self.task.clone(),
                session_id: self.session.clone(),
                ..CallIds::default()
            },
            cwd: Some(self.world.cwd.clone()),
            vars: self.vars.clone(),
            config: Arc::clone(&self.world.config),
            cancellation: cancel.child_token(),
            services: self.world.services.clone(),
            ..ContextParts::default()
        };
        let call = ToolCall { context, ..ToolCall::new(tool.to_owned(), args) };
        self.world.runtime.call(call).await.text().to_string()
    }
}

impl std::fmt::Debug for Kin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kin").field("session", &self.session).finish_non_exhaustive()
    }
}

/// Variables that say that nobody can be asked.
pub(crate) fn nobody_there(vars: &Vars) -> Vars {
    let nobody = ["HERMES_INTERACTIVE", "HERMES_EXEC_ASK", "HERMES_GATEWAY_SESSION"];
    vars.overlaid(nobody.map(|name| (name.to_owned(), String::new())))
}
