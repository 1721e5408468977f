use hermes_testkit::{WebReply, WebServer};
use proptest::prelude::*;
use serde_json::json;

use super::*;

async fn ask(reply: WebReply) -> Result<ServiceReply, ServiceError> {
    let server = WebServer::start(move |_| reply.clone());
    let service = Service::new("Svc", server.origin(), &Vars::default());
    let call = service.post("/v1/x").unwrap().bearer("k-12345").json(&json!({"a": 1}));
    call.bytes(1_000).time(Duration::from_millis(800)).send(&CancellationToken::new()).await
}

#[tokio::test]
async fn a_request_has_its_key_and_body_where_they_belong() {
    let server = WebServer::start(|_| WebReply::json(&json!({"ok": true})));
    let service = Service::new("Svc", format!("{}/base/", server.origin()), &Vars::default());
    let call = service.post("/v1/x").unwrap().secret("x-api-key", "", " k-12345 ");
    let reply = call.json(&json!({"a": 1})).send(&CancellationToken::new()).await.unwrap();
    assert_eq!(reply.json().unwrap(), json!({"ok": true}));
    let seen = &server.requests()[0];
    assert_eq!((seen.method.as_str(), seen.path.as_str()), ("POST", "/base/v1/x"));
    assert_eq!(seen.body, json!({"a": 1}));
    assert!(seen.header("x-api-key").is_some() && seen.carries("k-12345"));
}

#[tokio::test]
async fn what_a_service_says_is_short_and_shows_no_key() {
    let body = json!({"error": {"message": format!("bad key k-12345 {}", "x".repeat(900))}});
    let error = ask(WebReply::json(&body).with_status(401)).await.unwrap_err();
    assert_eq!(error.kind(), "authentication");
    let text = error.to_string();
    assert!(text.starts_with("Svc answered with status 401: bad key *** xx"), "{text}");
    assert!(text.chars().count() < 360, "{text}");
    let page = ask(WebReply::bytes("<html>no</html>").with_status(502)).await.unwrap_err();
    assert_eq!(page.to_string(), "Svc answered with status 502");
    assert!(page.is_transient());
}

#[tokio::test]
async fn a_rate_limit_says_how_long() {
    let reply = WebReply::json(&json!({"detail": "slow down"})).header("retry-after", "7");
    let error = ask(reply.with_status(429)).await.unwrap_err();
    let ServiceError::Status { retry_after, .. } = &error else { panic!("{error}") };
    assert_eq!(*retry_after, Some(Duration::from_secs(7)));
    assert_eq!(error.kind(), "rate_limit");
}

#[tokio::test]
async fn slow_long_cut_and_broken_answers_are_told_apart() {
    let slow = ask(WebReply::bytes("{}").after(Duration::from_secs(20))).await.unwrap_err();
    assert_eq!(slow.kind(), "timeout");
    let long = ask(WebReply::bytes("x".repeat(2_000))).await.unwrap_err();
    assert_eq!(long.kind(), "too_large");
    let cut = ask(WebReply::bytes("half").cut()).await.unwrap_err();
    assert_eq!(cut.kind(), "connection");
    let broken = ask(WebReply::bytes("{not json")).await.unwrap().json().unwrap_err();
    assert_eq!(broken.kind(), "invalid_response");
}

#[tokio::test]
async fn a_redirect_is_not_followed_with_the_key() {
    let other = WebServer::start(|_| WebReply::bytes("never"));
    let there = other.origin();
    let error = ask(WebReply::redirect(&there)).await.unwrap_err();
    assert!(matches!(error, ServiceError::Status { status: 302, .. }), "{error}");
    assert!(other.requests().is_empty());
}

#[tokio::test]
async fn nobody_there_is_unreachable_and_a_cancellation_is_heard() {
    let service = Service::new("Svc", "http://127.0.0.1:1", &Vars::default());
    let gone = service.get("/").unwrap().send(&CancellationToken::new()).await.unwrap_err();
    assert!(gone.is_unreachable(), "{gone}");
    let server = WebServer::start(|_| WebReply::bytes("").after(Duration::from_secs(20)));
    let service = Service::new("Svc", server.origin(), &Vars::default());
    let cancel = CancellationToken::new();
    cancel.cancel();
    let stopped = service.get("/").unwrap().send(&cancel).await.unwrap_err();
    assert_eq!(stopped.kind(), "cancelled");
}

#[test]
fn an_address_that_is_none_is_named_as_such() {
    for base in ["", "ftp://x", "not an address"] {
        let error = Service::new("Svc", base, &Vars::default()).get("/x").unwrap_err();
        assert_eq!(error.kind(), "configuration", "{base}");
    }
}

proptest! {
    #[test]
    fn any_body_gives_few_words(body in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        prop_assert!(words_of(&body, &[]).chars().count() <= MAX_WORDS + 1);
    }
}
