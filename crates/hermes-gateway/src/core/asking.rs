//! Questions to people in chats: approval prompts, and whatever else a turn wants to know.
//!
//! Each has an id that its buttons carry, so a press answers the question it stands under and no other. Only the person
//! whose turn asked, the owner, and people named for it may decide. What is decided is decided once.

use std::sync::Arc;
use std::time::Duration;

use hermes_approval::{
    ApprovalAnswer, ApprovalPrompter, ApprovalQuestion, AskPatience, GrantScope,
};
use hermes_protocol::approval::ApprovalPrompt;
use hermes_sessions::SessionStore;
use hermes_tool::BoxFuture;
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::RecvError;
use tokio::time::error::Elapsed;

use super::{Asking, Gateway, PersonAnswer, QuestionKind, TurnOrigin, WaitingAnswer, lock, token};
use crate::adapter::{
    Button, ButtonPress, ButtonStyle, ChatSource, InboundMessage, Outgoing, ReactionEvent,
};
use crate::link::Link;
use crate::markdown::Document;

/// Length of an id; people see its beginning.
const ID: usize = 12;
/// Letters of it that people type.
const SHORT: usize = 3;

/// Asks in the chat whose turn wants to know.
pub(crate) struct GatewayAsker {
    pub(crate) asking: Arc<Asking>,
    pub(crate) store: SessionStore,
    pub(crate) wait: Duration,
}

impl ApprovalPrompter for GatewayAsker {
    fn ask(&self, question: ApprovalQuestion) -> BoxFuture<ApprovalAnswer> {
        let (asking, store, wait) = (Arc::clone(&self.asking), self.store.clone(), self.wait);
        Box::pin(async move {
            let place = {
                let turns = lock(&asking.turns);
                let own =
                    turns.get(&question.session).or_else(|| turns.get(&question.call.session_id));
                // A subagent asks where its only possible turn is.
                own.or_else(|| turns.values().next().filter(|_| turns.len() == 1)).cloned()
            };
            let Some(place) = place.and_then(|place| place.for_questions()) else {
                return ApprovalAnswer::NobodyThere;
            };
            let prompt = ApprovalPrompt::about_command(&question);
            let statement = statement_of(&prompt);
            let kind = QuestionKind::Command { widest: question.widest, statement };
            let session = question.session.clone();
            let asked = asking.ask(&store, &place, kind, &session);
            let (id, answer) = match asked.await {
                Ok(asked) => asked,
                Err(why) => return ApprovalAnswer::Failed(why),
            };
            let answer = tokio::select! {
                answer = asking.heard(&place, &id, wait, answer) => answer,
                () = question.cancellation.cancelled() => {
                    asking.settle_silently(&store, &id, "no longer wanted").await;
                    return ApprovalAnswer::no();
                }
            };
            match answer {
                Ok(Ok(PersonAnswer::Decision(answer))) => answer,
                Ok(_) => ApprovalAnswer::no(),
                Err(_) => {
                    asking.settle_silently(&store, &id, "⌛ nobody answered in time").await;
                    ApprovalAnswer::TimedOut
                }
            }
        })
    }

    fn patience(&self) -> AskPatience {
        // The wait of a chat is its own, and longer than a terminal's.
        AskPatience::UntilAnswered
    }
}

fn statement_of(prompt: &ApprovalPrompt) -> String {
    let fence = "`".repeat(3 + prompt.subject.matches("```").count().min(8));
    let mut text = format!("**{}**\n\n{fence}\n{}\n{fence}\n", prompt.headline, prompt.subject);
    for (name, why) in &prompt.reasons {
        text.push_str(&format!("\n- {name}: {why}"));
    }
    text
}

impl Asking {
    /// Whether a question of this chat waits.
    pub(super) fn waits(&self, key: &str) -> bool {
        lock(&self.waiting).iter().any(|one| one.place.key == key)
    }

