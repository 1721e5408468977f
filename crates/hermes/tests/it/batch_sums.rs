//! Batch runs: what is summed up about them, counted again by other means; what must not be in them.

use std::fs;
use std::path::Path;

use hermes_testkit::{Match, Script, ScriptedUsage, Step};
use serde_json::{Value, json};

use crate::batch::{Place, two_calls};
use crate::support::write;

/// Two questions a task, most of the second one cached.
fn with_cache() -> Script {
    let usage = |input, output, cached, reasoning| ScriptedUsage {
        input,
        output,
        cached,
        cache_write: 0,
        reasoning,
    };
    let todo = json!({"todos": [{"id": "1", "content": "x", "status": "pending"}]});
    let first = Step::call("todo", todo).reasoning("First a list.").usage(usage(100, 10, 40, 3));
    let second = Step::text("Done.").usage(usage(150, 5, 100, 0));
    Script::new([first]).repeat_last().route(
        "after the call",
        Match::anywhere("\"role\":\"tool\""),
        [second],
    )
}

#[test]
fn sums_are_those_of_an_independent_recount_also_after_two_resumes() {
    let place = Place::with(with_cache());
    place.rows(12);
    let mut args = place.begin();
    args.extend(["--num-workers", "2", "--max-total-tokens", "500"]);
    place.sandbox.run(args).exits(4);
    place.sandbox.run(["batch", "resume", "one", "--max-total-tokens", "1500"]).exits(4);
    place.sandbox.run(["batch", "resume", "one"]).exits(0);
    let sums: Value = serde_json::from_str(&place.file("statistics.json")).unwrap();
    let records: Vec<Value> = (0..12)
        .map(|row| {
            place.sandbox.run(["batch", "show", "one", &format!("t{row}"), "--raw"]).exits(0).json()
        })
        .collect();
    let sum = |path: &str| {
        records.iter().map(|record| record.pointer(path).unwrap().as_u64().unwrap()).sum::<u64>()
    };
    for field in ["input", "output", "reasoning", "cache_read", "cache_write", "requests"] {
        assert_eq!(sums["usage"][field], sum(&format!("/usage/{field}")), "{field}");
    }
    // What the server says it was asked.
    let asked = asked(&place);
    assert_eq!((asked, &sums["usage"]["requests"]), (24, &json!(asked)));
    let usage = &sums["usage"];
    assert_eq!((&usage["input"], &usage["cache_read"]), (&json!(12 * 110), &json!(12 * 140)));
    assert_eq!((&usage["output"], &usage["reasoning"]), (&json!(12 * 15), &json!(12 * 3)));
    assert_eq!(sums["by_status"]["ok"], 12);
    assert_eq!(sums["tool_statistics"]["todo"]["count"], sum("/tool_stats/todo/count"));
    assert_eq!(sums["reasoning_statistics"]["total_assistant_turns"], sum("/reasoning/turns"));
    assert_eq!(sums["reasoning_statistics"]["turns_with_reasoning"], sum("/reasoning/with"));
    let messages = records.iter().flat_map(|record| record["messages"].as_array().unwrap());
    let turns = messages.filter(|message| message["role"] == "assistant").count();
    assert_eq!(sums["reasoning_statistics"]["total_assistant_turns"], turns);
    let mut epochs: Vec<u64> =
        records.iter().map(|record| record["epoch"].as_u64().unwrap()).collect();
    epochs.sort_unstable();
    epochs.dedup();
    assert_eq!(epochs.len(), 3, "each start wrote some of them");
}

#[test]
fn equal_prompts_are_tasks_of_their_own() {
    let place = Place::with(two_calls());
    place.dataset(&"{\"prompt\":\"the same\"}\n".repeat(5));
    place.sandbox.run(place.begin()).exits(0).notes("done: 5 of 5");
    assert_eq!(place.lines("trajectories.jsonl").len(), 5);
}

/// How often the model was asked, whichever part of the script answered.
fn asked(place: &Place) -> u64 {
    let requests = place.server.requests();
    requests.iter().filter(|seen| seen.path.ends_with("/chat/completions")).count() as u64
}

fn assert_without(folder: &Path, key: &str) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_without(&path, key);
        } else {
            let bytes = fs::read(&path).unwrap();
            let text = String::from_utf8_lossy(&bytes);
            assert!(!text.contains(key), "{} holds the key", path.display());
        }
    }
}

#[test]
fn a_key_is_sent_and_kept_nowhere() {
    const KEY: &str = "sk-test-7f3a9c51d2e84b60";
    let place = Place::with(two_calls());
    // A task that finds the key in its own text is as good a place for it as any.
    place.dataset(&format!(
        "{{\"id\":\"a\",\"prompt\":\"say {KEY}\"}}\n{{\"id\":\"b\",\"prompt\":\"go\"}}\n"
    ));
    write(&place.sandbox.scratch("key"), KEY.as_bytes());
    let mut args = place.begin();
    args.extend(["--api-key-file", "key", "--processes", "2"]);
    place.sandbox.run(args).exits(0).notes("done: 2 of 2");
    assert_eq!(asked(&place), 4);
    assert_without(&place.folder(), KEY);
}
