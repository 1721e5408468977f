//! Interrupts, and processes that are killed.

use std::process::Stdio;
use std::time::Duration;

use hermes_testkit::{Match, Script, Step};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::json;

use super::{BOTH, Scene, Wire};

/// Starts a question, waits until the model has had so many requests, and sends a signal.
fn signalled(
    scene: &Scene,
    flags: &[&str],
    requests: usize,
    signal: Signal,
    after: Duration,
) -> Option<i32> {
    asked_and_signalled(scene, flags, "go on", requests, (signal, after))
}

fn asked_and_signalled(
    scene: &Scene,
    flags: &[&str],
    question: &str,
    requests: usize,
    (signal, after): (Signal, Duration),
) -> Option<i32> {
    let mut child = scene
        .sandbox
        .command()
        .args(flags)
        .args(["-z", question])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    scene.server.wait_for(requests);
    std::thread::sleep(after);
    let _ = kill(Pid::from_raw(child.id().cast_signed()), signal);
    child.wait().unwrap().code()
}

#[test]
fn an_interrupt_during_a_stream_keeps_what_was_said() {
    for wire in BOTH {
        let scene = Scene::new(
            wire,
            [Step::text("Once upon a time").chunk(5).hold_after(5), Step::text("The end.")],
        );
        let code = signalled(&scene, &[], 1, Signal::SIGINT, Duration::from_millis(300));
        assert_eq!(code, Some(130), "{wire:?}");
        scene.asks_with(&["-c"], "shorter").exits(0).says("The end.");
        let turns = scene.sent().last().unwrap().view().turns;
        assert!(
            turns.iter().any(|turn| turn.role == "assistant" && turn.text.contains("Once")),
            "{turns:?}"
        );
    }
}

#[test]
fn an_interrupt_during_a_tool_leaves_a_session_that_goes_on() {
    for wire in BOTH {
        let scene = Scene::new(
            wire,
            [
                Step::call("terminal", json!({"command": "sleep 30", "timeout": 60})),
                Step::text("Never mind."),
            ],
        );
        let code = signalled(&scene, &[], 1, Signal::SIGINT, Duration::from_millis(700));
        assert_eq!(code, Some(130), "{wire:?}");
        scene.asks_with(&["-c"], "and now?").exits(0).says("Never mind.");
        scene.sent();
    }
}

#[test]
fn a_session_whose_process_was_killed_between_call_and_result_goes_on() {
    for wire in BOTH {
        let scene = Scene::new(
            wire,
            [
                Step::call("terminal", json!({"command": "sleep 30", "timeout": 60})),
                Step::text("It was cut short."),
            ],
        );
        signalled(&scene, &[], 1, Signal::SIGKILL, Duration::from_millis(700));
        scene.asks_with(&["-c"], "what happened?").exits(0).says("It was cut short.");
        scene.sent();
    }
}

/// Kills in each of the three tests below.
const KILLS: u64 = 105;

/// Goes on with one conversation again and again, and kills the process each time after a pause that
/// differs from run to run but is the same every time the test runs.
fn kill_again_and_again(scene: &Scene, question: &str, longest: u64, answered_every: u64) {
    scene.asks("begin").exits(0);
    for run in 0..KILLS {
        let before = scene.server.requests().len();
        let pause = Duration::from_millis(run.wrapping_mul(0x9E37_79B9_7F4A_7C15) % longest);
        asked_and_signalled(scene, &["-c"], question, before + 1, (Signal::SIGKILL, pause));
        // Now and then it comes to an answer, so that there is something to go on from.
        if run % answered_every == 0 {
            scene.asks_with(&["-c"], question).exits(0);
        }
    }
    scene.sandbox.run(["sessions", "repair", "--check"]).exits(0);
    scene.asks_with(&["-c"], "still there?").exits(0).says("A long answer");
    // Questions that were never answered become one, so only the last request is looked at.
    let last = scene.server.questions().pop().unwrap();
    hermes_testkit::ScriptedConversation::of(vec![last.clone()]).assert_sound();
    // Everything a person said is there, or in a summary's place.
    assert!(last.view().raw.contains("still there?"));
}

fn talking() -> Step {
    Step::text("A long answer that comes in many pieces, one after another.")
        .chunk(3)
        .chunk_delay(Duration::from_millis(3))
}

#[test]
fn killed_during_streams_and_tools_a_session_resumes() {
    let working = || {
        Step::call("todo", json!({"todos": [{"id": "1", "content": "x"}]}))
            .and_call("terminal", json!({"command": "sleep 0.05; echo done"}))
    };
    let steps: Vec<Step> = (0..400).flat_map(|_| [working(), talking()]).collect();
    let scene = Scene::new(Wire::Chat, Script::new(steps).repeat_last());
    kill_again_and_again(&scene, "go on", 150, 5);
    let shown = scene.sandbox.run(["sessions", "export", "-"]).exits(0).out;
    assert!(shown.matches("\"go on\"").count() >= 100, "what was said is kept");
}

#[test]
fn killed_during_delegation_a_session_resumes() {
    let steps: Vec<Step> = (0..400)
        .flat_map(|_| [Step::call("delegate_task", json!({"goal": "count"})), talking()])
        .collect();
    let script = Script::new(steps).repeat_last().route(
        "child",
        Match::system("subagent of Hermes"),
        vec![
            Step::text("One, two, three.")
                .chunk(2)
                .chunk_delay(Duration::from_millis(4))
                .times(2_000),
        ],
    );
    kill_again_and_again(&Scene::new(Wire::Messages, script), "go on", 150, 5);
}

#[test]
fn killed_during_compression_a_session_resumes() {
    let script = Script::new([talking().times(2_000)]).route(
        "summary",
        Match::toolless(),
        vec![
            Step::text("They talked.").chunk(2).chunk_delay(Duration::from_millis(10)).times(2_000),
        ],
    );
    // A window so small that a few exchanges fill it.
    let settings =
        "compression:\n  threshold: 0.30\n  protect_last_n: 4\nagent: { tool_profile: full }\n";
    let scene = Scene::with_window(Wire::Chat, script, 17_000, settings);
    kill_again_and_again(&scene, &"tell me more ".repeat(250), 200, 1);
    let requests = scene.server.requests();
    let summaries = requests.iter().filter(|seen| seen.route.as_deref() == Some("summary")).count();
    assert!(summaries > 5, "{summaries} compressions were begun");
}
