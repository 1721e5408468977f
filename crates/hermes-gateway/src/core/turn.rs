//! One turn: an agent made from the session's rows, asked, and its answer owed to the chat.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hermes_agent::{Agent, ExitReason, TurnResult};
use hermes_cron::Destination;
use hermes_host::{AgentRequest, MemoryAccess, SessionOptions, SessionSkills};
use hermes_sessions::{Obligation, ObligationState, new_session_id};
use hermes_store::clock::now;
use hermes_tools::product::WITHHELD_FROM_GUESTS;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::asking::in_words;
use super::skills::with_skills;
use super::{Gateway, InterruptedTurn, TurnOrigin, WaitingMessage, lock, target_of};
use crate::adapter::{ChatSource, Target};
use crate::key::{ChatIdentity, harmless};
use crate::link::Link;
use crate::settings::ResetMode;

/// Longest text of a message that is answered, for the model.
const MAX_QUOTE: usize = 2_000;

/// Which session a chat talks in.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct RoutingEntry {
    pub(super) session_id: String,
    pub(super) origin: ChatSource,
    pub(super) created_at: f64,
    pub(super) updated_at: f64,
    pub(super) model_override: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) identity: Option<ChatIdentity>,
}

impl Gateway {
    pub(super) async fn route(&self, key: &str) -> Option<RoutingEntry> {
        let wanted = key.to_owned();
        let row = self.store.read(move |database| database.gateway_route(&wanted)).await.ok()??;
        serde_json::from_str(&row.entry_json).ok()
    }

    pub(super) async fn set_route(&self, key: &str, entry: &RoutingEntry) {
        let Ok(json) = serde_json::to_string(entry) else { return };
        let name = key.to_owned();
        let set = self.store.write(move |database| database.set_gateway_route(&name, &json)).await;
        if let Err(error) = set {
            tracing::warn!(%error, "the chat's session is not remembered");
        }
    }

    /// The session of a chat, begun anew if its time has come. Says so where the settings want it.
    async fn session_of(&self, link: &Link, key: &str, source: &ChatSource) -> RoutingEntry {
        let identity = crate::key::key_of(
            source,
            crate::key::KeyRules {
                group_per_user: self.settings.group_sessions_per_user,
                thread_per_user: self.settings.thread_sessions_per_user,
            },
        );
        let moment = now();
        let known = self.route(key).await.filter(|entry| !entry.session_id.is_empty());
        let mut entry = match known {
            Some(entry) if !self.is_over(entry.updated_at, moment) => entry,
            Some(old) => {
                if self.reset.notify && !link.platform.is_event_source {
                    let line = format!(
                        "A new session begins; the last one was long ago. `/resume {}` goes back to it.",
                        old.session_id
                    );
                    let _ = link.say(&target_of(source), &line, Vec::new()).await;
                }
                RoutingEntry { session_id: new_session_id(), created_at: moment, ..old }
            }
            None => RoutingEntry {
                session_id: new_session_id(),
                created_at: moment,
                ..RoutingEntry::default()
            },
        };
        entry.updated_at = moment;
        entry.origin = source.clone();
        entry.identity = identity.map(|(identity, _)| identity);
        self.set_route(key, &entry).await;
        entry
    }

    fn is_over(&self, last: f64, moment: f64) -> bool {
        let idle = moment - last > self.reset.idle_minutes as f64 * 60.0;
        let daily = {
            let now = jiff::Zoned::now();
            let hour = i8::try_from(self.reset.at_hour).unwrap_or(4);
            let today = now.with().hour(hour).minute(0).second(0).subsec_nanosecond(0).build();
            let latest = today.ok().and_then(|at| match at > now {
                true => at.checked_sub(jiff::Span::new().days(1)).ok(),
                false => Some(at),
            });
            latest.is_some_and(|at| last < at.timestamp().as_second() as f64)
        };
        match self.reset.mode {
            ResetMode::None => false,
            ResetMode::Idle => idle,
            ResetMode::Daily => daily,
            ResetMode::Both => idle || daily,
        }
    }

