use serde_json::json;

use super::*;
use crate::endpoint::WireApi;
use crate::wire::{ResponseReader, whole};

fn endpoint() -> Endpoint {
    Endpoint::new(WireApi::Chat, "http://localhost/v1", "m")
}

fn delta(delta: Value) -> Value {
    let mut event = json!({"choices": [{"index": 0}]});
    event["choices"][0]["delta"] = delta;
    event
}

fn finish(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

/// Reads events; also what the listener heard.
fn read(events: &[Value]) -> (Result<ModelResponse, ModelError>, Vec<Delta>) {
    let endpoint = endpoint();
    let mut reader = ResponseReader::new(&endpoint);
    let mut heard = Vec::new();
    for event in events {
        let bytes = format!("data: {event}\n\n");
        if let Err(error) = reader.push(bytes.as_bytes(), &mut |delta| heard.push(delta)) {
            return (Err(error), heard);
        }
    }
    (reader.finish(), heard)
}

fn answer(events: &[Value]) -> ModelResponse {
    read(events).0.unwrap()
}

fn piece(index: Value, id: Value, name: Value, arguments: &str) -> Value {
    let mut call = json!({"function": {"arguments": arguments}});
    call["index"] = index;
    if !id.is_null() {
        call["id"] = id;
    }
    if !name.is_null() {
        call["function"]["name"] = name;
    }
    delta(json!({"tool_calls": [call]}))
}

fn calls(events: &[Value]) -> Vec<(String, String, String)> {
    let calls = answer(events).tool_calls.into_iter();
    calls.map(|call| (call.id, call.name, call.arguments)).collect()
}

fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
    (id.to_owned(), name.to_owned(), arguments.to_owned())
}

#[test]
fn text_thinking_and_cost_are_put_together() {
    let (result, heard) = read(&[
        json!({"model": "real-name", "choices": [{"delta": {"role": "assistant", "content": ""}}]}),
        delta(json!({"reasoning_content": "h"})),
        delta(json!({"reasoning": "m"})),
        delta(json!({"content": "a"})),
        delta(json!({"content": "b"})),
        finish("stop"),
        json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 3,
            "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens_details": {"reasoning_tokens": 2}}}),
        json!("[DONE]"),
    ]);
    let answer = result.unwrap();
    assert_eq!((answer.content.as_str(), answer.reasoning.as_deref()), ("ab", Some("hm")));
    assert_eq!((answer.finish, answer.model.as_deref()), (Finish::Stop, Some("real-name")));
    let usage = answer.usage.unwrap();
    assert_eq!((usage.input_tokens, usage.cache_read_tokens, usage.prompt_tokens()), (6, 4, 10));
    assert_eq!((usage.output_tokens, usage.reasoning_tokens), (3, 2));
    let text = |text: &str| Delta::Text(text.to_owned());
    assert_eq!(heard[2..], [text("a"), text("b")]);
}

#[test]
fn calls_numbered_properly_grow_side_by_side() {
    let (n, a, b) = (Value::Null, json!("a"), json!("b"));
    let events = [
        piece(json!(0), json!("1"), a, ""),
        piece(json!(1), json!("2"), b, "{\"y\""),
        piece(json!(0), n.clone(), n.clone(), "{}"),
        piece(json!(1), n.clone(), n, ":1}"),
        finish("tool_calls"),
    ];
    assert_eq!(calls(&events), [call("1", "a", "{}"), call("2", "b", "{\"y\":1}")]);
}

#[test]
fn a_new_id_under_the_same_number_is_a_new_call() {
    let events = [
        piece(json!(0), json!("1"), json!("a"), "{}"),
        piece(json!(0), json!("2"), json!("b"), ""),
        piece(json!(0), json!("2"), Value::Null, "{}"),
        finish("stop"),
    ];
    assert_eq!(calls(&events), [call("1", "a", "{}"), call("2", "b", "{}")]);
    assert_eq!(answer(&events).finish, Finish::ToolCalls);
}

#[test]
fn without_a_number_it_is_the_latest_call() {
    let n = Value::Null;
    let events = [
        piece(n.clone(), json!("1"), json!("a"), ""),
        piece(n.clone(), n.clone(), n.clone(), "{}"),
        piece(n.clone(), json!("2"), json!("b"), ""),
        piece(n.clone(), n.clone(), n, "{\"x\":1}"),
        finish("tool_calls"),
    ];
    assert_eq!(calls(&events), [call("1", "a", "{}"), call("2", "b", "{\"x\":1}")]);
}

#[test]
fn a_repeated_name_is_not_doubled_and_numbers_become_ids() {
    let events = [
        piece(json!(0), json!(7), json!("a"), "{\"x\""),
        piece(json!(0), Value::Null, json!("a"), ":{}"),
        piece(json!(0), Value::Null, json!("a"), "}"),
        finish("tool_calls"),
    ];
    assert_eq!(calls(&events), [call("7", "a", "{\"x\":{}}")]);
    let told = read(&events).1.iter().filter(|d| matches!(d, Delta::ToolCall(_))).count();
    assert_eq!(told, 1);
}

#[test]
fn calls_without_ids_get_stable_ones_and_are_told_apart() {
    let n = Value::Null;
    let events = [
        piece(json!(0), n.clone(), json!("a"), "{}"),
        piece(json!(0), n.clone(), json!("a"), "{}"),
        finish("tool_calls"),
    ];
    let first = calls(&events);
    assert_eq!((first.len(), &first), (2, &calls(&events)));
    assert_ne!(first[0].0, first[1].0);
    assert!(first[0].0.starts_with("call_") && first[0].0.len() == 17, "{first:?}");
    // The SHA-256 of `a:{}:0` begins so.
    assert_eq!(first[0].0, "call_".to_owned() + &sha_of("a:{}:0"));
}

