//! What is seen of a turn at work: that somebody writes, the answer as it grows, the tools.
//!
//! The answer that grows in the chat *is* its delivery: its message belongs to the row in the outbox, which the end of the turn
//! completes. Text before a tool call stays as a message of its own.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hermes_agent::{AgentEvent, FrontEnd};
use hermes_llm::model::BoxFuture;
use hermes_protocol::{Confirmed, Notification};
use hermes_sessions::{Obligation, SessionStore};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::asking::in_words;
use super::outbox::{PartState, RECOVERED, parts_of, parts_text};
use super::{Asking, Gateway, TurnOrigin, lock};
use crate::adapter::{Outgoing, SendClass, ToolProgress};
use crate::markdown::Document;

/// The first words are shown when there are so many letters.
const FIRST: usize = 24;
/// How long they are held back at most.
const HOLD: Duration = Duration::from_millis(800);
/// The longest pause between edits under flood control.
const MAX_INTERVAL: Duration = Duration::from_secs(10);
/// So many refusals in a row end the edits; the rest comes at the end.
const MAX_FLOODS: u32 = 3;
/// Stands where more is to come.
const CURSOR: &str = " ▉";
/// Letters of a call's arguments that are shown.
const PREVIEW: usize = 40;

/// Watches one turn.
pub(super) struct Presenter {
    events: mpsc::UnboundedSender<AgentEvent>,
    last: Arc<Mutex<Instant>>,
    front: Arc<dyn FrontEnd>,
    work: JoinHandle<Obligation>,
    place: TurnOrigin,
    /// As it was when the turn began.
    owed: Obligation,
    store: SessionStore,
}

struct Front {
    events: mpsc::UnboundedSender<AgentEvent>,
    last: Arc<Mutex<Instant>>,
    asking: Arc<Asking>,
    place: TurnOrigin,
    store: SessionStore,
    wait: Duration,
}

impl FrontEnd for Front {
    fn on_event(&self, event: AgentEvent) {
        *lock(&self.last) = Instant::now();
        let _ = self.events.send(event);
    }

    fn notify(&self, notification: Notification) {
        let place = self.place.clone();
        let text = match notification.text {
            Some(text) => format!("{}\n\n{text}", notification.title),
            None => notification.title,
        };
        tokio::spawn(async move {
            let _ = place.link.say(&place.target, &text, Vec::new()).await;
        });
    }

    fn clarify<'a>(
        &'a self,
        question: &'a str,
        choices: &'a [String],
    ) -> BoxFuture<'a, Option<String>> {
        Box::pin(async move {
            let place = self.place.for_questions()?;
            let asked = self.asking.clarify(&self.store, &place, question, choices, self.wait);
            let answer = asked.await;
            *lock(&self.last) = Instant::now();
            answer
        })
    }

    fn confirm<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Confirmed> {
        Box::pin(std::future::ready(Confirmed::NoAnswer))
    }
}

impl Gateway {
    /// Begins to watch a turn whose answer this will be.
    pub(super) fn present(&self, place: &TurnOrigin, answer: Obligation) -> Presenter {
        let (events, heard) = mpsc::unbounded_channel();
        let last = Arc::new(Mutex::new(Instant::now()));
        let wait = self.settings.approval_wait.duration();
        let front = Arc::new(Front {
            events: events.clone(),
            last: Arc::clone(&last),
            asking: Arc::clone(&self.asking),
            place: place.clone(),
            store: self.store.clone(),
            wait,
        });
        let display = self.display(place.link.platform);
        let (owed, store) = (answer.clone(), self.store.clone());
        let shown = Shown {
            place: place.clone(),
            store: self.store.clone(),
            answer,
            display,
            text: String::new(),
            first_at: None,
            last_edit: None,
            interval: Duration::from_secs_f64(0.8),
            floods: 0,
            shown: String::new(),
            progress: Progress::default(),
            redactor: self.host.redactor(),
            asking: Arc::clone(&self.asking),
        };
        let work = tokio::spawn(shown.watch(heard));
        Presenter { events, last, front, work, place: place.clone(), owed, store }
    }
}

