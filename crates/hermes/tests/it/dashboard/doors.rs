//! Who gets in.

use hermes_testkit::{ModelServer, Step};
use serde_json::json;

use super::{Dash, header, serve, settings};
use crate::support::Sandbox;
use crate::wire::{Request, Served};

fn bare() -> (Sandbox, Served) {
    let sandbox = Sandbox::new();
    let server = serve(&sandbox);
    (sandbox, server)
}

#[test]
fn a_link_opens_once_and_its_cookie_is_for_us_alone() {
    let (_sandbox, server) = bare();
    let link = format!("/?{}", server.url.split_once("/?").unwrap().1);
    assert_eq!(link.len(), "/?t=".len() + 64);
    let first = server.send(&Request::get(&link));
    assert_eq!(first.status, 303);
    let cookie = header(&first, "set-cookie").unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert_eq!(header(&first, "location").unwrap(), "/", "the secret leaves the address bar");
    let second = server.send(&Request::get(&link));
    assert_eq!(second.status, 403);
    assert!(header(&second, "set-cookie").is_none());
    let guessed = server.send(&Request::get(&format!("/?t={}", "0".repeat(64))));
    assert_eq!(guessed.status, 403);
}

#[test]
fn without_a_login_there_is_nothing_but_the_login() {
    let (_sandbox, server) = bare();
    for page in ["/", "/chat", "/sessions", "/config", "/models", "/logs", "/nothing"] {
        let answer = server.send(&Request::get(page));
        assert_eq!(
            (answer.status, header(&answer, "location").as_deref()),
            (303, Some("/login")),
            "{page}"
        );
    }
    for program in ["/api/waiting", "/chat/x/events"] {
        let answer = server.send(&Request::get(program).header("Accept", "application/json"));
        assert_eq!(answer.status, 401, "{program}");
    }
    let wrong = Request::get("/").header("Cookie", "hermes_dashboard=0123456789abcdef");
    assert_eq!(server.send(&wrong).status, 303);
    let change = Request::post("/keys", b"name=A_KEY&value=x")
        .header("Origin", format!("http://{}", server.authority));
    assert_eq!(server.send(&change).status, 401);
    let login = server.send(&Request::get("/login"));
    assert_eq!(login.status, 200);
    assert!(login.body.contains("hermes dashboard"), "{}", login.body);
    let status = server.send(&Request::get("/api/status")).json();
    assert_eq!(status["status"], "ok");
    assert!(status.get("home").is_none() && status.get("model").is_none(), "{status}");
}

#[test]
fn foreign_hosts_and_origins_are_refused_even_with_the_cookie() {
    let dash = Dash::start([Step::text("never")]);
    let page = || Request::get("/").header("Cookie", dash.cookie.clone());
    assert_eq!(dash.server.send(&page()).status, 200);
    for foreign in ["evil.example", "127.0.0.1.nip.io", "localhost.evil.example"] {
        let answer = dash.server.send(&page().host(foreign));
        assert_eq!(answer.status, 403, "{foreign}");
        assert!(!answer.body.contains("form_token"), "{}", answer.body);
    }
    let body = format!("form_token={}&theme=dark", dash.form_token);
    let request = |origin: Option<&str>| {
        let mut request = dash.form("/theme", body.as_bytes());
        request.headers.retain(|(name, _)| *name != "Origin");
        match origin {
            Some(origin) => request.header("Origin", origin),
            None => request,
        }
    };
    for foreign in ["https://evil.example", "null", "http://127.0.0.1:1"] {
        assert_eq!(dash.server.send(&request(Some(foreign))).status, 403, "{foreign}");
    }
    assert_eq!(dash.server.send(&request(None)).status, 403, "no origin at all");
    let own = format!("http://{}", dash.server.authority);
    assert_eq!(dash.server.send(&request(Some(&own))).status, 303);
}

#[test]
fn what_changes_something_needs_the_token_of_the_login() {
    let dash = Dash::start([Step::text("never")]);
    for body in [
        "name=TEST_API_KEY&value=secret",
        "form_token=&name=TEST_API_KEY&value=x",
        "form_token=0000&name=TEST_API_KEY&value=x",
    ] {
        let answer = dash.server.send(&dash.form("/keys", body.as_bytes()));
        assert_eq!(answer.status, 403, "{body}");
    }
    assert!(!dash.sandbox.path(".env").exists());
    let said = dash.server.send(
        &Request::post(
            "/chat/20260101_000000_00000000/say",
            json!({"text": "hi"}).to_string().as_bytes(),
        )
        .header("Cookie", dash.cookie.clone())
        .header("Origin", format!("http://{}", dash.server.authority)),
    );
    assert_eq!(said.status, 403);
    assert!(dash.model.questions().is_empty());
}

