//! Mattermost: posts over its socket, everything else by requests. What was posted while the socket was down is read afterwards.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, Addressing, Capabilities, ChatKind, ChatSource,
    DisplayDefaults, InboundEvent, InboundMedia, InboundMessage, Inbox, LengthUnit, LinkError,
    MessageLimit, Multipart, Outgoing, OutgoingFile, Platform, Receiving, SendError, SetupError,
    Socket, SocketEvent, Target, ToolProgress, Variable, download, exchange,
};
use crate::markdown::{Document, MarkupRules, Rendered, markup};

static MATTERMOST: Platform = Platform {
    label: "Mattermost",
    emoji: "🔷",
    required: &[
        Variable::open("MATTERMOST_URL", "Address of the server"),
        Variable::secret("MATTERMOST_TOKEN", "Token of the bot account"),
    ],
    limit: MessageLimit { length: 4_000, unit: LengthUnit::Characters },
    capabilities: Capabilities {
        edit: true,
        delete: true,
        threads: true,
        typing: true,
        files: true,
        ..Capabilities::NONE
    },
    display: DisplayDefaults { tool_progress: ToolProgress::New, ..DisplayDefaults::CHAT },
    open: |setup| Ok(Arc::new(Mattermost::new(&setup)?)),
    ..Platform::named("mattermost", "MATTERMOST", "hermes-mattermost")
};
crate::register_platform!(&MATTERMOST);

/// The server pings every minute.
const SILENCE: Duration = Duration::from_secs(180);
/// When the last post came, in milliseconds, as a mark; and the channels it may be missed in.
const LAST: &str = "last";

struct Wire {
    http: reqwest::Client,
    socket_http: reqwest::Client,
    base: String,
    token: String,
}

impl Wire {
    fn request(&self, method: reqwest::Method, path: &str) -> reqwest::RequestBuilder {
        self.http.request(method, format!("{}/api/v4/{path}", self.base)).bearer_auth(&self.token)
    }

    async fn answer(&self, request: reqwest::RequestBuilder) -> Result<Value, SendError> {
        exchange(request).await?.accepted("Mattermost", &["message"])
    }

    async fn get(&self, path: &str) -> Result<Value, SendError> {
        self.answer(self.request(reqwest::Method::GET, path)).await
    }

    async fn post(&self, path: &str, body: &Value) -> Result<Value, SendError> {
        self.answer(self.request(reqwest::Method::POST, path).json(body)).await
    }
}

struct Mattermost {
    wire: Arc<Wire>,
}

impl Mattermost {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let base = setup.base_url(&setup.required("MATTERMOST_URL")?);
        let wire = Wire {
            http: setup.http(&base)?,
            socket_http: setup.socket_http(&base)?,
            token: setup.required("MATTERMOST_TOKEN")?,
            base,
        };
        Ok(Self { wire: Arc::new(wire) })
    }

    async fn put(&self, target: &Target, mut body: Value) -> Result<String, SendError> {
        body["channel_id"] = json!(target.chat_id);
        if let Some(root) = &target.thread_id {
            body["root_id"] = json!(root);
        }
        let sent = self.wire.post("posts", &body).await?;
        Ok(sent["id"].as_str().unwrap_or_default().to_owned())
    }
}

/// Who we are there.
#[derive(Clone, Debug)]
struct Me {
    id: String,
    name: String,
}

