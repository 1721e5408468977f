//! What has happened, in order: a short memory with a cursor.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_tool::{Args, Effect, Effects, Tool, ToolOutput};
use serde_json::{Map, Value, json};
use tokio::sync::Notify;

use super::BRIDGE_TOOLSET;
use super::conversations::limit;

/// How many events are remembered; older ones are forgotten.
const REMEMBERED: usize = 1000;
/// How many events one look gives unless asked otherwise.
const USUAL_LIMIT: u64 = 20;
/// How long one waits unless asked otherwise, and at most.
const USUAL_WAIT_MS: u64 = 30_000;
const MAX_WAIT_MS: u64 = 300_000;

/// The events of a server.
#[derive(Debug, Default)]
pub struct EventQueue {
    log: Mutex<Log>,
    more: Notify,
}

#[derive(Debug, Default)]
struct Log {
    last: u64,
    entries: VecDeque<Value>,
}

impl EventQueue {
    fn lock(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an event of a kind, about a conversation.
    pub fn add(&self, kind: &str, session: &str, mut details: Map<String, Value>) {
        let mut log = self.lock();
        log.last += 1;
        let mut event = Map::new();
        event.insert("cursor".into(), log.last.into());
        event.insert("type".into(), kind.into());
        event.insert("session_key".into(), session.into());
        event.append(&mut details);
        if log.entries.len() == REMEMBERED {
            log.entries.pop_front();
        }
        log.entries.push_back(event.into());
        drop(log);
        self.more.notify_waiters();
    }

    /// The events after a cursor, and the cursor to go on from.
    fn after(&self, cursor: u64, session: Option<&str>, limit: usize) -> (Vec<Value>, u64) {
        let log = self.lock();
        let is_wanted = |event: &&Value| {
            event["cursor"].as_u64() > Some(cursor)
                && session.is_none_or(|session| event["session_key"] == session)
        };
        let found: Vec<Value> = log.entries.iter().filter(is_wanted).take(limit).cloned().collect();
        let next = match found.last() {
            Some(last) if found.len() == limit => last["cursor"].as_u64().unwrap_or(log.last),
            _ => log.last.max(cursor),
        };
        (found, next)
    }

    /// The next event after a cursor, as soon as there is one.
    async fn next(&self, cursor: u64, session: Option<&str>) -> Value {
        loop {
            let more = self.more.notified();
            if let Some(event) = self.after(cursor, session, 1).0.pop() {
                return event;
            }
            more.await;
        }
    }
}

fn number(args: &Args, name: &str, usual: u64) -> u64 {
    args.get(name).and_then(Value::as_u64).unwrap_or(usual)
}

fn session(args: &Args) -> Option<&str> {
    args.get("session_key").and_then(Value::as_str).filter(|key| !key.is_empty())
}

pub(super) fn tools(events: &Arc<EventQueue>) -> Vec<Tool> {
    let effects = Effects::NONE.with(Effect::Reads);
    let cursor = json!({"type": "integer", "minimum": 0, "default": 0,
        "description": "The last cursor seen; 0 for everything remembered"});
    let key = json!({"type": "string", "description": "Only events of this conversation"});
    let (here, there) = (Arc::clone(events), Arc::clone(events));
    vec![
        Tool::builder("events_poll", BRIDGE_TOOLSET)
            .description("What is new in the conversations since a cursor: messages and questions.")
            .parameters(json!({"type": "object", "properties": {
                "after_cursor": cursor, "session_key": key,
                "limit": {"type": "integer", "minimum": 1, "maximum": 200, "default": USUAL_LIMIT}}}))
            .effects(effects)
            .handler(move |args, _| {
                let after = number(&args, "after_cursor", 0);
                let (found, next) = here.after(after, session(&args), limit(&args, USUAL_LIMIT));
                ToolOutput::json(&json!({"events": found, "next_cursor": next}))
            }),
        Tool::builder("events_wait", BRIDGE_TOOLSET)
            .description("Wait for the next event after a cursor.")
            .parameters(json!({"type": "object", "properties": {
                "after_cursor": cursor, "session_key": key,
                "timeout_ms": {"type": "integer", "minimum": 0, "maximum": MAX_WAIT_MS,
                    "default": USUAL_WAIT_MS}}}))
            .effects(effects)
            .async_handler(move |args, cx| {
                let events = Arc::clone(&there);
                async move {
                    let wait = number(&args, "timeout_ms", USUAL_WAIT_MS).min(MAX_WAIT_MS);
                    let next = events.next(number(&args, "after_cursor", 0), session(&args));
                    let event = tokio::select! {
                        event = next => Some(event),
                        () = tokio::time::sleep(Duration::from_millis(wait)) => None,
                        () = cx.cancellation().cancelled() => None,
                    };
                    ToolOutput::json(&match event {
                        Some(event) => json!({"event": event}),
                        None => json!({"event": null, "reason": "timeout"}),
                    })
                }
            }),
    ]
}
