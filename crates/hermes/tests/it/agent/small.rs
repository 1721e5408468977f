//! What small and local models need: the same beginning in every session, few tools in few words, calls that came
//! as text, tools that answer what was meant, and loops that end.

use hermes_llm::metadata::estimate_text;
use hermes_testkit::{Script, Seen, Step};
use serde_json::{Value, json};

use super::{Scene, Wire};
use crate::support::write;

/// A chat with a model of a small window.
fn small(script: impl Into<Script>) -> Scene {
    Scene::with_window(Wire::Chat, script, 8_192, "")
}

fn system(seen: &Seen) -> String {
    seen.body["messages"][0]["content"].to_string()
}

fn tool_names(seen: &Seen) -> Vec<String> {
    let tools = seen.body["tools"].as_array().cloned().unwrap_or_default();
    tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect()
}

/// Each session drew its own mark and named its directory before the tools, so no server found anything it knew.
#[test]
fn two_sessions_in_two_directories_send_the_same_instructions_and_tools() {
    for window in [200_000, 8_192] {
        let steps = [Step::text("one"), Step::text("two")];
        let scene = Scene::with_window(Wire::Chat, steps, window, "");
        let mut heads = Vec::new();
        for name in ["first", "second"] {
            let directory = scene.sandbox.scratch(name);
            std::fs::create_dir_all(directory.join(".git")).unwrap();
            write(&directory.join(".git/HEAD"), format!("ref: refs/heads/{name}\n").as_bytes());
            let mut command = scene.sandbox.command();
            let ran = command.current_dir(&directory).args(["-z", "hello"]).output().unwrap();
            assert!(ran.status.success(), "{ran:?}");
            heads.push(directory);
        }
        // Two conversations, so not checked as one.
        let sent = scene.server.questions();
        assert_eq!(system(&sent[0]), system(&sent[1]));
        assert_eq!(sent[0].body["tools"].to_string(), sent[1].body["tools"].to_string());
        assert!(system(&sent[0]).contains("user-steer"), "the mark is announced");
        for (seen, directory) in sent.iter().zip(&heads) {
            let said = seen.view().last_text("user").to_owned();
            assert!(
                said.starts_with(&format!("Working directory: {}\n", directory.display())),
                "{said}"
            );
            assert!(said.contains("branch ") && said.contains("Conversation started: "), "{said}");
            assert!(said.ends_with("\n\nhello"), "{said}");
        }
    }
}

