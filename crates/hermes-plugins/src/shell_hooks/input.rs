//! What a hook reads on its standard input.

use std::path::Path;

use hermes_runtime::hooks::{HookEvent, Payload};
use serde_json::{Map, Value};

/// The event as one JSON object.
pub(super) fn input(event: HookEvent, payload: &Payload, cwd: &Path) -> Map<String, Value> {
    let mut extra = payload.clone();
    let tool_name = extra.shift_remove("tool_name").unwrap_or_default();
    let args = extra.shift_remove("args").filter(Value::is_object).unwrap_or_default();
    let mut session = extra.shift_remove("session_id").unwrap_or_default();
    if is_blank(&session) && extra.get("parent_session_id").is_some_and(|id| !is_blank(id)) {
        session = extra.shift_remove("parent_session_id").unwrap_or_default();
    }
    if is_blank(&session) {
        session = "".into();
    }

    let mut input = Map::new();
    input.insert("hook_event_name".into(), event.name().into());
    input.insert("tool_name".into(), tool_name);
    input.insert("tool_input".into(), args);
    input.insert("session_id".into(), session);
    input.insert("cwd".into(), cwd.to_string_lossy().into());
    input.insert("extra".into(), extra.into());
    input
}

fn is_blank(id: &Value) -> bool {
    id.as_str().is_none_or(str::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(event: HookEvent, payload: &Value) -> Value {
        let payload = payload.as_object().unwrap();
        Value::Object(input(event, payload, Path::new("/srv/project")))
    }

    #[test]
    fn known_fields_come_first_and_the_rest_is_extra() {
        let payload = json!({
            "tool_name": "terminal", "args": {"command": "ls"}, "session_id": "s1",
            "task_id": "t", "middleware_trace": [],
        });
        assert_eq!(
            of(HookEvent::PreToolCall, &payload),
            json!({
                "hook_event_name": "pre_tool_call", "tool_name": "terminal",
                "tool_input": {"command": "ls"}, "session_id": "s1", "cwd": "/srv/project",
                "extra": {"task_id": "t", "middleware_trace": []},
            })
        );
    }

    #[test]
    fn what_an_event_lacks_is_null_or_empty() {
        assert_eq!(
            of(HookEvent::KanbanTaskClaimed, &json!({"session_id": null})),
            json!({
                "hook_event_name": "kanban_task_claimed", "tool_name": null, "tool_input": null,
                "session_id": "", "cwd": "/srv/project", "extra": {},
            })
        );
    }

    #[test]
    fn the_parents_session_stands_in_only_where_there_is_no_other() {
        let start =
            of(HookEvent::SubagentStart, &json!({"parent_session_id": "p", "session_id": ""}));
        assert_eq!((&start["session_id"], &start["extra"]), (&json!("p"), &json!({})));
        let both =
            of(HookEvent::SubagentStart, &json!({"parent_session_id": "p", "session_id": "s"}));
        assert_eq!(both["session_id"], "s");
        assert_eq!(both["extra"], json!({"parent_session_id": "p"}));
    }
}
