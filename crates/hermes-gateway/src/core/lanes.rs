//! One turn per session at a time; what comes meanwhile interrupts, waits or steers.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::{Gateway, LaneState, RunningTurn, WaitingMessage, lock, target_of};
use crate::adapter::InboundMessage;
use crate::link::Link;
use crate::settings::BusyInput;

/// Messages that may wait in a session.
const MAX_WAITING: usize = 32;
/// A piece this long is followed by another: clients cut at about 4,096.
const SURELY_CUT: usize = 4_000;
/// One word about being busy in this time.
const ACK_EVERY: Duration = Duration::from_secs(30);

/// How long pieces of a message are waited for.
#[derive(Clone, Copy, Debug)]
struct PieceDelays {
    batch: Duration,
    /// After a piece so long that its client has surely cut it.
    split: Duration,
}

impl PieceDelays {
    fn after(&self, message: &InboundMessage) -> Duration {
        match message.text.chars().count() >= SURELY_CUT {
            true => self.split,
            false => self.batch,
        }
    }
}

/// What becomes of a message for a session that works.
enum Reception {
    Begin,
    Accepted(Option<String>),
    Refused,
}

impl Gateway {
    /// A message for a session.
    pub(super) async fn push(
        self: &Arc<Self>,
        link: &Arc<Link>,
        key: &str,
        waiting: WaitingMessage,
    ) {
        // What became of our own work never interrupts what a person wants now.
        let mode = if waiting.message.is_news { BusyInput::Queue } else { self.busy.mode };
        self.push_as(link, key, waiting, mode).await;
    }

    /// The same, with what it does to a running turn.
    pub(super) async fn push_as(
        self: &Arc<Self>,
        link: &Arc<Link>,
        key: &str,
        waiting: WaitingMessage,
        mode: BusyInput,
    ) {
        let (row, source) = (waiting.row, waiting.message.source.clone());
        let reception = self.receive(key, waiting, mode);
        match reception {
            Reception::Begin => {
                let (gateway, link, key) = (Arc::clone(self), Arc::clone(link), key.to_owned());
                tokio::spawn(async move { gateway.run_lane(&link, &key).await });
            }
            Reception::Accepted(None) => {}
            Reception::Accepted(Some(line)) => {
                let _ = link.say(&target_of(&source), &line, Vec::new()).await;
            }
            Reception::Refused => {
                let line =
                    "Too many messages wait already; I did not take this one. /stop clears them.";
                let _ = link.say(&target_of(&source), line, Vec::new()).await;
                self.done(&[row]).await;
            }
        }
    }

    fn receive(&self, key: &str, waiting: WaitingMessage, mode: BusyInput) -> Reception {
        let mut lanes = lock(&self.lanes);
        let (is_new, is_news) = (!lanes.contains_key(key), waiting.message.is_news);
        let lane = lanes.entry(key.to_owned()).or_default();
        if lane.waiting.len() >= MAX_WAITING {
            return Reception::Refused;
        }
        if is_new {
            lane.waiting.push_back(waiting);
            return Reception::Begin;
        }
        let Some(running) = &mut lane.running else {
            lane.waiting.push_back(waiting);
            return Reception::Accepted(None);
        };
        let minutes = running.since.elapsed().as_secs() / 60;
        let line = match (mode, &running.steer) {
            (BusyInput::Steer, Some(steer)) if waiting.message.media.is_empty() => {
                steer.leave(&waiting.message.text);
                running.rows.push(waiting.row);
                "I take that into account.".to_owned()
            }
            (BusyInput::Interrupt, _) => {
                running.stop.cancel();
                lane.waiting.push_back(waiting);
                format!("Interrupting what I was doing ({minutes} min) for this.")
            }
            _ => {
                lane.waiting.push_back(waiting);
                format!("Noted; I come to it after this ({} waiting).", lane.waiting.len())
            }
        };
        if is_news {
            return Reception::Accepted(None);
        }
        let is_due = lane.last_ack.is_none_or(|last| last.elapsed() > ACK_EVERY);
        if is_due {
            lane.last_ack = Some(Instant::now());
        }
        Reception::Accepted(is_due.then_some(line))
    }

    /// A message that waits was changed by its author.
    pub(super) fn replace_waiting(&self, changed: &InboundMessage) {
        let mut lanes = lock(&self.lanes);
        let waiting = lanes.values_mut().flat_map(|lane| lane.waiting.iter_mut());
        for one in waiting {
            let is_it = one.message.message_id == changed.message_id
                && one.message.source.chat_id == changed.source.chat_id
                && one.message.source.platform == changed.source.platform;
            if is_it {
                one.message.text.clone_from(&changed.text);
            }
        }
    }

