//! What is new in the inbox goes where it belongs.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use hermes_sessions::{InboxRow, InboxState};
use hermes_store::clock::now;

use super::{Gateway, InterruptedTurn, WaitingMessage, lock, target_of};
use crate::adapter::{Addressing, InboundEvent, InboundMessage};
use crate::key::{KeyRules, harmless, key_of, marked};
use crate::link::Link;
use crate::who::Verdict;

/// How often the inbox is looked at without news: a row that could not be read a moment ago.
const LOOK: Duration = Duration::from_secs(30);
/// What the pace of a person is counted in.
const MINUTE: Duration = Duration::from_secs(60);

impl Gateway {
    /// Deals with what comes in until the gateway ends.
    pub(crate) async fn dispatch(self: Arc<Self>) {
        loop {
            self.look().await;
            let _ = tokio::time::timeout(LOOK, self.news.notified()).await;
        }
    }

    /// Deals with everything that waits.
    pub(crate) async fn look(self: &Arc<Self>) {
        if self.draining.load(Ordering::Relaxed) {
            return;
        }
        // What was let go before this look is as the database says now. What is let go while it reads may stand in its rows as
        // it was before, and would be taken for new: that waits for the next one.
        let let_go = std::mem::take(&mut *lock(&self.let_go));
        lock(&self.held).retain(|id| !let_go.contains(id));
        let rows = match self.store.read(|database| database.gateway_open_events()).await {
            Ok(rows) => rows,
            Err(error) => {
                tracing::warn!(%error, "the inbox cannot be read");
                return;
            }
        };
        for row in rows {
            if lock(&self.held).insert(row.id) {
                self.arrive(row);
            }
        }
    }

    /// An event stands behind those of its chat; a chat that cannot be written to quickly holds up no other.
    fn arrive(self: &Arc<Self>, row: InboxRow) {
        let chat = serde_json::from_str::<InboundEvent>(&row.event_json)
            .map(|event| event.source().chat_id.clone());
        let chat = (row.platform.clone(), chat.unwrap_or_default());
        match lock(&self.arriving).entry(chat.clone()) {
            Entry::Occupied(mut line) => return line.get_mut().push_back(row),
            Entry::Vacant(line) => line.insert(VecDeque::from([row])),
        };
        let gateway = Arc::clone(self);
        tokio::spawn(async move {
            while let Some(row) = gateway.next_arrival(&chat) {
                let (id, worker) = (row.id, Arc::clone(&gateway));
                // In a task of its own: a fault there ends one event and not the chat.
                if tokio::spawn(async move { worker.take_event(row).await }).await.is_err() {
                    tracing::error!(event = id, "an event was lost because of a fault in Hermes");
                    gateway.done(&[id]).await;
                }
            }
        });
    }

    /// The next event of a chat; the line ends if there is none.
    fn next_arrival(&self, chat: &(String, String)) -> Option<InboxRow> {
        let mut arriving = lock(&self.arriving);
        let row = arriving.get_mut(chat).and_then(VecDeque::pop_front);
        if row.is_none() {
            arriving.remove(chat);
        }
        row
    }

    /// An event is dealt with and needs no answer.
    pub(super) async fn done(&self, ids: &[i64]) {
        let rows = ids.to_vec();
        let settled = self.store.write(move |database| database.gateway_settle(&rows, None)).await;
        if let Err(error) = settled {
            tracing::warn!(%error, "an event stays in the inbox");
        }
        self.release(ids);
    }

    async fn take_event(self: &Arc<Self>, row: InboxRow) {
        let id = row.id;
        if self.draining.load(Ordering::Relaxed) {
            // It stays in the inbox for the next process.
            return;
        }
        let link = self.links.get(row.platform.as_str()).cloned();
        let event = serde_json::from_str::<InboundEvent>(&row.event_json);
        let (Some(link), Ok(event)) = (link, event) else {
            // Of a platform that is off, or of another version.
            self.done(&[id]).await;
            return;
        };
        match event {
            InboundEvent::Message(message) => self.take_message(row, &link, *message).await,
            InboundEvent::Button(press) => {
                self.pressed(&link, &press).await;
                self.done(&[id]).await;
            }
            InboundEvent::Edited(message) => {
                self.replace_waiting(&message);
                self.done(&[id]).await;
            }
            InboundEvent::Reaction(reaction) => {
                self.reacted(&link, &reaction).await;
                self.done(&[id]).await;
            }
            InboundEvent::MemberJoined(_) => self.done(&[id]).await,
        }
    }

    async fn take_message(
        self: &Arc<Self>,
        row: InboxRow,
        link: &Arc<Link>,
        message: InboundMessage,
    ) {
        let id = row.id;
        let source = &message.source;
        match link.policy.judge(source, message.is_vouched, &self.pairing) {
            Verdict::Welcome => {}
            Verdict::Ignored => {
                tracing::info!(platform = link.platform.name, user = ?source.user_id, "a stranger was ignored");
                return self.done(&[id]).await;
            }
            Verdict::Offered => {
                self.offer_code(link, &message).await;
                return self.done(&[id]).await;
            }
        }
        let is_empty = message.text.trim().is_empty() && message.media.is_empty();
        if is_empty || !(message.is_news || self.is_for_us(link, &message)) {
            return self.done(&[id]).await;
        }
        if !message.is_news && !self.is_within_rate(link, &message).await {
            return self.done(&[id]).await;
        }
        let Some(key) = self.session_key(&message).await else {
            tracing::warn!(platform = link.platform.name, "an id that cannot be part of a key");
            return self.done(&[id]).await;
        };
        let interrupted = match (row.state, row.session_id, row.base_message) {
            (InboxState::Taken, Some(session), Some(base_message)) => {
                Some(InterruptedTurn { session, base_message })
            }
            _ => None,
        };
        if interrupted.is_none() {
            if let Some(age) = self.too_old(&row.received_at, &message) {
                self.list_old(link, &message, age).await;
                return self.done(&[id]).await;
            }
            let is_said = !message.is_news;
            if is_said
                && !link.platform.is_event_source
                && self.command(link, &key, &message, id).await
            {
                return;
            }
            if is_said && self.answers_question(link, &key, &message).await {
                return self.done(&[id]).await;
            }
        } else if now() - row.received_at
            > self.settings.auto_continue_freshness.duration().as_secs_f64()
        {
            let line = "I was interrupted while working on an older message and did not go on by \
                        myself. Send it again if it still matters.";
            let _ = link.say(&target_of(source), line, Vec::new()).await;
            return self.done(&[id]).await;
        }
        let waiting = WaitingMessage { row: id, message, arrived: Instant::now(), interrupted };
        if waiting.message.is_answer {
            let gateway = Arc::clone(self);
            let link = Arc::clone(link);
            // A platform that is slow holds up nobody else.
            tokio::spawn(async move { gateway.pass_on(&link, &key, &waiting).await });
            return;
        }
        self.push(link, &key, waiting).await;
    }

