//! `todo`: the steps of the task at hand.

use std::sync::{Mutex, PoisonError};

use hermes_tool::{CallDisplay, ResultView, ShownCall, State, ToolError, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::list::{MAX_CONTENT_CHARS, MAX_ITEMS, TodoChange, TodoList, TodoStatus};

/// The tool's name, by which its answers are found in a history.
pub const NAME: &str = "todo";

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

#[tool(
    toolset = "todo",
    emoji = "📋",
    effects(reads, writes, agent_state),
    upkeep,
    newest_result_kept,
    display = CallDisplay::verb("plan").detail(progress).view(ResultView::Checklist),
    description = include_str!("todo.md")
)]
fn todo(args: Todo, list: State<Mutex<TodoList>>) -> Result<Value, ToolError> {
    let change = match (args.todos, args.merge.unwrap_or(false)) {
        (None, _) => TodoChange::Read,
        (Some(items), false) => TodoChange::Replace(items),
        (Some(items), true) => TodoChange::Merge(items),
    };
    list.lock().unwrap_or_else(PoisonError::into_inner).apply(change)
}

/// How far the list is: from its summary, or from what is about to be written.
fn progress(call: &ShownCall<'_>) -> String {
    let summary = call.result.and_then(|result| result.get("summary"));
    let number = |key: &str| summary.and_then(|summary| summary.get(key)).and_then(Value::as_u64);
    match (number("completed"), number("total")) {
        (Some(done), Some(total)) if done > 0 => format!("{done}/{total} done"),
        (_, Some(total)) => tasks(total),
        _ if call.has("todos") => tasks(call.list("todos").len() as u64),
        _ => String::new(),
    }
}

fn tasks(count: u64) -> String {
    format!("{count} task{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hermes_runtime::coerce::{CoercionMode, coerce};
    use hermes_tool::read_arguments;
    use serde_json::json;

    use super::*;

    #[test]
    fn calls_of_one_session_work_on_one_list() {
        let list = State::from(Arc::new(Mutex::new(TodoList::default())));
        let args = |value: Value| serde_json::from_value::<Todo>(value).unwrap();
        let item = json!({"id": "a", "content": "look"});
        let written = todo(args(json!({"todos": [item]})), list.clone()).unwrap();
        assert_eq!(todo(args(json!({})), list.clone()).unwrap(), written);
        let done = json!({"todos": [{"id": "a", "status": "completed"}], "merge": true});
        let merged = todo(args(done), list).unwrap();
        assert_eq!(merged["summary"]["completed"], 1);
    }

    #[test]
    fn a_list_in_a_string_and_a_word_for_no_are_understood() {
        let tool = todo_tool();
        let Value::Object(mut args) =
            json!({"todos": "[{\"id\":\"a\",\"content\":\"x\"}]", "merge": "false"})
        else {
            panic!()
        };
        coerce(&mut args, tool.parameters(), CoercionMode::default());
        let args: Todo = read_arguments(args).unwrap();
        assert_eq!((args.todos.as_ref().map(Vec::len), args.merge), (Some(1), Some(false)));
    }

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
        assert_eq!(&**tool.name(), NAME);
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
