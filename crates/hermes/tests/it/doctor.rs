//! `hermes doctor`.

use serde_json::{Value, json};

use crate::support::Sandbox;

/// What is found in files; no server is asked.
fn findings(sandbox: &Sandbox, code: i32) -> Vec<Value> {
    read(sandbox, &["doctor", "--json", "--offline"], code)
}

fn read(sandbox: &Sandbox, words: &[&str], code: i32) -> Vec<Value> {
    let run = sandbox.run(words).exits(code).quietly();
    let Value::Array(findings) = run.json() else { panic!("{run:#?}") };
    findings
}

fn about<'a>(findings: &'a [Value], what: &str) -> Vec<&'a Value> {
    findings.iter().filter(|finding| finding["about"] == what).collect()
}

#[test]
fn a_fresh_installation_is_in_good_health() {
    let sandbox = Sandbox::new();
    sandbox.run(["doctor"]).exits(0).quietly().says("✓ program  hermes").says("✓ tools");
    for finding in read(&sandbox, &["doctor", "--json"], 0)
        .iter()
        .filter(|finding| finding["about"] != "model")
    {
        assert_eq!(finding["health"], "good", "{finding}");
    }
    let found = read(&sandbox, &["doctor", "--json"], 0);
    assert_eq!(about(&found, "model")[0]["fix"], "hermes setup");
}

#[test]
fn the_server_and_its_key_are_asked_for_nothing_that_costs() {
    let server = hermes_testkit::ModelServer::start([hermes_testkit::Step::text("never")]);
    let config = |address: &str| {
        format!("model: {{ provider: custom, base_url: '{address}', default: scripted }}\n")
    };
    let sandbox = Sandbox::with_config(&config(&server.url()));
    sandbox.run(["doctor"]).exits(0).says("scripted (custom): the server").says("✓ disk");
    assert!(server.questions().is_empty());
    let gone = Sandbox::with_config(&config("http://127.0.0.1:9"));
    gone.run(["doctor"]).exits(1).says("✗ model").says("model.base_url");
    gone.run(["doctor", "--offline"]).exits(0);
}

#[test]
fn what_needs_no_decision_is_mended() {
    let sandbox = Sandbox::with_config("");
    sandbox.write(".env", "OPENAI_API_KEY=abc\n");
    sandbox.set_mode(".env", 0o644);
    sandbox.set_mode("", 0o755);
    sandbox.run(["doctor", "--offline"]).exits(1);
    sandbox.run(["doctor", "--offline", "--fix"]).exits(0).notes("mended: only you can read");
    assert_eq!((sandbox.mode(".env") & 0o777, sandbox.mode("") & 0o777), (0o600, 0o700));
}

#[test]
fn secrets_that_others_can_read_are_bad() {
    let sandbox = Sandbox::with_config("");
    sandbox.write(".env", "OPENAI_API_KEY=abc\n");
    assert_eq!(about(&findings(&sandbox, 0), "secrets")[0]["text"], "1 in .env");
    sandbox.set_mode(".env", 0o644);
    let found = findings(&sandbox, 1);
    let secrets = about(&found, "secrets");
    assert_eq!(secrets[0]["health"], "bad");
    let fix = format!("chmod 600 {}", sandbox.path(".env").display());
    assert_eq!(secrets[0]["fix"], json!(fix));
    let run = sandbox.run(["doctor", "--offline"]).exits(1).says("✗ secrets").says(&fix);
    assert!(!run.out.contains("abc"));
}

#[test]
fn a_home_that_others_can_read_is_worth_a_note() {
    let sandbox = Sandbox::with_config("");
    sandbox.set_mode("", 0o755);
    let found = findings(&sandbox, 0);
    assert_eq!(about(&found, "home")[0]["health"], "note");
    assert!(about(&found, "home")[0]["fix"].as_str().unwrap().starts_with("chmod 700"));
}

#[test]
fn differing_secrets_are_named_but_not_shown() {
    let sandbox = Sandbox::with_config("").var("OPENAI_API_KEY", "from-the-shell");
    sandbox.write(".env", "OPENAI_API_KEY=from-the-file\n");
    let run = sandbox.run(["doctor", "--offline"]).exits(0);
    assert!(!run.out.contains("from-the"), "{run:#?}");
    run.says("! secrets  OPENAI_API_KEY differs between .env and the environment; .env is used");
}

#[test]
fn lines_of_env_that_mean_nothing_are_named() {
    let sandbox = Sandbox::new();
    sandbox.write(".env", "GOOD=1\nno assignment\n");
    sandbox.run(["doctor"]).exits(0).says("line 2: ignored");
}

#[test]
fn an_unreadable_env_does_not_keep_the_doctor_away() {
    let sandbox = Sandbox::with_config("");
    std::fs::create_dir(sandbox.path(".env")).unwrap();
    sandbox.run(["doctor"]).exits(1).says("✗ secrets").says("cannot read");
    sandbox.run(["tools", "list"]).exits(0).notes("warning: no secrets are in force");
}

#[test]
fn a_home_that_is_a_file_is_bad() {
    let sandbox = Sandbox::new();
    crate::support::write(&sandbox.home(), b"");
    sandbox.run(["doctor"]).exits(1).says("✗ home").says("is not a folder").says("set HERMES_HOME");
}

#[test]
fn a_broken_configuration_is_shown_with_its_place() {
    let sandbox = Sandbox::with_config("model: x\ntools: [oops\n");
    let run = sandbox.run(["doctor"]).exits(1).says("✗ config").says("config.yaml:");
    let text = run.out.lines().skip_while(|line| !line.starts_with("✗ config"));
    let excerpt: Vec<&str> = text.skip(1).take(3).collect();
    assert!(excerpt.iter().all(|line| line.starts_with("           ")), "{excerpt:#?}");
}

#[test]
fn doubtful_settings_are_noted() {
    let sandbox = Sandbox::with_config("tools:\n  corcion: deep\n");
    sandbox.run(["doctor"]).exits(0).says("! config").says("did you mean tools.coercion?");
}
