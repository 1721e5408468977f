use hermes_protocol::AgentEvent;
use hermes_protocol::{TurnEnd, TurnStatus};
use serde_json::json;

use super::*;
use crate::slash::BusyMode;
use crate::test_session::Step;

fn said(text: &str) -> Vec<Step> {
    vec![
        Step::Tell(AgentEvent::Text(text.to_owned())),
        Step::Tell(AgentEvent::Said { text: text.to_owned() }),
    ]
}

fn echo(text: &str) -> Vec<Step> {
    said(&format!("you said {text}"))
}

/// Writes half a line and goes on for ever, unless told otherwise.
fn slow(text: &str) -> Vec<Step> {
    match text {
        "slow" => vec![
            Step::Tell(AgentEvent::Asking { call: 1 }),
            Step::Tell(AgentEvent::Text("first line\nhalf a li".into())),
            Step::Wait(PATIENCE * 2),
        ],
        other => echo(other),
    }
}

#[tokio::test]
async fn events_are_drawn_in_order_above_the_prompt() {
    let play = Play::new(|_| {
        let args = json!({"command": "ls"});
        let mut steps = vec![
            Step::Tell(AgentEvent::ToolStarted {
                id: "1".into(),
                tool: "terminal".into(),
                args: args.clone(),
            }),
            Step::Tell(AgentEvent::ToolFinished {
                id: "1".into(),
                tool: "terminal".into(),
                args,
                output: r#"{"exit_code": 2}"#.into(),
                failed: true,
                took: Duration::from_millis(100),
            }),
        ];
        steps.extend(said("Done: **日本語**"));
        steps
    });
    play.send("look");
    play.sees("Done: 日本語").await;
    let expected = "❯ look\n\n┊ ⚡ $         ls  0.1s [exit 2]\n\nDone: 日本語\n\n❯";
    play.until("the end", |text| text == expected).await;
    assert_eq!(play.screen.cursor(), (6, 2));
}

#[tokio::test]
async fn ctrl_c_ends_a_turn_at_once_and_keeps_what_was_written() {
    let play = Play::new(slow);
    play.send("slow");
    play.sees("half a li").await;
    let pressed = Instant::now();
    play.control('c');
    play.sees("· stopped").await;
    assert!(pressed.elapsed() < Duration::from_secs(1), "{:?}", pressed.elapsed());
    play.sees("first line\nhalf a li\n· stopped").await;
    play.send("again");
    play.sees("you said again").await;
}

#[tokio::test]
async fn ctrl_c_twice_leaves_in_the_middle_of_a_turn() {
    let play = Play::new(slow);
    play.send("slow");
    play.sees("half a li").await;
    play.control('c');
    play.control('c');
    let (exit, text) = play.leaves().await;
    assert_eq!(exit, ChatExit::Interrupted);
    assert!(text.ends_with("To go on later: hermes --resume s1"), "{text}");
}

#[tokio::test]
async fn ctrl_c_empties_the_line_and_then_asks_before_it_leaves() {
    let play = Play::new(echo);
    play.type_in("a slip");
    play.sees("❯ a slip").await;
    play.control('c');
    play.until("an empty line", |text| text == "❯").await;
    play.control('c');
    play.sees("Ctrl-C once more leaves").await;
    play.control('c');
    assert_eq!(play.leaves().await, (ChatExit::Interrupted, String::new()));
}

#[tokio::test]
async fn ctrl_d_leaves_and_ends_a_running_turn() {
    let play = Play::new(slow);
    play.send("slow");
    play.sees("half a li").await;
    play.control('d');
    let agent = Arc::clone(&play.agent);
    assert_eq!(play.leaves().await.0, ChatExit::Done);
    assert_eq!(agent.log(), ["turn slow", "interrupt"]);
}

#[tokio::test]
async fn typing_interrupts_a_turn_and_begins_the_next() {
    let play = Play::new(slow);
    play.send("slow");
    play.sees("half a li").await;
    play.send("better this");
    play.sees("you said better this").await;
    assert_eq!(play.agent.log(), ["turn slow", "interrupt", "turn better this"]);
}

