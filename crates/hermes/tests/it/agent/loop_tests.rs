//! Questions, tool calls, budgets and subagents.

use hermes_testkit::{Match, Script, Step};
use serde_json::{Value, json};

use super::{BOTH, Scene, Wire};
use crate::support::write;

#[test]
fn a_question_gets_its_answer_and_nothing_else_is_printed() {
    for wire in BOTH {
        let scene = Scene::new(wire, [Step::text("Four.")]);
        let run = scene.asks("2+2?").exits(0);
        assert_eq!((run.out.as_str(), run.err.as_str()), ("Four.\n", ""), "{wire:?}");
        assert_eq!(scene.sent().len(), 1);
    }
}

#[test]
fn a_tool_is_called_and_its_result_sent_back() {
    for wire in BOTH {
        let scene = Scene::new(
            wire,
            [Step::call("terminal", json!({"command": "echo $((6*7))"})), Step::text("It is 42.")],
        );
        scene.asks("compute").exits(0).says("It is 42.");
        assert!(scene.results()[0].contains("42"), "{wire:?}: {:?}", scene.results());
    }
}

#[test]
fn a_model_may_call_a_tool_by_an_older_name_and_is_offered_the_present_one() {
    for wire in BOTH {
        let search = Step::call("search", json!({"pattern": "needle"}));
        let scene = Scene::new(wire, [search, Step::text("Found.")]);
        write(&scene.sandbox.scratch("notes.txt"), b"a needle\n");
        scene.asks("where is the needle?").exits(0).says("Found.");
        assert!(scene.results()[0].contains("notes.txt"), "{wire:?}: {:?}", scene.results());
        let sent = scene.sent()[0].body["tools"].to_string();
        assert!(sent.contains("\"search_files\"") && !sent.contains("\"search\""), "{wire:?}");
    }
}

#[test]
fn calls_of_one_answer_are_answered_in_order() {
    for wire in BOTH {
        let scene = Scene::new(
            wire,
            [
                Step::call("read_file", json!({"path": "a.txt"}))
                    .and_call("read_file", json!({"path": "b.txt"}))
                    .and_call("todo", json!({})),
                Step::text("Read."),
            ],
        );
        for name in ["a.txt", "b.txt"] {
            write(&scene.sandbox.scratch(name), format!("this is {name}\n").as_bytes());
        }
        scene.asks("read both").exits(0);
        let all = scene.results().join("\n");
        let (first, second) =
            (all.find("this is a.txt").unwrap(), all.find("this is b.txt").unwrap());
        assert!(first < second, "{wire:?}: {all}");
    }
}

/// The session's own file state was not told that another tool ran: the third read was `BLOCKED`
/// although a command stood between it and the second.
#[test]
fn a_command_between_reads_and_searches_ends_the_repetition() {
    for wire in BOTH {
        let read = || Step::call("read_file", json!({"path": "a.txt"}));
        let search = || Step::call("search_files", json!({"pattern": "quiet"}));
        let command = || Step::call("terminal", json!({"command": "true"}));
        let todo = || Step::call("todo", json!({}));
        let scene = Scene::new(
            wire,
            [
                vec![read(), read(), command(), read(), todo(), read(), read()],
                vec![search(), search(), command(), search(), todo(), search()],
                vec![Step::text("Done.")],
            ]
            .concat(),
        );
        write(&scene.sandbox.scratch("a.txt"), b"quiet\n");
        scene.asks("look around").exits(0);
        let results = scene.results();
        assert!(results[0].contains("1|quiet"), "{wire:?}: {results:?}");
        for stub in [1, 3, 5] {
            assert!(results[stub].contains("unchanged"), "{wire:?}: {stub}: {results:?}");
        }
        assert!(results[6].contains("BLOCKED"), "{wire:?}: nothing between: {results:?}");
        for found in [7, 8, 10, 12] {
            assert!(!results[found].contains("\"_warning\""), "{wire:?}: {found}: {results:?}");
        }
    }
}

#[test]
fn three_answers_with_unknown_tools_are_a_partial_answer() {
    for wire in BOTH {
        let scene = Scene::new(wire, [Step::call("fly", json!({})).times(3)]);
        scene.asks("fly").exits(3).notes("unknown tools");
        assert_eq!(scene.sent().len(), 3);
    }
}

/// Everything a model may write that can be read in one way only.
#[test]
fn arguments_that_are_almost_json_are_understood() {
    let accepted = [
        "\u{feff}{\"content\": \"x\"}",
        "```json\n{\"content\": \"x\"}\n```",
        "{'content': 'x'}",
        "{content: \"x\"}",
        "{\"content\": \"x\",}",
        "{\"content\": \"x\"",
        "{\"content\": \"x\"}}",
        "{\"content\": \"x\", \"merge\": True}",
        "\"{\\\"content\\\": \\\"x\\\"}\"",
        "[{\"content\": \"x\"}]",
        "null",
        "",
    ];
    let steps = accepted.iter().map(|text| Step::call("todo", json!(text)));
    let steps: Vec<Step> = steps.chain([Step::text("Done.")]).collect();
    // The same call in many forms is no loop of a model.
    let settings = "tool_loop_guardrails: { hard_stop_enabled: false }\n";
    let scene = Scene::with_config(Wire::Chat, steps, settings);
    scene.asks("go").exits(0);
    for (text, result) in accepted.iter().zip(scene.results()) {
        assert!(result.contains("summary"), "{text}: {result}");
    }
}

