//! What the agent-level tools share: their arguments for the agent, their answer without one.
//!
//! `todo`, `memory`, `session_search`, `delegate_task` and `clarify` work on the state of a
//! conversation: its list, its notes, its history, its children, its user; `mixture_of_agents` asks
//! with its models. Their files declare what the model sees. The work is done by the agent, which takes a call with the effect `agent-state`
//! before the handler runs and reads the arguments with the types exported here, so that what is
//! promised and what is read cannot drift apart:
//!
//! ```
//! use hermes_tools::agent_level::Clarify;
//! # let serde_json::Value::Object(args) = serde_json::json!({"question": "Which one?"}) else { panic!() };
//! let clarify: Clarify = hermes_tool::read_arguments(args)?;
//! assert_eq!(clarify.question, "Which one?");
//! # Ok::<(), hermes_tool::ToolError>(())
//! ```
//!
//! A program without an agent still lists these tools; a call gets the one answer of
//! `needs_agent`, whatever its arguments.

use std::borrow::Cow;
use std::marker::PhantomData;

use hermes_tool::{ToolError, ToolResult};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserialize, Deserializer, IgnoredAny};

pub use crate::clarify::clarify::{Clarify, MAX_CHOICES};
pub use crate::delegation::delegate_task::{ChildRole, DelegateTask, DelegatedTask};
pub use crate::delegation::limits::DelegationLimits;
pub use crate::memory::memory::{Memory, MemoryAction, MemoryOperation, MemoryTarget};
pub use crate::moa::mixture_of_agents::MixtureOfAgents;
pub use crate::moa::settings::{Fanout, MoaSettings, ModelRef};
pub use crate::session_search::session_search::{
    DEFAULT_HITS, DEFAULT_WINDOW, HitOrder, MAX_HITS, MAX_WINDOW, SessionSearch,
};
pub use crate::todo::todo::{MAX_CONTENT_CHARS, MAX_ITEMS, Todo, TodoItem, TodoStatus};

/// The answer of an agent-level tool where there is no agent.
pub(crate) fn needs_agent(tool: &str) -> ToolResult {
    Err(ToolError::needs_agent(tool))
}

/// Arguments that are declared here and read by the agent: has the schema of `T` and takes
/// anything, so that a call without an agent is told so and not that its arguments are wrong.
pub(crate) struct ForAgent<T>(PhantomData<T>);

impl<'de, T> Deserialize<'de> for ForAgent<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer)?;
        Ok(Self(PhantomData))
    }
}

impl<T: JsonSchema> JsonSchema for ForAgent<T> {
    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use hermes_tool::{Effect, Handler, Tool, ToolContext, linked_tools};
    use serde_json::{Value, json};

    use super::*;

    fn agent_level_tools() -> Vec<Tool> {
        linked_tools()
            .into_iter()
            .map(|(_, tool)| tool)
            .filter(|tool| tool.effects().has(Effect::AgentState))
            .collect()
    }

    fn answer(tool: &Tool, args: Value) -> ToolError {
        let (Handler::Sync(run), Value::Object(args)) = (tool.handler(), args) else {
            panic!("an object for a sync handler")
        };
        run(args, &ToolContext::default()).unwrap_err()
    }

    #[test]
    fn follow_agent_level_tools_include_clarify() {
        let names: Vec<String> =
            agent_level_tools().iter().map(|tool| tool.name().to_string()).collect();
        for name in ["todo", "memory", "session_search", "delegate_task", "clarify"] {
            assert!(names.iter().any(|other| other == name), "{name}");
        }
    }

    #[test]
    fn each_says_that_it_needs_an_agent_whatever_the_arguments() {
        for tool in agent_level_tools() {
            for args in [json!({}), json!({"question": 7, "todos": "[", "nobody": null})] {
                let expected = format!("{} must be handled by the agent loop", tool.name());
                assert_eq!(answer(&tool, args), ToolError::answer(expected));
            }
        }
    }

    #[test]
    fn only_searching_and_asking_models_may_run_beside_other_calls() {
        let plan: Vec<(String, bool)> = agent_level_tools()
            .iter()
            .map(|tool| (tool.name().to_string(), tool.effects().is_read_only()))
            .collect();
        assert_eq!(
            plan,
            [
                ("clarify".to_owned(), false),
                ("delegate_task".to_owned(), false),
                ("memory".to_owned(), false),
                ("mixture_of_agents".to_owned(), true),
                ("session_search".to_owned(), true),
                ("todo".to_owned(), false),
            ]
        );
    }
}
