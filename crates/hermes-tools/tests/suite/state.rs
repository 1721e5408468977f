//! What one command leaves for the next.

use serde_json::json;

use crate::backends::Rig;

pub(crate) async fn directory_variables_functions_and_aliases_are_kept(rig: &Rig) {
    for (first, second, expected) in [
        ("cd /usr/bin", "pwd", "/usr/bin"),
        ("export GREETING='a  b'", "echo \"$GREETING\"", "a  b"),
        ("greet() { echo hello $1; }", "greet you", "hello you"),
        ("alias shout='echo LOUD'", "shout", "LOUD"),
        (
            "export GONE=1; unset GONE HOME",
            "echo [${GONE-unset}] [${HOME-unset}]",
            "[unset] [unset]",
        ),
    ] {
        rig.terminal(first).await;
        assert_eq!(rig.output(second).await, expected, "{first}");
        assert_eq!(rig.output(second).await, expected, "{first}, a command later");
    }
}

pub(crate) async fn however_a_command_ends_its_state_is_kept(rig: &Rig) {
    for (n, (command, code)) in [
        ("exit 3", 3),
        ("set -e; false; echo no", 1),
        ("exec true", 0),
        ("trap 'exit 9' EXIT; false", 9),
    ]
    .into_iter()
    .enumerate()
    {
        let result = rig.terminal(&format!("cd /usr/lib; export STEP={n}; {command}")).await;
        assert_eq!(result["exit_code"], code, "{command}: {result}");
        assert_eq!(
            rig.output("echo $STEP; pwd; cd /").await,
            format!("{n}\n/usr/lib"),
            "{command}"
        );
    }
}

pub(crate) async fn exit_traps_fire_and_leave_no_trace(rig: &Rig) {
    let result = rig.terminal("trap 'echo bye $?' EXIT; echo hi; exit 4").await;
    assert_eq!((&result["output"], &result["exit_code"]), (&json!("hi\nbye 4"), &json!(4)));
    assert_eq!(rig.output("trap -p").await, "");
}

pub(crate) async fn a_workdir_is_for_one_command(rig: &Rig) {
    rig.terminal("cd /usr").await;
    let once = rig.call("terminal", json!({"command": "pwd", "workdir": "/etc"})).await;
    assert_eq!(once["output"], "/etc");
    assert_eq!(rig.output("pwd").await, "/usr");
    let gone = rig.call("terminal", json!({"command": "pwd", "workdir": "/no/such"})).await;
    assert_eq!(gone["exit_code"], 126, "{gone}");
    let bad = rig.call("terminal", json!({"command": "pwd", "workdir": "/tmp;ls"})).await;
    assert_eq!(bad["status"], "blocked", "{bad}");
}
