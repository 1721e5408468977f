//! Telegram's Bot API as far as a bot needs it, in memory, with faults on demand.
//!
//! People are the test: they say things ([`TelegramDouble::say`]), press buttons, and look at what the chat shows. Updates stay
//! until they are acknowledged by a later offset, as on the real servers, so whoever is killed in between gets them again.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::seen::Seen;
use crate::web::{WebReply, WebServer};

/// How long a poll is held open at most.
const HOLD: Duration = Duration::from_millis(500);
/// How long tests wait for something to happen.
const PATIENCE: Duration = Duration::from_secs(45);
/// The bot's own id.
const BOT: i64 = 4242;

/// Something that goes wrong, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TelegramFault {
    /// "Too many requests": nothing was done; wait this many seconds.
    Flood(u64),
    /// It was done, but the connection ends before that is told.
    CutAfter,
    /// The connection ends before anything was done.
    CutBefore,
    /// The server stumbles; nothing was done.
    Error(u16),
}

/// A message in a chat, as people see it.
#[derive(Clone, Debug)]
pub struct ChatMessage {
    /// Who sees it: a person's number, or a group's below zero.
    pub chat: i64,
    /// Its number there.
    pub id: i64,
    /// What it says now.
    pub text: String,
    /// How it is formatted.
    pub entities: Value,
    /// What its buttons carry, row by row.
    pub buttons: Vec<String>,
    /// Which method sent it.
    pub method: String,
    /// The name of a file in it.
    pub file: Option<String>,
    /// How often it was changed.
    pub edits: usize,
}

#[derive(Default)]
struct TelegramState {
    updates: VecDeque<Value>,
    next_update: i64,
    next_message: i64,
    messages: Vec<ChatMessage>,
    faults: Vec<(String, TelegramFault)>,
    answered: Vec<String>,
    polls: usize,
    webhook: Value,
    /// Files that people have sent, and how often each was fetched.
    files: Vec<(Vec<u8>, usize)>,
}

struct TelegramShared {
    state: Mutex<TelegramState>,
    news: Condvar,
    token: String,
}

/// A Bot API server on the loopback. It ends when it is dropped.
pub struct TelegramDouble {
    server: WebServer,
    shared: Arc<TelegramShared>,
}

impl TelegramDouble {
    /// Starts one for a bot with this token.
    #[must_use]
    pub fn start(token: &str) -> Self {
        let state = TelegramState { next_update: 1, next_message: 1, ..TelegramState::default() };
        let shared = Arc::new(TelegramShared {
            state: Mutex::new(state),
            news: Condvar::new(),
            token: token.to_owned(),
        });
        let answering = Arc::clone(&shared);
        let server = WebServer::start(move |seen| answering.answer(seen));
        Self { server, shared }
    }

    /// What `base_url` is set to.
    #[must_use]
    pub fn url(&self) -> String {
        self.server.origin()
    }

