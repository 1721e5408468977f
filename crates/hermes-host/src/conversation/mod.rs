//! A conversation with an agent, as a surface sees it: [`hermes_protocol::ChatSession`] over an
//! [`AgentSession`].
//!
//! The agent stands behind a lock that a turn keeps from its beginning to its end. What a surface may ask
//! meanwhile is therefore kept beside it: the status, a copy of what further agents are made of
//! ([`AgentTemplate`]), the goal, the events of background processes. Nothing that is asked in the middle of a turn
//! waits for that lock.
//!
//! | module | what it does |
//! |---|---|
//! | `requests` | every request of a surface, answered |
//! | `background` | agents that work on something else, each in a session of its own |
//! | `process_events` | background processes: the surface hears at once, the model with the next message |
//! | `side_work` | both of them together, and commands of the person's own |
//! | `goals` | what the agent works towards by itself, kept with the session and judged after each turn |
//! | `naming` | titles that sessions get by themselves |
//! | `personality` | how the agent speaks |
//! | `review` | the change that an agent looks over which can change nothing |
//! | `reload` | settings, keys and MCP servers read anew |
//! | `skills` | skills that a person calls by name |
//! | `content` | what a person says, with images |

mod background;
mod content;
mod goals;
mod naming;
mod personality;
mod process_events;
mod reload;
mod requests;
mod review;
mod side_work;
mod skills;

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_agent::{Agent, AgentTemplate, SteerBox, TurnResult};
use hermes_llm::{EndpointChoice, TokenUsage};
use hermes_protocol::{ChatSession as _, FrontEnd, Planning, SessionStatus};
use hermes_runtime::pipeline::ReadOnlyGate;
use tokio_util::sync::CancellationToken;

use crate::Host;
use crate::models::ModelSources;
use crate::planning;
use crate::session::{AgentSession, SessionOptions, SessionParts, late_servers, session_finalized};
use background::Background;
pub use content::content;
use goals::Goals;
use naming::Naming;
use process_events::ProcessEvents;
use reload::InForce;
use side_work::SideWork;

/// Sessions that end for this reason can be resumed.
const LEFT: &str = "user_exit";

/// A session with an agent that a surface talks with. End it with [`close`](Self::close).
pub struct AgentConversation {
    agent: tokio::sync::Mutex<Agent>,
    steer: Mutex<SteerBox>,
    stop: Mutex<CancellationToken>,
    status: Arc<Mutex<SessionStatus>>,
    parts: SessionParts,
    /// What another model is chosen from, and how the present one was.
    sources: Mutex<ModelSources>,
    choice: Mutex<EndpointChoice>,
    naming: Naming,
    /// Holds tools back while the agent plans.
    gate: Arc<ReadOnlyGate>,
    /// What further agents are made of.
    template: Mutex<AgentTemplate>,
    side_work: SideWork,
    in_force: Mutex<InForce>,
    /// What the session was opened from, and with.
    host: Host,
    options: SessionOptions,
    /// Commands of skills that the surface knows of.
    skill_names: Mutex<BTreeSet<String>>,
    /// Servers are waited for before the first turn; who comes later joins at a later one.
    has_waited: AtomicBool,
}