/// A post as an event; ours and notices of the server are none.
fn message_of(post: &Value, kind: &str, sender: Option<&str>, me: &Me) -> Option<InboundMessage> {
    let text = |name: &str| post[name].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let user = text("user_id")?;
    if user == me.id || text("type").is_some_and(|kind| kind.starts_with("system_")) {
        return None;
    }
    let id = text("id")?;
    let is_dm = kind == "D";
    let words = post["message"].as_str().unwrap_or_default();
    let mention = format!("@{}", me.name);
    let is_named = words.split_whitespace().any(|word| {
        word.trim_end_matches(|c: char| c.is_ascii_punctuation()).eq_ignore_ascii_case(&mention)
    });
    let files = post["file_ids"].as_array().into_iter().flatten();
    let files = files.filter_map(|id| {
        Some(InboundMedia { handle: id.as_str()?.to_owned(), ..InboundMedia::default() })
    });
    // Answers to a post that is not in a thread begin one.
    let root = text("root_id").or_else(|| (!is_dm && is_named).then(|| id.clone()));
    Some(InboundMessage {
        source: ChatSource {
            platform: MATTERMOST.name.to_owned(),
            chat_id: text("channel_id")?,
            kind: if is_dm { ChatKind::Dm } else { ChatKind::Group },
            user_name: sender.map(|name| name.trim_start_matches('@').to_owned()),
            user_id: Some(user),
            thread_id: root,
            is_bot: post["props"]["from_bot"] == "true",
            message_id: Some(id.clone()),
            ..ChatSource::default()
        },
        message_id: id,
        text: words.replace(&mention, "").trim().to_owned(),
        media: files.collect(),
        addressing: if is_dm || is_named { Addressing::Direct } else { Addressing::Ambient },
        sent_at: post["create_at"].as_f64().map(|milliseconds| milliseconds / 1_000.0),
        ..InboundMessage::default()
    })
}

struct Receiver {
    wire: Arc<Wire>,
    me: Me,
    inbox: Inbox,
}

impl Receiver {
    async fn take(&self, said: Option<InboundMessage>, at: Option<u64>) -> Result<(), LinkError> {
        let Some(at) = at else { return Ok(()) };
        let events = said.map(|said| InboundEvent::Message(Box::new(said)));
        Ok(self.inbox.accept(events.into_iter().collect(), &[(LAST, at.to_string())]).await?)
    }

    /// What was posted since the last one that is stored.
    async fn catch_up(&self) -> Result<(), LinkError> {
        let Some(since) = self.inbox.mark(LAST).await else { return Ok(()) };
        let channels = self.wire.get("users/me/channels").await?;
        let mut missed = Vec::new();
        for channel in channels.as_array().into_iter().flatten() {
            let is_newer = channel["last_post_at"].as_u64() > since.parse().ok();
            let Some(id) = channel["id"].as_str().filter(|_| is_newer) else { continue };
            let posts = self.wire.get(&format!("channels/{id}/posts?since={since}")).await?;
            let kind = channel["type"].as_str().unwrap_or_default();
            for post in posts["posts"].as_object().into_iter().flat_map(|all| all.values()) {
                let at = post["create_at"].as_u64().unwrap_or_default();
                missed.extend(message_of(post, kind, None, &self.me).map(|said| (at, said)));
            }
        }
        missed.sort_by_key(|(at, _)| *at);
        for (at, said) in missed {
            self.take(Some(said), Some(at)).await?;
        }
        Ok(())
    }

    async fn run(self, mut socket: Socket) -> LinkError {
        loop {
            let told = match socket.next(SILENCE).await {
                Ok(SocketEvent::Json(told)) => told,
                Ok(SocketEvent::Closed(_)) => return LinkError::retry("the server has closed it"),
                Err(error) => return error,
            };
            if told["event"] != "posted" {
                continue;
            }
            let data = &told["data"];
            let text = |name: &str| data[name].as_str().unwrap_or_default();
            let Ok(post) = serde_json::from_str::<Value>(text("post")) else { continue };
            let sender = data["sender_name"].as_str();
            let said = message_of(&post, text("channel_type"), sender, &self.me);
            if let Err(error) = self.take(said, post["create_at"].as_u64()).await {
                return error;
            }
        }
    }
}

