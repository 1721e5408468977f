//! From a token to a first answered message, and the gateway as a service.

use std::io::Write as _;
use std::process::Stdio;

use hermes_testkit::Step;

use super::{OWNER, Scene, TOKEN};

#[test]
fn four_answers_lead_to_a_first_answered_message() {
    let mut scene = Scene::new([Step::text("Welcome, owner.")], "");
    scene.sandbox.write(".env", "");
    let mut command = scene.sandbox.command();
    command.args(["gateway", "setup", "telegram"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut setup = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut keys = setup.stdin.take().unwrap();
    // The token, that it was us who wrote, that news go there, and no service.
    writeln!(keys, "{TOKEN}\ny\ny\nn").unwrap();
    drop(keys);
    scene.telegram.say(OWNER, "hello, it is me");
    let done = setup.wait_with_output().unwrap();
    let said =
        String::from_utf8_lossy(&done.stderr).into_owned() + &String::from_utf8_lossy(&done.stdout);
    assert!(done.status.success(), "{said}");
    assert!(said.contains("@HermesDoubleBot") && said.contains("hermes gateway run"), "{said}");
    assert!(!said.contains(TOKEN), "a token is never shown: {said}");
    let env = std::fs::read_to_string(scene.sandbox.path(".env")).unwrap();
    assert!(env.contains(&format!("TELEGRAM_ALLOWED_USERS={OWNER}")), "{env}");
    assert!(env.contains(&format!("TELEGRAM_HOME_CHANNEL={OWNER}")), "{env}");
    assert_eq!(scene.sandbox.mode(".env"), 0o600);
    scene.start();
    // What was written while it was set up is answered now.
    scene.telegram.wait_for_text(OWNER, "Welcome, owner.");
}

#[test]
fn a_wrong_token_is_not_stored() {
    let scene = Scene::new([Step::text("x")], "");
    scene.sandbox.write(".env", "");
    let mut command = scene.sandbox.command();
    command.args(["gateway", "setup", "telegram"]).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut setup = command.stderr(Stdio::piped()).spawn().unwrap();
    writeln!(setup.stdin.take().unwrap(), "1:wrong").unwrap();
    let done = setup.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(!done.status.success() && said.contains("Nothing was stored"), "{said}");
    assert_eq!(std::fs::read_to_string(scene.sandbox.path(".env")).unwrap(), "");
}

#[test]
fn without_a_service_start_says_what_to_do() {
    let scene = Scene::new([Step::text("x")], "");
    scene.sandbox.run(["gateway", "stop"]).exits(3);
    scene.sandbox.run(["gateway", "start"]).exits(1).notes("gateway run");
}