#[test]
fn arguments_that_could_mean_anything_run_nothing() {
    let refused = [
        "{\"content\": \"x",
        "{\"content\":",
        "{\"a\": 1}{\"b\": 2}",
        "{\"a\": NaN}",
        "42",
        "[1, 2]",
    ];
    let steps = refused.iter().map(|text| Step::call("todo", json!(text)));
    let scene = Scene::new(Wire::Chat, steps.chain([Step::text("Done.")]).collect::<Vec<_>>());
    scene.asks("go").exits(0);
    for (text, result) in refused.iter().zip(scene.results()) {
        assert!(result.contains("Invalid tool arguments"), "{text}: {result}");
    }
}

#[test]
fn the_budget_ends_with_a_summary_and_exit_code_3() {
    for wire in BOTH {
        let scene = Scene::with_config(
            wire,
            [Step::call("todo", json!({})).times(2), Step::text("Half is done.")],
            "agent:\n  max_turns: 2\n",
        );
        scene.asks("work").exits(3).says("Half is done.").notes("agent.max_turns");
        scene.server.conversation().toolless_at(2).assert_sound();
    }
}

#[test]
fn a_subagent_works_and_reports() {
    for wire in BOTH {
        let script = Script::new([
            Step::call("delegate_task", json!({"goal": "count to three"})),
            Step::text("It counted."),
        ])
        .route(
            "child",
            Match::system("subagent of Hermes"),
            [Step::text("One, two, three.")],
        );
        let scene = Scene::new(wire, script);
        scene.asks("have it counted").exits(0).says("It counted.");
        let questions = scene.server.questions();
        let last = questions.last().unwrap().view();
        assert!(last.raw.contains("One, two, three."), "{wire:?}");
    }
}

#[test]
fn a_batch_of_subagents_answers_in_order_and_null_goals_are_reported() {
    let tasks = json!({"tasks": [{"goal": "alpha"}, {"goal": null}, {"goal": "gamma"}]});
    let script = Script::new([Step::call("delegate_task", tasks), Step::text("Done.")])
        .route(
            "alpha",
            Match::user("alpha"),
            [Step::text("A is done").delay(std::time::Duration::from_millis(80))],
        )
        .route("gamma", Match::user("gamma"), [Step::text("C is done")]);
    let scene = Scene::new(Wire::Chat, script);
    scene.asks("go").exits(0);
    let questions = scene.server.questions();
    let results = questions.last().unwrap().view().last_text("tool").to_owned();
    let results: Value = serde_json::from_str(&results).unwrap();
    let statuses: Vec<&str> = results["results"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["status"].as_str())
        .collect();
    assert_eq!(statuses, ["completed", "error", "completed"]);
    assert_eq!(results["results"][0]["summary"], "A is done");
}

#[test]
fn a_dangerous_command_is_refused_when_nobody_can_be_asked() {
    let scene = Scene::new(
        Wire::Chat,
        [
            Step::call("terminal", json!({"command": "rm -rf /srv/some-folder-of-nobody"})),
            Step::text("I was not allowed to."),
        ],
    );
    scene.asks("delete it").exits(0);
    let result = scene.results().remove(0);
    assert!(result.contains("Nobody is there to be asked"), "{result}");
}

#[test]
fn subagents_run_risky_commands_only_if_the_settings_say_so() {
    for (setting, is_run) in [("false", false), ("true", true)] {
        // What is below the temporary folder of the session may go unasked; this is another one.
        let place = tempfile::tempdir_in("/var/tmp").unwrap();
        let folder = place.path().join("to-go");
        std::fs::create_dir(&folder).unwrap();
        let command = json!({"command": format!("rm -rf {}", folder.display())});
        let script = Script::new([
            Step::call("delegate_task", json!({"goal": "remove it"})),
            Step::call("terminal", command.clone()),
            Step::text("Done."),
        ])
        .route(
            "child",
            Match::system("subagent of Hermes"),
            [Step::call("terminal", command), Step::text("Tried.")],
        );
        let settings = format!("delegation:\n  subagent_auto_approve: {setting}\n");
        let scene = Scene::with_config(Wire::Chat, script, &settings);
        scene.asks("have it removed").exits(0);
        assert_eq!(!folder.exists(), is_run, "subagent_auto_approve: {setting}");
        let questions = scene.server.questions();
        let own = questions.last().unwrap().view().last_text("tool").to_owned();
        assert!(own.contains("Nobody is there to be asked"), "only the child may: {own}");
    }
}

#[test]
fn the_default_request_is_small() {
    let scene = Scene::new(Wire::Chat, [Step::text("Hi.")]);
    scene.asks("hello").exits(0);
    let sent = scene.sent();
    let view = sent[0].view();
    // What a tool may cost on average, over what is sent without any.
    let most = 4 * 1024 + 900 * view.tools.len();
    assert!(view.raw.len() <= most, "{} bytes, {} tools", view.raw.len(), view.tools.len());
}
