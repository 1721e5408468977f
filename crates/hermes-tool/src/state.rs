//! What a tool works on, found by type among the services of the call.
//!
//! Most tools work on their arguments. Some work on something that the host keeps: a list, a store,
//! an agent that can start others. They name it in their signature, `State<T>`, and get it:
//!
//! ```
//! use std::sync::{Arc, Mutex};
//!
//! use hermes_tool::{ContextParts, Handler, Services, State, ToolContext, ToolError, tool};
//!
//! /// What the host keeps between two calls.
//! #[derive(Default)]
//! pub struct Notebook(Mutex<Vec<String>>);
//!
//! /// Count the notes.
//! #[tool(toolset = "notes", effects(reads))]
//! fn count_notes(notebook: State<Notebook>) -> Result<String, ToolError> {
//!     Ok(notebook.0.lock().map_err(|_| ToolError::answer("spoiled"))?.len().to_string())
//! }
//! # let tool = count_notes_tool();
//! # let Handler::Sync(run) = tool.handler() else { panic!() };
//! // The host brings it …
//! let services = Services::default().with(Arc::new(Notebook::default()));
//! let cx: ToolContext = ContextParts { services, ..ContextParts::default() }.into();
//! assert!(run(Default::default(), &cx).is_ok());
//! // … and where it does not, the model is told so, whatever the arguments.
//! assert!(run(Default::default(), &ToolContext::default()).is_err());
//! # assert_eq!(tool.states()[0].name(), std::any::type_name::<Notebook>());
//! ```
//!
//! `T` may be a trait (`State<dyn Delegation>`): the tool says what it needs done and whoever can do
//! it implements the trait. The types are recorded in the tool ([`StateType`]), so that a host can
//! compare them with what it brings before anything is called.

use std::any::{TypeId, type_name};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::{Services, ToolContext};

/// A parameter of a tool function: something the host keeps, shared with everybody who works on it.
pub struct State<T: ?Sized>(Arc<T>);

impl<T: ?Sized + Send + Sync + 'static> State<T> {
    /// The state of this type that the call brings, if it brings one.
    #[must_use]
    pub fn of(cx: &ToolContext) -> Option<Self> {
        cx.service().map(Self)
    }

    /// Keeps it beyond the call, for work that is moved to another thread.
    #[must_use]
    pub fn shared(&self) -> Arc<T> {
        Arc::clone(&self.0)
    }
}

impl<T: ?Sized> From<Arc<T>> for State<T> {
    fn from(state: Arc<T>) -> Self {
        Self(state)
    }
}

impl<T: ?Sized> Deref for State<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized> Clone for State<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T: ?Sized> fmt::Debug for State<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "State<{}>", type_name::<T>())
    }
}

/// The type of a state that a tool cannot work without.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct StateType {
    id: TypeId,
    name: &'static str,
}

impl StateType {
    /// Describes a type; the expansion of `#[tool]` does so for each `State` parameter.
    #[must_use]
    pub fn of<T: ?Sized + 'static>() -> Self {
        Self { id: TypeId::of::<T>(), name: type_name::<T>() }
    }

    /// The Rust path of the type, for messages to whoever builds the host.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether these services hold a state of the type.
    #[must_use]
    pub fn is_in(&self, services: &Services) -> bool {
        services.holds(self.id)
    }
}

impl fmt::Debug for StateType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
