//! Sessions: resumed, continued, and looked at by other commands.

use hermes_testkit::{ScriptedUsage, Step};
use serde_json::{Value, json};

use super::{BOTH, Scene, Wire};
use crate::support::write;

#[test]
fn a_session_goes_on_with_the_same_bytes() {
    for wire in BOTH {
        let scene = Scene::new(
            wire,
            [
                Step::call("todo", json!({"todos": [{"id": "1", "content": "look"}]})),
                Step::text("Noted."),
                Step::text("You said: note it."),
            ],
        );
        scene.asks("note it").exits(0);
        scene.asks_with(&["-c"], "what did I say?").exits(0).says("You said");
        let sent = scene.sent();
        assert_eq!(sent.len(), 3, "{wire:?}");
        assert!(sent[2].view().turns.iter().any(|turn| turn.text.contains("note it")));
    }
}

#[test]
fn what_a_question_cost_is_told_to_programs() {
    let usage = ScriptedUsage { input: 1_000, output: 20, cached: 400, ..ScriptedUsage::default() };
    let scene = Scene::new(Wire::Chat, [Step::text("Four.").usage(usage)]);
    let file = scene.sandbox.scratch("usage.json");
    let run = scene.asks_with(&["--json", "--usage-file", file.to_str().unwrap()], "2+2?").exits(0);
    let report: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(report["final_response"], "Four.");
    assert_eq!((&report["input_tokens"], &report["cache_read_tokens"]), (&json!(600), &json!(400)));
    assert_eq!(
        (&report["completed"], &report["turn_exit_reason"]),
        (&json!(true), &json!("text_response"))
    );
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(kept["output_tokens"], 20);
}

#[test]
fn a_question_may_come_from_stdin() {
    let scene = Scene::new(Wire::Chat, [Step::text("Read it.")]);
    scene.sandbox.run_with_stdin(["-z", "-"], "what is this?").exits(0).says("Read it.");
    assert!(scene.sent()[0].view().last_text("user").contains("what is this?"));
}

#[test]
fn notes_of_earlier_sessions_are_in_the_instructions() {
    let scene = Scene::new(Wire::Chat, [Step::text("Hello Ada."), Step::text("Hello.")]);
    scene.sandbox.run(["memory", "add", "--target", "user", "Her name is Ada."]).exits(0);
    scene.asks("hello").exits(0);
    scene.asks_with(&["--ignore-rules"], "hello").exits(0);
    let questions = scene.server.questions();
    assert!(questions[0].view().system.contains("Her name is Ada."));
    assert!(!questions[1].view().system.contains("Ada"));
}

#[test]
fn a_note_that_is_no_text_does_not_keep_a_session_from_starting() {
    let scene = Scene::new(Wire::Chat, [Step::text("Hello.")]);
    std::fs::create_dir_all(scene.sandbox.path("memories")).unwrap();
    write(&scene.sandbox.path("memories/MEMORY.md"), b"caf\xe9 notes");
    scene.asks("hello").exits(0).says("Hello.");
    assert_eq!(std::fs::read(scene.sandbox.path("memories/MEMORY.md")).unwrap(), b"caf\xe9 notes");
}

#[test]
fn a_result_of_two_megabytes_is_cut_and_kept() {
    let scene = Scene::new(
        Wire::Chat,
        [
            Step::call("terminal", json!({"command": "head -c 2000000 /dev/zero | tr '\\0' x"})),
            Step::text("Much."),
        ],
    );
    scene.asks("print much").exits(0);
    assert!(scene.results()[0].len() < 120_000);
}

#[test]
fn a_home_that_cannot_be_written_to_does_not_lose_the_answer() {
    let scene = Scene::new(Wire::Chat, [Step::text("Four.")]);
    // A folder in the place of the database: as root, permissions would not stop us.
    std::fs::create_dir_all(scene.sandbox.path("state.db")).unwrap();
    scene.asks("2+2?").exits(0).says("Four.").notes("not saved");
}

/// A disk of its own for the home, so small that not even an empty database has room on it, in a
/// mount namespace that ends with the shell.
#[test]
fn a_full_disk_does_not_lose_the_answer() {
    let answers = [Step::text("Four.").times(2)];
    let scene = Scene::new(Wire::Chat, answers);
    let alone = if nix::unistd::geteuid().is_root() { "" } else { "--user --map-root-user" };
    let run = scene.sandbox.shell(&format!(
        "unshare {alone} --mount bash -c '
            cp $HERMES_HOME/config.yaml config.yaml &&
            mount -t tmpfs -o size=64k,mode=700 tmpfs $HERMES_HOME &&
            install -m 600 config.yaml $HERMES_HOME/ &&
            touch $HERMES_HOME/.no-bundled-skills &&
            $HERMES -z 2+2? && $HERMES -c -z again?; echo code $?'"
    ));
    run.exits(0).says("Four.").notes("not saved").notes("full");
    assert_eq!(scene.server.questions().len(), 1, "there is nothing to go on with");
}

/// A clock that was wrong once must not turn a conversation upside down.
#[test]
fn a_clock_that_jumps_does_not_change_the_order_of_a_conversation() {
    let scene =
        Scene::new(Wire::Chat, [Step::text("First."), Step::text("Second."), Step::text("Third.")]);
    let at = |time: &str, question: &str| {
        let run = scene.sandbox.shell(&format!("faketime '{time}' $HERMES -c -z {question}"));
        run.exits(0);
    };
    scene.asks("one").exits(0);
    at("2038-01-20 03:00:00", "two");
    at("1999-12-31 23:59:59", "three");
    let sent = scene.sent();
    let said: Vec<_> = sent[2].view().turns.iter().map(|turn| turn.text.clone()).collect();
    assert!(
        said[0].contains("one") && said[2].contains("two") && said[4].contains("three"),
        "{said:?}"
    );
    assert_eq!((said[1].as_str(), said[3].as_str()), ("First.", "Second."));
    let run = scene.sandbox.run(["sessions", "list"]).exits(0);
    assert!(run.out.contains("one"), "{}", run.out);
    scene.sandbox.run(["sessions", "repair", "--check"]).exits(0);
}

#[test]
fn commands_show_the_model_and_what_a_conversation_takes_up() {
    let scene = Scene::new(Wire::Chat, [Step::text("unused")]);
    scene.sandbox.run(["model"]).exits(0).says("scripted").says("custom");
    scene.sandbox.run(["model", "providers"]).exits(0).says("openrouter");
    let run = scene.sandbox.run(["prompt-size", "--json"]).exits(0);
    let sizes: Value = serde_json::from_str(&run.out).unwrap();
    let tools = sizes["tools"].as_array().unwrap().len() as u64;
    assert!(sizes["bytes"].as_u64().unwrap() <= 3 * 1024 + 1024 * tools, "{sizes}");
    assert_eq!(
        sizes["bytes"].as_u64(),
        Some(
            sizes["instructions_bytes"].as_u64().unwrap() + sizes["tools_bytes"].as_u64().unwrap()
        )
    );
    scene.sandbox.run(["setup"]).exits(2).notes("needs a terminal");
    assert!(scene.server.questions().is_empty());
}
