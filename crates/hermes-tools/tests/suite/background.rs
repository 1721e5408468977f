//! Processes on their own.

use serde_json::json;

use crate::backends::Rig;

pub(crate) async fn write_poll_log_wait_and_close(rig: &Rig) {
    let command = "while read -r line; do echo got $line; done; echo end; exit 5";
    let id = rig.background(json!({"command": command, "background": true})).await;
    let seen = rig.process("poll", &id, json!({})).await;
    assert_eq!(seen["status"], "running", "{seen}");
    let written = rig.process("submit", &id, json!({"data": "one"})).await;
    assert_eq!(
        (&written["status"], &written["bytes_written"]),
        (&json!("ok"), &json!(4)),
        "{written}"
    );
    rig.until(&id, "got one").await;
    rig.process("write", &id, json!({"data": "two\n"})).await;
    rig.until(&id, "got two").await;
    rig.process("close", &id, json!({})).await;
    let ended = rig.process("wait", &id, json!({"timeout": 20})).await;
    assert_eq!((&ended["status"], &ended["exit_code"]), (&json!("exited"), &json!(5)), "{ended}");
    let log = rig.process("log", &id, json!({"limit": 2})).await;
    assert_eq!(log["output"], "got two\nend", "{log}");
    let listed = rig.call("process", json!({"action": "list"})).await;
    assert_eq!(listed["processes"][0]["session_id"], id.as_str(), "{listed}");
}

pub(crate) async fn a_kill_reaches_the_whole_tree(rig: &Rig) {
    let command = "bash -c 'sleep 98763' & trap '' TERM; echo up; while :; do sleep 1; done";
    let id = rig.background(json!({"command": command, "background": true})).await;
    rig.until(&id, "up").await;
    let killed = rig.process("kill", &id, json!({})).await;
    assert_eq!(
        (&killed["status"], &killed["exit_code"]),
        (&json!("killed"), &json!(-15)),
        "{killed}"
    );
    let left = rig
        .output("for p in /proc/[0-9]*; do (tr '\\0' ' ' <$p/cmdline) 2>/dev/null | grep -q '^sleep 98763' && echo yes; done; true")
        .await;
    assert_eq!(left, "", "a process was left behind");
    let again = rig.process("kill", &id, json!({})).await;
    assert_eq!(again["status"], "already_exited", "{again}");
}

pub(crate) async fn it_inherits_the_session(rig: &Rig) {
    rig.terminal("cd /usr/lib; export FOR_LATER=kept; later() { echo $FOR_LATER in $PWD; }").await;
    let id = rig.background(json!({"command": "later", "background": true})).await;
    let ended = rig.process("wait", &id, json!({})).await;
    assert_eq!(ended["output"], "kept in /usr/lib\n", "{ended}");
    let args = json!({"command": "pwd", "background": true, "workdir": "/etc"});
    let id = rig.background(args).await;
    assert_eq!(rig.process("wait", &id, json!({})).await["output"], "/etc\n");
}

pub(crate) async fn a_python_prompt_in_a_terminal(rig: &Rig) {
    let args = json!({"command": "python3 -i -q", "background": true, "pty": true});
    let id = rig.background(args).await;
    rig.until(&id, ">>>").await;
    rig.process("submit", &id, json!({"data": "print(6 * 7, __import__('sys').stdin.isatty())"}))
        .await;
    // At its next prompt: an end of input before that is lost while the terminal changes hands.
    rig.until(&id, "42 True\r\n>>> ").await;
    rig.process("close", &id, json!({})).await;
    let ended = rig.process("wait", &id, json!({"timeout": 20})).await;
    assert_eq!((&ended["status"], &ended["exit_code"]), (&json!("exited"), &json!(0)), "{ended}");
}
