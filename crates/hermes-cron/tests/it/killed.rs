//! A process is killed after it took what was due and before it began it.

use std::sync::Arc;

use hermes_cron::{ExecutionStatus, JobState, Ledger, Ticked};
use hermes_process::{Command, OutputMode, Stdin};
use tokio::io::AsyncReadExt as _;
use tokio_util::sync::CancellationToken;

use crate::support::{Bench, Counting};

#[tokio::test(flavor = "multi_thread")]
async fn what_a_killed_process_took_is_unknown_and_not_repeated() {
    let bench = Bench::new();
    let (once, often) = (bench.due("1h"), bench.due("every 1h"));
    let mut claimer = Command::new(env!("CARGO_BIN_EXE_hermes-cron-claimer"))
        .arg(bench.folder.path())
        .stdin(Stdin::Null)
        .output(OutputMode::Separate)
        .spawn()
        .unwrap();
    let mut said = [0; 2];
    claimer.take_stdout().unwrap().read_exact(&mut said).await.unwrap();
    assert_eq!(&said, b"2\n");

    // While it lives, what it took is its own.
    let runner = Arc::new(Counting::default());
    let stop = CancellationToken::new();
    let ticked = bench.ticker(&runner, 4).tick(&stop).await.unwrap();
    assert!(matches!(ticked, Ticked::Done { runs: 0, .. }), "{ticked:?}");

    claimer.kill().await.unwrap();
    let ticked = bench.ticker(&runner, 4).tick(&stop).await.unwrap();
    assert!(matches!(ticked, Ticked::Done { runs: 0, .. }), "{ticked:?}");
    assert_eq!(runner.total(), 0);
    let runs = Ledger::open(bench.store.folder()).unwrap().runs(None, 10).unwrap();
    assert_eq!(runs.len(), 2);
    assert!(
        runs.iter().all(|run| run.status == ExecutionStatus::Unknown && run.started_at.is_none())
    );
    let (once, often) = (bench.store.find(&once.id).unwrap(), bench.store.find(&often.id).unwrap());
    assert_eq!((once.state, once.enabled, once.next_run_at), (JobState::Error, false, None));
    assert!(often.enabled && often.next_run_at.is_some(), "its next time comes as ever");
    assert!(often.last_error.unwrap().contains("not repeated"));
    let told = |job: &str| {
        std::fs::read_dir(bench.store.folder().join("output").join(job)).unwrap().count()
    };
    assert_eq!((told(&once.id), told(&often.id)), (1, 1));
    bench.ticker(&runner, 4).tick(&stop).await.unwrap();
    assert_eq!((told(&once.id), told(&often.id)), (1, 1), "told once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_that_did_not_reach_the_file_is_not_run_either() {
    let bench = Bench::new();
    let job = bench.due("every 1h");
    let before = std::fs::read(bench.store.file()).unwrap();
    let mut claimer = Command::new(env!("CARGO_BIN_EXE_hermes-cron-claimer"))
        .arg(bench.folder.path())
        .stdin(Stdin::Null)
        .output(OutputMode::Separate)
        .spawn()
        .unwrap();
    let mut said = [0; 2];
    claimer.take_stdout().unwrap().read_exact(&mut said).await.unwrap();
    claimer.kill().await.unwrap();
    // As it was between the row of the ledger and the file.
    let options = hermes_store::atomic::WriteOptions::SECRET;
    hermes_store::atomic::write(&bench.store.file(), &before, options).unwrap();
    let runner = Arc::new(Counting::default());
    bench.ticker(&runner, 4).tick(&CancellationToken::new()).await.unwrap();
    assert_eq!(runner.total(), 0);
    assert_ne!(bench.store.find(&job.id).unwrap().next_run_at, job.next_run_at);
}
