//! Streams that are not as they should be.

use hermes_llm::http::Timeouts;
use hermes_llm::{ErrorClass, Finish, Model, WireApi};
use hermes_testkit::Step;
use serde_json::json;

use crate::support::{BOTH, Pair};

fn twice() -> Timeouts {
    Timeouts { stream_retries: 2, ..Timeouts::default() }
}

#[tokio::test]
async fn a_server_that_cannot_stream_is_asked_for_whole_answers_from_then_on() {
    for wire in BOTH {
        let refusal = Step::status(400).error("streaming is not supported by this server");
        let mut pair = Pair::new(wire, [refusal, Step::text("one"), Step::text("two")]);
        assert_eq!(pair.ask().await.unwrap().content, "one");
        assert_eq!(pair.ask().await.unwrap().content, "two");
        assert_eq!(pair.shown(), "onetwo");
        let streamed: Vec<bool> =
            pair.server.requests().iter().map(|seen| seen.view().stream).collect();
        assert_eq!(streamed, [true, false, false]);
    }
}

#[tokio::test]
async fn a_whole_answer_to_a_wish_for_a_stream_is_taken() {
    let body = json!({"choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]});
    let mut pair = Pair::new(WireApi::Chat, [Step::raw_body(body.to_string())]);
    assert_eq!(pair.ask().await.unwrap().content, "hi");
    assert_eq!(pair.shown(), "hi");
}

#[tokio::test]
async fn a_stream_under_a_wrong_name_is_read_all_the_same() {
    let mut step = Step::text("hi");
    step.content_type = Some("text/plain".to_owned());
    let mut pair = Pair::new(WireApi::Chat, [step]);
    assert_eq!(pair.ask().await.unwrap().content, "hi");
}

#[tokio::test]
async fn a_stream_that_breaks_before_any_text_is_asked_for_again() {
    for wire in BOTH {
        let steps = [Step::text("x").drop_after(1), Step::empty_stream(), Step::text("good")];
        let mut pair = Pair::with(wire, steps, twice());
        assert_eq!(pair.ask().await.unwrap().content, "good");
        assert_eq!((pair.shown().as_str(), pair.server.requests().len()), ("good", 3));
    }
}

#[tokio::test]
async fn silent_tries_come_to_an_end() {
    for wire in BOTH {
        let mut pair = Pair::with(wire, [Step::text("x").drop_after(1).times(9)], twice());
        let error = pair.ask().await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Dropped, "{error:?}");
        assert_eq!(pair.server.requests().len(), 3);
    }
}

#[tokio::test]
async fn text_that_was_shown_is_kept_when_the_stream_breaks() {
    for wire in BOTH {
        let mut pair = Pair::with(wire, [Step::text("abcdef").chunk(1).drop_after(5)], twice());
        let answer = pair.ask().await.unwrap();
        assert_eq!((answer.finish, answer.finish_reason), (Finish::ConnectionLost, None));
        assert_eq!(pair.shown(), answer.content);
        assert!(!answer.content.is_empty() && answer.content.len() < 6);
        assert_eq!(pair.server.requests().len(), 1);
    }
}

#[tokio::test]
async fn text_without_a_finish_is_half_an_answer() {
    for wire in BOTH {
        let mut pair = Pair::new(wire, [Step::text("half").no_finish()]);
        assert_eq!(pair.ask().await.unwrap().finish, Finish::ConnectionLost);
    }
}

#[tokio::test]
async fn a_stream_that_breaks_inside_a_call_gives_the_call_up() {
    for wire in BOTH {
        let call = || Step::call("look", json!({"path": "x".repeat(40)})).chunk(4);
        let mut shown = Pair::with(wire, [call().and_text("See:").drop_after(7)], twice());
        let answer = shown.ask().await.unwrap();
        assert_eq!((answer.finish, answer.tool_calls.len()), (Finish::BrokenCall, 0));
        assert_eq!(answer.content, "See:");
        let mut hidden = Pair::with(wire, [call().drop_after(5).times(9)], twice());
        let answer = hidden.ask().await.unwrap();
        assert_eq!((answer.finish, answer.tool_calls.len()), (Finish::BrokenCall, 0));
        assert_eq!(hidden.server.requests().len(), 3);
    }
}

#[tokio::test]
async fn an_error_in_the_middle_has_its_class_and_what_had_arrived() {
    let events = [
        json!({"choices": [{"delta": {"content": "so far"}}]}).to_string(),
        json!({"error": {"message": "Overloaded", "code": 529}}).to_string(),
    ];
    let mut pair = Pair::with(WireApi::Chat, [Step::raw_events(events)], twice());
    let error = pair.ask().await.unwrap_err();
    assert_eq!((error.class, error.status), (ErrorClass::Overloaded, Some(529)));
    assert_eq!(error.partial.unwrap().content, "so far");
    assert_eq!(pair.server.requests().len(), 1);
}

#[tokio::test]
async fn garbage_is_no_answer_and_says_so() {
    for wire in BOTH {
        for step in [
            Step::raw_body("<html>Welcome to nginx</html>"),
            Step::raw_body(""),
            Step::raw_body("{\"choices\": []}"),
            Step::raw_body("{\"half\": "),
        ] {
            let mut pair = Pair::new(wire, [step]);
            let error = pair.ask().await.unwrap_err();
            assert_eq!(error.class, ErrorClass::InvalidResponse, "{error:?}");
            assert!(error.advice.unwrap().contains("protocol"));
        }
        let mut garbled = Pair::new(wire, [Step::raw_events(["nonsense", "{\"a\":", "[1]"])]);
        assert_eq!(garbled.ask().await.unwrap_err().class, ErrorClass::InvalidResponse);
    }
}

#[tokio::test]
async fn what_a_server_refuses_is_left_out_after_adapting() {
    for wire in BOTH {
        let steps = [
            Step::status(400).error("failed to parse grammar"),
            Step::text("ok"),
            Step::status(400).error("max_tokens: 128000 > 8192, which is the maximum allowed"),
            Step::text("ok"),
        ];
        let mut pair = Pair::new(wire, steps);
        for _ in 0..2 {
            let error = pair.ask().await.unwrap_err();
            assert!(pair.client.adapt(&error).is_some(), "{error:?}");
            assert!(pair.client.adapt(&error).is_none(), "the same lesson twice");
            pair.ask().await.unwrap();
        }
        let bodies: Vec<String> =
            pair.server.requests().iter().map(|seen| seen.body.to_string()).collect();
        let patterns: Vec<bool> = bodies.iter().map(|body| body.contains("pattern")).collect();
        assert_eq!(patterns, [true, false, false, false]);
        assert!(bodies[3].contains("\"max_tokens\":8128"), "{}", bodies[3]);
    }
}

/// An event of a chat stream with this text.
fn chunk(text: &str) -> String {
    format!(r#"{{"choices": [{{"index": 0, "delta": {{"content": "{text}"}}}}]}}"#)
}

#[tokio::test]
async fn a_lone_surrogate_in_a_chunk_costs_one_character() {
    let done = r#"{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}"#;
    let events = [chunk(r"One \ud83d two"), chunk(" three."), done.to_owned()];
    let mut pair = Pair::new(WireApi::Chat, [Step::raw_events(events)]);
    let answer = pair.ask().await.unwrap();
    assert_eq!(answer.content, "One \u{fffd} two three.");
    assert_eq!((answer.finish, answer.unreadable), (Finish::Stop, 0));
}

#[tokio::test]
async fn a_chunk_that_cannot_be_read_is_counted_and_the_rest_kept() {
    let done = r#"{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}"#;
    let broken = r#"{"choices": [{"index": 0, "delta": {"content": "lost"#;
    let events = [chunk("One "), broken.to_owned(), chunk("three."), done.to_owned()];
    let mut pair = Pair::new(WireApi::Chat, [Step::raw_events(events)]);
    let answer = pair.ask().await.unwrap();
    assert_eq!((answer.content.as_str(), answer.unreadable), ("One three.", 1));
}

#[tokio::test]
async fn a_call_with_a_piece_missing_is_never_run() {
    let piece = |arguments: &str| {
        let call =
            json!({"index": 0, "id": "c", "function": {"name": "look", "arguments": arguments}});
        json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}).to_string()
    };
    let done = r#"{"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}"#;
    // What is left reads as another, whole, call.
    let holed =
        [piece("{\"path\": \"/tmp"), "{\"choices\": [".to_owned(), piece("\"}"), done.to_owned()];
    // The whole call is missing.
    let lost = ["{\"choices\": [{\"delta\"".to_owned(), done.to_owned()];
    for events in [&holed[..], &lost[..]] {
        let mut pair = Pair::new(WireApi::Chat, [Step::raw_events(events.to_vec())]);
        let answer = pair.ask().await.unwrap();
        assert_eq!((answer.finish, answer.tool_calls.len()), (Finish::BrokenCall, 0));
        assert_eq!(answer.unreadable, 1);
    }
}
