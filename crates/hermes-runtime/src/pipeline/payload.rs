//! The fields hooks see about a call.

use std::time::Duration;

use hermes_tool::{Args, ToolOutput};
use serde_json::{Value, json};

use crate::call::{ToolCall, Verdict};
use crate::hooks::Payload;

/// What every event about a call carries.
pub(crate) fn call_payload(call: &ToolCall, args: &Args) -> Payload {
    let ids = &call.context.ids;
    let mut payload = Payload::new();
    payload.insert("tool_name".into(), call.name.as_str().into());
    payload.insert("args".into(), Value::Object(args.clone()));
    for (key, id) in [
        ("task_id", &ids.task_id),
        ("session_id", &ids.session_id),
        ("tool_call_id", &ids.tool_call_id),
        ("turn_id", &ids.turn_id),
        ("api_request_id", &ids.api_request_id),
    ] {
        payload.insert(key.into(), id.as_str().into());
    }
    payload.insert("middleware_trace".into(), Value::Array(call.trace.clone()));
    payload
}

/// The same with the result.
pub(crate) fn result_payload(
    call: &ToolCall,
    args: &Args,
    output: &ToolOutput,
    verdict: &Verdict,
    duration: Duration,
) -> Payload {
    let mut payload = call_payload(call, args);
    payload.insert("result".into(), output.to_value());
    let milliseconds = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    payload.insert("duration_ms".into(), milliseconds.into());
    payload.insert("status".into(), verdict.status.name().into());
    payload.insert("error_type".into(), json!(verdict.error_type));
    payload.insert("error_message".into(), json!(verdict.message));
    payload
}
