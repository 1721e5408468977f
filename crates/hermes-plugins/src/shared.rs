//! What all plugins of a process share.

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::{ArcSwap, ArcSwapOption};
use hermes_runtime::Runtime;
use hermes_runtime::bridge::shared_runtime;
use hermes_store::home::Home;
use hermes_tool::{BoxFuture, ContextParts, Vars};
use serde_json::Value;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::discover::FoundPlugin;
use crate::log::LogEcho;
use crate::record;
use crate::settings::PluginSettings;

/// Something a plugin wants said in the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Injected {
    /// Who wants it said.
    pub plugin: String,
    /// Who is to have said it: `user` or another role.
    pub role: String,
    /// The words.
    pub content: String,
}

/// Takes what plugins want said; whether there is a conversation to say it in.
pub type MessageSink = Arc<dyn Fn(Injected) -> bool + Send + Sync>;
/// Asks the conversation's model for a plugin.
pub type ModelDoor = Arc<dyn Fn(Value) -> BoxFuture<Result<Value, String>> + Send + Sync>;

/// What all plugins of a process share.
pub(crate) struct PluginContext {
    pub(crate) home: Home,
    pub(crate) vars: Vars,
    pub(crate) settings: PluginSettings,
    pub(crate) interpreter: PathBuf,
    pub(crate) profile: String,
    pub(crate) reserved_commands: Vec<String>,
    pub(crate) echo: LogEcho,
    pub(crate) runtime: Runtime,
    /// Cancelled when the plugins are dropped, and with it whatever was spawned for them.
    pub(crate) closed: CancellationToken,
    /// What a call by a plugin on its own account knows.
    pub(crate) context: ArcSwap<ContextParts>,
    pub(crate) messages: ArcSwapOption<MessageSink>,
    pub(crate) model: ArcSwapOption<ModelDoor>,
}

impl PluginContext {
    /// Runs something on the shared runtime, where plugins' processes are looked after; `None` once the
    /// plugins are closed.
    pub(crate) fn spawn<F>(&self, work: F) -> JoinHandle<Option<F::Output>>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        shared_runtime().spawn(self.closed.clone().run_until_cancelled_owned(work))
    }

    pub(crate) fn log_folder(&self) -> PathBuf {
        self.home.logs().join("plugins")
    }

    /// The variables a plugin may see: what it asks for and what somebody agreed to.
    pub(crate) fn granted(&self, found: &FoundPlugin) -> Vec<String> {
        self.settings.granted_env(&found.key, &found.manifest.name)
    }

    pub(crate) fn fingerprint(&self, found: &FoundPlugin) -> String {
        let name = &found.manifest.name;
        let allowed = format!(
            "{:?} {:?} {}",
            self.settings.entry(&found.key, name),
            self.granted(found),
            self.profile,
        );
        record::fingerprint(found, &self.interpreter, &allowed)
    }
}