    /// What an agent of this chat is made with.
    pub(super) fn agent_request(
        &self,
        link: &Link,
        key: &str,
        source: &ChatSource,
        entry: &RoutingEntry,
    ) -> AgentRequest {
        let is_owner = link.policy.is_owner(source, &self.pairing);
        let text = |value: &Option<String>| value.clone().unwrap_or_default();
        let vars = [
            ("PLATFORM", link.platform.name.to_owned()),
            ("SOURCE", link.platform.name.to_owned()),
            ("CHAT_ID", source.chat_id.clone()),
            ("CHAT_NAME", source.chat_name.as_deref().map(harmless).unwrap_or_default()),
            ("THREAD_ID", text(&source.thread_id)),
            ("USER_ID", text(&source.user_id)),
            ("USER_NAME", source.user_name.as_deref().map(harmless).unwrap_or_default()),
            ("KEY", key.to_owned()),
            ("ID", entry.session_id.clone()),
            ("MESSAGE_ID", text(&source.message_id)),
        ];
        let vars = vars.into_iter().map(|(name, value)| (format!("HERMES_SESSION_{name}"), value));
        AgentRequest {
            session: entry.session_id.clone(),
            options: SessionOptions {
                platform: link.platform.name.to_owned(),
                model: entry.model_override.clone(),
                // What others said in their chats is theirs and the owner's to look for.
                withheld: match is_owner {
                    true => Vec::new(),
                    false => WITHHELD_FROM_GUESTS.iter().map(|&name| name.to_owned()).collect(),
                },
                ..SessionOptions::default()
            },
            vars: vars.collect(),
            memory: match is_owner || self.settings.share_memory {
                true => MemoryAccess::Owner,
                false => MemoryAccess::None,
            },
            audience: hermes_approval::Audience::Gateway,
            // Whoever is only told of things writes to nobody.
            more_toolsets: match link.platform.is_event_source {
                true => Vec::new(),
                false => vec!["messaging".to_owned()],
            },
        }
    }

    /// Runs one turn to its end; its answer is in the chat, or owed to it, when this returns.
    pub(super) async fn turn(
        self: Arc<Self>,
        link: &Arc<Link>,
        key: &str,
        batch: Vec<WaitingMessage>,
        stop: CancellationToken,
    ) {
        let Some(first) = batch.first() else { return };
        let source = first.message.source.clone();
        let place = self.place_of(link, key, &first.message);
        if let Some(most) = self.settings.max_concurrent_sessions
            && self.load().0 > most as usize
        {
            let line = "Too many conversations are going on at once. Please try again in a moment.";
            let _ = link.say(&place.target, line, Vec::new()).await;
            return self.done(&self.turn_rows(key)).await;
        }
        let entry = self.session_of(link, key, &source).await;
        let interrupted = batch.iter().find_map(|one| one.interrupted.clone());
        let rows: Vec<i64> = batch.iter().map(|one| one.row).collect();
        let answer = self.owed(&place, key, first).await;
        if let Some(interrupted) = &interrupted
            && let Some(said) = self.said_already(interrupted).await
        {
            return self.finish(key, answer, LastWords::Answer(said)).await;
        }
        let session = entry.session_id.clone();
        let taken = self.store.write(move |database| database.gateway_take(&rows, &session)).await;
        if let Err(error) = taken {
            tracing::warn!(%error, "a turn does not begin: it could not be recorded");
            return self.release(&self.turn_rows(key));
        }
        lock(&self.asking.turns).insert(entry.session_id.clone(), place.clone());
        self.mind(&entry.session_id, &source);
        let presenter = self.present(&place, answer);
        let made = self
            .factory
            .agent(&self.host, &self.agent_request(link, key, &source, &entry), presenter.front())
            .await;
        let mut agent = match made {
            Ok(agent) => agent,
            Err(error) => {
                lock(&self.asking.turns).remove(&entry.session_id);
                let answer = presenter.end().await;
                tracing::warn!(%error, "no agent could be made");
                let said = "I cannot answer right now: the model is not set up. `hermes doctor` on \
                            the machine I run on says more.";
                return self.finish(key, answer, LastWords::Note(said.to_owned())).await;
            }
        };
        self.can_steer(key, agent.steer());
        let skills = SessionSkills::of_agent(&agent.template());
        let asked = self.words(link, &batch, interrupted.as_ref(), &skills, &stop).await;
        let (result, is_late) = self.watched(&mut agent, asked, &stop, &presenter, key).await;
        lock(&self.asking.turns).remove(&entry.session_id);
        self.drop_questions(&entry.session_id).await;
        let session = agent.conversation().id().to_owned();
        drop(agent);
        self.mind(&session, &source);
        self.remember_peer(key, &entry, session).await;
        let answer = presenter.end().await;
        if result.exit == ExitReason::Interrupted && self.draining.load(Ordering::Relaxed) {
            // The messages stay taken: the next process goes on.
            return;
        }
        let said = match is_late {
            true => {
                let time = in_words(self.settings.turn_silence.duration());
                LastWords::Note(format!("I stopped: nothing has happened for {time}."))
            }
            false => spoken(&result),
        };
        self.finish(key, answer, said).await;
    }

