//! What a handler knows about the call it serves.
//!
//! A [`ToolContext`] carries the identifiers of the call, the working directory, the ways to stop
//! (cancellation, deadline), a place to report progress and the typed services of the host. It is
//! one pointer wide and cheap to clone. `ToolContext::default()` is a complete context for a test.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::{CallTools, Vars};

/// Identifiers of a call; an absent one is the empty text, which is also what hooks see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallIds {
    /// The task, which owns the execution environment.
    pub task_id: String,
    /// The conversation.
    pub session_id: String,
    /// The model's id of this call.
    pub tool_call_id: String,
    /// The turn of the conversation.
    pub turn_id: String,
    /// The request to the model that asked for this call.
    pub api_request_id: String,
}

/// The name by which a tool was called where that is not its own, among the services of the call: a tool that took
/// over several older ones knows from it which of them is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalledAs(pub String);

/// Variables of the session a call belongs to, among its services: the chat it talks in, who speaks. They are laid over the
/// variables of the runtime, which many sessions of one process share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionVars(pub Vec<(String, String)>);

/// A note on how far a long call has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// What is being done, for people.
    pub message: String,
    /// Share of the work done, from 0 to 1, where it is known.
    pub fraction: Option<f64>,
}

/// What a running program wrote last, for people who watch; secrets are masked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutputTail {
    /// The last lines, oldest first, without terminal codes.
    pub lines: Vec<String>,
    /// How many lines there were so far.
    pub total: usize,
}

/// What the host offers to handlers, at most one of each type: `Arc<T>`, or `Arc<dyn Trait>`, which
/// is found by the type of the trait.
#[derive(Clone, Default)]
pub struct Services(Option<Arc<ByType>>);

/// Each value is an `Arc<T>` behind another one: only a sized type can be told apart by `Any`, and
/// the map is copied whenever one is added.
type ByType = HashMap<TypeId, Arc<dyn Any + Send + Sync>>;

impl Services {
    /// These services and one more; a second service of the same type replaces the first.
    #[must_use]
    pub fn with<T: ?Sized + Send + Sync + 'static>(&self, service: Arc<T>) -> Self {
        let mut services = self.0.as_deref().cloned().unwrap_or_default();
        services.insert(TypeId::of::<T>(), Arc::new(service));
        Self(Some(Arc::new(services)))
    }

    /// The service of this type, if the host offers one.
    #[must_use]
    pub fn get<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.0.as_ref()?.get(&TypeId::of::<T>())?.downcast_ref::<Arc<T>>().cloned()
    }

    pub(crate) fn holds(&self, id: TypeId) -> bool {
        self.0.as_ref().is_some_and(|services| services.contains_key(&id))
    }
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Services({})", self.0.as_ref().map_or(0, |services| services.len()))
    }
}

type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;
type OutputSink = Arc<dyn Fn(OutputTail) + Send + Sync>;

/// The parts of a context, with named fields; turn it into a [`ToolContext`] with `into`.
#[derive(Clone, Default)]
pub struct ContextParts {
    /// Identifiers.
    pub ids: CallIds,
    /// What the user asked for, where the caller knows it.
    pub user_task: Option<String>,
    /// Names of the tools this session may use, for tools that call tools.
    pub enabled_tools: Arc<[Arc<str>]>,
    /// Where relative paths start; the process's own directory when absent.
    pub cwd: Option<PathBuf>,
    /// Variables for this call.
    pub vars: Vars,
    /// The configuration, as read.
    pub config: Arc<Value>,
    /// When the caller stops waiting.
    pub deadline: Option<Instant>,
    /// Cancelled when the caller no longer wants the result.
    pub cancellation: CancellationToken,
    /// Where progress goes.
    pub progress: Option<ProgressSink>,
    /// Where the output of running programs is watched.
    pub output: Option<OutputSink>,
    /// Services of the host.
    pub services: Services,
    /// Makes calls on behalf of the handler; set by whoever runs it.
    pub tools: Option<Arc<dyn CallTools>>,
}

/// Everything a handler may ask about its call.
#[derive(Clone)]
pub struct ToolContext(Arc<ContextParts>);

