//! Matrix, without encryption: long polls of `/sync`, and sends that carry a transaction so that a repeated one is one message.
//!
//! Where the last poll ended is stored with its events. What a poll leaves out because it was too much is read afterwards.

mod rooms;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, Capabilities, DisplayDefaults, InboundMedia, Inbox,
    LengthUnit, LinkError, MediaKind, MessageLimit, Outgoing, OutgoingFile, Pace, Platform,
    Receiving, SendClass, SendError, SetupError, Target, ToolProgress, Variable, download,
    exchange,
};
use crate::markdown::{Document, MarkupRules, Rendered, html, markup};
use rooms::{Invites, Rooms};

static MATRIX: Platform = Platform {
    label: "Matrix",
    emoji: "🟩",
    required: &[Variable::open("MATRIX_HOMESERVER", "Address of the homeserver (https://…)")],
    optional: &[
        Variable::secret("MATRIX_ACCESS_TOKEN", "Access token of the bot's account"),
        Variable::open("MATRIX_USER_ID", "The bot's name (@hermes:example.org), with a password"),
        Variable::secret("MATRIX_PASSWORD", "Its password"),
        Variable::open("MATRIX_DEVICE_ID", "Name of the device (HERMES)"),
    ],
    home_variable: Some("MATRIX_HOME_ROOM"),
    limit: MessageLimit { length: 16_000, unit: LengthUnit::Characters },
    capabilities: Capabilities {
        edit: true,
        delete: true,
        reactions: true,
        threads: true,
        typing: true,
        files: true,
        idempotent_for: Duration::from_secs(1_800),
        ..Capabilities::NONE
    },
    pace: Pace { typing: Duration::from_secs(20), ..Pace::UNHURRIED },
    display: DisplayDefaults { tool_progress: ToolProgress::New, ..DisplayDefaults::CHAT },
    open: |setup| Ok(Arc::new(Matrix::new(&setup)?)),
    ..Platform::named("matrix", "MATRIX", "hermes-matrix")
};
crate::register_platform!(&MATRIX);

/// How long the server holds a poll open.
const POLL: Duration = Duration::from_secs(30);
/// The name of the mark that says where the next poll begins.
const SINCE: &str = "since";
/// Events of one room in one poll; what is beyond is read afterwards.
const TIMELINE: u32 = 50;

struct Wire {
    http: reqwest::Client,
    base: String,
    login: Login,
    token: OnceCell<String>,
}

enum Login {
    Token(String),
    Password { user: String, password: String, device: String },
}

/// A part of a path.
fn enc(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>().replace('+', "%20")
}

