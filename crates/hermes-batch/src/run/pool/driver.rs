//! Workers on a Ray cluster, placed by a small driver in the user's Python.

use std::path::PathBuf;
use std::sync::Arc;

use hermes_process::Command;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::process::{Talk, VARIABLES, last_lines, spawn};
use super::{PoolInner, WorkerWay};
use crate::run::wire::line_of;

/// The driver. Ray can be driven from Python alone.
pub const RAY_DRIVER: &str = include_str!("ray_driver.py");

/// Where Ray is, and what each worker on it may use.
#[derive(Clone, Debug)]
pub struct DriverOptions {
    /// The interpreter; must be able to import `ray`.
    pub python: String,
    /// The address of the cluster, or `auto`.
    pub address: String,
    /// How many workers, each with one task at a time.
    pub slots: usize,
    /// Processors of each.
    pub cpus: f64,
    /// Further resources of each.
    pub resources: serde_json::Map<String, Value>,
    /// The program, which travels to the nodes.
    pub binary: PathBuf,
    /// Where the nodes have it already.
    pub remote_binary: Option<String>,
    /// What the driver writes besides.
    pub log: PathBuf,
}

/// Runs the driver until the pool closes. Without it there are no workers.
pub(super) async fn pump(inner: Arc<PoolInner>, options: DriverOptions) {
    let command = Command::new(&options.python)
        .args(["-u", "-c", RAY_DRIVER])
        .env_inherit(VARIABLES)
        .env_inherit(["RAY_ADDRESS", "VIRTUAL_ENV", "PYTHONPATH"]);
    let (child, input, output) = match spawn(command, &options.log) {
        Ok(started) => started,
        Err(why) => return inner.give_up(format!("{} cannot be started: {why}", options.python)),
    };
    let (lines, from) = mpsc::unbounded_channel();
    let config = json!({
        "address": options.address, "slots": options.slots, "cpus": options.cpus,
        "resources": options.resources, "binary": options.binary, "remote_binary": options.remote_binary,
    });
    let _ = lines.send(line_of(&config));
    let weak = lines.downgrade();
    let talk = Talk { child, input, output, lines: from, keep: Some(lines) };
    let heard = |inner: &Arc<PoolInner>, line: &[u8]| {
        let Ok(message) = serde_json::from_slice::<Value>(line) else { return };
        if let Some(error) = message["error"].as_str() {
            inner.give_up(error.to_owned());
            return;
        }
        let slot = message["slot"].as_u64().and_then(|slot| usize::try_from(slot).ok());
        let Some(slot) = slot.filter(|slot| *slot < options.slots) else { return };
        if let Some(line) = message["line"].as_str() {
            inner.heard(slot, line.as_bytes());
        } else if let Some(reason) = message["lost"].as_str() {
            inner.down(slot, &format!("worker {slot} on Ray: {reason}"));
        } else if message["up"] == true
            && let Some(lines) = weak.upgrade()
        {
            inner.up(slot, WorkerWay { lines, slot: Some(slot) });
        }
    };
    let reason = talk.on(&inner, heard, || false).await;
    for slot in 0..options.slots {
        inner.down(slot, &format!("the driver {reason}"));
    }
    if !inner.closing.is_cancelled() {
        inner.give_up(format!("the driver of Ray {reason}\n{}", last_lines(&options.log)));
    }
}
