//! How a handler calls other tools.
//!
//! A tool that runs somebody's script, or that puts several tools together, must not reach their
//! handlers directly: hooks, approval and limits stand before those. Whoever runs a handler
//! therefore puts itself into the context as [`CallTools`], and a call made through it takes the
//! same way as a call of a model.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::{BoxFuture, ContextParts, Tool, ToolOutput};

/// Makes calls on behalf of a handler.
pub trait CallTools: Send + Sync {
    /// The tool of this name, if there is one.
    fn find(&self, name: &str) -> Option<Tool>;

    /// Makes a call, by the way that every call takes. Whatever happens, there is an answer.
    fn call(self: Arc<Self>, call: InnerCall) -> BoxFuture<ToolOutput>;
}

/// A call made by a handler.
#[derive(Clone)]
pub struct InnerCall {
    /// The tool's name.
    pub name: String,
    /// Its arguments.
    pub args: Value,
    /// Whose call it is; [`ToolContext::to_parts`](crate::ToolContext::to_parts) is the place to
    /// begin.
    pub context: ContextParts,
    /// How long the tool may take.
    pub time_limit: Option<Duration>,
}

impl std::fmt::Debug for InnerCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("InnerCall").field("name", &self.name).finish_non_exhaustive()
    }
}
