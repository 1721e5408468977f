//! `/v1/responses`.

use hermes_testkit::Step;
use serde_json::{Value, json};

use super::{Api, events};

const PATH: &str = "/v1/responses";

#[test]
fn a_response_is_kept_and_gone_on_from() {
    let api = Api::start(["The word is plum.", "You said plum.", "Another way."].map(Step::text));
    let first =
        api.post(PATH, &json!({"input": "remember plum", "instructions": "Be brief."})).json();
    assert_eq!((&first["object"], &first["status"]), (&json!("response"), &json!("completed")));
    assert_eq!(first["output"][0]["content"][0]["text"], "The word is plum.");
    let id = first["id"].as_str().unwrap();
    assert_eq!(api.get(&format!("{PATH}/{id}")).json()["id"], id);
    let second =
        api.post(PATH, &json!({"input": "which word?", "previous_response_id": id})).json();
    assert_eq!(second["previous_response_id"], id);
    assert_eq!(
        second["hermes"]["session_id"], first["hermes"]["session_id"],
        "the session goes on"
    );
    let asked = api.asked(1);
    assert!(asked["messages"].to_string().contains("The word is plum."));
    assert!(asked["messages"][0]["content"].to_string().contains("Be brief."));
    // Going on from the first one again does not disturb what came after it.
    let third = api.post(PATH, &json!({"input": "and else?", "previous_response_id": id})).json();
    assert_ne!(third["hermes"]["session_id"], first["hermes"]["session_id"]);
    let asked = api.asked(2)["messages"].to_string();
    assert!(asked.contains("The word is plum.") && !asked.contains("You said plum."), "{asked}");
    let gone = api.post(PATH, &json!({"input": "x", "previous_response_id": "resp_nothing"}));
    assert_eq!((gone.status, gone.code().as_str()), (404, "response_not_found"));
    assert_eq!(api.send("DELETE", &format!("{PATH}/{id}"), &json!({})).json()["deleted"], true);
    assert_eq!(api.get(&format!("{PATH}/{id}")).status, 404);
}

#[test]
fn a_named_conversation_goes_on_and_what_is_not_stored_is_not_there() {
    let api = Api::start(["one", "two", "three"].map(Step::text));
    api.post(PATH, &json!({"input": "first", "conversation": "diary"}));
    api.post(PATH, &json!({"input": "second", "conversation": "diary"}));
    assert!(api.asked(1)["messages"].to_string().contains("first"));
    let loose = api.post(PATH, &json!({"input": "third", "store": false})).json();
    let id = loose["id"].as_str().unwrap();
    assert_eq!(api.get(&format!("{PATH}/{id}")).status, 404);
    let both =
        api.post(PATH, &json!({"input": "x", "conversation": "a", "previous_response_id": "b"}));
    assert_eq!((both.status, both.code().as_str()), (400, "invalid_parameter"));
}

#[test]
fn a_stream_tells_every_step_in_order() {
    let api = Api::start([
        Step::text("I look.").and_call("todo", json!({})),
        Step::text("Nothing there."),
    ]);
    let answer = api.post(PATH, &json!({"input": "look", "stream": true}));
    let told = events(&answer.body);
    let mut numbers = Vec::new();
    let names: Vec<&str> = told
        .iter()
        .map(|(name, _, data)| {
            let data: Value = serde_json::from_str(data).unwrap();
            assert_eq!(data["type"], name.as_str());
            numbers.push(data["sequence_number"].as_u64().unwrap());
            name.strip_prefix("response.").unwrap()
        })
        .collect();
    assert!(numbers.windows(2).all(|two| two[0] + 1 == two[1]), "{numbers:?}");
    let mut steps = names.clone();
    steps.dedup_by(|one, two| one == two && *one == "output_text.delta");
    let message = [
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
    ];
    let whole = ["output_item.added", "output_item.done"];
    let wanted: Vec<&str> = ["created", "in_progress"]
        .into_iter()
        .chain(message)
        .chain(whole)
        .chain(whole)
        .chain(message)
        .chain(["completed"])
        .collect();
    assert_eq!(steps, wanted);
    let last: Value = serde_json::from_str(&told.last().unwrap().2).unwrap();
    let kinds: Vec<&Value> =
        last["response"]["output"].as_array().unwrap().iter().map(|item| &item["type"]).collect();
    assert_eq!(kinds, ["message", "function_call", "function_call_output", "message"]);
}
