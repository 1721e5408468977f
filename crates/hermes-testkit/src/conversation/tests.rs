use super::*;

fn chat(messages: Value) -> Seen {
    let mut body = json!({"tools": [{"function": {"name": "a"}}]});
    body["messages"] = messages;
    Seen::new("POST".into(), "/v1/chat/completions".into(), Vec::new(), body)
}

fn messages(messages: Value) -> Seen {
    let mut body = json!({"max_tokens": 9, "tools": [{"name": "a"}]});
    body["messages"] = messages;
    Seen::new("POST".into(), "/v1/messages".into(), Vec::new(), body)
}

fn called(id: &str) -> Value {
    let call = json!({"id": id, "function": {"name": "a", "arguments": "{}"}});
    json!({"role": "assistant", "content": null, "tool_calls": [call]})
}

fn answered(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "ok"})
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

/// The one fault of a request.
fn fault(seen: Seen) -> String {
    let mut faults = ScriptedConversation::of(vec![seen]).faults();
    assert_eq!(faults.len(), 1, "{faults:?}");
    faults.remove(0)
}

#[test]
fn a_proper_conversation_has_no_fault_on_either_wire() {
    let system = json!({"role": "system", "content": "s"});
    let first = json!([system, user("go")]);
    let second = json!([system, user("go"), called("c"), answered("c")]);
    ScriptedConversation::of(vec![chat(first), chat(second)]).assert_sound();
    let use_block = json!({"type": "tool_use", "id": "c", "name": "a", "input": {}});
    let thought = json!({"type": "thinking", "thinking": "t", "signature": "s"});
    let result = json!({"type": "tool_result", "tool_use_id": "c", "content": "ok"});
    let marked = json!([{"type": "text", "text": "go", "cache_control": {"type": "ephemeral"}}]);
    let first = json!([{"role": "user", "content": marked}]);
    let second = json!([user("go"), {"role": "assistant", "content": [thought, use_block]},
        {"role": "user", "content": [result, {"type": "text", "text": "and?"}]}]);
    ScriptedConversation::of(vec![messages(first), messages(second)]).assert_sound();
}

#[test]
fn each_illegal_sequence_of_the_chat_wire_is_named() {
    for (sequence, expected) in [
        (json!([user("a"), user("b")]), "second user"),
        (json!([user("a"), called("c")]), "at the end"),
        (json!([user("a"), called("c"), user("b")]), "before message 2"),
        (json!([user("a"), called("c"), answered("c"), answered("c")]), "no open call"),
        (json!([user("a"), {"role": "system", "content": "x"}]), "the role \"system\""),
        (json!([user("a"), {"role": "assistant", "content": "x", "tool_calls": []}]), "empty list"),
        (json!([{"role": "user", "content": "a", "_mark": 1}]), "_mark"),
        (json!([user("a"), called("c"), answered("c"), called("c"), answered("c")]), "again"),
    ] {
        let found = fault(chat(sequence));
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn each_illegal_sequence_of_the_messages_wire_is_named() {
    let result = json!({"type": "tool_result", "tool_use_id": "c", "content": "ok"});
    let text = json!({"type": "text", "text": "x"});
    let use_block = json!({"type": "tool_use", "id": "c", "name": "a", "input": {}});
    let assistant = |blocks: Value| json!({"role": "assistant", "content": blocks});
    let blocks = |blocks: Value| json!({"role": "user", "content": blocks});
    for (sequence, expected) in [
        (json!([assistant(json!([text]))]), "role"),
        (json!([user(" ")]), "empty text"),
        (json!([blocks(json!([]))]), "is empty"),
        (json!([user("a"), assistant(json!([use_block])), user("b")]), "without an answer"),
        (
            json!([user("a"), assistant(json!([use_block])), blocks(json!([text, result]))]),
            "after text",
        ),
        (json!([blocks(json!([result]))]), "no open call"),
    ] {
        let found = fault(messages(sequence));
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn history_and_tools_may_not_change_unless_it_is_said() {
    let first = chat(json!([user("a")]));
    let mut second = chat(json!([user("b")]));
    second.body["tools"] = json!([]);
    let faults = ScriptedConversation::of(vec![first.clone(), second.clone()]).faults();
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults[0].contains("tools differ") && faults[1].contains("message 0 was"));
    let told = ScriptedConversation::of(vec![first, second]).rewritten_before(1).toolless_at(1);
    told.assert_sound();
    let shorter =
        vec![chat(json!([user("a"), called("c"), answered("c")])), chat(json!([user("a")]))];
    assert!(ScriptedConversation::of(shorter).faults()[0].contains("3 messages became 1"));
}

#[test]
#[should_panic(expected = "no requests")]
fn nothing_is_not_sound() {
    ScriptedConversation::of(Vec::new()).assert_sound();
}
