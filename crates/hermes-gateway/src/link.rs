//! A platform that is set up: its adapter, who may talk on it, and how it is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hermes_store::clock::now;
use serde::Serialize;
use tokio::sync::watch;

use crate::adapter::{
    Adapter, AdapterSetup, Button, Outgoing, OutgoingFile, Platform, SendClass, SendError, Target,
};
use crate::markdown::{Document, SplitLimit, split};
use crate::media::{Attachments, DeliveryRules};
use crate::who::Policy;

/// How often something that is not an answer is tried again.
const TRIES: u32 = 4;
/// The longest a platform can make us wait in one go.
pub(crate) const MAX_WAIT: Duration = Duration::from_secs(120);

/// How a platform is.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LinkHealth {
    /// starting, connected, retrying, fatal, paused.
    pub(crate) state: &'static str,
    pub(crate) error_message: Option<String>,
    pub(crate) updated_at: f64,
}

/// One platform at work.
pub(crate) struct Link {
    pub(crate) platform: &'static Platform,
    pub(crate) adapter: Arc<dyn Adapter>,
    pub(crate) setup: AdapterSetup,
    pub(crate) policy: Policy,
    health: Mutex<LinkHealth>,
    /// Whether somebody wants it to rest; each word about it wakes whoever keeps it connected.
    pub(crate) resting: watch::Sender<bool>,
    /// Room to write to each chat that was written to lately.
    pace: Mutex<HashMap<String, (f64, Instant)>>,
}

/// The most chats whose pace is remembered.
const MAX_PACED: usize = 1_000;

impl Link {
    pub(crate) fn new(
        platform: &'static Platform,
        adapter: Arc<dyn Adapter>,
        setup: AdapterSetup,
        policy: Policy,
    ) -> Self {
        let health = LinkHealth { state: "starting", error_message: None, updated_at: now() };
        Self {
            platform,
            adapter,
            setup,
            policy,
            health: Mutex::new(health),
            resting: watch::Sender::new(false),
            pace: Mutex::default(),
        }
    }

    pub(crate) fn health(&self) -> LinkHealth {
        self.health.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_health(&self, state: &'static str, error: Option<String>) {
        let mut health = self.health.lock().unwrap_or_else(PoisonError::into_inner);
        *health = LinkHealth { state, error_message: error, updated_at: now() };
    }

    /// Waits until one more message may go to a chat.
    pub(crate) async fn paced(&self, chat: &str) {
        let wait = {
            let mut pace = self.pace.lock().unwrap_or_else(PoisonError::into_inner);
            if pace.len() > MAX_PACED {
                pace.retain(|_, (_, last)| last.elapsed() < Duration::from_secs(60));
            }
            let rules = &self.platform.pace;
            let burst = f64::from(rules.burst);
            let entry = pace.entry(chat.to_owned()).or_insert((burst, Instant::now()));
            let gained = entry.1.elapsed().as_secs_f64() * rules.per_chat;
            entry.0 = (entry.0 + gained).min(burst) - 1.0;
            entry.1 = Instant::now();
            if entry.0 < 0.0 { -entry.0 / rules.per_chat } else { 0.0 }
        };
        if wait > 0.0 {
            tokio::time::sleep(Duration::from_secs_f64(wait.min(5.0))).await;
        }
    }

    /// The parts of a text, each in a size that fits once it is rendered.
    pub(crate) fn parts(&self, markdown: &str) -> Vec<String> {
        let limit = self.platform.limit;
        let measure = |part: &str| limit.unit.of(&self.adapter.render(&Document::parse(part)).text);
        // Room for a mark in front.
        let length = limit.length.saturating_sub(24).max(24);
        split(markdown, &SplitLimit { length, measure: &measure, unit: limit.unit })
    }

    /// Says something that is no answer of a turn: a notice, a question. Gives the id of its last message.
    pub(crate) async fn say(
        &self,
        target: &Target,
        markdown: &str,
        buttons: Vec<Vec<Button>>,
    ) -> Result<String, SendError> {
        let mut id = String::new();
        let parts = self.parts(markdown);
        let last = parts.len().saturating_sub(1);
        for (at, part) in parts.iter().enumerate() {
            let message = Outgoing {
                target: target.clone(),
                content: self.adapter.render(&Document::parse(part)),
                buttons: if at == last { buttons.clone() } else { Vec::new() },
                key: format!("{:016x}", hermes_store::clock::random()),
                ..Outgoing::default()
            };
            id = self.insist(&message).await?;
        }
        Ok(id)
    }

    /// Sends files; what could not be sent, in words for the person.
    pub(crate) async fn send_files(
        &self,
        rules: &DeliveryRules,
        target: &Target,
        files: &Attachments,
        whole: Option<OutgoingFile>,
    ) -> Vec<String> {
        let mut problems = Vec::new();
        let mut ready: Vec<OutgoingFile> = whole.into_iter().collect();
        for path in &files.paths {
            if !self.platform.capabilities.files {
                problems.push(format!("I cannot send files here; it is `{path}`."));
                continue;
            }
            match rules.read(path, files) {
                Ok(file) => ready.push(file),
                Err(problem) => problems.push(problem),
            }
        }
        for file in ready {
            self.paced(&target.chat_id).await;
            if let Err(error) = self.adapter.send_file(target, &file).await {
                problems.push(format!("I could not send `{}`: {}.", file.name, error.class.name()));
            }
        }
        problems
    }

    async fn insist(&self, message: &Outgoing) -> Result<String, SendError> {
        let mut message = message.clone();
        let mut tries = 0;
        loop {
            self.paced(&message.target.chat_id).await;
            let error = match self.adapter.send(&message).await {
                Ok(id) => return Ok(id),
                Err(error) => error,
            };
            tries += 1;
            match error.class {
                SendClass::NoThread if message.target.thread_id.is_some() => {
                    message.target.thread_id = None;
                }
                SendClass::BadFormat if !message.content.spans.is_empty() => {
                    message.content.spans.clear();
                }
                SendClass::RateLimited | SendClass::Transient if tries < TRIES => {
                    let usual = Duration::from_secs(1 << tries.min(4));
                    tokio::time::sleep(error.retry_after.unwrap_or(usual).min(MAX_WAIT)).await;
                }
                _ if error.moved_to.is_some() && tries < TRIES => {
                    message.target.chat_id = error.moved_to.unwrap_or_default();
                }
                _ => return Err(error),
            }
        }
    }
}