#[test]
fn a_session_that_goes_on_elsewhere_is_told_where_it_is_and_only_then() {
    let steps = [Step::text("one"), Step::text("two"), Step::text("three")];
    let scene = Scene::new(Wire::Chat, steps);
    scene.asks("first").exits(0);
    scene.asks_with(&["--continue"], "second").exits(0);
    let elsewhere = scene.sandbox.scratch("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let mut command = scene.sandbox.command();
    let ran = command.current_dir(&elsewhere).args(["--continue", "-z", "third"]).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let sent = scene.server.questions();
    assert_eq!(sent[1].view().last_text("user"), "second", "known already");
    let last = sent[2].view().last_text("user").to_owned();
    assert!(last.starts_with("Working directory: ") && last.contains("/elsewhere\n"), "{last}");
}

#[test]
fn a_model_with_a_small_window_gets_five_tools_in_few_words() {
    let scene = small([Step::text("hello")]);
    scene.asks("hello").exits(0);
    let sent = &scene.sent()[0];
    let names = tool_names(sent);
    assert_eq!(names, ["patch", "read_file", "search_files", "terminal", "write_file"]);
    let size = estimate_text(&system(sent)) + estimate_text(&sent.body["tools"].to_string());
    assert!(size <= 600, "{size} tokens: {} {}", system(sent), sent.body["tools"]);
    let patch = &sent.body["tools"][0]["function"]["parameters"];
    assert_eq!(patch["required"], json!(["path", "old_string", "new_string"]));
    assert!(!sent.body["tools"].to_string().contains("minimum"));
}

#[test]
fn the_profile_is_chosen_by_flag_and_setting_and_a_list_of_toolsets_wins() {
    let names = |window, flags: &[&str], settings: &str| {
        let scene = Scene::with_window(Wire::Chat, [Step::text("hello")], window, settings);
        scene.asks_with(flags, "hello").exits(0);
        tool_names(&scene.sent()[0])
    };
    assert_eq!(names(200_000, &["-t", "local"], "").len(), 5);
    assert_eq!(names(200_000, &[], "agent: { tool_profile: local }\n").len(), 5);
    assert!(names(8_192, &[], "agent: { tool_profile: full }\n").len() > 8);
    assert_eq!(names(8_192, &["-t", "todo"], ""), ["todo"]);
    assert_eq!(names(8_192, &[], "toolsets: [todo]\n"), ["todo"]);
    assert!(names(200_000, &[], "").len() > 8);
}

#[test]
fn bounds_that_the_code_checks_are_not_sent() {
    let scene = Scene::new(Wire::Chat, [Step::text("hello")]);
    scene.asks("hello").exits(0);
    let tools = scene.sent()[0].body["tools"].to_string();
    for word in ["\"minimum\"", "\"maximum\"", "\"uint64\"", "\"cross_profile\":"] {
        assert!(!tools.contains(word), "{word}");
    }
}

#[test]
fn calls_written_as_text_are_run_and_prose_about_them_is_not() {
    let call =
        |name: &str| json!({"name": "write_file", "arguments": {"path": name, "content": "hi"}});
    for (number, text) in [
        call("made").to_string(),
        format!("```json\n{:#}\n```", call("made")),
        format!("<tool_call>\n{}\n</tool_call>", call("made")),
        format!("[TOOL_CALLS][{}]", call("made")),
        "<function=write_file><parameter=path>made</parameter><parameter=content>hi</parameter></function>"
            .to_owned(),
    ]
    .into_iter()
    .enumerate()
    {
        let scene = small([Step::text(text.clone()), Step::text("Made it.")]);
        scene.asks("make it").exits(0).says("Made it.");
        let made = std::fs::read_to_string(scene.sandbox.scratch("made"));
        assert_eq!(made.ok().as_deref(), Some("hi"), "{number}: {text}");
        // On the wire it is a call with its result.
        assert!(scene.results()[0].contains("created with 1 line"), "{:?}", scene.results());
    }
    for text in [
        format!("You could call {}", call("made")),
        json!({"name": "no_such_tool", "arguments": {}}).to_string(),
    ] {
        let scene = small([Step::text(text.clone())]);
        scene.asks("make it").exits(0).says(&text);
        assert!(!scene.sandbox.scratch("made").exists());
    }
}

#[test]
fn file_tools_answer_what_was_meant() {
    let steps = [
        Step::call("read_file", json!({"path": "."})),
        Step::call("write_file", json!({"path": "notes.txt", "content": "milk\n"})),
        Step::call("write_file", json!({"path": "notes.txt", "content": "milk\n", "append": true})),
        Step::call("read_file", json!({"path": "notes.txt", "limit": 1})),
        Step::call(
            "patch",
            json!({"path": "notes.txt", "old_string": "bread", "new_string": "rye bread"}),
        ),
        Step::call(
            "patch",
            json!({"path": "notes.txt", "old_string": "oat bread", "new_string": "rye bread"}),
        ),
        Step::call("write_file", json!({"path": "notes.txt", "content": "tea\n"})),
        Step::call("patch", json!({"path": "notes.txt"})),
        Step::text("Done."),
    ];
    let scene = small(steps);
    write(&scene.sandbox.scratch("notes.txt"), b"bread\nbutter\njam");
    scene.asks("try").exits(0).says("Done.");
    let results = scene.results();
    assert!(
        results[0].contains("notes.txt  16 bytes") && results[0].contains("home/"),
        "{}",
        results[0]
    );
    assert!(results[1].contains("3 lines you have not read"), "{}", results[1]);
    assert!(results[2].contains("added 1 line to 3"), "{}", results[2]);
    let whole: Value = serde_json::from_str(&results[3]).unwrap();
    assert!(
        whole["content"].as_str().unwrap().contains("4|milk"),
        "a short file comes whole: {whole}"
    );
    for absent in ["is_binary", "truncated", "null"] {
        assert!(!results[3].contains(absent), "{}", results[3]);
    }
    assert!(results[4].contains("\"success\":true"), "{}", results[4]);
    assert!(
        results[5].contains("already") && results[5].contains("\"unchanged\":true"),
        "{}",
        results[5]
    );
    assert!(results[6].contains("replaced 4 lines by 1"), "{}", results[6]);
    assert!(
        results[7].contains("old_string") && results[7].contains("new_string"),
        "{}",
        results[7]
    );
    assert_eq!(std::fs::read_to_string(scene.sandbox.scratch("notes.txt")).unwrap(), "tea\n");
}

/// A small model listed its processes nineteen times and ran out of steps.
#[test]
fn loops_end_with_one_last_request_without_tools() {
    let listing = vec![Step::call("process", json!({"action": "list"})).times(6)];
    // The first time the file is made, from then on it is replaced.
    let two = (0..7).flat_map(|_| {
        [
            Step::call("terminal", json!({"command": "echo a"})),
            Step::call("write_file", json!({"path": "a", "content": "a"})),
        ]
    });
    for steps in [listing, two.collect()] {
        let calls = steps.len();
        let mut script: Vec<Step> = steps;
        script.push(Step::text("I found nothing new."));
        let scene = Scene::new(Wire::Chat, script);
        let run = scene.asks("look").exits(3).says("I found nothing new.");
        run.notes("guardrail");
        let sent = scene.server.questions();
        assert!(sent.len() <= calls.max(6) + 1, "{} requests", sent.len());
        let last = sent.last().unwrap();
        assert!(
            last.body.get("tools").is_none_or(|tools| tools.as_array().is_none_or(Vec::is_empty))
        );
        assert_eq!(scene.server.steps_left(), 0);
    }
}

#[test]
fn a_background_start_says_how_to_look_after_it_without_the_tool_for_it() {
    let steps = [
        Step::call("terminal", json!({"command": "sleep 30", "background": true})),
        Step::text("Started."),
    ];
    let scene = small(steps);
    scene.asks("start it").exits(0);
    let result = &scene.results()[0];
    assert!(result.contains("kill ") && !result.contains("process("), "{result}");
}
