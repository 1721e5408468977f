//! `hermes gateway run` on Discord's wires.

use hermes_testkit::{DiscordDouble, Script, Step};
use serde_json::json;

use super::stage::Stage;

const TOKEN: &str = "discord.double.token";
const OWNER: &str = "77";
/// Where the owner talks with the bot alone.
const DM: &str = "2077";

fn scene(script: impl Into<Script>) -> (Stage, DiscordDouble) {
    let discord = DiscordDouble::start(TOKEN);
    let platforms = format!("  discord:\n    extra:\n      base_url: {}\n", discord.url());
    let env = format!("DISCORD_BOT_TOKEN={TOKEN}\nDISCORD_ALLOWED_USERS={OWNER}\n");
    (Stage::new(script, &platforms, &env), discord)
}

#[test]
fn a_mention_is_answered_in_a_thread_and_the_thread_goes_on() {
    let (mut stage, discord) = scene([Step::text("Hello **Ann**."), Step::text("Still here.")]);
    stage.start_until("discord", "connected");
    discord.say(Some("5"), "30", OWNER, "nobody is meant");
    let id = discord.say(Some("5"), "30", OWNER, "<@1000> hello");
    let answer = discord.board().wait_for_text(&id, "Hello **Ann**.");
    assert_eq!(answer.raw["allowed_mentions"]["parse"], json!(["users"]));
    discord.say(Some("5"), &id, OWNER, "and without a mention");
    discord.board().wait_for_text(&id, "Still here.");
    assert!(discord.board().messages("30").is_empty());
    let asked = stage.model.questions();
    assert_eq!(asked.len(), 2);
    assert!(!asked[1].body.to_string().contains("nobody is meant"));
}

#[test]
fn a_cut_is_resumed_and_nothing_is_lost_or_heard_twice() {
    let (mut stage, discord) = scene([Step::text("one"), Step::text("two"), Step::text("three")]);
    stage.start_until("discord", "connected");
    discord.say(None, DM, OWNER, "first");
    discord.board().wait_for_text(DM, "one");
    discord.cut();
    discord.say(None, DM, OWNER, "second, while nobody listened");
    discord.board().wait_for_text(DM, "two");
    stage.kill();
    discord.say(None, DM, OWNER, "third, while nothing ran");
    stage.spawn();
    discord.board().wait_for_text(DM, "three");
    assert_eq!(discord.board().messages(DM).len(), 3);
    let (fresh, resumed) = discord.logins();
    assert_eq!(fresh, 1, "one login, then resumed {resumed} times");
    assert!(resumed >= 2);
}

#[test]
fn a_flagged_command_is_decided_by_its_button() {
    let (mut stage, discord) = scene([
        Step::call("terminal", json!({"command": "rm -rf /opt/hermes-double-nothing"})),
        Step::text("It was not allowed."),
    ]);
    stage.start_until("discord", "connected");
    discord.say(None, DM, OWNER, "clean up");
    let asked = discord.board().wait(DM, |all| {
        all.iter().any(|one| one.raw["components"].as_array().is_some_and(|rows| !rows.is_empty()))
    });
    let question = asked.last().unwrap();
    let rows = question.raw["components"].as_array().unwrap();
    let buttons = rows.iter().flat_map(|row| row["components"].as_array().unwrap());
    let deny = buttons.clone().find(|one| one["label"] == "Deny").unwrap();
    let data = deny["custom_id"].as_str().unwrap();
    discord.press(DM, "5", &question.id, &data.replace(":deny", ":once"));
    discord.press(DM, OWNER, &question.id, data);
    discord.board().wait_for_text(DM, "It was not allowed.");
    let said = discord.callbacks()[0]["data"]["content"].as_str().unwrap().to_owned();
    assert!(said.contains("Only the person who asked"), "{said}");
}

#[test]
fn a_missing_intent_is_fatal_and_says_what_to_switch_on() {
    let (mut stage, discord) = scene([Step::text("x")]);
    discord.refuse(4014);
    stage.start_until("discord", "fatal");
    stage.sandbox.run(["gateway", "status"]).exits(1).says("Message Content Intent");
}

/// Discord shows nothing of a message that has the mark of an earlier one: an answer after a tool was lost for good.
#[test]
fn what_is_said_before_a_tool_does_not_swallow_the_answer() {
    let todo = json!({"todos": [{"id": "1", "content": "look", "status": "pending"}]});
    let (mut stage, discord) =
        scene([Step::text("Let me look.").and_call("todo", todo), Step::text("All is well.")]);
    stage.start_until("discord", "connected");
    discord.say(None, DM, OWNER, "how is it?");
    discord.board().wait_for_text(DM, "All is well.");
    let texts: Vec<String> = discord.board().messages(DM).into_iter().map(|one| one.text).collect();
    let said = texts.iter().position(|text| text == "Let me look.").unwrap();
    let answered = texts.iter().position(|text| text == "All is well.").unwrap();
    assert!(said < answered, "{texts:?}");
}