    /// Where the answer to a message goes, and the questions on the way to it.
    pub(super) fn place_of(
        &self,
        link: &Arc<Link>,
        key: &str,
        message: &crate::adapter::InboundMessage,
    ) -> TurnOrigin {
        let source = message.source.clone();
        let elsewhere = message.deliver_to.as_deref().and_then(|to| self.place_named(to));
        let (link, target) = elsewhere.unwrap_or_else(|| (Arc::clone(link), target_of(&source)));
        // A program that only tells of things answers no questions: the owner does, where he is at home.
        let asking_place = match link.platform.is_event_source {
            true => self.home_of_owner(),
            false => Some((Arc::clone(&link), target.clone())),
        };
        TurnOrigin { key: key.to_owned(), source, link, target, asking_place }
    }

    /// The place a target means, if it is one of the platforms at work.
    fn place_named(&self, to: &str) -> Option<(Arc<Link>, Target)> {
        let found = self.host.deliveries().destinations(to, None);
        let found = found.inspect_err(|problem| tracing::warn!(%problem, "an answer stays here"));
        let Destination::Chat { platform, place } = found.ok()?.into_iter().next()? else {
            return None;
        };
        let link = self.links.get(platform.as_str())?;
        Some((Arc::clone(link), link.adapter.parse_target(&place).ok()?))
    }

    /// The first home chat on a platform where people are.
    fn home_of_owner(&self) -> Option<(Arc<Link>, Target)> {
        let deliveries = self.host.deliveries();
        deliveries.targets().iter().find_map(|target| {
            let link = self.links.get(target.platform())?;
            let place = target.home_chat().filter(|_| !link.platform.is_event_source)?;
            Some((Arc::clone(link), link.adapter.parse_target(&place).ok()?))
        })
    }

    /// Words that are an answer already are owed to where they go.
    pub(super) async fn pass_on(
        self: &Arc<Self>,
        link: &Arc<Link>,
        key: &str,
        waiting: &WaitingMessage,
    ) {
        let place = self.place_of(link, key, &waiting.message);
        let answer = self.owed(&place, key, waiting).await;
        let answer = Obligation {
            state: ObligationState::Pending,
            body: self.redacted(&waiting.message.text),
            reply_to: None,
            ..answer
        };
        self.owe(&[waiting.row], answer).await;
    }

    /// Asks the agent; a turn that gives no sign of life for too long is ended, which is said with its result.
    async fn watched(
        &self,
        agent: &mut Agent,
        asked: hermes_llm::MessageContent,
        stop: &CancellationToken,
        presenter: &super::present::Presenter,
        key: &str,
    ) -> (TurnResult, bool) {
        let most = self.settings.turn_silence.duration();
        let warning = self.settings.turn_warning.duration();
        let warning = Some(warning).filter(|time| !time.is_zero() && *time < most);
        let look = warning.unwrap_or(most).min(most) / 4;
        let look = look.clamp(Duration::from_millis(50), Duration::from_secs(5));
        let turn = agent.turn(asked, stop);
        let mut turn = std::pin::pin!(turn);
        let (mut is_late, mut is_warned) = (false, false);
        loop {
            tokio::select! {
                result = &mut turn => return (result, is_late),
                () = tokio::time::sleep(look) => {
                    let silence = presenter.silence();
                    // Whoever is asked may take as long as a question waits.
                    if self.asking.waits(key) {
                        presenter.is_alive();
                    } else if silence > most && !stop.is_cancelled() {
                        is_late = true;
                        stop.cancel();
                    } else if let Some(time) = warning {
                        if silence > time && !is_warned {
                            presenter.warn(time, most - time);
                        }
                        is_warned = silence > time;
                    }
                }
            }
        }
    }

