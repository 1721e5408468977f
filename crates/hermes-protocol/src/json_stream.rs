//! Events as lines of JSON, for programs that follow a turn (`hermes -z … --json-stream`).
//!
//! The format is described in `docs/json-stream.md`. [`VERSION`] changes only when a field or type goes away or means
//! something else; readers ignore types and fields they do not know.

use serde_json::{Value, json};

use crate::event::{AgentEvent, NoticeLevel};

/// The version of the format.
pub const VERSION: u32 = 1;

/// The first line of a stream.
#[must_use]
pub fn start() -> Value {
    json!({"type": "start", "version": VERSION})
}

/// The line of an event.
#[must_use]
pub fn line(event: &AgentEvent) -> Value {
    match event {
        AgentEvent::Asking { call } => json!({"type": "asking", "call": call}),
        AgentEvent::Text(text) => json!({"type": "text.delta", "text": text}),
        AgentEvent::Reasoning(text) => json!({"type": "reasoning.delta", "text": text}),
        AgentEvent::WritingCall { tool } => json!({"type": "tool.writing", "tool": tool}),
        AgentEvent::Said { text } => json!({"type": "message", "text": text}),
        AgentEvent::ToolStarted { id, tool, args } => {
            json!({"type": "tool.started", "id": id, "tool": tool, "args": args})
        }
        AgentEvent::ToolProgress { id, message } => {
            json!({"type": "tool.progress", "id": id, "message": message})
        }
        AgentEvent::ToolOutput { id, tail } => {
            json!({"type": "tool.output", "id": id, "lines": tail.lines, "total_lines": tail.total})
        }
        AgentEvent::ToolFinished { id, tool, args, output, failed, took } => json!({
            "type": "tool.finished", "id": id, "tool": tool, "args": args, "output": output,
            "failed": failed, "seconds": took.as_secs_f64(),
        }),
        AgentEvent::Notice { level, text } => {
            let level = match level {
                NoticeLevel::Info => "info",
                NoticeLevel::Warning => "warning",
            };
            json!({"type": "notice", "level": level, "text": text})
        }
        AgentEvent::Compacting => json!({"type": "compacting"}),
        AgentEvent::Spent { usage, context_tokens } => json!({
            "type": "usage", "input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens,
            "cache_read_tokens": usage.cache_read_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
            "reasoning_tokens": usage.reasoning_tokens, "context_tokens": context_tokens,
        }),
        AgentEvent::Child { task, goal, event } => {
            json!({"type": "subagent", "task": task, "goal": goal, "event": line(event)})
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn every_line_names_its_type() {
        let finished = AgentEvent::ToolFinished {
            id: "1".into(),
            tool: "look".into(),
            args: json!({"path": "a"}),
            output: "{}".into(),
            failed: false,
            took: Duration::from_millis(1_500),
        };
        let child = AgentEvent::Child { task: 0, goal: "see".into(), event: Box::new(finished) };
        assert_eq!(
            line(&child),
            json!({"type": "subagent", "task": 0, "goal": "see", "event": {
                "type": "tool.finished", "id": "1", "tool": "look", "args": {"path": "a"},
                "output": "{}", "failed": false, "seconds": 1.5}})
        );
        assert_eq!(
            line(&AgentEvent::Text("hi".into())),
            json!({"type": "text.delta", "text": "hi"})
        );
        assert_eq!(start()["version"], VERSION);
    }
}
