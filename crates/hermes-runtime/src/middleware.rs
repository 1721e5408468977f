//! Middleware: code that stands around a call and may change its arguments or its result.
//!
//! *Request* middleware sees the arguments before the gate; each sees what the one before it made
//! of them. *Execution* middleware stands around the handler like the layers of an onion and calls
//! [`Next::run`] to go inwards. The handler runs at most once per call, whatever a layer does: a
//! layer that fails before going inwards is skipped, one that fails afterwards loses only its own
//! say.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use futures_util::FutureExt;
use hermes_tool::{Args, BoxFuture, CallIds};
use serde_json::{Value, json};
use thiserror::Error;
use tracing::{debug, warn};

use crate::call::Dispatched;

/// Payloads of middleware say which version of the fields they have.
pub const MIDDLEWARE_VERSION: &str = "hermes.middleware.v1";

/// What middleware may look at.
#[derive(Clone, Debug)]
pub struct CallView {
    /// The registered name, whatever the model wrote.
    pub tool_name: Arc<str>,
    /// The arguments as they are now.
    pub args: Args,
    /// The arguments before any middleware.
    pub original_args: Args,
    /// Identifiers of the call.
    pub ids: CallIds,
}

/// Why a layer gave no result.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum MiddlewareError {
    /// `next` was called a second time.
    #[error("execution middleware may go inwards only once per call")]
    SecondNext,
    /// The layer's own failure.
    #[error("{0}")]
    Failed(String),
}

type RequestFn = dyn Fn(CallView) -> BoxFuture<Option<Value>> + Send + Sync;
type ExecutionFn =
    dyn Fn(CallView, Next) -> BoxFuture<Result<Dispatched, MiddlewareError>> + Send + Sync;
/// What lies inside the innermost layer.
type Core = dyn Fn(Args) -> BoxFuture<Dispatched> + Send + Sync;

struct Layer<F: ?Sized> {
    owner: Arc<str>,
    call: Arc<F>,
}

// Derived, this would ask for a callback that can be cloned; the pointer to it is enough.
impl<F: ?Sized> Clone for Layer<F> {
    fn clone(&self) -> Self {
        Self { owner: Arc::clone(&self.owner), call: Arc::clone(&self.call) }
    }
}

/// All registered middleware. Reading takes no lock.
#[derive(Default)]
pub struct Middleware {
    requests: ArcSwap<Vec<Layer<RequestFn>>>,
    executions: ArcSwap<Vec<Layer<ExecutionFn>>>,
    writing: Mutex<()>,
}