    /// Puts a question into the chat; its id, and where its answer comes.
    async fn ask(
        &self,
        store: &SessionStore,
        place: &TurnOrigin,
        kind: QuestionKind,
        session: &str,
    ) -> Result<(String, oneshot::Receiver<PersonAnswer>), String> {
        let id = token(ID);
        let (sender, receiver) = oneshot::channel();
        lock(&self.waiting).push(WaitingAnswer {
            id: id.clone(),
            place: place.clone(),
            message_id: String::new(),
            kind: kind.clone(),
            answer: Some(sender),
        });
        let (text, buttons) = shown(&id, &kind);
        let has_buttons = place.link.platform.capabilities.buttons;
        let hint = match (&kind, has_buttons) {
            (QuestionKind::Command { .. }, false) => {
                let reactions = match place.link.platform.capabilities.reactions {
                    true => ", or react with ✅ or ❎",
                    false => "",
                };
                format!("\n\nAnswer with `/approve {0}` or `/deny {0}`{reactions}.", short(&id))
            }
            (QuestionKind::Command { .. }, true) => format!("\n\n#{}", short(&id)),
            // Here somebody talks about other things as well.
            (QuestionKind::Clarify { .. }, _)
                if place.source.platform != place.link.platform.name =>
            {
                format!("\n\n#{}: answer this message to tell me.", short(&id))
            }
            (QuestionKind::Clarify { .. }, _) => format!("\n\n#{}", short(&id)),
        };
        let buttons = if has_buttons { buttons } else { Vec::new() };
        match place.link.say(&place.target, &format!("{text}{hint}"), buttons).await {
            Ok(message) => {
                self.note_message(&id, &message);
                let (id, session) = (id.clone(), session.to_owned());
                let place = place.clone();
                let kept = store.write(move |database| {
                    let at = (
                        place.link.platform.name,
                        place.target.chat_id.as_str(),
                        place.target.thread_id.as_deref(),
                        message.as_str(),
                    );
                    database.put_gateway_approval(&id, &session, at)
                });
                if let Err(error) = kept.await {
                    tracing::debug!(%error, "a question is not recorded");
                }
            }
            Err(error) => {
                lock(&self.waiting).retain(|one| one.id != id);
                return Err(format!("the chat could not be asked: {}", error.class.name()));
            }
        }
        Ok((id, receiver))
    }

    fn note_message(&self, id: &str, message: &str) {
        let mut waiting = lock(&self.waiting);
        if let Some(one) = waiting.iter_mut().find(|one| one.id == id) {
            message.clone_into(&mut one.message_id);
        }
    }

    /// Asks something else than about a command.
    pub(super) async fn clarify(
        &self,
        store: &SessionStore,
        place: &TurnOrigin,
        question: &str,
        choices: &[String],
        wait: Duration,
    ) -> Option<String> {
        let kind =
            QuestionKind::Clarify { choices: choices.to_vec(), question: question.to_owned() };
        let (id, answer) = self.ask(store, place, kind, "").await.ok()?;
        match self.heard(place, &id, wait, answer).await {
            Ok(Ok(PersonAnswer::Words(words))) => Some(words),
            Ok(_) => None,
            Err(_) => {
                self.settle_silently(store, &id, "⌛ nobody answered in time").await;
                None
            }
        }
    }

    /// Waits for an answer. When half of the time is over the chat is reminded, once.
    async fn heard(
        &self,
        place: &TurnOrigin,
        id: &str,
        wait: Duration,
        mut answer: oneshot::Receiver<PersonAnswer>,
    ) -> Result<Result<PersonAnswer, RecvError>, Elapsed> {
        let half = wait / 2;
        if let Ok(heard) = tokio::time::timeout(half, &mut answer).await {
            return Ok(heard);
        }
        let line =
            format!("⏰ My question #{} still waits; {} are left.", short(id), in_words(half));
        let (link, target) = (Arc::clone(&place.link), place.target.clone());
        tokio::spawn(async move {
            let _ = link.say(&target, &line, Vec::new()).await;
        });
        tokio::time::timeout(wait - half, answer).await
    }

