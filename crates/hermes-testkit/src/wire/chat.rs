//! The chat-completions wire.

use serde_json::{Value, json};

use super::{Line, Lines};
use crate::step::Quirk;

pub(super) fn body(lines: &Lines) -> String {
    let mut message = json!({"role": "assistant", "content": lines.text});
    if lines.text.is_empty() && !lines.calls.is_empty() {
        message["content"] = Value::Null;
    }
    if let Some(reasoning) = &lines.step.reasoning {
        message["reasoning_content"] = json!(reasoning);
    }
    if let Some(refusal) = &lines.step.refusal {
        message["refusal"] = json!(refusal);
    }
    if !lines.calls.is_empty() {
        let calls = lines.calls.iter().map(|call| {
            let function = json!({"name": call.name, "arguments": call.arguments});
            json!({"id": call.id, "type": "function", "function": function})
        });
        message["tool_calls"] = calls.collect();
    }
    let finish = (!lines.step.no_finish).then_some(&lines.finish);
    let choice = json!({"index": 0, "message": message, "finish_reason": finish});
    let mut body = json!({
        "id": "chatcmpl-scripted", "object": "chat.completion", "created": 0,
        "model": lines.model, "choices": [choice],
    });
    if !lines.step.no_usage {
        body["usage"] = usage(lines);
    }
    body.to_string()
}

fn usage(lines: &Lines) -> Value {
    let usage = lines.usage;
    json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input + usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
    })
}

pub(super) fn events(lines: &Lines) -> Vec<String> {
    let step = &lines.step;
    let event = |choices: Value, usage: Option<Value>| {
        let mut chunk = json!({
            "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 0,
            "model": lines.model, "choices": choices,
        });
        if let Some(usage) = usage {
            chunk["usage"] = usage;
        }
        let ping = if step.has(Quirk::Ping) { ": ping\n\n" } else { "" };
        format!("{ping}data: {chunk}\n\n")
    };
    let says =
        |delta: Value| event(json!([{"index": 0, "delta": delta, "finish_reason": null}]), None);
    let mut events = vec![says(json!({"role": "assistant", "content": ""}))];
    for piece in lines.pieces(step.reasoning.as_deref().unwrap_or_default()) {
        events.push(says(if step.has(Quirk::ReasoningDetails) {
            let details = json!([{"type": "reasoning.text", "text": piece, "index": 0}]);
            json!({"reasoning": piece, "reasoning_details": details})
        } else {
            json!({"reasoning_content": piece})
        }));
    }
    events
        .extend(lines.pieces(&lines.text).into_iter().map(|piece| says(json!({"content": piece}))));
    if let Some(refusal) = &step.refusal {
        events.push(says(json!({"refusal": refusal})));
    }
    for (place, call) in lines.calls.iter().enumerate() {
        for delta in call_deltas(lines, place, call) {
            events.push(says(json!({"tool_calls": [delta]})));
        }
    }
    let inline = step.has(Quirk::UsageInline) && !step.no_usage;
    if !step.no_finish {
        let finish = json!([{"index": 0, "delta": {}, "finish_reason": lines.finish}]);
        events.push(event(finish, inline.then(|| usage(lines))));
    }
    if !step.no_usage && !inline {
        events.push(event(json!([]), Some(usage(lines))));
    }
    if !step.no_done {
        events.push("data: [DONE]\n\n".to_owned());
    }
    events
}

fn call_deltas(lines: &Lines, place: usize, call: &Line) -> Vec<Value> {
    let step = &lines.step;
    let index = match () {
        () if step.has(Quirk::NullIndex) => Value::Null,
        () if step.has(Quirk::Index0) => json!(0),
        () => json!(place),
    };
    let whole = step.has(Quirk::OneChunk);
    let first = if whole { call.arguments.as_str() } else { "" };
    let function = json!({"name": call.name, "arguments": first});
    let mut head = json!({"index": index, "type": "function", "function": function});
    if step.has(Quirk::IntId) {
        head["id"] = json!(1000 + place);
    } else if !step.has(Quirk::NoId) {
        head["id"] = json!(call.id);
    }
    let mut deltas = vec![head];
    if whole {
        return deltas;
    }
    for piece in lines.pieces(&call.arguments) {
        let mut delta = json!({"index": index, "function": {"arguments": piece}});
        if step.has(Quirk::RepeatName) {
            delta["function"]["name"] = json!(call.name);
        }
        if step.has(Quirk::Index0) {
            delta["id"] = json!(call.id);
        }
        deltas.push(delta);
    }
    deltas
}
