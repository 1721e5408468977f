use std::time::Duration;

use hermes_runtime::{Runtime, ToolCall};
use hermes_sessions::{NewMessage, NewSession};
use hermes_tool::{CallIds, ContextParts};
use serde_json::{Map, Value, json};

use super::*;

struct Scene {
    _folder: tempfile::TempDir,
    store: SessionDatabase,
    bridge: Bridge,
    runtime: Runtime,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SessionDatabase::at(folder.path().join("state.db"));
        for (id, source) in [("a1", "cli"), ("b2", "telegram")] {
            let new = NewSession { id: id.into(), source: source.into(), ..NewSession::default() };
            store.create(&new).unwrap();
            store
                .append(id, &[NewMessage::new("user", format!("secret question of {id}"))])
                .unwrap();
            store.append(id, &[NewMessage::new("assistant", "an answer")]).unwrap();
            store.append(id, &[NewMessage::new("tool", "not for others")]).unwrap();
        }
        let bridge = Bridge::start(store.clone(), |text| text.replace("secret", "***"));
        let runtime = Runtime::builder().build();
        runtime.registry().register_all(bridge.tools());
        runtime.registry().register_all(bridge.answering_tools());
        Self { _folder: folder, store, bridge, runtime }
    }

    async fn call(&self, tool: &str, args: Value) -> Value {
        self.call_from("me", tool, args).await
    }

    async fn call_from(&self, session: &str, tool: &str, args: Value) -> Value {
        let ids = CallIds { session_id: session.into(), ..CallIds::default() };
        let context = ContextParts { ids, ..ContextParts::default() };
        let call = ToolCall { context, ..ToolCall::new(tool, args) };
        serde_json::from_str(&self.runtime.call(call).await.text()).unwrap()
    }
}

#[tokio::test]
async fn conversations_are_listed_and_read_without_secrets() {
    let scene = Scene::new();
    let listed = scene.call("conversations_list", json!({})).await;
    assert_eq!(listed["count"], 2);
    let one = scene.call("conversations_list", json!({"platform": "telegram"})).await;
    assert_eq!(one["conversations"][0]["session_key"], "b2");
    let none = scene.call("conversations_list", json!({"search": "zebra"})).await;
    assert_eq!(none["count"], 0);
    let read = scene.call("messages_read", json!({"session_key": "a1", "limit": 1})).await;
    assert_eq!((&read["count"], &read["total_in_session"]), (&json!(1), &json!(2)));
    assert_eq!(read["messages"][0]["content"], "an answer");
    let all = scene.call("messages_read", json!({"session_key": "a1"})).await;
    assert_eq!(all["messages"][0]["content"], "*** question of a1");
    let got = scene.call("conversation_get", json!({"session_key": "a1"})).await;
    assert_eq!(got["message_count"], 3);
    let missing = scene.call("conversation_get", json!({"session_key": "zz"})).await;
    assert!(missing["error"].as_str().unwrap().contains("zz"));
}

#[tokio::test]
async fn pictures_and_files_of_a_message_are_found() {
    let scene = Scene::new();
    let parts = json!([{"type": "text", "text": "see MEDIA:/tmp/x.ogg"},
        {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]);
    let id = scene.store.append("a1", &[NewMessage::new("user", parts)]).unwrap()[0];
    let found =
        scene.call("attachments_fetch", json!({"session_key": "a1", "message_id": id})).await;
    assert_eq!(found["attachments"][0]["url"], "https://example.com/a.png");
    assert_eq!(found["attachments"][1]["path"], "/tmp/x.ogg");
}

#[tokio::test]
async fn what_is_said_becomes_an_event_once() {
    let scene = Scene::new();
    let wait = json!({"after_cursor": 0, "session_key": "a1", "timeout_ms": 30_000});
    let speak = async {
        // The first look takes what is there as known; it has happened when the event comes.
        loop {
            tokio::time::sleep(Duration::from_millis(300)).await;
            scene.store.append("a1", &[NewMessage::new("user", "news")]).unwrap();
        }
    };
    let event = tokio::select! {
        event = scene.call("events_wait", wait) => event,
        () = speak => unreachable!(),
    };
    assert_eq!(
        (&event["event"]["type"], &event["event"]["content"]),
        (&json!("message"), &json!("news"))
    );
    let cursor = event["event"]["cursor"].as_u64().unwrap();
    let polled = scene.call("events_poll", json!({"after_cursor": cursor - 1, "limit": 1})).await;
    assert_eq!(polled["events"][0], event["event"]);
    assert_eq!(polled["next_cursor"], cursor);
    let quiet = json!({"after_cursor": 1_000_000, "timeout_ms": 1});
    assert_eq!(scene.call("events_wait", quiet).await["reason"], "timeout");
}

#[tokio::test]
async fn a_session_cannot_allow_its_own_commands() {
    let scene = Scene::new();
    let details: Map<String, Value> = json!({"command": "rm -rf x"}).as_object().cloned().unwrap();
    let mut ticket = scene.bridge.approvals().put("me", details);
    let open = scene.call("permissions_list_open", json!({})).await;
    assert_eq!(open["approvals"][0]["command"], "rm -rf x");
    let id = open["approvals"][0]["id"].clone();
    let own = json!({"id": id, "decision": "allow-once"});
    let refused = scene.call("permissions_respond", own.clone()).await;
    assert!(refused["error"].as_str().unwrap().contains("its own"), "{refused}");
    let done = scene.call_from("somebody else", "permissions_respond", own).await;
    assert_eq!(done["resolved"], true);
    assert_eq!(ticket.decision().await, ApprovalDecision::AllowOnce);
    drop(ticket);
    assert_eq!(scene.call("permissions_list_open", json!({})).await["count"], 0);
    let events = scene.call("events_poll", json!({"session_key": "me"})).await;
    let kinds: Vec<&str> =
        events["events"].as_array().unwrap().iter().map(|e| e["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["approval_requested", "approval_resolved"]);
}
