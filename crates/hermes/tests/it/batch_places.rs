//! `hermes batch` whose tasks run in containers and in sandboxes of clouds: each in its own, limited, found again and
//! removed (`scripts/test-parts/docker`, `scripts/test-parts/clouds`).

use std::collections::BTreeMap;
use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use hermes_testkit::{CloudDouble, DoubledCloud, Match, Script, Step, part};
use serde_json::{Value, json};

use crate::batch::Place;
use crate::batch_workers::{kill, processes};
use crate::support::std_command;

/// A model that has a command run and is content with what comes of it.
fn one_command(command: &str) -> Script {
    let first = Step::call("terminal", json!({"command": command})).reasoning("Look.");
    let second = Step::text("Done.").reasoning("Seen.");
    Script::new([first]).repeat_last().route(
        "after the call",
        Match::anywhere("\"role\":\"tool\""),
        [second],
    )
}

fn docker(args: &[&str]) -> String {
    let done = std_command("docker").args(args).stderr(Stdio::null()).output().unwrap();
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}

/// An image with a file that tells it from the one of the tests.
fn second_image(name: &str) -> String {
    let (first, second) = (part("HERMES_TEST_DOCKER_IMAGE"), format!("hermes-batch-test:{name}"));
    let made = std_command("bash")
        .args(["-c", "printf 'FROM %s\\nRUN echo second > /which && mkdir /own\\n' \"$0\" | docker build -q -t \"$1\" -"])
        .args([&first, &second])
        .env("DOCKER_BUILDKIT", "0")
        .stdout(Stdio::null())
        .status();
    assert!(made.unwrap().success());
    second
}

fn rows(place: &Place, rows: &[Value]) {
    let text: String = rows.iter().map(|row| format!("{row}\n")).collect();
    place.dataset(&text);
}

fn begin<'a>(backend: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let words =
        ["batch", "run", "rows.jsonl", "--name", "one", "--seed", "7", "--toolsets", "terminal"];
    [&words[..], &["--backend", backend], more].concat()
}

fn record(place: &Place, id: &str) -> Value {
    place.sandbox.run(["batch", "show", "one", id, "--raw"]).exits(0).json()
}

fn run_id(place: &Place) -> String {
    let manifest: Value = serde_json::from_str(&place.file("run.json")).unwrap();
    manifest["id"].as_str().unwrap().to_owned()
}

fn containers_of(run: &str) -> usize {
    let filter = format!("label=hermes-run={run}");
    docker(&["ps", "-aq", "--filter", &filter]).lines().count()
}

#[test]
fn each_row_has_its_own_image_and_directory_and_a_missing_image_costs_its_row_only() {
    let place = Place::with(one_command("cat /which 2>/dev/null || echo first; pwd"));
    let (first, second) = (part("HERMES_TEST_DOCKER_IMAGE"), second_image("own"));
    let missing = "127.0.0.1:9/hermes/no-such-image:1";
    rows(
        &place,
        &[
            json!({"id": "first", "prompt": "a", "image": first, "files": {"in/a.txt": "hello"},
                "verify": "cat in/a.txt; ls /sys/class/net | tr '\\n' ' '"}),
            json!({"id": "second", "prompt": "b", "image": second, "cwd": "/own",
                "verify": "cat /which; pwd; touch mine && ls"}),
            json!({"id": "again", "prompt": "c", "image": second, "cwd": "/own", "verify": "ls"}),
            json!({"id": "missing", "prompt": "d", "image": missing}),
        ],
    );
    let args = begin("docker", &["--retries", "0", "--num-workers", "2"]);
    place.sandbox.run(args).exits(1).notes("1 failed for good");
    let output = |id: &str| record(&place, id)["verify"]["output"].as_str().unwrap().to_owned();
    assert_eq!(output("first"), "hellolo ", "its file is there, and no network but its own");
    assert_eq!(output("second"), "second\n/own\nmine\n");
    assert_eq!(output("again"), "", "what another row wrote is not there");
    let said = |id: &str| record(&place, id)["messages"].to_string();
    assert!(said("first").contains("first") && said("second").contains("second\\\\n/own"));
    let missed = record(&place, "missing");
    assert_eq!((&missed["class"], &missed["api_calls"]), (&json!("infra.image"), &json!(0)));
    assert!(missed["reason"].as_str().unwrap().contains(missing), "{missed}");
    assert!(
        !place.server.requests().iter().any(|seen| seen.is_question() && seen.carries("\"d\""))
    );
    assert_eq!(containers_of(&run_id(&place)), 0, "nothing is left behind");
}

