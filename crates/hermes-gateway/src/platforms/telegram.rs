//! Telegram, by its Bot API: long polling, or calls to a webhook that must carry a secret.
//!
//! | module | what it does |
//! |---|---|
//! | `wire` | requests, and what their answers mean. The token is part of every address, so no address is ever told |
//! | `updates` | what Telegram says, as events |
//! | `receive` | polling and webhook |

mod receive;
mod updates;
mod wire;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::{Value, json};

use crate::adapter::Inbox;
use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, ButtonPress, ButtonStyle, Capabilities, DisplayDefaults,
    InboundMedia, LengthUnit, LinkError, MediaKind, MessageLimit, Multipart, Outgoing,
    OutgoingFile, Pace, Platform, Receiving, SendClass, SendError, SetupError, Target, Variable,
};
use crate::markdown::{Document, Rendered, StyleKind, StyleSpan, styled};
use receive::{Webhook, poll};
use updates::Bot;
use wire::{Wire, chat_id};

static TELEGRAM: Platform = Platform {
    label: "Telegram",
    emoji: "✈️",
    required: &[Variable::secret("TELEGRAM_BOT_TOKEN", "Token of the bot, from @BotFather")
        .from("https://t.me/BotFather")],
    optional: &[
        Variable::open("TELEGRAM_WEBHOOK_URL", "Address that Telegram calls, instead of polling"),
        Variable::secret("TELEGRAM_WEBHOOK_SECRET", "Secret that those calls carry"),
        Variable::open("TELEGRAM_WEBHOOK_HOST", "Where to listen for them (127.0.0.1)"),
        Variable::open("TELEGRAM_WEBHOOK_PORT", "The port (8443)"),
        Variable::open("TELEGRAM_PROXY", "Proxy for the Bot API"),
    ],
    limit: MessageLimit { length: 4_096, unit: LengthUnit::Utf16 },
    capabilities: Capabilities {
        edit: true,
        delete: true,
        buttons: true,
        reactions: true,
        threads: true,
        typing: true,
        files: true,
        voice: true,
        idempotent_for: Duration::ZERO,
    },
    pace: Pace { overall: 30.0, ..Pace::UNHURRIED },
    display: DisplayDefaults::CHAT,
    hint: "Messages are at most 4,096 characters; tables wider than a telephone become lists.",
    open: |setup| Ok(Arc::new(Telegram::new(&setup)?)),
    ..Platform::named("telegram", "TELEGRAM", "hermes-telegram")
};
crate::register_platform!(&TELEGRAM);

/// Longest text beside a file.
const MAX_CAPTION: usize = 1_024;
/// Photographs above this go as documents.
const MAX_PHOTO: usize = 10 * 1024 * 1024;
/// Nothing above this can be sent.
const MAX_FILE: usize = 50 * 1024 * 1024;
/// The topic of a forum that is written to without naming it.
const GENERAL_TOPIC: &str = "1";
/// Most commands in the menu.
const MAX_MENU: usize = 100;

struct Telegram {
    wire: Arc<Wire>,
    /// Who we are, once somebody has asked.
    bot: OnceLock<Bot>,
    webhook: Option<Webhook>,
}

impl Telegram {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let base = setup.base_url("https://api.telegram.org");
        let token = setup.required("TELEGRAM_BOT_TOKEN")?;
        let wire = Arc::new(Wire::new(setup.http(&base)?, &base, &token));
        Ok(Self { wire, bot: OnceLock::new(), webhook: Webhook::read(setup)? })
    }

    async fn me(&self) -> Result<Bot, SendError> {
        if let Some(bot) = self.bot.get() {
            return Ok(bot.clone());
        }
        let bot = Bot::of(&self.wire.call("getMe", &json!({})).await?);
        Ok(self.bot.get_or_init(|| bot).clone())
    }
}

/// What the fields of a message are, without its text.
fn addressed(target: &Target, reply_to: Option<&str>) -> Value {
    let mut body = json!({"chat_id": chat_id(&target.chat_id)});
    let thread = target.thread_id.as_deref().filter(|thread| *thread != GENERAL_TOPIC);
    if let Some(thread) = thread.and_then(|thread| thread.parse::<i64>().ok()) {
        body["message_thread_id"] = json!(thread);
    }
    if let Some(id) = reply_to.and_then(|id| id.parse::<i64>().ok()) {
        body["reply_parameters"] = json!({"message_id": id, "allow_sending_without_reply": true});
    }
    body
}