    /// The answer a turn will owe; an interrupted turn's row is taken up again, with what of it is in the chat already.
    async fn owed(&self, place: &TurnOrigin, key: &str, first: &WaitingMessage) -> Obligation {
        let stable = format!("turn-{}", first.row);
        let wanted = stable.clone();
        let kept =
            self.store.read(move |database| database.obligation(&wanted)).await.ok().flatten();
        let reply_to = match place.link.setup.variable("reply_to_mode").as_deref() {
            Some("off") => None,
            _ if first.message.is_news => None,
            _ if !place.source.kind.is_shared() => None,
            _ => Some(first.message.message_id.clone()),
        };
        Obligation {
            id: stable,
            session_key: key.to_owned(),
            platform: place.link.platform.name.to_owned(),
            chat_id: place.target.chat_id.clone(),
            thread_id: place.target.thread_id.clone(),
            reply_to,
            body: String::new(),
            parts: kept.map_or_else(|| "[]".to_owned(), |kept| kept.parts),
            state: ObligationState::Streaming,
            attempts: 0,
            owner: self.owner.clone(),
            created_at: now(),
        }
    }

    /// What an interrupted turn had said to the end before its process died.
    async fn said_already(&self, turn: &InterruptedTurn) -> Option<String> {
        let session = turn.session.clone();
        let base = turn.base_message;
        let rows = self
            .store
            .read(move |database| {
                let tip = database.find_tip(&session)?;
                database.messages(&tip.id)
            })
            .await
            .ok()?;
        let last = rows.last().filter(|row| row.id > base)?;
        let is_answer = last.role == "assistant" && last.tool_calls.is_none();
        let text = last.content.as_ref().map(|content| content.text().into_owned())?;
        (is_answer && !text.trim().is_empty()).then_some(text)
    }

    /// What the model is told.
    async fn words(
        &self,
        link: &Link,
        batch: &[WaitingMessage],
        interrupted: Option<&InterruptedTurn>,
        skills: &SessionSkills,
        stop: &CancellationToken,
    ) -> hermes_llm::MessageContent {
        if let Some(turn) = interrupted {
            let session = turn.session.clone();
            let rows = self.store.read(move |database| {
                let tip = database.find_tip(&session)?;
                database.messages(&tip.id)
            });
            let rows = rows.await.unwrap_or_default();
            if rows.iter().any(|row| row.id > turn.base_message && row.role == "user") {
                return "[The gateway was restarted while you worked on my last message. Go on from \
                        where you were and answer it; what is done already is not done again.]"
                    .to_owned()
                    .into();
            }
        }
        let mut texts = Vec::new();
        let mut images = Vec::new();
        for one in batch {
            let message = &one.message;
            let mut text = String::new();
            if let Some(quoted) = message.reply_to.as_ref().filter(|quoted| !quoted.text.is_empty())
            {
                let words: String = quoted.text.chars().take(MAX_QUOTE).collect();
                let whose = if quoted.is_ours { "your message" } else { "a message" };
                text.push_str(&format!("[Answering {whose}: \"{words}\"]\n"));
            }
            if let Some(from) = &message.forwarded_from {
                text.push_str(&format!("[Forwarded from {}]\n", harmless(from)));
            }
            if message.source.kind.is_shared()
                && !message.is_news
                && let Some(name) = &message.source.user_name
            {
                text.push_str(&format!("[{}] ", harmless(name)));
            }
            text.push_str(&with_skills(link, message, skills, stop).await);
            for media in &message.media {
                let (note, image) = self.take_in(link, media).await;
                text.push('\n');
                text.push_str(&note);
                images.extend(image);
            }
            texts.push(text.trim().to_owned());
        }
        let input = hermes_protocol::UserInput {
            text: texts.join("\n"),
            images,
            ..hermes_protocol::UserInput::default()
        };
        let text = input.text.clone();
        hermes_host::content(input).unwrap_or_else(|_| text.into())
    }