#[tokio::test]
async fn typing_can_wait_for_the_end_and_comes_back_when_everything_is_stopped() {
    let settings = ChatSettings { busy: BusyMode::Queue, ..ChatSettings::default() };
    let play = Play::with(slow, settings);
    play.send("slow");
    play.sees("half a li").await;
    play.send("later");
    play.sees("next: later").await;
    play.control('c');
    play.sees("❯ later").await;
    assert_eq!(play.agent.log(), ["turn slow", "interrupt"]);
}

#[tokio::test]
async fn a_queued_message_follows_by_itself() {
    let play = Play::new(|text| match text {
        "one" => vec![Step::Wait(Duration::from_millis(300))],
        other => echo(other),
    });
    play.send("one");
    play.did("turn one").await;
    play.send("/queue two");
    play.sees("you said two").await;
    assert_eq!(play.agent.log(), ["turn one", "turn two"]);
}

#[tokio::test]
async fn typing_can_steer_without_stopping() {
    let settings = ChatSettings { busy: BusyMode::Steer, ..ChatSettings::default() };
    let play = Play::with(slow, settings);
    play.send("slow");
    play.sees("half a li").await;
    play.send("mind the gap");
    play.sees("told the agent: mind the gap").await;
    assert_eq!(play.agent.log(), ["turn slow", "steer mind the gap"]);
}

#[tokio::test]
async fn a_steer_that_came_too_late_is_the_next_message() {
    let play = Play::new(|text| match text {
        "one" => {
            let pending_steer = Some("late".to_owned());
            vec![Step::End(TurnEnd { pending_steer, ..TurnEnd::default() })]
        }
        other => echo(other),
    });
    play.send("one");
    play.sees("you said late").await;
}

#[tokio::test]
async fn a_failed_turn_says_why() {
    let play = Play::new(|_| {
        let outcome =
            TurnStatus::Failed("The key was refused.\nhermes setup stores another.".into());
        vec![Step::End(TurnEnd { outcome, ..TurnEnd::default() })]
    });
    play.send("hello");
    play.sees("! The key was refused.\n  hermes setup stores another.").await;
}

#[tokio::test]
async fn a_turn_that_breaks_does_not_take_the_prompt_with_it() {
    let play = Play::new(|text| match text {
        "break" => panic!("a fault"),
        other => echo(other),
    });
    play.send("break");
    play.sees("broke off because of a fault").await;
    play.send("on");
    play.sees("you said on").await;
}

#[tokio::test]
async fn five_thousand_pasted_lines_are_a_placeholder_and_sent_whole() {
    let play = Play::new(|text| said(&format!("{} lines", text.lines().count())));
    play.keys.send(TerminalInput::Paste("a line\n".repeat(5_000))).unwrap();
    play.sees("❯ [pasted #1: 5000 lines]").await;
    play.key(KeyCode::Enter, KeyModifiers::NONE);
    let text = play.sees("5000 lines\n\n❯").await;
    assert!(text.starts_with("❯ [pasted #1: 5000 lines]"), "{text}");
}

#[tokio::test]
async fn a_narrower_terminal_shows_everything_in_less_room() {
    let play = Play::new(echo);
    play.type_in(&"日本語 ".repeat(8));
    play.sees("日本語").await;
    let size = Size { columns: 24, rows: 10 };
    play.screen.resize(size);
    play.keys.send(TerminalInput::Resize(size)).unwrap();
    play.type_in("end");
    let text = play.until("rows of 24 columns", |text| text.ends_with("end")).await;
    assert!(text.lines().count() >= 3, "{text}");
}

#[tokio::test]
async fn what_a_turn_used_is_told_on_request() {
    let settings = ChatSettings { cost: true, ..ChatSettings::default() };
    let play = Play::with(
        |_| {
            let usage = hermes_llm::TokenUsage {
                input_tokens: 1_500,
                output_tokens: 7,
                ..Default::default()
            };
            vec![
                Step::Tell(AgentEvent::Spent { usage, context_tokens: 20_000 }),
                Step::End(TurnEnd { dollars: Some(0.5), ..TurnEnd::default() }),
            ]
        },
        settings,
    );
    play.send("hello");
    play.sees("┊ 1.5k in, 7 out · context 10% of 200k · $0.50").await;
}
