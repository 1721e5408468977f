//! Discord: events over its gateway socket, everything else by requests.
//!
//! | module | what it does |
//! |---|---|
//! | `gateway` | the socket: hello, identify or resume, heartbeats |
//! | `events` | what Discord says, as events |
//!
//! Where we are in the stream is stored with each event, so a restart resumes and misses nothing. A mention in a channel is
//! answered in a thread below it, which is opened when the first answer goes out: its number is that of the message.

mod events;
mod gateway;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, Button, ButtonPress, ButtonStyle, Capabilities,
    ChannelInfo, DisplayDefaults, InboundMedia, Inbox, LengthUnit, LinkError, MessageLimit,
    Multipart, Outgoing, OutgoingFile, Pace, Platform, Receiving, SendClass, SendError, SetupError,
    Target, ToolProgress, Variable, download, exchange, is_on_host,
};
use crate::markdown::{Document, MarkupRules, Rendered, markup};

static DISCORD: Platform = Platform {
    label: "Discord",
    emoji: "🎮",
    required: &[Variable::secret("DISCORD_BOT_TOKEN", "Token of the bot, from its page “Bot”")
        .from("https://discord.com/developers/applications")],
    optional: &[
        Variable::open("DISCORD_AUTO_THREAD", "Whether mentions are answered in a thread (yes)"),
        Variable::open("DISCORD_THREAD_REQUIRE_MENTION", "Whether our threads need mentions (no)"),
        Variable::open("DISCORD_ALLOWED_ROLES", "Numbers of roles whose members may talk"),
    ],
    limit: MessageLimit { length: 2_000, unit: LengthUnit::Utf16 },
    capabilities: Capabilities {
        edit: true,
        delete: true,
        buttons: true,
        reactions: true,
        threads: true,
        typing: true,
        files: true,
        voice: false,
        idempotent_for: Duration::from_secs(120),
    },
    pace: Pace {
        overall: 40.0,
        typing: Duration::from_secs(9),
        batch: Duration::from_millis(600),
        split: Duration::from_secs(2),
        ..Pace::UNHURRIED
    },
    display: DisplayDefaults { tool_progress: ToolProgress::All, ..DisplayDefaults::CHAT },
    hint: "Messages are at most 2,000 characters; there are no tables.",
    open: |setup| Ok(Arc::new(Discord::new(&setup)?)),
    ..Platform::named("discord", "DISCORD", "hermes-discord")
};
crate::register_platform!(&DISCORD);

/// Nothing above this can be sent without a boosted server.
const MAX_FILE: usize = 10 * 1024 * 1024;
/// Where files of messages are.
const FILE_HOSTS: [&str; 2] = ["cdn.discordapp.com", "media.discordapp.net"];
/// A message that only whoever pressed sees.
const EPHEMERAL: u32 = 64;

/// Requests with our token.
struct Wire {
    http: reqwest::Client,
    socket_http: reqwest::Client,
    base: String,
    token: String,
}

impl Wire {
    fn request(&self, method: reqwest::Method, path: &str) -> reqwest::RequestBuilder {
        let agent = concat!(
            "DiscordBot (",
            env!("CARGO_PKG_REPOSITORY"),
            ", ",
            env!("CARGO_PKG_VERSION"),
            ")"
        );
        self.http
            .request(method, format!("{}{path}", self.base))
            .header("authorization", format!("Bot {}", self.token))
            .header("user-agent", agent)
    }

    async fn answer(&self, request: reqwest::RequestBuilder) -> Result<Value, SendError> {
        let reply = exchange(request).await?;
        let code = reply.body["code"].as_u64().unwrap_or_default();
        reply.accepted("Discord", &["message"]).map_err(|error| {
            let class = match code {
                10_003 | 10_008 => SendClass::NotFound,
                50_001 | 50_013 | 50_007 => SendClass::Forbidden,
                50_035 => SendClass::BadFormat,
                _ => error.class,
            };
            SendError { class, ..error }
        })
    }

    async fn get(&self, path: &str) -> Result<Value, SendError> {
        self.answer(self.request(reqwest::Method::GET, path)).await
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value, SendError> {
        self.answer(self.request(reqwest::Method::POST, path).json(body)).await
    }
}

struct Discord {
    wire: Arc<Wire>,
    habits: events::Habits,
}

impl Discord {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let base = setup.base_url("https://discord.com/api/v10");
        let wire = Wire {
            http: setup.http(&base)?,
            socket_http: setup.socket_http(&base)?,
            token: setup.required("DISCORD_BOT_TOKEN")?,
            base,
        };
        Ok(Self { wire: Arc::new(wire), habits: events::Habits::read(setup) })
    }

