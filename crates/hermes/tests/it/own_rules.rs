//! The program changes none of its rules for one of its own commands, whatever was answered.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::Sandbox;

/// Nobody is asked about anything: what is refused here is refused by the program itself.
const UNASKED: &str = "approvals: {mode: off}\n";

/// What a command of the terminal tool gives.
fn terminal(sandbox: &Sandbox, command: &str) -> Value {
    let call = json!({"command": command}).to_string();
    sandbox.run(["tools", "call", "terminal", &call]).json()
}

/// The program, as a command spells it.
fn hermes() -> String {
    env!("CARGO_BIN_EXE_hermes").to_owned()
}

#[test]
fn what_loosens_a_rule_is_refused_below_a_command_of_ours() {
    let sandbox = Sandbox::with_config(UNASKED);
    for act in [
        "config set approvals.headless_mode approve",
        "config set terminal.sandbox off",
        "config unset approvals",
        "approvals add --allow 'rm *'",
        "approvals revoke 'rm *'",
        "hooks approve",
        "plugins enable x",
        "mcp add x -- true",
        "tools enable moa",
        "model set other",
        "fallback add x --provider custom --base-url http://127.0.0.1:9/v1",
        "login openrouter",
        "logout openrouter",
        "webhook subscribe build",
        "update --yes",
        "uninstall --yes",
        "migrate --from /tmp --force",
        "skills search pdf",
        "dashboard --port 0",
        "skills install acme/tools/pdf --yes",
        "--yolo tools list",
        "--accept-hooks tools list",
        "--ignore-user-config tools list",
    ] {
        let done = terminal(&sandbox, &format!("{} {act}", hermes()));
        let output = done["output"].as_str().unwrap_or_default();
        assert_ne!(done["exit_code"], 0, "{act}: {done}");
        assert!(output.contains("may not"), "{act}: {output}");
        assert!(!output.contains("hermes "), "no way around it is named: {output}");
    }
    assert_eq!(sandbox.read("config.yaml"), UNASKED);
}

#[test]
fn the_mark_cannot_be_shaken_off() {
    let sandbox = Sandbox::with_config(UNASKED);
    let (hermes, home) = (hermes(), sandbox.home().display().to_string());
    let set = format!("{hermes} config set approvals.headless_mode approve");
    // The terminal tool itself refuses some of these words; a script may say them.
    let script = |name: &str, body: String| sandbox.script(name, &body);
    for spelling in [
        format!("env -i HERMES_HOME={home} {set}"),
        script("leaves", format!("setsid -w {set}")),
        script("orphans", format!("(setsid sh -c '{set}' >out 2>&1 &); sleep 3; cat out")),
        script("closes", format!("exec 3>&- 4>&- 5>&-; nohup sh -c '{set}' 2>&1")),
        format!("ulimit -x unlimited 2>/dev/null; sh -c 'exec {set}'"),
        format!("cp {hermes} other; ./other config set approvals.headless_mode approve"),
        format!("python3 -c 'import subprocess; subprocess.run(\"{set}\".split())'"),
    ] {
        let done = terminal(&sandbox, &spelling);
        assert!(done["output"].to_string().contains("may not"), "{spelling}: {done}");
    }
    assert_eq!(sandbox.read("config.yaml"), UNASKED);
}

/// Who kills the process that watches over a command is still known for what they are.
#[test]
fn the_mark_outlives_the_supervisor() {
    let sandbox = Sandbox::with_config(UNASKED);
    let set = format!("{} config set approvals.headless_mode approve", hermes());
    let said = sandbox.scratch("said");
    let out = said.display();
    terminal(
        &sandbox,
        &format!(
            "setsid sh -c 'kill -9 '$PPID'; sleep 0.3; {set} >{out} 2>&1; echo end >>{out}' & sleep 5"
        ),
    );
    let deadline = Instant::now() + Duration::from_secs(30);
    let text = loop {
        let text = std::fs::read_to_string(&said).unwrap_or_default();
        // Where everything below dies with the supervisor there is nobody left to say anything.
        if text.contains("end") || Instant::now() > deadline {
            break text;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    assert!(text.contains("may not") || text.is_empty(), "{text}");
    assert_eq!(sandbox.read("config.yaml"), UNASKED);
}

/// A home of one's own making, a variable or a terminal of one's own opens nothing either.
#[test]
fn a_gate_below_a_command_of_ours_trusts_no_setting() {
    let sandbox = Sandbox::with_config(UNASKED);
    let kept = sandbox.scratch("kept");
    std::fs::create_dir(&kept).unwrap();
    let call = json!({"command": format!("rm -r {}", kept.display())}).to_string();
    let call = format!("{} tools call terminal '{call}'", hermes());
    for spelling in [
        call.clone(),
        format!("HERMES_YOLO_MODE=1 {call}"),
        format!(
            "mkdir -p h; echo 'approvals: {{mode: off, allow: [\"rm *\"], headless_mode: approve}}' \
             > h/config.yaml; HERMES_HOME=$PWD/h {call}"
        ),
        format!(
            "echo 'command_allowlist: [recursive delete]' > h/config.yaml; HERMES_HOME=$PWD/h {call}"
        ),
        // A few answers and not an endless flood of them: `script` itself locks up under one.
        format!(
            "printf 'always\\nalways\\nalways\\n' | script -qec \"{}\" /dev/null",
            call.replace('"', "\\\"")
        ),
    ] {
        let done = terminal(&sandbox, &spelling);
        assert!(kept.exists(), "{spelling}: {done}");
        assert!(done["output"].to_string().contains("BLOCKED"), "{spelling}: {done}");
    }
}

/// The variable that leaves out the user's hooks is a person's to set.
#[test]
fn hooks_are_not_left_out_below_a_command_of_ours() {
    let sandbox = Sandbox::new();
    let block = r#"echo '{"action": "block", "message": "not this one"}'"#;
    let command = sandbox.script("hook.sh", block);
    let hook = format!("pre_tool_call:\n    - command: {command}\n      matcher: read_file\n");
    sandbox.write("config.yaml", &format!("{UNASKED}hooks_auto_accept: true\nhooks:\n  {hook}"));
    let call = ["tools", "call", "read_file", r#"{"path": "config.yaml"}"#];
    assert!(sandbox.run(call).out.contains("not this one"));
    let below =
        format!("HERMES_SAFE_MODE=1 {} tools call read_file '{{\"path\": \"x\"}}'", hermes());
    let done = terminal(&sandbox, &below);
    assert!(done["output"].to_string().contains("not this one"), "{done}");
    let mut person = sandbox.command();
    let run = person.env("HERMES_SAFE_MODE", "1").args(call).output().unwrap();
    assert!(!String::from_utf8_lossy(&run.stdout).contains("not this one"), "{run:?}");
}

/// The same acts by a person work, and reading works for everybody.
#[test]
fn a_person_may_and_looking_is_free() {
    let sandbox = Sandbox::with_config(UNASKED);
    let done = terminal(&sandbox, &format!("{} config get approvals.mode", hermes()));
    assert_eq!(done["exit_code"], 0, "{done}");
    sandbox.run(["config", "set", "approvals.headless_mode", "approve"]).exits(0);
    sandbox.run(["approvals", "add", "--allow", "rm -r notes*"]).exits(0);
    sandbox.run(["--yolo", "tools", "list"]).exits(0);
}
