//! Children.

use hermes_agent::AgentEvent;
use serde_json::{Value, json};

use crate::fake::{Stage, calls, says};

fn outcome(stage: &Stage) -> Value {
    serde_json::from_str(&stage.results()[0]).expect("JSON")
}

#[tokio::test]
async fn a_child_works_in_a_conversation_of_its_own() {
    let steps = vec![
        calls(&[("delegate_task", r#"{"goal": "count", "context": "to three"}"#)]),
        calls(&[("todo", "{}")]),
        says("One, two, three."),
        says("The child counted."),
    ];
    let mut stage = Stage::new(steps);
    let result = stage.says("have it counted").await;
    assert_eq!(result.final_response, "The child counted.");
    let child = &outcome(&stage)["results"][0];
    assert_eq!(
        (&child["status"], &child["summary"]),
        (&json!("completed"), &json!("One, two, three."))
    );
    assert_eq!(child["api_calls"], 2);
    assert_eq!(child["tool_trace"][0]["tool"], "todo");
    let requests = stage.model.requests();
    let said = requests[1].messages[0].text();
    assert!(said.starts_with("Working directory: "), "{said}");
    assert!(said.ends_with("\n\ncount\n\nContext:\nto three"), "{said}");
    let offered: Vec<&str> =
        requests[1].tools.iter().filter_map(|tool| tool["function"]["name"].as_str()).collect();
    assert!(!offered.contains(&"delegate_task") && !offered.contains(&"clarify"), "{offered:?}");
    let row = stage.database().get(child["session_id"].as_str().unwrap()).unwrap().unwrap();
    assert_eq!(
        (row.source.as_str(), row.note("_delegate_from")),
        ("subagent", Some(result.session_id.as_str()))
    );
    assert!(
        stage
            .front
            .events
            .lock()
            .unwrap()
            .iter()
            .any(|event| matches!(event, AgentEvent::Child { .. }))
    );
}

#[tokio::test]
async fn a_batch_answers_in_order_and_a_task_without_goal_says_so() {
    let tasks = r#"{"tasks": [{"goal": "a"}, {"goal": null}, {"goal": "c"}]}"#;
    let steps = vec![calls(&[("delegate_task", tasks)]), says("A"), says("C"), says("Done.")];
    let mut stage = Stage::new(steps);
    stage.says("go").await;
    let results = outcome(&stage)["results"].clone();
    let statuses: Vec<&str> =
        results.as_array().unwrap().iter().filter_map(|one| one["status"].as_str()).collect();
    assert_eq!(statuses, ["completed", "error", "completed"]);
}

#[tokio::test]
async fn a_goal_that_is_null_is_a_clean_error() {
    let steps = vec![calls(&[("delegate_task", r#"{"goal": null}"#)]), says("Sorry.")];
    let mut stage = Stage::new(steps);
    stage.says("go").await;
    assert!(outcome(&stage)["error"].as_str().unwrap().contains("goal"));
}

#[tokio::test]
async fn more_tasks_than_run_at_once_are_refused() {
    let tasks = r#"{"tasks": [{"goal": "a"}, {"goal": "b"}, {"goal": "c"}, {"goal": "d"}]}"#;
    let steps = vec![calls(&[("delegate_task", tasks)]), says("Fewer, then.")];
    let mut stage = Stage::new(steps);
    stage.says("go").await;
    let error = outcome(&stage)["error"].as_str().unwrap().to_owned();
    assert!(error.contains("max_concurrent_children"), "{error}");
}

#[tokio::test]
async fn surplus_calls_are_answered_and_not_dropped() {
    let one = ("delegate_task", r#"{"goal": "a"}"#);
    let two = ("delegate_task", r#"{"goal": "b"}"#);
    let steps = vec![calls(&[one, two]), says("A"), says("Done.")];
    let mut stage =
        Stage::with(steps, Vec::new(), json!({"delegation": {"max_concurrent_children": 1}}));
    stage.says("go").await;
    let results = stage.results();
    assert_eq!(results.len(), 2);
    assert!(results[1].contains("was not started"), "{results:?}");
}
