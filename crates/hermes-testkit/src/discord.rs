//! Discord's requests and its gateway socket as far as a bot needs them, in memory.
//!
//! Events have numbers; a client that comes back with a session gets what it missed.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::board::Board;
use crate::seen::Seen;
use crate::socket::SocketPeer;
use crate::telegram::unix_now;
use crate::web::{WebReply, WebServer};

/// The bot's own number.
const BOT: &str = "1000";
const SESSION: &str = "session-of-the-double";

struct DiscordShared {
    board: Board,
    token: String,
    /// Everything that was dispatched, in order; the number of the first is 1.
    events: Mutex<Vec<(String, Value)>>,
    threads: Mutex<Vec<String>>,
    callbacks: Mutex<Vec<Value>>,
    nonces: Mutex<Vec<(String, Value)>>,
    next: AtomicU64,
    identified: AtomicUsize,
    resumed: AtomicUsize,
    cut: AtomicBool,
    refuse: AtomicU64,
    address: Mutex<String>,
}

/// A Discord on the loopback. It ends when it is dropped.
pub struct DiscordDouble {
    server: WebServer,
    shared: Arc<DiscordShared>,
}

impl DiscordDouble {
    /// Starts one for a bot with this token.
    #[must_use]
    pub fn start(token: &str) -> Self {
        let shared = Arc::new(DiscordShared {
            board: Board::default(),
            token: token.to_owned(),
            events: Mutex::default(),
            threads: Mutex::default(),
            callbacks: Mutex::default(),
            nonces: Mutex::default(),
            next: AtomicU64::new(5_000),
            identified: AtomicUsize::new(0),
            resumed: AtomicUsize::new(0),
            cut: AtomicBool::new(false),
            refuse: AtomicU64::new(0),
            address: Mutex::default(),
        });
        let (answering, speaking) = (Arc::clone(&shared), Arc::clone(&shared));
        let server = WebServer::start_with_sockets(
            move |seen| answering.answer(seen),
            move |peer| speaking.speak(peer),
        );
        *shared.address.lock().unwrap_or_else(PoisonError::into_inner) =
            server.origin().replace("http://", "ws://");
        Self { server, shared }
    }

    /// What `base_url` is set to.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/api/v10", self.server.origin())
    }

    /// What people see.
    #[must_use]
    pub fn board(&self) -> &Board {
        &self.shared.board
    }

    /// Somebody says something in a channel of a guild, or alone with the bot (`guild` none); its number.
    pub fn say(&self, guild: Option<&str>, channel: &str, user: &str, text: &str) -> String {
        let id = self.shared.take_number();
        let mut message = self.shared.message(&id, channel, text);
        message["author"] = json!({"id": user, "username": format!("person{user}"),
            "global_name": "Ann", "discriminator": "0", "avatar": null});
        if let Some(guild) = guild {
            message["guild_id"] = json!(guild);
            message["member"] = json!({"roles": [], "joined_at": "2026-01-01T00:00:00+00:00",
                "deaf": false, "mute": false, "flags": 0});
        }
        if text.contains(&format!("<@{BOT}>")) {
            message["mentions"] = json!([self.shared.me()]);
        }
        self.shared.dispatch("MESSAGE_CREATE", message);
        id
    }

    /// Somebody presses a button under a message.
    pub fn press(&self, channel: &str, user: &str, message: &str, data: &str) {
        let id = self.shared.take_number();
        self.shared.dispatch(
            "INTERACTION_CREATE",
            json!({"id": id, "token": format!("token-{id}"), "type": 3, "application_id": BOT,
                "channel_id": channel, "version": 1, "data": {"custom_id": data, "component_type": 2},
                "user": {"id": user, "username": "ann", "discriminator": "0", "avatar": null},
                "message": {"id": message, "channel_id": channel}}),
        );
    }

    /// How presses were answered.
    #[must_use]
    pub fn callbacks(&self) -> Vec<Value> {
        self.shared.callbacks.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends all connections without a word.
    pub fn cut(&self) {
        self.shared.cut.store(true, Ordering::Relaxed);
    }

    /// The next login is answered by closing with this number.
    pub fn refuse(&self, code: u16) {
        self.shared.refuse.store(u64::from(code), Ordering::Relaxed);
    }

    /// How often somebody logged in anew, and how often somebody came back.
    #[must_use]
    pub fn logins(&self) -> (usize, usize) {
        let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
        (count(&self.shared.identified), count(&self.shared.resumed))
    }
}

