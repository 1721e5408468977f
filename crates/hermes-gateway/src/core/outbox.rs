//! The one thing that sends answers.
//!
//! A row says which parts of an answer are in the chat. A part that was being sent when its process died, or whose answer was
//! lost on the way, may be there or not: it is sent again with a visible mark, unless the platform recognises a repeated key.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hermes_sessions::{Obligation, ObligationState};
use hermes_store::clock::now;
use serde::{Deserialize, Serialize};

use super::{Gateway, lock};
use crate::adapter::{Outgoing, Platform, SendClass, SendError, Target};
use crate::link::{Link, MAX_WAIT};
use crate::markdown::Document;
use crate::media::DeliveryRules;

/// Tries of one part before it is left for later.
const TRIES: u32 = 3;
/// So often a platform may say that we are too fast.
const FLOODS: u32 = 20;
/// Answers older than this are of no use.
const MAX_AGE: f64 = 24.0 * 3_600.0;
/// Before a part that may be in the chat already.
pub(super) const RECOVERED: &str = "(recovered)";
/// More parts than this become one part and a file.
const MAX_PARTS: usize = 8;
/// Rounds of tries for an answer that does not fail of a network.
const MAX_ATTEMPTS: i64 = 3;
/// How often what was left is looked at.
const LOOK: Duration = Duration::from_secs(15);

/// Says that somebody sends this; ends with whoever holds it, a panic included.
struct SendClaim<'a> {
    of: &'a Mutex<HashSet<String>>,
    what: String,
}

impl<'a> SendClaim<'a> {
    fn take(of: &'a Mutex<HashSet<String>>, what: String) -> Option<Self> {
        // Made only once it is ours: the end of a second one would let go of what the first holds.
        let is_free = lock(of).insert(what.clone());
        is_free.then(|| Self { of, what })
    }
}

impl Drop for SendClaim<'_> {
    fn drop(&mut self) {
        lock(self.of).remove(&self.what);
    }
}

/// What is known of one part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct PartState {
    /// The platform's id of its message.
    pub(super) id: Option<String>,
    /// It was sent, and nothing came back yet.
    pub(super) is_sending: bool,
    /// It says what it is to say.
    pub(super) is_final: bool,
    /// What is or was sent is only the beginning of it, or was said on the way to it.
    pub(super) is_draft: bool,
    /// By which a platform knows it again when it is sent twice. Each message has one of its own, for as long as it is not
    /// known whether it arrived: a platform shows nothing of a second message with the key of the first.
    pub(super) key: String,
    /// When it was sent under this key for the first time.
    since: f64,
}

impl PartState {
    /// About to be sent, under a key of its own.
    pub(super) fn sending(is_draft: bool) -> Self {
        let key = super::token(24);
        Self { key, since: now(), is_sending: true, is_draft, ..Self::default() }
    }

    /// Whether a platform shows it once although it is sent again.
    pub(super) fn is_known_to(&self, platform: &Platform) -> bool {
        let most = platform.capabilities.idempotent_for.as_secs_f64();
        !self.key.is_empty() && (0.0..most).contains(&(now() - self.since))
    }

    /// In the chat, under this id of the platform.
    pub(super) fn arrived(id: String) -> Self {
        Self { id: Some(id), ..Self::default() }
    }
}

pub(super) fn parts_of(text: &str) -> Vec<PartState> {
    serde_json::from_str(text).unwrap_or_default()
}

pub(super) fn parts_text(parts: &[PartState]) -> String {
    serde_json::to_string(parts).unwrap_or_else(|_| "[]".to_owned())
}

impl Gateway {
    /// Sends what an earlier process owed on a platform.
    pub(crate) async fn recover_outbox(self: &Arc<Self>, platform: &str) {
        let mut owed = self.owed_by_chat().await;
        owed.retain(|(name, _), _| name == platform);
        for answers in owed.into_values() {
            self.send_in_order(answers);
        }
    }

    /// Answers that wait, by platform and chat; oldest first.
    async fn owed_by_chat(&self) -> BTreeMap<(String, String), Vec<Obligation>> {
        let open = self.store.read(|database| database.open_obligations()).await;
        let open = open.inspect_err(|error| tracing::warn!(%error, "the outbox cannot be read"));
        let mut by_chat: BTreeMap<_, Vec<Obligation>> = BTreeMap::new();
        for answer in open.unwrap_or_default() {
            let chat = (answer.platform.clone(), answer.chat_id.clone());
            by_chat.entry(chat).or_default().push(answer);
        }
        by_chat
    }

