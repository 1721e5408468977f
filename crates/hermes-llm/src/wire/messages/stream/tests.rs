use super::*;
use crate::endpoint::WireApi;
use crate::wire::{ResponseReader, whole};

fn endpoint() -> Endpoint {
    Endpoint::new(WireApi::Messages, "https://api.anthropic.com", "claude-x")
}

fn read(events: &[Value]) -> (Result<ModelResponse, ModelError>, Vec<Delta>) {
    let endpoint = endpoint();
    let mut reader = ResponseReader::new(&endpoint);
    let mut heard = Vec::new();
    for event in events {
        let kind = event["type"].as_str().unwrap();
        let bytes = format!("event: {kind}\ndata: {event}\n\n");
        if let Err(error) = reader.push(bytes.as_bytes(), &mut |delta| heard.push(delta)) {
            return (Err(error), heard);
        }
    }
    (reader.finish(), heard)
}

fn start(index: u64, block: Value) -> Value {
    let mut event = json!({"type": "content_block_start", "index": index});
    event["content_block"] = block;
    event
}

fn delta(index: u64, delta: Value) -> Value {
    let mut event = json!({"type": "content_block_delta", "index": index});
    event["delta"] = delta;
    event
}

fn stop(reason: &str) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 7}})
}

fn begin() -> Value {
    json!({"type": "message_start", "message": {"model": "claude-real", "usage": {
        "input_tokens": 10, "output_tokens": 1, "cache_read_input_tokens": 4,
        "cache_creation_input_tokens": 2}}})
}

#[test]
fn blocks_become_text_thinking_calls_and_cost() {
    let (result, heard) = read(&[
        begin(),
        json!({"type": "ping"}),
        start(0, json!({"type": "thinking", "thinking": "", "signature": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "h"})),
        delta(0, json!({"type": "thinking_delta", "thinking": "m"})),
        delta(0, json!({"type": "signature_delta", "signature": "sig"})),
        json!({"type": "content_block_stop", "index": 0}),
        start(1, json!({"type": "text", "text": ""})),
        delta(1, json!({"type": "text_delta", "text": "hi"})),
        start(2, json!({"type": "tool_use", "id": "toolu_1", "name": "a", "input": {}})),
        delta(2, json!({"type": "input_json_delta", "partial_json": "{\"x\":"})),
        delta(2, json!({"type": "input_json_delta", "partial_json": "1}"})),
        start(3, json!({"type": "tool_use", "id": "toolu_2", "name": "b", "input": {}})),
        stop("tool_use"),
        json!({"type": "message_stop"}),
    ]);
    let answer = result.unwrap();
    assert_eq!((answer.content.as_str(), answer.reasoning.as_deref()), ("hi", Some("hm")));
    let item = json!({"type": "thinking", "thinking": "hm", "signature": "sig"});
    assert_eq!(
        answer.reasoning_details.unwrap(),
        json!({"origin": "api.anthropic.com", "items": [item]})
    );
    let calls: Vec<&str> = answer.tool_calls.iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!((calls, answer.finish), (vec!["{\"x\":1}", "{}"], Finish::ToolCalls));
    let usage = answer.usage.unwrap();
    assert_eq!((usage.prompt_tokens(), usage.output_tokens, usage.cache_write_tokens), (16, 7, 2));
    assert_eq!(answer.model.as_deref(), Some("claude-real"));
    assert_eq!(heard.last(), Some(&Delta::ToolCall("b".into())));
}

#[test]
fn stop_reasons_are_translated() {
    for (reason, expected) in [
        ("end_turn", Finish::Stop),
        ("stop_sequence", Finish::Stop),
        ("max_tokens", Finish::Length),
        ("model_context_window_exceeded", Finish::Length),
        ("refusal", Finish::Refusal),
        ("pause_turn", Finish::Paused),
    ] {
        let events = [begin(), start(0, json!({"type": "text", "text": "x"})), stop(reason)];
        let answer = read(&events).0.unwrap();
        assert_eq!((answer.finish, answer.finish_reason.as_deref()), (expected, Some(reason)));
    }
}

#[test]
fn an_empty_answer_is_legal_only_for_an_end_or_a_refusal() {
    assert_eq!(read(&[begin(), stop("end_turn")]).0.unwrap().finish, Finish::Stop);
    assert_eq!(read(&[begin(), stop("refusal")]).0.unwrap().finish, Finish::Refusal);
    let error = read(&[begin(), stop("tool_use")]).0.unwrap_err();
    assert_eq!(error.class, ErrorClass::InvalidResponse);
    assert_eq!(read(&[begin()]).0.unwrap_err().class, ErrorClass::Dropped);
}

#[test]
fn a_stream_cut_inside_a_call_drops_the_call() {
    let events = [
        begin(),
        start(0, json!({"type": "tool_use", "id": "1", "name": "a", "input": {}})),
        delta(0, json!({"type": "input_json_delta", "partial_json": "{\"x\": \"long"})),
    ];
    let answer = read(&events).0.unwrap();
    assert_eq!((answer.finish, answer.tool_calls.len()), (Finish::BrokenCall, 0));
}

#[test]
fn error_events_have_their_class() {
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}});
    let error = read(&[begin(), error]).0.unwrap_err();
    assert_eq!((error.class, error.status), (ErrorClass::Overloaded, Some(529)));
}

#[test]
fn a_whole_answer_reads_like_a_streamed_one() {
    let body = json!({"model": "m", "stop_reason": "tool_use", "usage": {"input_tokens": 3, "output_tokens": 4},
        "content": [{"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "redacted_thinking", "data": "xx"}, {"type": "text", "text": "hi"},
            {"type": "tool_use", "id": "1", "name": "a", "input": {"x": 1}},
            {"type": "tool_use", "id": "2", "name": "b", "input": {}}]});
    let answer = whole(&endpoint(), &body.to_string()).unwrap();
    assert_eq!((answer.content.as_str(), answer.finish), ("hi", Finish::ToolCalls));
    assert_eq!(answer.reasoning_details.unwrap()["items"].as_array().unwrap().len(), 2);
    let arguments: Vec<&str> =
        answer.tool_calls.iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!(arguments, ["{\"x\":1}", "{}"]);
    assert_eq!(whole(&endpoint(), "{}").unwrap_err().class, ErrorClass::InvalidResponse);
}
