//! A home with jobs that are due, and a runner that counts.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use hermes_cron::{
    CronSettings, Job, JobDraft, JobOutcome, JobRunner, JobStore, RunFuture, Ticker,
};
use hermes_guard::redact::Redactor;
use hermes_store::home::Home;
use hermes_tool::Vars;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

pub(crate) struct Bench {
    pub(crate) folder: TempDir,
    pub(crate) store: JobStore,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let folder = TempDir::with_prefix("hermes-cron-").unwrap();
        let store = JobStore::new(&Home::at(folder.path()), TimeZone::UTC);
        Self { folder, store }
    }

    /// A job that has been due for a moment.
    pub(crate) fn due(&self, schedule: &str) -> Job {
        let draft = JobDraft {
            schedule: Some(schedule.into()),
            prompt: Some("do it".into()),
            ..JobDraft::default()
        };
        let long_ago = Timestamp::now() - jiff::SignedDuration::from_hours(30);
        self.store.create(&draft, long_ago).unwrap()
    }

    /// Jobs that have been due for a moment, written at once.
    pub(crate) fn many_due(&self, count: usize) {
        let job = serde_json::to_value(self.due("1h")).unwrap();
        let jobs: Vec<_> = (0..count)
            .map(|number| {
                let mut job = job.clone();
                job["id"] = json!(format!("{number:012x}"));
                job
            })
            .collect();
        let text = json!({"jobs": jobs}).to_string();
        let options = hermes_store::atomic::WriteOptions::SECRET;
        hermes_store::atomic::write(&self.store.file(), text.as_bytes(), options).unwrap();
    }

    pub(crate) fn ticker(&self, runner: &Arc<Counting>, parallel: u32) -> Ticker {
        let config = json!({"cron": {"max_parallel_jobs": parallel}});
        let settings = CronSettings::from_config(&config, &Vars::default());
        Ticker::new(self.store.clone(), settings, Redactor::default(), Arc::clone(runner) as _)
    }
}

/// Counts how often each job is run.
#[derive(Default)]
pub(crate) struct Counting {
    pub(crate) runs: Mutex<HashMap<String, usize>>,
}

impl Counting {
    pub(crate) fn total(&self) -> usize {
        self.runs.lock().unwrap().values().sum()
    }
}

impl JobRunner for Counting {
    fn run<'a>(&'a self, job: &'a Job, _: &'a CancellationToken) -> RunFuture<'a> {
        *self.runs.lock().unwrap().entry(job.id.clone()).or_default() += 1;
        Box::pin(async {
            tokio::task::yield_now().await;
            match job.prompt.as_str() {
                "panic" => panic!("as asked"),
                _ => JobOutcome::said("done"),
            }
        })
    }
}
