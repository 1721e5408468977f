use hermes_protocol::Notification;
use hermes_protocol::{AgentEvent, FrontEnd as _, NoticeLevel};

use super::*;
use crate::test_session::Step;

fn quiet(_: &str) -> Vec<Step> {
    Vec::new()
}

/// Has a subagent at work, for ever.
fn delegating(text: &str) -> Vec<Step> {
    if text != "delegate" {
        return Vec::new();
    }
    let event = AgentEvent::ToolStarted {
        id: "1".into(),
        tool: "read_file".into(),
        args: serde_json::Value::Null,
    };
    let event = Box::new(event);
    vec![
        Step::Tell(AgentEvent::Child { task: 0, goal: "look around".into(), event }),
        Step::Wait(PATIENCE * 2),
    ]
}

fn news(title: &str, text: Option<&str>) -> Notification {
    Notification { level: NoticeLevel::Info, title: title.into(), text: text.map(str::to_owned) }
}

#[tokio::test]
async fn work_in_the_background_is_begun_listed_and_stopped() {
    let play = Play::new(quiet);
    play.send("/agents");
    play.sees("Nothing works in the background").await;
    play.send("/bg count the files");
    play.sees("bg1 works on it.").await;
    play.send("/tasks");
    play.sees("bg1  running 1m 05s  count the files").await;
    play.send("/stop");
    play.sees("In the background: bg1.").await;
    play.send("/stop bg1");
    play.sees("ended One(\"bg1\")").await;
    play.send("/stop all");
    play.sees("ended All").await;
}

#[tokio::test]
async fn subagents_are_listed_while_they_work() {
    let play = Play::new(delegating);
    play.send("delegate");
    play.did("turn delegate").await;
    play.until("the subagent", |_| {
        play.send("/agents");
        play.screen.text().contains("subagent 1")
    })
    .await;
    play.sees("look around").await;
    play.sees("read_file").await;
    play.send("/stop");
    play.sees("· stopped").await;
    play.send("/agents");
    play.sees("Nothing works in the background").await;
}

#[tokio::test]
async fn what_came_of_it_is_announced_between_turns() {
    let play = Play::new(quiet);
    play.sender.notify(news("bg1 is done (3s): count", Some("There are **12** files.")));
    play.sees("· bg1 is done (3s): count\n\nThere are 12 files.").await;
}

#[tokio::test]
async fn within_a_turn_only_the_line_is_told_and_the_rest_follows_it() {
    let play = Play::new(delegating);
    play.send("delegate");
    play.did("turn delegate").await;
    play.sender.notify(news("bg1 is done", Some("The whole text.")));
    let text = play.sees("· bg1 is done").await;
    assert!(!text.contains("The whole text."), "{text}");
    play.send("/stop");
    play.sees("The whole text.").await;
}

#[tokio::test]
async fn a_goal_goes_on_until_it_is_reached() {
    let play = Play::new(quiet);
    play.send("/goal ship it");
    play.sees("The goal is reached.").await;
    let turns: Vec<String> =
        play.agent.log().into_iter().filter(|line| line.starts_with("turn ")).collect();
    let note = |round| format!("turn {}", hermes_protocol::notes::note(&format!("round {round}")));
    assert_eq!(turns, ["turn ship it".to_owned(), note(1), note(2)]);
    let text = play.screen.text();
    assert!(text.contains("Going on (2 of 2).") && !text.contains("Note from"), "{text}");
}

#[tokio::test]
async fn whoever_stops_a_turn_lets_the_goal_rest() {
    let play = Play::new(|_| vec![Step::Wait(PATIENCE * 2)]);
    play.send("/goal ship it");
    play.did("turn ship it").await;
    play.control('c');
    play.did("goal Pause").await;
    play.until("the prompt", |text| text.ends_with('❯')).await;
    let turns = play.agent.log().iter().filter(|line| line.starts_with("turn ")).count();
    assert_eq!(turns, 1);
}

#[tokio::test]
async fn what_the_person_says_comes_before_the_goal() {
    let play = Play::new(|text| match text {
        "ship it" => vec![Step::Wait(PATIENCE * 2)],
        _ => Vec::new(),
    });
    play.send("/goal ship it");
    play.did("turn ship it").await;
    play.send("wait, first this");
    play.sees("The goal is reached.").await;
    let log = play.agent.log();
    let at = |wanted: &str| log.iter().position(|line| line.contains(wanted)).unwrap();
    assert!(at("turn wait, first this") < at("round 1"), "{log:?}");
    assert!(!log.iter().any(|line| line == "goal Pause"), "{log:?}");
}
