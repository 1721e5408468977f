//! One command and its end.

use std::time::{Duration, Instant};

use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::backends::Rig;

pub(crate) async fn codes_input_and_errors(rig: &Rig) {
    let result = rig.terminal("echo out; echo err >&2; exit 7").await;
    assert_eq!((&result["output"], &result["exit_code"]), (&json!("out\nerr"), &json!(7)));
    assert!(result["error"].is_null(), "{result}");
    assert_eq!(rig.output("cat; echo end").await, "end", "input is empty, not a terminal");
    let missing = rig.terminal("no-such-program-anywhere").await;
    assert_eq!(missing["exit_code"], 127, "{missing}");
    assert_eq!(
        rig.output("cat <<'END'\nit's $HOME \"quoted\"\nEND").await,
        "it's $HOME \"quoted\""
    );
    let no_match = rig.terminal("echo a | grep b").await;
    assert!(no_match["exit_code_meaning"].is_string(), "{no_match}");
    assert_eq!(rig.terminal("").await["exit_code"], 0);
    let wrong = rig.call("terminal", json!({"command": ["ls"]})).await;
    assert_eq!((&wrong["exit_code"], &wrong["status"]), (&json!(-1), &json!("error")), "{wrong}");
}

/// Whether a process with this argument still runs over there.
async fn still_runs(rig: &Rig, mark: &str) -> bool {
    let command = format!(
        "for p in /proc/[0-9]*; do (tr '\\0' ' ' <$p/cmdline) 2>/dev/null | grep -q '^sleep {mark}' && echo yes; done; true"
    );
    rig.output(&command).await.contains("yes")
}

pub(crate) async fn a_timeout_ends_the_whole_tree(rig: &Rig) {
    let mark = "98761";
    let begun = Instant::now();
    let command = format!("echo begun; bash -c 'sleep {mark}'; echo never");
    let result = rig.call("terminal", json!({"command": command, "timeout": 2})).await;
    assert_eq!(result["exit_code"], 124, "{result}");
    assert_eq!(result["output"], "begun\n\n[Command timed out after 2s]");
    assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
    assert!(!still_runs(rig, mark).await, "a process was left behind");
}

pub(crate) async fn an_interrupt_ends_the_whole_tree(rig: &Rig) {
    let mark = "98762";
    let cancellation = CancellationToken::new();
    let command = format!("cd /usr; echo begun; bash -c 'sleep {mark}'");
    let run = rig.call_until("terminal", json!({"command": command}), cancellation.clone());
    let stop = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        cancellation.cancel();
    };
    let (_, ()) = tokio::join!(run, stop);
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert!(!still_runs(rig, mark).await, "a process was left behind");
    assert_eq!(rig.output("echo fine").await, "fine");
}