    /// Sends the answers of one chat, one after the other; a chat that is slow holds up no other.
    fn send_in_order(self: &Arc<Self>, answers: Vec<Obligation>) {
        let Some(first) = answers.first() else { return };
        let chat = format!("{}\n{}", first.platform, first.chat_id);
        let gateway = Arc::clone(self);
        tokio::spawn(async move {
            let Some(_claim) = SendClaim::take(&gateway.sending, chat) else { return };
            for answer in answers {
                gateway.deliver(answer).await;
            }
        });
    }

    /// Tries again what could not be sent, later and later, until it is of no use any more.
    pub(crate) async fn keep_sending(self: Arc<Self>) {
        let mut pauses: HashMap<String, (u32, Instant)> = HashMap::new();
        loop {
            tokio::time::sleep(LOOK).await;
            let owed = self.owed_by_chat().await;
            let open: HashSet<&str> =
                owed.values().flatten().map(|answer| answer.id.as_str()).collect();
            pauses.retain(|id, _| open.contains(id.as_str()));
            for answers in owed.into_values() {
                let is_due = |answer: &Obligation| {
                    pauses.get(&answer.id).is_none_or(|(_, next)| *next <= Instant::now())
                };
                // Those behind one that waits wait as well: a chat reads in order.
                let due: Vec<Obligation> = answers.into_iter().take_while(is_due).collect();
                for answer in &due {
                    let pause = pauses.entry(answer.id.clone()).or_insert((0, Instant::now()));
                    *pause = (pause.0 + 1, Instant::now() + LOOK * (1 << pause.0.min(5)));
                }
                self.send_in_order(due);
            }
            let _ = self.store.write(|database| database.gateway_forget(now() - MAX_AGE)).await;
        }
    }

    /// Sends an answer, as far as it is not in the chat yet. Whoever comes second leaves it to the first.
    pub(super) async fn deliver(&self, answer: Obligation) {
        let Some(_claim) = SendClaim::take(&self.sending, answer.id.clone()) else { return };
        // Between the moment it was read and the claim another sender may have been at it.
        let id = answer.id.clone();
        let mut answer = match self.store.read(move |database| database.obligation(&id)).await {
            Ok(Some(row)) if row.state != ObligationState::Pending => return,
            Ok(Some(row)) => row,
            Ok(None) => answer,
            Err(error) => {
                tracing::warn!(%error, "an answer is sent later: its row cannot be read");
                return;
            }
        };
        let Some(link) = self.links.get(answer.platform.as_str()).cloned() else { return };
        if now() - answer.created_at > MAX_AGE {
            answer.state = ObligationState::Abandoned;
            return self.keep(&answer).await;
        }
        let (text, files) = crate::media::attachments(&answer.body);
        let text = text.trim().to_owned();
        let mut texts = if text.is_empty() { Vec::new() } else { link.parts(&text) };
        let mut long = None;
        if texts.len() > MAX_PARTS && link.platform.capabilities.files {
            texts.truncate(1);
            long = Some(crate::media::whole_answer(&text));
        }
        let mut parts = parts_of(&answer.parts);
        for (at, text) in texts.iter().enumerate() {
            if parts.len() <= at {
                parts.push(PartState::default());
            }
            if parts.get(at).is_some_and(|part| part.is_final) {
                continue;
            }
            if let Err(error) = self.deliver_part(&link, &mut answer, &mut parts, at, text).await {
                tracing::warn!(platform = link.platform.name, class = error.class.name(), %error, "an answer was not sent");
                answer.attempts += 1;
                let is_dead = matches!(error.class, SendClass::Forbidden | SendClass::NotFound);
                // What was only not reached passes; what is refused again and again, or may be in the chat, does not.
                let passes = matches!(error.class, SendClass::Transient | SendClass::RateLimited);
                if is_dead {
                    self.mark_dead(&link, &answer.chat_id, &error).await;
                }
                if is_dead || (!passes && answer.attempts >= MAX_ATTEMPTS) {
                    answer.state = ObligationState::Failed;
                }
                return self.keep(&answer).await;
            }
        }
        let target =
            Target { chat_id: answer.chat_id.clone(), thread_id: answer.thread_id.clone() };
        let rules = DeliveryRules::of(&self.host);
        for problem in link.send_files(&rules, &target, &files, long).await {
            let _ = link.say(&target, &problem, Vec::new()).await;
        }
        answer.state = ObligationState::Delivered;
        self.keep(&answer).await;
    }

    async fn keep(&self, answer: &Obligation) {
        let row = answer.clone();
        if let Err(error) = self.store.write(move |database| database.put_obligation(&row)).await {
            tracing::warn!(%error, "how far an answer has come is not recorded");
        }
    }

    async fn keep_part(
        &self,
        answer: &mut Obligation,
        parts: &mut [PartState],
        at: usize,
        part: PartState,
    ) {
        if let Some(place) = parts.get_mut(at) {
            *place = part;
        }
        answer.parts = parts_text(parts);
        self.keep(answer).await;
    }

