//! Chats beside each other, and turns that give no sign of life.

use std::time::Duration;

use hermes_testkit::{ChatMessage, Step, TelegramFault};
use serde_json::json;

use super::{OWNER, Scene};

fn with_settings(scene: &Scene, more: &str) {
    let config = std::fs::read_to_string(scene.sandbox().path("config.yaml")).unwrap();
    scene.sandbox().write("config.yaml", &format!("{config}{more}"));
}

/// One chat that was told to wait held up the commands, buttons and messages of all others.
#[test]
fn a_chat_that_has_to_wait_holds_up_no_other() {
    let people = format!("TELEGRAM_ALLOWED_USERS={OWNER},99\n");
    let mut scene = Scene::new([Step::text("x")], &people);
    scene.start();
    scene.telegram.fault("sendMessage", TelegramFault::Flood(30));
    scene.telegram.say(OWNER, "/version");
    scene.until("the flood", || scene.telegram.faults_left() == 0);
    scene.telegram.say(OWNER, "/whoami");
    scene.telegram.say(99, "/version");
    scene.telegram.wait_for_text(99, "hermes ");
    assert!(scene.telegram.messages(OWNER).is_empty(), "the owner's answers wait still, in order");
}

/// A command that was done while the inbox was read stood in it as new, and was done once more.
#[test]
fn what_comes_from_many_chats_at_once_is_done_once() {
    let scene = Scene::owned([Step::text("x")]);
    let (chats, rounds) = (30_i64, 4);
    for _ in 0..rounds {
        for chat in 1..=chats {
            let group = json!({"id": -chat, "type": "group", "title": "Us"});
            scene.telegram.say_in(&group, OWNER, "/version@HermesDoubleBot");
        }
    }
    for chat in 1..=chats {
        scene.telegram.wait(-chat, |all| all.len() >= rounds);
    }
    // Whatever is done twice shows itself before this is answered.
    scene.telegram.say(OWNER, "/version");
    scene.telegram.wait_for_text(OWNER, "hermes ");
    let seen: Vec<usize> = (1..=chats).map(|chat| scene.telegram.messages(-chat).len()).collect();
    assert!(seen.iter().all(|count| *count == rounds), "{seen:?}");
}

#[test]
fn a_turn_without_a_sign_of_life_is_spoken_of_and_then_ended() {
    let answer = "The first half of an answer, and then nothing more of it.";
    let script = [Step::text(answer).chunk(10).hold_after(4), Step::text("Here again.")];
    let people = format!("TELEGRAM_ALLOWED_USERS={OWNER}\nHERMES_AGENT_TIMEOUT=3\n");
    let mut scene = Scene::new(script, &people);
    with_settings(&scene, "agent:\n  gateway_timeout_warning: 1\n");
    scene.start();
    scene.telegram.say(OWNER, "tell me");
    scene.telegram.wait_for_text(OWNER, "Nothing has happened for 1 second. I stop in 2 seconds");
    let ended =
        scene.telegram.wait_for_text(OWNER, "I stopped: nothing has happened for 3 seconds.");
    assert!(ended.text.starts_with("The first half"), "what was seen stays: {ended:?}");
    scene.telegram.say(OWNER, "are you there?");
    scene.telegram.wait_for_text(OWNER, "Here again.");
    let warned =
        |all: &[ChatMessage]| all.iter().filter(|one| one.text.contains("I stop in")).count();
    assert_eq!(warned(&scene.telegram.messages(OWNER)), 1);
}

/// Whoever was asked had as long as a turn may be silent, not as long as questions wait.
#[test]
fn a_question_that_waits_is_no_silence_and_its_person_is_reminded() {
    let script = [
        Step::call("terminal", json!({"command": "rm -rf /opt/hermes-double-nothing"})),
        Step::text("It was not allowed."),
    ];
    let people = format!("TELEGRAM_ALLOWED_USERS={OWNER}\nHERMES_AGENT_TIMEOUT=1\n");
    let mut scene = Scene::new(script, &people);
    // A section without a mode has a model look at the command first.
    with_settings(&scene, "approvals:\n  mode: manual\n  gateway_timeout: 6\n");
    scene.start();
    scene.telegram.say(OWNER, "clean up");
    let asks = |all: &[ChatMessage]| all.iter().find(|one| !one.buttons.is_empty()).cloned();
    let question = asks(&scene.telegram.wait(OWNER, |all| asks(all).is_some())).unwrap();
    let id = question.text.rsplit('#').next().unwrap().to_owned();
    // Half of the time is over; that is longer than a turn may be silent.
    scene
        .telegram
        .wait_for_text(OWNER, &format!("My question #{id} still waits; 3 seconds are left."));
    let deny = question.buttons.iter().find(|data| data.ends_with(":deny")).unwrap();
    scene.telegram.press(OWNER, OWNER, question.id, deny);
    scene.telegram.wait_for_text(OWNER, "It was not allowed.");
    let all = scene.telegram.messages(OWNER);
    assert!(!all.iter().any(|one| one.text.contains("I stopped")), "{all:#?}");
}

#[test]
fn what_is_said_before_a_tool_stays_under_flood_control_and_after_a_cut() {
    let long = "I look at the list of things to do first, and then at everything else. ".repeat(3);
    let long = long.trim();
    let todo = json!({"todos": [{"id": "1", "content": "look", "status": "pending"}]});
    let said = |text: &str| {
        let slowly = Step::text(text).chunk(20).chunk_delay(Duration::from_millis(60));
        slowly.and_call("todo", todo.clone())
    };
    let script = [said(long), Step::text("One."), said("Only this."), Step::text("Two.")];
    let scene = Scene::owned(script);
    for _ in 0..2 {
        scene.telegram.fault("editMessageText", TelegramFault::Flood(1));
    }
    scene.telegram.say(OWNER, "first");
    let seen = scene.telegram.wait(OWNER, |all| all.iter().any(|one| one.text == "One."));
    let texts: Vec<&str> = seen.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, [long, "One."], "each a message of its own, and whole");
    scene.telegram.fault("sendMessage", TelegramFault::CutAfter);
    scene.telegram.say(OWNER, "second");
    let seen = scene.telegram.wait(OWNER, |all| all.iter().any(|one| one.text.ends_with("Two.")));
    let texts: Vec<&str> = seen.iter().skip(2).map(|one| one.text.as_str()).collect();
    // What may be there is said again with a mark; the answer is no part of that.
    assert!(texts.contains(&"(recovered)\n\nOnly this."), "{texts:?}");
    assert_eq!(texts.last(), Some(&"Two."), "{texts:?}");
}
