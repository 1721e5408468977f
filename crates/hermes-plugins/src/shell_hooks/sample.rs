//! Made-up events, to try hooks on.

use hermes_runtime::hooks::{HookEvent, PAYLOAD_VERSION, Payload};
use serde_json::{Value, json};

/// An event with every field a real one has, and values that show what goes where.
#[must_use]
pub fn sample_payload(event: HookEvent) -> Payload {
    let mut payload = Payload::new();
    for fields in fields(event) {
        if let Value::Object(fields) = fields {
            payload.extend(fields);
        }
    }
    payload.insert("telemetry_schema_version".into(), PAYLOAD_VERSION.into());
    payload
}

fn fields(event: HookEvent) -> Vec<Value> {
    match event {
        HookEvent::PreToolCall => vec![call(), json!({"middleware_trace": []})],
        HookEvent::PostToolCall => vec![call(), json!({"middleware_trace": []}), outcome()],
        HookEvent::TransformToolResult => vec![call(), outcome()],
        HookEvent::TransformTerminalOutput => vec![json!({
            "command": "echo hello", "output": "hello\n", "returncode": 0,
            "task_id": "sample-task", "env_type": "local",
        })],
        HookEvent::TransformLlmOutput => {
            vec![json!({"response_text": "Hello!"}), session(), model()]
        }
        HookEvent::PreLlmCall => vec![
            turn(),
            json!({
                "user_message": "Say hello.", "conversation_history": [], "is_first_turn": true,
            }),
            model(),
            json!({"sender_id": ""}),
        ],
        HookEvent::PostLlmCall => vec![
            turn(),
            json!({
                "user_message": "Say hello.", "assistant_response": "Hello!",
                "conversation_history": [],
            }),
            model(),
        ],
        HookEvent::PreVerify => vec![
            session(),
            model(),
            json!({
                "coding": true, "attempt": 0, "final_response": "Done.",
                "changed_paths": ["src/main.rs"],
            }),
        ],
        HookEvent::PreApiRequest => vec![request(), json!({"request": {"messages": []}})],
        HookEvent::PostApiRequest => vec![
            request(),
            json!({
                "response": {"content": "Hello!"}, "finish_reason": "stop", "duration_ms": 12,
                "usage": {"input_tokens": 10, "output_tokens": 2},
            }),
        ],
        HookEvent::ApiRequestError => vec![
            request(),
            json!({
                "status_code": 529, "retryable": true, "retry_count": 1, "max_retries": 3,
                "error": {"type": "overloaded", "message": "try again later"},
            }),
        ],
        HookEvent::OnSessionStart => vec![session(), model()],
        HookEvent::OnSessionEnd => {
            vec![turn(), json!({"completed": true, "interrupted": false}), model()]
        }
        HookEvent::OnSessionFinalize => {
            vec![session(), json!({"platform": "cli", "reason": "exit"})]
        }
        HookEvent::OnSessionReset => vec![
            session(),
            json!({
                "platform": "cli", "reason": "new", "old_session_id": "sample-session",
                "new_session_id": "sample-session-2",
            }),
        ],
        HookEvent::SubagentStart => {
            vec![
                child(),
                json!({"child_goal": "Count files.", "child_subagent_id": "sample-subagent"}),
            ]
        }
        HookEvent::SubagentStop => vec![
            child(),
            json!({"child_summary": "12 files.", "child_status": "completed", "duration_ms": 12}),
        ],
        HookEvent::PreGatewayDispatch => {
            vec![json!({"event": {"text": "hello"}, "gateway": {}, "session_store": {}})]
        }
        HookEvent::PreApprovalRequest => vec![approval()],
        HookEvent::PostApprovalResponse => {
            vec![approval(), json!({"choice": "once", "decided_by": "user"})]
        }
        HookEvent::KanbanTaskClaimed => vec![task()],
        HookEvent::KanbanTaskCompleted => vec![task(), json!({"summary": "Done."})],
        HookEvent::KanbanTaskBlocked => vec![task(), json!({"reason": "Waiting for an answer."})],
    }
}

fn session() -> Value {
    json!({"session_id": "sample-session"})
}

fn turn() -> Value {
    json!({"session_id": "sample-session", "task_id": "sample-task", "turn_id": "sample-turn"})
}

fn model() -> Value {
    json!({"model": "sample-model", "platform": "cli"})
}

fn call() -> Value {
    json!({
        "tool_name": "terminal", "args": {"command": "echo hello"}, "task_id": "sample-task",
        "session_id": "sample-session", "tool_call_id": "sample-call", "turn_id": "sample-turn",
        "api_request_id": "sample-request",
    })
}

fn outcome() -> Value {
    json!({
        "result": "{\"output\": \"hello\"}", "duration_ms": 12, "status": "ok",
        "error_type": null, "error_message": null,
    })
}

fn request() -> Value {
    json!({
        "session_id": "sample-session", "task_id": "sample-task", "turn_id": "sample-turn",
        "api_request_id": "sample-request", "model": "sample-model", "provider": "sample",
        "base_url": "https://example.invalid/v1", "api_mode": "chat_completions",
        "message_count": 1, "tool_count": 0,
    })
}

fn child() -> Value {
    json!({
        "parent_session_id": "sample-session", "parent_turn_id": "sample-turn",
        "child_session_id": "sample-child", "child_role": "worker",
    })
}

fn approval() -> Value {
    json!({
        "command": "rm -r build", "description": "recursive delete",
        "pattern_key": "recursive delete", "pattern_keys": ["recursive delete"],
        "session_key": "sample-session", "surface": "cli", "turn_id": "sample-turn",
        "tool_call_id": "sample-call",
    })
}

fn task() -> Value {
    json!({
        "task_id": "sample-task", "board": "default", "assignee": "default",
        "run_id": "sample-run", "profile_name": "default",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_has_a_sample_that_says_whom_it_is_about() {
        for event in HookEvent::ALL {
            let payload = sample_payload(*event);
            assert!(payload.len() > 2, "{event}");
            assert_eq!(payload["telemetry_schema_version"], PAYLOAD_VERSION, "{event}");
            assert_eq!(payload.contains_key("args"), payload.contains_key("tool_name"), "{event}");
            if event.is_about_a_tool() {
                assert_eq!(payload["tool_name"], "terminal", "{event}");
            }
        }
    }
}