impl fmt::Debug for DiscordDouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DiscordDouble").field("server", &self.server).finish_non_exhaustive()
    }
}

fn refused(status: u16, code: u64, message: &str) -> WebReply {
    WebReply::json(&json!({"code": code, "message": message})).with_status(status)
}

impl DiscordShared {
    fn take_number(&self) -> String {
        self.next.fetch_add(1, Ordering::Relaxed).to_string()
    }

    fn me(&self) -> Value {
        json!({"id": BOT, "username": "hermes", "discriminator": "0", "global_name": null,
            "avatar": null, "bot": true, "flags": 0, "verified": true, "mfa_enabled": true,
            "email": null})
    }

    fn message(&self, id: &str, channel: &str, text: &str) -> Value {
        json!({"id": id, "channel_id": channel, "content": text, "type": 0, "author": self.me(),
            "timestamp": moment(unix_now()), "edited_timestamp": null, "tts": false,
            "mention_everyone": false, "mentions": [], "mention_roles": [], "attachments": [],
            "embeds": [], "pinned": false, "components": [], "flags": 0})
    }

    fn dispatch(&self, kind: &str, data: Value) {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        events.push((kind.to_owned(), data));
    }

    fn answer(&self, seen: &Seen) -> WebReply {
        let is_ours = seen.carries(&format!("Bot {}", self.token));
        if !is_ours && !seen.path.contains("/interactions/") {
            return refused(401, 0, "401: Unauthorized");
        }
        let path = seen.path.split('?').next().unwrap_or_default();
        let words: Vec<&str> = path.trim_start_matches("/api/v10/").split('/').collect();
        match (seen.method.as_str(), words.as_slice()) {
            ("GET", ["users", "@me"]) => WebReply::json(&self.me()),
            ("GET", ["users", "@me", "guilds"]) => {
                WebReply::json(&json!([{"id": "5", "name": "Home"}]))
            }
            ("GET", ["guilds", _, "channels"]) => WebReply::json(&json!([
                {"id": "30", "name": "general", "type": 0}, {"id": "31", "name": "voice", "type": 2},
            ])),
            ("GET", ["oauth2", "applications", "@me"]) => WebReply::json(&json!({
                "id": BOT, "name": "hermes", "icon": null, "description": "", "rpc_origins": [],
                "bot_public": true, "bot_require_code_grant": false, "owner": self.me(), "flags": 0,
                "summary": "", "verify_key": "00",
            })),
            ("GET", ["gateway", "bot"]) => {
                let url = self.address.lock().unwrap_or_else(PoisonError::into_inner).clone();
                WebReply::json(&json!({"url": url, "shards": 1, "session_start_limit":
                    {"total": 1000, "remaining": 999, "reset_after": 1, "max_concurrency": 1}}))
            }
            ("GET", ["channels", id]) => {
                let threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
                WebReply::json(&match threads.iter().any(|thread| thread == id) {
                    true => json!({"id": id, "type": 11, "parent_id": "30", "guild_id": "5",
                        "owner_id": BOT, "name": "a thread"}),
                    false => json!({"id": id, "type": 0, "guild_id": "5", "name": "general"}),
                })
            }
            ("POST", ["channels", _, "messages", message, "threads"]) => {
                let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
                threads.push((*message).to_owned());
                WebReply::json(&json!({"id": message, "type": 11, "name": seen.body["name"]}))
            }
            ("POST", ["channels", _, "typing"]) | ("PUT", ["channels", ..]) => {
                WebReply::status(204)
            }
            ("POST", ["channels", id, "messages"]) => self.post(id, seen),
            ("PATCH", ["channels", id, "messages", message]) => {
                let text = seen.body["content"].as_str().unwrap_or_default();
                match self.board.edit(message, text, &seen.body) {
                    true => WebReply::json(&self.message(message, id, text)),
                    false => refused(404, 10_008, "Unknown Message"),
                }
            }
            ("POST", ["interactions", ..]) => {
                let mut all = self.callbacks.lock().unwrap_or_else(PoisonError::into_inner);
                all.push(seen.body.clone());
                WebReply::status(204)
            }
            _ => refused(404, 0, "404: Not Found"),
        }
    }