impl From<ContextParts> for ToolContext {
    fn from(parts: ContextParts) -> Self {
        Self(Arc::new(parts))
    }
}

impl Default for ToolContext {
    fn default() -> Self {
        ContextParts::default().into()
    }
}

impl ToolContext {
    /// Identifiers of the call.
    #[must_use]
    pub fn ids(&self) -> &CallIds {
        &self.0.ids
    }

    /// What the user asked for, where known.
    #[must_use]
    pub fn user_task(&self) -> Option<&str> {
        self.0.user_task.as_deref()
    }

    /// The tools this session may use.
    #[must_use]
    pub fn enabled_tools(&self) -> &[Arc<str>] {
        &self.0.enabled_tools
    }

    /// Where relative paths start.
    #[must_use]
    pub fn cwd(&self) -> &Path {
        self.0.cwd.as_deref().unwrap_or(Path::new("."))
    }

    /// Variables for this call.
    #[must_use]
    pub fn vars(&self) -> &Vars {
        &self.0.vars
    }

    /// The configuration, as read; an absent setting is `null`.
    #[must_use]
    pub fn config(&self) -> &Value {
        &self.0.config
    }

    /// Time left before the caller stops waiting; `None` means for ever.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        self.0.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// The moment the caller stops waiting.
    #[must_use]
    pub fn deadline(&self) -> Option<Instant> {
        self.0.deadline
    }

    /// Whether the caller no longer wants the result. Sync handlers ask this in their loops.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancellation.is_cancelled()
    }

    /// The token behind [`is_cancelled`](Self::is_cancelled), to wait on or hand to a child.
    #[must_use]
    pub fn cancellation(&self) -> &CancellationToken {
        &self.0.cancellation
    }

    /// Tells whoever watches how far the call has come.
    pub fn report(&self, message: impl Into<String>, fraction: Option<f64>) {
        if let Some(sink) = &self.0.progress {
            sink(Progress { message: message.into(), fraction });
        }
    }

    /// Whether anybody watches what running programs write.
    #[must_use]
    pub fn is_output_watched(&self) -> bool {
        self.0.output.is_some()
    }

    /// Shows whoever watches what a running program wrote last.
    pub fn show_output(&self, tail: OutputTail) {
        if let Some(sink) = &self.0.output {
            sink(tail);
        }
    }

    /// A service of the host, found by type.
    #[must_use]
    pub fn service<T: ?Sized + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.0.services.get()
    }

    /// Makes calls to other tools, by the way that every call takes; nobody does in a context that
    /// was made by hand.
    #[must_use]
    pub fn tools(&self) -> Option<&Arc<dyn CallTools>> {
        self.0.tools.as_ref()
    }

    /// The parts of this context, to change some and build another from them.
    #[must_use]
    pub fn to_parts(&self) -> ContextParts {
        (*self.0).clone()
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("ids", &self.0.ids)
            .field("cwd", &self.0.cwd)
            .field("services", &self.0.services)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn services_are_found_by_type() {
        let services = Services::default().with(Arc::new(7_u32)).with(Arc::new("x".to_owned()));
        let cx: ToolContext = ContextParts { services, ..ContextParts::default() }.into();
        assert_eq!(cx.service::<u32>().as_deref(), Some(&7));
        assert!(cx.service::<u64>().is_none());
    }

    #[test]
    fn a_service_may_be_known_by_a_trait_alone() {
        trait Speaks: Send + Sync {
            fn word(&self) -> &'static str;
        }
        struct Dog;
        impl Speaks for Dog {
            fn word(&self) -> &'static str {
                "woof"
            }
        }
        let services = Services::default().with::<dyn Speaks>(Arc::new(Dog));
        assert_eq!(services.get::<dyn Speaks>().map(|dog| dog.word()), Some("woof"));
        assert!(services.get::<Dog>().is_none(), "by the trait and no other way");
    }

    #[test]
    fn progress_reaches_the_sink() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        let cx: ToolContext = ContextParts {
            progress: Some(Arc::new(move |note: Progress| {
                sink.lock().unwrap().push(note.message);
            })),
            ..ContextParts::default()
        }
        .into();
        cx.report("half way", Some(0.5));
        assert_eq!(*seen.lock().unwrap(), ["half way"]);
    }
}