    /// A question that nobody answered, or nobody wants answered any more.
    async fn settle_silently(&self, store: &SessionStore, id: &str, why: &str) {
        let settled = {
            let mut waiting = lock(&self.waiting);
            let place = waiting.iter().position(|one| one.id == id);
            place.map(|place| waiting.remove(place))
        };
        if let Some(one) = settled {
            close(&one, why).await;
            record(store, id, "expired").await;
        }
    }
}

/// A time as people say it.
pub(super) fn in_words(time: Duration) -> String {
    hermes_cron::schedule::in_words(jiff::SignedDuration::try_from(time).unwrap_or_default())
}

fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}

async fn record(store: &SessionStore, id: &str, state: &'static str) {
    let id = id.to_owned();
    let settled = store.write(move |database| database.settle_gateway_approval(&id, state)).await;
    if let Err(error) = settled {
        tracing::debug!(%error, "a settled question is not recorded");
    }
}

/// A question in words, and its buttons.
fn shown(id: &str, kind: &QuestionKind) -> (String, Vec<Vec<Button>>) {
    let button = |label: &str, choice: &str, style: ButtonStyle| Button {
        label: label.to_owned(),
        data: format!("ap:{id}:{choice}"),
        style,
    };
    match kind {
        QuestionKind::Command { widest, statement } => {
            let mut first = vec![button("Allow once", "once", ButtonStyle::Primary)];
            let mut second = Vec::new();
            if *widest != GrantScope::Once {
                first.push(button("For this session", "session", ButtonStyle::Plain));
            }
            if *widest == GrantScope::Always {
                second.push(button("Always", "always", ButtonStyle::Plain));
            }
            second.push(button("Deny", "deny", ButtonStyle::Danger));
            (statement.clone(), vec![first, second])
        }
        QuestionKind::Clarify { choices, question } => {
            let rows = choices.iter().enumerate().map(|(at, choice)| {
                let label: String = choice.chars().take(60).collect();
                vec![button(&label, &at.to_string(), ButtonStyle::Plain)]
            });
            let numbered: Vec<String> =
                choices.iter().enumerate().map(|(at, one)| format!("{}. {one}", at + 1)).collect();
            let list = if numbered.is_empty() {
                String::new()
            } else {
                format!("\n\n{}", numbered.join("\n"))
            };
            (format!("{question}{list}"), rows.collect())
        }
    }
}

/// The question stays in the chat with what became of it, and without its buttons.
async fn close(one: &WaitingAnswer, what: &str) {
    let link = &one.place.link;
    if one.message_id.is_empty() || !link.platform.capabilities.edit {
        return;
    }
    let text = format!("{}\n\n{what}", shown(&one.id, &one.kind).0);
    let part = link.parts(&text).into_iter().next_back().unwrap_or_default();
    let message = Outgoing {
        target: one.place.target.clone(),
        content: link.adapter.render(&Document::parse(&part)),
        ..Outgoing::default()
    };
    if let Err(error) = link.adapter.edit(&one.message_id, &message).await {
        tracing::debug!(%error, "a settled question keeps its buttons");
    }
}

impl Gateway {
    /// Whether somebody may decide about a question.
    fn may_decide(&self, link: &Link, asker: &ChatSource, who: &ChatSource) -> bool {
        // Ids of two platforms may be spelt alike.
        let is_asker = asker.platform == who.platform
            && asker.user_id.is_some()
            && asker.user_id == who.user_id;
        let named = who.user_id.as_ref().is_some_and(|user| {
            let whole = format!("{}:{user}", link.platform.name);
            self.settings.approvers.contains(&whole)
        });
        let is_owner = link.policy.is_owner(who, &self.pairing);
        (is_asker || named || is_owner) && !link.policy.is_revoked(who, &self.pairing)
    }

