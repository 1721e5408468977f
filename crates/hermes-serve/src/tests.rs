//! The routes over a real socket.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use hermes_runtime::Runtime;
use hermes_tool::{Effects, Tool, ToolContext, ToolOutput};
use tokio::net::TcpListener;

use super::*;
use crate::{AccessCheck, AccessToken};

const TOKEN: &str = "0123456789abcdef";

/// A server with a tool that adds, one that reports, and one that waits to be cancelled.
async fn server(cancelled: Arc<AtomicBool>) -> String {
    let runtime = Runtime::builder().build();
    let two = json!({"type": "object", "properties": {
        "a": {"type": "integer"}, "b": {"type": "integer"}}});
    let tool = |name: &'static str| Tool::builder(name, "test").effects(Effects::NONE);
    runtime.registry().register_all([
        tool("add").parameters(two).handler(|args, _| {
            let number = |key: &str| args.get(key).and_then(Value::as_i64).unwrap_or(0);
            Ok(ToolOutput::text(json!({"sum": number("a") + number("b")}).to_string()))
        }),
        tool("steps").async_handler(|_, cx: ToolContext| async move {
            cx.report("half", Some(0.5));
            tokio::task::yield_now().await;
            Ok(ToolOutput::text("plain words"))
        }),
        tool("wait").async_handler(move |_, cx: ToolContext| {
            let cancelled = Arc::clone(&cancelled);
            async move {
                cx.cancellation().cancelled().await;
                cancelled.store(true, Ordering::SeqCst);
                Ok(ToolOutput::text("never seen"))
            }
        }),
    ]);
    let api = Api::builder(runtime).version("9.9").build();
    let access = AccessCheck::loopback(AccessToken::new(TOKEN).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = access.protect(router(&api));
    tokio::spawn(async move { axum::serve(listener, app).await });
    format!("http://{address}")
}

fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::new()
}

async fn get_json(url: String) -> (u16, Value) {
    let answer = client().get(url).bearer_auth(TOKEN).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

async fn post_json(url: String, body: impl Into<reqwest::Body>) -> (u16, Value) {
    let answer = client().post(url).bearer_auth(TOKEN).body(body).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

#[tokio::test]
async fn tools_are_listed_shown_and_called() {
    let base = server(Arc::default()).await;
    let (status, listed) = get_json(format!("{base}/v1/tools")).await;
    assert_eq!((status, &listed["count"]), (200, &json!(3)));
    let (_, shown) = get_json(format!("{base}/v1/tools/add")).await;
    assert_eq!(shown["parameters"]["properties"]["a"]["type"], "integer");
    let (status, called) =
        post_json(format!("{base}/v1/tools/add/call"), r#"{"a":2,"b":"3"}"#).await;
    assert_eq!(status, 200);
    assert_eq!((&called["status"], &called["result"]), (&json!("ok"), &json!({"sum": 5})));
}

#[tokio::test]
async fn problems_are_json_with_a_hint() {
    let base = server(Arc::default()).await;
    for (path, body, status, code) in [
        ("/v1/tools/nope/call", "{}", 404, "unknown_tool"),
        ("/v1/tools/add/call", "{", 400, "bad_json"),
        ("/v1/tools/add/call", "[]", 400, "not_an_object"),
        ("/v1/tools/add/call?timeout=-1", "{}", 400, "bad_query"),
        ("/v1/tools/add/call?nope=1", "{}", 400, "bad_query"),
        ("/v1/tools/add/call?session=a/b", "{}", 400, "bad_query"),
        ("/v1/tools/add", "{}", 405, "wrong_method"),
        ("/nowhere", "{}", 404, "not_found"),
    ] {
        let (got, problem) = post_json(format!("{base}{path}"), body).await;
        assert_eq!((got, &problem["error"]["code"]), (status, &json!(code)), "{path} {problem}");
        assert!(!problem["error"]["hint"].as_str().unwrap().is_empty());
    }
    let huge = vec![b' '; MAX_BODY_BYTES + 1];
    let (status, problem) = post_json(format!("{base}/v1/tools/add/call"), huge).await;
    assert_eq!((status, &problem["error"]["code"]), (413, &json!("body_too_large")));
}

#[tokio::test]
async fn progress_comes_before_the_result() {
    let base = server(Arc::default()).await;
    let request = client().post(format!("{base}/v1/tools/steps/call")).bearer_auth(TOKEN);
    let answer = request.header("accept", "text/event-stream").send().await.unwrap();
    let text = answer.text().await.unwrap();
    let (progress, result) = text.split_once("event: result").unwrap();
    assert!(progress.contains(r#"{"message":"half","fraction":0.5}"#), "{text}");
    assert!(result.contains(r#""result":"plain words""#), "{text}");
}

#[tokio::test]
async fn a_call_ends_when_its_client_goes_away() {
    let cancelled = Arc::new(AtomicBool::new(false));
    let base = server(Arc::clone(&cancelled)).await;
    let request = client().post(format!("{base}/v1/tools/wait/call")).bearer_auth(TOKEN);
    let gone = tokio::time::timeout(Duration::from_millis(300), request.send()).await;
    assert!(gone.is_err());
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while !cancelled.load(Ordering::SeqCst) {
        assert!(std::time::Instant::now() < deadline, "the call runs on");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_ended() {
    let base = server(Arc::default()).await;
    let (status, called) = post_json(format!("{base}/v1/tools/wait/call?timeout=0.05"), "").await;
    assert_eq!((status, &called["status"]), (200, &json!("timeout")));
}

#[tokio::test]
async fn the_document_has_an_operation_for_every_tool() {
    let base = server(Arc::default()).await;
    let (_, document) = get_json(format!("{base}/openapi.json")).await;
    assert_eq!(document["info"]["version"], "9.9");
    for name in ["add", "steps", "wait"] {
        let operation = &document["paths"][format!("/v1/tools/{name}/call")]["post"];
        assert_eq!(operation["operationId"], name);
    }
}
