//! Work that goes on after a turn reports into the chat it came from.

use hermes_testkit::{Match, Script, Step};
use serde_json::json;

use super::{OWNER, Scene};

#[test]
fn a_process_that_ends_wakes_the_chat_it_was_started_in() {
    let command = json!({"command": "sleep 1; echo the-build-is-$((40 + 2))", "background": true,
        "notify_on_complete": true});
    let script = [
        Step::call("terminal", command),
        Step::text("Started it."),
        Step::text("The build came out well."),
    ];
    let env = format!("TELEGRAM_ALLOWED_USERS={OWNER}\nTELEGRAM_REQUIRE_MENTION=no\n");
    let mut scene = Scene::new(script, &env);
    scene.start();
    let group = json!({"id": -5, "type": "group", "title": "Us"});
    scene.telegram.say_in(&group, OWNER, "build it");
    scene.telegram.wait_for_text(-5, "Started it.");
    scene.telegram.wait_for_text(-5, "The build came out well.");
    let asked = scene.model.questions();
    let news = asked.last().unwrap().body.to_string();
    assert!(news.contains("the-build-is-42") && news.contains("exited; exit code 0"), "{news}");
    assert!(scene.telegram.messages(OWNER).is_empty(), "only where it was begun");
    assert_eq!(scene.telegram.messages(-5).len(), 2);
}

#[test]
fn subagents_in_the_background_report_after_the_turn() {
    let work = json!({"goal": "count the stars", "background": true});
    let script = Script::new([
        Step::call("delegate_task", work),
        Step::text("Somebody counts them."),
        Step::text("There are nine."),
    ])
    .route("child", Match::user("count the stars"), [Step::text("I counted nine stars.")]);
    let scene = Scene::owned(script);
    scene.telegram.say(OWNER, "how many are up there?");
    scene.telegram.wait_for_text(OWNER, "Somebody counts them.");
    scene.telegram.wait_for_text(OWNER, "There are nine.");
    let asked = scene.model.questions();
    assert!(asked[1].body.to_string().contains("background_id"), "it does not wait: {asked:?}");
    let report = asked.last().unwrap().body.to_string();
    assert!(report.contains("I counted nine stars.") && report.contains("completed"), "{report}");
}

#[test]
fn where_nobody_would_hear_nothing_is_begun() {
    let scene = Scene::new(
        [
            Step::call("delegate_task", json!({"goal": "count", "background": true})),
            Step::text("Then not."),
        ],
        "",
    );
    scene.sandbox().run(["-z", "count"]).exits(0).says("Then not.");
    let asked = scene.model.questions();
    assert!(
        asked.last().unwrap().body.to_string().contains("nobody would hear of it"),
        "{asked:?}"
    );
}
