//! What all requests share, and how a turn begins.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use axum::http::StatusCode;
use hermes_approval::Audience;
use hermes_host::{
    AgentFactory, AgentRequest, Host, HostError, MemoryAccess, SessionOptions, ToolOffer,
};
use hermes_llm::{Message, MessageContent, Secret};
use hermes_sessions::{SessionStore, new_session_id};
use serde_json::Value;
use tokio::sync::{OwnedMutexGuard, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::answer::Answer;
use crate::asking::{AnswersQuestions, Asking};
use crate::feed::Feed;
use crate::idempotency::Idempotency;
use crate::problem::Refusal;
use crate::responses::ResponseStore;
use crate::runs::Runs;
use crate::settings::{ApiSettings, ModelRoute};
use crate::turn::{Turn, TurnParts};

/// The platform by whose name tools, prompt and sessions know where a turn comes from.
pub(crate) const PLATFORM: &str = "api_server";
/// How long MCP servers are waited for before the first turn.
const SERVER_PATIENCE: Duration = Duration::from_secs(10);

/// Shared by every route.
pub(crate) type App = Arc<Server>;

/// The server of one home.
pub(crate) struct Server {
    pub(crate) host: Host,
    pub(crate) factory: AgentFactory,
    pub(crate) settings: ApiSettings,
    pub(crate) asking: Arc<Asking>,
    pub(crate) runs: Runs,
    pub(crate) responses: ResponseStore,
    pub(crate) repeated: Idempotency<Answer>,
    pub(crate) since: Instant,
    /// No new turns begin, and running ones end.
    pub(crate) stop: CancellationToken,
    slots: Arc<Semaphore>,
    locks: SessionLocks,
    servers_ready: tokio::sync::OnceCell<()>,
}

/// In which session a turn takes place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SessionChoice {
    /// A new one that nobody shares.
    Fresh,
    /// The one of this id, begun if there is none.
    Session(String),
}

/// A turn as it is wanted.
pub(crate) struct TurnOrder {
    pub(crate) place: SessionChoice,
    pub(crate) history: Vec<Message>,
    pub(crate) instructions: Option<String>,
    pub(crate) said: MessageContent,
    pub(crate) route: ModelRoute,
    pub(crate) offer: ToolOffer,
    /// Whose it is, by a name that the front end gave.
    pub(crate) person: Option<String>,
    /// Who can be asked about commands.
    pub(crate) asks: Option<Arc<dyn AnswersQuestions>>,
}

impl Server {
    pub(crate) fn new(
        host: Host,
        factory: AgentFactory,
        settings: ApiSettings,
        asking: Arc<Asking>,
        stop: CancellationToken,
    ) -> App {
        let responses = ResponseStore::at(host.home().root());
        let slots = Arc::new(Semaphore::new(settings.max_concurrent_runs as usize));
        Arc::new(Self {
            host,
            factory,
            settings,
            asking,
            runs: Runs::default(),
            responses,
            repeated: Idempotency::default(),
            since: Instant::now(),
            stop,
            slots,
            locks: SessionLocks::default(),
            servers_ready: tokio::sync::OnceCell::new(),
        })
    }

    pub(crate) fn store(&self) -> &SessionStore {
        self.factory.store()
    }

    /// Turns that could begin now.
    pub(crate) fn free_slots(&self) -> usize {
        self.slots.available_permits()
    }

