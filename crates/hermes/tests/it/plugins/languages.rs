//! Plugins without any library: the protocol is enough.

use hermes_testkit::Step;
use serde_json::json;

use super::{nothing_is_left, with_model, with_plugins};

#[test]
fn a_plugin_in_plain_shell_brings_a_tool_a_hook_and_a_command() {
    let sandbox = with_plugins(&["dice"], "");
    let rolled = sandbox.run(["tools", "call", "roll_dice", r#"{"sides": "20"}"#]).exits(0);
    assert_eq!(rolled.json(), json!({"sides": 20, "rolled": 4}));
    let call = r#"{"command": "rm -rf ./somewhere"}"#;
    let blocked = sandbox.run(["tools", "call", "terminal", call]).exits(4);
    assert!(blocked.out.contains("the dice say no"), "{blocked:?}");
    nothing_is_left(&sandbox);
}

#[test]
fn its_slash_command_works_in_a_conversation() {
    let (sandbox, _server) = with_model(&["dice"], [Step::text("Hello.")]);
    let talked = sandbox.run_with_stdin::<&str>([], "/roll\nhello\n").exits(0);
    assert_eq!(talked.out, "you rolled a 4\nHello.\n");
}

#[test]
fn what_a_plugin_prints_by_mistake_is_skipped_and_logged() {
    let sandbox = with_plugins(&["banner"], "");
    let shown = sandbox.run(["tools", "call", "banner_show"]).exits(0);
    assert_eq!((shown.out.as_str(), shown.err.as_str()), ("shown\n", ""));
    let log = sandbox.read("logs/plugins/banner.log");
    assert!(log.contains("stdout: Welcome to banner!"), "{log}");
    assert!(log.contains("stdout: debug: tool.call"), "{log}");
}
