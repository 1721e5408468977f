//! `todo`: the steps of the task at hand.

use hermes_tool::{ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::agent_level::{ForAgent, needs_agent};

/// Items a list holds; what comes after is dropped, and the answer says so.
pub const MAX_ITEMS: usize = 256;
/// Characters of one item, the mark of a cut included.
pub const MAX_CONTENT_CHARS: usize = 4_000;

/// Arguments of `todo`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Todo {
    // Taken as they come: the list mends or reports each item for itself.
    /// The items to write, most important first. Leave out to read the list.
    #[schemars(with = "Option<Vec<TodoItem>>", length(max = MAX_ITEMS))]
    pub todos: Option<Vec<Value>>,
    /// `true` changes items of the same id and appends new ones; `false` replaces the list.
    #[schemars(extend("default" = false))]
    pub merge: Option<bool>,
}

/// One step.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct TodoItem {
    /// Short name of the item, unique in the list.
    pub id: String,
    /// What is to be done. May be left out when merging.
    #[schemars(length(max = MAX_CONTENT_CHARS))]
    pub content: Option<String>,
    /// How far it is. May be left out when merging.
    pub status: Option<TodoStatus>,
}

/// How far a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words say it, to the model as well")]
pub enum TodoStatus {
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

#[tool(
    toolset = "todo",
    emoji = "📋",
    effects(reads, writes, agent_state),
    description = include_str!("todo.md")
)]
fn todo(_: ForAgent<Todo>) -> ToolResult {
    needs_agent("todo")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn items_of_any_shape_reach_the_list() {
        let args = json!({"todos": ["buy milk", {"id": 7}, null], "merge": null, "extra": 1});
        let todo: Todo = serde_json::from_value(args).unwrap();
        assert_eq!(todo.todos.map(|items| items.len()), Some(3));
        assert_eq!(todo.merge, None);
    }

    #[test]
    fn the_model_is_shown_the_shape_of_an_item() {
        let tool = todo_tool();
        let todos = &tool.parameters()["properties"]["todos"];
        assert_eq!(todos["type"], "array");
        assert_eq!(todos["maxItems"], 256);
        assert_eq!(
            todos["items"]["properties"]["status"]["enum"],
            json!(["pending", "in_progress", "completed", "cancelled"])
        );
        assert_eq!(todos["items"]["required"], json!(["id"]));
        assert_eq!(tool.parameters()["required"], Value::Null);
    }
}
