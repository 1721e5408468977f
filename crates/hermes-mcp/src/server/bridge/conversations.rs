//! Reading conversations.

use hermes_sessions::{
    Content, ListFilter, MessageRow, SessionDatabase, SessionSummary, SessionsError,
};
use hermes_tool::{Args, Effect, Effects, Tool, ToolError, ToolOutput, ToolResult};
use serde_json::{Value, json};

use super::{BRIDGE_TOOLSET, Redact};

/// The longest text of a message, in characters.
const MAX_CHARS: usize = 2000;
/// How many things are listed unless asked otherwise, and at most.
const USUAL_LIMIT: u64 = 50;
const MAX_LIMIT: u64 = 200;
/// What stands before the path of a file in a message.
const MEDIA_TAG: &str = "MEDIA:";

pub(super) fn tools(store: &SessionDatabase, redact: Redact) -> Vec<Tool> {
    type Look = fn(&SessionDatabase, Redact, &Args) -> ToolResult;
    let tool =
        |name: &'static str, about: &str, properties: Value, required: &[&str], look: Look| {
            let store = store.clone();
            Tool::builder(name, BRIDGE_TOOLSET)
                .description(about)
                .parameters(
                    json!({"type": "object", "properties": properties, "required": required}),
                )
                .effects(Effects::NONE.with(Effect::Reads))
                .handler(move |args, _| look(&store, redact, &args))
        };
    let key = json!({"type": "string", "description": "The conversation, from conversations_list"});
    let limit =
        json!({"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": USUAL_LIMIT});
    vec![
        tool(
            "conversations_list",
            "List conversations with Hermes, the newest activity first.",
            json!({"platform": {"type": "string", "description": "Only those from here, such as cli"},
                "limit": limit,
                "search": {"type": "string", "description": "Only those whose title or beginning has this text"}}),
            &[],
            list,
        ),
        tool(
            "conversation_get",
            "Show one conversation: where it came from, its times and its token counts.",
            json!({"session_key": key}),
            &["session_key"],
            get,
        ),
        tool(
            "messages_read",
            "Read the last messages of a conversation, the oldest of them first.",
            json!({"session_key": key, "limit": limit}),
            &["session_key"],
            read,
        ),
        tool(
            "attachments_fetch",
            "List the pictures and files that a message carries.",
            json!({"session_key": key, "message_id": {"type": "integer"}}),
            &["session_key", "message_id"],
            attachments,
        ),
    ]
}

/// The argument `limit`, within its bounds.
pub(super) fn limit(args: &Args, usual: u64) -> usize {
    let wanted = args.get("limit").and_then(Value::as_u64).unwrap_or(usual);
    usize::try_from(wanted.clamp(1, MAX_LIMIT)).unwrap_or(usize::MAX)
}

fn failed(why: &SessionsError) -> ToolError {
    ToolError::answer(format!("the conversations cannot be read: {why}"))
}

fn key(args: &Args) -> &str {
    args.get("session_key").and_then(Value::as_str).unwrap_or_default()
}

fn unknown(args: &Args) -> ToolError {
    ToolError::answer(format!("there is no conversation `{}`", key(args)))
        .with("hint", "conversations_list lists them")
}

fn list(store: &SessionDatabase, redact: Redact, args: &Args) -> ToolResult {
    let text = |name: &str| args.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let filter =
        ListFilter { source: text("platform").map(str::to_owned), ..ListFilter::default() };
    let wanted = text("search").map(str::to_lowercase);
    let found: Vec<Value> = store
        .list(&filter)
        .map_err(|why| failed(&why))?
        .iter()
        .filter(|session| wanted.as_ref().is_none_or(|wanted| mentions(session, wanted)))
        .take(limit(args, USUAL_LIMIT))
        .map(|session| summary(session, redact))
        .collect();
    ToolOutput::json(&json!({"count": found.len(), "conversations": found}))
}

fn mentions(session: &SessionSummary, wanted: &str) -> bool {
    let title = session.title.as_deref().unwrap_or_default();
    [title, &session.preview, &session.id].iter().any(|text| text.to_lowercase().contains(wanted))
}

