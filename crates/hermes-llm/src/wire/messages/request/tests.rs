use std::sync::Arc;

use super::*;
use crate::endpoint::WireApi;
use crate::message::{ImageUrl, RequestedCall};
use crate::model::{CachePlan, Effort};

fn anthropic(model: &str) -> Endpoint {
    Endpoint::new(WireApi::Messages, "https://api.anthropic.com", model)
}

fn written(request: &ModelRequest) -> Value {
    body(&anthropic("claude-sonnet-4-5"), request, &Adaptations::default(), Delivery::Streamed)
}

fn messages(messages: Vec<Message>) -> Value {
    written(&ModelRequest { messages, ..ModelRequest::default() })["messages"].clone()
}

fn calling(ids: &[&str]) -> Message {
    let mut message = Message::assistant("");
    let call = |id: &&str| RequestedCall {
        id: (*id).to_owned(),
        name: "look".into(),
        arguments: "{\"a\":1}".into(),
        extra_content: None,
    };
    message.tool_calls = ids.iter().map(call).collect();
    message
}

fn picture(data: &str) -> MessageContent {
    let url = format!("data:image/jpeg;base64,{data}");
    MessageContent::Parts(vec![ContentPart::ImageUrl { image_url: ImageUrl { url } }])
}

#[test]
fn a_small_request_is_written_whole() {
    let tool = json!({"type": "function", "function": {"name": "a", "description": "d",
        "parameters": {"type": "object", "properties": {"x": {"type": ["string", "null"]}}}}});
    let request = ModelRequest {
        system: Some("be brief".into()),
        messages: vec![Message::user("hi")],
        tools: Arc::from([tool]),
        max_tokens: Some(100),
        temperature: Some(0.5),
        ..ModelRequest::default()
    };
    let expected = json!({"model": "claude-sonnet-4-5", "max_tokens": 100, "system": "be brief",
        "messages": [{"role": "user", "content": [{"type": "text", "text": "hi"}]}],
        "tools": [{"name": "a", "description": "d",
            "input_schema": {"type": "object", "properties": {"x": {"type": "string"}}}}],
        "tool_choice": {"type": "auto"}, "stream": true, "temperature": 0.5});
    assert_eq!(written(&request), expected);
}

#[test]
fn results_of_a_batch_are_one_user_message_before_its_text() {
    let written = messages(vec![
        Message::user("go"),
        calling(&["a.1", "b:2"]),
        Message::tool("a.1", "look", "one"),
        Message::tool("b:2", "look", " "),
        Message::user("well?"),
    ]);
    let results = json!([
        {"type": "tool_result", "tool_use_id": "a_1", "content": "one"},
        {"type": "tool_result", "tool_use_id": "b_2", "content": EMPTY_RESULT},
        {"type": "text", "text": "well?"}]);
    assert_eq!(written[2], json!({"role": "user", "content": results}));
    assert_eq!(
        written[1]["content"][0],
        json!({"type": "tool_use", "id": "a_1", "name": "look", "input": {"a": 1}})
    );
}

