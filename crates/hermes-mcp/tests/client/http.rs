//! Servers at an address: streamable HTTP, the older transport, logins, redirects, first looks.

use std::sync::{Arc, Mutex};

use hermes_mcp::client::authorize::{AuthChallenge, AuthError, Authorizer, AuthorizerRequest};
use hermes_mcp::client::status::ServerState;
use hermes_tool::BoxFuture;
use serde_json::{Value, json};

use crate::double::{Double, LISTENED_TO};
use crate::host::{Host, PATIENCE};

async fn connected(entry: &Value) -> Host {
    let host = Host::started(&json!({"web": entry})).await;
    let status = host.status("web");
    assert_eq!(status.state, ServerState::Connected, "{status:?}");
    host
}

#[tokio::test]
async fn streamable_http_speaks_with_headers_session_and_version() {
    let double = Double::start().await;
    let host = connected(&json!({"url": double.url("/mcp"), "headers": {"X-Key": "k1"}})).await;
    assert_eq!(host.status("web").transport, "http");
    assert_eq!(host.text("mcp__web__echo", json!({"text": "hi"})).await, "hi");
    host.servers.stop().await;
    let seen = double.seen();
    assert!(seen.iter().all(|seen| seen.headers.get("x-key").is_some_and(|key| key == "k1")));
    let post = |method: &str| seen.iter().find(|seen| seen.body["method"] == method).unwrap();
    let hello = post("initialize");
    assert_eq!(hello.headers["mcp-protocol-version"], "2025-11-25");
    assert_eq!(hello.body["params"]["clientInfo"]["name"], "hermes-agent-rs");
    assert_eq!(hello.body["params"]["protocolVersion"], "2025-11-25");
    assert!(hello.headers["accept"].contains("application/json"));
    assert!(hello.headers["accept"].contains("text/event-stream"));
    let call = post("tools/call");
    assert_eq!(call.headers["mcp-protocol-version"], "2025-06-18", "the negotiated one");
    assert_eq!(call.headers["mcp-session-id"], "session-0");
    let end = seen.iter().find(|seen| seen.method == "DELETE").expect("the session is ended");
    assert_eq!(end.headers["mcp-session-id"], "session-0");
}

#[tokio::test]
async fn a_server_is_listened_to_before_it_is_called() {
    let double = Double::start().await;
    let host = connected(&json!({"url": double.url("/late-ear")})).await;
    assert_eq!(host.text("mcp__web__echo", json!({"text": "hi"})).await, "hi");
    let seen = double.seen();
    let listened = seen.iter().position(|seen| seen.method == LISTENED_TO);
    let called = seen.iter().position(|seen| seen.body["method"] == "tools/call");
    assert!(listened.is_some() && listened < called, "{listened:?} {called:?}");
}

#[tokio::test]
async fn an_answer_may_come_as_a_stream_behind_other_events() {
    let double = Double::start().await;
    let host = connected(&json!({"url": double.url("/mcp")})).await;
    assert_eq!(host.text("mcp__web__stream", json!({})).await, "done");
}

#[tokio::test]
async fn a_forgotten_session_is_made_anew_and_the_call_runs_once() {
    let double = Double::start().await;
    let host = connected(&json!({"url": double.url("/mcp")})).await;
    double.expire();
    assert_eq!(host.text("mcp__web__echo", json!({"text": "again"})).await, "again");
    let hellos = double.seen().iter().filter(|seen| seen.body["method"] == "initialize").count();
    assert_eq!(hellos, 2);
    // Turned away once, carried out once.
    assert_eq!(double.calls("echo"), 2);
}

#[tokio::test]
async fn an_http_error_is_told_and_counts_for_the_breaker() {
    let double = Double::start().await;
    let host = connected(&json!({"url": double.url("/mcp")})).await;
    for _ in 0..3 {
        let answer = host.call("mcp__web__broken", json!({})).await;
        assert!(answer["error"].as_str().unwrap().contains("503"), "{answer}");
    }
    let answer = host.call("mcp__web__echo", json!({})).await;
    assert!(answer["error"].as_str().unwrap().contains("unreachable"), "{answer}");
    assert_eq!(double.calls("broken"), 3, "never repeated");
}

