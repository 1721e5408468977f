//! A conversation from the record, as the editor would have heard of it.

use agent_client_protocol::v1::schema::{
    SessionUpdate, ToolCall, ToolCallId, ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields,
};
use hermes_llm::{Message, Role};
use hermes_runtime::registry::Registry;
use serde_json::Value;

use crate::front::chunk;
use crate::tool_calls;

/// The updates that tell it.
pub(crate) fn updates(
    messages: &[Message],
    registry: &Registry,
    cwd: &std::path::Path,
) -> Vec<SessionUpdate> {
    let mut told = Vec::new();
    for message in messages {
        let text = message.text().into_owned();
        match message.role {
            Role::User if !text.trim().is_empty() => {
                told.push(SessionUpdate::UserMessageChunk(chunk(text)));
            }
            Role::Assistant => {
                if !text.trim().is_empty() {
                    told.push(SessionUpdate::AgentMessageChunk(chunk(text)));
                }
                for call in &message.tool_calls {
                    let args: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
                    let title = tool_calls::title(registry, &call.name, &args);
                    let shown = ToolCall::new(ToolCallId::new(call.id.clone()), title)
                        .kind(tool_calls::kind(registry, &call.name))
                        .status(ToolCallStatus::Completed)
                        .content(tool_calls::changes(&args, cwd, |_| None))
                        .locations(tool_calls::locations(&args, cwd))
                        .raw_input(args);
                    told.push(SessionUpdate::ToolCall(shown));
                }
            }
            Role::Tool => {
                if let Some(id) = &message.tool_call_id {
                    let fields = ToolCallUpdateFields::new()
                        .status(ToolCallStatus::Completed)
                        .content(vec![tool_calls::shown_result(&text).into()]);
                    let update = ToolCallUpdate::new(ToolCallId::new(id.clone()), fields);
                    told.push(SessionUpdate::ToolCallUpdate(update));
                }
            }
            _ => {}
        }
    }
    told
}
