//! Slack's Web API and Socket Mode as far as a bot needs them, in memory.
//!
//! An envelope that is not acknowledged is delivered again, to whoever is connected then.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::board::Board;
use crate::seen::Seen;
use crate::socket::SocketPeer;
use crate::telegram::{fields, unix_now};
use crate::web::{WebReply, WebServer};

/// The bot as a person, and as a bot.
const BOT_USER: &str = "U0BOTUSER";
const BOT: &str = "B0BOT";

struct SlackShared {
    board: Board,
    bot_token: String,
    app_token: String,
    /// Envelopes that wait for their acknowledgement.
    waiting: Mutex<Vec<Value>>,
    acknowledged: Mutex<Vec<String>>,
    next: AtomicU64,
    renew: AtomicBool,
    address: Mutex<String>,
    ephemeral: Mutex<Vec<Value>>,
}

/// A Slack on the loopback. It ends when it is dropped.
pub struct SlackDouble {
    server: WebServer,
    shared: Arc<SlackShared>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl SlackDouble {
    /// Starts one for an app with these tokens.
    #[must_use]
    pub fn start(bot_token: &str, app_token: &str) -> Self {
        let shared = Arc::new(SlackShared {
            board: Board::default(),
            bot_token: bot_token.to_owned(),
            app_token: app_token.to_owned(),
            waiting: Mutex::default(),
            acknowledged: Mutex::default(),
            next: AtomicU64::new(1),
            renew: AtomicBool::new(false),
            address: Mutex::default(),
            ephemeral: Mutex::default(),
        });
        let (answering, speaking) = (Arc::clone(&shared), Arc::clone(&shared));
        let server = WebServer::start_with_sockets(
            move |seen| answering.answer(seen),
            move |peer| speaking.speak(peer),
        );
        *lock(&shared.address) = server.origin();
        Self { server, shared }
    }

    /// What `base_url` is set to.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/api", self.server.origin())
    }

    /// What people see. Threads are chats of the form `channel:ts`.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.shared.board
    }

    /// Lines that only one person saw.
    #[must_use]
    pub fn ephemeral(&self) -> Vec<Value> {
        lock(&self.shared.ephemeral).clone()
    }

    /// Somebody says something; its timestamp. A mention comes twice, as Slack does it.
    pub fn say(&self, channel: &str, thread: Option<&str>, user: &str, text: &str) -> String {
        let ts = self.shared.ts();
        let kind = if channel.starts_with('D') { "im" } else { "channel" };
        let mut event = json!({"type": "message", "channel": channel, "channel_type": kind,
            "user": user, "text": text, "ts": ts, "event_ts": ts, "team": "T1"});
        if let Some(thread) = thread {
            event["thread_ts"] = json!(thread);
        }
        self.shared.post("events_api", &event_payload(&event));
        if text.contains(&format!("<@{BOT_USER}>")) {
            event["type"] = json!("app_mention");
            self.shared.post("events_api", &event_payload(&event));
        }
        ts
    }

    /// Somebody presses a button.
    pub fn press(&self, channel: &str, user: &str, message: &str, value: &str) {
        let payload = json!({"type": "block_actions", "trigger_id": self.shared.ts(),
            "team": {"id": "T1"}, "api_app_id": "A1",
            "user": {"id": user, "name": "ann"}, "channel": {"id": channel},
            "message": {"ts": message}, "actions": [{"type": "button", "action_id": value,
            "value": value, "action_ts": self.shared.ts()}]});
        self.shared.post("interactive", &payload);
    }

    /// Delivers everything again that was acknowledged, and asks the client to connect anew.
    pub fn renew(&self) {
        self.shared.renew.store(true, Ordering::Relaxed);
    }

    /// How many envelopes were acknowledged.
    #[must_use]
    pub fn acknowledged(&self) -> usize {
        lock(&self.shared.acknowledged).len()
    }
}

impl fmt::Debug for SlackDouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SlackDouble").field("server", &self.server).finish_non_exhaustive()
    }
}

fn event_payload(event: &Value) -> Value {
    json!({"token": "x", "team_id": "T1", "api_app_id": "A1", "type": "event_callback",
        "event_id": format!("Ev{}", event["ts"]), "event_time": 1, "event": event,
        "authorizations": [{"team_id": "T1", "user_id": BOT_USER, "is_bot": true,
            "enterprise_id": null, "is_enterprise_install": false}]})
}