    /// Works through a session's messages until none waits.
    async fn run_lane(self: Arc<Self>, link: &Arc<Link>, key: &str) {
        loop {
            self.settle(link, key).await;
            let Some(batch) = self.next_batch(link, key) else { return };
            if self.draining.load(Ordering::Relaxed) {
                // They stay in the inbox for the next process.
                lock(&self.lanes).remove(key);
                return;
            }
            let stop = CancellationToken::new();
            let rows: Vec<i64> = batch.iter().map(|one| one.row).collect();
            let target =
                batch.first().map(|one| target_of(&one.message.source)).unwrap_or_default();
            if let Some(lane) = lock(&self.lanes).get_mut(key) {
                let since = Instant::now();
                lane.running = Some(RunningTurn { stop: stop.clone(), steer: None, since, rows });
            }
            let gateway = Arc::clone(&self);
            let (of, name) = (Arc::clone(link), key.to_owned());
            let turn = tokio::spawn(async move { gateway.turn(&of, &name, batch, stop).await });
            if turn.await.is_err() {
                tracing::error!(key, "a turn broke off because of a fault in Hermes");
                let line = "I could not answer because of a fault in me. Please say it again.";
                let _ = link.say(&target, line, Vec::new()).await;
                let rows = self.turn_rows(key);
                self.done(&rows).await;
            }
            if let Some(lane) = lock(&self.lanes).get_mut(key) {
                lane.running = None;
            }
        }
    }

    /// The events of the running turn, those that steered it included.
    pub(super) fn turn_rows(&self, key: &str) -> Vec<i64> {
        let lanes = lock(&self.lanes);
        let running = lanes.get(key).and_then(|lane| lane.running.as_ref());
        running.map(|running| running.rows.clone()).unwrap_or_default()
    }

    /// Lets the running turn be steered from now on.
    pub(super) fn can_steer(&self, key: &str, steer: hermes_agent::SteerBox) {
        if let Some(running) = lock(&self.lanes).get_mut(key).and_then(|lane| lane.running.as_mut())
        {
            running.steer = Some(steer);
        }
    }

    /// How long pieces of a message are waited for on a platform.
    fn delays(&self, link: &Link) -> PieceDelays {
        let delay = |name: &str, usual: Duration| {
            let variable = format!("HERMES_{}_TEXT_{name}_DELAY_SECONDS", link.platform.prefix);
            let seconds = self.host.vars().get(&variable).and_then(|text| text.parse::<f64>().ok());
            seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).unwrap_or(usual)
        };
        PieceDelays {
            batch: delay("BATCH", link.platform.pace.batch),
            split: delay("SPLIT", link.platform.pace.split),
        }
    }

    /// Waits for pieces of a message that its client has cut, and for the other pictures of an album.
    async fn settle(&self, link: &Link, key: &str) {
        let delays = self.delays(link);
        loop {
            let wait = {
                let lanes = lock(&self.lanes);
                let Some(last) = lanes.get(key).and_then(|lane| lane.waiting.back()) else {
                    return;
                };
                if last.interrupted.is_some() {
                    return;
                }
                delays.after(&last.message).saturating_sub(last.arrived.elapsed())
            };
            if wait.is_zero() {
                return;
            }
            tokio::time::sleep(wait).await;
        }
    }

    /// The messages that are the next turn; the lane ends if there is none.
    fn next_batch(&self, link: &Link, key: &str) -> Option<Vec<WaitingMessage>> {
        let delays = self.delays(link);
        let mut lanes = lock(&self.lanes);
        let lane: &mut LaneState = lanes.get_mut(key)?;
        let Some(first) = lane.waiting.pop_front() else {
            lanes.remove(key);
            return None;
        };
        let mut batch = vec![first];
        while let (Some(last), Some(next)) = (batch.last(), lane.waiting.front()) {
            let same_person = last.message.source.user_id == next.message.source.user_id;
            let same_album =
                last.message.album.is_some() && last.message.album == next.message.album;
            // Whoever was waited for belongs to it.
            let close = next.arrived.saturating_duration_since(last.arrived)
                <= delays.after(&last.message).max(Duration::from_millis(50));
            let plain = last.interrupted.is_none() && next.interrupted.is_none();
            if !(plain && same_person && (same_album || close)) {
                break;
            }
            batch.extend(lane.waiting.pop_front());
        }
        Some(batch)
    }

    /// Ends the running turn of a session and forgets what waits; how much there was of both.
    pub(super) async fn stop_lane(&self, key: &str) -> (bool, usize) {
        let (running, waiting) = {
            let mut lanes = lock(&self.lanes);
            let Some(lane) = lanes.get_mut(key) else { return (false, 0) };
            let waiting: Vec<i64> = lane.waiting.drain(..).map(|one| one.row).collect();
            if let Some(running) = &lane.running {
                running.stop.cancel();
            }
            (lane.running.is_some(), waiting)
        };
        self.done(&waiting).await;
        (running, waiting.len())
    }

    /// Whether a turn of the session runs.
    pub(super) fn is_busy(&self, key: &str) -> bool {
        lock(&self.lanes).get(key).is_some_and(|lane| lane.running.is_some())
    }

    /// How many turns run, and how many messages wait.
    pub(crate) fn load(&self) -> (usize, usize) {
        let lanes = lock(&self.lanes);
        let running = lanes.values().filter(|lane| lane.running.is_some()).count();
        (running, lanes.values().map(|lane| lane.waiting.len()).sum())
    }

    /// Ends all running turns; their messages stay in the inbox.
    pub(crate) fn interrupt_all(&self) {
        for lane in lock(&self.lanes).values() {
            if let Some(running) = &lane.running {
                running.stop.cancel();
            }
        }
    }
}
