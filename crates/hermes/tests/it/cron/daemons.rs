//! Several daemons, and the end of one at the worst moment: each due time runs once and no more.

use std::collections::BTreeMap;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::{Value, json};

use super::{created, runs, script};
use crate::support::Sandbox;

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(100);

struct Daemon(Child);

impl Daemon {
    fn start(sandbox: &Sandbox) -> Self {
        let mut command = sandbox.command();
        command.args(["cron", "daemon"]).stdin(Stdio::null()).stdout(Stdio::null());
        Self(command.stderr(Stdio::null()).spawn().unwrap())
    }

    /// As `kill -9` does.
    fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Jobs that are due now; each writes a line with its id.
fn due_jobs(parallel: u32, count: usize) -> Sandbox {
    let config =
        format!("timezone: UTC\ncron:\n  max_parallel_jobs: {parallel}\n  wrap_response: false\n");
    let sandbox = Sandbox::with_config(&config);
    let ran = sandbox.scratch("ran");
    script(&sandbox, "mark.sh", &format!("echo $HERMES_CRON_JOB_ID >> {}\n", ran.display()));
    let job = created(&sandbox, &["1h", "--script", "mark.sh", "--no-agent"]);
    let jobs: Vec<Value> = (0..count)
        .map(|number| {
            let mut job = job.clone();
            job["id"] = json!(format!("{number:012x}"));
            job["next_run_at"] = json!("2026-01-01T00:00:00+00:00");
            job
        })
        .collect();
    sandbox.write("cron/jobs.json", &json!({"jobs": jobs}).to_string());
    sandbox
}

/// How often each job ran.
fn ran(sandbox: &Sandbox) -> BTreeMap<String, usize> {
    let mut counted = BTreeMap::new();
    for id in std::fs::read_to_string(sandbox.scratch("ran")).unwrap_or_default().lines() {
        *counted.entry(id.to_owned()).or_default() += 1;
    }
    counted
}

#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what} does not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The ledger as another program sees it.
#[expect(clippy::disallowed_methods, reason = "not the session database")]
fn ledger(sandbox: &Sandbox) -> Connection {
    let ledger = Connection::open(sandbox.path("cron/executions.db")).unwrap();
    ledger.busy_timeout(PATIENCE).unwrap();
    ledger
}

fn count(ledger: &Connection, of: &str) -> usize {
    let sql = format!("SELECT count(*) FROM executions WHERE {of}");
    let rows: u32 = ledger.query_row(&sql, [], |row| row.get(0)).unwrap();
    rows as usize
}

#[test]
fn a_thousand_jobs_and_two_daemons_are_a_thousand_runs() {
    const JOBS: usize = 1_000;
    let sandbox = due_jobs(100, JOBS);
    let _daemons = [Daemon::start(&sandbox), Daemon::start(&sandbox)];
    until("the ledger", || sandbox.path("cron/executions.db").exists());
    let ledger = ledger(&sandbox);
    until("the table", || ledger.prepare("SELECT id FROM executions").is_ok());
    until("the end of all runs", || count(&ledger, "finished_at IS NOT NULL") == JOBS);
    let ran = ran(&sandbox);
    assert_eq!((ran.len(), ran.values().sum::<usize>()), (JOBS, JOBS));
    assert_eq!(count(&ledger, "status = 'completed'"), JOBS);
    let owners: u32 = ledger
        .query_row("SELECT count(DISTINCT pid) FROM executions", [], |row| row.get(0))
        .unwrap();
    assert_eq!(owners, 1, "one ticks at a time");
    let status = sandbox.run(["cron", "status", "--json"]).exits(0).json();
    assert_eq!((&status["ticking"], &status["stalled"]), (&json!(true), &json!(false)));
}

/// The ledger is held while runs are claimed and not yet begun; then the process is killed.
#[test]
fn a_run_that_was_claimed_when_its_process_died_is_told_and_not_repeated() {
    const JOBS: usize = 240;
    let sandbox = due_jobs(40, JOBS);
    let first = Daemon::start(&sandbox);
    until("the ledger", || sandbox.path("cron/executions.db").exists());
    let ledger = ledger(&sandbox);
    until("the table", || ledger.prepare("SELECT id FROM executions").is_ok());
    // Looked at between any two writes of the daemon: a pause between looks would be longer than a claim stands.
    let begun = Instant::now();
    loop {
        // Whoever has this lock sees the ledger stand still.
        ledger.execute_batch("BEGIN IMMEDIATE").unwrap();
        if count(&ledger, "status = 'claimed'") > 0 {
            break;
        }
        assert!(count(&ledger, "1 = 1") < JOBS, "it was over before it was seen");
        ledger.execute_batch("ROLLBACK").unwrap();
        assert!(begun.elapsed() < PATIENCE, "a claim does not happen");
    }
    let seen: Vec<String> = {
        let mut rows =
            ledger.prepare("SELECT job_id FROM executions WHERE status = 'claimed'").unwrap();
        let ids = rows.query_map([], |row| row.get(0)).unwrap();
        ids.collect::<Result<_, _>>().unwrap()
    };
    first.kill();
    ledger.execute_batch("ROLLBACK").unwrap();
    let before = ran(&sandbox);
    assert!(seen.iter().all(|id| !before.contains_key(id)), "claimed is not begun");
    let _second = Daemon::start(&sandbox);
    until("the end of all runs", || {
        count(&ledger, "finished_at IS NOT NULL") >= JOBS
            && count(&ledger, "finished_at IS NULL") == 0
    });
    let ran = ran(&sandbox);
    assert!(ran.values().all(|times| *times == 1), "{ran:?}");
    let all = runs(&sandbox);
    let of = |id: &String| -> Vec<&str> {
        let mine = all.as_array().unwrap().iter().filter(|run| run["job_id"] == **id);
        mine.map(|run| run["status"].as_str().unwrap()).collect()
    };
    for id in &seen {
        assert_eq!(of(id), ["unknown"]);
        assert!(!ran.contains_key(id), "{id} was run after all");
    }
    let unknown = all.as_array().unwrap().iter().filter(|run| run["status"] == "unknown").count();
    assert!(ran.len() + unknown >= JOBS, "{} ran, {unknown} are unknown", ran.len());
    let jobs = sandbox.run(["cron", "list", "--all", "--json"]).exits(0).json();
    let told = jobs.as_array().unwrap().iter().find(|job| job["id"] == seen[0].as_str()).unwrap();
    assert!(told["last_error"].as_str().unwrap().contains("not repeated"), "{told}");
}