    /// Somebody pressed a button.
    pub(super) async fn pressed(&self, link: &Link, press: &ButtonPress) {
        let said = self.decide_by_button(link, press).await;
        if let Err(error) = link.adapter.answer_button(press, &said).await {
            tracing::debug!(%error, "a press was not answered");
        }
    }

    async fn decide_by_button(&self, link: &Link, press: &ButtonPress) -> String {
        let mut words = press.data.splitn(3, ':');
        let (Some("ap"), Some(id), Some(choice)) = (words.next(), words.next(), words.next())
        else {
            return "This button means nothing any more.".to_owned();
        };
        let known = {
            let waiting = lock(&self.asking.waiting);
            waiting
                .iter()
                .find(|one| one.id == id)
                .map(|one| (one.place.source.clone(), one.kind.clone()))
        };
        let Some((asker, kind)) = known else {
            let gone = WaitingAnswer {
                id: id.to_owned(),
                place: TurnOrigin {
                    key: String::new(),
                    source: press.source.clone(),
                    link: match self.links.get(link.platform.name) {
                        Some(link) => Arc::clone(link),
                        None => return "This question has expired.".to_owned(),
                    },
                    target: super::target_of(&press.source),
                    asking_place: None,
                },
                message_id: press.message_id.clone(),
                kind: QuestionKind::Clarify {
                    choices: Vec::new(),
                    question: "A question from before.".to_owned(),
                },
                answer: None,
            };
            close(&gone, "⌛ expired; ask me again").await;
            return "This question has expired. Ask me again.".to_owned();
        };
        if !self.may_decide(link, &asker, &press.source) {
            return "Only the person who asked, or the owner, can decide this.".to_owned();
        }
        let is_owner = link.policy.is_owner(&press.source, &self.pairing);
        let (answer, line) = match kind {
            QuestionKind::Command { widest, .. } => match decision(choice, widest, is_owner) {
                Some((answer, line)) => (PersonAnswer::Decision(answer), line.to_owned()),
                None => return "Only the owner can allow something for good.".to_owned(),
            },
            QuestionKind::Clarify { choices, .. } => {
                let chosen = choice.parse::<usize>().ok().and_then(|at| choices.get(at).cloned());
                let Some(chosen) = chosen else { return "There is no such choice.".to_owned() };
                (PersonAnswer::Words(chosen.clone()), chosen)
            }
        };
        let who = press.source.user_name.as_deref().map(crate::key::harmless).unwrap_or_default();
        self.answer(id, answer, &line, &who).await
    }

    /// Gives a question its answer, once.
    async fn answer(&self, id: &str, answer: PersonAnswer, line: &str, who: &str) -> String {
        let settled = {
            let mut waiting = lock(&self.asking.waiting);
            let place = waiting.iter().position(|one| one.id == id);
            place.map(|place| waiting.remove(place))
        };
        let Some(mut one) = settled else { return "This is settled already.".to_owned() };
        if let Some(sender) = one.answer.take() {
            let _ = sender.send(answer);
        }
        let what = if who.is_empty() { line.to_owned() } else { format!("{line} — {who}") };
        close(&one, &what).await;
        record(&self.store, id, "settled").await;
        line.to_owned()
    }