fn entities(spans: &[StyleSpan]) -> Vec<Value> {
    let entity = |span: &StyleSpan| {
        let mut entity = json!({"offset": span.start, "length": span.length});
        let kind = match &span.kind {
            StyleKind::Bold => "bold",
            StyleKind::Italic => "italic",
            StyleKind::Strike => "strikethrough",
            StyleKind::Code => "code",
            StyleKind::Quote => "blockquote",
            StyleKind::Pre { language } => {
                if !language.is_empty() {
                    entity["language"] = json!(language);
                }
                "pre"
            }
            StyleKind::Link { url } => {
                entity["url"] = json!(url);
                "text_link"
            }
        };
        entity["type"] = json!(kind);
        entity
    };
    spans.iter().map(entity).collect()
}

fn keyboard(message: &Outgoing) -> Value {
    let button = |button: &crate::adapter::Button| {
        let mark = match button.style {
            ButtonStyle::Danger => "✖ ",
            ButtonStyle::Primary | ButtonStyle::Plain => "",
        };
        json!({"text": format!("{mark}{}", button.label), "callback_data": button.data})
    };
    let row = |row: &Vec<crate::adapter::Button>| row.iter().map(button).collect::<Vec<_>>();
    json!({"inline_keyboard": message.buttons.iter().map(row).collect::<Vec<_>>()})
}

fn with_content(mut body: Value, message: &Outgoing) -> Value {
    body["text"] = json!(message.content.text);
    body["entities"] = json!(entities(&message.content.spans));
    body["link_preview_options"] = json!({"is_disabled": true});
    body
}

/// The id of the message in an answer.
fn message_id(sent: &Value) -> Result<String, SendError> {
    let id = sent["message_id"].as_i64().map(|id| id.to_string());
    id.ok_or_else(|| SendError::new(SendClass::Unknown, "the answer names no message"))
}

impl Adapter for Telegram {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        Box::pin(async move {
            let bot = self.me().await.map_err(wire::refused)?;
            let wire = Arc::clone(&self.wire);
            match &self.webhook {
                Some(webhook) => webhook.receive(wire, bot, inbox).await,
                None => {
                    let keep = json!({"drop_pending_updates": false});
                    self.wire.call("deleteWebhook", &keep).await.map_err(wire::refused)?;
                    Ok(Box::pin(poll(wire, bot, inbox)) as Receiving)
                }
            }
        })
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let body = addressed(&message.target, message.reply_to.as_deref());
            let mut body = with_content(body, message);
            if !message.buttons.is_empty() {
                body["reply_markup"] = keyboard(message);
            }
            if message.is_silent {
                body["disable_notification"] = json!(true);
            }
            message_id(&self.wire.call("sendMessage", &body).await?)
        })
    }

    fn edit<'a>(
        &'a self,
        id: &'a str,
        message: &'a Outgoing,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let mut body = with_content(json!({}), message);
            body["chat_id"] = chat_id(&message.target.chat_id);
            body["message_id"] = json!(id.parse::<i64>().unwrap_or_default());
            if !message.buttons.is_empty() {
                body["reply_markup"] = keyboard(message);
            }
            match self.wire.call("editMessageText", &body).await {
                Err(error) if error.what.contains("message is not modified") => Ok(()),
                other => other.map(drop),
            }
        })
    }

    fn delete<'a>(
        &'a self,
        target: &'a Target,
        id: &'a str,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let id = id.parse::<i64>().unwrap_or_default();
            let body = json!({"chat_id": chat_id(&target.chat_id), "message_id": id});
            self.wire.call("deleteMessage", &body).await.map(drop)
        })
    }

    fn react<'a>(
        &'a self,
        target: &'a Target,
        id: &'a str,
        emoji: Option<&'a str>,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let reaction: Vec<Value> =
                emoji.iter().map(|emoji| json!({"type": "emoji", "emoji": emoji})).collect();
            let body = json!({
                "chat_id": chat_id(&target.chat_id),
                "message_id": id.parse::<i64>().unwrap_or_default(),
                "reaction": reaction,
            });
            self.wire.call("setMessageReaction", &body).await.map(drop)
        })
    }

    fn typing<'a>(&'a self, target: &'a Target) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let mut body = addressed(target, None);
            body["action"] = json!("typing");
            self.wire.call("sendChatAction", &body).await.map(drop)
        })
    }

    fn send_file<'a>(
        &'a self,
        target: &'a Target,
        file: &'a OutgoingFile,
    ) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            if file.bytes.len() > MAX_FILE {
                return Err(SendError::new(SendClass::TooLong, "the file is larger than 50 MB"));
            }
            let kind = match file.kind {
                MediaKind::Photo if file.bytes.len() > MAX_PHOTO => MediaKind::Document,
                kind => kind,
            };
            let (method, field) = match kind {
                MediaKind::Photo => ("sendPhoto", "photo"),
                MediaKind::Voice => ("sendVoice", "voice"),
                MediaKind::Audio => ("sendAudio", "audio"),
                MediaKind::Video => ("sendVideo", "video"),
                MediaKind::Document => ("sendDocument", "document"),
            };
            let place = addressed(target, file.reply_to.as_deref());
            let mut form = Multipart::new();
            for (name, value) in place.as_object().into_iter().flatten() {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                form = form.text(name, &text);
            }
            let caption = file.caption.as_deref();
            if let Some(caption) =
                caption.filter(|caption| LengthUnit::Utf16.of(caption) <= MAX_CAPTION)
            {
                form = form.text("caption", caption);
            }
            let form = form.file(field, &file.name, &file.mime, &file.bytes);
            message_id(&self.wire.upload(method, form).await?)
        })
    }

    fn fetch<'a>(
        &'a self,
        media: &'a InboundMedia,
        most: u64,
    ) -> AdapterFuture<'a, Result<Vec<u8>, SendError>> {
        Box::pin(async move {
            let file = self.wire.call("getFile", &json!({"file_id": media.handle})).await?;
            let path = file["file_path"].as_str().unwrap_or_default();
            self.wire.download(path, most).await
        })
    }

    fn answer_button<'a>(
        &'a self,
        press: &'a ButtonPress,
        line: &'a str,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let line: String = line.chars().take(200).collect();
            let body = json!({"callback_query_id": press.id, "text": line});
            self.wire.call("answerCallbackQuery", &body).await.map(drop)
        })
    }

    fn show_commands<'a>(
        &'a self,
        commands: &'a [(&'a str, &'a str)],
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let fits = |name: &str| {
                let is_one = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
                name.len() <= 32 && name.chars().all(is_one)
            };
            let menu: Vec<Value> = commands
                .iter()
                .map(|(name, about)| (name.replace('-', "_"), about))
                .filter(|(name, _)| fits(name))
                .take(MAX_MENU)
                .map(|(name, about)| json!({"command": name, "description": about}))
                .collect();
            self.wire.call("setMyCommands", &json!({"commands": menu})).await.map(drop)
        })
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        Box::pin(async move {
            let me = self.wire.call("getMe", &json!({})).await?;
            Ok(format!("@{}", Bot::of(&me).username))
        })
    }

    fn render(&self, document: &Document) -> Rendered {
        styled(document).into_rendered()
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        let text = text.trim();
        let is_number = |text: &str| {
            let digits = text.strip_prefix('-').unwrap_or(text);
            !digits.is_empty() && digits.len() <= 20 && digits.bytes().all(|b| b.is_ascii_digit())
        };
        let is_name = |text: &str| {
            text.strip_prefix('@').is_some_and(|name| {
                name.len() >= 4 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            })
        };
        match text.split_once(':') {
            Some((chat, topic)) if is_number(chat) && is_number(topic) => {
                Ok(Target::thread(chat, topic))
            }
            None if is_number(text) || is_name(text) => Ok(Target::chat(text)),
            _ => Err(format!(
                "`{text}` is no chat of Telegram: write its number (-1001234567890), \
                 number:topic, or @name"
            )),
        }
    }
}

