//! Streams that come in pieces, break, or are written the way some provider does.

use hermes_testkit::{Quirk, Step};
use serde_json::json;

use super::{BOTH, Scene, Wire};

fn reading() -> Step {
    Step::call("todo", json!({"todos": [{"id": "1", "content": "look"}]}))
        .and_call("todo", json!({}))
}

#[test]
fn providers_write_calls_in_many_ways() {
    let quirks = [
        Quirk::Index0,
        Quirk::RepeatName,
        Quirk::OneChunk,
        Quirk::IntId,
        Quirk::NullIndex,
        Quirk::NoId,
        Quirk::UsageInline,
        Quirk::Ping,
    ];
    for quirk in quirks {
        let scene = Scene::new(Wire::Chat, [reading().quirk(quirk), Step::text("Done.")]);
        scene.asks("go").exits(0).says("Done.");
        assert_eq!(scene.results().len(), 2, "{quirk:?}");
    }
}

#[test]
fn an_answer_that_was_cut_off_is_taken_up_again() {
    for wire in BOTH {
        let scene =
            Scene::new(wire, [Step::text("One, two, ").finish("length"), Step::text("three.")]);
        let run = scene.asks("count").exits(0);
        assert_eq!(run.out, "One, two, three.\n", "{wire:?}");
        scene.sent();
    }
}

#[test]
fn a_call_that_was_cut_off_is_asked_for_again_and_never_run() {
    for wire in BOTH {
        let cut = Step::call("todo", json!("{\"todos\": [")).finish("length");
        let scene = Scene::new(wire, [cut, Step::text("Never mind.")]);
        scene.asks("go").exits(0).says("Never mind.");
        assert!(scene.results().is_empty(), "{wire:?}");
    }
}

#[test]
fn a_stream_that_breaks_in_the_text_is_taken_up_again() {
    for wire in BOTH {
        let broken = Step::text("A long story about a").chunk(4).drop_after(3);
        let scene = Scene::new(wire, [broken, Step::text(" fox.")]);
        let run = scene.asks("tell").exits(0);
        assert!(run.out.ends_with("fox.\n"), "{wire:?}: {run:?}");
    }
}

#[test]
fn a_stream_that_breaks_inside_a_call_runs_nothing() {
    for wire in BOTH {
        let broken = Step::call("todo", json!({"todos": [{"id": "1", "content": "a long text"}]}))
            .chunk(6)
            .drop_after(3);
        let scene = Scene::new(wire, [broken, Step::text("In pieces, then.")]);
        scene.asks("go").exits(0).says("In pieces, then.");
        assert!(scene.results().is_empty(), "{wire:?}");
    }
}

#[test]
fn thinking_is_not_part_of_the_answer() {
    for wire in BOTH {
        let scene = Scene::new(wire, [Step::text("Four.").reasoning("2 and 2")]);
        let run = scene.asks("2+2?").exits(0);
        assert_eq!(run.out, "Four.\n", "{wire:?}");
    }
}

#[test]
fn a_model_that_only_thinks_is_asked_for_its_answer() {
    for wire in BOTH {
        let scene = Scene::new(wire, [Step::text("").reasoning("hm"), Step::text("Four.")]);
        scene.asks("2+2?").exits(0).says("Four.");
    }
}

/// An event of a chat stream with this text, and the one that ends it.
fn said(text: &str) -> String {
    format!(r#"{{"choices": [{{"index": 0, "delta": {{"content": "{text}"}}}}]}}"#)
}

const DONE: &str = r#"{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}"#;

#[test]
fn a_chunk_with_a_lone_surrogate_loses_one_character_and_no_more() {
    let events = [said(r"Zebra \ud83d and "), said("giraffe."), DONE.to_owned()];
    let scene = Scene::new(Wire::Chat, [Step::raw_events(events)]);
    assert_eq!(scene.asks("go").exits(0).out, "Zebra \u{fffd} and giraffe.\n");
}

#[test]
fn a_chunk_that_cannot_be_read_is_told_and_the_rest_is_kept() {
    let broken = r#"{"choices": [{"index": 0, "delta": {"content": "an"#;
    let events = [said("Zebra and "), broken.to_owned(), said("giraffe."), DONE.to_owned()];
    let scene = Scene::new(Wire::Chat, [Step::raw_events(events)]);
    let run = scene.asks("go").exits(0);
    assert_eq!(run.out, "Zebra and giraffe.\n");
    run.notes("one piece of the model's answer could not be read");
}

#[test]
fn a_connection_cut_in_mid_answer_is_told_as_such_and_continued_from_the_last_words() {
    for wire in BOTH {
        let broken = Step::text("A long story about a quick brown").chunk(4).drop_after(7);
        let scene = Scene::new(wire, [broken, Step::text(" fox.")]);
        let run = scene.asks("tell").exits(0);
        let arrived =
            run.out.strip_suffix(" fox.\n").unwrap_or_else(|| panic!("{run:#?}")).to_owned();
        assert!(!arrived.is_empty());
        run.notes("the connection to the model broke in the middle of its answer");
        let turns = scene.sent().last().unwrap().view().turns;
        let asked = &turns.last().unwrap().text;
        assert!(asked.contains(&arrived), "{wire:?}: {asked}");
        assert!(!asked.contains("length") && !asked.contains("limit"), "{wire:?}: {asked}");
    }
}

#[test]
fn events_are_a_stream_of_json_with_the_result_last() {
    let scene = Scene::new(
        Wire::Chat,
        [
            Step::call(
                "todo",
                json!({"todos": [{"id": "1", "content": "see", "status": "pending"}]}),
            ),
            Step::text("All done."),
        ],
    );
    let run = scene.asks_with(&["--json-stream"], "go").exits(0);
    let lines: Vec<serde_json::Value> =
        run.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let types: Vec<&str> = lines.iter().filter_map(|line| line["type"].as_str()).collect();
    assert_eq!((types[0], lines[0]["version"].as_u64()), ("start", Some(1)));
    for expected in ["asking", "tool.started", "tool.finished", "text.delta", "message", "usage"] {
        assert!(types.contains(&expected), "no {expected} in {types:?}");
    }
    assert_eq!(types.last(), Some(&"result"));
    assert_eq!(lines.last().unwrap()["final_response"], "All done.");
    let scene = Scene::new(Wire::Chat, [reading(), Step::text("Done.")]);
    let quiet = scene.asks_with(&["--quiet"], "go").exits(0).says("Done.");
    assert_eq!(quiet.err, "", "{quiet:#?}");
}