    /// A plain message that answers a question of this chat; whether it was one.
    pub(super) async fn answers_question(
        &self,
        link: &Link,
        key: &str,
        message: &InboundMessage,
    ) -> bool {
        let pending: Vec<(String, String, ChatSource, QuestionKind)> = lock(&self.asking.waiting)
            .iter()
            .filter(|one| is_here(one, link, key, &message.source))
            .map(|one| {
                (one.id.clone(), one.message_id.clone(), one.place.source.clone(), one.kind.clone())
            })
            .collect();
        let replied = message.reply_to.as_ref().map(|quoted| quoted.message_id.as_str());
        let named: Vec<_> = pending.iter().filter(|one| Some(one.1.as_str()) == replied).collect();
        let named_any = !named.is_empty();
        let candidates: Vec<_> = if named.is_empty() { pending.iter().collect() } else { named };
        let clarify = candidates.iter().find(|one| matches!(one.3, QuestionKind::Clarify { .. }));
        if let Some((id, _, asker, QuestionKind::Clarify { choices, .. })) = clarify.copied()
            && (asker.user_id == message.source.user_id
                && asker.platform == message.source.platform
                || named_any && self.may_decide(link, asker, &message.source))
        {
            let typed = message.text.trim();
            let chosen =
                typed.parse::<usize>().ok().and_then(|at| choices.get(at.wrapping_sub(1)).cloned());
            let words = chosen.unwrap_or_else(|| typed.to_owned());
            self.answer(id, PersonAnswer::Words(words.clone()), &format!("↳ {words}"), "").await;
            return true;
        }
        let Some(choice) = bare_word(&message.text) else { return false };
        match candidates.as_slice() {
            [] => false,
            [one] => {
                self.decide_by_words(link, &one.0, choice, None, &message.source).await;
                true
            }
            several => {
                let names: Vec<String> =
                    several.iter().map(|one| format!("`/approve {}`", short(&one.0))).collect();
                let line = format!("Several questions wait; say which: {}.", names.join(", "));
                let _ = link.say(&super::target_of(&message.source), &line, Vec::new()).await;
                true
            }
        }
    }

    /// A reaction on a question decides it, where there are no buttons.
    pub(super) async fn reacted(&self, link: &Link, reaction: &ReactionEvent) {
        let choice = match reaction.emoji.trim_end_matches('\u{fe0f}') {
            "✅" | "👍" => "once",
            "❎" | "❌" | "👎" => "deny",
            "♾" => "always",
            _ => return,
        };
        let found = {
            let waiting = lock(&self.asking.waiting);
            let is_it = |one: &&WaitingAnswer| {
                !one.message_id.is_empty()
                    && one.message_id == reaction.message_id
                    && one.place.link.platform.name == link.platform.name
            };
            waiting.iter().find(is_it).map(|one| one.id.clone())
        };
        if let Some(id) = found {
            self.decide_by_words(link, &id, choice, None, &reaction.source).await;
        }
    }

    /// `/approve` and `/deny` with their words.
    pub(super) async fn decide_by_command(
        &self,
        link: &Link,
        key: &str,
        source: &ChatSource,
        is_yes: bool,
        args: &str,
    ) -> String {
        let mut words: Vec<&str> = args.split_whitespace().collect();
        let pending: Vec<String> = {
            let waiting = lock(&self.asking.waiting);
            let is_command =
                |one: &&WaitingAnswer| matches!(one.kind, QuestionKind::Command { .. });
            let own = waiting.iter().filter(is_command);
            let own = own.filter(|one| is_here(one, link, key, source));
            own.map(|one| one.id.clone()).collect()
        };
        let named = words.first().map(|word| word.trim_start_matches('#').to_owned());
        let named = named.filter(|name| name.len() >= SHORT);
        let by_name: Vec<String> = match &named {
            Some(name) => {
                let waiting = lock(&self.asking.waiting);
                // The beginning of an id names one of this chat; those of others only their whole id does.
                let is_it = |one: &&WaitingAnswer| {
                    one.id == *name
                        || (one.id.starts_with(name.as_str()) && is_here(one, link, key, source))
                };
                waiting.iter().filter(is_it).map(|one| one.id.clone()).collect()
            }
            None => Vec::new(),
        };
        let chosen: Vec<String> = match by_name.as_slice() {
            [id] => {
                words.remove(0);
                vec![id.clone()]
            }
            [_, _, ..] => {
                return format!("Several questions begin so: {}.", by_name.join(", "));
            }
            [] if words.first() == Some(&"all") => {
                words.remove(0);
                pending
            }
            [] if pending.len() == 1 => pending,
            [] if pending.is_empty() => return "Nothing waits for a decision here.".to_owned(),
            [] => {
                let names: Vec<&str> = pending.iter().map(|id| short(id)).collect();
                return format!("Several questions wait; say which: {}.", names.join(", "));
            }
        };
        let choice = match (is_yes, words.first().copied()) {
            (false, _) => "deny",
            (true, Some("session")) => "session",
            (true, Some("always")) => "always",
            (true, _) => "once",
        };
        let reason: String = words.join(" ").chars().take(280).collect();
        let reason = Some(reason).filter(|reason| !is_yes && !reason.is_empty());
        let mut said = String::new();
        for id in chosen {
            said = self.decide_by_words(link, &id, choice, reason.clone(), source).await;
        }
        said
    }