fn summary(session: &SessionSummary, redact: Redact) -> Value {
    let title = session.title.as_deref().map(redact);
    let shown = title.clone().unwrap_or_else(|| redact(&session.preview));
    json!({
        "session_key": session.id,
        "session_id": session.id,
        "platform": session.source,
        "chat_type": "dm",
        "display_name": shown,
        "chat_name": title,
        "user_name": null,
        "updated_at": session.last_active,
    })
}

fn get(store: &SessionDatabase, redact: Redact, args: &Args) -> ToolResult {
    let row = store.get(key(args)).map_err(|why| failed(&why))?.ok_or_else(|| unknown(args))?;
    ToolOutput::json(&json!({
        "session_key": row.id,
        "session_id": row.id,
        "platform": row.source,
        "chat_type": "dm",
        "display_name": row.title.as_deref().map(redact),
        "user_id": row.user_id,
        "model": row.model,
        "cwd": row.cwd,
        "created_at": row.started_at,
        "ended_at": row.ended_at,
        "message_count": row.message_count,
        "tool_call_count": row.tool_call_count,
        "input_tokens": row.input_tokens,
        "output_tokens": row.output_tokens,
        "cache_read_tokens": row.cache_read_tokens,
        "cache_write_tokens": row.cache_write_tokens,
        "total_tokens": row.input_tokens + row.output_tokens,
    }))
}

fn read(store: &SessionDatabase, redact: Redact, args: &Args) -> ToolResult {
    if store.get(key(args)).map_err(|why| failed(&why))?.is_none() {
        return Err(unknown(args));
    }
    let all = store.messages(key(args)).map_err(|why| failed(&why))?;
    let said: Vec<&MessageRow> = all.iter().filter(|message| is_said(message)).collect();
    let from = said.len().saturating_sub(limit(args, USUAL_LIMIT));
    let messages: Vec<Value> = said[from..].iter().map(|message| shown(message, redact)).collect();
    ToolOutput::json(&json!({
        "session_key": key(args),
        "count": messages.len(),
        "total_in_session": said.len(),
        "messages": messages,
    }))
}

/// What a person or the model said to the other.
pub(super) fn is_said(message: &MessageRow) -> bool {
    let has_words = message.content.as_ref().is_some_and(|content| !content.text().is_empty());
    matches!(message.role.as_str(), "user" | "assistant") && has_words
}

/// A message for others.
pub(super) fn shown(message: &MessageRow, redact: Redact) -> Value {
    let text = message.content.as_ref().map(Content::text).unwrap_or_default();
    let content: String = redact(&text).chars().take(MAX_CHARS).collect();
    json!({
        "id": message.id,
        "role": message.role,
        "content": content,
        "timestamp": message.timestamp,
    })
}

fn attachments(store: &SessionDatabase, _: Redact, args: &Args) -> ToolResult {
    let wanted = args.get("message_id").and_then(Value::as_i64);
    let all = store.messages(key(args)).map_err(|why| failed(&why))?;
    let message = all.iter().find(|message| Some(message.id) == wanted).ok_or_else(|| {
        ToolError::answer("there is no such message").with("hint", "messages_read lists them")
    })?;
    let mut found = Vec::new();
    if let Some(Content::Json(Value::Array(parts))) = &message.content {
        found.extend(parts.iter().filter_map(picture));
    }
    let text = message.content.as_ref().map(Content::text).unwrap_or_default();
    let tagged = text.split_whitespace().filter_map(|word| word.strip_prefix(MEDIA_TAG));
    found.extend(tagged.map(|path| json!({"type": "file", "path": path})));
    ToolOutput::json(&json!({"message_id": wanted, "count": found.len(), "attachments": found}))
}

fn picture(part: &Value) -> Option<Value> {
    let url = part["image_url"]["url"].as_str()?;
    Some(match url.starts_with("data:") {
        true => json!({"type": "image", "data": url}),
        false => json!({"type": "image", "url": url}),
    })
}
