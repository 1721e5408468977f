use std::sync::Arc;

use super::*;
use crate::endpoint::WireApi;
use crate::message::ImageUrl;
use crate::model::{CachePlan, Effort};

fn local() -> Endpoint {
    Endpoint::new(WireApi::Chat, "http://localhost:8000/v1", "qwen3")
}

fn router() -> Endpoint {
    Endpoint::new(WireApi::Chat, "https://openrouter.ai/api/v1", "anthropic/claude-sonnet-4.5")
}

fn written(endpoint: &Endpoint, request: &ModelRequest) -> Value {
    body(endpoint, request, &Adaptations::default(), Delivery::Streamed)
}

fn ask(messages: Vec<Message>) -> ModelRequest {
    ModelRequest { messages, ..ModelRequest::default() }
}

fn image() -> ContentPart {
    ContentPart::ImageUrl { image_url: ImageUrl { url: "data:image/png;base64,AA".into() } }
}

fn calling(ids: &[&str]) -> Message {
    let mut message = Message::assistant("");
    message.tool_calls = ids
        .iter()
        .map(|id| RequestedCall {
            id: (*id).to_owned(),
            name: "look".into(),
            arguments: "{}".into(),
            extra_content: Some(json!({"google": {"thought_signature": "s"}})),
        })
        .collect();
    message
}

#[test]
fn a_small_request_is_written_whole() {
    let request = ModelRequest {
        system: Some("be brief".into()),
        messages: vec![Message::user("hi")],
        tools: Arc::from([json!({"type": "function", "function": {"name": "a"}})]),
        max_tokens: Some(100),
        temperature: Some(0.5),
        session_id: Some("s1".into()),
        ..ModelRequest::default()
    };
    let expected = json!({"model": "qwen3",
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "hi"}],
        "tools": [{"type": "function", "function": {"name": "a"}}],
        "stream": true, "stream_options": {"include_usage": true}, "max_tokens": 100, "temperature": 0.5});
    assert_eq!(written(&local(), &request), expected);
    let plain = body(&local(), &ask(Vec::new()), &Adaptations::default(), Delivery::Whole);
    assert_eq!(plain, json!({"model": "qwen3", "messages": []}));
}

#[test]
fn internal_fields_stay_inside() {
    let mut message = Message::assistant("done");
    message.reasoning = Some("private".into());
    message.reasoning_content = Some("private".into());
    message.finish_reason = Some("stop".into());
    let mut question = Message::user("shown");
    question.api_content = Some("sent".into());
    let body = written(&local(), &ask(vec![question, message]));
    assert_eq!(
        body["messages"],
        json!([
        {"role": "user", "content": "sent"}, {"role": "assistant", "content": "done"}])
    );
}

#[test]
fn calls_and_results_go_with_their_extras() {
    let request = ask(vec![calling(&["1"]), Message::tool("1", "look", "seen")]);
    let body = written(&local(), &request);
    let call = &body["messages"][0]["tool_calls"][0];
    assert_eq!(body["messages"][0]["content"], Value::Null);
    assert_eq!(call["function"], json!({"name": "look", "arguments": "{}"}));
    assert_eq!(call["extra_content"]["google"]["thought_signature"], "s");
    let result = json!({"role": "tool", "tool_call_id": "1", "name": "look", "content": "seen"});
    assert_eq!(body["messages"][1], result);
    let openai = Endpoint::new(WireApi::Chat, "https://api.openai.com/v1", "gpt-4o");
    assert!(
        written(&openai, &request)["messages"][0]["tool_calls"][0].get("extra_content").is_none()
    );
}

