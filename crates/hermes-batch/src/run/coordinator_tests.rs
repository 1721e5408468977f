use std::collections::VecDeque;
use std::sync::Mutex;

use hermes_llm::model::BoxFuture;
use serde_json::Value;

use super::*;
use crate::run::limiter::RateLimits;
use crate::store::{RunIndex, SegmentLimits};

/// What becomes of an attempt.
#[derive(Clone, Copy)]
enum Turn {
    Done,
    CancelledByItself,
    Panics,
    Lost,
    Fails,
    NoRoom,
}

/// Does with each attempt what it was told, and everything else well.
struct Puppet {
    turns: Mutex<HashMap<u32, VecDeque<Turn>>>,
    tried: Mutex<Vec<u32>>,
}

impl TaskExecutor for Puppet {
    fn attempt<'a>(
        &'a self,
        task: &'a BatchTask,
        _: &'a CancellationToken,
    ) -> BoxFuture<'a, AttemptOutcome> {
        self.tried.lock().unwrap().push(task.number);
        let turn = self.turns.lock().unwrap().get_mut(&task.number).and_then(VecDeque::pop_front);
        let mut record = task.begun("puppet", 1, jiff::Timestamp::now());
        record.usage.input = 10;
        let usage = record.usage.clone();
        Box::pin(async move {
            match turn.unwrap_or(Turn::Done) {
                Turn::Done => AttemptOutcome::Recorded(Box::new(record)),
                Turn::CancelledByItself => AttemptOutcome::Cancelled { usage },
                Turn::Panics => panic!("a fault of ours"),
                Turn::Lost => AttemptOutcome::Lost { reason: "killed".to_owned() },
                Turn::NoRoom => {
                    AttemptOutcome::Failed(Box::new(task.failed(1, "infra.disk", "full")))
                }
                Turn::Fails => {
                    AttemptOutcome::Failed(Box::new(task.failed(1, "infra.network", "no way")))
                }
            }
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

#[derive(Default)]
struct Heard(Mutex<Vec<Value>>);

impl RunFront for Heard {
    fn event(&self, event: &Value) {
        self.0.lock().unwrap().push(event.clone());
    }

    fn progress(&self, _: &RunProgress) {}

    fn note(&self, _: &str) {}
}

struct Run {
    _place: tempfile::TempDir,
    folder: RunFolder,
    totals: RunTotals,
    tried: Vec<u32>,
    events: Vec<Value>,
}

impl Run {
    /// Six tasks, some of which go as they are told.
    async fn of(turns: &[(u32, &[Turn])], retries: u32) -> Self {
        let place = tempfile::tempdir().unwrap();
        let folder = RunFolder::at(place.path());
        let rows: String =
            (0..6).map(|n| format!("{{\"id\":\"t{n}\",\"prompt\":\"x\"}}\n")).collect();
        folder.write("rows.jsonl", rows.as_bytes()).unwrap();
        let dataset = Dataset::open(&folder.path("rows.jsonl"), place.path(), None).unwrap();
        let options = RunOptions { samples: 1, retries, ..RunOptions::default() };
        let limits = SegmentLimits { bytes: 1 << 20, commit: Duration::from_millis(1) };
        let writer = SegmentWriter::start(&folder.segments(), 1, "local", limits).unwrap();
        let turns = turns.iter().map(|(task, turns)| (*task, turns.iter().copied().collect()));
        let (turns, tried) = (Mutex::new(turns.collect()), Mutex::default());
        let executor = Arc::new(Puppet { turns, tried });
        let job = RunJob {
            folder: folder.clone(),
            dataset: Arc::new(dataset),
            options,
            generation: 3,
            epoch: 1,
            pending: (0..6).collect(),
            done: BTreeMap::new(),
            total: 6,
            writer: Arc::new(writer),
            executor: Arc::clone(&executor) as Arc<dyn TaskExecutor>,
            limiter: Arc::new(RateLimiter::new(RateLimits::default(), 2)),
            spend: Arc::default(),
            running: Arc::default(),
        };
        let front = Heard::default();
        let long = Duration::from_secs(60);
        let limits = RunLimits {
            slots: 2,
            disk_patience: long,
            outage_patience: long,
            ..RunLimits::default()
        };
        let totals = coordinate(&job, limits, &RunControl::default(), &front).await.unwrap();
        let tried = executor.tried.lock().unwrap().clone();
        Self { _place: place, folder, totals, tried, events: front.0.into_inner().unwrap() }
    }

    fn records(&self) -> Vec<TaskRecord> {
        let number = |id: &str| id.trim_start_matches('t').parse().ok();
        let index = RunIndex::read(&self.folder, |entry| number(&entry.id)).unwrap();
        assert_eq!(index.superseded(), 0, "one record for each");
        index.tasks().iter().map(|task| index.record(index.get(*task).unwrap()).unwrap()).collect()
    }

    fn tries(&self, task: u32) -> usize {
        self.tried.iter().filter(|tried| **tried == task).count()
    }
}

/// A worker that was told to end gave its tasks back, and nobody took them: the run ended with them pending.
#[tokio::test]
async fn a_task_that_its_worker_stopped_is_taken_by_another() {
    let run = Run::of(&[(1, &[Turn::CancelledByItself, Turn::CancelledByItself])], 0).await;
    assert_eq!(run.totals.end, RunEnd::Complete);
    assert_eq!(run.tries(1), 3);
    let records = run.records();
    assert_eq!(records.len(), 6);
    assert!(records.iter().all(|record| record.status == TaskStatus::Ok));
    assert_eq!(records[1].usage.input, 30, "what it used before counts");
    // That was none of its tries.
    let run =
        Run::of(&[(1, &[Turn::CancelledByItself, Turn::CancelledByItself, Turn::Fails])], 1).await;
    assert_eq!((run.tries(1), run.records()[1].status), (4, TaskStatus::Ok));
}

#[tokio::test]
async fn a_task_the_disk_has_no_room_for_waits_without_using_a_try() {
    let run = Run::of(&[(1, &[Turn::NoRoom, Turn::NoRoom])], 0).await;
    assert_eq!((run.totals.end.clone(), run.tries(1)), (RunEnd::Complete, 3));
    let records = run.records();
    assert_eq!((records[1].status, records[1].attempts), (TaskStatus::Ok, 1));
    assert!(run.events.iter().any(|event| event["event"] == "disk" && event["id"] == "t1"));
}

#[tokio::test]
async fn a_panic_costs_its_own_task_a_try() {
    let run = Run::of(&[(0, &[Turn::Panics])], 1).await;
    assert_eq!(run.totals.end, RunEnd::Complete);
    assert_eq!((run.tries(0), run.records()[0].status), (2, TaskStatus::Ok));
    let run = Run::of(&[(0, &[Turn::Panics])], 0).await;
    let records = run.records();
    assert_eq!((records.len(), records[0].class.as_deref()), (6, Some("internal")));
    assert!(records[0].reason.as_ref().unwrap().contains("a fault of ours"));
    assert_eq!(records[0].generation, 3);
}

#[tokio::test]
async fn a_lost_worker_costs_no_try_and_the_fifth_in_a_row_is_the_tasks_fault() {
    let run = Run::of(&[(2, &[Turn::Lost; 4]), (3, &[Turn::Lost; 9])], 0).await;
    let records = run.records();
    assert_eq!((run.tries(2), records[2].status), (5, TaskStatus::Ok));
    assert_eq!((run.tries(3), records[3].class.as_deref()), (5, Some("infra.worker_lost")));
    let lost = run.events.iter().filter(|event| event["event"] == "worker_lost").count();
    assert_eq!(lost, 9);
}

#[tokio::test]
async fn a_failure_in_between_begins_the_count_of_losses_anew() {
    let turns =
        [Turn::Lost, Turn::Lost, Turn::Lost, Turn::Fails, Turn::Lost, Turn::Lost, Turn::Lost];
    let run = Run::of(&[(2, &turns)], 1).await;
    assert_eq!((run.tries(2), run.records()[2].status), (8, TaskStatus::Ok));
}