#[tokio::test]
async fn a_web_page_is_recognised_and_nothing_is_tried_twice() {
    let double = Double::start().await;
    let host = Host::started(&json!({"web": {"url": double.url("/page")}})).await;
    host.until_state("web", ServerState::Failed).await;
    let error = host.status("web").error.unwrap();
    assert!(error.contains("text/html") && error.contains("/mcp"), "{error}");
    let seen: Vec<String> = double.seen().iter().map(|seen| seen.method.clone()).collect();
    assert_eq!(seen, ["HEAD", "POST"]);
}

#[tokio::test]
async fn a_redirect_is_followed_without_the_authorization_of_another_host() {
    let (first, second) = (Double::start().await, Double::start().await);
    first.redirect_to(second.url("/mcp"));
    let headers = json!({"Authorization": "Bearer s3cret", "X-Plain": "p"});
    let entry = json!({"url": first.url("/elsewhere"), "headers": headers});
    let host = connected(&entry).await;
    assert_eq!(host.text("mcp__web__echo", json!({"text": "hi"})).await, "hi");
    assert!(first.seen().iter().all(|seen| seen.headers["authorization"] == "Bearer s3cret"));
    assert!(second.seen().iter().all(|seen| !seen.headers.contains_key("authorization")));
    // To the same place it is kept.
    let third = Double::start().await;
    third.redirect_to(third.url("/mcp"));
    let entry = json!({"url": third.url("/elsewhere"), "headers": headers});
    connected(&entry).await;
    assert!(third.seen().iter().all(|seen| seen.headers["authorization"] == "Bearer s3cret"));
}

#[tokio::test]
async fn the_older_transport_works_and_reconnects() {
    let double = Double::start().await;
    let host = connected(&json!({"url": double.url("/sse"), "transport": "sse"})).await;
    assert_eq!(host.status("web").transport, "sse");
    assert_eq!(host.text("mcp__web__echo", json!({"text": "hi"})).await, "hi");
    double.cut_stream();
    host.until("the end of the stream", |host| host.status("web").state != ServerState::Connected)
        .await;
    assert_eq!(host.text("mcp__web__echo", json!({"text": "again"})).await, "again");
    assert_eq!(double.calls("echo"), 2);
}

#[tokio::test]
async fn the_older_transport_sends_nothing_to_another_host() {
    let double = Double::start().await;
    let entry = json!({"url": double.url("/sse-foreign"), "transport": "sse"});
    let host = Host::started(&json!({"web": entry})).await;
    assert!(host.status("web").error.unwrap().contains("another host"));
}

/// Knows the right token only after it was challenged.
struct Keys(Mutex<Option<String>>);

impl Authorizer for Keys {
    fn token(&self) -> BoxFuture<Result<Option<String>, AuthError>> {
        let token = self.0.lock().unwrap().clone();
        Box::pin(async { Ok(token) })
    }

    fn recover(
        &self,
        challenge: AuthChallenge,
        used: Option<String>,
    ) -> BoxFuture<Result<String, AuthError>> {
        assert_eq!(challenge.status, 401);
        assert!(challenge.www_authenticate.contains("realm"), "{challenge:?}");
        let outcome = if used.as_deref() == Some("new") {
            Err(AuthError::LoginNeeded("the login has ended".to_owned()))
        } else {
            *self.0.lock().unwrap() = Some("new".to_owned());
            Ok("new".to_owned())
        };
        Box::pin(async { outcome })
    }
}

#[tokio::test]
async fn a_challenge_is_met_once_and_a_lost_login_is_told() {
    let double = Double::start().await;
    double.want_token("new");
    let config = json!({"mcp_servers": {"web": {"url": double.url("/mcp"), "auth": "oauth"}}});
    let host = Host::with(&config, |parts| {
        parts.authorizer = Some(Arc::new(|request: AuthorizerRequest| {
            assert_eq!(&*request.server, "web");
            Ok(Arc::new(Keys(Mutex::default())) as Arc<dyn Authorizer>)
        }));
    });
    host.servers.start();
    assert!(host.servers.wait_ready(PATIENCE).await);
    assert_eq!(host.text("mcp__web__echo", json!({"text": "in"})).await, "in");
    double.want_token("newer");
    let answer = host.call("mcp__web__echo", json!({})).await;
    assert_eq!((&answer["needs_reauth"], &answer["server"]), (&json!(true), &json!("web")));
    assert!(answer["error"].as_str().unwrap().contains("hermes mcp login web"), "{answer}");
}

