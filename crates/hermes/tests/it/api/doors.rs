//! Who gets in, and what is told to whom.

use hermes_testkit::Step;
use serde_json::json;

use super::Api;
use crate::support::Sandbox;
use crate::wire::Request;

#[test]
fn only_health_is_told_without_the_key() {
    let api = Api::start([Step::text("never")]);
    for open in ["/health", "/v1/health"] {
        let answer = api.server.send(&Request::get(open));
        assert_eq!((answer.status, answer.json()["status"].clone()), (200, json!("ok")), "{open}");
        let head = answer.head.to_lowercase();
        for header in [
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "x-frame-options: deny",
            "content-security-policy: default-src 'none'",
        ] {
            assert!(head.contains(header), "{header}: {head}");
        }
    }
    for closed in
        ["/health/detailed", "/v1/models", "/v1/capabilities", "/api/sessions", "/nothing"]
    {
        let answer = api.server.send(&Request::get(closed));
        assert_eq!(answer.status, 401, "{closed}");
        assert_eq!(answer.json()["error"]["code"], "invalid_api_key");
        assert_eq!(answer.json()["error"]["type"], "invalid_request_error");
    }
    let lower = api
        .server
        .send(&Request::get("/v1/models").header("Authorization", format!("bearer {}", api.key)));
    assert_eq!(lower.status, 200);
    let foreign = api.server.send(&Request::get("/v1/models").host("evil.example").token(&api.key));
    assert_eq!((foreign.status, foreign.code().as_str()), (403, "foreign_host"));
}

#[test]
fn pages_of_named_origins_may_call_and_no_others() {
    let api = Api::with(
        [Step::text("never")],
        "gateway:\n  api_server:\n    cors_origins: ['https://chat.example']\n",
    );
    let asks = |origin: &str| {
        let request = Request { method: "OPTIONS", ..Request::get("/v1/models") };
        api.server
            .send(&request.header("Origin", origin).header("Access-Control-Request-Method", "POST"))
    };
    let answer = asks("https://chat.example");
    assert_eq!(answer.status, 204, "{answer:?}");
    assert!(
        answer.head.to_lowercase().contains("access-control-allow-origin: https://chat.example")
    );
    let answer = asks("https://evil.example");
    assert_eq!(answer.status, 403, "{answer:?}");
    assert!(!answer.head.to_lowercase().contains("access-control-allow-origin"));
    let called =
        Request::get("/v1/models").token(&api.key).header("Origin", "https://chat.example");
    assert_eq!(api.server.send(&called).status, 200);
}

#[test]
fn weak_keys_and_large_bodies_are_refused() {
    let sandbox = Sandbox::with_config(
        "model:\n  provider: custom\n  base_url: http://127.0.0.1:9\n  default: x\n",
    )
    .var("API_SERVER_KEY", "short");
    sandbox.run(["api", "--listen", "127.0.0.1:0"]).exits(1).notes("at least 16");
    let api = Api::start([Step::text("never")]);
    let body = vec![b' '; 10 * 1024 * 1024 + 1];
    let answer = api.server.send(&Request::post("/v1/chat/completions", &body).token(&api.key));
    assert_eq!((answer.status, answer.code().as_str()), (413, "body_too_large"));
}

#[test]
fn it_says_what_it_can_do() {
    let api = Api::with(
        [Step::text("by the small one")],
        "gateway:\n  api_server:\n    model_name: house\n    model_routes:\n      small: { model: tiny }\n",
    );
    let models = api.get("/v1/models").json();
    let names: Vec<&str> =
        models["data"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(names, ["house", "small"]);
    assert_eq!(api.get("/v1/models/small").json()["root"], "tiny");
    assert_eq!(api.get("/v1/models/large").status, 404);
    let about = api.get("/v1/capabilities").json();
    assert_eq!(about["object"], "hermes.api_server.capabilities");
    assert_eq!(about["features"]["runs"], true);
    let toolsets = api.get("/v1/toolsets").json();
    let terminal =
        toolsets["data"].as_array().unwrap().iter().find(|one| one["name"] == "terminal");
    assert_eq!(terminal.unwrap()["enabled"], true, "{toolsets}");
    assert!(api.get("/v1/skills").json()["data"].is_array());
    assert_eq!(api.get("/health/detailed").json()["turns"]["free"], 10);
    // A route is another model for the same agent.
    let body = json!({"model": "small", "messages": [{"role": "user", "content": "hi"}]});
    assert_eq!(api.post("/v1/chat/completions", &body).json()["model"], "small");
    assert_eq!(api.asked(0)["model"], "tiny");
}
