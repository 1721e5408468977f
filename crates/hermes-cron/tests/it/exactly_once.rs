//! Whoever ticks, and however many do: each due time is run once.

use std::sync::Arc;
use std::time::Duration;

use hermes_cron::{ExecutionStatus, JobDraft, JobState, Ledger, Ticked, ticker_health};
use jiff::Timestamp;
use tokio_util::sync::CancellationToken;

use crate::support::{Bench, Counting};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(100);

async fn until(is_so: impl Fn() -> bool) {
    let waited = tokio::time::timeout(PATIENCE, async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    waited.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_jobs_and_two_tickers_are_a_thousand_runs() {
    const JOBS: usize = 1_000;
    let bench = Bench::new();
    bench.many_due(JOBS);
    let runner = Arc::new(Counting::default());
    let stop = CancellationToken::new();
    let (one, two) = (bench.ticker(&runner, 200), bench.ticker(&runner, 200));
    let watching = async {
        let ledger = Ledger::open(bench.store.folder()).unwrap();
        until(|| {
            ledger
                .runs(None, JOBS + 1)
                .unwrap()
                .iter()
                .filter(|run| run.finished_at.is_some())
                .count()
                == JOBS
        })
        .await;
        assert!(ticker_health(&bench.store).is_held);
        stop.cancel();
    };
    let (one, two, ()) = tokio::join!(one.run(&stop), two.run(&stop), watching);
    one.unwrap();
    two.unwrap();
    assert_eq!(runner.total(), JOBS);
    assert!(runner.runs.lock().unwrap().values().all(|count| *count == 1));
    let jobs = bench.store.jobs().unwrap();
    assert!(jobs.iter().all(|job| job.state == JobState::Completed && job.repeat.completed == 1));
    assert!(!ticker_health(&bench.store).is_held);
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_was_missed_runs_once_and_goes_on_from_now() {
    let bench = Bench::new();
    let job = bench.due("every 1m");
    let runner = Arc::new(Counting::default());
    let ticked = bench.ticker(&runner, 4).tick(&CancellationToken::new()).await.unwrap();
    assert!(matches!(ticked, Ticked::Done { runs: 1, failed: 0 }), "{ticked:?}");
    let job = bench.store.find(&job.id).unwrap();
    let next: Timestamp = job.next_run_at.unwrap().parse().unwrap();
    assert!(next > Timestamp::now());
    assert_eq!((job.last_status.as_deref(), job.repeat.completed), (Some("ok"), 1));
    let ticked = bench.ticker(&runner, 4).tick(&CancellationToken::new()).await.unwrap();
    assert!(matches!(ticked, Ticked::Done { runs: 0, .. }), "{ticked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_made_while_it_ticks_fires_at_its_second() {
    let bench = Bench::new();
    let runner = Arc::new(Counting::default());
    let stop = CancellationToken::new();
    let ticker = bench.ticker(&runner, 4);
    let watching = async {
        until(|| ticker_health(&bench.store).silent_for.is_some()).await;
        let at = Timestamp::now() + jiff::SignedDuration::from_secs(3);
        let draft = JobDraft {
            schedule: Some(at.to_string()),
            prompt: Some("now".into()),
            ..JobDraft::default()
        };
        let job = bench.store.create(&draft, Timestamp::now()).unwrap();
        until(|| runner.total() == 1).await;
        let due: Timestamp = job.next_run_at.unwrap().parse().unwrap();
        assert!(Timestamp::now() >= due);
        stop.cancel();
    };
    tokio::join!(async { ticker.run(&stop).await.unwrap() }, watching);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_panics_is_a_failed_run_and_the_clock_goes_on() {
    let bench = Bench::new();
    let broken = bench.due("1h");
    let draft = JobDraft { prompt: Some("panic".into()), ..JobDraft::default() };
    bench.store.edit(&broken.id, &draft, Timestamp::now()).unwrap();
    bench.due("every 1h");
    let runner = Arc::new(Counting::default());
    let ticked = bench.ticker(&runner, 1).tick(&CancellationToken::new()).await.unwrap();
    assert!(matches!(ticked, Ticked::Done { runs: 2, failed: 1 }), "{ticked:?}");
    let runs = Ledger::open(bench.store.folder()).unwrap().runs(Some(&broken.id), 5).unwrap();
    assert_eq!(runs[0].status, ExecutionStatus::Failed);
    assert_eq!(bench.store.find(&broken.id).unwrap().last_status.as_deref(), Some("error"));
}
