//! What all agents of a process share.

use std::path::PathBuf;
use std::sync::Arc;

use hermes_guard::redact::{RedactMode, Redactor};
use hermes_runtime::Runtime;
use hermes_sessions::SessionStore;
use hermes_tool::{Services, Vars};
use serde_json::Value;

use crate::event::FrontEnd;
use crate::model_chain::ChainModel;

/// Tools, settings, record and whoever watches: the same for an agent, its subagents and its background agents.
pub struct AgentContext {
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
    pub summariser: Option<ChainModel>,
    /// Finds a model by name, for mixtures.
    pub models: Option<FindModel>,
    /// Masks secrets in what is kept.
    pub redactor: Redactor,
}

/// Finds a model that is named by its provider and its name.
pub type FindModel =
    Arc<dyn Fn(Option<&str>, &str) -> Result<Arc<dyn hermes_llm::Model>, String> + Send + Sync>;

impl AgentContext {
    /// The same context with somebody else watching.
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

    /// The same context with one service more or another.
    pub(crate) fn with_service<T: Send + Sync + 'static>(&self, service: Arc<T>) -> Self {
        let services = self.services.with(service);
        Self { services, ..self.with_front(Arc::clone(&self.front)) }
    }

    /// A text without secrets.
    #[must_use]
    pub fn redact(&self, text: &str) -> String {
        self.redactor.redact(text, RedactMode::Full).into_owned()
    }
}

impl std::fmt::Debug for AgentContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentContext").field("cwd", &self.cwd).finish_non_exhaustive()
    }
}

/// Variables that say that nobody can be asked.
pub(crate) fn nobody_there(vars: &Vars) -> Vars {
    let nobody = ["HERMES_INTERACTIVE", "HERMES_EXEC_ASK", "HERMES_GATEWAY_SESSION"];
    vars.overlaid(nobody.map(|name| (name.to_owned(), String::new())))
}
