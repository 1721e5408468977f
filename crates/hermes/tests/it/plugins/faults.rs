//! Plugins that crash, hang, flood and lie. Hermes goes on.

use std::io::Read as _;
use std::process::Stdio;
use std::time::Duration;

use hermes_testkit::Step;
use serde_json::json;

use super::{nothing_is_left, running_in, with_model, with_plugins};

#[test]
fn a_plugin_that_crashes_fails_its_call_and_is_there_again_for_the_next() {
    let (sandbox, server) = with_model(
        &["crash", "field-notes"],
        [
            Step::call("fall", json!({})),
            Step::call("stand", json!({})),
            Step::call("note_add", json!({"text": "still here"})),
            Step::text("Done."),
        ],
    );
    let run = sandbox.run(["-z", "go"]).exits(0);
    assert_eq!(run.out, "Done.\n");
    let sent = server.questions();
    let result = |at: usize| sent[at].view().last_text("tool").to_owned();
    let fell = result(1);
    assert!(fell.contains("plugin 'crash'") && fell.contains("exit status: 7"), "{fell}");
    assert_eq!(result(2), "standing");
    assert!(result(3).contains("success"), "{}", result(3));
    // It was called once: what it printed before it fell is there once.
    let log = sandbox.read("logs/plugins/crash.log");
    assert_eq!(log.matches("about to fall").count(), 1, "{log}");
    nothing_is_left(&sandbox);
}

#[test]
fn after_five_failures_in_a_row_a_plugin_is_left_alone() {
    let mut steps = vec![Step::call("fall", json!({"n": 0}))];
    steps.extend((1..6).map(|n| Step::call("fall", json!({"n": n}))));
    steps.push(Step::text("Enough."));
    let (sandbox, server) = with_model(&["crash"], steps);
    // The guardrail against repeated failures would end the turn first.
    let config = sandbox.read("config.yaml") + "tool_loop_guardrails:\n  enabled: false\n";
    sandbox.write("config.yaml", &config);
    sandbox.run(["-z", "go"]).exits(0);
    let last = server.questions().last().unwrap().view().last_text("tool").to_owned();
    assert!(last.contains("failed 5 times in a row"), "{last}");
    let log = sandbox.read("logs/plugins/crash.log");
    assert_eq!(log.matches("about to fall").count(), 5, "{log}");
}

#[test]
fn a_hook_that_crashes_or_hangs_counts_as_silent() {
    let sandbox = with_plugins(&["crash"], "");
    sandbox.run(["tools", "call", "terminal", r#"{"command": "echo fine"}"#]).exits(0);
    let sandbox = with_plugins(&["hang"], "  hook_timeout: 0.5\n");
    let run = sandbox.run(["tools", "call", "terminal", r#"{"command": "echo fine"}"#]).exits(0);
    assert!(run.out.contains("fine") && run.err.contains("did not answer within"), "{run:?}");
    nothing_is_left(&sandbox);
}

#[test]
fn a_tool_that_hangs_ends_at_the_callers_time_limit() {
    let sandbox = with_plugins(&["hang"], "");
    let run = sandbox.run(["tools", "call", "sleep_long", "--timeout", "1"]).exits(5);
    assert!(run.took < Duration::from_secs(30), "{run:?}");
    nothing_is_left(&sandbox);
}

#[test]
fn a_line_of_ten_megabytes_is_refused_and_noise_is_skipped() {
    let sandbox = with_plugins(&["flood"], "");
    let run = sandbox.run(["tools", "call", "flood_answer"]).exits(1);
    assert!(run.out.contains("longer than"), "{run:?}");
    let run = sandbox.run(["tools", "call", "flood_noise"]).exits(0);
    assert_eq!(run.out, "quiet again\n");
}

#[test]
fn a_plugin_that_cannot_be_loaded_is_told_and_the_others_work() {
    let sandbox = with_plugins(&["broken-import", "old-version", "dice"], "");
    let run = sandbox.run(["tools", "call", "roll_dice", "{}"]).exits(0);
    assert!(run.err.contains("ModuleNotFoundError"), "{run:?}");
    assert!(run.err.contains("speaks version 99 of the plugin protocol"), "{run:?}");
    let run = sandbox.run(["plugins", "test", "broken-import"]).exits(1);
    assert!(run.out.contains("✗ broken-import does not work"), "{run:?}");
    assert!(run.out.contains("a_module_that_is_not_there"), "{run:?}");
    nothing_is_left(&sandbox);
}

#[test]
fn plugins_die_with_hermes_even_when_it_is_killed() {
    let sandbox = with_plugins(&["hang"], "");
    let mut hermes = sandbox
        .command()
        .args(["-vv", "tools", "call", "sleep_long"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = std::time::Instant::now() + Duration::from_secs(30);
    while running_in(&sandbox.home()).is_empty() {
        assert!(std::time::Instant::now() < deadline, "the plugin did not start");
        std::thread::sleep(Duration::from_millis(10));
    }
    hermes.kill().unwrap();
    hermes.wait().unwrap();
    let mut rest = String::new();
    hermes.stderr.take().unwrap().read_to_string(&mut rest).unwrap();
    nothing_is_left(&sandbox);
}

#[test]
fn safe_mode_loads_none() {
    let sandbox = with_plugins(&["dice"], "");
    sandbox.run(["tools", "call", "roll_dice"]).exits(0);
    sandbox.run(["--safe-mode", "tools", "call", "roll_dice"]).exits(2).notes("unknown tool");
}
