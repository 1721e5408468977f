//! Plugins in a conversation.

use hermes_testkit::{Script, Step};

use super::{nothing_is_left, with_model};

#[test]
fn slash_commands_are_run_and_those_of_hermes_stay() {
    let (sandbox, _server) = with_model(&["trip-desk"], [Step::text("Hi.")]);
    let talked = sandbox.run_with_stdin::<&str>([], "/trip Rome\n/TRIP\n/help\nhello\n").exits(0);
    assert_eq!(talked.out, "off to Rome\noff to nowhere\nHi.\n");
    assert!(talked.err.contains("/help needs a terminal"), "{talked:?}");
    nothing_is_left(&sandbox);
}

#[test]
fn a_plugin_asks_the_conversations_model() {
    let script = Script::new([Step::text("To Perth.")]);
    let (sandbox, server) = with_model(&["trip-desk"], script);
    let talked = sandbox.run_with_stdin::<&str>([], "/ask-desk please\n").exits(0);
    assert_eq!(talked.out, "To Perth.\n");
    let asked = server.questions();
    assert_eq!(asked[0].view().last_text("user"), "Where to? please");
}

#[test]
fn what_a_plugin_says_becomes_the_next_turn() {
    let (sandbox, server) = with_model(
        &["trip-desk"],
        [
            Step::call("trip_remark", serde_json::json!({})),
            Step::text("First."),
            Step::text("Second."),
        ],
    );
    let talked = sandbox.run_with_stdin::<&str>([], "hello\n").exits(0);
    assert_eq!(talked.out, "First.\nSecond.\n");
    let sent = server.questions();
    assert_eq!(sent[1].view().last_text("tool"), "True");
    assert!(sent[2].view().last_text("user").starts_with("a remark of the desk"));
}
