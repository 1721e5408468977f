//! Calls that run right now: a row each, and below it what a program wrote last.

use std::time::{Duration, Instant};

use hermes_tool::OutputTail;
use serde_json::Value;

use super::call_rows::tail_rows;
use super::fit::on_one_line;
use super::spinner::{self, Doing};
use super::style::{Ink, Style};
use super::tool_lines::{ToolLines, child_mark};

/// Tools that run side by side and are each given a row; more are counted.
const MAX_RUNNING_ROWS: usize = 5;

/// Time without the time a person took to answer a question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WorkClock {
    /// How long people were waited for so far.
    asked: Duration,
    /// Since when one is waited for.
    asking: Option<Instant>,
}

impl WorkClock {
    pub(crate) const fn new() -> Self {
        Self { asked: Duration::ZERO, asking: None }
    }

    /// A person is asked, or has answered.
    pub(crate) fn set_asking(&mut self, is_asked: bool, now: Instant) {
        match (is_asked, self.asking) {
            (true, None) => self.asking = Some(now),
            (false, Some(since)) => {
                self.asked += now.duration_since(since);
                self.asking = None;
            }
            _ => {}
        }
    }

    /// How long people were waited for up to now.
    pub(crate) fn asked(&self, now: Instant) -> Duration {
        self.asked + self.asking.map_or(Duration::ZERO, |since| now.duration_since(since))
    }
}

#[derive(Debug)]
struct RunningCall {
    child: Option<usize>,
    id: String,
    tool: String,
    args: Value,
    message: Option<String>,
    tail: OutputTail,
    since: Instant,
    /// What the clock said of people's time when it began.
    asked_before: Duration,
}

/// The calls that run.
#[derive(Debug, Default)]
pub(crate) struct RunningCalls(Vec<RunningCall>);

impl RunningCalls {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn start(
        &mut self,
        child: Option<usize>,
        (id, tool, args): (&str, &str, &Value),
        now: Instant,
        clock: &WorkClock,
    ) {
        self.0.push(RunningCall {
            child,
            id: id.to_owned(),
            tool: tool.to_owned(),
            args: args.clone(),
            message: None,
            tail: OutputTail::default(),
            since: now,
            asked_before: clock.asked(now),
        });
    }

    /// Ends a call; gives how long a person was waited for meanwhile.
    pub(crate) fn finish(
        &mut self,
        child: Option<usize>,
        id: &str,
        now: Instant,
        clock: &WorkClock,
    ) -> Duration {
        let is_it = |call: &RunningCall| call.child == child && call.id == id;
        let asked = self.0.iter().find(|call| is_it(call)).map(|call| call.asked_before);
        self.0.retain(|call| !is_it(call));
        asked.map_or(Duration::ZERO, |before| clock.asked(now).saturating_sub(before))
    }

    pub(crate) fn progress(&mut self, child: Option<usize>, id: &str, message: &str) {
        for call in self.0.iter_mut().filter(|call| call.child == child && call.id == id) {
            call.message = Some(on_one_line(message));
        }
    }

    pub(crate) fn output(&mut self, child: Option<usize>, id: &str, tail: &OutputTail) {
        for call in self.0.iter_mut().filter(|call| call.child == child && call.id == id) {
            call.tail.clone_from(tail);
        }
    }

    pub(crate) fn rows(
        &self,
        lines: &ToolLines,
        now: Instant,
        clock: &WorkClock,
        style: &Style,
    ) -> Vec<String> {
        let row = |call: &RunningCall| {
            let mark = call.child.map(child_mark).unwrap_or_default();
            let mut name = lines.running(&call.tool, &call.args, style.width);
            if let Some(message) = &call.message {
                name = format!("{name}: {message}");
            }
            let asked = clock.asked(now).saturating_sub(call.asked_before);
            let since = now.duration_since(call.since).saturating_sub(asked);
            let head = spinner::row(Doing::Named(&name), since, &style.narrower(mark.len()));
            let mut rows = vec![format!("{mark}{head}")];
            // Beside others there is no room for what each of them writes.
            if self.0.len() == 1 {
                rows.extend(tail_rows(&call.tail.lines, call.tail.total, style));
            }
            rows
        };
        let mut rows: Vec<String> = self.0.iter().take(MAX_RUNNING_ROWS).flat_map(row).collect();
        let more = self.0.len().saturating_sub(MAX_RUNNING_ROWS);
        if more > 0 {
            rows.push(style.paint(Ink::DIM, &format!("  and {more} more")));
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_persons_thinking_is_no_run_time() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let (mut clock, mut calls) = (WorkClock::new(), RunningCalls::default());
        calls.start(None, ("1", "tool", &json!({})), at(0), &clock);
        clock.set_asking(true, at(1));
        clock.set_asking(true, at(5));
        assert_eq!(clock.asked(at(11)), Duration::from_secs(10));
        clock.set_asking(false, at(31));
        calls.start(None, ("2", "tool", &json!({})), at(32), &clock);
        assert_eq!(calls.finish(None, "1", at(33), &clock), Duration::from_secs(30));
        assert_eq!(calls.finish(None, "2", at(34), &clock), Duration::ZERO);
        assert!(calls.is_empty());
    }
}