#[test]
fn images_of_results_follow_the_batch_in_one_user_message() {
    let seen = MessageContent::Parts(vec![ContentPart::Text { text: "a cat".into() }, image()]);
    let mut request = ask(vec![
        calling(&["1", "2"]),
        Message::tool("1", "look", seen),
        Message::tool("2", "look", "nothing"),
    ]);
    let roles = |body: &Value| -> Vec<String> {
        let messages = body["messages"].as_array().unwrap();
        messages.iter().map(|message| message["role"].as_str().unwrap().to_owned()).collect()
    };
    let body = written(&local(), &request);
    assert_eq!(roles(&body), ["assistant", "tool", "tool", "user"]);
    assert_eq!(body["messages"][1]["content"], "a cat\n[the image follows in the next message]");
    assert_eq!(body["messages"][3]["content"], json!([image()]));
    request.messages.push(Message::user("and?"));
    let body = written(&local(), &request);
    assert_eq!(roles(&body), ["assistant", "tool", "tool", "user"]);
    assert_eq!(body["messages"][3]["content"][1]["text"], "and?");
}

#[test]
fn images_can_be_left_out() {
    let adaptations = Adaptations { no_images: true, ..Adaptations::default() };
    let parts = || MessageContent::Parts(vec![ContentPart::Text { text: "see".into() }, image()]);
    let request =
        ask(vec![Message::user(parts()), calling(&["1"]), Message::tool("1", "look", parts())]);
    let body = body(&local(), &request, &adaptations, Delivery::Streamed);
    assert!(!body.to_string().contains("image_url"), "{body}");
    assert_eq!(body["messages"][0]["content"], format!("see\n{NO_IMAGE}"));
    assert_eq!(body["messages"][2]["content"], format!("see\n{NO_IMAGE}"));
}

#[test]
fn what_a_server_does_not_like_is_left_out() {
    let tool =
        json!({"function": {"name": "a", "parameters": {"properties": {"x": {"pattern": "^a"}}}}});
    let request = ModelRequest { tools: Arc::from([tool]), ..ModelRequest::default() };
    let adaptations = Adaptations {
        plain_schemas: true,
        output_cap: Some(900),
        num_ctx: Some(65_536),
        ..Adaptations::default()
    };
    let body = body(&local(), &request, &adaptations, Delivery::Whole);
    assert_eq!(body["tools"][0]["function"]["parameters"], json!({"properties": {"x": {}}}));
    assert_eq!(body["max_tokens"], 900);
    assert_eq!(body["options"], json!({"num_ctx": 65_536}));
}

#[test]
fn an_aggregator_gets_session_routing_thinking_and_marks() {
    let mut endpoint = router();
    endpoint.extra_body.insert("provider".to_owned(), json!({"sort": "price"}));
    let mut answer = Message::assistant("a");
    let item = json!({"type": "reasoning.text", "text": "t", "signature": "s"});
    answer.reasoning_details = Some(json!({"origin": "openrouter.ai", "items": [item]}));
    let request = ModelRequest {
        session_id: Some("s1".into()),
        effort: Some(Effort::High),
        cache: CachePlan::Conversation,
        ..ask(vec![Message::user("q"), answer, Message::user("r")])
    };
    let body = written(&endpoint, &request);
    assert_eq!(body["session_id"], "s1");
    assert_eq!(body["provider"], json!({"sort": "price"}));
    assert_eq!(body["reasoning"], json!({"enabled": true, "effort": "high"}));
    assert_eq!(body["messages"][1]["reasoning_details"], json!([item]));
    assert_eq!(body["messages"][2]["content"][0]["cache_control"], json!({"type": "ephemeral"}));
    let elsewhere = written(&local(), &request);
    assert!(!elsewhere.to_string().contains("reasoning_details"), "{elsewhere}");
}

#[test]
fn some_families_want_their_thoughts_back() {
    let endpoint = Endpoint::new(WireApi::Chat, "https://api.deepseek.com/v1", "deepseek-reasoner");
    let mut thoughtful = Message::assistant("a");
    thoughtful.reasoning = Some("hm".into());
    let body = written(&endpoint, &ask(vec![thoughtful, Message::assistant("b")]));
    assert_eq!(body["messages"][0]["reasoning_content"], "hm");
    assert_eq!(body["messages"][1]["reasoning_content"], " ");
}
