//! Answers that are cut off, empty or refused.

use hermes_agent::ExitReason;
use hermes_llm::Finish;

use crate::fake::{Scripted, Stage, calls, cut, finishes, says, thinks};
use serde_json::json;

#[tokio::test]
async fn an_answer_that_was_cut_off_is_taken_up_where_it_stopped() {
    let mut stage = Stage::new(vec![cut("One, two,"), cut(" three, "), says("four.")]);
    let result = stage.says("count").await;
    assert_eq!(result.final_response, "One, two, three, four.");
    let caps: Vec<Option<u32>> =
        stage.model.requests().iter().map(|request| request.max_tokens).collect();
    assert_eq!(caps, [None, Some(8_192), Some(16_384)]);
}

#[tokio::test]
async fn the_fourth_cut_ends_the_turn_with_what_there_is() {
    let mut stage = Stage::new(vec![cut("a"), cut("b"), cut("c"), cut("d")]);
    let result = stage.says("count").await;
    assert_eq!((result.final_response.as_str(), result.exit), ("abcd", ExitReason::Truncated));
}

#[tokio::test]
async fn a_call_that_was_cut_off_never_runs() {
    let crate::fake::Step::Answer(mut whole) = calls(&[("todo", "{\"todos\":")]) else { panic!() };
    whole.finish = Finish::Length;
    let steps = vec![crate::fake::Step::Answer(whole), says("Never mind.")];
    let mut stage = Stage::new(steps);
    let result = stage.says("go").await;
    assert_eq!(result.exit, ExitReason::TextResponse);
    assert!(stage.results().is_empty());
}

#[tokio::test]
async fn an_empty_answer_after_tools_is_nudged_once() {
    let mut stage = Stage::new(vec![
        calls(&[("read_file", "{\"path\": \"x\"}")]),
        says(""),
        says("It is not there."),
    ]);
    let result = stage.says("go").await;
    assert_eq!(result.final_response, "It is not there.");
    assert!(!stage.recorded().iter().any(|(_, text)| text.contains("said nothing")));
}

#[tokio::test]
async fn what_was_said_before_housekeeping_is_the_answer() {
    let crate::fake::Step::Answer(mut said) = calls(&[("todo", "{}")]) else { panic!() };
    said.content = "Everything is done.".into();
    let mut stage = Stage::new(vec![crate::fake::Step::Answer(said), says("")]);
    let result = stage.says("go").await;
    assert_eq!(result.final_response, "Everything is done.");
}

#[tokio::test]
async fn a_model_that_only_thinks_is_asked_for_its_answer() {
    let mut stage = Stage::new(vec![thinks("hm"), thinks("hm"), says("Four.")]);
    assert_eq!(stage.says("2+2?").await.final_response, "Four.");
}

#[tokio::test]
async fn nothing_at_all_ends_as_a_failure() {
    let mut stage = Stage::new(vec![says(""); 4]);
    let result = stage.says("hello?").await;
    assert_eq!(result.exit, ExitReason::EmptyResponse);
    assert!(result.exit.is_failure() && result.error.is_some());
}

#[tokio::test]
async fn a_refusal_is_a_failure_that_quotes_the_model() {
    let mut stage = Stage::new(vec![finishes("I will not.", Finish::Refusal)]);
    let result = stage.says("do evil").await;
    assert_eq!(result.exit, ExitReason::Refusal);
    assert!(result.final_response.contains("I will not."));
}

#[tokio::test]
async fn after_a_refusal_another_model_is_asked_once() {
    let other = Scripted::new("other", vec![says("Gladly.")]);
    let steps = vec![finishes("No.", Finish::Refusal)];
    let mut stage = Stage::with(steps, vec![other], json!({}));
    let result = stage.says("do it").await;
    assert_eq!((result.final_response.as_str(), result.model.as_str()), ("Gladly.", "other"));
}

#[tokio::test]
async fn a_stream_that_broke_inside_a_call_is_explained_to_the_model() {
    let mut stage = Stage::new(vec![finishes("", Finish::BrokenCall), says("In pieces, then.")]);
    let result = stage.says("write much").await;
    assert_eq!(result.exit, ExitReason::TextResponse);
    let last = stage.model.requests()[1].messages.last().unwrap().text().into_owned();
    assert!(last.contains("nothing was run"), "{last}");
}
