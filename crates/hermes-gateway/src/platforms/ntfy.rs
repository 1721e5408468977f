//! ntfy: a topic that anybody with its name and token can write to and read. The topic is the person; what we publish
//! ourselves comes back and is known by a tag.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::adapter::Inbox;
use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, ChatSource, InboundEvent, InboundMessage, LengthUnit,
    LinkError, MessageLimit, Outgoing, Platform, Receiving, ResponseLines, SendError, SetupError,
    Target, Variable,
};

static NTFY: Platform = Platform {
    label: "ntfy",
    emoji: "🔔",
    required: &[Variable::open("NTFY_TOPIC", "Topic to read and write")],
    optional: &[
        Variable::open("NTFY_SERVER_URL", "Server (https://ntfy.sh)"),
        Variable::secret("NTFY_TOKEN", "Access token, or user:password"),
        Variable::open("NTFY_PUBLISH_TOPIC", "Topic for answers, if another one"),
        Variable::open("NTFY_MARKDOWN", "Whether answers are Markdown (no)"),
    ],
    limit: MessageLimit { length: 4_096, unit: LengthUnit::Bytes },
    open: |setup| Ok(Arc::new(Ntfy::new(&setup)?)),
    ..Platform::named("ntfy", "NTFY", "hermes-cli")
};
crate::register_platform!(&NTFY);

/// By which our own messages are known.
const OURS: &str = "hermes";
/// The name of the mark that says which message was the last.
const LAST: &str = "last_id";
/// ntfy sends something every 45 seconds; after this much silence the connection is dead.
const SILENCE: Duration = Duration::from_secs(90);
/// Longest line of the stream.
const MAX_LINE: usize = 256 * 1024;

struct Ntfy {
    http: reqwest::Client,
    server: String,
    topic: String,
    publish: String,
    token: Option<String>,
    markdown: bool,
}

impl Ntfy {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let usual = setup.variable("NTFY_SERVER_URL").unwrap_or("https://ntfy.sh".to_owned());
        let server = setup.base_url(&usual);
        let topic = setup.required("NTFY_TOPIC")?;
        check_topic(&topic).map_err(SetupError::new)?;
        Ok(Self {
            http: setup.http(&server)?,
            server,
            publish: setup.variable("NTFY_PUBLISH_TOPIC").unwrap_or_else(|| topic.clone()),
            topic,
            token: setup.variable("NTFY_TOKEN"),
            markdown: setup.is_on("NTFY_MARKDOWN", false),
        })
    }

    fn with_token(&self, request: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        match self.token.as_deref().map(|token| (token, token.split_once(':'))) {
            Some((_, Some((user, password)))) => request.basic_auth(user, Some(password)),
            Some((token, None)) => request.bearer_auth(token),
            None => request,
        }
    }

    /// Anybody can write to a topic of a public server that has no token, so nobody's words count there.
    fn is_open_to_all(&self) -> bool {
        let host =
            url::Url::parse(&self.server).ok().and_then(|url| url.host_str().map(str::to_owned));
        let is_local = matches!(host.as_deref(), Some("127.0.0.1" | "localhost" | "[::1]"));
        self.token.is_none() && !is_local
    }
}

fn check_topic(topic: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match !topic.is_empty() && topic.len() <= 64 && topic.chars().all(fits) {
        true => Ok(()),
        false => Err(format!("`{topic}` is no topic: letters, digits, _ and - only")),
    }
}

/// Reads the stream until it ends.
async fn receive(stream: reqwest::Response, topic: String, deaf: bool, inbox: Inbox) -> LinkError {
    let mut lines = ResponseLines::new(stream, SILENCE, MAX_LINE);
    loop {
        let line = match lines.next().await {
            Ok(line) => line,
            Err(lost) => return lost,
        };
        let Some((id, message)) = read_line(&line, &topic) else { continue };
        let events = match message {
            Some(message) if !deaf => vec![InboundEvent::Message(Box::new(message))],
            _ => Vec::new(),
        };
        if let Err(error) = inbox.accept(events, &[(LAST, id)]).await {
            return error.into();
        }
    }
}

