//! `hermes batch`: runs against the scripted model, killed and gone on with.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use hermes_testkit::{Match, ModelServer, Script, ScriptedUsage, Step};
use serde_json::{Value, json};

use crate::support::{Sandbox, write};

/// A place with a model behind it.
pub(crate) struct Place {
    pub(crate) sandbox: Sandbox,
    pub(crate) server: ModelServer,
}

/// Every task is two questions: one call, then an answer.
pub(crate) fn two_calls() -> Script {
    calls_after(Duration::ZERO)
}

/// The same from a model that thinks for a while.
pub(crate) fn calls_after(delay: Duration) -> Script {
    let first =
        Step::call("todo", json!({"todos": [{"id": "1", "content": "x", "status": "pending"}]}))
            .reasoning("First a list.")
            .delay(delay)
            .usage(usage(100, 10));
    let second = Step::text("Done.").reasoning("That was it.").delay(delay).usage(usage(150, 5));
    Script::new([first]).repeat_last().route(
        "after the call",
        Match::anywhere("\"role\":\"tool\""),
        [second],
    )
}

fn usage(input: u64, output: u64) -> ScriptedUsage {
    ScriptedUsage { input, output, cached: 0, cache_write: 0, reasoning: 0 }
}

impl Place {
    pub(crate) fn with(script: Script) -> Self {
        let server = ModelServer::start(script);
        let sandbox = Sandbox::with_config(&format!(
            "model:\n  provider: custom\n  base_url: {}\n  default: scripted\n  context_length: 200000\n",
            server.url()
        ));
        Self { sandbox, server }
    }

    pub(crate) fn rows(&self, count: usize) {
        let rows: String =
            (0..count).map(|n| format!("{{\"id\":\"t{n}\",\"prompt\":\"task {n}\"}}\n")).collect();
        self.dataset(&rows);
    }

    pub(crate) fn dataset(&self, text: &str) {
        write(&self.sandbox.scratch("rows.jsonl"), text.as_bytes());
    }

