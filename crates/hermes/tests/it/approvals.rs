//! Rules about commands: what would run, what would be asked about, and changing that.

use serde_json::{Value, json};

use crate::support::{Sandbox, column};

fn verdict(sandbox: &Sandbox, command: &str, audience: &str) -> Value {
    let args = ["approvals", "test", command, "--audience", audience, "--json"];
    let run = sandbox.run(args);
    let verdict = run.json();
    let code = if verdict["verdict"] == "refused" { 4 } else { 0 };
    run.exits(code);
    verdict
}

#[test]
fn a_verdict_names_the_rule_and_the_words() {
    let sandbox = Sandbox::new();
    sandbox.run(["approvals", "test", "ls -l"]).exits(0).says("runs").quietly();
    sandbox
        .run(["approvals", "test", "rm -r notes"])
        .exits(0)
        .says("asks")
        .says("recursive delete");
    sandbox.run(["approvals", "test", "rm -rf /"]).exits(4).says("refused: hardline");
    sandbox
        .run(["approvals", "test", "rm -r notes", "--why"])
        .exits(0)
        .says("hermes approvals add --allow");
    assert!(sandbox.entries().is_empty(), "looking makes nothing");
}

#[test]
fn who_is_there_decides_what_becomes_of_a_flagged_command() {
    let sandbox = Sandbox::new();
    let asked = verdict(&sandbox, "rm -r notes", "terminal");
    assert_eq!((&asked["verdict"], &asked["widest"]), (&json!("asks"), &json!("always")));
    assert_eq!((&asked["dangerous"], &asked["floor"]), (&json!(true), &json!(false)));
    assert_eq!(asked["findings"][0]["severity"], "dangerous");
    let alone = verdict(&sandbox, "rm -r notes", "nobody");
    assert_eq!(
        (&alone["verdict"], &alone["by"]),
        (&json!("refused"), &json!("approvals.headless_mode"))
    );
    assert!(alone["message"].as_str().unwrap().contains("Nobody is there"));
    assert_eq!(verdict(&sandbox, "rm -r notes", "cron")["by"], "approvals.cron_mode");
    assert_eq!(verdict(&sandbox, "ls", "cron")["verdict"], "runs");
}

#[test]
fn the_person_at_the_terminal_is_asked_and_heard() {
    let sandbox = Sandbox::new();
    let folder = sandbox.scratch("build");
    let call = json!({"command": format!("rm -r {}", folder.display())}).to_string();
    let args = ["tools", "call", "terminal", call.as_str()];
    std::fs::create_dir(&folder).unwrap();
    let refused = sandbox.run_at_terminal(&args, "\n").notes("Allow?");
    assert_eq!(refused.json()["user_consent"], false, "Enter means no");
    assert!(folder.exists());
    let alone = sandbox.run(args);
    assert_eq!(alone.json()["status"], "blocked", "nobody is there");
    assert!(folder.exists());
    let allowed = sandbox.run_at_terminal(&args, "always\n").exits(0);
    assert!(allowed.json()["approval"].as_str().unwrap().contains("for good"));
    assert!(!folder.exists());
    std::fs::create_dir(&folder).unwrap();
    sandbox.run(args).exits(0);
    assert!(!folder.exists(), "a yes for good needs nobody");
    let log = sandbox.read("logs/approvals.jsonl");
    let by: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["by"].clone())
        .collect();
    assert_eq!(by, ["user", "approvals.headless_mode", "user", "remembered"]);
}

#[test]
fn yolo_lifts_everything_but_the_floor_and_deny_rules() {
    let sandbox = Sandbox::with_config("approvals:\n  deny: ['git push*']\n");
    let run = |command: &str| {
        let args = ["approvals", "test", command, "--yolo", "--audience", "nobody", "--json"];
        sandbox.run(args).json()["by"].clone()
    };
    assert_eq!(run("rm -r notes"), "yolo");
    assert_eq!(run("cd x && sudo git push"), "deny rule");
    assert_eq!(run("rm -rf /"), "hardline");
    let sandbox = Sandbox::new().var("HERMES_YOLO_MODE", "1");
    assert_eq!(verdict(&sandbox, "rm -r notes", "nobody")["by"], "yolo");
}