#[test]
fn limits_hold_in_a_container() {
    let place = Place::with(one_command("true"));
    let image = part("HERMES_TEST_DOCKER_IMAGE");
    let row =
        |id: &str, verify: &str| json!({"id": id, "prompt": id, "image": image, "verify": verify});
    rows(
        &place,
        &[
            // What `tail` shows of a pipe it keeps in memory until then.
            row(
                "memory",
                "head -c 1000000000 /dev/zero | tail -c 999999999 | wc -c | grep -qx 999999999",
            ),
            row(
                "bomb",
                "for i in $(seq 200); do sleep 5 & done 2>/dev/null; test $(ls -d /proc/[0-9]* | wc -l) -gt 150",
            ),
            row(
                "file",
                "head -c 2000000000 /dev/zero > ~/big; test $(wc -c < ~/big) -ge 2000000000",
            ),
            row(
                "rootfile",
                "head -c 2000000000 /dev/zero > /opt/big; test $(wc -c < /opt/big) -ge 2000000000",
            ),
            row("fine", "head -c 50000000 /dev/zero > ~/small && echo ok"),
        ],
    );
    let limits = ["--memory", "256m", "--pids", "60", "--disk", "100m", "--retries", "0"];
    place.sandbox.run(begin("docker", &limits)).exits(0);
    for (id, passed) in
        [("memory", false), ("bomb", false), ("file", false), ("rootfile", false), ("fine", true)]
    {
        let record = record(&place, id);
        assert_eq!(record["verify"]["passed"], passed, "{id}: {}", record["verify"]);
    }
}

