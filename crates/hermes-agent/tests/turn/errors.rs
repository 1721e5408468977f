//! Providers that fail.

use hermes_agent::{AgentEvent, ExitReason, NoticeLevel};
use hermes_llm::ErrorClass;
use serde_json::json;

use crate::fake::{Scripted, Stage, Step, says};

#[tokio::test(start_paused = true)]
async fn a_server_error_is_waited_out() {
    let steps = vec![
        Step::Fail(ErrorClass::ServerError),
        Step::Fail(ErrorClass::ServerError),
        says("Here."),
    ];
    let mut stage = Stage::new(steps);
    let result = stage.says("hello").await;
    assert_eq!(result.final_response, "Here.");
    let events = stage.front.events.lock().unwrap();
    let warned = events
        .iter()
        .filter(|event| matches!(event, AgentEvent::Notice { level: NoticeLevel::Warning, .. }))
        .count();
    assert_eq!(warned, 2);
}

#[tokio::test(start_paused = true)]
async fn after_the_last_retry_the_turn_fails() {
    let mut stage = Stage::new(vec![Step::Fail(ErrorClass::ServerError); 4]);
    let result = stage.says("hello").await;
    assert_eq!(result.exit, ExitReason::ApiError(ErrorClass::ServerError));
    assert_eq!(stage.recorded().len(), 1, "what was said is kept");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_falls_silent_again_and_again_is_not_waited_for() {
    let mut stage = Stage::new(vec![Step::GiveUp]);
    let result = stage.says("hello").await;
    assert_eq!(result.exit, ExitReason::ApiError(ErrorClass::Timeout));
    assert_eq!(stage.model.requests().len(), 1);
    let other = Scripted::new("other", vec![says("Here.")]);
    let mut stage = Stage::with(vec![Step::GiveUp], vec![other], json!({}));
    assert_eq!(stage.says("hello").await.model, "other");
}

#[tokio::test]
async fn a_wrong_key_is_not_tried_again() {
    let mut stage = Stage::new(vec![Step::Fail(ErrorClass::Auth)]);
    let result = stage.says("hello").await;
    assert_eq!(result.exit, ExitReason::ApiError(ErrorClass::Auth));
    assert!(result.exit.is_failure());
}

#[tokio::test]
async fn a_rate_limit_goes_to_the_stand_in_at_once_and_the_next_turn_too() {
    let other = Scripted::new("other", vec![says("Here."), says("Still here.")]);
    let steps = vec![Step::Fail(ErrorClass::RateLimit)];
    let mut stage = Stage::with(steps, vec![other], json!({}));
    assert_eq!(stage.says("hello").await.model, "other");
    assert_eq!(stage.says("hello again").await.final_response, "Still here.");
}

#[tokio::test]
async fn the_conversation_goes_on_after_a_failure() {
    let mut stage = Stage::new(vec![Step::Fail(ErrorClass::Auth), says("Better now.")]);
    stage.says("hello").await;
    let result = stage.says("once more").await;
    assert_eq!(result.final_response, "Better now.");
    let sent = &stage.model.requests()[1].messages;
    assert_eq!(sent.len(), 1, "what was said twice is one message: {sent:?}");
}
