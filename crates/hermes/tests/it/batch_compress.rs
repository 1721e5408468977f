//! `hermes batch compress`: long trajectories made shorter, with the scripted model as the one that summarises.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, Instant};

use hermes_testkit::{ModelServer, Script, Step};
use serde_json::{Value, json};

use crate::support::{Sandbox, write};

const SUMMARY: &str = "It looked at the files and found the fault.";

struct Place {
    sandbox: Sandbox,
    server: ModelServer,
}

impl Place {
    fn with(script: Script) -> Self {
        let server = ModelServer::start(script);
        let sandbox = Sandbox::with_config(&format!(
            "model:\n  provider: custom\n  base_url: {}\n  default: scripted\n  context_length: 200000\n",
            server.url()
        ));
        Self { sandbox, server }
    }

    fn summarising() -> Self {
        Self::with(Script::new([Step::text(SUMMARY)]).repeat_last())
    }

    fn settings(&self, text: &str) {
        let text =
            format!("compression: {{target_max_tokens: 600, summary_target_tokens: 60}}\n{text}\n");
        self.put("configs/trajectory_compression.yaml", &text);
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.sandbox.scratch(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, text.as_bytes());
    }

    fn rows(&self, name: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.sandbox.scratch(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Numbers that look like chance and are the same every time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A row as the runner writes them: calls are answered at once, some turns are plain, some are a person's.
fn row(number: usize, chance: &mut Chance) -> Value {
    let mut turns = vec![
        json!({"from": "system", "value": "Use the tools."}),
        json!({"from": "human", "value": format!("task {number}")}),
    ];
    for _ in 0..chance.below(16) {
        let words = "wörter ".repeat(usize::try_from(chance.below(90)).unwrap());
        let calls = usize::try_from(chance.below(3)).unwrap();
        let call =
            "<tool_call>\n{\"name\": \"x\", \"arguments\": {}}\n</tool_call>\n".repeat(calls);
        turns.push(json!({"from": "gpt", "value": format!("<think>\n</think>\n{words}\n{call}")}));
        if calls > 0 {
            let answer = format!("<tool_response>\n{words}\n</tool_response>\n").repeat(calls);
            turns.push(json!({"from": "tool", "value": answer}));
        } else if chance.below(4) == 0 {
            turns.push(json!({"from": "human", "value": "go on"}));
        }
    }
    json!({"id": format!("r{number}"), "conversations": turns, "completed": true, "kept": {"b": 1, "a": 2.0}})
}

fn text_of(count: usize, seed: u64) -> String {
    let mut chance = Chance(seed);
    (0..count).map(|number| format!("{}\n", row(number, &mut chance))).collect()
}

fn tokens(row: &Value) -> u64 {
    let turns = row["conversations"].as_array().unwrap();
    turns.iter().map(|turn| turn["value"].as_str().unwrap().chars().count() as u64 / 4).sum()
}

/// Every turn of results directly behind a turn with as many calls; a person never speaks twice in a row unless the
/// input had it.
fn is_sound(row: &Value) -> bool {
    let turns = row["conversations"].as_array().unwrap();
    let count = |turn: &Value, tag: &str| turn["value"].as_str().unwrap().matches(tag).count();
    turns.windows(2).all(|pair| {
        let calls = count(&pair[0], "<tool_call>");
        let twice = pair[0]["from"] == "human" && pair[1]["from"] == "human";
        !twice && (pair[1]["from"] != "tool" || calls == count(&pair[1], "<tool_response>"))
    })
}

#[test]
fn rows_become_short_without_splitting_a_call_from_its_answer() {
    let place = Place::summarising();
    place.settings("");
    let text = text_of(300, 7) + "not json\n{\"other\": 1}\n";
    place.put("long.jsonl", &text);
    let report = place.sandbox.run(["batch", "compress", "long.jsonl", "--json"]).exits(0).json();
    let lines = text.lines();
    let before: Vec<Value> = lines.filter_map(|line| serde_json::from_str(line).ok()).collect();
    let after = place.rows("long_compressed.jsonl");
    assert_eq!(after.len(), 301, "the bad line is left out, the row without turns is not");
    let mut compressed = 0;
    for (before, after) in before.iter().zip(&after) {
        let metrics = &after["compression_metrics"];
        if metrics.is_null() {
            assert_eq!(before, after);
            continue;
        }
        compressed += 1;
        assert!(is_sound(after), "{after:#}");
        assert_eq!(after["kept"], before["kept"]);
        assert_eq!(metrics["original_tokens"], tokens(before));
        assert_eq!(metrics["compressed_tokens"], tokens(after));
        assert_eq!(metrics["still_over_limit"], tokens(after) > 600);
        let text = after.to_string();
        assert_eq!(text.matches("[CONTEXT SUMMARY]:").count(), 1);
        let first = after["conversations"][0]["value"].as_str().unwrap();
        assert!(
            first.len() > "Use the tools.".len(),
            "the instructions say that turns are missing"
        );
        let last = |row: &Value| row["conversations"].as_array().unwrap().last().cloned();
        assert_eq!(last(before), last(after));
    }
    assert!(compressed > 30, "{compressed}");
    assert_eq!(report["summary"]["trajectories_compressed"], compressed);
    assert_eq!(report["summary"]["total_trajectories"], 301);
    assert_eq!(report["summary"]["bad_lines"], 1);
    assert_eq!(report["summary"]["unpaired"], 0);
    assert_eq!(report["summarization"]["total_api_calls"], place.server.questions().len());
    let kept: Value = serde_json::from_str(
        &fs::read_to_string(place.sandbox.scratch("compression_metrics.json")).unwrap(),
    )
    .unwrap();
    assert_eq!(kept["tokens"], report["tokens"]);
    let asked = place.server.questions();
    let body = asked[0].to_json().to_string();
    assert!(body.contains("- GPT]:") && body.contains("\"max_tokens\":120"), "{body}");
}

#[test]
fn what_is_not_compressed_costs_no_request_and_a_dry_run_writes_nothing() {
    let place = Place::summarising();
    place.settings("");
    place.put("set/a.jsonl", &text_of(40, 1));
    place.put("set/b.jsonl", &text_of(40, 2));
    let dry = ["batch", "compress", "set", "--dry-run", "--json"];
    let found = place.sandbox.run(dry).exits(0).json();
    assert!(
        found["would_compress"].as_u64().unwrap() > 5
            && found["tokens_to_summarise"].as_u64() > Some(100)
    );
    assert!(!place.sandbox.scratch("set_compressed").exists());
    let all = ["batch", "compress", "set", "--target-max-tokens", "1000000", "--json"];
    place.sandbox.run(all).exits(0);
    for name in ["a.jsonl", "b.jsonl"] {
        let read =
            |folder: &str| fs::read(place.sandbox.scratch(&format!("{folder}/{name}"))).unwrap();
        assert_eq!(read("set"), read("set_compressed"), "byte for byte");
    }
    assert!(place.server.questions().is_empty());
    let part = ["batch", "compress", "set", "--out", "part", "--sample-percent", "20", "--json"];
    let part = place.sandbox.run(part).exits(0).json();
    assert!((1..40).contains(&part["summary"]["total_trajectories"].as_u64().unwrap()));
    place.sandbox.run(["batch", "compress", "gone.jsonl"]).exits(3).notes("gone.jsonl");
    let wrong = ["batch", "compress", "set", "--tokenizer", "kimi"];
    place.sandbox.run(wrong).exits(2).notes("chars/4");
    place.sandbox.run(["batch", "compress", "set", "--sample-percent", "0"]).exits(2);
}

/// Another program writes a stock sentence into the training data when there is no summary.
#[test]
fn a_summary_that_cannot_be_had_leaves_the_row_as_it_was() {
    let place = Place::with(Script::new([Step::status(500)]).repeat_last());
    place.settings("summarization: {max_retries: 1, retry_delay: 0.01}");
    let text = text_of(12, 3);
    place.put("long.jsonl", &text);
    let report = place.sandbox.run(["batch", "compress", "long.jsonl", "--json"]).exits(1).json();
    assert_eq!(fs::read_to_string(place.sandbox.scratch("long_compressed.jsonl")).unwrap(), text);
    let failed = report["summary"]["trajectories_failed"].as_u64().unwrap();
    assert!(failed > 0);
    assert_eq!(report["summarization"]["total_errors"], 2 * failed, "one more try for each");
    assert_eq!(report["summary"]["trajectories_compressed"], 0);
}

#[test]
fn a_compression_that_was_killed_goes_on_where_it_was() {
    let place = Place::with(
        Script::new([Step::text(SUMMARY).delay(Duration::from_millis(25))]).repeat_last(),
    );
    place.settings("processing: {max_concurrent_requests: 2}");
    let text = text_of(300, 11);
    place.put("long.jsonl", &text);
    let mut command = place.sandbox.command();
    command.args(["batch", "compress", "long.jsonl"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let progress = place.sandbox.scratch("long_compressed.jsonl.progress.json");
    let done = || -> u64 {
        let text = fs::read(&progress).unwrap_or_default();
        let value: Value = serde_json::from_slice(&text).unwrap_or_default();
        value["totals"]["compressed"].as_u64().unwrap_or(0)
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    while done() == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
        assert!(Instant::now() < deadline, "no progress in a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(
        !place.sandbox.scratch("long_compressed.jsonl").exists(),
        "nothing half done is in its place"
    );
    let before = done();
    let asked = place.server.questions().len();
    let report = place.sandbox.run(["batch", "compress", "long.jsonl", "--json"]).exits(0).json();
    let compressed = report["summary"]["trajectories_compressed"].as_u64().unwrap();
    assert_eq!(report["summary"]["total_trajectories"], 300);
    let again = place.server.questions().len() - asked;
    assert_eq!(again as u64, compressed - before, "what was saved is not asked for again");
    let killed = fs::read(place.sandbox.scratch("long_compressed.jsonl")).unwrap();
    assert!(!progress.exists() && !place.sandbox.scratch("long_compressed.jsonl.new").exists());
    let whole = ["batch", "compress", "long.jsonl", "--out", "whole.jsonl"];
    place.sandbox.run(whole).exits(0);
    assert_eq!(
        fs::read(place.sandbox.scratch("whole.jsonl")).unwrap(),
        killed,
        "as without a kill"
    );
}

#[test]
fn memory_does_not_grow_with_the_input() {
    const INPUT: usize = 160 << 20;
    let place = Place::summarising();
    let path = place.sandbox.scratch("big.jsonl");
    let mut file = std::io::BufWriter::new(fs::File::create(&path).unwrap());
    let block = text_of(200, 5);
    for _ in 0..INPUT / block.len() {
        file.write_all(block.as_bytes()).unwrap();
    }
    file.flush().unwrap();
    let mut command = place.sandbox.command();
    command.args(["batch", "compress", "big.jsonl"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0_u64;
    let code = loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        most = most.max(kib.unwrap_or(0));
        if let Some(code) = child.try_wait().unwrap() {
            break code;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(code.success());
    assert_eq!(
        fs::metadata(&path).unwrap().len(),
        fs::metadata(place.sandbox.scratch("big_compressed.jsonl")).unwrap().len()
    );
    assert!((1..100 * 1024).contains(&most), "{most} kB for {INPUT} bytes of input");
}
