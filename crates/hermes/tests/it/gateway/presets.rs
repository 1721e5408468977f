//! Which tools a chat has is decided by its platform: the preset, what somebody lists, what belongs to one platform.

use hermes_testkit::{DiscordDouble, Step};
use serde_json::json;

use super::stage::Stage;
use super::{OWNER, Scene};

fn more_settings(stage: &Stage, settings: &str) {
    let config = std::fs::read_to_string(stage.sandbox.path("config.yaml")).unwrap();
    stage.sandbox.write("config.yaml", &format!("{config}{settings}"));
}

fn offered(stage: &Stage) -> Vec<String> {
    stage.model.questions().last().unwrap().view().tools
}

fn has(tools: &[String], name: &str) -> bool {
    tools.iter().any(|tool| tool == name)
}

#[test]
fn a_chat_has_what_is_listed_for_its_platform_and_no_more() {
    let mut scene = Scene::new([Step::text("Here.")], &format!("TELEGRAM_ALLOWED_USERS={OWNER}\n"));
    // One list for the terminal, another for this platform, a third for one that is not meant.
    more_settings(
        &scene,
        "platform_toolsets:\n  cli: [terminal, file]\n  telegram: [todo, file]\n  discord: [terminal]\n",
    );
    scene.start();
    scene.telegram.say(OWNER, "hello");
    scene.telegram.wait_for_text(OWNER, "Here.");
    let tools = offered(&scene);
    assert!(has(&tools, "todo") && has(&tools, "read_file"), "{tools:?}");
    assert!(!has(&tools, "terminal") && !has(&tools, "web_search"), "{tools:?}");
    assert!(has(&tools, "send_message"), "the owner's chats have it beside any list: {tools:?}");
}

#[test]
fn without_a_list_the_preset_counts_and_tools_of_other_platforms_are_not_in_it() {
    let keys = "DISCORD_BOT_TOKEN=x\nFEISHU_APP_ID=cli_1\nFEISHU_APP_SECRET=s\n";
    let env = format!("TELEGRAM_ALLOWED_USERS={OWNER}\n{keys}");
    let mut scene = Scene::new([Step::text("Here.")], &env);
    more_settings(&scene, "  discord:\n    enabled: false\n  feishu:\n    enabled: false\n");
    scene.start();
    scene.telegram.say(OWNER, "hello");
    scene.telegram.wait_for_text(OWNER, "Here.");
    let tools = offered(&scene);
    assert!(has(&tools, "terminal") && has(&tools, "clarify"), "{tools:?}");
    for other in ["discord", "discord_admin", "feishu_doc_read", "feishu_drive_add_comment"] {
        assert!(!has(&tools, other), "{other}: {tools:?}");
    }
}

#[test]
fn the_tool_of_discord_is_in_its_chats_and_looks_after_what_it_may() {
    let token = "discord.double.token";
    let discord = DiscordDouble::start(token);
    let platforms = format!("  discord:\n    extra:\n      base_url: {}\n", discord.url());
    let env = format!("DISCORD_BOT_TOKEN={token}\nDISCORD_ALLOWED_USERS={OWNER}\n");
    let mut stage = Stage::new([Step::text("Here.")], &platforms, &env);
    stage.start_until("discord", "connected");
    let id = discord.say(Some("5"), "30", &OWNER.to_string(), "<@1000> hello");
    discord.board().wait_for_text(&id, "Here.");
    let tools = offered(&stage);
    assert!(has(&tools, "discord") && has(&tools, "terminal"), "{tools:?}");
    assert!(!has(&tools, "discord_admin"), "off until somebody lists it: {tools:?}");
    let body = &stage.model.questions()[0].body;
    let schemas = body["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]);
    let discord = schemas.into_iter().find(|tool| tool["name"] == "discord").unwrap();
    let actions = &discord["parameters"]["properties"]["action"]["enum"];
    assert_eq!(*actions, json!(["fetch_messages", "create_thread"]), "no intent");
}