#[tokio::test]
async fn without_a_login_the_server_is_tried_once() {
    let double = Double::start().await;
    double.want_token("x");
    let host = Host::started(&json!({"web": {"url": double.url("/mcp")}})).await;
    host.until_state("web", ServerState::Failed).await;
    let error = host.status("web").error.unwrap();
    assert!(error.contains("login"), "{error}");
    let is_hello = |method: &Value| method == "server/discover" || method == "initialize";
    let hellos = double.seen().iter().filter(|seen| is_hello(&seen.body["method"])).count();
    assert_eq!(hellos, 1);
}

#[tokio::test]
async fn a_malicious_package_is_not_run_and_the_answer_is_kept() {
    let double = Double::start().await;
    double.answer_osv(json!({"vulns": [{"id": "MAL-2026-1", "summary": "steals keys"}]}));
    let config = json!({"mcp_servers": {"evil": {"command": "npx", "args": ["-y", "bad@1.0.0"]}}});
    let host = Host::with(&config, |parts| {
        let bin = parts.home.root().join("node/bin");
        std::fs::create_dir_all(&bin).unwrap();
        std::os::unix::fs::symlink("/bin/true", bin.join("npx")).unwrap();
        let endpoint = ("OSV_ENDPOINT".to_owned(), double.url("/osv"));
        let path = ("PATH".to_owned(), "/nowhere".to_owned());
        parts.vars = parts.vars.overlaid([endpoint, path]);
    });
    for _ in 0..2 {
        let error = host.servers.probe("evil").await.unwrap_err().to_string();
        assert!(error.contains("MAL-2026-1 (steals keys)"), "{error}");
    }
    let asked = double.seen();
    assert_eq!(asked.len(), 1, "the second time from memory");
    assert_eq!(asked[0].body["package"], json!({"name": "bad", "ecosystem": "npm"}));
    assert_eq!(asked[0].body["version"], "1.0.0");
}

#[tokio::test]
async fn tls_files_that_are_missing_are_named() {
    let url = "https://127.0.0.1:1/mcp";
    let config = json!({
        "ca": {"url": url, "ssl_verify": "/no/ca.pem"},
        "cert": {"url": url, "client_cert": ["/no/cert.pem", "/no/key.pem"]},
    });
    let host = Host::started(&config).await;
    for (server, key, path) in
        [("ca", "ssl_verify", "/no/ca.pem"), ("cert", "client_cert", "/no/cert.pem")]
    {
        let error = host.status(server).error.unwrap();
        assert!(error.contains(&format!("'{server}'")), "{error}");
        assert!(error.contains(key) && error.contains(path), "{error}");
    }
}

#[tokio::test]
async fn servers_are_reached_through_the_proxy_of_the_environment() {
    let proxy = Double::start().await;
    let through = |except: &str| {
        let vars = [("http_proxy", proxy.url("")), ("no_proxy", except.to_owned())];
        let vars = vars.map(|(name, value)| (name.to_owned(), value));
        let config = json!({"mcp_servers": {"web": {"url": "http://server.invalid/mcp"}}});
        Host::with(&config, |parts| parts.vars = parts.vars.clone().overlaid(vars))
    };
    let host = through("elsewhere.invalid");
    host.servers.start();
    assert!(host.servers.wait_ready(PATIENCE).await);
    assert_eq!(host.text("mcp__web__echo", json!({"text": "hi"})).await, "hi");
    assert!(proxy.seen().iter().all(|seen| seen.headers["host"] == "server.invalid"));
    host.servers.stop().await;

    let asked = proxy.seen().len();
    let host = through("server.invalid");
    host.servers.start();
    assert!(host.servers.wait_ready(PATIENCE).await);
    assert_ne!(host.status("web").state, ServerState::Connected);
    assert_eq!(proxy.seen().len(), asked, "this one is not for the proxy");
}