fn sha_of(text: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(text).iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn text_after_a_call_is_kept_but_not_shown() {
    let (result, heard) = read(&[
        delta(json!({"content": "first"})),
        piece(json!(0), json!("1"), json!("a"), "{}"),
        delta(json!({"content": " later"})),
        finish("tool_calls"),
    ]);
    assert_eq!(result.unwrap().content, "first later");
    assert_eq!(heard, [Delta::Text("first".into()), Delta::ToolCall("a".into())]);
}

#[test]
fn a_stream_without_a_finish_is_judged_by_what_it_holds() {
    let nothing = read(&[]).0.unwrap_err();
    assert_eq!(nothing.class, ErrorClass::Dropped);
    let thinking = read(&[delta(json!({"reasoning": "hm"}))]).0.unwrap_err();
    assert_eq!(thinking.class, ErrorClass::Dropped);
    assert_eq!(thinking.partial.unwrap().reasoning.as_deref(), Some("hm"));
    let text = answer(&[delta(json!({"content": "half a"}))]);
    assert_eq!((text.finish, text.finish_reason), (Finish::ConnectionLost, None));
    let whole = answer(&[piece(json!(0), json!("1"), json!("a"), "{}")]);
    assert_eq!((whole.finish, whole.tool_calls.len()), (Finish::ToolCalls, 1));
    let cut = answer(&[
        piece(json!(0), json!("1"), json!("a"), "{}"),
        piece(json!(1), json!("2"), json!("b"), "{\"x\": \"}"),
    ]);
    assert_eq!((cut.finish, cut.tool_calls.len()), (Finish::BrokenCall, 1));
}

#[test]
fn finish_words_are_translated() {
    for (word, expected) in [
        ("stop", Finish::Stop),
        ("eos", Finish::Stop),
        ("length", Finish::Length),
        ("content_filter", Finish::Refusal),
        ("tool_calls", Finish::Stop),
    ] {
        let answer = answer(&[delta(json!({"content": "x"})), finish(word)]);
        assert_eq!((answer.finish, answer.finish_reason.as_deref()), (expected, Some(word)));
    }
    let refusal = answer(&[
        delta(json!({"refusal": "I "})),
        delta(json!({"refusal": "won't"})),
        finish("stop"),
    ]);
    assert_eq!((refusal.finish, refusal.refusal.as_deref()), (Finish::Refusal, Some("I won't")));
    assert_eq!(read(&[finish("error")]).0.unwrap_err().class, ErrorClass::ServerError);
}

#[test]
fn an_error_in_the_middle_ends_the_stream() {
    let (result, _) = read(&[
        delta(json!({"content": "x"})),
        json!({"error": {"message": "overloaded", "code": 529}, "choices": []}),
    ]);
    assert_eq!(result.unwrap_err().class, ErrorClass::Overloaded);
}

#[test]
fn signed_thinking_is_joined_and_keeps_its_origin() {
    let detail = |text: &str| json!({"type": "reasoning.text", "index": 0, "text": text});
    let mut last = detail("b");
    last["signature"] = json!("sig");
    let answer = answer(&[
        delta(json!({"reasoning": "a", "reasoning_details": [detail("a")]})),
        delta(json!({"reasoning_details": [last]})),
        delta(json!({"content": "x"})),
        finish("stop"),
    ]);
    assert_eq!(answer.reasoning.as_deref(), Some("ab"));
    let item = json!({"type": "reasoning.text", "index": 0, "text": "ab", "signature": "sig"});
    assert_eq!(answer.reasoning_details.unwrap(), json!({"origin": "localhost", "items": [item]}));
}

#[test]
fn parts_objects_and_extras_are_understood() {
    let parts = json!([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "yes"}]);
    let extra = json!({"google": {"thought_signature": "s"}});
    let call = json!({"index": 0, "id": "1", "extra_content": extra,
        "function": {"name": "a", "arguments": {"x": 1}}});
    let answer = answer(&[
        delta(json!({"content": parts})),
        delta(json!({"tool_calls": [call]})),
        finish("tool_calls"),
    ]);
    assert_eq!((answer.content.as_str(), answer.reasoning.as_deref()), ("yes", Some("hm")));
    assert_eq!(answer.tool_calls[0].arguments, "{\"x\":1}");
    assert_eq!(answer.tool_calls[0].extra_content, Some(extra));
}

#[test]
fn a_whole_answer_reads_like_a_streamed_one() {
    let body = json!({"model": "m", "choices": [{"message": {"content": "hi", "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "a", "arguments": "{}"}}]},
        "finish_reason": "tool_calls"}], "usage": {"prompt_tokens": 5, "completion_tokens": 1}});
    let read = whole(&endpoint(), &body.to_string()).unwrap();
    assert_eq!((read.content.as_str(), read.finish), ("hi", Finish::ToolCalls));
    assert_eq!(read.usage.unwrap().input_tokens, 5);
    for (body, class) in [
        ("{}", ErrorClass::InvalidResponse),
        ("<html>", ErrorClass::InvalidResponse),
        (r#"{"choices": []}"#, ErrorClass::InvalidResponse),
        (r#"{"choices": [{"message": null}]}"#, ErrorClass::InvalidResponse),
        (r#"{"error": {"message": "x", "code": 429}}"#, ErrorClass::RateLimit),
    ] {
        assert_eq!(whole(&endpoint(), body).unwrap_err().class, class, "{body}");
    }
}
