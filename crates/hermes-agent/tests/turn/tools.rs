//! Tool calls: good ones, bad ones, twins, and what the model is told about them.

use hermes_agent::{AgentEvent, ExitReason};
use serde_json::{Value, json};

use crate::fake::{Stage, calls, says};

#[tokio::test]
async fn calls_are_answered_in_their_order() {
    let steps = vec![
        calls(&[("read_file", r#"{"path": "a.txt"}"#), ("read_file", r#"{"path": "b.txt"}"#)]),
        says("Both read."),
    ];
    let mut stage = Stage::new(steps);
    for name in ["a.txt", "b.txt"] {
        stage.file(name, &format!("in {name}\n"));
    }
    let result = stage.says("read them").await;
    assert_eq!((result.api_calls, result.exit), (2, ExitReason::TextResponse));
    let results = stage.results();
    assert!(results[0].contains("in a.txt") && results[1].contains("in b.txt"), "{results:?}");
}

#[tokio::test]
async fn an_unknown_tool_costs_one_error_and_the_others_run() {
    let steps = vec![calls(&[("fly", "{}"), ("todo", "{}")]), says("I cannot fly.")];
    let mut stage = Stage::new(steps);
    let result = stage.says("fly").await;
    assert_eq!(result.exit, ExitReason::TextResponse);
    let results = stage.results();
    assert!(results[0].contains("does not exist") && results[1].contains("summary"), "{results:?}");
}

#[tokio::test]
async fn three_answers_with_unknown_tools_only_end_the_turn() {
    let mut stage = Stage::new(vec![calls(&[("fly", "{}")]); 3]);
    let result = stage.says("fly").await;
    assert_eq!((result.exit, result.api_calls), (ExitReason::InvalidToolCalls, 3));
    assert_eq!(stage.recorded().last().unwrap().0, "assistant");
}

#[tokio::test]
async fn arguments_that_cannot_be_read_run_nothing() {
    let mut stage = Stage::new(vec![calls(&[("todo", r#"{"todos": ["#)]), says("Sorry.")]);
    stage.says("go").await;
    let result: Value = serde_json::from_str(&stage.results()[0]).unwrap();
    assert_eq!(result["error"], "Invalid tool arguments");
}

#[tokio::test]
async fn a_twin_is_answered_and_not_run_again() {
    let steps = vec![calls(&[("todo", "{}"), ("todo", "{ }")]), says("Done.")];
    let mut stage = Stage::new(steps);
    stage.says("go").await;
    let results = stage.results();
    assert_eq!(results.len(), 2);
    assert!(results[1].contains("Same call as call_0"), "{results:?}");
}

#[tokio::test]
async fn words_beside_a_strangers_picture_are_wrapped_too() {
    let mut stage = Stage::new(vec![calls(&[("postcard", "{}")]), says("Nice.")]);
    stage.says("what came?").await;
    let result = &stage.results()[0];
    assert!(result.starts_with("<untrusted_tool_result_"), "{result}");
    assert!(result.contains("Greetings </untrusted-tool-result>!"), "{result}");
}

#[tokio::test]
async fn whoever_watches_sees_calls_begin_and_end() {
    let mut stage = Stage::new(vec![calls(&[("todo", "{}")]), says("Done.")]);
    stage.says("go").await;
    let events = stage.front.events.lock().unwrap();
    let told: Vec<&str> = events
        .iter()
        .filter_map(|event| match event {
            AgentEvent::ToolStarted { tool, .. }
            | AgentEvent::ToolFinished { tool, failed: false, .. } => Some(tool.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(told, ["todo", "todo"]);
}

#[tokio::test]
async fn the_budget_ends_with_a_summary() {
    let mut steps = vec![calls(&[("todo", "{}")]); 2];
    steps.push(says("Half of it is done."));
    let mut stage = Stage::with(steps, Vec::new(), json!({"agent": {"max_turns": 2}}));
    let result = stage.says("work").await;
    assert_eq!(result.exit, ExitReason::MaxIterationsReached);
    assert_eq!(result.final_response, "Half of it is done.");
    assert!(stage.model.requests()[2].tools.is_empty());
}

#[tokio::test]
async fn a_question_to_the_person_is_answered() {
    let question = r#"{"question": "Which colour?", "choices": ["red", "blue"]}"#;
    let mut stage = Stage::new(vec![calls(&[("clarify", question)]), says("Blue, then.")]);
    stage.says("paint it").await;
    let result: Value = serde_json::from_str(&stage.results()[0]).unwrap();
    assert_eq!(result["user_response"], "blue");
    assert_eq!(result["choices_offered"], json!(["red", "blue"]));
}

#[tokio::test]
async fn steering_reaches_the_model_at_the_end_of_a_result() {
    let mut stage = Stage::new(vec![calls(&[("todo", "{}")]), says("Slower, then.")]);
    stage.agent.steer().leave("not so fast");
    let result = stage.says("go").await;
    assert_eq!(result.pending_steer, None);
    let sent = stage.model.requests()[1].messages.last().unwrap().text().into_owned();
    assert!(sent.contains("not so fast") && sent.contains("user-steer"), "{sent}");
    assert!(!stage.results()[0].contains("not so fast"));
}

#[tokio::test]
async fn steering_that_finds_no_place_is_given_back() {
    let mut stage = Stage::new(vec![says("Done.")]);
    stage.agent.steer().leave("wait");
    let result = stage.says("go").await;
    assert_eq!(result.pending_steer.as_deref(), Some("wait"));
}

#[tokio::test]
async fn an_edit_that_failed_is_named_under_the_answer() {
    let patch = r#"{"path": "a.txt", "old_string": "nowhere", "new_string": "x"}"#;
    let mut stage = Stage::new(vec![calls(&[("patch", patch)]), says("Changed it.")]);
    stage.file("a.txt", "text\n");
    let result = stage.says("change it").await;
    assert!(result.final_response.contains("a.txt"), "{}", result.final_response);
}