fn ok(mut body: Value) -> WebReply {
    body["ok"] = json!(true);
    WebReply::json(&body)
}

fn refused(error: &str) -> WebReply {
    WebReply::json(&json!({"ok": false, "error": error}))
}

impl SlackShared {
    fn ts(&self) -> String {
        format!("{}.{:06}", unix_now(), self.next.fetch_add(1, Ordering::Relaxed))
    }

    fn post(&self, kind: &str, payload: &Value) {
        let id = format!("envelope-{}", self.next.fetch_add(1, Ordering::Relaxed));
        let envelope = json!({"envelope_id": id, "type": kind, "payload": payload,
            "accepts_response_payload": false, "retry_attempt": 0, "retry_reason": ""});
        lock(&self.waiting).push(envelope);
    }

    fn answer(&self, seen: &Seen) -> WebReply {
        let path = seen.path.split('?').next().unwrap_or_default();
        let method = path.trim_start_matches("/api/");
        if path.starts_with("/upload") {
            return WebReply::bytes("OK");
        }
        let body = fields(&seen.body);
        let wanted = match method {
            "apps.connections.open" => &self.app_token,
            _ => &self.bot_token,
        };
        if !seen.carries(wanted) {
            return refused("invalid_auth");
        }
        let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        match method {
            "auth.test" => ok(json!({"url": "https://double.slack.com/", "team": "Double",
                "user": "hermes", "team_id": "T1", "user_id": BOT_USER, "bot_id": BOT,
                "is_enterprise_install": false})),
            "apps.connections.open" => {
                let address = lock(&self.address).replace("http://", "ws://");
                ok(json!({"url": format!("{address}/link/?ticket=1&app_id=A1")}))
            }
            "users.info" => ok(json!({"user": {"id": text("user"), "name": "ann",
                "real_name": "Ann Lee", "profile": {"display_name": "Ann"}}})),
            "conversations.list" => {
                ok(json!({"channels": [{"id": "C012345678", "name": "general"}],
                "response_metadata": {"next_cursor": ""}}))
            }
            "conversations.open" => ok(json!({"channel": {"id": "D012345678"}})),
            "chat.postMessage" => {
                if text("text").is_empty() {
                    return refused("no_text");
                }
                let ts = self.ts();
                let chat = match text("thread_ts") {
                    thread if thread.is_empty() => text("channel"),
                    thread => format!("{}:{thread}", text("channel")),
                };
                self.board.put(&chat, &ts, &text("text"), &body);
                ok(json!({"channel": text("channel"), "ts": ts,
                    "message": {"type": "message", "text": text("text"), "ts": ts, "bot_id": BOT}}))
            }
            "chat.update" => match self.board.edit(&text("ts"), &text("text"), &body) {
                true => {
                    ok(json!({"channel": text("channel"), "ts": text("ts"), "text": text("text")}))
                }
                false => refused("message_not_found"),
            },
            "chat.postEphemeral" => {
                lock(&self.ephemeral).push(body);
                ok(json!({"message_ts": self.ts()}))
            }
            "files.getUploadURLExternal" => {
                let address = lock(&self.address).clone();
                ok(json!({"upload_url": format!("{address}/upload/F1"), "file_id": "F1"}))
            }
            "files.completeUploadExternal" => {
                self.board.put(&text("channel_id"), "F1", "", &body);
                ok(json!({"files": [{"id": "F1"}]}))
            }
            _ => refused("unknown_method"),
        }
    }

    /// One connection.
    fn speak(&self, mut peer: SocketPeer) {
        peer.send(&json!({"type": "hello", "num_connections": 1,
            "connection_info": {"app_id": "A1"}, "debug_info": {"host": "double"}}));
        let mut sent: Vec<String> = Vec::new();
        while peer.is_open() {
            if self.renew.swap(false, Ordering::Relaxed) {
                peer.send(&json!({"type": "disconnect", "reason": "refresh_requested"}));
                return peer.close(1_000);
            }
            for envelope in lock(&self.waiting).clone() {
                let id = envelope["envelope_id"].as_str().unwrap_or_default().to_owned();
                if !sent.contains(&id) {
                    peer.send(&envelope);
                    sent.push(id);
                }
            }
            let Some(told) = peer.read() else { continue };
            if let Some(id) = told["envelope_id"].as_str() {
                lock(&self.acknowledged).push(id.to_owned());
                lock(&self.waiting).retain(|envelope| envelope["envelope_id"] != id);
            }
        }
    }
}