#[test]
fn a_rule_is_added_listed_and_taken_back() {
    let sandbox = Sandbox::with_config("# mine\nmodel: x  # best\n");
    sandbox.run(["approvals", "add", "--allow", "rm -r notes*"]).exits(0).says("approvals.allow");
    let allowed = verdict(&sandbox, "rm -r notes", "nobody");
    assert_eq!((&allowed["by"], &allowed["rule"]), (&json!("allow rule"), &json!("rm -r notes*")));
    assert_eq!(verdict(&sandbox, "rm -r notes; rm -r x", "nobody")["verdict"], "refused");
    sandbox.run(["approvals", "add", "--deny", "npm publish*"]).exits(0);
    sandbox.run(["approvals", "add", "--ask", "npm *"]).exits(0);
    sandbox.run(["approvals", "add", "--ask", "npm *"]).exits(0).notes("already");
    assert_eq!(verdict(&sandbox, "npm publish", "terminal")["rule"], "npm publish*");
    let asked = verdict(&sandbox, "npm test", "terminal");
    assert_eq!((&asked["verdict"], &asked["widest"]), (&json!("asks"), &json!("session")));
    let list = sandbox.run(["approvals", "list", "--json"]).exits(0).json();
    assert_eq!((&list["deny"], &list["ask"]), (&json!(["npm publish*"]), &json!(["npm *"])));
    sandbox.run(["approvals", "list"]).exits(0).says("npm publish*").says("never runs");
    sandbox.run(["approvals", "revoke", "npm publish*"]).exits(0).says("approvals.deny");
    assert_eq!(verdict(&sandbox, "npm publish", "terminal")["verdict"], "asks");
    sandbox.run(["approvals", "revoke", "npm publish"]).exits(2).notes("unknown rule");
    let config = sandbox.read("config.yaml");
    assert!(config.contains("# mine") && config.contains("# best"), "{config}");
}

#[test]
fn a_rule_does_not_change_the_mode() {
    let sandbox = Sandbox::new();
    let mode = || sandbox.run(["approvals", "list", "--json"]).exits(0).json()["mode"].clone();
    assert_eq!(mode(), "manual");
    sandbox.run(["approvals", "add", "--deny", "x"]).exits(0);
    assert_eq!(mode(), "manual");
}

#[test]
fn a_category_can_be_allowed_for_good_but_the_floor_cannot() {
    let sandbox = Sandbox::new();
    let category = verdict(&sandbox, "rm -r notes", "nobody")["findings"][0]["category"].clone();
    let category = category.as_str().unwrap();
    sandbox.run(["approvals", "add", "--allow", category]).exits(0).says("command_allowlist");
    assert_eq!(verdict(&sandbox, "rm -r other", "nobody")["by"], "remembered");
    sandbox.run(["approvals", "revoke", category]).exits(0);
    assert_eq!(verdict(&sandbox, "rm -r other", "nobody")["verdict"], "refused");
    let floor = verdict(&sandbox, "rm -rf /", "nobody")["findings"][0]["category"].clone();
    sandbox
        .run(["approvals", "add", "--allow", floor.as_str().unwrap()])
        .exits(2)
        .notes("never allowed");
}

#[test]
fn a_rule_that_could_never_hold_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.run(["approvals", "add", "--allow", "git pull && make"]).exits(2).notes("never hold");
    sandbox.run(["approvals", "add", "--allow", " "]).exits(2);
    sandbox.run(["approvals", "add", "ls"]).exits(2).notes("--allow");
    assert!(sandbox.entries().is_empty());
}

#[test]
fn a_stream_of_commands_gets_an_answer_a_line() {
    let input = "\"ls -l\"\n\"rm -rf /\"\nnonsense\n\"rm -r notes\"\n";
    let run = Sandbox::new().run_with_stdin(["approvals", "test", "--stdin"], input).exits(0);
    let answers: Vec<Value> =
        run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 4);
    assert_eq!(answers[0], json!({"dangerous": false, "floor": false, "findings": []}));
    assert_eq!(answers[1]["floor"], true);
    assert!(answers[2]["error"].as_str().unwrap().contains("JSON string"));
    assert_eq!(answers[3]["dangerous"], true);
    for field in ["category", "words", "severity", "why"] {
        assert!(!column(&answers[3]["findings"], field).is_empty());
    }
}

#[test]
fn settings_that_make_no_sense_are_told_and_the_careful_one_counts() {
    let sandbox = Sandbox::with_config("approvals:\n  mode: perhaps\n");
    let run = sandbox.run(["approvals", "list", "--json"]).exits(0);
    assert_eq!(run.json()["mode"], "manual");
    run.notes("approvals.mode");
    let broken = Sandbox::with_config("approvals: [\n");
    broken.run(["approvals", "test", "rm -r notes"]).exits(0).says("asks").notes("broken");
    broken.run(["approvals", "add", "--allow", "ls"]).exits(1).notes("config edit");
}
