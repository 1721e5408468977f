//! How updates arrive: asked for, or called in.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::SILENCE;
use super::updates::{Bot, event_of};
use super::wire::{Wire, refused};
use crate::adapter::Inbox;
use crate::adapter::{
    AdapterSetup, LinkError, Listener, Receiving, SetupError, WebhookRequest, WebhookResponse,
    same_secret,
};

/// What we want to hear of.
const WANTED: [&str; 5] =
    ["message", "edited_message", "callback_query", "my_chat_member", "message_reaction"];
/// How long Telegram holds a poll open.
const POLL_SECONDS: u64 = 50;
/// The name of the mark that says where the next poll begins.
const OFFSET: &str = "offset";
/// So many times in a row another program may hold the updates before we give up.
const MAX_CONFLICTS: u32 = 3;
/// Largest update.
const MAX_BODY: usize = 4 * 1024 * 1024;

/// Asks for updates until something goes wrong. An update is acknowledged by asking for what comes after it, which
/// happens only when it is stored.
pub(super) async fn poll(wire: Arc<Wire>, bot: Bot, inbox: Inbox) -> LinkError {
    let mut offset =
        inbox.mark(OFFSET).await.and_then(|mark| mark.parse::<i64>().ok()).unwrap_or(0);
    let mut conflicts = 0;
    loop {
        let ask = json!({
            "offset": offset, "timeout": POLL_SECONDS, "limit": 100, "allowed_updates": WANTED,
        });
        let updates = match wire.wait("getUpdates", &ask, SILENCE).await {
            Ok(updates) => updates,
            Err(error) if error.what.contains("409") => {
                conflicts += 1;
                if conflicts >= MAX_CONFLICTS {
                    return LinkError::fatal(
                        error.what,
                        "Another program receives with the same token. End it, or make a bot of \
                         its own for each.",
                    );
                }
                tokio::time::sleep(Duration::from_secs(2)).await;
                continue;
            }
            Err(error) => return refused(error),
        };
        conflicts = 0;
        let updates = updates.as_array().map(Vec::as_slice).unwrap_or_default();
        // An update that makes no sense is passed over, never asked for again.
        let next = updates.iter().filter_map(|update| update["update_id"].as_i64()).max();
        let Some(next) = next.map(|last| last + 1) else { continue };
        let events = updates.iter().filter_map(|update| event_of(update, &bot)).collect();
        if let Err(error) = inbox.accept(events, &[(OFFSET, next.to_string())]).await {
            return error.into();
        }
        offset = next;
    }
}

/// Where Telegram is to call.
#[derive(Clone)]
pub(super) struct Webhook {
    url: String,
    path: String,
    secret: String,
    host: String,
    port: u16,
}

impl Webhook {
    pub(super) fn read(setup: &AdapterSetup) -> Result<Option<Self>, SetupError> {
        let Some(url) = setup.variable("TELEGRAM_WEBHOOK_URL") else { return Ok(None) };
        let parsed = url::Url::parse(&url).map_err(|error| {
            SetupError::new(format!("TELEGRAM_WEBHOOK_URL is no address: {error}"))
        })?;
        let secret = setup.variable("TELEGRAM_WEBHOOK_SECRET").unwrap_or_default();
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        if secret.is_empty() || secret.len() > 256 || !secret.chars().all(fits) {
            return Err(SetupError::new(
                "TELEGRAM_WEBHOOK_SECRET must be set to 1-256 letters, digits, _ or -: without it \
                 anybody could speak as Telegram. `openssl rand -hex 32` makes one",
            ));
        }
        Ok(Some(Self {
            path: parsed.path().to_owned(),
            url,
            secret,
            host: setup.variable("TELEGRAM_WEBHOOK_HOST").unwrap_or_else(|| "127.0.0.1".to_owned()),
            port: u16::try_from(setup.number("TELEGRAM_WEBHOOK_PORT", 8_443)).unwrap_or(8_443),
        }))
    }

    pub(super) async fn receive(
        &self,
        wire: Arc<Wire>,
        bot: Bot,
        inbox: Inbox,
    ) -> Result<Receiving, LinkError> {
        let listener = Listener::bind(&self.host, self.port).await?;
        let here = json!({
            "url": self.url, "secret_token": self.secret, "allowed_updates": WANTED,
            "drop_pending_updates": false,
        });
        wire.call("setWebhook", &here).await.map_err(refused)?;
        let webhook = self.clone();
        let answer = move |call: WebhookRequest| {
            let (webhook, bot, inbox) = (webhook.clone(), bot.clone(), inbox.clone());
            Box::pin(async move { webhook.answer(&call, &bot, &inbox).await })
                as crate::adapter::AdapterFuture<'static, WebhookResponse>
        };
        Ok(Box::pin(listener.serve(MAX_BODY, answer)))
    }

    async fn answer(&self, call: &WebhookRequest, bot: &Bot, inbox: &Inbox) -> WebhookResponse {
        if call.path != self.path || call.method != "POST" {
            return WebhookResponse::status(404);
        }
        let given = call.header("x-telegram-bot-api-secret-token").unwrap_or_default();
        if !same_secret(&self.secret, given) {
            tracing::warn!("a call to the Telegram webhook without the right secret was refused");
            return WebhookResponse::status(403);
        }
        let Ok(update) = serde_json::from_slice::<Value>(&call.body) else {
            return WebhookResponse::status(400);
        };
        let events = event_of(&update, bot).into_iter().collect();
        match inbox.accept(events, &[]).await {
            Ok(()) => WebhookResponse::status(200),
            Err(_) => WebhookResponse::status(500),
        }
    }
}