impl Adapter for Mattermost {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        Box::pin(async move {
            let me = self.wire.get("users/me").await?;
            let text = |name: &str| me[name].as_str().unwrap_or_default().to_owned();
            let me = Me { id: text("id"), name: text("username") };
            let address = format!("{}/api/v4/websocket", self.wire.base);
            let mut socket = Socket::open(&self.wire.socket_http, &address).await?;
            let hello = json!({"seq": 1, "action": "authentication_challenge",
                "data": {"token": self.wire.token}});
            socket.send(&hello).await?;
            let receiver = Receiver { wire: Arc::clone(&self.wire), me, inbox };
            receiver.catch_up().await?;
            Ok(Box::pin(receiver.run(socket)) as Receiving)
        })
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(self.put(&message.target, json!({"message": message.content.text})))
    }

    fn edit<'a>(
        &'a self,
        id: &'a str,
        message: &'a Outgoing,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let request = self.wire.request(reqwest::Method::PUT, &format!("posts/{id}/patch"));
            let request = request.json(&json!({"message": message.content.text}));
            self.wire.answer(request).await.map(drop)
        })
    }

    fn delete<'a>(
        &'a self,
        _: &'a Target,
        id: &'a str,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let request = self.wire.request(reqwest::Method::DELETE, &format!("posts/{id}"));
            self.wire.answer(request).await.map(drop)
        })
    }

    fn typing<'a>(&'a self, target: &'a Target) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let body = json!({"channel_id": target.chat_id,
                "parent_id": target.thread_id.clone().unwrap_or_default()});
            self.wire.post("users/me/typing", &body).await.map(drop)
        })
    }

    fn send_file<'a>(
        &'a self,
        target: &'a Target,
        file: &'a OutgoingFile,
    ) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let form = Multipart::new().text("channel_id", &target.chat_id).file(
                "files",
                &file.name,
                &file.mime,
                &file.bytes,
            );
            let request = self.wire.request(reqwest::Method::POST, "files");
            let request = form.into_request(request.timeout(Duration::from_secs(180)));
            let stored = self.wire.answer(request).await?;
            let id = stored["file_infos"][0]["id"].clone();
            let caption = file.caption.clone().unwrap_or_default();
            self.put(target, json!({"message": caption, "file_ids": [id]})).await
        })
    }

    fn fetch<'a>(
        &'a self,
        media: &'a InboundMedia,
        most: u64,
    ) -> AdapterFuture<'a, Result<Vec<u8>, SendError>> {
        let path = format!("files/{}", media.handle);
        Box::pin(
            async move { download(self.wire.request(reqwest::Method::GET, &path), most).await },
        )
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        Box::pin(async move {
            let me = self.wire.get("users/me").await?;
            Ok(format!("@{}", me["username"].as_str().unwrap_or_default()))
        })
    }

    fn render(&self, document: &Document) -> Rendered {
        Rendered::text(markup(document, &MarkupRules::MARKDOWN))
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        let is_id =
            |text: &str| text.len() == 26 && text.bytes().all(|b| b.is_ascii_alphanumeric());
        match text.trim().split_once(':') {
            Some((channel, root)) if is_id(channel) && is_id(root) => {
                Ok(Target::thread(channel, root))
            }
            None if is_id(text.trim()) => Ok(Target::chat(text.trim())),
            _ => Err(format!("`{text}` is no channel of Mattermost: write its id (26 letters)")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_in_a_channel_begins_a_thread_at_its_post() {
        let me = Me { id: "bot".to_owned(), name: "hermes".to_owned() };
        let post = |text: &str, root: &str| {
            json!({"id": "p1", "user_id": "u1", "channel_id": "c1", "root_id": root,
                "message": text, "create_at": 1_700_000_000_000_u64, "type": "", "props": {}})
        };
        let said = message_of(&post("@hermes: hello", ""), "O", Some("@ann"), &me).unwrap();
        assert_eq!(
            (said.addressing, said.source.thread_id.as_deref()),
            (Addressing::Direct, Some("p1"))
        );
        let within = message_of(&post("more", "p0"), "O", None, &me).unwrap();
        assert_eq!(within.addressing, Addressing::Ambient);
        assert_eq!(within.source.thread_id.as_deref(), Some("p0"));
        assert_eq!(message_of(&post("hi", ""), "D", None, &me).unwrap().source.kind, ChatKind::Dm);
        let mut own = post("x", "");
        own["user_id"] = json!("bot");
        assert!(message_of(&own, "D", None, &me).is_none());
    }
}