impl Presenter {
    pub(super) fn front(&self) -> Arc<dyn FrontEnd> {
        Arc::clone(&self.front)
    }

    /// How long nothing has happened.
    pub(super) fn silence(&self) -> Duration {
        lock(&self.last).elapsed()
    }

    /// Says that nothing has happened for a time, and when the turn is given up.
    pub(super) fn warn(&self, silent: Duration, left: Duration) {
        let line = format!(
            "⚠ Nothing has happened for {}. I stop in {}; /stop does it now.",
            in_words(silent),
            in_words(left)
        );
        let place = self.place.clone();
        if place.link.platform.display.long_running_notes {
            tokio::spawn(async move {
                let _ = place.link.say(&place.target, &line, Vec::new()).await;
            });
        }
    }

    /// Somebody has the turn in hand although nothing is heard of it.
    pub(super) fn is_alive(&self) {
        *lock(&self.last) = Instant::now();
    }

    /// The turn is over; what of its answer is in the chat. A watcher that broke left that in its row.
    pub(super) async fn end(self) -> Obligation {
        let Self { events, front, work, owed, store, .. } = self;
        drop(front);
        drop(events);
        match work.await {
            Ok(answer) => answer,
            Err(error) => {
                tracing::error!(%error, "what is seen of a turn broke off because of a fault in Hermes");
                let id = owed.id.clone();
                let row = store.read(move |database| database.obligation(&id)).await;
                let parts = row.ok().flatten().map_or_else(|| owed.parts.clone(), |row| row.parts);
                Obligation { parts, ..owed }
            }
        }
    }
}

/// How a platform shows a turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct DisplayChoice {
    pub(super) streaming: bool,
    pub(super) interim: bool,
    pub(super) tools: ToolProgress,
    pub(super) typing: bool,
    /// After so long a note says that the turn still works.
    pub(super) note_after: Option<Duration>,
}

#[derive(Default)]
struct Progress {
    message: Option<String>,
    lines: Vec<String>,
    last_tool: String,
}

struct Shown {
    place: TurnOrigin,
    store: SessionStore,
    answer: Obligation,
    display: DisplayChoice,
    /// Of the present message of the model.
    text: String,
    first_at: Option<Instant>,
    last_edit: Option<Instant>,
    interval: Duration,
    floods: u32,
    /// What the chat shows of it.
    shown: String,
    progress: Progress,
    redactor: hermes_guard::redact::Redactor,
    asking: Arc<Asking>,
}

impl Shown {
    async fn watch(mut self, mut heard: mpsc::UnboundedReceiver<AgentEvent>) -> Obligation {
        let every = self.place.link.platform.pace.typing.mul_f64(0.8);
        let mut typing = tokio::time::interval(every);
        let mut look = tokio::time::interval(Duration::from_millis(200));
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (begun, mut noted) = (Instant::now(), None);
        let every = self.display.note_after.unwrap_or(Duration::from_secs(3_600));
        let mut note = tokio::time::interval_at(tokio::time::Instant::now() + every, every);
        loop {
            tokio::select! {
                biased;
                event = heard.recv() => match event {
                    None => {
                        self.answer.body = self.shown;
                        return self.answer;
                    }
                    Some(event) => self.hear(event).await,
                },
                _ = look.tick(), if self.display.streaming && !self.text.is_empty() => self.grow().await,
                _ = note.tick(), if self.display.note_after.is_some() => {
                    self.note_work(begun.elapsed(), &mut noted).await;
                }
                _ = typing.tick(), if self.display.typing && !self.asking.waits(&self.place.key) => {
                    let _ = self.place.link.adapter.typing(&self.place.target).await;
                }
            }
        }
    }