    /// Whose session it is stands in its row; a session that went on in another is followed.
    async fn remember_peer(&self, key: &str, entry: &RoutingEntry, session: String) {
        let origin = serde_json::to_value(&entry.origin).unwrap_or_default();
        let (id, name) = (session.clone(), key.to_owned());
        let set =
            self.store.write(move |database| database.set_gateway_peer(&id, &name, &origin)).await;
        if let Err(error) = set {
            tracing::debug!(%error, "whose session it is");
        }
        if session != entry.session_id
            && let Some(mut current) = self.route(key).await
            && current.session_id == entry.session_id
        {
            current.session_id = session;
            self.set_route(key, &current).await;
        }
    }

    /// The turn is over: its messages are done, its answer is owed, and is sent.
    async fn finish(&self, key: &str, mut answer: Obligation, said: LastWords) {
        // Without an answer what the chat has seen stays, without the sign that more is to come.
        let shown = std::mem::take(&mut answer.body);
        let said = match said {
            LastWords::Answer(said) => said,
            LastWords::Note(said) if shown.is_empty() => said,
            LastWords::Note(said) => format!("{shown}\n\n{said}"),
            LastWords::Interrupted if shown.is_empty() => String::new(),
            LastWords::Interrupted => format!("{shown}\n\n(interrupted)"),
        };
        answer.state = ObligationState::Pending;
        answer.body = self.redacted(&said);
        let rows = self.turn_rows(key);
        if is_silence(&answer.body) && answer.parts == "[]" {
            return self.done(&rows).await;
        }
        self.owe(&rows, answer).await;
    }

    /// Events are done and an answer is owed for them, both or neither; then it is sent.
    async fn owe(&self, rows: &[i64], answer: Obligation) {
        for pause in [0, 1, 4] {
            tokio::time::sleep(Duration::from_secs(pause)).await;
            let (ids, owed) = (rows.to_vec(), answer.clone());
            let settled = self.store.write(move |base| base.gateway_settle(&ids, Some(&owed)));
            match settled.await {
                Ok(()) => {
                    self.release(rows);
                    return self.deliver(answer).await;
                }
                Err(error) => tracing::error!(%error, "an answer could not be recorded"),
            }
        }
        // What the turn said stands in the session: whoever takes its message up again finds it there.
        self.release(rows);
    }

    /// Events that nobody here has in hand any more; those that are not done are taken up again.
    pub(super) fn release(&self, rows: &[i64]) {
        lock(&self.let_go).extend(rows);
    }

    pub(super) fn redacted(&self, text: &str) -> String {
        use hermes_guard::redact::RedactMode;
        self.host.redactor().redact(text, RedactMode::Full).into_owned()
    }
}

/// What a turn says at its end.
enum LastWords {
    /// Its answer, all of it.
    Answer(String),
    /// It has none; this belongs below what was seen of one.
    Note(String),
    /// Somebody stopped it, who knows.
    Interrupted,
}

/// What a turn says in the chat.
fn spoken(result: &TurnResult) -> LastWords {
    match result.exit {
        ExitReason::Interrupted => LastWords::Interrupted,
        exit if exit.is_failure() => {
            let advice = result.advice.clone().unwrap_or_default();
            let said = format!("I could not answer ({}). {advice}", exit.name());
            LastWords::Note(said.trim().to_owned())
        }
        _ => LastWords::Answer(result.final_response.clone()),
    }
}

/// Whether a text says that nothing is to be said.
pub(crate) fn is_silence(text: &str) -> bool {
    let bare = text
        .trim()
        .trim_matches(|c: char| c.is_ascii_punctuation() || c == '…' || c.is_whitespace());
    let bare = bare.trim_matches('🔇').trim();
    text.chars().count() <= 64
        && (bare.is_empty() || ["SILENT", "NO_REPLY", "NO REPLY", "silent"].contains(&bare))
}

#[cfg(test)]
mod tests {
    use super::is_silence;

    #[test]
    fn silence_is_told_from_words() {
        for silent in ["", " . ", "…", "[SILENT]", "*(silent)*", "NO_REPLY", "🔇", "NO REPLY."]
        {
            assert!(is_silence(silent), "{silent}");
        }
        for words in ["Silent night", "ok", "no", "7", "👍", "NO_REPLY needed here"] {
            assert!(!is_silence(words), "{words}");
        }
    }
}