/// The id of a message, and what it says if it is not ours.
fn read_line(line: &[u8], topic: &str) -> Option<(String, Option<InboundMessage>)> {
    let said: Value = serde_json::from_slice(line).ok()?;
    if said["event"] != "message" {
        return None;
    }
    let id = said["id"].as_str()?.to_owned();
    let tags = said["tags"].as_array().map(Vec::as_slice).unwrap_or_default();
    if tags.iter().any(|tag| tag == OURS) {
        return Some((id, None));
    }
    let source = ChatSource {
        platform: NTFY.name.to_owned(),
        chat_id: topic.to_owned(),
        user_id: Some(topic.to_owned()),
        message_id: Some(id.clone()),
        ..ChatSource::default()
    };
    let message = InboundMessage {
        source,
        message_id: id.clone(),
        text: said["message"].as_str().unwrap_or_default().to_owned(),
        sent_at: said["time"].as_f64(),
        ..InboundMessage::default()
    };
    Some((id, Some(message)))
}

impl Adapter for Ntfy {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        Box::pin(async move {
            // Without a mark only what comes from now on counts.
            let since = inbox.mark(LAST).await.map(|id| format!("?since={id}")).unwrap_or_default();
            let address = format!("{}/{}/json{since}", self.server, self.topic);
            let request = self.http.get(address).timeout(Duration::from_secs(24 * 3600));
            let stream = self.with_token(request).send().await.map_err(SendError::from_http)?;
            let status = stream.status().as_u16();
            match status {
                200 => {}
                401 | 403 | 404 => {
                    return Err(LinkError::fatal(
                        format!("ntfy answers with status {status}"),
                        "Check NTFY_SERVER_URL, NTFY_TOPIC and NTFY_TOKEN.",
                    ));
                }
                _ => return Err(LinkError::retry(format!("ntfy answers with status {status}"))),
            }
            let deaf = self.is_open_to_all();
            if deaf {
                tracing::warn!(
                    "ntfy: the topic has no token, so anybody could give orders there; it is only written to"
                );
            }
            Ok(Box::pin(receive(stream, self.topic.clone(), deaf, inbox)) as Receiving)
        })
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let topic = match message.target.chat_id == self.topic {
                true => &self.publish,
                false => &message.target.chat_id,
            };
            let mut request = self.http.post(format!("{}/{topic}", self.server));
            request = request.header("x-tags", OURS);
            if let Some(subject) = &message.subject {
                let subject: String = subject.chars().filter(|c| !c.is_control()).collect();
                request = request.header("x-title", subject.as_bytes());
            }
            if self.markdown {
                request = request.header("x-markdown", "yes");
            }
            let request = self.with_token(request).body(message.content.text.clone());
            let response = request.send().await.map_err(SendError::from_http)?;
            let status = response.status().as_u16();
            let body: Value = response.json().await.unwrap_or_default();
            match (status, body["id"].as_str()) {
                (200, Some(id)) => Ok(id.to_owned()),
                (200, None) => Ok(String::new()),
                _ => Err(SendError::from_status(status, format!("ntfy: status {status}"))),
            }
        })
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        check_topic(text.trim()).map(|()| Target::chat(text.trim()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_words_are_not_heard_and_only_move_the_mark() {
        let own = br#"{"id":"a","event":"message","topic":"t","message":"x","tags":["hermes"]}"#;
        assert_eq!(read_line(own, "t"), Some(("a".to_owned(), None)));
        let other = br#"{"id":"b","time":5,"event":"message","topic":"t","message":"hello"}"#;
        let (id, said) = read_line(other, "t").unwrap();
        assert_eq!((id.as_str(), said.unwrap().text.as_str()), ("b", "hello"));
        assert_eq!(read_line(br#"{"id":"c","event":"keepalive"}"#, "t"), None);
        assert_eq!(read_line(b"nonsense", "t"), None);
    }
}
