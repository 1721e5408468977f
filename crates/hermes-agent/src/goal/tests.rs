use super::*;

#[test]
fn verdicts_are_read_from_what_models_write() {
    for (answer, expected) in [
        ("DONE: all tests pass", GoalVerdict::Done("all tests pass".into())),
        ("**Done:** it is there.", GoalVerdict::Done("it is there.".into())),
        ("<think>hm</think>\n\nCONTINUE: two fail", GoalVerdict::Continue("two fail".into())),
        ("Let me see.\nwait: for the key", GoalVerdict::Wait("for the key".into())),
        ("DONE", GoalVerdict::Done(String::new())),
        ("It looks fine to me", GoalVerdict::Continue(String::new())),
        ("", GoalVerdict::Continue(String::new())),
    ] {
        assert_eq!(GoalVerdict::read(answer), expected, "{answer}");
    }
    let long = format!("CONTINUE: {}", "x".repeat(10_000));
    assert_eq!(GoalVerdict::read(&long), GoalVerdict::Continue("x".repeat(REASON_CHARS)));
}

#[test]
fn rounds_are_counted_and_end() {
    let mut goal = Goal::new("  make it green ", 2);
    assert_eq!(goal.text, "make it green");
    let missing = || GoalVerdict::Continue("one test".into());
    assert_eq!(goal.follow(missing()), GoalProgress::Again);
    assert!(goal.go_on().contains("round 1 of 2"), "{}", goal.go_on());
    assert!(goal.go_on().contains("missing: one test") && is_note(&goal.go_on()));
    assert_eq!(goal.follow(missing()), GoalProgress::Again);
    assert_eq!(goal.follow(missing()), GoalProgress::UsedUp);
    assert_eq!(goal.state, GoalState::Paused);
    goal.resume();
    assert_eq!((goal.state, goal.rounds), (GoalState::Active, 0));
    assert_eq!(goal.follow(GoalVerdict::Wait("for you".into())), GoalProgress::Waits);
    assert_eq!(goal.state, GoalState::Paused);
    assert_eq!(goal.follow(GoalVerdict::Done("green".into())), GoalProgress::Reached);
    assert_eq!((goal.state, goal.reason.as_deref()), (GoalState::Done, Some("green")));
}

#[test]
fn the_judge_sees_the_goal_its_steps_and_the_end_of_the_conversation() {
    let mut goal = Goal::new("ship it", 20);
    assert!(goal.add_step("write the changelog"));
    let mut messages: Vec<Message> =
        (0..20).map(|n| Message::user(format!("message {n}."))).collect();
    messages.push(Message::assistant(format!("{}the very end", "x".repeat(9_000))));
    let request = goal.question(&messages);
    let text = request.messages[0].text().into_owned();
    assert!(text.contains("ship it\n1. write the changelog"), "{text}");
    assert!(text.contains("the very end") && text.contains("message 19."));
    assert!(!text.contains("message 5.") && text.len() < 6_000);
    assert!(request.tools.is_empty());
}

#[test]
fn a_goal_comes_back_from_the_record() {
    let mut goal = Goal::new("x", 3);
    goal.follow(GoalVerdict::Continue("y".into()));
    let text = serde_json::to_string(&goal).unwrap();
    assert_eq!(serde_json::from_str::<Goal>(&text).unwrap(), goal);
    while goal.add_step("more") {}
    assert_eq!(goal.steps.len(), MAX_STEPS);
}
