//! The person stops a turn.

use std::time::Duration;

use hermes_agent::ExitReason;

use crate::fake::{Stage, Step, says};

#[tokio::test]
async fn what_was_shown_is_kept_and_the_conversation_goes_on() {
    let mut stage = Stage::new(vec![Step::Hang("Once upon"), says("Short: they lived.")]);
    let (stop, model) = (stage.cancel.clone(), std::sync::Arc::clone(&stage.model));
    tokio::spawn(async move {
        // What the person said is recorded first; then the model is asked, and begins to answer.
        while model.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        stop.cancel();
    });
    let result = stage.says("tell a story").await;
    assert_eq!(
        (result.exit, result.final_response.as_str()),
        (ExitReason::Interrupted, "Once upon")
    );
    assert_eq!(stage.recorded().last().unwrap(), &("assistant".into(), "Once upon".into()));
    stage.cancel = tokio_util::sync::CancellationToken::new();
    assert_eq!(stage.says("shorter").await.final_response, "Short: they lived.");
}

#[tokio::test]
async fn a_turn_that_is_stopped_before_it_begins_asks_nobody() {
    let mut stage = Stage::new(Vec::new());
    stage.cancel.cancel();
    let result = stage.says("hello").await;
    assert_eq!(result.exit, ExitReason::Interrupted);
    assert!(stage.model.requests().is_empty());
}