impl Middleware {
    /// Adds request middleware. Returning `{"args": {…}}`, with optional `source`, `reason` and
    /// `name` for the trace, replaces the arguments; anything else leaves them.
    pub fn on_request<F>(
        &self,
        owner: impl Into<Arc<str>>,
        callback: impl Fn(CallView) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Option<Value>> + Send + 'static,
    {
        let call: Arc<RequestFn> = Arc::new(move |view| Box::pin(callback(view)));
        self.add(&self.requests, Layer { owner: owner.into(), call });
    }

    /// Adds execution middleware inside those already there.
    pub fn on_execution<F>(
        &self,
        owner: impl Into<Arc<str>>,
        callback: impl Fn(CallView, Next) -> F + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<Dispatched, MiddlewareError>> + Send + 'static,
    {
        let call: Arc<ExecutionFn> = Arc::new(move |view, next| Box::pin(callback(view, next)));
        self.add(&self.executions, Layer { owner: owner.into(), call });
    }

    fn add<L: Clone>(&self, layers: &ArcSwap<Vec<L>>, layer: L) {
        let _turn = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = Vec::clone(&layers.load());
        changed.push(layer);
        layers.store(Arc::new(changed));
    }

    pub(crate) fn has_requests(&self) -> bool {
        !self.requests.load().is_empty()
    }

    pub(crate) fn has_executions(&self) -> bool {
        !self.executions.load().is_empty()
    }

    /// Lets each request middleware in turn change the arguments. `accept` is told of every change
    /// (the pipeline coerces again there). Gives trace entries.
    pub(crate) async fn request(
        &self,
        mut view: CallView,
        accept: impl Fn(&mut Args),
    ) -> (Args, Vec<Value>) {
        let mut trace = Vec::new();
        for layer in self.requests.load_full().iter() {
            let call = AssertUnwindSafe(async { (layer.call)(view.clone()).await });
            let Ok(returned) = call.catch_unwind().await else {
                debug!(owner = %layer.owner, "request middleware panicked; arguments unchanged");
                continue;
            };
            let Some(Value::Object(mut returned)) = returned else { continue };
            let Some(Value::Object(args)) = returned.shift_remove("args") else { continue };
            view.args = args;
            accept(&mut view.args);
            trace.push(trace_entry(&returned));
        }
        (view.args, trace)
    }

    /// Runs `core` inside all layers.
    pub(crate) async fn execute(&self, view: CallView, core: Arc<Core>) -> Dispatched {
        inwards(self.executions.load_full(), 0, view, core).await
    }
}

fn trace_entry(returned: &Args) -> Value {
    let mut entry = Args::new();
    for key in ["source", "reason", "name"] {
        if let Some(text @ Value::String(_)) = returned.get(key) {
            entry.insert(key.into(), text.clone());
        }
    }
    if entry.is_empty() { json!({"source": "plugin"}) } else { Value::Object(entry) }
}

/// The way to the layers further in. Going there twice is an error; the first result stands.
pub struct Next {
    way: Arc<Way>,
}

struct Way {
    layers: Arc<Vec<Layer<ExecutionFn>>>,
    depth: usize,
    view: CallView,
    core: Arc<Core>,
    state: Mutex<Went>,
}

enum Went {
    NotYet,
    Inside,
    Back(Dispatched),
}

impl Next {
    /// Goes inwards, with other arguments if given.
    ///
    /// # Errors
    /// When this call has gone inwards before.
    pub async fn run(&self, args: Option<Args>) -> Result<Dispatched, MiddlewareError> {
        {
            let mut state = self.way.state();
            if !matches!(*state, Went::NotYet) {
                return Err(MiddlewareError::SecondNext);
            }
            *state = Went::Inside;
        }
        let mut view = self.way.view.clone();
        if let Some(args) = args {
            view.args = args;
        }
        let (layers, core) = (Arc::clone(&self.way.layers), Arc::clone(&self.way.core));
        let result = inwards(layers, self.way.depth + 1, view, core).await;
        *self.way.state() = Went::Back(result.clone());
        Ok(result)
    }
}

impl Way {
    fn state(&self) -> std::sync::MutexGuard<'_, Went> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn inwards(
    layers: Arc<Vec<Layer<ExecutionFn>>>,
    depth: usize,
    view: CallView,
    core: Arc<Core>,
) -> BoxFuture<Dispatched> {
    Box::pin(async move {
        let Some(layer) = layers.get(depth).cloned() else { return core(view.args).await };
        let way = Arc::new(Way { layers, depth, view, core, state: Mutex::new(Went::NotYet) });
        let next = Next { way: Arc::clone(&way) };
        let call = AssertUnwindSafe(async { (layer.call)(way.view.clone(), next).await });
        let problem = match call.catch_unwind().await {
            Ok(Ok(result)) => return result,
            Ok(Err(error)) => error.to_string(),
            Err(_) => "panicked".to_owned(),
        };
        warn!(owner = %layer.owner, %problem, "execution middleware failed and was passed over");
        let went = std::mem::replace(&mut *way.state(), Went::Inside);
        match went {
            Went::Back(result) => result,
            Went::NotYet => {
                let (layers, core) = (Arc::clone(&way.layers), Arc::clone(&way.core));
                inwards(layers, depth + 1, way.view.clone(), core).await
            }
            // The layer went inwards and dropped the call on its way: it must not run again.
            Went::Inside => Dispatched::error(format!(
                "middleware '{}' abandoned the call: {problem}",
                layer.owner
            )),
        }
    })
}

impl std::fmt::Debug for Middleware {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Middleware")
            .field("requests", &self.requests.load().len())
            .field("executions", &self.executions.load().len())
            .finish()
    }
}
