//! `/api/sessions` and `/api/jobs`.

use hermes_testkit::Step;
use serde_json::json;

use super::{Api, events};
use crate::wire::wait_until;

#[test]
fn a_session_lives_from_its_making_to_its_end() {
    let api = Api::start(["Noted.", "Blue.", "Still blue."].map(Step::text));
    let made = api.post("/api/sessions", &json!({"title": "Colours"}));
    assert_eq!(made.status, 201, "{made:?}");
    let id = made.json()["id"].as_str().unwrap().to_owned();
    let path = format!("/api/sessions/{id}");
    let said = api.post(&format!("{path}/chat"), &json!({"message": "my colour is blue"})).json();
    assert_eq!((&said["message"]["content"], &said["session_id"]), (&json!("Noted."), &json!(id)));
    let told =
        events(&api.post(&format!("{path}/chat/stream"), &json!({"message": "which?"})).body);
    assert_eq!(told.last().unwrap().0, "run.completed");
    assert!(told.iter().any(|event| event.0 == "message.delta"));
    assert!(api.asked(1)["messages"].to_string().contains("my colour is blue"));
    let rows = api.get(&format!("{path}/messages")).json();
    let roles: Vec<&str> =
        rows["data"].as_array().unwrap().iter().map(|row| row["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant"]);
    let fork = api.post(&format!("{path}/fork"), &json!({})).json();
    assert_eq!(
        (&fork["parent_session_id"], &fork["message_count"]),
        (&json!(id), &json!(4)),
        "{fork}"
    );
    let renamed = api.send("PATCH", &path, &json!({"title": "Shades", "archived": true})).json();
    assert_eq!((&renamed["title"], &renamed["archived"]), (&json!("Shades"), &json!(true)));
    let listed = api.get("/api/sessions").json().to_string();
    assert!(
        !listed.contains("Shades")
            && api.get("/api/sessions?archived=true").json().to_string().contains("Shades")
    );
    assert_eq!(api.send("DELETE", &path, &json!({})).json()["deleted"], true);
    for path in [path.clone(), format!("{path}/messages")] {
        assert_eq!(api.get(&path).code(), "session_not_found");
    }
    assert_eq!(api.post(&format!("{path}/chat"), &json!({"message": "x"})).status, 404);
}

#[test]
fn jobs_are_made_changed_run_and_removed() {
    let api = Api::start([Step::text("Nothing new.")]);
    let made = api.post(
        "/api/jobs",
        &json!({"schedule": "0 9 * * *", "prompt": "what is new?", "name": "news"}),
    );
    assert_eq!(made.status, 201, "{made:?}");
    let id = made.json()["id"].as_str().unwrap().to_owned();
    let path = format!("/api/jobs/{id}");
    assert_eq!(api.send("PATCH", &path, &json!({"name": "morning"})).json()["name"], "morning");
    assert_eq!(api.post(&format!("{path}/pause"), &json!({})).json()["state"], "paused");
    assert_eq!(api.post(&format!("{path}/resume"), &json!({})).json()["state"], "scheduled");
    assert_eq!(api.post(&format!("{path}/run"), &json!({})).status, 202);
    wait_until("the run is over", || api.get(&path).json()["last_status"] == "ok");
    assert_eq!(api.get("/api/jobs").json()["data"].as_array().unwrap().len(), 1);
    assert_eq!(api.send("DELETE", &path, &json!({})).json()["deleted"], true);
    assert_eq!(api.get(&path).code(), "job_not_found");
    let bad = api.post("/api/jobs", &json!({"schedule": "whenever", "prompt": "x"}));
    assert_eq!((bad.status, bad.code().as_str()), (400, "invalid_job"));
    let odd = api.post("/api/jobs", &json!({"schedule": "1h", "prompt": "x", "no_agent": true}));
    assert_eq!((odd.status, odd.code().as_str()), (400, "invalid_job"));
}