    pub(crate) fn begin(&self) -> Vec<&'static str> {
        vec!["batch", "run", "rows.jsonl", "--name", "one", "--seed", "7", "--toolsets", "todo"]
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.sandbox.scratch("data/one")
    }

    pub(crate) fn file(&self, name: &str) -> String {
        fs::read_to_string(self.folder().join(name)).unwrap()
    }

    pub(crate) fn lines(&self, name: &str) -> Vec<Value> {
        self.file(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub(crate) fn status(&self) -> Value {
        self.sandbox.run(["batch", "status", "one", "--json"]).exits(0).json()
    }
}

#[test]
fn every_row_has_one_record_and_the_files_follow_the_data_set() {
    let place = Place::with(two_calls());
    place.rows(30);
    let mut args = place.begin();
    args.extend(["--num-workers", "8"]);
    place.sandbox.run(args).exits(0).notes("done: 30 of 30").says("todo");
    let rows = place.lines("trajectories.jsonl");
    let order: Vec<u64> = rows.iter().map(|row| row["prompt_index"].as_u64().unwrap()).collect();
    assert_eq!(order, (0..30).collect::<Vec<u64>>());
    assert_eq!(rows[3]["conversations"][1], json!({"from": "human", "value": "task 3"}));
    let turns = rows[3]["conversations"].as_array().unwrap();
    let who: Vec<&str> = turns.iter().map(|turn| turn["from"].as_str().unwrap()).collect();
    assert_eq!(who, ["system", "human", "gpt", "tool", "gpt"]);
    assert!(
        turns[0]["value"].as_str().unwrap().contains("\"name\": \"todo\""),
        "tools are written out"
    );
    assert_eq!(rows[3]["tool_stats"]["todo"], json!({"count": 1, "success": 1, "failure": 0}));
    assert_eq!(rows[3]["tool_stats"]["terminal"]["count"], 0, "every known tool has its column");
    // Making it again changes nothing.
    let before = place.file("trajectories.jsonl");
    place.sandbox.run(["batch", "merge", "one"]).exits(0).says("30 trajectories");
    assert_eq!(place.file("trajectories.jsonl"), before);
    // What was used is what the server was asked for.
    let stats = place.sandbox.run(["batch", "stats", "one", "--json"]).exits(0).json();
    let asked = place.server.requests().iter().filter(|seen| seen.is_question()).count();
    assert_eq!(stats["usage"]["requests"], asked);
    assert_eq!(stats["usage"]["input"], 30 * 250);
    assert_eq!(stats["tool_statistics"]["todo"]["success_rate"], 100.0);
    assert_eq!(stats["reasoning_statistics"]["turns_with_reasoning"], 60);
    place.sandbox.run(["batch", "show", "one", "t3"]).exits(0).says("task 3").says("→ todo");
    assert_eq!(place.sandbox.scratch("data/one/sandbox").read_dir().unwrap().count(), 0);
    // No second run in the same place.
    place.sandbox.run(place.begin()).exits(2).notes("hermes batch resume one");
}

#[test]
fn exports_have_one_schema_for_all_rows() {
    let place = Place::with(two_calls());
    place.rows(6);
    let mut args = place.begin();
    args.extend(["--samples", "2", "--verify", "test $((HERMES_TASK_SEED % 2)) -eq 0"]);
    place.sandbox.run(args).exits(0);
    for (format, keys) in [
        ("sharegpt", "completed conversations id model passed tool_stats toolsets_used"),
        ("openai", "id messages tools"),
        ("trl-prompt", "completion id prompt"),
        ("unpaired", "completion id label prompt"),
        ("preference", "chosen id prompt rejected score_chosen score_rejected"),
    ] {
        place
            .sandbox
            .run(["batch", "export", "one", "--format", format, "--out", "out.jsonl"])
            .exits(0);
        let text = fs::read_to_string(place.sandbox.scratch("out.jsonl")).unwrap();
        let rows: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(!rows.is_empty(), "{format}");
        for row in &rows {
            let mut found: Vec<&str> =
                row.as_object().unwrap().keys().map(String::as_str).collect();
            found.sort_unstable();
            assert_eq!(found.join(" "), keys, "{format}");
        }
        if format != "preference" {
            assert_eq!(rows.len(), 12, "{format}");
        }
    }
    let split = ["batch", "export", "one", "--out", "s.jsonl", "--split", "train=0.5,val=0.5"];
    place.sandbox.run(split).exits(0);
    let ids = |part: &str| -> BTreeSet<String> {
        let text = fs::read_to_string(place.sandbox.scratch(part)).unwrap();
        let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        rows.map(|row| row["id"].as_str().unwrap().split('.').next().unwrap().to_owned()).collect()
    };
    assert!(
        ids("s-train.jsonl").is_disjoint(&ids("s-val.jsonl")),
        "samples of a row stay together"
    );
}

#[test]
fn rules_drop_trajectories_and_other_rules_bring_them_back_without_a_question() {
    let place = Place::with(two_calls());
    place.dataset(
        "{\"id\":\"a\",\"prompt\":\"the same\"}\n{\"id\":\"b\",\"prompt\":\"the same\"}\n{\"id\":\"c\",\"prompt\":\"another task, in words of which none stands in the first two: count the birds above the harbour at noon\"}\n",
    );
    let mut args = place.begin();
    args.extend(["--filter", "dedup", "--filter", "min_turns:2"]);
    place.sandbox.run(args).exits(0);
    let kept = || -> Vec<String> {
        let rows = place.lines("trajectories.jsonl");
        rows.iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(kept(), ["a", "c"], "the second of two that are alike is dropped");
    let statistics: Value = serde_json::from_str(&place.file("statistics.json")).unwrap();
    assert_eq!(statistics["by_filter"], json!({"dedup": 1}));
    let asked = place.server.requests().len();
    let merge = |filter: &str| place.sandbox.run(["batch", "merge", "one", "--filter", filter]);
    for (filter, ids) in [
        ("none", vec!["a", "b", "c"]),
        ("min_turns:3", vec![]),
        ("max_turns:2", vec!["a", "b", "c"]),
        ("max_tokens:10", vec![]),
        ("regex:That .as", vec!["a", "b", "c"]),
        ("regex:nobody said", vec![]),
        ("verify_passed", vec![]),
    ] {
        merge(filter).exits(0);
        assert_eq!(kept(), ids, "{filter}");
    }
    let dropped = place.lines("discarded.jsonl");
    assert_eq!((dropped.len(), &dropped[0]["class"]), (3, &json!("verify_passed")));
    let judge =
        place.sandbox.script("judge", "read -r line; case $line in *another*) exit 1;; esac");
    merge(&format!("cmd:{judge}")).exits(0);
    assert_eq!(kept(), ["a", "b"]);
    let wrong = place.sandbox.script("wrong", "exit 7");
    merge(&format!("cmd:{wrong}")).exits(2).notes("0 keeps and 1 drops");
    merge("sing").exits(2).notes("cmd:PROGRAM");
    merge("regex:(").exits(2).notes("is no pattern");
    assert_eq!(place.server.requests().len(), asked, "nothing was run again");
}

#[test]
fn bad_lines_are_named_and_good_rows_run() {
    let place = Place::with(two_calls());
    let bad = [
        "5",
        "null",
        "true",
        "[]",
        "{\"prompt\": null}",
        "{\"prompt\": \"\"}",
        "{\"prompt\": [\"x\"]}",
        "{\"x\": 1}",
        "{\"prompt\": \"x\"",
        "{\"prompt\": \"x\", \"toolsets\": \"web\"}",
    ];
    let mut text = "\u{feff}{\"prompt\": \"first\"}\r\n\n".to_owned().into_bytes();
    for line in bad {
        text.extend(line.as_bytes());
        text.push(b'\n');
    }
    text.extend(b"{\"prompt\": \"\xff\"}\n{\"prompt\": \"last\"}");
    write(&place.sandbox.scratch("rows.jsonl"), &text);
    let checked = place
        .sandbox
        .run(["batch", "check", "rows.jsonl"])
        .exits(0)
        .says("2 rows, 11 lines that are none");
    for line in 3..=13 {
        assert!(checked.err.contains(&format!("line {line}: ")), "line {line}: {}", checked.err);
    }
    place
        .sandbox
        .run(place.begin())
        .exits(0)
        .notes("line 4: a row is an object, this is null")
        .notes("done: 2 of 2");
    for (text, code, told) in [
        ("5\n", 3, "line 1"),
        ("", 3, "it is empty"),
        (
            "{\"prompt\":\"a\",\"id\":1}\n{\"prompt\":\"b\",\"id\":1}\n",
            2,
            "line 1 and rows.jsonl line 2",
        ),
    ] {
        place.dataset(text);
        place.sandbox.run(["batch", "check", "rows.jsonl"]).exits(code).notes(told);
    }
    place
        .sandbox
        .run(["batch", "check", "nowhere.jsonl"])
        .exits(1)
        .notes("cannot open nowhere.jsonl");
}

#[test]
fn rows_bring_files_set_up_and_a_check_and_nothing_stays_behind() {
    let place = Place::with(Script::new([Step::text("Done.").reasoning("hm")]).repeat_last());
    let rows = [
        json!({"id": "good", "prompt": "a", "files": {"in/a.txt": "hello"}, "setup": "cat in/a.txt > b.txt",
            "verify": "grep hello b.txt; echo seed $HERMES_TASK_SEED; echo $MINE", "env": {"MINE": "own"}}),
        json!({"id": "bad", "prompt": "b", "verify": "echo no; exit 3"}),
        json!({"id": "image", "prompt": "c", "image": "nowhere/none"}),
    ];
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    place.dataset(&text);
    place.sandbox.run(place.begin()).exits(1).notes("1 failed for good");
    let show = |id: &str| place.sandbox.run(["batch", "show", "one", id, "--raw"]).exits(0).json();
    let good = show("good");
    assert_eq!(
        (&good["status"], &good["verify"]["passed"]),
        (&json!("ok"), &json!(true)),
        "{good}"
    );
    let output = good["verify"]["output"].as_str().unwrap();
    assert!(
        output.contains(&format!("seed {}", good["seed"])) && output.contains("own"),
        "{output}"
    );
    assert_eq!(show("bad")["verify"]["exit_code"], 3);
    let image = show("image");
    assert_eq!((&image["class"], &image["api_calls"]), (&json!("config"), &json!(0)), "{image}");
    assert_eq!(place.folder().join("sandbox").read_dir().unwrap().count(), 0);
    let stats = place.sandbox.run(["batch", "stats", "one", "--json"]).exits(0).json();
    assert_eq!(stats["verify"], json!({"passed": 1, "failed": 1}));
}

#[test]
fn limits_that_are_asked_for_hold_on_this_machine() {
    let place = Place::with(two_calls());
    // What `tail` shows of a pipe it keeps in memory until then.
    let hungry = "head -c 400000000 /dev/zero | tail -c 399999999 | wc -c | grep -q 399999999";
    let row =
        |id: &str, verify: &str| json!({"id": id, "prompt": "x", "verify": verify}).to_string();
    place.dataset(&format!(
        "{}\n{}\n{}\n",
        row("memory", hungry),
        row("file", "head -c 3000000 /dev/zero > big; test $(wc -c < big) -gt 2500000"),
        row("fine", "head -c 500000 /dev/zero > small"),
    ));
    let mut args = place.begin();
    args.extend(["--memory", "200m", "--disk", "2m", "--pids", "5000"]);
    place.sandbox.run(args).exits(0);
    let passed = |id: &str| {
        place.sandbox.run(["batch", "show", "one", id, "--raw"]).exits(0).json()["verify"]["passed"]
            .clone()
    };
    assert_eq!(
        (passed("memory"), passed("file"), passed("fine")),
        (json!(false), json!(false), json!(true))
    );
    // Without the options nothing is limited: many programs reserve far more memory than they use.
    let free = ["batch", "run", "rows.jsonl", "--name", "two", "--toolsets", "todo"];
    place.sandbox.run(free).exits(0);
    let record = place.sandbox.run(["batch", "show", "two", "memory", "--raw"]).exits(0).json();
    assert_eq!(record["verify"]["passed"], true);
}

#[test]
fn a_run_goes_on_after_it_grew_and_not_after_a_row_changed() {
    let place = Place::with(two_calls());
    place.rows(5);
    place.sandbox.run(place.begin()).exits(0);
    place.rows(9);
    place
        .sandbox
        .run(["batch", "resume", "one"])
        .exits(0)
        .notes("9 tasks, 4 to do")
        .notes("done: 9 of 9");
    assert_eq!(place.lines("trajectories.jsonl").len(), 9);
    let rows = "{\"id\":\"t0\",\"prompt\":\"task 0\"}\n{\"id\":\"t1\",\"prompt\":\"another task, in words of which none stands in the first two: count the birds above the harbour at noon\"}\n";
    place.dataset(rows);
    place.sandbox.run(["batch", "resume", "one"]).exits(2).notes("rows have changed").notes("t1");
}

#[test]
fn a_failure_of_the_provider_is_no_trajectory_and_can_be_tried_again() {
    let broken = Step::status(400).error("this request makes no sense");
    let script = two_calls().route("broken", Match::user("task 1"), [broken]);
    let mut script = script;
    // The broken route is asked before the one for answers.
    script.routes.reverse();
    let place = Place::with(script);
    place.rows(3);
    let mut args = place.begin();
    args.extend(["--retries", "0"]);
    place.sandbox.run(args).exits(1);
    let failed = place.lines("failed.jsonl");
    assert_eq!((failed.len(), &failed[0]["id"]), (1, &json!("t1")));
    assert_eq!(place.lines("trajectories.jsonl").len(), 2);
    place.sandbox.run(["batch", "retry", "one", "--class", "auth"]).exits(0).says("no task fits");
    place.sandbox.run(["batch", "retry", "one"]).exits(0).says("1 tasks were put back");
    assert_eq!(place.status()["tasks"], json!({"total": 3, "done": 2, "pending": 1}));
}

#[test]
fn a_wrong_key_ends_the_run_instead_of_failing_every_row() {
    let place = Place::with(Script::new([Step::status(401).error("no such key")]).repeat_last());
    place.rows(40);
    let mut args = place.begin();
    args.extend(["--num-workers", "1"]);
    place.sandbox.run(args).exits(4).notes("3 tasks in a row failed with auth");
    assert_eq!(place.status()["tasks"]["pending"], 40, "nothing is marked failed");
    assert!(place.server.questions().len() <= 12, "{}", place.server.questions().len());
}

#[test]
fn too_many_requests_slow_everybody_down_and_no_row_fails() {
    let busy = Step::status(429).header("retry-after", "1").error("slow down");
    let steps = vec![busy.clone(), busy, Step::text("Done.").reasoning("hm")];
    let place = Place::with(Script::new(steps).repeat_last());
    place.rows(6);
    let mut args = place.begin();
    args.extend(["--num-workers", "4"]);
    place.sandbox.run(args).exits(0).notes("done: 6 of 6");
    assert!(place.file("events.jsonl").contains("\"throttled\""));
    assert_eq!(place.server.questions().len(), 8, "one answer each, and the two that were refused");
}

#[test]
fn a_budget_ends_the_run_early_and_a_larger_one_ends_it() {
    let place = Place::with(two_calls());
    place.rows(40);
    let mut args = place.begin();
    args.extend(["--num-workers", "2", "--max-total-tokens", "2650"]);
    place.sandbox.run(args).exits(4).notes("2650 tokens are used").notes("hermes batch resume one");
    let done = place.status()["tasks"]["done"].as_u64().unwrap();
    assert!((10..=13).contains(&done), "{done}");
    place.sandbox.run(["batch", "resume", "one"]).exits(0);
    assert_eq!(place.status()["tasks"]["done"], 40);
}

#[test]
fn seeds_do_not_depend_on_how_tasks_are_spread() {
    let script = || Script::new([Step::text("Done.").reasoning("hm")]).repeat_last();
    let drawn = |extra: &[&'static str]| -> BTreeMap<String, Value> {
        let place = Place::with(script());
        place.rows(12);
        let args = [
            "batch",
            "run",
            "rows.jsonl",
            "--name",
            "one",
            "--seed",
            "11",
            "--distribution",
            "balanced",
        ];
        place.sandbox.run(args.iter().chain(extra)).exits(0);
        let rows = place.lines("trajectories.jsonl");
        rows.into_iter()
            .map(|row| (row["id"].as_str().unwrap().to_owned(), row["toolsets_used"].clone()))
            .collect()
    };
    let (one, many) = (drawn(&["--num-workers", "1"]), drawn(&["--num-workers", "8"]));
    assert_eq!(one, many);
    assert_eq!(one, drawn(&["--num-workers", "4", "--processes", "2"]));
    let different: BTreeSet<String> = one.values().map(Value::to_string).collect();
    assert!(different.len() > 4, "{different:?}");
}

#[test]
fn workers_of_parts_need_no_coordinator() {
    let place = Place::with(two_calls());
    place.rows(20);
    let mut args = place.begin();
    args.extend(["--max-total-tokens", "1"]);
    place.sandbox.run(args);
    for part in 0..3 {
        let shard = format!("{part}/3");
        place.sandbox.run(["batch", "worker", "--name", "one", "--shard", shard.as_str()]).exits(0);
    }
    assert_eq!(place.status()["tasks"], json!({"total": 20, "done": 20, "pending": 0}));
    place.sandbox.run(["batch", "merge", "one"]).exits(0);
    assert_eq!(place.lines("trajectories.jsonl").len(), 20);
    place
        .sandbox
        .run(["batch", "worker", "--name", "one", "--shard", "3/3"])
        .exits(2)
        .notes("is no part");
}

#[test]
fn a_second_coordinator_is_told_who_has_the_run() {
    let place = Place::with(Script::new([Step::held()]).repeat_last());
    place.rows(3);
    let mut first = place.sandbox.command();
    let mut first =
        first.args(place.begin()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let _ = place.server.wait_forever(1);
    let told = place.sandbox.run(["batch", "resume", "one"]).exits(5);
    assert!(told.err.contains(&format!("process {} on", first.id())), "{}", told.err);
    assert_eq!(place.status()["running"], true);
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(place.status()["running"], false);
}

/// Kills a run of many rows at seeded moments and goes on each time. `HERMES_TEST_KILLS` asks for more than the
/// usual few, which are enough to see the rule broken and do not hold up everybody.
#[test]
fn a_run_that_is_killed_again_and_again_has_every_record_once() {
    #[expect(clippy::disallowed_methods, reason = "an option of the test itself")]
    let kills = std::env::var("HERMES_TEST_KILLS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(24_u64);
    let rows = 500;
    let place = Place::with(two_calls());
    place.rows(rows);
    let mut chance = 42_u64;
    let mut acknowledged = 0;
    for kill in 0..kills {
        chance =
            chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let is_begun = place.folder().join("run.json").exists();
        let mut args = if is_begun { vec!["batch", "resume", "one"] } else { place.begin() };
        args.extend(["--num-workers", "6", "--json"]);
        let mut command = place.sandbox.command();
        let out = place.sandbox.scratch("events.out");
        let stdout = fs::File::create(&out).unwrap();
        let mut child = command.args(args).stdout(stdout).stderr(Stdio::null()).spawn().unwrap();
        // A moment of its work, not of the clock: after so many records of this start, or somewhere before the first.
        let wanted = usize::try_from((chance >> 33) % 20).unwrap();
        let deadline = Instant::now() + Duration::from_secs(50);
        let told = || fs::read_to_string(&out).unwrap_or_default().matches("\"task_done\"").count();
        while told() < wanted && child.try_wait().unwrap().is_none() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1 + (chance >> 20) % 7));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if !place.folder().join("run.json").exists() {
            continue;
        }
        // What was told to be done stays done.
        acknowledged += told();
        let done = usize::try_from(place.status()["tasks"]["done"].as_u64().unwrap()).unwrap();
        assert!(
            done >= acknowledged,
            "kill {kill}: {done} of {acknowledged} that were acknowledged"
        );
        acknowledged = done;
    }
    let resumed = place.sandbox.run(["batch", "resume", "one", "--num-workers", "16", "--quiet"]);
    resumed.exits(0).notes("done: 500 of 500");
    let ids: Vec<String> = place
        .lines("trajectories.jsonl")
        .iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect();
    let expected: Vec<String> = (0..rows).map(|n| format!("t{n}")).collect();
    assert_eq!(ids, expected, "every task once, in order");
    assert_eq!(
        place.folder().join("sandbox").read_dir().unwrap().count(),
        0,
        "nothing is left behind"
    );
}
