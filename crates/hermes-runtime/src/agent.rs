//! The seam to an agent: who answers tools that work on the agent's own state.
//!
//! Tools such as `todo` or `delegate_task` are declared like any other and carry the effect
//! `agent-state`. They take the same way through coercion, middleware, hooks and limits; only the
//! innermost step differs: it goes to the agent, if the caller brought one in its services.

use hermes_tool::{Args, BoxFuture, ToolContext, ToolResult};

/// An agent that answers agent-level tools.
pub trait AgentHandler: Send + Sync {
    /// Runs one call.
    fn handle(&self, tool: &str, args: Args, cx: ToolContext) -> BoxFuture<ToolResult>;
}

/// The service under which a call finds its agent.
pub struct AgentTools(Box<dyn AgentHandler>);

impl AgentTools {
    /// Wraps an agent for `Services::with`.
    pub fn new(agent: impl AgentHandler + 'static) -> Self {
        Self(Box::new(agent))
    }

    pub(crate) fn handle(&self, tool: &str, args: Args, cx: ToolContext) -> BoxFuture<ToolResult> {
        self.0.handle(tool, args, cx)
    }
}

impl std::fmt::Debug for AgentTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AgentTools")
    }
}