/// How long nothing may come from a poll before the connection counts as dead.
const SILENCE: Duration = Duration::from_secs(90);

#[cfg(test)]
mod tests {
    use hermes_tool::Vars;

    use super::*;

    fn telegram() -> Telegram {
        let vars: Vars =
            [("TELEGRAM_BOT_TOKEN".to_owned(), "1:abc".to_owned())].into_iter().collect();
        Telegram::new(&AdapterSetup::new(&TELEGRAM, &Value::Null, &vars)).unwrap()
    }

    #[test]
    fn targets_are_numbers_topics_and_names() {
        let telegram = telegram();
        assert_eq!(telegram.parse_target("-100123").unwrap(), Target::chat("-100123"));
        assert_eq!(telegram.parse_target("-100123:7").unwrap(), Target::thread("-100123", "7"));
        assert_eq!(telegram.parse_target("@somebody").unwrap(), Target::chat("@somebody"));
        for bad in ["", "12a", "@x", "1:2:3", "-"] {
            assert!(telegram.parse_target(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_general_topic_is_written_to_without_its_number() {
        assert!(addressed(&Target::thread("-5", "1"), None).get("message_thread_id").is_none());
        assert_eq!(addressed(&Target::thread("-5", "9"), Some("3"))["message_thread_id"], 9);
    }

    #[test]
    fn a_webhook_without_a_secret_is_refused() {
        let vars: Vars = [
            ("TELEGRAM_BOT_TOKEN".to_owned(), "1:abc".to_owned()),
            ("TELEGRAM_WEBHOOK_URL".to_owned(), "https://e.org/hook".to_owned()),
        ]
        .into_iter()
        .collect();
        let refused = Telegram::new(&AdapterSetup::new(&TELEGRAM, &Value::Null, &vars)).err();
        assert!(refused.unwrap().what.contains("TELEGRAM_WEBHOOK_SECRET"));
    }
}