impl AgentConversation {
    /// Makes a conversation of a session. What works beside it is told to `front`. Must be called inside
    /// an async runtime.
    pub async fn new(
        session: AgentSession,
        host: &Host,
        options: SessionOptions,
        front: &Arc<dyn FrontEnd>,
    ) -> Arc<Self> {
        let (agent, parts) = session.into_parts();
        let tools = &parts.tools;
        let side_work = SideWork {
            background: Background::new(Arc::clone(front), Arc::clone(tools.approvals())),
            processes: ProcessEvents::new(Arc::clone(tools.environments().processes())),
            goals: Goals::new(parts.store.clone(), host.config().value()),
        };
        side_work.goals.turn_to(agent.conversation().id()).await;
        let (model, provider) = parts.models.names();
        let status = SessionStatus {
            model: model.to_owned(),
            provider: provider.to_owned(),
            ..status_of(&agent, SessionStatus::default())
        };
        let this = Arc::new(Self {
            steer: Mutex::new(agent.steer()),
            gate: planning::gate_of(&agent).unwrap_or_default(),
            template: Mutex::new(agent.template()),
            agent: tokio::sync::Mutex::new(agent),
            stop: Mutex::default(),
            status: Arc::new(Mutex::new(status)),
            parts,
            sources: Mutex::new(ModelSources::of(host)),
            choice: Mutex::new(options.choice()),
            naming: Naming::read(host),
            side_work,
            in_force: Mutex::new(InForce::of(host)),
            host: host.clone(),
            options,
            skill_names: Mutex::default(),
            has_waited: AtomicBool::new(false),
        });
        this.side_work.processes.listen(Arc::clone(&this.status), Arc::clone(front));
        this
    }

    /// Ends what runs, the session and everything that was started for it. What is returned a person
    /// should know: not everything could be written to the database yet.
    pub async fn close(&self) -> Option<String> {
        self.interrupt();
        self.side_work.background.leave().await;
        {
            let mut agent = self.agent.lock().await;
            session_finalized(&agent, LEFT).await;
            agent.conversation_mut().end(LEFT);
        }
        self.parts.close().await
    }

    /// Lets MCP servers that are about to answer have their tools in the first turn.
    async fn wait_for_servers(&self, agent: &Agent, stop: &CancellationToken) {
        let Some(servers) = self.parts.tools.servers() else { return };
        if !self.has_waited.swap(true, Ordering::Relaxed) {
            let ready = servers.wait_ready(servers.discovery_timeout());
            if stop.run_until_cancelled(ready).await == Some(false) {
                let late = format!("{}; tools come when it does", late_servers(servers));
                agent.notify(&late);
            }
        }
    }

    /// Keeps what is asked for often.
    fn note(&self, agent: &Agent) {
        *lock(&self.template) = agent.template();
        let mut status = lock(&self.status);
        *status = status_of(agent, std::mem::take(&mut *status));
    }

    fn spent(&self, result: &TurnResult) {
        let mut status = lock(&self.status);
        status.calls += result.api_calls as usize;
        status.usage += result.usage;
        if let Some(dollars) = result.cost_usd {
            *status.dollars.get_or_insert(0.0) += dollars;
        }
    }

    /// A session was begun or resumed: what is counted begins anew.
    async fn turn_to(&self, agent: &Agent, title: Option<String>) {
        {
            let mut status = lock(&self.status);
            (status.usage, status.dollars, status.calls) = (TokenUsage::default(), None, 0);
            status.title = title;
        }
        *lock(&self.steer) = agent.steer();
        self.side_work.goals.turn_to(agent.conversation().id()).await;
        self.note(agent);
    }

    fn session(&self) -> String {
        lock(&self.status).session_id.clone()
    }

    /// A wait that an interrupt ends.
    fn begin_wait(&self) -> CancellationToken {
        let stop = CancellationToken::new();
        *lock(&self.stop) = stop.clone();
        stop
    }
}

/// The status with what the agent knows of it.
fn status_of(agent: &Agent, status: SessionStatus) -> SessionStatus {
    let entry = agent.chain().current();
    SessionStatus {
        model: entry.model.name().to_owned(),
        provider: entry.model.provider().to_owned(),
        session_id: agent.conversation().id().to_owned(),
        messages: agent.conversation().messages().len(),
        context_tokens: agent.context_tokens(),
        window: Some(entry.window.tokens()),
        effort: agent.effort(),
        planning: match planning::is_planning(agent) {
            true => Planning::On,
            false => Planning::Off,
        },
        tools: agent.tool_names().len(),
        ..status
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