/// The same for the same message.
fn txn(key: &str) -> String {
    let hash = ring::digest::digest(&ring::digest::SHA256, key.as_bytes());
    hash.as_ref().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

fn fresh() -> String {
    format!("{:016x}", hermes_store::clock::random())
}

impl Wire {
    async fn token(&self) -> Result<&str, SendError> {
        let token = self.token.get_or_try_init(|| async {
            let (user, password, device) = match &self.login {
                Login::Token(token) => return Ok(token.clone()),
                Login::Password { user, password, device } => (user, password, device),
            };
            let body = json!({
                "type": "m.login.password", "identifier": {"type": "m.id.user", "user": user},
                "password": password, "device_id": device, "initial_device_display_name": "Hermes",
            });
            let address = format!("{}/_matrix/client/v3/login", self.base);
            let answer = answer(self.http.post(address).json(&body)).await?;
            Ok(answer["access_token"].as_str().unwrap_or_default().to_owned())
        });
        token.await.map(String::as_str)
    }

    async fn request(
        &self,
        method: reqwest::Method,
        path: &str,
    ) -> Result<reqwest::RequestBuilder, SendError> {
        let address = format!("{}/_matrix/client/v3/{path}", self.base);
        Ok(self.http.request(method, address).bearer_auth(self.token().await?))
    }

    async fn get(&self, path: &str) -> Result<Value, SendError> {
        answer(self.request(reqwest::Method::GET, path).await?).await
    }

    async fn put(&self, path: &str, body: &Value) -> Result<Value, SendError> {
        answer(self.request(reqwest::Method::PUT, path).await?.json(body)).await
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value, SendError> {
        answer(self.request(reqwest::Method::POST, path).await?.json(body)).await
    }

    async fn sync(&self, since: Option<&str>) -> Result<Value, SendError> {
        let filter = json!({
            "room": {"timeline": {"limit": TIMELINE}, "ephemeral": {"types": []}},
            "presence": {"types": []},
        });
        let filter = enc(&filter.to_string());
        let path = match since {
            Some(since) => {
                format!("sync?timeout={}&since={}&filter={filter}", POLL.as_millis(), enc(since))
            }
            None => format!("sync?timeout=0&filter={filter}"),
        };
        answer(self.request(reqwest::Method::GET, &path).await?.timeout(POLL * 3)).await
    }
}

async fn answer(request: reqwest::RequestBuilder) -> Result<Value, SendError> {
    let reply = exchange(request).await?;
    let code = reply.body["errcode"].as_str().unwrap_or_default().to_owned();
    let wait = reply.body["retry_after_ms"].as_u64().map(Duration::from_millis);
    reply.accepted("Matrix", &["error"]).map_err(|error| {
        let class = match code.as_str() {
            "M_LIMIT_EXCEEDED" => SendClass::RateLimited,
            "M_TOO_LARGE" => SendClass::TooLong,
            "M_UNKNOWN_TOKEN" | "M_MISSING_TOKEN" | "M_FORBIDDEN" => SendClass::Forbidden,
            "M_NOT_FOUND" => SendClass::NotFound,
            _ => error.class,
        };
        SendError { class, retry_after: wait.or(error.retry_after), ..error }
    })
}

fn refused(error: SendError) -> LinkError {
    LinkError::while_connecting(
        error,
        "Check MATRIX_ACCESS_TOKEN, or MATRIX_USER_ID and MATRIX_PASSWORD.",
    )
}

struct Matrix {
    wire: Arc<Wire>,
    invites: Invites,
}

impl Matrix {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let base = setup.base_url(&setup.required("MATRIX_HOMESERVER")?);
        let named = (setup.variable("MATRIX_USER_ID"), setup.variable("MATRIX_PASSWORD"));
        let login = match (setup.variable("MATRIX_ACCESS_TOKEN"), named) {
            (Some(token), _) => Login::Token(token),
            (None, (Some(user), Some(password))) => {
                let device = setup.variable("MATRIX_DEVICE_ID");
                let device = device.unwrap_or_else(|| "HERMES".to_owned());
                Login::Password { user, password, device }
            }
            _ => {
                return Err(SetupError::new(
                    "set MATRIX_ACCESS_TOKEN, or MATRIX_USER_ID and MATRIX_PASSWORD",
                ));
            }
        };
        let http = setup.http(&base)?;
        let wire = Wire { http, base, login, token: OnceCell::new() };
        Ok(Self { wire: Arc::new(wire), invites: Invites::read(setup) })
    }

    /// The room of a target: an alias is looked up, a person's is opened.
    async fn room(&self, target: &Target) -> Result<String, SendError> {
        let place = &target.chat_id;
        if place.starts_with('#') {
            let found = self.wire.get(&format!("directory/room/{}", enc(place))).await?;
            return Ok(found["room_id"].as_str().unwrap_or_default().to_owned());
        }
        if !place.starts_with('@') {
            return Ok(place.clone());
        }
        let me = self.wire.get("account/whoami").await?;
        let list = format!(
            "user/{}/account_data/m.direct",
            enc(me["user_id"].as_str().unwrap_or_default())
        );
        let mut direct = self.wire.get(&list).await.unwrap_or_else(|_| json!({}));
        if let Some(room) = direct[place.as_str()].as_array().and_then(|rooms| rooms.last()) {
            return Ok(room.as_str().unwrap_or_default().to_owned());
        }
        let body = json!({"is_direct": true, "invite": [place], "preset": "trusted_private_chat"});
        let made = self.wire.post("createRoom", &body).await?;
        let room = made["room_id"].as_str().unwrap_or_default().to_owned();
        direct[place.as_str()] = json!([room]);
        self.wire.put(&list, &direct).await?;
        Ok(room)
    }

    async fn put(&self, target: &Target, content: &Value, key: &str) -> Result<String, SendError> {
        let room = self.room(target).await?;
        let path = format!("rooms/{}/send/m.room.message/{}", enc(&room), txn(key));
        let sent = self.wire.put(&path, content).await?;
        Ok(sent["event_id"].as_str().unwrap_or_default().to_owned())
    }
}

fn content(message: &Rendered) -> Value {
    let mut content = json!({"msgtype": "m.text", "body": message.text, "m.mentions": {}});
    if let Some(html) = &message.html {
        content["format"] = json!("org.matrix.custom.html");
        content["formatted_body"] = json!(html);
    }
    content
}

/// Where a message belongs in its room.
fn relation(target: &Target, reply_to: Option<&str>) -> Option<Value> {
    match (&target.thread_id, reply_to) {
        (Some(thread), reply) => Some(json!({
            "rel_type": "m.thread", "event_id": thread, "is_falling_back": true,
            "m.in_reply_to": {"event_id": reply.unwrap_or(thread)},
        })),
        (None, Some(reply)) => Some(json!({"m.in_reply_to": {"event_id": reply}})),
        (None, None) => None,
    }
}

impl Adapter for Matrix {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        Box::pin(async move {
            let me = self.wire.get("account/whoami").await.map_err(refused)?;
            let me = me["user_id"].as_str().unwrap_or_default().to_owned();
            let rooms = Rooms::new(Arc::clone(&self.wire), me, self.invites.clone());
            let mut since = inbox.mark(SINCE).await;
            if since.is_none() {
                // What was said before the bot came is not for it.
                let first = self.wire.sync(None).await.map_err(refused)?;
                rooms.join_invited(&first).await;
                since = first["next_batch"].as_str().map(str::to_owned);
                inbox.accept(Vec::new(), &[(SINCE, since.clone().unwrap_or_default())]).await?;
            }
            Ok(Box::pin(rooms.receive(since.unwrap_or_default(), inbox)) as Receiving)
        })
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let mut content = content(&message.content);
            if let Some(relation) = relation(&message.target, message.reply_to.as_deref()) {
                content["m.relates_to"] = relation;
            }
            let key = if message.key.is_empty() { fresh() } else { message.key.clone() };
            self.put(&message.target, &content, &key).await
        })
    }

    fn edit<'a>(
        &'a self,
        id: &'a str,
        message: &'a Outgoing,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let new = content(&message.content);
            let mut content = new.clone();
            content["body"] = json!(format!("* {}", message.content.text));
            content["m.new_content"] = new;
            content["m.relates_to"] = json!({"rel_type": "m.replace", "event_id": id});
            self.put(&message.target, &content, &fresh()).await.map(drop)
        })
    }

    fn delete<'a>(
        &'a self,
        target: &'a Target,
        id: &'a str,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let room = enc(&self.room(target).await?);
            let path = format!("rooms/{room}/redact/{}/{}", enc(id), fresh());
            self.wire.put(&path, &json!({})).await.map(drop)
        })
    }

    fn react<'a>(
        &'a self,
        target: &'a Target,
        id: &'a str,
        emoji: Option<&'a str>,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let Some(emoji) = emoji else { return Err(SendError::unsupported("take that back")) };
            let room = enc(&self.room(target).await?);
            let relation = json!({"rel_type": "m.annotation", "event_id": id, "key": emoji});
            let path = format!("rooms/{room}/send/m.reaction/{}", fresh());
            self.wire.put(&path, &json!({"m.relates_to": relation})).await.map(drop)
        })
    }

    fn typing<'a>(&'a self, target: &'a Target) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let me = self.wire.get("account/whoami").await?;
            let me = enc(me["user_id"].as_str().unwrap_or_default());
            let path = format!("rooms/{}/typing/{me}", enc(&target.chat_id));
            self.wire.put(&path, &json!({"typing": true, "timeout": 25_000})).await.map(drop)
        })
    }

    fn send_file<'a>(
        &'a self,
        target: &'a Target,
        file: &'a OutgoingFile,
    ) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let address =
                format!("{}/_matrix/media/v3/upload?filename={}", self.wire.base, enc(&file.name));
            let request = self.wire.http.post(address).bearer_auth(self.wire.token().await?);
            let request = request.header("content-type", &file.mime);
            let request = request.timeout(Duration::from_secs(180)).body(file.bytes.clone());
            let stored = answer(request).await?;
            let kind = match file.kind {
                MediaKind::Photo => "m.image",
                MediaKind::Voice | MediaKind::Audio => "m.audio",
                MediaKind::Video => "m.video",
                MediaKind::Document => "m.file",
            };
            let mut content = json!({
                "msgtype": kind, "body": file.name, "filename": file.name,
                "url": stored["content_uri"],
                "info": {"mimetype": file.mime, "size": file.bytes.len()},
            });
            if let Some(relation) = relation(target, file.reply_to.as_deref()) {
                content["m.relates_to"] = relation;
            }
            self.put(target, &content, &fresh()).await
        })
    }

    fn fetch<'a>(
        &'a self,
        media: &'a InboundMedia,
        most: u64,
    ) -> AdapterFuture<'a, Result<Vec<u8>, SendError>> {
        Box::pin(async move {
            let place = media.handle.strip_prefix("mxc://").and_then(|rest| rest.split_once('/'));
            let Some((server, id)) = place else {
                return Err(SendError::new(SendClass::NotFound, "the file has no address"));
            };
            let address = format!(
                "{}/_matrix/client/v1/media/download/{}/{}",
                self.wire.base,
                enc(server),
                enc(id)
            );
            let request = self.wire.http.get(address).bearer_auth(self.wire.token().await?);
            download(request, most).await
        })
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        Box::pin(async move {
            let me = self.wire.get("account/whoami").await?;
            Ok(me["user_id"].as_str().unwrap_or_default().to_owned())
        })
    }

    fn render(&self, document: &Document) -> Rendered {
        Rendered {
            text: markup(document, &MarkupRules { escape: str::to_owned, ..MarkupRules::MARKDOWN }),
            html: Some(html(document)),
            ..Rendered::default()
        }
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        let text = text.trim();
        let (place, thread) = match text.split_once(":$") {
            Some((place, event)) => (place, Some(format!("${event}"))),
            None => (text, None),
        };
        // Rooms of the newest kind have no server in their name.
        let is_place = match place.chars().next() {
            Some('!') => place.len() > 4,
            Some('@' | '#') => place.contains(':'),
            _ => false,
        };
        match is_place {
            true => Ok(Target { chat_id: place.to_owned(), thread_id: thread }),
            false => Err(format!(
                "`{text}` is no place on Matrix: write !room:server, #alias:server or @person:server"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_with_colons_stay_whole() {
        let vars: hermes_tool::Vars = [
            ("MATRIX_HOMESERVER".to_owned(), "http://127.0.0.1:1".to_owned()),
            ("MATRIX_ACCESS_TOKEN".to_owned(), "t".to_owned()),
        ]
        .into_iter()
        .collect();
        let matrix = Matrix::new(&AdapterSetup::new(&MATRIX, &Value::Null, &vars)).unwrap();
        assert_eq!(matrix.parse_target("!r:s.org").unwrap(), Target::chat("!r:s.org"));
        assert_eq!(matrix.parse_target("!r:s:8448:$e").unwrap(), Target::thread("!r:s:8448", "$e"));
        assert_eq!(matrix.parse_target("@ann:s.org").unwrap(), Target::chat("@ann:s.org"));
        for bad in ["room", "#alias", "", "@ann"] {
            assert!(matrix.parse_target(bad).is_err(), "{bad}");
        }
        assert_eq!(enc("!a:b/c d"), "%21a%3Ab%2Fc%20d");
    }
}
