//! Noticing what is said: the store's file is looked at in intervals, and read when it has changed.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Weak;
use std::time::{Duration, SystemTime};

use hermes_sessions::{ListFilter, SessionDatabase, SessionsError};
use serde_json::Value;
use tokio::time::{MissedTickBehavior, interval};

use super::Redact;
use super::conversations::{is_said, shown};
use super::events::EventQueue;

/// How often the file is looked at.
const INTERVAL: Duration = Duration::from_millis(200);
/// How many of the conversations with the newest activity are read when it has changed.
const LOOKED_AT: usize = 20;

/// Tells of new messages until nobody keeps the events any more.
pub(super) async fn run(store: SessionDatabase, redact: Redact, events: Weak<EventQueue>) {
    let mut known = Known::default();
    let mut seen = None;
    let mut ticks = interval(INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        if events.strong_count() == 0 {
            return;
        }
        let now = changed_at(store.path());
        if now == seen {
            continue;
        }
        let store = store.clone();
        let looked = tokio::task::spawn_blocking(move || {
            let news = known.look(&store, redact);
            (known, news)
        });
        let Ok((after, news)) = looked.await else { return };
        known = after;
        match news {
            Ok(news) => {
                seen = now;
                let Some(events) = events.upgrade() else { return };
                for (session, message) in news {
                    let Value::Object(details) = message else { continue };
                    events.add("message", &session, details);
                }
            }
            Err(why) => tracing::debug!(%why, "the sessions cannot be looked at"),
        }
    }
}

/// When the database, or what is not yet merged into it, last changed.
fn changed_at(path: &Path) -> Option<[Option<SystemTime>; 2]> {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let time = |path: &Path| std::fs::metadata(path).and_then(|data| data.modified()).ok();
    let times = [time(path), time(Path::new(&log))];
    times.iter().any(Option::is_some).then_some(times)
}

/// The last message known of each conversation.
#[derive(Default)]
struct Known {
    last: HashMap<String, i64>,
    /// Whether there was a first look: what was said before it is no news.
    has_looked: bool,
}

impl Known {
    fn look(
        &mut self,
        store: &SessionDatabase,
        redact: Redact,
    ) -> Result<Vec<(String, Value)>, SessionsError> {
        let filter = ListFilter { limit: Some(LOOKED_AT), ..ListFilter::default() };
        let mut news = Vec::new();
        for session in store.list(&filter)? {
            let messages = store.messages(&session.id)?;
            let newest = messages.last().map_or(0, |message| message.id);
            let known = self.last.insert(session.id.clone(), newest);
            let from = known.unwrap_or(if self.has_looked { 0 } else { newest });
            let new = messages.iter().filter(|message| message.id > from && is_said(message));
            news.extend(new.map(|message| (session.id.clone(), shown(message, redact))));
        }
        self.has_looked = true;
        news.sort_by_key(|(_, message)| message["id"].as_i64());
        Ok(news)
    }
}
