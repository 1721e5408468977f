//! `hermes batch`: what happens to a run when its options, its data set or its limit of rows change.

use serde_json::{Value, json};

use crate::batch::{Place, two_calls};

fn generations(place: &Place) -> Vec<(String, u64)> {
    let rows = place.lines("trajectories.jsonl");
    rows.iter()
        .map(|row| {
            let id = row["id"].as_str().unwrap();
            let shown = place.sandbox.run(["batch", "show", "one", id, "--raw"]).exits(0).json();
            (id.to_owned(), shown["generation"].as_u64().unwrap())
        })
        .collect()
}

#[test]
fn other_options_are_refused_with_what_differs_unless_they_are_wanted_from_now_on() {
    let place = Place::with(two_calls());
    place.rows(4);
    place.sandbox.run(place.begin()).exits(0);
    place.rows(6);
    let again = |more: &[&'static str]| {
        let mut args = place.begin();
        args.push("--resume");
        args.extend(more);
        place.sandbox.run(args)
    };
    let changed = ["--max-turns", "5", "--temperature", "0.5"];
    again(&changed)
        .exits(2)
        .notes("max_turns: 10 → 5")
        .notes("temperature: null → 0.5")
        .notes("--new-generation");
    assert_eq!(place.status()["tasks"]["done"], 4, "nothing ran");
    let mut wanted = changed.to_vec();
    wanted.push("--new-generation");
    again(&wanted).exits(0).notes("6 tasks, 2 to do").notes("done: 6 of 6");
    let expected = [("t0", 1), ("t1", 1), ("t2", 1), ("t3", 1), ("t4", 2), ("t5", 2)];
    assert_eq!(generations(&place), expected.map(|(id, number)| (id.to_owned(), number)));
    let manifest: Value = serde_json::from_str(&place.file("run.json")).unwrap();
    assert_eq!(manifest["options"]["max_turns"], 10, "what it was begun with stays");
    assert_eq!(manifest["generations"][0]["options"]["max_turns"], 5);
    assert_eq!(manifest["generations"].as_array().unwrap().len(), 1);
    // What counts now is the last, for whoever goes on.
    let last = place.server.questions();
    assert!(last.last().unwrap().carries("\"temperature\":0.5"));
    place.rows(7);
    place.sandbox.run(["batch", "resume", "one", "--processes", "1"]).exits(0);
    assert_eq!(generations(&place)[6].1, 2, "workers are told, too");
    again(&["--samples", "2", "--new-generation"]).exits(2).notes("part of their names");
    let mut alone = place.begin();
    alone.push("--new-generation");
    place.sandbox.run(alone).exits(2).notes("--resume");
}

#[test]
fn a_larger_limit_of_rows_is_no_other_configuration() {
    let place = Place::with(two_calls());
    place.rows(9);
    let with = |limit: &'static str, resume: bool| {
        let mut args = place.begin();
        args.extend(["--max-samples", limit]);
        args.extend(resume.then_some("--resume"));
        place.sandbox.run(args)
    };
    with("3", false).exits(0).notes("done: 3 of 3");
    with("5", true).exits(0).notes("5 tasks, 2 to do");
    with("2", true).exits(2).notes("a run can only grow");
    place.sandbox.run(["batch", "resume", "one"]).exits(0).notes("5 tasks, 0 to do");
    // Saying nothing about rows does not mean all of them.
    let mut args = place.begin();
    args.push("--resume");
    place.sandbox.run(args).exits(0).notes("5 tasks, 0 to do");
    assert_eq!(place.status()["tasks"], json!({"total": 5, "done": 5, "pending": 0}));
}

#[test]
fn rows_that_changed_run_again_when_that_is_said() {
    let place = Place::with(two_calls());
    place.rows(3);
    place.sandbox.run(place.begin()).exits(0);
    place.dataset(
        "{\"id\":\"t0\",\"prompt\":\"task 0\"}\n{\"id\":\"t1\",\"prompt\":\"another task\"}\n{\"id\":\"t2\",\"prompt\":\"task 2\"}\n",
    );
    place.sandbox.run(["batch", "resume", "one"]).exits(2).notes("t1").notes("--accept-changed");
    place
        .sandbox
        .run(["batch", "resume", "one", "--accept-changed"])
        .exits(0)
        .notes("1 tasks run again")
        .notes("3 tasks, 1 to do");
    let rows = place.lines("trajectories.jsonl");
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[1]["conversations"][1]["value"], "another task");
    // From then on it is as any other.
    place.sandbox.run(["batch", "resume", "one"]).exits(0).notes("3 tasks, 0 to do");
    place.sandbox.run(["batch", "resume", "one", "--accept-changed"]).exits(0).notes("0 to do");
    let stats = place.sandbox.run(["batch", "stats", "one", "--json"]).exits(0).json();
    assert_eq!(stats["tasks"]["done"], 3);
}