#[test]
fn what_a_killed_start_left_is_removed_by_gc_and_by_the_next_start_and_nothing_else_is() {
    let place = Place::with(one_command("sleep 300"));
    let image = part("HERMES_TEST_DOCKER_IMAGE");
    let all: Vec<Value> = (0..12)
        .map(|n| json!({"id": format!("t{n}"), "prompt": format!("task {n}"), "image": image}))
        .collect();
    rows(&place, &all);
    // Somebody else's container with the same labels but another run.
    let stranger = docker(&[
        "run",
        "-d",
        "--label",
        "hermes-agent=1",
        "--label",
        "hermes-run=0000000000000000",
        "--label",
        "hermes-epoch=1",
        &image,
        "sleep",
        "300",
    ]);
    let killed_at_work = |args: &[&str]| {
        let mut run = place.sandbox.command();
        let mut run = run.args(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while !place.folder().join("run.json").exists() || containers_of(&run_id(&place)) < 4 {
            assert!(Instant::now() < deadline && run.try_wait().unwrap().is_none());
            std::thread::sleep(Duration::from_millis(50));
        }
        // Those who would clean up after it die with it, as when a machine goes down.
        let id = run_id(&place);
        for pid in processes_of(&format!("hermes-{}", &id[..8])) {
            kill(pid);
        }
        run.kill().unwrap();
        run.wait().unwrap();
        assert!(containers_of(&id) >= 4, "they are nobody's now");
        id
    };
    let id = killed_at_work(&begin("docker", &["--num-workers", "4"]));
    place
        .sandbox
        .run(["batch", "gc", "one"])
        .exits(0)
        .says("4 containers or sandboxes of earlier starts were removed");
    assert_eq!(containers_of(&id), 0);
    place.sandbox.run(["batch", "gc", "one"]).exits(0).says("0 containers");
    killed_at_work(&["batch", "resume", "one", "--num-workers", "4"]);
    let mut next = place.sandbox.command();
    let mut next = next
        .args(["batch", "resume", "one", "--num-workers", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let of_epoch = |epoch: &str| {
        let (run, epoch) =
            (format!("label=hermes-run={id}"), format!("label=hermes-epoch={epoch}"));
        docker(&["ps", "-aq", "--filter", &run, "--filter", &epoch]).lines().count()
    };
    // Two times gc and three starts were before.
    while of_epoch("5") == 0 || of_epoch("4") > 0 {
        assert!(Instant::now() < deadline && next.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(50));
    }
    next.kill().unwrap();
    next.wait().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while containers_of(&id) > 0 {
        assert!(Instant::now() < deadline, "whoever cleans up after a killed start did not");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(docker(&["ps", "-q", "--no-trunc"]).contains(&stranger), "a stranger's stays");
    docker(&["rm", "-f", &stranger]);
    assert!(processes(&place, &["batch"]).is_empty());
}

/// All processes whose command line has this word, but not the engine's own.
fn processes_of(word: &str) -> Vec<i32> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        line.contains("hermes-cleanup") && line.contains(word)
    })
    .collect()
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test's own file")]
fn images_that_were_fetched_for_a_run_go_when_it_is_asked_for() {
    let place = Place::with(one_command("true"));
    let (first, second) = (part("HERMES_TEST_DOCKER_IMAGE"), second_image("prune"));
    // An engine that has to fetch what the real one has already.
    let hidden = place.sandbox.scratch("hidden");
    fs::write(&hidden, "").unwrap();
    let engine = place.sandbox.script(
        "engine",
        &format!(
            "case \"$1 $2\" in 'image inspect') for last; do :; done; [ \"$last\" = {second} ] && [ -e {h} ] && \
             {{ echo 'No such image' >&2; exit 1; }};; 'pull --quiet') echo \"$3\" >> {h}.pulled; rm -f {h}; exit 0;; esac\n\
             exec docker \"$@\"",
            h = hidden.display()
        ),
    );
    let place = Place { sandbox: place.sandbox.var("HERMES_DOCKER_BINARY", engine), ..place };
    let row = |id: &str, image: &str| json!({"id": id, "prompt": id, "image": image});
    rows(&place, &[row("a", &second), row("b", &second), row("c", &second), row("d", &first)]);
    place.sandbox.run(begin("docker", &["--num-workers", "3"])).exits(0);
    let pulled = fs::read_to_string(format!("{}.pulled", hidden.display())).unwrap();
    assert_eq!(pulled.lines().collect::<Vec<_>>(), [&second], "once for all rows");
    place.sandbox.run(["batch", "gc", "one"]).exits(0);
    assert_ne!(docker(&["image", "ls", "-q", &second]), "", "not without being asked");
    place
        .sandbox
        .run(["batch", "gc", "one", "--prune-images"])
        .exits(0)
        .says("1 images that were fetched for the run were removed");
    assert_eq!(docker(&["image", "ls", "-q", &second]), "");
    assert_ne!(docker(&["image", "ls", "-q", &first]), "", "what was there before stays");
    place.sandbox.run(["batch", "gc", "one", "--prune-images"]).exits(0).says("0 images");
}

fn with_keys(place: Place, double: &CloudDouble) -> Place {
    let mut sandbox = place.sandbox;
    for (name, value) in double.variables() {
        sandbox = sandbox.var(Box::leak(name.into_boxed_str()), value);
    }
    Place { sandbox, ..place }
}

/// The keepers of sandboxes whose input a process holds.
fn keepers_of(pid: u32) -> Vec<i32> {
    let held: Vec<_> = fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .flatten()
        .filter_map(|entry| fs::read_link(entry.path()).ok())
        .collect();
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let input = fs::read_link(format!("/proc/{pid}/fd/0"));
        String::from_utf8_lossy(&line).contains("sandbox-keeper")
            && input.is_ok_and(|input| held.contains(&input))
    })
    .collect()
}