    /// Puts something into a chat. A thread that is not there yet is opened below its message.
    async fn put(
        &self,
        target: &Target,
        name: &str,
        make: impl Fn(reqwest::RequestBuilder) -> reqwest::RequestBuilder,
    ) -> Result<String, SendError> {
        let path = format!("/channels/{}/messages", channel(target));
        let send = || self.wire.answer(make(self.wire.request(reqwest::Method::POST, &path)));
        let sent = match (send().await, &target.thread_id) {
            (Err(error), Some(thread)) if error.class == SendClass::NotFound => {
                let name: String =
                    name.lines().next().unwrap_or_default().chars().take(60).collect();
                let name = if name.trim().is_empty() { "Hermes".to_owned() } else { name };
                let path = format!("/channels/{}/messages/{thread}/threads", target.chat_id);
                let body = json!({"name": name, "auto_archive_duration": 1440});
                let no_thread = |error: SendError| match error.class {
                    SendClass::NotFound | SendClass::Forbidden | SendClass::Unknown => {
                        SendError { class: SendClass::NoThread, ..error }
                    }
                    _ => error,
                };
                self.wire.post(&path, &body).await.map_err(no_thread)?;
                send().await?
            }
            (sent, _) => sent?,
        };
        let id = sent["id"].as_str().map(str::to_owned);
        id.ok_or_else(|| SendError::new(SendClass::Unknown, "the answer names no message"))
    }
}

/// A thread is a channel of its own.
fn channel(target: &Target) -> &str {
    target.thread_id.as_deref().unwrap_or(&target.chat_id)
}

/// At most 25 letters that are the same for the same message.
fn nonce(key: &str) -> String {
    let hash = ring::digest::digest(&ring::digest::SHA256, key.as_bytes());
    hash.as_ref().iter().take(12).map(|byte| format!("{byte:02x}")).collect()
}

fn components(rows: &[Vec<Button>]) -> Value {
    let button = |button: &Button| {
        let style = match button.style {
            ButtonStyle::Primary => 1,
            ButtonStyle::Plain => 2,
            ButtonStyle::Danger => 4,
        };
        let label: String = button.label.chars().take(80).collect();
        json!({"type": 2, "style": style, "label": label, "custom_id": button.data})
    };
    let row = |row: &Vec<Button>| json!({"type": 1, "components": row.iter().take(5).map(button).collect::<Vec<_>>()});
    json!(rows.iter().take(5).map(row).collect::<Vec<_>>())
}

fn body(message: &Outgoing) -> Value {
    let mut body = json!({
        "content": message.content.text,
        // What a model writes notifies nobody but the person it answers.
        "allowed_mentions": {"parse": ["users"], "replied_user": true},
        "components": components(&message.buttons),
    });
    if message.is_silent {
        body["flags"] = json!(1 << 12);
    }
    body
}