    /// Says that the turn still works; the same message is changed where that can be.
    async fn note_work(&self, since: Duration, noted: &mut Option<String>) {
        if self.asking.waits(&self.place.key) {
            return;
        }
        let minutes = since.as_secs() / 60;
        let doing = match self.progress.last_tool.as_str() {
            "" => String::new(),
            tool => format!(", at {tool}"),
        };
        let text = format!("⏳ Still working ({minutes} min{doing}). /stop ends it.");
        let link = &self.place.link;
        match noted.as_ref().filter(|_| link.platform.capabilities.edit) {
            Some(id) => {
                let message = Outgoing {
                    target: self.place.target.clone(),
                    content: link.adapter.render(&Document::parse(&text)),
                    ..Outgoing::default()
                };
                let _ = link.adapter.edit(id, &message).await;
            }
            None => *noted = link.say(&self.place.target, &text, Vec::new()).await.ok(),
        }
    }

    async fn hear(&mut self, event: AgentEvent) {
        match event {
            AgentEvent::Asking { .. } => self.text.clear(),
            AgentEvent::Text(more) => {
                self.text.push_str(&more);
                self.first_at.get_or_insert_with(Instant::now);
            }
            AgentEvent::Said { text } if !text.is_empty() => self.text = text,
            AgentEvent::ToolStarted { tool, args, .. } => {
                self.close_interim().await;
                self.show_tool(&tool, &args).await;
            }
            _ => {}
        }
    }

    /// Shows more of the answer, if there is enough of it and it is time.
    async fn grow(&mut self) {
        let is_due = match self.last_edit {
            Some(last) => last.elapsed() >= self.interval,
            None => {
                self.text.chars().count() >= FIRST
                    || self.first_at.is_some_and(|first| first.elapsed() >= HOLD)
            }
        };
        if !is_due
            || self.floods >= MAX_FLOODS
            || self.text == self.shown
            || could_be_silence(&self.text)
        {
            return;
        }
        let text = self.text.clone();
        self.show(&text).await;
    }

    /// What of a text may be seen, in messages that fit.
    fn visible(&self, text: &str) -> Vec<String> {
        let clean = self.redactor.redact(text, hermes_guard::redact::RedactMode::Full).into_owned();
        self.place.link.parts(&crate::media::without_directives(&clean))
    }

    /// Shows the beginning of a text that grows.
    async fn show(&mut self, text: &str) {
        let first = self.visible(text).into_iter().next().unwrap_or_default();
        // What goes into the second message is shown when it is whole.
        let first =
            first.rsplit_once("\n\n(1/").map_or(first.clone(), |(first, _)| first.to_owned());
        self.put(text, &first, CURSOR).await;
    }

    /// Puts words into the message that grows; `text` is what of the answer the chat shows with them.
    async fn put(&mut self, text: &str, first: &str, cursor: &str) {
        if first.trim().is_empty() {
            return;
        }
        let document = Document::parse(&format!("{first}{cursor}"));
        let link = Arc::clone(&self.place.link);
        let mut message = Outgoing {
            target: self.place.target.clone(),
            content: link.adapter.render(&document),
            reply_to: self.answer.reply_to.clone(),
            ..Outgoing::default()
        };
        let part = parts_of(&self.answer.parts).into_iter().next().unwrap_or_default();
        let may_be_there = part.id.is_none() && part.is_sending;
        if may_be_there && !part.is_known_to(link.platform) {
            // Nobody knows whether it is in the chat: the end of the turn says so.
            return;
        }
        self.last_edit = Some(Instant::now());
        let sent = match &part.id {
            Some(id) => link.adapter.edit(id, &message).await,
            None => {
                let sending = if may_be_there { part } else { PartState::sending(true) };
                message.key.clone_from(&sending.key);
                self.keep(&[sending]).await;
                link.paced(&message.target.chat_id).await;
                match link.adapter.send(&message).await {
                    Ok(id) => {
                        self.keep(&[PartState::arrived(id)]).await;
                        Ok(())
                    }
                    Err(error) => {
                        if error.class != SendClass::MaybeArrived && !may_be_there {
                            self.keep(&[]).await;
                        }
                        Err(error)
                    }
                }
            }
        };
        match sent {
            // If it had arrived before, the chat shows what it said then.
            Ok(()) if may_be_there => {}
            Ok(()) => {
                self.floods = 0;
                text.clone_into(&mut self.shown);
            }
            Err(error) if error.class == SendClass::RateLimited => {
                self.floods += 1;
                self.interval = (self.interval * 2).min(MAX_INTERVAL);
                if let Some(wait) = error.retry_after {
                    self.interval = self.interval.max(wait.min(MAX_INTERVAL));
                }
            }
            Err(_) => self.floods += 1,
        }
    }

