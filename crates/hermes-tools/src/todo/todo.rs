//! `todo`: the steps of the task at hand.

use std::sync::{Mutex, PoisonError};

use hermes_tool::{CallDisplay, ResultView, ShownCall, State, ToolError, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::list::{MAX_CONTENT_CHARS, MAX_ITEMS, TodoChange, TodoList, TodoStatus, given_items};

/// The tool's name, by which its answers are found in a history.
pub const NAME: &str = "todo";

/// Arguments of `todo`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Todo {
    // Taken as it comes: the list mends or refuses what it is given, and is the one to say that it was kept.
    /// The items to write, most important first. Leave out to read the list.
    #[schemars(with = "Option<Vec<TodoItem>>", length(max = MAX_ITEMS))]
    pub todos: Option<Value>,
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
    let items = args.todos.map(given_items).transpose()?;
    let change = match (items, args.merge.unwrap_or(false)) {
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
        let items = given_items(args.todos.unwrap()).unwrap();
        assert_eq!((items.len(), args.merge), (1, Some(false)));
    }

    #[test]
    fn items_of_any_shape_reach_the_list() {
        let args = json!({"todos": ["buy milk", {"id": 7}, null], "merge": null, "extra": 1});
        let todo: Todo = serde_json::from_value(args).unwrap();
        assert_eq!(given_items(todo.todos.unwrap()).unwrap().len(), 3);
        assert_eq!(todo.merge, None);
    }

    /// A model whose text was cut wrote a list that cannot be read; the plan it had was gone after that.
    #[test]
    fn a_list_of_the_wrong_shape_is_refused_and_the_plan_kept() {
        let list = State::from(Arc::new(Mutex::new(TodoList::default())));
        let tool = todo_tool();
        let call = |value: Value| {
            let Value::Object(mut args) = value else { panic!() };
            coerce(&mut args, tool.parameters(), CoercionMode::default());
            todo(read_arguments(args)?, list.clone())
        };
        call(json!({"todos": [{"id": "a", "content": "look"}, {"id": "b"}]})).unwrap();
        for todos in [
            json!("[{\"id\":\"a\",\"content\":\"lo"),
            json!("[{\"id\":\"a\"},"),
            json!("[{\"id\":\"a\"}"),
            json!("{\"todos\": ["),
            json!("buy milk"),
            json!(["[{\"id\":\"a\""]),
            json!(["buy milk", "and bread"]),
            json!([null]),
            json!([["a", "b"]]),
            json!(7),
            json!(true),
        ] {
            for merge in [false, true] {
                let answer = call(json!({"todos": todos, "merge": merge}));
                let refused = answer.unwrap_err().to_string();
                assert!(
                    refused.contains("kept") && !refused.contains("struct"),
                    "{todos}: {refused}"
                );
                assert_eq!(call(json!({})).unwrap()["summary"]["total"], 2, "{todos}");
            }
        }
        // Blank text is no list; whether it is refused or taken for nothing at all, the plan stays.
        for blank in ["", "  "] {
            let _ = call(json!({"todos": blank}));
            assert_eq!(call(json!({})).unwrap()["summary"]["total"], 2);
        }
        // An empty list is meant.
        assert_eq!(call(json!({"todos": []})).unwrap()["summary"]["total"], 0);
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