    async fn deliver_part(
        &self,
        link: &Link,
        answer: &mut Obligation,
        parts: &mut [PartState],
        at: usize,
        text: &str,
    ) -> Result<(), SendError> {
        let capabilities = link.platform.capabilities;
        let (mut tries, mut floods, mut is_plain) = (0, 0, false);
        loop {
            let part = parts.get(at).cloned().unwrap_or_default();
            let may_be_there = part.id.is_none() && part.is_sending;
            let is_known = may_be_there && part.is_known_to(link.platform);
            // What cannot be changed was never the beginning of this, only something on the way to it.
            let is_other = part.is_draft && !capabilities.edit;
            let sending = match is_known && !is_other {
                true => part.clone(),
                false => PartState::sending(false),
            };
            let words = match may_be_there && !is_known {
                true => format!("{RECOVERED}\n\n{text}"),
                false => text.to_owned(),
            };
            let document =
                if is_plain { Document::literal(&words) } else { Document::parse(&words) };
            let message = Outgoing {
                target: Target {
                    chat_id: answer.chat_id.clone(),
                    thread_id: answer.thread_id.clone(),
                },
                content: link.adapter.render(&document),
                reply_to: answer.reply_to.clone().filter(|_| at == 0),
                key: sending.key.clone(),
                ..Outgoing::default()
            };
            let is_draft = sending.is_draft;
            let sent = match part.id.as_ref().filter(|_| capabilities.edit) {
                Some(id) => link.adapter.edit(id, &message).await.map(|()| id.clone()),
                None => {
                    self.keep_part(answer, parts, at, sending).await;
                    link.paced(&answer.chat_id).await;
                    link.adapter.send(&message).await
                }
            };
            let error = match sent {
                // If it had arrived before, the chat shows what it said then.
                Ok(id) if is_draft => {
                    self.keep_part(answer, parts, at, PartState::arrived(id)).await;
                    continue;
                }
                Ok(id) => {
                    let done = PartState { is_final: true, ..PartState::arrived(id) };
                    self.keep_part(answer, parts, at, done).await;
                    return Ok(());
                }
                Err(error) => error,
            };
            if let Some(chat) = &error.moved_to {
                answer.chat_id.clone_from(chat);
                self.keep_part(answer, parts, at, PartState::default()).await;
                tries += 1;
                if tries < TRIES {
                    continue;
                }
            }
            // What was refused is not in the chat.
            if part.id.is_none() && error.class != SendClass::MaybeArrived && !may_be_there {
                self.keep_part(answer, parts, at, PartState::default()).await;
            }
            match error.class {
                SendClass::RateLimited if floods < FLOODS => {
                    floods += 1;
                    let wait = error.retry_after.unwrap_or(Duration::from_secs(2));
                    tokio::time::sleep(wait.min(MAX_WAIT)).await;
                }
                SendClass::Transient | SendClass::MaybeArrived if tries < TRIES => {
                    tries += 1;
                    let wait = error.retry_after.unwrap_or(Duration::from_secs(1 << tries));
                    tokio::time::sleep(wait.min(MAX_WAIT)).await;
                }
                SendClass::BadFormat if !is_plain => is_plain = true,
                SendClass::NoThread if answer.thread_id.is_some() => answer.thread_id = None,
                // The message that was written to is gone: a new one.
                SendClass::NotFound | SendClass::Unknown if part.id.is_some() && tries < TRIES => {
                    tries += 1;
                    self.keep_part(answer, parts, at, PartState::default()).await;
                }
                _ => return Err(error),
            }
        }
    }

    /// A chat that cannot be written to is remembered, so that people find out why.
    async fn mark_dead(&self, link: &Link, chat: &str, error: &SendError) {
        let marks = vec![(format!("dead:{chat}"), format!("{} {}", now(), error.what))];
        let platform = link.platform.name.to_owned();
        let _ =
            self.store.write(move |database| database.gateway_accept(&platform, &[], &marks)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whoever came second let go of what the first held, and waited for itself while it did: the whole gateway stood still.
    #[test]
    fn whoever_comes_second_takes_nothing_away() {
        let held = Mutex::default();
        let first = SendClaim::take(&held, "turn-1".to_owned());
        assert!(first.is_some());
        for _ in 0..2 {
            assert!(SendClaim::take(&held, "turn-1".to_owned()).is_none());
        }
        assert!(SendClaim::take(&held, "turn-2".to_owned()).is_some());
        drop(first);
        assert!(SendClaim::take(&held, "turn-1".to_owned()).is_some());
        assert!(lock(&held).is_empty());
    }
}
