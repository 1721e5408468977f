use serde_json::{Value, json};

use super::*;

fn call(list: &mut TodoList, todos: Value, merge: bool) -> Value {
    let todos = serde_json::from_value(todos).unwrap();
    list.apply(if merge { TodoChange::Merge(todos) } else { TodoChange::Replace(todos) }).unwrap()
}

fn contents(answer: &Value) -> Vec<String> {
    let items = answer["todos"].as_array().unwrap();
    items
        .iter()
        .map(|item| {
            let word = |key: &str| item[key].as_str().unwrap().to_owned();
            format!("{} {} {}", word("id"), word("content"), word("status"))
        })
        .collect()
}

#[test]
fn a_list_is_written_read_and_counted() {
    let mut list = TodoList::default();
    let todos = json!([
        {"id": "a", "content": " look ", "status": " In_Progress "},
        {"id": 7, "content": "act", "status": "someday"},
    ]);
    let written = call(&mut list, todos, false);
    assert_eq!(contents(&written), ["a look in_progress", "7 act pending"]);
    assert_eq!(
        written["summary"],
        json!({"total": 2, "pending": 1, "in_progress": 1, "completed": 0, "cancelled": 0})
    );
    assert_eq!(list.apply(TodoChange::Read).unwrap(), written);
}

#[test]
fn items_without_ids_each_get_one() {
    let todos =
        json!([{"content": "x"}, {"id": "1", "content": "y"}, {"id": " ", "content": null}]);
    let answer = call(&mut TodoList::default(), todos, false);
    assert_eq!(contents(&answer), ["2 x pending", "1 y pending", "3 (no description) pending"]);
}

#[test]
fn of_two_items_of_one_id_the_later_counts_at_its_place() {
    let todos = json!([{"id": "a", "content": "1"}, {"id": "b", "content": "2"}, {"id": "a", "content": "3"}]);
    let answer = call(&mut TodoList::default(), todos, false);
    assert_eq!(contents(&answer), ["b 2 pending", "a 3 pending"]);
}

#[test]
fn what_is_no_item_is_reported_and_harms_no_other() {
    let mut list = TodoList::default();
    let answer = call(&mut list, json!(["buy milk", {"id": "a", "content": "x"}]), false);
    assert_eq!(contents(&answer), ["1 (invalid item) pending", "a x pending"]);
    assert!(answer["warnings"][0].as_str().unwrap().starts_with("item 1 is no object"), "{answer}");
    let answer =
        call(&mut list, json!([null, {"content": "no id"}, {"id": "a", "content": "y"}]), true);
    assert_eq!(contents(&answer), ["1 (invalid item) pending", "a y pending"]);
    assert_eq!(answer["warnings"].as_array().unwrap().len(), 2);
}

#[test]
fn merging_changes_only_what_is_given_and_appends_the_rest() {
    let mut list = TodoList::default();
    call(&mut list, json!([{"id": "a", "content": "x", "status": "in_progress"}]), false);
    let more =
        json!([{"id": "a", "status": "completed", "content": " "}, {"id": "b", "content": "y"}]);
    assert_eq!(contents(&call(&mut list, more, true)), ["a x completed", "b y pending"]);
}

#[test]
fn an_unknown_status_in_a_merge_is_an_error_and_changes_nothing() {
    let mut list = TodoList::default();
    call(&mut list, json!([{"id": "a", "content": "x"}]), false);
    let before = list.clone();
    let todos = serde_json::from_value(
        json!([{"id": "b", "content": "y"}, {"id": "a", "status": "doing"}]),
    );
    let error = list.apply(TodoChange::Merge(todos.unwrap())).unwrap_err();
    assert!(error.message().contains("`doing`"), "{error}");
    assert_eq!(list, before);
}

#[test]
fn caps_are_kept_and_said() {
    let mut list = TodoList::default();
    let todos: Vec<Value> =
        (0..MAX_ITEMS + 2).map(|n| json!({"id": n, "content": "é".repeat(5_000)})).collect();
    let answer = call(&mut list, todos.into(), false);
    assert_eq!(list.items().len(), MAX_ITEMS);
    assert_eq!(list.items()[0].content.chars().count(), 4_000);
    assert!(list.items()[0].content.ends_with("… [truncated]"));
    assert!(
        answer["warnings"][0].as_str().unwrap().contains("the last 2 were dropped"),
        "{answer}"
    );
}

#[test]
fn a_stored_answer_is_read_whatever_was_added_behind_it() {
    let answer =
        r#"{"todos":[{"id":"a","content":"new","status":"completed"}]} [Tool loop warning: x]"#;
    assert_eq!(TodoList::from_answer(answer).unwrap().items()[0].content, "new");
    assert_eq!(TodoList::from_answer(r#"{"error":"no"}"#), None);
    let huge = format!(r#"{{"todos":[],"x":"{}"}}"#, "y".repeat(MAX_STORED_CHARS));
    assert_eq!(TodoList::from_answer(&huge), None);
}

#[test]
fn open_steps_survive_a_compaction_as_a_note() {
    let mut list = TodoList::default();
    let todos = json!([
        {"id": "a", "content": "first\nline (of two). Yes", "status": "in_progress"},
        {"id": "b", "content": "done", "status": "completed"},
        {"id": "c", "content": "later"},
    ]);
    call(&mut list, todos, false);
    let note = list.note().unwrap();
    assert_eq!(
        note.lines().skip(1).collect::<Vec<_>>(),
        ["- [>] a. first line (of two). Yes (in_progress)", "- [ ] c. later (pending)"]
    );
    let message = format!("Summary…\n\n{note}\n[End]\n\ngo on");
    let again = TodoList::from_note(&message).unwrap();
    assert_eq!(again.note(), Some(note));
    assert_eq!(TodoList::default().note(), None);
}