    fn post(&self, channel: &str, seen: &Seen) -> WebReply {
        let is_thread = channel.len() == 4 && channel.starts_with('5');
        let threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if is_thread && !threads.iter().any(|thread| thread == channel) {
            return refused(404, 10_003, "Unknown Channel");
        }
        let body = match &seen.body {
            Value::String(form) => {
                let json = form.split("name=\"payload_json\"\r\n\r\n").nth(1).unwrap_or_default();
                let json = json.split("\r\n--").next().unwrap_or_default();
                let mut body: Value = serde_json::from_str(json).unwrap_or_default();
                let name = form.split("filename=\"").nth(1).and_then(|rest| rest.split('"').next());
                body["__file"] = json!(name);
                body
            }
            body => body.clone(),
        };
        let text = body["content"].as_str().unwrap_or_default();
        if text.encode_utf16().count() > 2_000 {
            return refused(400, 50_035, "Invalid Form Body");
        }
        if text.is_empty() && body["__file"].is_null() {
            return refused(400, 50_006, "Cannot send an empty message");
        }
        let mut nonces = self.nonces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(nonce) = body["nonce"].as_str().filter(|_| body["enforce_nonce"] == true) {
            if let Some((_, sent)) = nonces.iter().find(|(known, _)| known == nonce) {
                return WebReply::json(sent);
            }
            let id = self.take_number();
            let sent = self.message(&id, channel, text);
            nonces.push((nonce.to_owned(), sent.clone()));
            self.board.put(channel, &id, text, &body);
            return WebReply::json(&sent);
        }
        let id = self.take_number();
        self.board.put(channel, &id, text, &body);
        WebReply::json(&self.message(&id, channel, text))
    }

    /// One connection of the gateway.
    fn speak(&self, mut peer: SocketPeer) {
        peer.send(&json!({"op": 10, "d": {"heartbeat_interval": 4_000}, "s": null, "t": null}));
        let mut next = None::<usize>;
        while peer.is_open() {
            if self.cut.swap(false, Ordering::Relaxed) {
                return;
            }
            if let Some(at) = next {
                let events = self.events.lock().unwrap_or_else(PoisonError::into_inner).clone();
                for (offset, (kind, data)) in events.iter().enumerate().skip(at) {
                    peer.send(&json!({"op": 0, "t": kind, "s": offset + 2, "d": data}));
                }
                next = Some(events.len());
            }
            let Some(told) = peer.read() else { continue };
            let refuse = self.refuse.load(Ordering::Relaxed);
            match told["op"].as_u64() {
                Some(1) => peer.send(&json!({"op": 11, "d": null, "s": null, "t": null})),
                Some(2) if refuse != 0 => {
                    return peer.close(u16::try_from(refuse).unwrap_or(4_000));
                }
                Some(2) if told["d"]["token"] == self.token.as_str() => {
                    self.identified.fetch_add(1, Ordering::Relaxed);
                    let address = self.address.lock().unwrap_or_else(PoisonError::into_inner);
                    peer.send(&json!({"op": 0, "t": "READY", "s": 1, "d": {
                        "v": 10, "user": self.me(), "guilds": [], "session_id": SESSION,
                        "resume_gateway_url": *address, "application": {"id": BOT, "flags": 0},
                        "session_type": "normal", "private_channels": [], "shard": [0, 1],
                        "user_settings": {}, "relationships": [], "presences": [],
                    }}));
                    let events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
                    next = Some(events.len());
                }
                Some(6) if told["d"]["session_id"] == SESSION => {
                    self.resumed.fetch_add(1, Ordering::Relaxed);
                    let seen = told["d"]["seq"].as_u64().unwrap_or(1).max(1);
                    next = Some(usize::try_from(seen - 1).unwrap_or(0));
                    peer.send(&json!({"op": 0, "t": "RESUMED", "s": seen, "d": {}}));
                }
                Some(2) => return peer.close(4_004),
                Some(6) => peer.send(&json!({"op": 9, "d": false, "s": null, "t": null})),
                _ => {}
            }
        }
    }
}

/// Seconds since 1970 as Discord writes them.
fn moment(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Counted from the first of March, so that a leap day is the last of its year.
    let era_day = days + 719_468;
    let (era, day) = (era_day / 146_097, era_day % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.000000+00:00")
}

#[cfg(test)]
mod tests {
    use super::moment;

    #[test]
    fn moments_are_those_of_the_calendar() {
        assert_eq!(moment(0), "1970-01-01T00:00:00.000000+00:00");
        assert_eq!(moment(951_782_400), "2000-02-29T00:00:00.000000+00:00");
        assert_eq!(moment(1_763_467_323), "2025-11-18T12:02:03.000000+00:00");
    }
}
