//! `hermes batch` with workers in other processes: pipes, parts in pods, what another program finished.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use hermes_testkit::{Match, Step};
use serde_json::{Value, json};

use crate::batch::{Place, calls_after, two_calls};
use crate::support::{std_command, write};

/// The processes of this place's home whose command line has all these words.
pub(crate) fn processes(place: &Place, words: &[&str]) -> Vec<i32> {
    let home = format!("HERMES_HOME={}", place.sandbox.home().display());
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let read = |name: &str| fs::read(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let line = String::from_utf8_lossy(&read("cmdline")).replace('\0', " ");
        let is_ours = String::from_utf8_lossy(&read("environ")).split('\0').any(|var| var == home);
        is_ours && words.iter().all(|word| line.contains(word))
    })
    .collect()
}

pub(crate) fn kill(pid: i32) {
    // One that has ended by itself is no fault.
    let _ = std_command("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status();
}

fn wait_for(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(100);
    while !is_so() {
        assert!(Instant::now() < deadline, "{what} did not come to be");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_worker_that_is_killed_costs_its_own_tasks_one_more_try() {
    let place = Place::with(calls_after(Duration::from_millis(150)));
    place.rows(60);
    let mut command = place.sandbox.command();
    command.args(place.begin()).args(["--processes", "3", "--num-workers", "6", "--json"]);
    let out = fs::File::create(place.sandbox.scratch("events.out")).unwrap();
    let mut run = command.stdout(out).stderr(Stdio::null()).spawn().unwrap();
    let told = |word: &str| {
        let text = fs::read_to_string(place.sandbox.scratch("events.out")).unwrap_or_default();
        text.matches(word).count()
    };
    wait_for("ten records", || told("\"task_done\"") >= 10);
    let workers = processes(&place, &["batch worker", "--stdio"]);
    assert!(workers.len() >= 3, "{workers:?}");
    kill(workers[0]);
    let mut code = None;
    wait_for("the end of the run", || {
        code = run.try_wait().unwrap();
        code.is_some()
    });
    assert!(code.unwrap().success());
    assert!(told("\"worker_lost\"") >= 1, "its tasks were lost and told to be");
    let ids: Vec<String> = place
        .lines("trajectories.jsonl")
        .iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids, (0..60).map(|n| format!("t{n}")).collect::<Vec<_>>(), "every task once");
    wait_for("the end of the workers", || processes(&place, &["--stdio"]).is_empty());
    assert_eq!(place.folder().join("sandbox").read_dir().unwrap().count(), 0);
    // What the workers used is what the server was asked for, but for what the killed one took along.
    let stats = place.sandbox.run(["batch", "stats", "one", "--json"]).exits(0).json();
    assert_eq!(stats["usage"]["input"], 60 * 250);
    assert_eq!(stats["by_status"]["ok"], 60);
}

#[test]
fn a_task_that_takes_every_worker_along_is_given_up_and_the_others_end() {
    // The others are at work, too, whenever their worker is killed: they must not be charged with it.
    let script = calls_after(Duration::from_millis(500));
    let script = script.route("stuck", Match::user("task 0"), [Step::held().times(20)]);
    let place = Place::with(script);
    place.rows(12);
    let mut command = place.sandbox.command();
    command.args(place.begin()).args(["--processes", "1", "--num-workers", "3", "--quiet"]);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let stuck = || {
        let seen = place.server.requests();
        seen.iter().filter(|seen| seen.is_question() && seen.carries("task 0")).count()
    };
    for time in 1..=5 {
        wait_for("the task is asked about again", || stuck() >= time);
        processes(&place, &["batch worker", "--stdio"]).into_iter().for_each(kill);
    }
    let mut code = None;
    wait_for("the end of the run", || {
        code = run.try_wait().unwrap();
        code.is_some()
    });
    assert_eq!(code.unwrap().code(), Some(1), "some tasks failed for good");
    let failed = place.lines("failed.jsonl");
    assert_eq!(failed.len(), 1);
    assert_eq!(
        (&failed[0]["id"], &failed[0]["class"]),
        (&json!("t0"), &json!("infra.worker_lost"))
    );
    assert!(failed[0]["reason"].as_str().unwrap().contains("kills its worker"));
    assert_eq!(place.lines("trajectories.jsonl").len(), 11);
}

/// One end of the contract, by hand.
struct Talk {
    child: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Talk {
    fn with(place: &Place) -> Self {
        let mut command = place.sandbox.command();
        command.args(["batch", "worker", "--stdio", "--slots", "2", "--grace", "5s"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    fn say(&mut self, line: &str) {
        let stdin = self.child.stdin.as_mut().unwrap();
        // A worker that has left hears nothing, which the test sees by its end.
        let _ = writeln!(stdin, "{line}");
    }

    fn hear(&mut self, wanted: &str) -> Value {
        loop {
            let line = self.lines.next().unwrap_or_else(|| panic!("no {wanted}")).unwrap();
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["type"] == wanted {
                return message;
            }
        }
    }

    fn end(mut self) -> (i32, String) {
        drop(self.child.stdin.take());
        for line in self.lines.by_ref() {
            serde_json::from_str::<Value>(&line.unwrap()).unwrap();
        }
        let done = self.child.wait_with_output().unwrap();
        (done.status.code().unwrap(), String::from_utf8_lossy(&done.stderr).into_owned())
    }
}

fn hello(place: &Place) -> String {
    let options = json!({"toolsets": ["todo"], "max_turns": 5, "row_timeout_s": 60.0, "samples": 1, "seed": 7,
        "backend": "local"});
    let manifest = json!({"options": options, "model": "scripted", "provider": "custom",
        "base_url": place.server.url(), "api_key": "sk-of-the-pipe"});
    json!({"type": "hello", "protocol": 1, "run": "one", "epoch": 3, "manifest": manifest})
        .to_string()
}

#[test]
fn a_worker_speaks_the_contract_and_leaves_alone_what_it_does_not_know() {
    let place = Place::with(two_calls());
    let mut talk = Talk::with(&place);
    talk.say("{\"type\":\"ping\"}");
    talk.hear("pong");
    talk.say("no json\n{\"type\":\"sing\"}\n{\"type\":\"task\"}\n[1]\n\u{7f}");
    talk.say(&hello(&place));
    let ready = talk.hear("ready");
    assert_eq!((&ready["protocol"], &ready["slots"]), (&json!(1), &json!(2)));
    let known = talk.hear("tools");
    assert!(known["name"] == "known.json" && known["text"].as_str().unwrap().contains("terminal"));
    let task = json!({"type": "task", "id": "a", "attempt": 1, "row_id": "a", "sample": 0, "index": 4, "number": 4,
        "row": {"id": "a", "prompt": "task a", "extra": [1.0, 1e3]}, "seed": 99, "tools_seed": 99, "new": true});
    talk.say(&task.to_string());
    assert_eq!(talk.hear("started")["id"], "a");
    for _ in 0..2 {
        let want = talk.hear("want");
        talk.say(&json!({"type": "permit", "ticket": want["ticket"]}).to_string());
        let used = talk.hear("used");
        assert_eq!(used["ticket"], want["ticket"]);
    }
    let tools = talk.hear("tools");
    let record = talk.hear("result")["record"].clone();
    assert_eq!(
        tools["name"],
        format!("{}.json", record["tools"].as_str().unwrap().trim_start_matches("sha256:"))
    );
    assert_eq!(
        (&record["status"], &record["seed"], &record["epoch"]),
        (&json!("ok"), &json!(99), &json!(3))
    );
    assert_eq!(record["usage"]["input"], 250);
    assert!(place.server.questions()[0].carries("sk-of-the-pipe"), "the key of the pipe is used");
    assert!(!record.to_string().contains("sk-of-the-pipe"));
    let (code, _) = talk.end();
    assert_eq!(code, 0, "the end of stdin ends it");
    let mut talk = Talk::with(&place);
    talk.say("{\"type\":\"hello\",\"protocol\":9,\"run\":\"x\",\"epoch\":1,\"manifest\":{\"options\":{}}}");
    let (code, said) = talk.end();
    assert!(code == 2 && said.contains("version 9"), "{code} {said}");
}

#[test]
fn a_worker_without_leave_asks_nothing_and_stops_when_it_is_told_to() {
    let place = Place::with(two_calls());
    let mut talk = Talk::with(&place);
    talk.say(&hello(&place));
    talk.hear("ready");
    let task = json!({"type": "task", "id": "a", "attempt": 1, "row_id": "a", "sample": 0, "index": 0, "number": 0,
        "row": {"prompt": "x"}, "seed": 1, "tools_seed": 1});
    talk.say(&task.to_string());
    let want = talk.hear("want");
    talk.say("{\"type\":\"cancel\",\"id\":\"a\"}");
    assert_eq!(talk.hear("cancelled")["id"], "a");
    // Leave that comes too late is given back.
    talk.say(&json!({"type": "permit", "ticket": want["ticket"]}).to_string());
    assert_eq!(talk.hear("used")["ticket"], want["ticket"]);
    assert!(place.server.questions().is_empty());
    assert_eq!(talk.end().0, 0);
}

#[test]
fn a_worker_tells_what_came_to_nothing_instead_of_letting_somebody_wait() {
    let place = Place::with(two_calls());
    let mut talk = Talk::with(&place);
    talk.say(&hello(&place));
    talk.hear("ready");
    let task = |id: &str, row: Value| {
        json!({"type": "task", "id": id, "attempt": 1, "row_id": id, "sample": 0, "index": 0, "number": 0,
            "row": row, "seed": 1, "tools_seed": 1})
        .to_string()
    };
    talk.say("{\"type\":\"task\",\"id\":\"torn\"}");
    let failed = talk.hear("failed");
    assert_eq!((&failed["id"], &failed["class"]), (&json!("torn"), &json!("internal")));
    talk.say(&task("no row", json!(5)));
    let failed = talk.hear("failed");
    assert_eq!((&failed["id"], &failed["class"]), (&json!("no row"), &json!("internal")));
    // A coordinator that greets again has forgotten what it handed out: nothing more is told of that.
    talk.say(&task("old", json!({"prompt": "x"})));
    let old = talk.hear("want")["ticket"].clone();
    talk.say(&hello(&place));
    talk.hear("ready");
    talk.say(&task("new", json!({"prompt": "y"})));
    let mut told = Vec::new();
    loop {
        let message: Value = serde_json::from_str(&talk.lines.next().unwrap().unwrap()).unwrap();
        let kind = message["type"].as_str().unwrap().to_owned();
        if kind == "want" && message["ticket"] != old {
            talk.say(&json!({"type": "permit", "ticket": message["ticket"]}).to_string());
        }
        if kind == "result" {
            assert_eq!(message["record"]["id"], "new");
            break;
        }
        told.push((kind, message["id"].clone()));
    }
    assert!(!told.iter().any(|(_, id)| *id == "old"), "{told:?}");
    assert_eq!(talk.end().0, 0);
}

#[test]
fn the_command_of_a_pod_does_its_part() {
    let place = Place::with(two_calls());
    place.rows(20);
    let mut args = place.begin();
    args.extend(["--max-total-tokens", "1"]);
    place.sandbox.run(args);
    let made = [
        "batch",
        "manifest",
        "k8s",
        "one",
        "--shards",
        "4",
        "--folder",
        "data/one",
        "--num-workers",
        "3",
    ];
    place.sandbox.run(made).exits(0).notes("kubectl apply -f");
    let job: Value = serde_json::from_str(&place.file("job.json")).unwrap();
    let spec = &job["spec"];
    assert_eq!((&job["apiVersion"], &job["kind"]), (&json!("batch/v1"), &json!("Job")));
    assert_eq!((&spec["completionMode"], &spec["completions"]), (&json!("Indexed"), &json!(4)));
    assert_eq!(spec["podFailurePolicy"]["rules"][1]["onExitCodes"]["values"], json!([2, 3]));
    let pod = &spec["template"]["spec"];
    assert_eq!(
        (&pod["restartPolicy"], &pod["automountServiceAccountToken"]),
        (&json!("Never"), &json!(false))
    );
    let container = &pod["containers"][0];
    assert_eq!(container["securityContext"]["readOnlyRootFilesystem"], true);
    assert_eq!(container["resources"]["limits"]["memory"], "2048Mi");
    let words: Vec<&str> = container["command"]
        .as_array()
        .unwrap()
        .iter()
        .map(|word| word.as_str().unwrap())
        .collect();
    assert_eq!(words[0], "hermes");
    for index in 0..4 {
        let index = index.to_string();
        let words = words[1..].iter().map(|word| word.replace("$(JOB_COMPLETION_INDEX)", &index));
        place.sandbox.run(words).exits(0);
    }
    assert_eq!(place.status()["tasks"], json!({"total": 20, "done": 20, "pending": 0}));
    let key = ["batch", "manifest", "slurm", "one", "--api-key", "sk-secret"];
    place.sandbox.run(key).exits(2).notes("job files hold no keys");
    place.sandbox.run(["batch", "manifest", "slurm", "one", "--shards", "3"]).exits(0);
    let script = place.file("job.sh");
    assert!(
        script.contains("#SBATCH --array=0-2") && script.contains("$SLURM_ARRAY_TASK_ID/3"),
        "{script}"
    );
    let driver = place.sandbox.run(["batch", "ray-driver", "--print"]).exits(0);
    assert!((50..=150).contains(&driver.out.lines().count()) && driver.out.contains("import ray"));
}

#[test]
fn what_another_program_finished_is_not_done_again() {
    let place = Place::with(two_calls());
    place.dataset(
        "{\"prompt\":\"prompt one\"}\n{\"prompt\":\"two\"}\n{\"prompt\":\"two\"}\n{\"prompt\":\"three\"}\n",
    );
    let row = |index: usize, prompt: &str, completed: bool| {
        let turns = json!([{"from": "system", "value": "s"}, {"from": "human", "value": prompt},
            {"from": "gpt", "value": "<think>\nhm\n</think>\nok"}]);
        json!({"prompt_index": index, "conversations": turns, "completed": completed, "partial": false, "api_calls": 2,
            "metadata": {"batch_num": 7, "timestamp": "2025-01-01", "model": "old/model"}, "toolsets_used": ["web"],
            "tool_stats": {"x": {"count": 1, "success": 1, "failure": 0}, "y": {"count": 0, "success": 0, "failure": 0}},
            "tool_error_counts": {"x": 0, "y": 0}})
    };
    let old = place.sandbox.scratch("old");
    fs::create_dir_all(&old).unwrap();
    // The torn line is what that program leaves when it is killed.
    let first = format!("{}\n{{\"prompt_index\": 9, \"conv", row(0, "prompt one", true));
    write(&old.join("batch_0.jsonl"), first.as_bytes());
    write(
        &old.join("batch_1.jsonl"),
        format!("{}\n{}\n", row(2, "two", false), row(8, "gone", true)).as_bytes(),
    );
    write(&old.join("checkpoint.json"), b"{\"completed_prompts\": [0, 2]}");
    let mut args = vec!["batch", "import", "old"];
    args.extend(&place.begin()[2..]);
    place.sandbox.run(args).exits(0).says("2 of 4 tasks").notes("1 lines").notes("1 rows");
    assert_eq!(place.status()["tasks"], json!({"total": 4, "done": 2, "pending": 2}));
    place.sandbox.run(["batch", "resume", "one"]).exits(0).notes("done: 4 of 4");
    let asked = place.server.requests();
    let asked: Vec<_> = asked.iter().filter(|seen| seen.is_question()).collect();
    assert_eq!(asked.len(), 4, "two questions for each of the two rows that were left");
    assert!(!asked.iter().any(|seen| seen.carries("prompt one")));
    let rows = place.lines("trajectories.jsonl");
    let models: Vec<&str> =
        rows.iter().map(|row| row["metadata"]["model"].as_str().unwrap()).collect();
    assert_eq!(models, ["old/model", "scripted", "old/model", "scripted"]);
    assert_eq!(rows[2]["completed"], false);
    place
        .sandbox
        .run(["batch", "import", "old", "rows.jsonl", "--name", "one"])
        .exits(2)
        .notes("has a run");
}