    fn state(&self) -> MutexGuard<'_, TelegramState> {
        self.shared.state()
    }

    fn post(&self, mut update: Value) -> i64 {
        let mut state = self.state();
        let id = state.next_update;
        state.next_update += 1;
        update["update_id"] = json!(id);
        state.updates.push_back(update);
        self.shared.news.notify_all();
        id
    }

    /// Somebody says something to the bot alone; the number of the message.
    pub fn say(&self, user: i64, text: &str) -> i64 {
        self.say_in(&json!({"id": user, "type": "private", "first_name": "Ann"}), user, text)
    }

    /// Somebody says something in a chat; the number of the message.
    pub fn say_in(&self, chat: &Value, user: i64, text: &str) -> i64 {
        let id = self.take_number();
        let command = text.starts_with('/').then(|| {
            let length = text.split_whitespace().next().unwrap_or_default().chars().count();
            json!([{"type": "bot_command", "offset": 0, "length": length}])
        });
        let mut message = json!({
            "message_id": id, "date": unix_now(), "text": text, "chat": chat,
            "from": {"id": user, "is_bot": false, "first_name": format!("Person {user}")},
        });
        if let Some(entities) = command {
            message["entities"] = entities;
        }
        self.post(json!({"message": message}));
        id
    }

    /// Somebody sends a file to the bot alone, and its size is told as `claimed`; the number of the file.
    pub fn send_file(&self, user: i64, name: &str, claimed: usize, bytes: &[u8]) -> usize {
        let id = self.take_number();
        let file = {
            let mut state = self.state();
            state.files.push((bytes.to_vec(), 0));
            state.files.len() - 1
        };
        self.post(json!({"message": {
            "message_id": id, "date": unix_now(), "caption": "look at this",
            "chat": {"id": user, "type": "private", "first_name": "Ann"},
            "from": {"id": user, "is_bot": false, "first_name": format!("Person {user}")},
            "document": {"file_id": format!("file-{file}"), "file_unique_id": format!("u{file}"),
                "file_name": name, "file_size": claimed},
        }}));
        file
    }

    /// How often a file that somebody sent was fetched.
    #[must_use]
    pub fn fetched(&self, file: usize) -> usize {
        self.state().files.get(file).map_or(0, |(_, fetched)| *fetched)
    }

    /// Somebody presses a button under a message.
    pub fn press(&self, chat: i64, user: i64, message: i64, data: &str) -> String {
        let id = format!("press-{}", self.take_number());
        self.post(json!({"callback_query": {
            "id": id, "data": data, "chat_instance": "1",
            "from": {"id": user, "is_bot": false, "first_name": format!("Person {user}")},
            "message": {"message_id": message, "date": unix_now(), "chat": {"id": chat, "type": "private"}},
        }}));
        id
    }

    /// Delivers an update again that was acknowledged, as Telegram does now and then.
    pub fn repeat(&self, message: &Value) {
        self.post(message.clone());
    }

    fn take_number(&self) -> i64 {
        let mut state = self.state();
        state.next_message += 1;
        state.next_message
    }

    /// The next call of a method goes wrong like this. Several wait in line.
    pub fn fault(&self, method: &str, fault: TelegramFault) {
        self.state().faults.push((method.to_owned(), fault));
    }

    /// Whether a fault waits still.
    #[must_use]
    pub fn faults_left(&self) -> usize {
        self.state().faults.len()
    }

    /// What the bot has put into a chat, oldest first.
    #[must_use]
    pub fn messages(&self, chat: i64) -> Vec<ChatMessage> {
        self.state().messages.iter().filter(|one| one.chat == chat).cloned().collect()
    }

    /// How the presses that were answered were answered.
    #[must_use]
    pub fn answered(&self) -> Vec<String> {
        self.state().answered.clone()
    }

    /// How often updates were asked for.
    #[must_use]
    pub fn polls(&self) -> usize {
        self.state().polls
    }

    /// Where the bot wants to be called, as it said.
    #[must_use]
    pub fn webhook(&self) -> Value {
        self.state().webhook.clone()
    }

    /// Waits until something holds of what the bot has put into a chat.
    ///
    /// # Panics
    /// If it does not come to that.
    #[track_caller]
    pub fn wait(&self, chat: i64, wanted: impl Fn(&[ChatMessage]) -> bool) -> Vec<ChatMessage> {
        let end = Instant::now() + PATIENCE;
        loop {
            let seen = self.messages(chat);
            if wanted(&seen) {
                return seen;
            }
            assert!(Instant::now() < end, "it did not come to that; the chat shows {seen:#?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits for a message that contains this, without the sign that more is to come.
    #[track_caller]
    pub fn wait_for_text(&self, chat: i64, text: &str) -> ChatMessage {
        let has = |one: &&ChatMessage| one.text.contains(text) && !one.text.contains('▉');
        let seen = self.wait(chat, |all| all.iter().any(|one| has(&one)));
        seen.iter().find(has).cloned().unwrap_or_else(|| unreachable!())
    }

    /// Waits until the bot asks for updates once more.
    #[track_caller]
    pub fn wait_for_poll(&self, after: usize) {
        let end = Instant::now() + PATIENCE;
        while self.polls() <= after {
            assert!(Instant::now() < end, "the bot does not ask for updates");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl fmt::Debug for TelegramDouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TelegramDouble").field("server", &self.server).finish_non_exhaustive()
    }
}

pub(crate) fn unix_now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map(|since| since.as_secs()).unwrap_or_default()
}

fn ok(result: &Value) -> WebReply {
    WebReply::json(&json!({"ok": true, "result": result}))
}

fn refused(code: u16, description: &str, parameters: &Value) -> WebReply {
    let mut body = json!({"ok": false, "error_code": code, "description": description});
    if !parameters.is_null() {
        body["parameters"] = parameters.clone();
    }
    WebReply::json(&body).with_status(code)
}

impl TelegramShared {
    fn state(&self) -> MutexGuard<'_, TelegramState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, seen: &Seen) -> WebReply {
        let file = seen.path.strip_prefix(&format!("/file/bot{}/file-", self.token));
        if let Some(file) = file.and_then(|number| number.parse::<usize>().ok()) {
            let mut state = self.state();
            return match state.files.get_mut(file) {
                Some((bytes, fetched)) => {
                    *fetched += 1;
                    WebReply::bytes(bytes.clone())
                }
                None => refused(404, "Not Found", &Value::Null),
            };
        }
        let begin = format!("/bot{}/", self.token);
        let Some(method) = seen.path.strip_prefix(&begin) else {
            return refused(401, "Unauthorized", &Value::Null);
        };
        let method = method.split('?').next().unwrap_or_default().to_owned();
        let fault = {
            let mut state = self.state();
            let found = state.faults.iter().position(|(of, _)| *of == method);
            found.map(|at| state.faults.remove(at).1)
        };
        match fault {
            Some(TelegramFault::Flood(seconds)) => {
                let what = format!("Too Many Requests: retry after {seconds}");
                return refused(429, &what, &json!({"retry_after": seconds}));
            }
            Some(TelegramFault::CutBefore) => return WebReply::bytes("{\"ok\"").cut(),
            Some(TelegramFault::Error(code)) => {
                return refused(code, "Internal Server Error", &Value::Null);
            }
            Some(TelegramFault::CutAfter) | None => {}
        }
        let reply = self.act(&method, &fields(&seen.body));
        if fault == Some(TelegramFault::CutAfter) { reply.cut() } else { reply }
    }

    fn act(&self, method: &str, body: &Value) -> WebReply {
        match method {
            "getMe" => ok(&json!({
                "id": BOT, "is_bot": true, "first_name": "Hermes", "username": "HermesDoubleBot",
                "can_join_groups": true, "can_read_all_group_messages": false,
                "supports_inline_queries": false,
            })),
            "getUpdates" => self.updates(body),
            "sendMessage" => self.send(method, body, None),
            "sendPhoto" | "sendDocument" | "sendVoice" | "sendAudio" | "sendVideo" => {
                let file = body["__file"].as_str();
                self.send(method, body, file)
            }
            "editMessageText" => self.edit(body),
            "answerCallbackQuery" => {
                let text = body["text"].as_str().unwrap_or_default().to_owned();
                self.state().answered.push(text);
                ok(&json!(true))
            }
            "setWebhook" | "deleteWebhook" => {
                self.state().webhook = body.clone();
                ok(&json!(true))
            }
            "getFile" => ok(&json!({"file_id": body["file_id"], "file_unique_id": "u",
                "file_path": body["file_id"]})),
            "getWebhookInfo" => {
                ok(&json!({"url": "", "has_custom_certificate": false, "pending_update_count": 0}))
            }
            "sendChatAction" | "setMessageReaction" | "setMyCommands" | "deleteMessage"
            | "deleteMyCommands" => ok(&json!(true)),
            _ => refused(404, "Not Found: method not found", &Value::Null),
        }
    }

    fn updates(&self, body: &Value) -> WebReply {
        let number = |name: &str| {
            let value = &body[name];
            value.as_i64().or_else(|| value.as_str().and_then(|text| text.parse().ok()))
        };
        let offset = number("offset").unwrap_or(0);
        let hold = Duration::from_secs(u64::try_from(number("timeout").unwrap_or(0)).unwrap_or(0))
            .min(HOLD);
        let mut state = self.state();
        state.polls += 1;
        let end = Instant::now() + hold;
        loop {
            state.updates.retain(|update| update["update_id"].as_i64().unwrap_or(0) >= offset);
            if !state.updates.is_empty() {
                let all: Vec<&Value> = state.updates.iter().take(100).collect();
                return ok(&json!(all));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return ok(&json!([]));
            }
            let waited = self.news.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn send(&self, method: &str, body: &Value, file: Option<&str>) -> WebReply {
        let chat = &body["chat_id"];
        let Some(chat) = chat.as_i64().or_else(|| chat.as_str().and_then(|text| text.parse().ok()))
        else {
            return refused(400, "Bad Request: chat not found", &Value::Null);
        };
        let text = body["text"].as_str().or_else(|| body["caption"].as_str()).unwrap_or_default();
        if method == "sendMessage" && text.trim().is_empty() {
            return refused(400, "Bad Request: message text is empty", &Value::Null);
        }
        let length = text.encode_utf16().count();
        if length > 4_096 {
            return refused(400, "Bad Request: message is too long", &Value::Null);
        }
        let entities = parsed(&body["entities"]);
        let is_out = |entity: &Value| {
            let number = |name: &str| entity[name].as_u64().unwrap_or(u64::MAX);
            number("length") == 0
                || number("offset").saturating_add(number("length")) > length as u64
        };
        if entities.as_array().is_some_and(|all| all.iter().any(is_out)) {
            return refused(400, "Bad Request: can't parse entities", &Value::Null);
        }
        let mut state = self.state();
        state.next_message += 1;
        let id = state.next_message;
        state.messages.push(ChatMessage {
            chat,
            id,
            text: text.to_owned(),
            entities: entities.clone(),
            buttons: buttons(&parsed(&body["reply_markup"])),
            method: method.to_owned(),
            file: file.map(str::to_owned),
            edits: 0,
        });
        ok(&message_json(chat, id, text, &entities))
    }

    fn edit(&self, body: &Value) -> WebReply {
        let text = body["text"].as_str().unwrap_or_default();
        let number = |value: &Value| {
            value.as_i64().or_else(|| value.as_str().and_then(|text| text.parse().ok()))
        };
        let (chat, id) = (number(&body["chat_id"]), number(&body["message_id"]));
        let mut state = self.state();
        let found =
            state.messages.iter_mut().find(|one| Some(one.chat) == chat && Some(one.id) == id);
        let Some(message) = found else {
            return refused(400, "Bad Request: message to edit not found", &Value::Null);
        };
        let (entities, carried) =
            (parsed(&body["entities"]), buttons(&parsed(&body["reply_markup"])));
        if message.text == text && message.buttons == carried {
            return refused(400, "Bad Request: message is not modified", &Value::Null);
        }
        text.clone_into(&mut message.text);
        message.entities = entities.clone();
        message.buttons = carried;
        message.edits += 1;
        let (chat, id) = (message.chat, message.id);
        ok(&message_json(chat, id, text, &entities))
    }
}

fn message_json(chat: i64, id: i64, text: &str, entities: &Value) -> Value {
    json!({
        "message_id": id, "date": unix_now(), "text": text, "entities": entities,
        "chat": {"id": chat, "type": if chat < 0 { "group" } else { "private" }, "title": "Us", "first_name": "Ann"},
        "from": {"id": BOT, "is_bot": true, "first_name": "Hermes", "username": "HermesDoubleBot"},
    })
}

fn buttons(markup: &Value) -> Vec<String> {
    let rows = markup["inline_keyboard"].as_array().into_iter().flatten();
    let all = rows.flat_map(|row| row.as_array().into_iter().flatten());
    all.filter_map(|button| button["callback_data"].as_str().map(str::to_owned)).collect()
}

/// Some clients send parts of a request as JSON in text.
fn parsed(value: &Value) -> Value {
    match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or_default(),
        Value::Null => json!([]),
        other => other.clone(),
    }
}

/// The fields of a body: JSON, a form, or a form with files.
pub(crate) fn fields(body: &Value) -> Value {
    let Value::String(text) = body else { return body.clone() };
    let mut fields = json!({});
    if text.starts_with("--") {
        let boundary = text.split("\r\n").next().unwrap_or_default().to_owned();
        for part in text.split(&boundary) {
            let Some((head, value)) = part.split_once("\r\n\r\n") else { continue };
            let name = head.split("name=\"").nth(1).and_then(|rest| rest.split('"').next());
            let Some(name) = name else { continue };
            match head.split("filename=\"").nth(1).and_then(|rest| rest.split('"').next()) {
                Some(file) => fields["__file"] = json!(file),
                None => fields[name] = json!(value.trim_end_matches("\r\n")),
            }
        }
        return fields;
    }
    for pair in text.split('&') {
        if let Some((name, value)) = pair.split_once('=') {
            fields[name] = json!(unescaped(value));
        }
    }
    fields
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        rest = more;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let code = more.get(..2).and_then(|code| std::str::from_utf8(code).ok());
                match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
                    Some(byte) => {
                        bytes.push(byte);
                        rest = more.get(2..).unwrap_or_default();
                    }
                    None => bytes.push(b'%'),
                }
            }
            byte => bytes.push(*byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
