//! Good answers.

use hermes_llm::{Delta, Finish, Message, WireApi};
use hermes_testkit::{Quirk, ScriptedUsage, Step};
use serde_json::json;

use crate::support::{BOTH, Pair, request};

#[tokio::test]
async fn text_and_thinking_arrive_piece_by_piece_and_whole() {
    for wire in BOTH {
        let usage =
            ScriptedUsage { input: 100, output: 20, cached: 30, ..ScriptedUsage::default() };
        let step = Step::text("Hello, wörld 🦀!").reasoning("hm, well").chunk(3).usage(usage);
        let mut pair = Pair::new(wire, [step]);
        let answer = pair.ask().await.unwrap();
        assert_eq!((answer.content.as_str(), answer.finish), ("Hello, wörld 🦀!", Finish::Stop));
        assert_eq!(answer.reasoning.as_deref(), Some("hm, well"));
        assert_eq!(pair.shown(), answer.content);
        assert!(pair.heard.len() > 6, "{:?}", pair.heard);
        let usage = answer.usage.unwrap();
        assert_eq!(
            (usage.prompt_tokens(), usage.cache_read_tokens, usage.output_tokens),
            (100, 30, 20)
        );
        assert_eq!(answer.model.as_deref(), Some("scripted"));
    }
}

#[tokio::test]
async fn the_request_is_as_each_wire_wants_it() {
    let mut chat = Pair::new(WireApi::Chat, ["a"]);
    chat.ask().await.unwrap();
    let seen = &chat.server.requests()[0];
    assert_eq!(seen.path, "/v1/chat/completions");
    assert_eq!(seen.header("authorization"), Some("Bearer ***"));
    assert!(seen.carries("Bearer sk-of-the-test"));
    assert_eq!(seen.body["stream_options"], json!({"include_usage": true}));
    assert!(seen.body.get("max_tokens").is_none() && seen.body.get("tool_choice").is_none());
    let mut messages = Pair::new(WireApi::Messages, ["a"]);
    messages.ask().await.unwrap();
    let seen = &messages.server.requests()[0];
    assert_eq!(
        (seen.path.as_str(), seen.header("anthropic-version")),
        ("/v1/messages", Some("2023-06-01"))
    );
    assert!(seen.carries("sk-of-the-test"));
    assert_eq!(seen.body["tool_choice"], json!({"type": "auto"}));
    assert_eq!(seen.body["max_tokens"], 128_000);
}

#[tokio::test]
async fn parallel_calls_go_round_and_the_conversation_is_sound() {
    for wire in BOTH {
        let calls = Step::call("look", json!({"path": "a"})).and_call("look", json!({"path": "b"}));
        let mut pair = Pair::new(wire, [calls.chunk(2), Step::text("{{tool}}")]);
        let mut request = request();
        let first = pair.ask_for(&request).await.unwrap();
        assert_eq!((first.finish, first.tool_calls.len()), (Finish::ToolCalls, 2));
        assert_eq!(first.tool_calls[1].arguments, "{\"path\":\"b\"}");
        let begun = pair.heard.iter().filter(|delta| **delta == Delta::ToolCall("look".into()));
        assert_eq!(begun.count(), 2);
        let mut said = Message::assistant(first.content);
        said.tool_calls = first.tool_calls;
        let results: Vec<Message> =
            said.tool_calls.iter().map(|call| Message::tool(&call.id, "look", "seen")).collect();
        request.messages.push(said);
        request.messages.extend(results);
        let second = pair.ask_for(&request).await.unwrap();
        assert!(second.content.contains("seen"), "{second:?}");
        pair.server.conversation().assert_sound();
    }
}

#[tokio::test]
async fn every_oddity_of_a_provider_gives_the_same_calls() {
    let two = || Step::call("look", json!({"path": "a {}"})).and_call("todo", json!({})).chunk(2);
    let quirks = [
        Quirk::Index0,
        Quirk::RepeatName,
        Quirk::OneChunk,
        Quirk::IntId,
        Quirk::NullIndex,
        Quirk::NoId,
        Quirk::UsageInline,
        Quirk::Ping,
    ];
    for quirk in quirks {
        let mut pair = Pair::new(WireApi::Chat, [two().quirk(quirk)]);
        let answer = pair.ask().await.unwrap();
        let calls: Vec<(&str, &str)> = answer
            .tool_calls
            .iter()
            .map(|call| (call.name.as_str(), call.arguments.as_str()))
            .collect();
        assert_eq!(calls, [("look", "{\"path\":\"a {}\"}"), ("todo", "{}")], "{quirk:?}");
        assert!(answer.tool_calls.iter().all(|call| !call.id.is_empty()), "{quirk:?}");
        assert_ne!(answer.tool_calls[0].id, answer.tool_calls[1].id, "{quirk:?}");
        assert!(answer.usage.is_some(), "{quirk:?}");
    }
}

#[tokio::test]
async fn ids_of_calls_without_one_are_the_same_each_time() {
    let step = || Step::call("look", json!({"path": "a"})).quirk(Quirk::NoId);
    let mut pair = Pair::new(WireApi::Chat, [step(), step()]);
    let (first, second) = (pair.ask().await.unwrap(), pair.ask().await.unwrap());
    assert_eq!(first.tool_calls[0].id, second.tool_calls[0].id);
}

#[tokio::test]
async fn signed_thinking_of_this_server_goes_back_to_it() {
    let mut pair = Pair::new(
        WireApi::Messages,
        [Step::call("look", json!({})).reasoning("hm"), Step::text("ok")],
    );
    let mut request = request();
    let first = pair.ask_for(&request).await.unwrap();
    let mut said = Message::assistant("");
    said.reasoning_details = first.reasoning_details;
    said.tool_calls = first.tool_calls;
    let result = Message::tool(&said.tool_calls[0].id, "look", "seen");
    request.messages.extend([said, result]);
    pair.ask_for(&request).await.unwrap();
    let sent = &pair.server.requests()[1].body["messages"][1]["content"][0];
    assert_eq!(*sent, json!({"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"}));
}

#[tokio::test]
async fn refusals_and_limits_are_told_apart() {
    for wire in BOTH {
        let mut pair = Pair::new(
            wire,
            [
                Step::text("half").finish("length"),
                Step::text("no").finish("content_filter"),
                Step::call("look", json!("{\"path\": \"cut of")).finish("length"),
            ],
        );
        assert_eq!(pair.ask().await.unwrap().finish, Finish::Length);
        assert_eq!(pair.ask().await.unwrap().finish, Finish::Refusal);
        let cut = pair.ask().await.unwrap();
        assert_eq!((cut.finish, cut.tool_calls.len()), (Finish::Length, 1));
    }
    let mut paused = Pair::new(WireApi::Messages, [Step::text("x").finish("pause_turn")]);
    assert_eq!(paused.ask().await.unwrap().finish, Finish::Paused);
}

#[tokio::test]
async fn raw_arguments_are_passed_on_as_they_were_written() {
    for wire in BOTH {
        let mut pair = Pair::new(wire, [Step::call("look", json!("{'path': nonsense"))]);
        let answer = pair.ask().await.unwrap();
        assert_eq!(answer.tool_calls[0].arguments, "{'path': nonsense");
    }
}

#[tokio::test]
async fn one_connection_serves_many_calls() {
    let mut pair = Pair::new(WireApi::Chat, ["a", "b", "c"]);
    for _ in 0..3 {
        pair.ask().await.unwrap();
    }
    let connections: Vec<usize> =
        pair.server.requests().iter().map(|seen| seen.connection).collect();
    assert_eq!(connections, [0, 0, 0]);
}
