//! Scheduled jobs beside chats: one clock, and what a job says comes to the chat it was made in.

use std::process::Stdio;

use hermes_testkit::Step;
use serde_json::json;

use super::{OWNER, Scene};

/// A program of the home that jobs may name.
fn script(scene: &Scene, body: &str) {
    std::fs::create_dir_all(scene.sandbox.path("scripts")).unwrap();
    scene.sandbox.write("scripts/news.sh", body);
}

#[test]
fn a_job_made_in_a_chat_tells_that_chat() {
    let mut scene = Scene::new(
        [
            Step::call(
                "cronjob",
                json!({"action": "create", "schedule": "every 1h", "name": "news",
                    "script": "news.sh", "no_agent": true}),
            ),
            Step::call("cronjob", json!({"action": "run", "job_id": "news"})),
            Step::text("It is scheduled."),
        ],
        &format!("TELEGRAM_ALLOWED_USERS={OWNER}\nTELEGRAM_HOME_CHANNEL=5\n"),
    );
    script(&scene, "echo 'the harvest is in'\n");
    scene.start();
    scene.telegram.say(OWNER, "tell me the news every hour");
    scene.telegram.wait_for_text(OWNER, "It is scheduled.");
    let told = scene.telegram.wait_for_text(OWNER, "the harvest is in");
    assert!(told.text.contains("news"), "it says which job: {told:?}");
    assert!(scene.telegram.messages(5).is_empty(), "the home chat is not the chat it was made in");
    let jobs = scene.sandbox.run(["cron", "list", "--json"]).exits(0).json();
    assert_eq!(jobs[0]["deliver"], "origin");
    assert_eq!(jobs[0]["origin"]["chat_id"], OWNER.to_string());
    let status = scene.sandbox.run(["cron", "status", "--json"]).exits(0).json();
    assert_eq!(status["ticking"], true, "the gateway is the clock: {status}");
}

#[test]
fn a_daemon_and_a_gateway_are_one_clock_and_the_second_takes_over() {
    let mut scene = Scene::new(
        [Step::text("x")],
        &format!("TELEGRAM_ALLOWED_USERS={OWNER}\nTELEGRAM_HOME_CHANNEL={OWNER}\n"),
    );
    let ran = scene.sandbox.scratch("ran");
    script(&scene, &format!("echo $PPID >> {}\necho said\n", ran.display()));
    let lines = || std::fs::read_to_string(&ran).unwrap_or_default().lines().count();
    let make =
        ["cron", "create", "every 1h", "--name", "news", "--script", "news.sh", "--no-agent"];
    scene.sandbox.run(make.iter().chain(&["--deliver", "telegram"])).exits(0);
    let mut command = scene.sandbox.command();
    command.args(["cron", "daemon"]).stdin(Stdio::null()).stdout(Stdio::null());
    let mut daemon = command.stderr(Stdio::null()).spawn().unwrap();
    let holder = |scene: &Scene| {
        let status = scene.sandbox.run(["cron", "status", "--json"]).json();
        status["pid"].as_u64().filter(|_| status["ticking"] == true)
    };
    scene.until("the daemon's clock", || holder(&scene) == Some(u64::from(daemon.id())));
    scene.start();
    scene.sandbox.run(["cron", "edit", "news", "--schedule", "every 2h"]).exits(0);
    due(&scene, 1);
    scene.telegram.wait_for_text(OWNER, "said");
    assert_eq!(lines(), 1);
    scene.until("the end of the run", || {
        let runs = scene.sandbox.run(["cron", "runs", "--json"]).exits(0).json();
        runs[0]["status"] == "completed"
    });
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    let gateway = u64::from(scene.gateway.as_ref().unwrap().id());
    scene.until("the gateway's clock", || holder(&scene) == Some(gateway));
    due(&scene, 2);
    let twice = |all: &[hermes_testkit::ChatMessage]| {
        all.iter().filter(|one| one.text.contains("said")).count() == 2
    };
    scene.telegram.wait(OWNER, twice);
    assert_eq!(lines(), 2, "each due time ran once");
    assert_eq!(scene.stop(), Some(0));
}

/// The job is due now.
fn due(scene: &Scene, hour: u32) {
    let text = std::fs::read_to_string(scene.sandbox.path("cron/jobs.json")).unwrap();
    let mut file: serde_json::Value = serde_json::from_str(&text).unwrap();
    file["jobs"][0]["next_run_at"] = json!(format!("2026-01-01T{hour:02}:00:00+00:00"));
    scene.sandbox.write("cron/jobs.json", &file.to_string());
}

#[test]
fn a_target_that_is_none_is_refused_when_the_job_is_made() {
    let scene = Scene::new([Step::text("x")], "");
    let make = ["cron", "create", "every 1h", "say hello", "--deliver"];
    let made = scene.sandbox.run(make.iter().chain(&["telegarm:1"]));
    made.exits(2).notes("no platform `telegarm` is set up").notes("telegram");
    let made = scene.sandbox.run(make.iter().chain(&["telegram:one"]));
    made.exits(2).notes("no chat of Telegram");
    let made = scene.sandbox.run(make.iter().chain(&["telegram"]));
    made.exits(2).notes("no home chat");
    scene.sandbox.run(make.iter().chain(&["telegram:7,local"])).exits(0);
}

#[test]
fn the_owner_has_the_jobs_of_the_home_in_a_chat_and_nobody_else() {
    let people = format!("TELEGRAM_ALLOWED_USERS={OWNER},99\n");
    let mut scene = Scene::new([Step::text("x")], &people);
    script(&scene, "echo 'the harvest is in'\n");
    scene.start();
    let ask = |who: i64, words: &str, answer: &str| {
        let before = scene.telegram.messages(who).len();
        scene.telegram.say(who, words);
        let is_it = |one: &hermes_testkit::ChatMessage| one.text.contains(answer);
        scene.telegram.wait(who, |all| all.iter().skip(before).any(is_it));
    };
    ask(99, "/cron list", "/cron is for the owner");
    ask(OWNER, "/cron create “every 1h” --name news --script news.sh --no-agent", "Created news");
    ask(OWNER, "/cron", "news");
    ask(OWNER, "/cron pause nosuch", "nosuch");
    ask(OWNER, "/cron frobnicate", "unrecognized subcommand");
    ask(OWNER, "/cron daemon", "clock of the jobs already");
    ask(OWNER, "/blueprint morning-brief time=7:99", "time");
    // Where it was made is where it tells.
    ask(OWNER, "/cron run news", "I run");
    ask(OWNER, "/cron run news", "the harvest is in");
    let jobs = scene.sandbox.run(["cron", "list", "--json"]).exits(0).json();
    assert_eq!(jobs[0]["origin"]["chat_id"], OWNER.to_string(), "{jobs}");
    ask(OWNER, "/cron remove news", "Removed news");
}
