//! What is told while a run goes on.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::record::TaskStatus;

/// A task that is being worked on.
#[derive(Clone, Debug)]
pub struct RunningTask {
    /// Its name.
    pub id: String,
    /// Which question to the model it is at.
    pub turn: usize,
    /// Since when.
    pub since: Instant,
}

/// The tasks that are being worked on.
#[derive(Debug, Default)]
pub struct Running(Mutex<BTreeMap<u32, RunningTask>>);

impl Running {
    fn table(&self) -> MutexGuard<'_, BTreeMap<u32, RunningTask>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn begin(&self, task: u32, id: &str) {
        let begun = RunningTask { id: id.to_owned(), turn: 0, since: Instant::now() };
        self.table().insert(task, begun);
    }

    pub(super) fn turn(&self, task: u32, turn: usize) {
        if let Some(running) = self.table().get_mut(&task) {
            running.turn = turn;
        }
    }

    pub(super) fn end(&self, task: u32) {
        self.table().remove(&task);
    }

    /// All of them by their place among all tasks.
    pub(super) fn table_copy(&self) -> Vec<(u32, RunningTask)> {
        self.table().iter().map(|(number, task)| (*number, task.clone())).collect()
    }

    /// All of them, the oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<RunningTask> {
        let mut tasks: Vec<RunningTask> = self.table().values().cloned().collect();
        tasks.sort_by_key(|task| task.since);
        tasks
    }
}

/// Where a run has got to.
#[derive(Clone, Debug, Default)]
pub struct RunProgress {
    /// All tasks.
    pub total: usize,
    /// Those with a record that is safe.
    pub done: usize,
    /// Those of them that this start wrote.
    pub done_now: usize,
    /// By how they ended.
    pub by_status: BTreeMap<TaskStatus, usize>,
    /// Dollars, as far as prices are known.
    pub usd: f64,
    /// Tokens, sent and received.
    pub tokens: u64,
    /// The most that may be spent.
    pub max_usd: Option<f64>,
    /// Tasks at work.
    pub running: usize,
    /// Of these, waiting for permission to ask.
    pub waiting: usize,
    /// How long this start has taken.
    pub took: Duration,
    /// The oldest task at work.
    pub oldest: Option<RunningTask>,
    /// Class and reason of the last failure.
    pub last_failure: Option<String>,
}

impl RunProgress {
    /// Records a minute of this start.
    #[must_use]
    pub fn per_minute(&self) -> f64 {
        let minutes = self.took.as_secs_f64() / 60.0;
        if minutes > 0.0 { self.done_now as f64 / minutes } else { 0.0 }
    }

    /// How long the rest will take at this pace, once there is one.
    #[must_use]
    pub fn left(&self) -> Option<Duration> {
        let pace = self.per_minute();
        let rest = self.total.saturating_sub(self.done) as f64;
        (pace > 0.0).then(|| Duration::from_secs_f64((rest / pace * 60.0).min(1e9)))
    }

    /// The counts in a line.
    #[must_use]
    pub fn counts(&self) -> String {
        let mut parts: Vec<String> = self
            .by_status
            .iter()
            .filter(|(_, count)| **count > 0)
            .map(|(status, count)| format!("{} {count}", status.word()))
            .collect();
        parts.push(format!("{:.0}/min", self.per_minute()));
        parts.extend(self.left().map(|left| format!("ETA {}", brief(left))));
        parts.push(match self.max_usd {
            Some(most) => format!("${:.2} of ${most:.2}", self.usd),
            None => format!("${:.2}", self.usd),
        });
        parts.push(format!("{} tokens", self.tokens));
        parts.join(" · ")
    }

    /// What goes on at the moment, in a line.
    #[must_use]
    pub fn now(&self) -> String {
        let mut parts = vec![format!("running {}", self.running)];
        if self.waiting > 0 {
            parts.push(format!("waiting for rate {}", self.waiting));
        }
        if let Some(oldest) = &self.oldest {
            let since = brief(oldest.since.elapsed());
            parts.push(format!("oldest {} turn {} {since}", oldest.id, oldest.turn));
        }
        parts.extend(self.last_failure.as_ref().map(|why| format!("last failure {why}")));
        parts.join(" · ")
    }

    /// A bar of this many columns.
    #[must_use]
    pub fn bar(&self, columns: usize) -> String {
        let head = format!("{}/{} ", self.done, self.total);
        let room = columns.saturating_sub(head.chars().count()).min(60);
        let full = (room * self.done).checked_div(self.total).unwrap_or(0);
        format!("{head}{}{}", "━".repeat(full), "─".repeat(room - full))
    }

    /// For programs.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let by_status: BTreeMap<&str, usize> =
            self.by_status.iter().map(|(status, count)| (status.word(), *count)).collect();
        json!({
            "total": self.total, "done": self.done, "pending": self.total.saturating_sub(self.done),
            "by_status": by_status, "usd": self.usd, "tokens": self.tokens,
            "running": self.running, "waiting": self.waiting, "per_minute": self.per_minute(),
        })
    }
}

/// A time as people say it.
fn brief(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds % 3600 / 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} m {seconds:02} s"),
        (hours, minutes, _) => format!("{hours} h {minutes:02} m"),
    }
}

/// Who is told what happens in a run.
pub trait RunFront: Send + Sync {
    /// Something happened, as programs read it: `{"event": "task_done", …}`.
    fn event(&self, event: &Value);

    /// Where the run has got to; told several times a second.
    fn progress(&self, progress: &RunProgress);

    /// Something a person should know.
    fn note(&self, text: &str);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_says_how_far_it_is_and_how_long_it_will_take() {
        let progress = RunProgress {
            total: 200,
            done: 100,
            done_now: 50,
            by_status: BTreeMap::from([(TaskStatus::Ok, 99), (TaskStatus::Failed, 1)]),
            took: Duration::from_secs(60),
            ..RunProgress::default()
        };
        assert_eq!(
            progress.counts(),
            "ok 99 · failed 1 · 50/min · ETA 2 m 00 s · $0.00 · 0 tokens"
        );
        assert_eq!(progress.bar(28), "100/200 ━━━━━━━━━━──────────");
        assert!(progress.bar(3).starts_with("100/200"));
    }
}
