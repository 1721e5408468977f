//! `hermes gateway run` on Slack's wires.

use hermes_testkit::{Script, SlackDouble, Step};
use serde_json::json;

use super::stage::Stage;

const OWNER: &str = "U077777777";
const CHANNEL: &str = "C012345678";
const DM: &str = "D012345678";

fn scene(script: impl Into<Script>) -> (Stage, SlackDouble) {
    let slack = SlackDouble::start("xoxb-double", "xapp-double");
    let platforms = format!("  slack:\n    extra:\n      base_url: {}\n", slack.url());
    let env = format!(
        "SLACK_BOT_TOKEN=xoxb-double\nSLACK_APP_TOKEN=xapp-double\nSLACK_ALLOWED_USERS={OWNER}\n"
    );
    (Stage::new(script, &platforms, &env), slack)
}

#[test]
fn a_mention_that_comes_twice_is_one_turn_and_its_thread_needs_no_other() {
    let (mut stage, slack) = scene([Step::text("Hello **Ann** & all."), Step::text("Still here.")]);
    stage.start_until("slack", "connected");
    slack.say(CHANNEL, None, OWNER, "nobody is meant");
    let ts = slack.say(CHANNEL, None, OWNER, "<@U0BOTUSER> hello");
    let thread = format!("{CHANNEL}:{ts}");
    slack.board().wait_for_text(&thread, "Hello *Ann* &amp; all.");
    slack.renew();
    slack.say(CHANNEL, Some(&ts), OWNER, "without a mention");
    slack.board().wait_for_text(&thread, "Still here.");
    assert_eq!(slack.board().messages(&thread).len(), 2);
    assert_eq!(stage.model.questions().len(), 2);
    stage.until("all acknowledged", || slack.acknowledged() == 4);
}

#[test]
fn a_flagged_command_is_decided_by_its_button() {
    let (mut stage, slack) = scene([
        Step::call("terminal", json!({"command": "rm -rf /opt/hermes-double-nothing"})),
        Step::text("It was not allowed."),
    ]);
    stage.start_until("slack", "connected");
    slack.say(DM, None, OWNER, "clean up");
    let has_buttons =
        |one: &hermes_testkit::BoardMessage| one.raw["blocks"][1]["type"] == "actions";
    let asked = slack.board().wait(DM, |all| all.iter().any(has_buttons));
    let question = asked.iter().find(|one| has_buttons(one)).unwrap();
    let rows = question.raw["blocks"].as_array().unwrap().iter();
    let mut buttons = rows.flat_map(|row| row["elements"].as_array().into_iter().flatten());
    let deny = buttons.find(|one| one["text"]["text"] == "Deny").unwrap();
    let value = deny["value"].as_str().unwrap();
    slack.press(DM, "U0STRANGER", &question.id, &value.replace(":deny", ":once"));
    slack.press(DM, OWNER, &question.id, value);
    slack.board().wait_for_text(DM, "It was not allowed.");
    let said = slack.ephemeral()[0]["text"].as_str().unwrap().to_owned();
    assert!(said.contains("Only the person who asked"), "{said}");
}

#[test]
fn a_wrong_token_is_fatal_and_sending_needs_no_gateway() {
    let (mut stage, slack) = scene([Step::text("x")]);
    stage.sandbox.run(["send", "-t", "slack:#general", "the backup is done"]).exits(0);
    assert_eq!(slack.board().messages(CHANNEL)[0].text, "the backup is done");
    stage
        .sandbox
        .run(["send", "-t", "slack:#nowhere", "x"])
        .exits(1)
        .notes("no channel `#nowhere`");
    stage.sandbox.write(".env", "SLACK_BOT_TOKEN=xoxb-wrong\nSLACK_APP_TOKEN=xapp-double\n");
    stage.start_until("slack", "fatal");
    stage.sandbox.run(["gateway", "status"]).exits(1).says("SLACK_BOT_TOKEN");
}
