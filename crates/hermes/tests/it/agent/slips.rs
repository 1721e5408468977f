//! Small slips of models, which cost one cheap answer at most and never what was there before.

use hermes_testkit::Step;
use serde_json::{Value, json};

use super::{Scene, Wire};
use crate::support::Sandbox;

/// All tools, however small the window.
const FULL: &str = "agent: { tool_profile: full }\n";

fn plan() -> Step {
    let todos = json!([{"id": "a", "content": "look"}, {"id": "b", "content": "think"}]);
    Step::call("todo", json!({"todos": todos}))
}

#[test]
fn cut_json_does_not_wipe_the_plan() {
    let cut = [
        json!({"todos": "[{\"id\": \"a\", \"content\": \"lo"}),
        json!({"todos": "[{\"id\": \"a\"},"}),
        json!({"todos": "do it all"}),
        json!({"todos": ["look", "think"]}),
        json!({"todos": 7}),
    ];
    for arguments in cut {
        let steps = [
            plan(),
            Step::call("todo", arguments.clone()),
            Step::call("todo", json!({})),
            "Done.".into(),
        ];
        let scene = Scene::new(Wire::Chat, steps);
        scene.asks("plan it").exits(0).says("Done.");
        let results = scene.results();
        assert!(results[1].contains("error") && results[1].contains("kept"), "{}", results[1]);
        let list: Value = serde_json::from_str(&results[2]).unwrap();
        assert_eq!(list["summary"]["total"], 2, "{arguments}");
    }
}

#[test]
fn failures_of_memory_carry_usage_and_entries_and_name_no_type() {
    let bad = [
        json!({"action": "append", "content": "x"}),
        json!({"operations": ["add x"]}),
        json!({"action": "remove", "old_text": "milk"}),
        json!({"action": "add", "content": {"text": "x"}}),
    ];
    for arguments in bad {
        let steps = [
            Step::call("memory", json!({"action": "add", "content": "likes tea"})),
            Step::call("memory", arguments.clone()),
            "Done.".into(),
        ];
        let scene = Scene::new(Wire::Chat, steps);
        scene.asks("note it").exits(0).says("Done.");
        let answer: Value = serde_json::from_str(&scene.results()[1]).unwrap();
        assert_eq!(answer["success"], false, "{arguments}: {answer}");
        assert_eq!(answer["current_entries"], json!(["likes tea"]), "{arguments}: {answer}");
        assert_eq!(answer["usage"], "9/2200", "{arguments}: {answer}");
        let said = answer["error"].as_str().unwrap();
        assert!(
            !said.contains("struct") && !said.contains("Memory") && !said.contains("enum"),
            "{said}"
        );
    }
}

#[test]
fn names_with_punctuation_or_a_namespace_are_resolved() {
    for name in [
        "todo()",
        "<todo>",
        "`todo`",
        "\"todo\"",
        "functions.todo",
        "tools.todo",
        "default_api.todo",
    ] {
        let scene = Scene::new(Wire::Chat, [Step::call(name, json!({})), "Done.".into()]);
        scene.asks("plan it").exits(0).says("Done.");
        assert!(scene.results()[0].contains("\"summary\""), "{name}: {:?}", scene.results());
    }
}

#[test]
fn a_server_that_does_not_run_on_this_machine_is_told_at_once() {
    // A port that was free a moment ago; nobody listens there.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    for host in ["127.0.0.1", "localhost"] {
        let sandbox = Sandbox::with_config(&format!(
            "model:\n  provider: custom\n  base_url: http://{host}:{port}/v1\n  default: m\n  \
             context_length: 200000\n"
        ));
        let run = sandbox.run(["-z", "hello"]).exits(1).notes("nothing listens at");
        assert!(run.took < std::time::Duration::from_secs(8), "{run:#?}");
        assert!(!run.err.contains("trying again"), "{run:#?}");
    }
}

#[test]
fn instructions_and_tools_that_fill_the_window_are_named_with_the_remedy() {
    let scene = Scene::with_window(Wire::Chat, [Step::text("unused")], 4_000, FULL);
    let run = scene.asks("hello").exits(1);
    let run = run.notes("the instructions and tools alone take about").notes("4000");
    run.notes("fewer toolsets").notes("larger window");
    assert!(scene.server.questions().is_empty(), "nothing was asked in vain");

    // The provider knows better than the estimate.
    let overflow = Step::status(400)
        .error(json!({"error": {"message": "This model's maximum context length is 20000 tokens, however you requested 21000 tokens"}}));
    let scene = Scene::with_window(Wire::Chat, [overflow.times(5)], 20_000, FULL);
    let run = scene.asks("hello").exits(1).notes("nearly all of it are the instructions and tools");
    run.notes("fewer toolsets").notes("larger window");
}

/// Long jobs died after the third compaction of a turn.
#[test]
fn a_turn_compacts_as_often_as_it_makes_progress() {
    use hermes_testkit::{Match, Script};
    let read = |n: usize| {
        let text = format!("{n} ").repeat(2_000);
        Step::call("todo", json!({"todos": [{"id": n.to_string(), "content": text}]}))
    };
    let mut steps: Vec<Step> = (0..40).map(read).collect();
    steps.push(Step::text("All forty steps are done."));
    let script = Script::new(steps).route(
        "summary",
        Match::toolless(),
        vec![Step::text("They worked.").times(100)],
    );
    let settings =
        "compression:\n  protect_last_n: 4\nagent:\n  max_turns: 60\n  tool_profile: full\n";
    let scene = Scene::with_window(Wire::Chat, script, 24_000, settings);
    scene.asks("work through all of it").exits(0).says("All forty steps are done.");
    let sizes: Vec<usize> = scene
        .server
        .requests()
        .iter()
        .filter(|seen| seen.route.is_none())
        .map(|seen| seen.body.to_string().len())
        .collect();
    let compactions = sizes.windows(2).filter(|pair| pair[1] + 4_000 < pair[0]).count();
    assert!(compactions > 3, "{compactions} compactions: {sizes:?}");
}
