//! What keeps a gateway bearable: signs of long work, a pace for people, news of restarts, questions that do not mix.

use hermes_testkit::{ChatMessage, Step};
use serde_json::json;

use super::{OWNER, Scene};

#[test]
fn a_long_turn_says_that_it_still_works_in_one_message() {
    let mut scene = Scene::new(
        [Step::held()],
        &format!("TELEGRAM_ALLOWED_USERS={OWNER}\nHERMES_AGENT_NOTIFY_INTERVAL=1\n"),
    );
    scene.start();
    scene.telegram.say(OWNER, "a long task");
    scene.model.wait_for(1);
    let note = |one: &&ChatMessage| one.text.contains("Still working");
    let seen = scene.telegram.wait(OWNER, |all| all.iter().any(|one| note(&one)));
    let first = seen.iter().find(note).unwrap().id;
    // Asked to end it, the turn ends; the note was never a second message.
    scene.telegram.say(OWNER, "/stop");
    scene.telegram.wait_for_text(OWNER, "Stopped.");
    let all = scene.telegram.messages(OWNER);
    assert!(all.iter().filter(note).all(|one| one.id == first), "{all:#?}");
}

#[test]
fn somebody_who_floods_is_told_once_and_the_owner_is_not_counted() {
    let people = format!("TELEGRAM_ALLOWED_USERS={OWNER},99\n");
    let mut scene = Scene::new([Step::text("x")], &people);
    let config = std::fs::read_to_string(scene.sandbox.path("config.yaml")).unwrap();
    scene.sandbox.write("config.yaml", &format!("{config}gateway:\n  rate_limit: 2\n"));
    scene.start();
    for _ in 0..5 {
        scene.telegram.say(99, "/version");
        scene.telegram.say(OWNER, "/version");
    }
    let versions =
        |all: &[ChatMessage]| all.iter().filter(|one| one.text.contains("hermes ")).count();
    scene.telegram.wait(OWNER, |all| versions(all) == 5);
    scene.telegram.wait_for_text(99, "more than 2 messages a minute");
    let guest = scene.telegram.messages(99);
    assert_eq!((versions(&guest), guest.len()), (2, 3), "{guest:#?}");
}

#[test]
fn whoever_asked_for_a_restart_is_told_of_it() {
    let mut scene = Scene::owned([Step::text("x")]);
    scene.telegram.say(OWNER, "/restart");
    scene.telegram.wait_for_text(OWNER, "I start anew");
    let code = scene.gateway.take().unwrap().wait().unwrap().code();
    assert_eq!(code, Some(75));
    scene.start();
    scene.telegram.wait_for_text(OWNER, "I am back.");
    scene.kill();
    scene.start();
    scene.telegram.say(OWNER, "/version");
    scene.telegram.wait_for_text(OWNER, "hermes ");
    let back = scene.telegram.messages(OWNER).iter().filter(|one| one.text == "I am back.").count();
    assert_eq!(back, 1, "once for each wish");
}

#[test]
fn of_two_questions_a_button_decides_its_own() {
    let mut scene = Scene::new(
        [
            Step::call("terminal", json!({"command": "rm -rf /opt/hermes-double-first"})),
            Step::call("terminal", json!({"command": "rm -rf /opt/hermes-double-second"})),
            Step::text("The second was denied."),
            Step::text("The first was denied."),
        ],
        &format!("TELEGRAM_ALLOWED_USERS={OWNER}\nTELEGRAM_REQUIRE_MENTION=no\n"),
    );
    scene.start();
    let asks = |all: &[ChatMessage]| all.iter().find(|one| !one.buttons.is_empty()).cloned();
    scene.telegram.say(OWNER, "clean up the first");
    let first = scene.telegram.wait(OWNER, |all| asks(all).is_some());
    let first = asks(&first).unwrap();
    let group = json!({"id": -5, "type": "group", "title": "Us"});
    scene.telegram.say_in(&group, OWNER, "clean up the second");
    let second = scene.telegram.wait(-5, |all| asks(all).is_some());
    let second = asks(&second).unwrap();
    assert!(first.text.contains("double-first") && second.text.contains("double-second"));
    let deny =
        |of: &ChatMessage| of.buttons.iter().find(|data| data.ends_with(":deny")).unwrap().clone();
    scene.telegram.press(-5, OWNER, second.id, &deny(&second));
    scene.telegram.wait_for_text(-5, "The second was denied.");
    let waits = scene.telegram.messages(OWNER).into_iter().find(|one| one.id == first.id).unwrap();
    assert!(!waits.buttons.is_empty(), "the first waits still: {waits:?}");
    scene.telegram.press(OWNER, OWNER, first.id, &deny(&first));
    scene.telegram.wait_for_text(OWNER, "The first was denied.");
}
