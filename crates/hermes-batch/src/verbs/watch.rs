//! Looking at a run while it goes on, and at what became of a task on the way.

use std::io::{BufRead as _, BufReader};
use std::time::Duration;

use hermes_skills::report::VerbReport;
use serde_json::{Value, json};

use super::{BatchReport, look};
use crate::BatchError;
use crate::run::{RunControl, RunFront};
use crate::store::{RunFolder, RunIndex, RunLock};

/// How often it is looked.
const LOOK: Duration = Duration::from_secs(1);

/// Tells what changes until nobody works on the run any more, then its status.
pub(super) async fn watched(
    folder: &RunFolder,
    is_json: bool,
    front: &dyn RunFront,
    control: &RunControl,
) -> Result<BatchReport, BatchError> {
    folder.manifest()?;
    let mut last = Value::Null;
    while RunLock::is_taken(folder) && !control.drain.is_cancelled() {
        let text = std::fs::read(folder.path("status.json")).unwrap_or_default();
        let live: Value = serde_json::from_slice(&text).unwrap_or_default();
        if live["progress"] != last {
            last = live["progress"].clone();
            front.event(&json!({"event": "status", "now": live}));
            if !is_json {
                front.note(&line_of(&last));
            }
        }
        tokio::select! {
            () = tokio::time::sleep(LOOK) => {}
            () = control.drain.cancelled() => {}
        }
    }
    look::status(folder, is_json)
}

fn line_of(progress: &Value) -> String {
    let counts = progress["by_status"].as_object().into_iter().flatten();
    let counts = counts.filter(|(_, count)| **count != 0);
    let mut parts = vec![format!("{}/{}", progress["done"], progress["total"])];
    parts.extend(counts.map(|(status, count)| format!("{status} {count}")));
    parts.push(format!("running {}", progress["running"]));
    if progress["waiting"] != 0 {
        parts.push(format!("waiting for rate {}", progress["waiting"]));
    }
    parts.push(format!("{:.0}/min", progress["per_minute"].as_f64().unwrap_or(0.0)));
    parts.push(format!("${:.2}", progress["usd"].as_f64().unwrap_or(0.0)));
    parts.join(" · ")
}

/// Every record of a task, in the order of the starts, and what its failures on the way were.
pub(super) fn attempts(folder: &RunFolder, id: &str) -> Result<BatchReport, BatchError> {
    folder.manifest()?;
    let mut lines = Vec::new();
    for event in events_of(folder, id)? {
        let reason = event["reason"].as_str().unwrap_or_default();
        let reason = reason.lines().next().unwrap_or_default();
        match event["event"].as_str().unwrap_or_default() {
            "retry" => {
                let class = event["class"].as_str().unwrap_or_default();
                lines.push(format!("attempt {} failed: {class}: {reason}", event["attempt"]));
            }
            "worker_lost" => lines.push(format!("its worker was lost: {reason}")),
            _ => {}
        }
    }
    let records = RunIndex::records_of(folder, id)?;
    if records.is_empty() && lines.is_empty() {
        let place = folder.root().display();
        return Err(BatchError::usage(format!("nothing is known of a task {id:?} in {place}")));
    }
    for (record, counts) in records {
        let class = record.class.map(|class| format!(" ({class})")).unwrap_or_default();
        let stands = if counts { "" } else { " · no longer counts" };
        lines.push(format!(
            "{}{class} after {} attempts · epoch {} · generation {} · {}{stands}",
            record.status.word(),
            record.attempts,
            record.epoch,
            record.generation,
            record.timing.end,
        ));
    }
    Ok(BatchReport::done(VerbReport::text(lines.join("\n"))))
}

/// What was told about a task. The log is a convenience: a line that cannot be read is left out.
fn events_of(folder: &RunFolder, id: &str) -> Result<Vec<Value>, BatchError> {
    let path = folder.path("events.jsonl");
    let Ok(file) = std::fs::File::open(&path) else { return Ok(Vec::new()) };
    let mut events = Vec::new();
    for line in BufReader::new(file).split(b'\n') {
        let line = line.map_err(BatchError::when("read", &path))?;
        let event: Value = serde_json::from_slice(&line).unwrap_or_default();
        if event["id"] == id {
            events.push(event);
        }
    }
    Ok(events)
}