impl Adapter for Discord {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        Box::pin(gateway::connect(Arc::clone(&self.wire), self.habits.clone(), inbox))
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let mut body = body(message);
            if !message.key.is_empty() {
                body["nonce"] = json!(nonce(&message.key));
                body["enforce_nonce"] = json!(true);
            }
            // A message that opened a thread is in another channel than its answer.
            let reply = message.reply_to.as_ref();
            if let Some(id) = reply.filter(|_| message.target.thread_id.is_none()) {
                body["message_reference"] = json!({"message_id": id, "fail_if_not_exists": false});
            }
            self.put(&message.target, &message.content.text, |request| request.json(&body)).await
        })
    }

    fn edit<'a>(
        &'a self,
        id: &'a str,
        message: &'a Outgoing,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let path = format!("/channels/{}/messages/{id}", channel(&message.target));
            let request = self.wire.request(reqwest::Method::PATCH, &path).json(&body(message));
            self.wire.answer(request).await.map(drop)
        })
    }

    fn delete<'a>(
        &'a self,
        target: &'a Target,
        id: &'a str,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let path = format!("/channels/{}/messages/{id}", channel(target));
            self.wire.answer(self.wire.request(reqwest::Method::DELETE, &path)).await.map(drop)
        })
    }

    fn react<'a>(
        &'a self,
        target: &'a Target,
        id: &'a str,
        emoji: Option<&'a str>,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let channel = channel(target);
            let (method, path) = match emoji {
                Some(emoji) => {
                    let emoji: String =
                        url::form_urlencoded::byte_serialize(emoji.as_bytes()).collect();
                    let path = format!("/channels/{channel}/messages/{id}/reactions/{emoji}/@me");
                    (reqwest::Method::PUT, path)
                }
                None => {
                    let path = format!("/channels/{channel}/messages/{id}/reactions");
                    (reqwest::Method::DELETE, path)
                }
            };
            self.wire.answer(self.wire.request(method, &path)).await.map(drop)
        })
    }

    fn typing<'a>(&'a self, target: &'a Target) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let path = format!("/channels/{}/typing", channel(target));
            self.wire.post(&path, &json!({})).await.map(drop)
        })
    }

    fn send_file<'a>(
        &'a self,
        target: &'a Target,
        file: &'a OutgoingFile,
    ) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            if file.bytes.len() > MAX_FILE {
                return Err(SendError::new(SendClass::TooLong, "the file is larger than 10 MB"));
            }
            let caption = file.caption.clone().unwrap_or_default();
            let said = json!({"content": caption, "allowed_mentions": {"parse": []}}).to_string();
            self.put(target, &file.name, |request| {
                let form = Multipart::new().text("payload_json", &said).file(
                    "files[0]",
                    &file.name,
                    &file.mime,
                    &file.bytes,
                );
                form.into_request(request.timeout(Duration::from_secs(180)))
            })
            .await
        })
    }

    fn fetch<'a>(
        &'a self,
        media: &'a InboundMedia,
        most: u64,
    ) -> AdapterFuture<'a, Result<Vec<u8>, SendError>> {
        Box::pin(async move {
            if !is_on_host(&media.handle, &FILE_HOSTS, &self.wire.base) {
                return Err(SendError::new(SendClass::Forbidden, "the file is not on Discord"));
            }
            download(self.wire.http.get(&media.handle), most).await
        })
    }

    fn answer_button<'a>(
        &'a self,
        press: &'a ButtonPress,
        line: &'a str,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let (id, token) = press.id.split_once(':').unwrap_or((&press.id, ""));
            let data = json!({"content": line, "flags": EPHEMERAL});
            let path = format!("/interactions/{id}/{token}/callback");
            self.wire.post(&path, &json!({"type": 4, "data": data})).await.map(drop)
        })
    }

    fn list_channels(&self) -> AdapterFuture<'_, Result<Vec<ChannelInfo>, SendError>> {
        Box::pin(async move {
            let guilds = self.wire.get("/users/@me/guilds").await?;
            let mut all = Vec::new();
            for guild in guilds.as_array().into_iter().flatten().take(20) {
                let id = guild["id"].as_str().unwrap_or_default();
                let channels = self.wire.get(&format!("/guilds/{id}/channels")).await?;
                let texts = channels.as_array().into_iter().flatten();
                let texts = texts.filter(|one| matches!(one["type"].as_u64(), Some(0 | 5)));
                all.extend(texts.filter_map(|one| {
                    Some(ChannelInfo {
                        id: one["id"].as_str()?.to_owned(),
                        name: one["name"].as_str()?.to_owned(),
                        kind: "channel".to_owned(),
                    })
                }));
            }
            Ok(all)
        })
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        Box::pin(async move {
            let me = self.wire.get("/users/@me").await?;
            Ok(format!("@{}", me["username"].as_str().unwrap_or_default()))
        })
    }

    fn render(&self, document: &Document) -> Rendered {
        Rendered::text(markup(document, &MarkupRules::MARKDOWN))
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        let is_number = |text: &str| {
            !text.is_empty() && text.len() <= 20 && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        match text.trim().split_once(':') {
            Some((chat, thread)) if is_number(chat) && is_number(thread) => {
                Ok(Target::thread(chat, thread))
            }
            None if is_number(text.trim()) => Ok(Target::chat(text.trim())),
            _ => Err(format!(
                "`{text}` is no channel of Discord: write its number, number:thread, or #name"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_notifies_nobody_by_what_a_model_wrote() {
        let message = Outgoing {
            content: Rendered::text("@everyone <@&5>"),
            buttons: vec![vec![Button {
                label: "Deny".to_owned(),
                data: "ap:x:deny".to_owned(),
                style: ButtonStyle::Danger,
            }]],
            ..Outgoing::default()
        };
        let body = body(&message);
        assert_eq!(body["allowed_mentions"]["parse"], json!(["users"]));
        assert_eq!(body["components"][0]["components"][0]["style"], 4);
        assert_eq!((nonce("a"), nonce("a").len()), (nonce("a"), 24));
        assert_ne!(nonce("a"), nonce("b"));
    }
}
