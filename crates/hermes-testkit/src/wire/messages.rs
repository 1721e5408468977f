//! Anthropic's messages wire.

use serde_json::{Value, json};

use super::Lines;

/// The signature of thinking that a step does not sign itself.
const SIGNATURE: &str = "c2lnbmVk";

pub(super) fn body(lines: &Lines) -> String {
    let blocks: Vec<Value> = blocks(lines).into_iter().map(|block| block.whole).collect();
    message(lines, &blocks, &stop(lines)).to_string()
}

fn message(lines: &Lines, blocks: &[Value], stop: &Value) -> Value {
    json!({
        "id": "msg_scripted", "type": "message", "role": "assistant", "model": lines.model,
        "content": blocks, "stop_reason": stop, "stop_sequence": null, "usage": usage(lines),
    })
}

fn stop(lines: &Lines) -> Value {
    if lines.step.no_finish {
        return Value::Null;
    }
    json!(match lines.finish.as_str() {
        "stop" => "end_turn",
        "tool_calls" => "tool_use",
        "length" => "max_tokens",
        "content_filter" => "refusal",
        other => other,
    })
}

fn usage(lines: &Lines) -> Value {
    if lines.step.no_usage {
        return Value::Null;
    }
    let usage = lines.usage;
    json!({
        "input_tokens": usage.input.saturating_sub(usage.cached + usage.cache_write),
        "output_tokens": usage.output,
        "cache_read_input_tokens": usage.cached,
        "cache_creation_input_tokens": usage.cache_write,
    })
}

/// A block as a whole, as it begins, and what fills it.
struct Block {
    whole: Value,
    start: Value,
    deltas: Vec<Value>,
}

fn blocks(lines: &Lines) -> Vec<Block> {
    let mut blocks = Vec::new();
    let step = &lines.step;
    if let Some(thinking) = &step.reasoning {
        let signature = step.signature.as_deref().unwrap_or(SIGNATURE);
        let piece = |text: String| json!({"type": "thinking_delta", "thinking": text});
        let mut deltas: Vec<Value> = lines.pieces(thinking).into_iter().map(piece).collect();
        deltas.push(json!({"type": "signature_delta", "signature": signature}));
        blocks.push(Block {
            whole: json!({"type": "thinking", "thinking": thinking, "signature": signature}),
            start: json!({"type": "thinking", "thinking": "", "signature": ""}),
            deltas,
        });
    }
    if !lines.text.is_empty() {
        let piece = |text: String| json!({"type": "text_delta", "text": text});
        blocks.push(Block {
            whole: json!({"type": "text", "text": lines.text}),
            start: json!({"type": "text", "text": ""}),
            deltas: lines.pieces(&lines.text).into_iter().map(piece).collect(),
        });
    }
    for call in &lines.calls {
        let input: Value =
            serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!(call.arguments));
        let piece = |text: String| json!({"type": "input_json_delta", "partial_json": text});
        let block = |input: Value| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input});
        blocks.push(Block {
            whole: block(input),
            start: block(json!({})),
            deltas: lines.pieces(&call.arguments).into_iter().map(piece).collect(),
        });
    }
    blocks
}

pub(super) fn events(lines: &Lines) -> Vec<String> {
    let event = |kind: &str, mut body: Value| {
        body["type"] = json!(kind);
        format!("event: {kind}\ndata: {body}\n\n")
    };
    let start = message(lines, &[], &Value::Null);
    let mut events = vec![event("message_start", json!({"message": start}))];
    for (index, block) in blocks(lines).into_iter().enumerate() {
        let start = json!({"index": index, "content_block": block.start});
        events.push(event("content_block_start", start));
        for delta in block.deltas {
            events.push(event("content_block_delta", json!({"index": index, "delta": delta})));
        }
        events.push(event("content_block_stop", json!({"index": index})));
    }
    if !lines.step.no_finish {
        let delta = json!({"stop_reason": stop(lines), "stop_sequence": null});
        let usage = (!lines.step.no_usage).then(|| json!({"output_tokens": lines.usage.output}));
        events.push(event("message_delta", json!({"delta": delta, "usage": usage})));
    }
    if !lines.step.no_done {
        events.push(event("message_stop", json!({})));
    }
    events
}