    /// Begins a turn; it ends when whoever holds it lets go.
    pub(crate) async fn begin(self: &Arc<Self>, order: TurnOrder) -> Result<Turn, Refusal> {
        if self.stop.is_cancelled() {
            let text = "The server is about to end";
            return Err(
                Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "shutting_down", text).retry_after(5)
            );
        }
        let slot = Arc::clone(&self.slots).try_acquire_owned().map_err(|_| {
            let most = self.settings.max_concurrent_runs;
            let text = format!("{most} turns are at work, which is all there may be at once");
            Refusal::new(StatusCode::TOO_MANY_REQUESTS, "rate_limit_exceeded", text).retry_after(1)
        })?;
        let session = match &order.place {
            SessionChoice::Fresh => new_session_id(),
            SessionChoice::Session(id) => id.clone(),
        };
        let held = self.locks.hold(&session).await;
        self.wait_for_servers().await;
        let feed = Arc::new(Feed::default());
        let wanted = self.agent_request(&session, &order);
        let agent = self
            .factory
            .agent(&self.host, &wanted, Arc::clone(&feed) as Arc<dyn hermes_agent::FrontEnd>)
            .await
            .map_err(|problem| no_agent(&problem))?;
        let asked = order.asks.map(|run| self.asking.open(agent.conversation().id(), run));
        let parts = TurnParts { agent, said: order.said, feed, slot, held, asked };
        Ok(Turn::start(parts, session, self.stop.child_token()))
    }

    /// Tools of servers that are about to answer are worth a moment, once.
    async fn wait_for_servers(&self) {
        let Some(servers) = self.factory.tools().servers() else { return };
        self.servers_ready
            .get_or_init(|| async {
                servers.wait_ready(servers.discovery_timeout().max(SERVER_PATIENCE)).await;
            })
            .await;
    }

    fn agent_request(&self, session: &str, order: &TurnOrder) -> AgentRequest {
        let route = &order.route;
        let named = |name: &str, value: &str| (format!("HERMES_SESSION_{name}"), value.to_owned());
        let mut vars =
            vec![named("PLATFORM", PLATFORM), named("SOURCE", PLATFORM), named("ID", session)];
        vars.extend(order.person.as_deref().map(|person| named("KEY", person)));
        AgentRequest {
            session: session.to_owned(),
            options: SessionOptions {
                platform: PLATFORM.to_owned(),
                model: route.model.clone(),
                provider: route.provider.clone(),
                base_url: route.base_url.clone(),
                api_key: route.api_key.clone().map(Secret::new),
                instructions: order.instructions.clone(),
                history: order.history.clone(),
                offer: order.offer,
                ..SessionOptions::default()
            },
            vars,
            // A front end that says who is talking has several people, and the notes are the owner's.
            memory: match order.person {
                None => MemoryAccess::Owner,
                Some(_) => MemoryAccess::None,
            },
            audience: match order.asks {
                Some(_) => Audience::Client,
                None => Audience::Nobody,
            },
            more_toolsets: Vec::new(),
        }
    }

    /// The model a request names: the agent's own name, or one of the routes.
    pub(crate) fn route(&self, model: Option<&Value>) -> Result<(String, ModelRoute), Refusal> {
        let own = self.settings.model_name.clone();
        match model {
            None | Some(Value::Null) => Ok((own, ModelRoute::default())),
            Some(Value::String(name)) if *name == own => Ok((own, ModelRoute::default())),
            Some(Value::String(name)) => match self.settings.model_routes.get(name) {
                Some(route) => Ok((name.clone(), route.clone())),
                None => {
                    let text = format!("There is no model `{name}`; GET /v1/models lists them");
                    Err(Refusal::unknown("model_not_found", text).about("model"))
                }
            },
            Some(_) => Err(Refusal::bad("invalid_type", "`model` must be a text").about("model")),
        }
    }

    /// The right to change a session; none while a turn works on it.
    pub(crate) fn hold_if_idle(&self, session: &str) -> Option<OwnedMutexGuard<()>> {
        self.locks.of(session).try_lock_owned().ok()
    }
}

fn no_agent(problem: &HostError) -> Refusal {
    tracing::warn!(%problem, "no agent could be made");
    let status = match problem {
        HostError::Sessions(_) => StatusCode::INTERNAL_SERVER_ERROR,
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    Refusal::new(status, "agent_unavailable", problem.to_string())
}

/// One turn at a time for each session.
#[derive(Default)]
struct SessionLocks(Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>);

impl SessionLocks {
    fn of(&self, session: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = known.get(session).and_then(Weak::upgrade) {
            return lock;
        }
        known.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::new(tokio::sync::Mutex::new(()));
        known.insert(session.to_owned(), Arc::downgrade(&lock));
        lock
    }

    async fn hold(&self, session: &str) -> OwnedMutexGuard<()> {
        self.of(session).lock_owned().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_session_has_one_turn_at_a_time_and_forgotten_locks_go() {
        let locks = SessionLocks::default();
        let first = locks.hold("s").await;
        assert!(locks.of("s").try_lock_owned().is_err());
        assert!(locks.of("t").try_lock_owned().is_ok());
        drop(first);
        assert!(locks.of("s").try_lock_owned().is_ok());
        locks.of("u");
        assert!(locks.0.lock().unwrap().len() <= 2);
    }
}