    async fn keep(&mut self, parts: &[PartState]) {
        self.answer.parts = parts_text(parts);
        let answer = self.answer.clone();
        let kept = self.store.write(move |database| database.put_obligation(&answer)).await;
        if let Err(error) = kept {
            tracing::warn!(%error, "how far an answer has come is not recorded");
        }
    }

    /// What was said before a tool call stays as a message of its own.
    async fn close_interim(&mut self) {
        let text = std::mem::take(&mut self.text);
        self.first_at = None;
        if text.trim().is_empty() || !self.display.interim {
            return;
        }
        let mut parts = self.visible(&text).into_iter();
        let first = parts.next().unwrap_or_default();
        self.shown.clear();
        let mut rest = Vec::new();
        for left in (0..MAX_FLOODS).rev() {
            self.put(&text, &first, "").await;
            if self.shown == text || first.trim().is_empty() {
                break;
            }
            let unclear = parts_of(&self.answer.parts).into_iter().next();
            let unclear = unclear.filter(|part| part.is_sending);
            if unclear.is_some_and(|part| left == 0 || !part.is_known_to(self.place.link.platform))
            {
                rest.push(format!("{RECOVERED}\n\n{first}"));
                break;
            }
            if left > 0 {
                tokio::time::sleep(self.interval).await;
            }
        }
        rest.extend(parts);
        for part in rest {
            if let Err(error) = self.place.link.say(&self.place.target, &part, Vec::new()).await {
                tracing::warn!(class = error.class.name(), %error, "part of an interim text is missing");
            }
        }
        // The answer is a message of its own, whatever became of this one.
        if self.answer.parts != "[]" {
            self.keep(&[]).await;
        }
        self.shown.clear();
        self.last_edit = None;
    }

    async fn show_tool(&mut self, tool: &str, args: &serde_json::Value) {
        let is_new = self.progress.last_tool != tool;
        tool.clone_into(&mut self.progress.last_tool);
        let is_shown = match self.display.tools {
            ToolProgress::Off | ToolProgress::Log => false,
            ToolProgress::New => is_new,
            ToolProgress::All | ToolProgress::Verbose => true,
        };
        if !is_shown {
            return;
        }
        let most = if self.display.tools == ToolProgress::Verbose { PREVIEW * 5 } else { PREVIEW };
        let first = args.as_object().and_then(|args| args.values().next());
        let words =
            first.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        let words: String = words.unwrap_or_default().chars().take(most).collect();
        let words =
            self.redactor.redact(&words, hermes_guard::redact::RedactMode::Full).into_owned();
        self.progress.lines.push(format!("⚙ {tool} `{}`", words.replace('`', "'")));
        let surplus = self.progress.lines.len().saturating_sub(12);
        self.progress.lines.drain(..surplus);
        let text = self.progress.lines.join("\n");
        let link = &self.place.link;
        match &self.progress.message {
            Some(id) => {
                let content = link.adapter.render(&Document::parse(&text));
                let target = self.place.target.clone();
                let message = Outgoing { target, content, ..Outgoing::default() };
                let _ = link.adapter.edit(id, &message).await;
            }
            None => {
                if let Ok(id) = link.say(&self.place.target, &text, Vec::new()).await
                    && link.platform.capabilities.edit
                {
                    self.progress.message = Some(id);
                }
            }
        }
    }
}

/// Whether a text that grows may still become one that says nothing.
fn could_be_silence(text: &str) -> bool {
    let bare = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let bare = bare.trim();
    ["SILENT", "NO_REPLY", "NO REPLY"].iter().any(|word| word.starts_with(bare) || bare == *word)
}