/// Rows in sandboxes of a cloud, of which one goes away in the middle.
fn in_a_cloud(cloud: DoubledCloud, count: usize) {
    // Sandboxes of the doubles share this machine, but each has a home of its own.
    let double = CloudDouble::start(cloud, &part("HERMES_TEST_CLOUDS"), &[]);
    let mark =
        "echo here > ~/mark; cd ~/.hermes/skills && mkdir left && echo x > left/SKILL.md; cd -";
    let first = Step::call("terminal", json!({"command": mark})).reasoning("Mark.");
    let second = Step::call("terminal", json!({"command": "sleep 0.3; cat ~/mark"}))
        .reasoning("Look.")
        .with_id("second");
    let last = Step::text("Done.").reasoning("Seen.");
    let script = Script::new([first])
        .repeat_last()
        .route("after the second call", Match::anywhere("\"tool_call_id\":\"second\""), [last])
        .route("after the first call", Match::anywhere("\"role\":\"tool\""), [second]);
    let place = Place::with(script);
    let place = with_keys(place, &double);
    let all: Vec<Value> = (0..count)
        .map(|n| {
            let mut row =
                json!({"id": format!("t{n}"), "prompt": format!("task {n}"), "verify": "cat ~/mark"});
            if cloud != DoubledCloud::Vercel {
                row["image"] = json!(format!("debian:{}", n % 2 + 11));
            }
            row
        })
        .collect();
    rows(&place, &all);
    let mut run = place.sandbox.command();
    let out = fs::File::create(place.sandbox.scratch("events.out")).unwrap();
    let log = fs::File::create(place.sandbox.scratch("notes")).unwrap();
    let mut run = run
        .args(begin(cloud.backend(), &["--num-workers", "4", "--json"]))
        .stdout(out)
        .stderr(log)
        .spawn()
        .unwrap();
    let told = |word: &str| {
        let text = fs::read_to_string(place.sandbox.scratch("events.out")).unwrap_or_default();
        text.matches(word).count()
    };
    let deadline = Instant::now() + Duration::from_secs(100);
    let mut seen: BTreeMap<String, Value> = BTreeMap::new();
    let mut lost = 0;
    while run.try_wait().unwrap().is_none() {
        assert!(
            Instant::now() < deadline,
            "the run does not end: {}",
            fs::read_to_string(place.sandbox.scratch("notes")).unwrap()
        );
        for one in double.obey("list").as_array().into_iter().flatten() {
            seen.insert(one["id"].as_str().unwrap().to_owned(), one.clone());
        }
        if lost == 0 && told("\"task_done\"") >= 1 {
            let victim = double.running().into_iter().next();
            lost += victim.map_or(0, |id| usize::from(double.obey(&format!("lose {id}")) == true));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(
        run.wait().unwrap().code(),
        Some(0),
        "{}",
        fs::read_to_string(place.sandbox.scratch("notes")).unwrap()
    );
    assert_eq!(lost, 1);
    let rows = place.lines("trajectories.jsonl");
    assert_eq!(rows.len(), count);
    for n in 0..count {
        let record = record(&place, &format!("t{n}"));
        assert_eq!(
            (&record["status"], &record["verify"]["output"]),
            (&json!("ok"), &json!("here\n")),
            "{record}"
        );
    }
    let id = run_id(&place);
    for one in seen.values() {
        assert_eq!(one["network"], false, "{one}");
        assert_eq!(
            (&one["labels"]["hermes-run"], &one["labels"]["hermes-epoch"]),
            (&json!(id), &json!("1"))
        );
    }
    assert!(seen.len() >= count, "one for each: {}", seen.len());
    assert_eq!(double.running(), [""; 0], "nothing is left behind");
    assert!(!place.file("events.jsonl").contains("good-key"));
    assert!(!place.sandbox.path("skills/left").exists(), "what a task wrote stays with it");
}

#[test]
fn rows_run_at_daytona_and_a_lost_sandbox_costs_a_try() {
    in_a_cloud(DoubledCloud::Daytona, 50);
}

#[test]
fn rows_run_at_modal_and_a_lost_sandbox_costs_a_try() {
    in_a_cloud(DoubledCloud::Modal, 50);
}

#[test]
fn rows_run_at_vercel_and_a_lost_sandbox_costs_a_try() {
    in_a_cloud(DoubledCloud::Vercel, 50);
}

#[test]
fn sandboxes_of_a_dead_start_are_removed_at_daytona() {
    let double = CloudDouble::start(DoubledCloud::Daytona, &part("HERMES_TEST_CLOUDS"), &[]);
    let place = Place::with(one_command("sleep 300"));
    let place = with_keys(place, &double);
    place.rows(3);
    let mut run = place.sandbox.command();
    let mut run = run
        .args(begin("daytona", &["--num-workers", "3"]))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while double.running().len() < 3 {
        assert!(Instant::now() < deadline, "no sandboxes");
        std::thread::sleep(Duration::from_millis(50));
    }
    let keepers = keepers_of(run.id());
    assert_eq!(keepers.len(), 3);
    keepers.into_iter().for_each(kill);
    run.kill().unwrap();
    run.wait().unwrap();
    assert_eq!(double.running().len(), 3, "nobody's now");
    place
        .sandbox
        .run(["batch", "gc", "one"])
        .exits(0)
        .says("3 containers or sandboxes of earlier starts were removed");
    assert_eq!(double.running(), [""; 0]);
}