    async fn decide_by_words(
        &self,
        link: &Link,
        id: &str,
        choice: &str,
        reason: Option<String>,
        who: &ChatSource,
    ) -> String {
        let known = {
            let waiting = lock(&self.asking.waiting);
            waiting
                .iter()
                .find(|one| one.id == id)
                .map(|one| (one.place.source.clone(), one.kind.clone()))
        };
        let Some((asker, QuestionKind::Command { widest, .. })) = known else {
            return "This is settled already.".to_owned();
        };
        if !self.may_decide(link, &asker, who) {
            return "Only the person who asked, or the owner, can decide this.".to_owned();
        }
        let is_owner = link.policy.is_owner(who, &self.pairing);
        let Some((answer, line)) = decision(choice, widest, is_owner) else {
            return "Only the owner can allow something for good.".to_owned();
        };
        let answer = match (answer, reason) {
            (ApprovalAnswer::Denied { .. }, Some(reason)) => {
                ApprovalAnswer::Denied { reason: Some(reason) }
            }
            (answer, _) => answer,
        };
        let name = who.user_name.as_deref().map(crate::key::harmless).unwrap_or_default();
        self.answer(id, PersonAnswer::Decision(answer), line, &name).await
    }

    /// Questions of a turn that is over are no longer asked.
    pub(super) async fn drop_questions(&self, session: &str) {
        let Some(place) = lock(&self.asking.turns).get(session).cloned() else { return };
        let left: Vec<String> = lock(&self.asking.waiting)
            .iter()
            .filter(|one| one.place.key == place.key)
            .map(|one| one.id.clone())
            .collect();
        for id in left {
            self.asking.settle_silently(&self.store, &id, "no longer wanted").await;
        }
    }
}

/// Whether a question stands in this chat: one of its own turns, or one that came here from a place without people.
fn is_here(one: &WaitingAnswer, link: &Link, key: &str, source: &ChatSource) -> bool {
    let from_elsewhere = one.place.source.platform != link.platform.name
        && one.place.link.platform.name == link.platform.name
        && one.place.target == super::target_of(source);
    one.place.key == key || from_elsewhere
}

/// What a choice means; nothing if whoever chose may not.
fn decision(
    choice: &str,
    widest: GrantScope,
    is_owner: bool,
) -> Option<(ApprovalAnswer, &'static str)> {
    Some(match choice {
        "once" => (ApprovalAnswer::Allowed(GrantScope::Once), "✅ allowed once"),
        "session" if widest != GrantScope::Once => {
            (ApprovalAnswer::Allowed(GrantScope::Session), "✅ allowed for this session")
        }
        "always" if !is_owner => return None,
        "always" if widest == GrantScope::Always => {
            (ApprovalAnswer::Allowed(GrantScope::Always), "✅ always allowed")
        }
        _ => (ApprovalAnswer::no(), "❌ denied"),
    })
}

/// A decision in one word.
fn bare_word(text: &str) -> Option<&'static str> {
    match text.trim().to_lowercase().as_str() {
        "approve" | "yes" | "ok" | "okay" | "confirm" | "y" | "👍" => Some("once"),
        "deny" | "no" | "reject" | "cancel" | "n" | "👎" => Some("deny"),
        "session" => Some("session"),
        "always" => Some("always"),
        _ => None,
    }
}