    /// Whether a person writes no faster than people do; who does is told so once a minute.
    async fn is_within_rate(&self, link: &Link, message: &InboundMessage) -> bool {
        let source = &message.source;
        let Some(user) = source.user_id.as_ref() else { return true };
        if link.policy.is_owner(source, &self.pairing) {
            return true;
        }
        let most = self.settings.rate_limit as usize;
        let count = {
            let mut recent = lock(&self.recent);
            recent.retain(|_, times| times.back().is_some_and(|at| at.elapsed() < MINUTE));
            let times = recent.entry(format!("{}:{user}", link.platform.name)).or_default();
            while times.front().is_some_and(|at| at.elapsed() >= MINUTE) {
                times.pop_front();
            }
            // Two beyond the limit are enough to know: the first is told, the others are not.
            if times.len() < most + 2 {
                times.push_back(Instant::now());
            }
            times.len()
        };
        if count == most + 1 {
            let line = format!("That is more than {most} messages a minute; please wait a little.");
            let _ = link.say(&target_of(source), &line, Vec::new()).await;
        }
        count <= most
    }

    async fn offer_code(&self, link: &Link, message: &InboundMessage) {
        let source = &message.source;
        let Some(user) = &source.user_id else { return };
        let name = source.user_name.as_deref().map(harmless);
        match self.pairing.offer(link.platform.name, user, name.as_deref()) {
            Ok(Some(code)) => {
                let text = format!(
                    "I do not know you yet. Your code is `{code}`, valid for one hour. Whoever runs \
                     me can let you in with:\n\n`hermes pairing approve {} {code}`",
                    link.platform.name
                );
                if let Err(error) = link.say(&target_of(source), &text, Vec::new()).await {
                    tracing::warn!(%error, "a pairing code could not be sent");
                }
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "no pairing code could be made"),
        }
    }

    /// In a group only what is meant for us counts, unless the settings say otherwise.
    fn is_for_us(&self, link: &Link, message: &InboundMessage) -> bool {
        let source = &message.source;
        let listed = |chats: &str, channels: &str| {
            let mut all = link.setup.list(&link.platform.variable(chats));
            all.extend(link.setup.list(&link.platform.variable(channels)));
            all
        };
        let limits = listed("ALLOWED_CHATS", "ALLOWED_CHANNELS");
        if source.kind.is_shared() && !limits.is_empty() && !limits.contains(&source.chat_id) {
            return false;
        }
        match message.addressing {
            Addressing::Direct => true,
            Addressing::Elsewhere => false,
            Addressing::Ambient => {
                listed("FREE_RESPONSE_CHATS", "FREE_RESPONSE_CHANNELS").contains(&source.chat_id)
                    || !link.setup.is_on(&link.platform.variable("REQUIRE_MENTION"), true)
                    || self.matches_pattern(link, &message.text)
            }
        }
    }

    fn matches_pattern(&self, link: &Link, text: &str) -> bool {
        let written = link.setup.variable(&link.platform.variable("MENTION_PATTERNS"));
        let patterns: Vec<String> =
            written.and_then(|written| serde_json::from_str(&written).ok()).unwrap_or_default();
        patterns
            .iter()
            .filter_map(|pattern| regex::Regex::new(pattern).ok())
            .any(|one| one.is_match(text))
    }

    /// The key of a chat; a chat that spells another's key gets one of its own.
    pub(super) async fn session_key(&self, message: &InboundMessage) -> Option<String> {
        let rules = KeyRules {
            group_per_user: self.settings.group_sessions_per_user,
            thread_per_user: self.settings.thread_sessions_per_user,
        };
        let (identity, key) = key_of(&message.source, rules)?;
        let known = self.route(&key).await;
        match known.and_then(|entry| entry.identity) {
            Some(other) if other != identity => Some(marked(&key, &identity)),
            _ => Some(key),
        }
    }

    fn too_old(&self, received: &f64, message: &InboundMessage) -> Option<f64> {
        let age = now() - message.sent_at.unwrap_or(*received);
        (age > self.settings.max_backlog_age as f64).then_some(age)
    }

    async fn list_old(&self, link: &Link, message: &InboundMessage, age: f64) {
        let begin: String = message.text.chars().take(80).collect();
        let hours = (age / 3_600.0).round();
        let text = format!(
            "I was out of reach when you wrote this {hours} hours ago, and did not act on it: \
             “{begin}”. Send it again if it still matters."
        );
        let _ = link.say(&target_of(&message.source), &text, Vec::new()).await;
    }
}