#[test]
fn pages_say_what_they_may_load_and_nobody_keeps_them() {
    let dash = Dash::start([Step::text("never")]);
    let page = dash.get("/");
    let policy = header(&page, "content-security-policy").unwrap();
    assert!(
        policy.contains("script-src 'self'") && policy.contains("frame-ancestors 'none'"),
        "{policy}"
    );
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(header(&page, "cache-control").as_deref(), Some("no-store"));
    assert_eq!(header(&page, "x-content-type-options").as_deref(), Some("nosniff"));
    // Forms of a page without any referrer would not tell where they stand.
    assert_eq!(header(&page, "referrer-policy").as_deref(), Some("same-origin"));
    let style = page.body.split("href=\"").find(|part| part.contains(".css")).unwrap();
    let style = dash.server.send(&Request::get(style.split('"').next().unwrap()));
    assert_eq!(style.status, 200);
    assert!(header(&style, "cache-control").unwrap().contains("immutable"));
}

#[test]
fn a_login_ends_on_the_server() {
    let dash = Dash::start([Step::text("never")]);
    assert_eq!(dash.submit("/logout", &[]).status, 303);
    assert_eq!(header(&dash.get("/"), "location").as_deref(), Some("/login"));
}

#[test]
fn other_machines_get_in_by_a_password_or_not_at_all() {
    let sandbox = Sandbox::new();
    let refused = sandbox.run(["dashboard", "--host", "0.0.0.0", "--port", "0"]).exits(1);
    assert!(refused.err.contains("set-password"), "{}", refused.err);
    let refused =
        sandbox.run(["dashboard", "--host", "0.0.0.0", "--port", "0", "--insecure"]).exits(1);
    assert!(refused.err.contains("no effect"), "{}", refused.err);
    sandbox.run_with_stdin(["dashboard", "set-password"], "short\nshort\n").exits(1);
    sandbox
        .run_with_stdin(["dashboard", "set-password"], "correct horse\ncorrect house\n")
        .exits(1);
    assert!(!sandbox.path("config.yaml").exists());
    sandbox
        .run_with_stdin(["dashboard", "set-password"], "correct horse\ncorrect horse\n")
        .exits(0);
    let kept = sandbox.read("config.yaml");
    assert!(kept.contains("scrypt$") && !kept.contains("horse"), "{kept}");
    let args = ["dashboard", "--host", "0.0.0.0", "--port", "0"];
    let mut server = Served::start_saying(&sandbox, &args, 1);
    assert!(!server.url.contains("?t="), "a link would be a way around it: {}", server.url);
    server.authority = server.authority.replace("0.0.0.0", "127.0.0.1");
    let origin = format!("http://{}", server.authority);
    let enter = |body: &str| {
        let request = Request { method: "POST", body: body.as_bytes(), ..Request::get("/login") };
        server.send(
            &request
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header("Origin", origin.clone()),
        )
    };
    assert_eq!(enter("name=owner&password=correct+horse").status, 303);
    assert_eq!(enter("name=owner&password=guess").status, 401);
    assert_eq!(enter("name=other&password=correct+horse").status, 401);
    for _ in 0..2 {
        assert_eq!(enter("name=owner&password=guess").status, 401);
    }
    assert_eq!(enter("name=owner&password=guess").status, 429);
    assert_eq!(enter("name=owner&password=correct+horse").status, 429, "also the right one");
    let log = sandbox.read("logs/dashboard-audit.log");
    assert!(log.contains("locked out") && !log.contains("horse"), "{log}");
}

#[test]
fn one_dashboard_a_home_and_it_can_be_ended() {
    let model = ModelServer::start([Step::text("never")]);
    let sandbox = Sandbox::with_config(&settings(&model, ""));
    sandbox.run(["dashboard", "--status"]).exits(1);
    let server = serve(&sandbox);
    assert!(sandbox.run(["dashboard", "--status"]).exits(0).out.contains(&server.authority));
    let second = sandbox.run(["dashboard", "--port", "0"]).exits(1);
    assert!(second.err.contains("runs already"), "{}", second.err);
    sandbox.run(["dashboard", "--stop"]).exits(0);
    crate::wire::wait_until("its end", || sandbox.run(["dashboard", "--status"]).code == Some(1));
    drop(server);
}
