//! `hermes auth`, `login`, `logout` and `fallback`.

use serde_json::json;

use crate::support::Sandbox;

const KEY: &str = "sk-or-v1-verysecretverysecret0123456789";

#[test]
fn a_key_is_stored_told_of_and_forgotten_and_never_shown() {
    let sandbox = Sandbox::with_config("timezone: UTC\n");
    sandbox.write(".env", "# mine\nOTHER=1\n");
    let run = sandbox.run_with_stdin(["login", "openrouter"], format!("{KEY}\n")).exits(0);
    assert!(!format!("{run:?}").contains("verysecret"));
    assert_eq!(sandbox.mode(".env"), 0o600);
    assert_eq!(sandbox.read(".env"), format!("# mine\nOTHER=1\nOPENROUTER_API_KEY={KEY}\n"));
    let list = sandbox.run(["auth", "list", "--json"]).exits(0);
    assert!(!list.out.contains("verysecret"));
    let rows = list.json();
    let row = rows.as_array().unwrap().iter().find(|row| row["provider"] == "openrouter").unwrap();
    assert_eq!(row["set"], "OPENROUTER_API_KEY in .env");
    sandbox.run(["auth"]).exits(0).says("OPENROUTER_API_KEY in .env");
    sandbox.run(["logout", "openrouter"]).exits(0).says("OPENROUTER_API_KEY");
    assert_eq!(sandbox.read(".env"), "# mine\nOTHER=1\n");
    sandbox.run(["logout", "openrouter"]).exits(0).says("there was no key");
    for bad in ["", "two words", &"x".repeat(5_000)] {
        sandbox.run_with_stdin(["auth", "add", "openrouter"], format!("{bad}\n")).exits(2);
    }
    assert_eq!(sandbox.read(".env"), "# mine\nOTHER=1\n");
    sandbox.run(["login", "openruter"]).exits(2).notes("openrouter");
    sandbox.run(["login", "custom"]).exits(2).notes("base_url");
    let named = Sandbox::with_config("").var("OPENROUTER_API_KEY", KEY);
    named.run(["logout", "openrouter"]).exits(0).notes("still counts");
}

#[test]
fn models_that_stand_in_are_listed_added_and_removed() {
    let sandbox = Sandbox::with_config("# mine\ntimezone: UTC\n");
    sandbox.write(".env", &format!("OPENROUTER_API_KEY={KEY}\n"));
    sandbox.run(["fallback"]).exits(0).says("No model stands in");
    let local =
        ["fallback", "add", "tiny", "--provider", "custom", "--base-url", "http://127.0.0.1:9/v1"];
    sandbox.run(["fallback", "add", "big/model", "--provider", "openrouter"]).exits(0);
    sandbox.run(local).exits(0);
    // The same one again changes nothing.
    sandbox.run(local).exits(0);
    let list = sandbox.run(["fallback", "list", "--json"]).exits(0).json();
    assert_eq!(
        list,
        json!([
            {"provider": "openrouter", "model": "big/model"},
            {"provider": "custom", "model": "tiny", "base_url": "http://127.0.0.1:9/v1"},
        ])
    );
    // Nobody could be asked: nothing is remembered.
    sandbox
        .run(["fallback", "add", "x", "--provider", "anthropic"])
        .exits(1)
        .notes("ANTHROPIC_API_KEY");
    sandbox.run(["fallback", "remove", "1"]).exits(0);
    sandbox.run(["fallback", "remove", "big/model"]).exits(2).notes("fallback list");
    sandbox.run(["fallback", "list"]).exits(0).says("tiny");
    sandbox.run(["fallback", "clear"]).exits(0);
    sandbox.run(["fallback"]).exits(0).says("No model stands in");
    assert!(sandbox.read("config.yaml").starts_with("# mine\ntimezone: UTC\n"));
}

#[test]
fn a_route_for_other_programs_has_a_secret_that_is_told_once() {
    let sandbox = Sandbox::with_config("# mine\ntimezone: UTC\n");
    sandbox.run(["webhook"]).exits(0).says("No route");
    let asked =
        ["webhook", "subscribe", "build", "--events", "push,tag", "--prompt", "{a.b} failed"];
    let made = sandbox.run(asked).exits(0).says("http://127.0.0.1:8644/webhooks/build");
    let secret =
        made.out.lines().find_map(|line| line.strip_prefix("secret   ")).unwrap().to_owned();
    assert!(secret.len() >= 32, "{secret}");
    assert!(sandbox.read(".env").contains(&format!("WEBHOOK_BUILD_SECRET={secret}\n")));
    assert!(!sandbox.read("config.yaml").contains(&secret));
    let list = sandbox.run(["webhook", "list", "--json"]).exits(0);
    assert!(!list.out.contains(&secret));
    let route = list.json()[0].clone();
    assert_eq!((&route["events"], &route["has_secret"]), (&json!(["push", "tag"]), &json!(true)));
    sandbox.run(asked).exits(2).notes("already");
    sandbox.run(["webhook", "subscribe", "../up"]).exits(2).notes("small letters");
    sandbox
        .run(["webhook", "subscribe", "x", "--deliver", "nowhere"])
        .exits(2)
        .notes("no platform");
    sandbox.run(["webhook", "remove", "build"]).exits(0);
    assert!(!sandbox.read(".env").contains("WEBHOOK_BUILD_SECRET"));
    sandbox.run(["webhook", "remove", "build"]).exits(2);
}