#[test]
fn roles_alternate_and_nothing_is_empty() {
    let written = messages(vec![
        Message::assistant("hello"),
        Message::assistant(""),
        Message::user("a"),
        Message::user(""),
    ]);
    let roles: Vec<&str> =
        written.as_array().unwrap().iter().map(|m| m["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    let texts: Vec<&Value> =
        written.as_array().unwrap().iter().flat_map(|m| m["content"].as_array().unwrap()).collect();
    assert!(texts.iter().all(|block| !block["text"].as_str().unwrap().trim().is_empty()));
}

#[test]
fn an_answer_to_go_on_with_does_not_end_in_white_space() {
    let written = messages(vec![Message::user("x"), Message::assistant("so far \n")]);
    assert_eq!(written[1]["content"][0], text("so far"));
    let older = messages(vec![Message::user("x"), Message::assistant("so \n"), Message::user("y")]);
    assert_eq!(older[1]["content"][0], text("so \n"));
}

#[test]
fn bad_arguments_become_an_empty_input() {
    let mut message = calling(&["1"]);
    message.tool_calls[0].arguments = "[1".into();
    let written = messages(vec![Message::user("x"), message]);
    assert_eq!(written[1]["content"][0]["input"], json!({}));
}

#[test]
fn the_cap_is_the_models_unless_less_is_wanted_or_allowed() {
    let cap = |model: &str, wanted: Option<u32>, allowed: Option<u32>| {
        let request = ModelRequest { max_tokens: wanted, ..ModelRequest::default() };
        let adaptations = Adaptations { output_cap: allowed, ..Adaptations::default() };
        body(&anthropic(model), &request, &adaptations, Delivery::Whole)["max_tokens"]
            .as_u64()
            .unwrap()
    };
    assert_eq!(cap("claude-opus-4-6", None, None), 128_000);
    assert_eq!(cap("claude-sonnet-4-5-20250929", None, None), 64_000);
    assert_eq!(cap("claude-opus-4-20250514", None, None), 32_000);
    assert_eq!(cap("claude-3-5-sonnet-20241022", None, None), 8192);
    assert_eq!(cap("something-new", None, None), 128_000);
    assert_eq!(cap("claude-opus-4-6", Some(1000), None), 1000);
    assert_eq!(cap("claude-3-5-sonnet", Some(90_000), None), 8192);
    assert_eq!(cap("claude-opus-4-6", None, Some(5000)), 5000);
}

#[test]
fn signed_thinking_goes_back_with_the_newest_answer_only() {
    let thinking = |signature: &str| {
        let item = json!({"type": "thinking", "thinking": "hm", "signature": signature});
        json!({"origin": "api.anthropic.com", "items": [item]})
    };
    let mut old = calling(&["1"]);
    old.reasoning_details = Some(thinking("s1"));
    let mut new = calling(&["2"]);
    new.reasoning_details = Some(thinking("s2"));
    let conversation = |new: Message| {
        vec![
            Message::user("go"),
            old.clone(),
            Message::tool("1", "look", "x"),
            new,
            Message::tool("2", "look", "y"),
        ]
    };
    let written = messages(conversation(new.clone()));
    assert_eq!(written[1]["content"].as_array().unwrap().len(), 1);
    assert_eq!(written[3]["content"][0]["signature"], "s2");
    new.reasoning_details = Some(thinking(""));
    assert_eq!(messages(conversation(new.clone()))[3]["content"][0], text("hm"));
    let request = ModelRequest { messages: conversation(new), ..ModelRequest::default() };
    let adaptations = Adaptations { no_signed_thinking: true, ..Adaptations::default() };
    let body = body(&anthropic("claude-opus-4-6"), &request, &adaptations, Delivery::Whole);
    assert!(!body.to_string().contains("thinking"), "{body}");
}

#[test]
fn an_old_model_in_the_middle_of_tools_does_not_begin_to_think() {
    let request = ModelRequest {
        messages: vec![Message::user("go"), calling(&["1"]), Message::tool("1", "look", "x")],
        effort: Some(Effort::High),
        ..ModelRequest::default()
    };
    assert!(written(&request).get("thinking").is_none());
    let fresh = ModelRequest { messages: vec![Message::user("go")], ..request };
    assert_eq!(written(&fresh)["thinking"]["budget_tokens"], 16_000);
}

#[test]
fn only_the_newest_three_pictures_of_tools_are_sent() {
    let ids = ["1", "2", "3", "4"];
    let mut conversation = vec![Message::user("go"), calling(&ids)];
    conversation.extend(ids.map(|id| Message::tool(id, "look", picture(id))));
    let written = messages(conversation);
    let results = written[2]["content"].as_array().unwrap();
    assert_eq!(results[0]["content"], json!([text(OLD_IMAGE)]));
    let source = json!({"type": "base64", "media_type": "image/jpeg", "data": "2"});
    assert_eq!(results[1]["content"], json!([{"type": "image", "source": source}]));
    assert_eq!(
        image("https://x/y.png")["source"],
        json!({"type": "url", "url": "https://x/y.png"})
    );
}

#[test]
fn marks_are_on_the_instructions_and_the_last_three_messages() {
    let request = ModelRequest {
        system: Some("s".into()),
        messages: vec![
            Message::user("a"),
            Message::assistant("b"),
            Message::user("c"),
            calling(&["1", "2", "3"]),
            Message::tool("1", "look", "x"),
            Message::tool("2", "look", "y"),
            Message::tool("3", "look", "z"),
        ],
        cache: CachePlan::LongConversation,
        ..ModelRequest::default()
    };
    let body = written(&request);
    let mark = json!({"type": "ephemeral", "ttl": "1h"});
    assert_eq!(body["system"], json!([{"type": "text", "text": "s", "cache_control": mark}]));
    let marked: Vec<bool> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message.to_string().contains("cache_control"))
        .collect();
    assert_eq!(marked, [false, false, true, true, true]);
    assert_eq!(body.to_string().matches("cache_control").count(), 4);
    assert_eq!(body["messages"][4]["content"][2]["cache_control"], mark);
}
