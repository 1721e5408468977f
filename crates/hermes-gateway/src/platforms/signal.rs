//! Signal, through a `signal-cli daemon --http` that holds the account: events as a stream, acts as JSON-RPC.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use serde_json::{Value, json};

use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, Addressing, Capabilities, ChatKind, ChatSource,
    InboundEvent, InboundMedia, InboundMessage, Inbox, LengthUnit, LinkError, MessageLimit,
    Outgoing, OutgoingFile, Pace, Platform, QuotedMessage, ReactionEvent, Receiving, ResponseLines,
    SendClass, SendError, SetupError, Target, Variable, exchange,
};
use crate::markdown::{Document, Rendered, StyleKind, StyleSpan, styled};

static SIGNAL: Platform = Platform {
    label: "Signal",
    emoji: "🔵",
    required: &[
        Variable::open("SIGNAL_HTTP_URL", "Address of signal-cli (http://127.0.0.1:8080)"),
        Variable::open("SIGNAL_ACCOUNT", "Number of the account (+15551234567)"),
    ],
    limit: MessageLimit { length: 2_000, unit: LengthUnit::Utf16 },
    capabilities: Capabilities { reactions: true, typing: true, files: true, ..Capabilities::NONE },
    pace: Pace { typing: Duration::from_secs(12), ..Pace::UNHURRIED },
    open: |setup| Ok(Arc::new(Signal::new(&setup)?)),
    ..Platform::named("signal", "SIGNAL", "hermes-signal")
};
crate::register_platform!(&SIGNAL);

/// After this much silence the daemon is asked whether it is there.
const SILENCE: Duration = Duration::from_secs(120);
/// Longest line of the stream.
const MAX_LINE: usize = 4 * 1024 * 1024;
/// How a group is named in targets.
const GROUP: &str = "group:";

struct Signal {
    http: reqwest::Client,
    base: String,
    account: String,
    groups: Vec<String>,
}

impl Signal {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let base = setup.base_url(&setup.required("SIGNAL_HTTP_URL")?);
        Ok(Self {
            http: setup.http(&base)?,
            base,
            account: setup.required("SIGNAL_ACCOUNT")?,
            groups: setup.list("SIGNAL_GROUP_ALLOWED_USERS"),
        })
    }

    async fn call(&self, method: &str, mut params: Value) -> Result<Value, SendError> {
        params["account"] = json!(self.account);
        let body = json!({"jsonrpc": "2.0", "id": "1", "method": method, "params": params});
        let request = self.http.post(format!("{}/api/v1/rpc", self.base));
        let request = request.timeout(Duration::from_secs(120)).json(&body);
        let answer = exchange(request).await?.accepted("signal-cli", &["message"])?;
        let Some(error) = answer.get("error").filter(|error| !error.is_null()) else {
            return Ok(answer["result"].clone());
        };
        let said: String =
            error["message"].as_str().unwrap_or_default().chars().take(160).collect();
        let what = format!("signal-cli: {said}");
        Err(match error["code"].as_i64() {
            Some(-5) => {
                let seconds = error["data"]["response"]["retryAfterSeconds"].as_u64();
                SendError::rate_limited(what, seconds.map(Duration::from_secs))
            }
            Some(-1) => SendError::new(SendClass::NotFound, what),
            _ => SendError::new(SendClass::Unknown, what),
        })
    }
}

/// Whom a message goes to.
fn addressed(target: &Target) -> Value {
    match target.chat_id.strip_prefix(GROUP) {
        Some(group) => json!({"groupId": group}),
        None => json!({"recipient": [target.chat_id]}),
    }
}

fn text_styles(spans: &[StyleSpan]) -> Vec<String> {
    let one = |span: &StyleSpan| {
        let style = match span.kind {
            StyleKind::Bold => "BOLD",
            StyleKind::Italic => "ITALIC",
            StyleKind::Strike => "STRIKETHROUGH",
            StyleKind::Code | StyleKind::Pre { .. } => "MONOSPACE",
            StyleKind::Quote | StyleKind::Link { .. } => return None,
        };
        Some(format!("{}:{}:{style}", span.start, span.length))
    };
    spans.iter().filter_map(one).collect()
}

/// What happened, as an event. Groups count only if they are listed.
fn event_of(told: &Value, account: &str, groups: &[String]) -> Option<InboundEvent> {
    let envelope = &told["envelope"];
    let text = |value: &Value| value.as_str().filter(|t| !t.is_empty()).map(str::to_owned);
    // What the owner writes to himself comes as what another device of his has sent.
    let sent = &envelope["syncMessage"]["sentMessage"];
    let is_note = sent.is_object() && sent["destinationNumber"] == account;
    let data = if is_note { sent } else { &envelope["dataMessage"] };
    if !data.is_object() {
        return None;
    }
    let number = text(&envelope["sourceNumber"]);
    let uuid = text(&envelope["sourceUuid"]);
    let user = number.clone().or_else(|| uuid.clone())?;
    let group = text(&data["groupInfo"]["groupId"]);
    if let Some(group) = &group
        && !groups.iter().any(|one| one == "*" || one == group)
    {
        return None;
    }
    let stamp = data["timestamp"].as_u64().or_else(|| envelope["timestamp"].as_u64())?;
    let id = stamp.to_string();
    let mentions = data["mentions"].as_array().into_iter().flatten();
    let is_named = mentions.into_iter().any(|one| one["number"] == account);
    let answers_us = data["quote"]["author"] == account || data["quote"]["authorNumber"] == account;
    let source = ChatSource {
        platform: SIGNAL.name.to_owned(),
        chat_id: group.as_ref().map_or_else(|| user.clone(), |group| format!("{GROUP}{group}")),
        kind: if group.is_some() { ChatKind::Group } else { ChatKind::Dm },
        user_id: Some(user),
        user_id_alt: uuid.filter(|_| number.is_some()),
        user_name: text(&envelope["sourceName"]),
        message_id: Some(id.clone()),
        ..ChatSource::default()
    };
    if let Some(emoji) = text(&data["reaction"]["emoji"]) {
        let on = data["reaction"]["targetSentTimestamp"].as_u64()?.to_string();
        return Some(InboundEvent::Reaction(Box::new(ReactionEvent {
            source,
            id,
            message_id: on,
            emoji,
        })));
    }
    let files = data["attachments"].as_array().into_iter().flatten().filter_map(|file| {
        Some(InboundMedia {
            handle: text(&file["id"])?,
            name: text(&file["filename"]),
            mime: text(&file["contentType"]),
            size: file["size"].as_u64(),
            ..InboundMedia::default()
        })
    });
    let quote = data.get("quote").filter(|quote| quote.is_object());
    Some(InboundEvent::Message(Box::new(InboundMessage {
        message_id: id,
        // A mention is one sign that stands for a name.
        text: data["message"]
            .as_str()
            .unwrap_or_default()
            .replace('\u{fffc}', "")
            .trim()
            .to_owned(),
        media: files.collect(),
        addressing: match group.is_none() || is_named || answers_us {
            true => Addressing::Direct,
            false => Addressing::Ambient,
        },
        reply_to: quote.map(|quote| QuotedMessage {
            message_id: quote["id"].as_u64().unwrap_or_default().to_string(),
            text: text(&quote["text"]).unwrap_or_default(),
            author: text(&quote["author"]),
            is_ours: answers_us,
        }),
        sent_at: Some(stamp as f64 / 1_000.0),
        source,
        ..InboundMessage::default()
    })))
}

async fn receive(
    stream: reqwest::Response,
    account: String,
    groups: Vec<String>,
    inbox: Inbox,
) -> LinkError {
    let mut lines = ResponseLines::new(stream, SILENCE, MAX_LINE);
    loop {
        let line = match lines.next().await {
            Ok(line) => line,
            Err(lost) => return lost,
        };
        let Some(data) = line.strip_prefix(b"data:") else { continue };
        let Ok(told) = serde_json::from_slice::<Value>(data) else { continue };
        let Some(event) = event_of(&told, &account, &groups) else { continue };
        if let Err(error) = inbox.accept(vec![event], &[]).await {
            return error.into();
        }
    }
}

impl Adapter for Signal {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        Box::pin(async move {
            let account: String =
                url::form_urlencoded::byte_serialize(self.account.as_bytes()).collect();
            let address = format!("{}/api/v1/events?account={account}", self.base);
            let request = self.http.get(address).timeout(Duration::from_secs(24 * 3_600));
            let stream = request.send().await.map_err(SendError::from_http)?;
            let status = stream.status().as_u16();
            if status != 200 {
                return Err(LinkError::retry(format!("signal-cli answers with status {status}")));
            }
            Ok(Box::pin(receive(stream, self.account.clone(), self.groups.clone(), inbox))
                as Receiving)
        })
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let mut params = addressed(&message.target);
            params["message"] = json!(message.content.text);
            let styles = text_styles(&message.content.spans);
            if !styles.is_empty() {
                params["textStyles"] = json!(styles);
            }
            let sent = self.call("send", params).await?;
            Ok(sent["timestamp"].as_u64().unwrap_or_default().to_string())
        })
    }

    fn react<'a>(
        &'a self,
        target: &'a Target,
        id: &'a str,
        emoji: Option<&'a str>,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let mut params = addressed(target);
            params["emoji"] = json!(emoji.unwrap_or("👍"));
            params["remove"] = json!(emoji.is_none());
            params["targetAuthor"] = json!(target.chat_id);
            params["targetTimestamp"] = json!(id.parse::<u64>().unwrap_or_default());
            self.call("sendReaction", params).await.map(drop)
        })
    }

    fn typing<'a>(&'a self, target: &'a Target) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move { self.call("sendTyping", addressed(target)).await.map(drop) })
    }

    fn send_file<'a>(
        &'a self,
        target: &'a Target,
        file: &'a OutgoingFile,
    ) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let content = base64::engine::general_purpose::STANDARD.encode(&file.bytes);
            let name = file.name.replace([';', ','], "_");
            let data = format!("data:{};filename={name};base64,{content}", file.mime);
            let mut params = addressed(target);
            params["message"] = json!(file.caption.clone().unwrap_or_default());
            params["attachments"] = json!([data]);
            let sent = self.call("send", params).await?;
            Ok(sent["timestamp"].as_u64().unwrap_or_default().to_string())
        })
    }

    fn fetch<'a>(
        &'a self,
        media: &'a InboundMedia,
        most: u64,
    ) -> AdapterFuture<'a, Result<Vec<u8>, SendError>> {
        Box::pin(async move {
            let found = self.call("getAttachment", json!({"id": media.handle})).await?;
            let text = found["data"].as_str().or_else(|| found.as_str()).unwrap_or_default();
            if text.len() as u64 / 4 * 3 > most {
                return Err(SendError::new(SendClass::TooLong, "the file is too large"));
            }
            let bytes = base64::engine::general_purpose::STANDARD.decode(text);
            bytes.map_err(|_| SendError::new(SendClass::Unknown, "the file cannot be read"))
        })
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        Box::pin(async move {
            let request = self.http.get(format!("{}/api/v1/check", self.base));
            exchange(request).await?.accepted("signal-cli", &[])?;
            Ok(self.account.clone())
        })
    }

    fn render(&self, document: &Document) -> Rendered {
        styled(document).into_rendered()
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        let text = text.trim();
        let digits = text.strip_prefix('+').unwrap_or_default();
        let is_number =
            (7..=15).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        let is_uuid = text.len() == 36 && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
        let is_group = text.strip_prefix(GROUP).is_some_and(|group| !group.is_empty());
        match is_number || is_uuid || is_group {
            true => Ok(Target::chat(text)),
            false => Err(format!("`{text}` is nobody on Signal: write +15551234567 or group:ID")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn envelope(data: &Value) -> Value {
        json!({"envelope": {"sourceNumber": "+4911", "sourceUuid": "u-1", "sourceName": "Ann",
            "timestamp": 1_700_000_000_000_u64, "dataMessage": data}})
    }

    #[test]
    fn groups_count_only_if_listed_and_two_ids_are_one_person() {
        let alone = envelope(&json!({"timestamp": 5, "message": "hi"}));
        let Some(InboundEvent::Message(said)) = event_of(&alone, "+49", &[]) else { panic!() };
        assert_eq!(
            (said.source.chat_id.as_str(), said.source.user_id_alt.as_deref()),
            ("+4911", Some("u-1"))
        );
        let group = envelope(&json!({"timestamp": 6, "message": "\u{fffc} hi",
            "groupInfo": {"groupId": "g=="}, "mentions": [{"number": "+49"}]}));
        assert!(event_of(&group, "+49", &[]).is_none());
        let Some(InboundEvent::Message(said)) = event_of(&group, "+49", &["*".to_owned()]) else {
            panic!()
        };
        assert_eq!((said.text.as_str(), said.addressing), ("hi", Addressing::Direct));
        assert_eq!(said.source.chat_id, "group:g==");
        let receipt = json!({"envelope": {"sourceNumber": "+4911", "receiptMessage": {}}});
        assert!(event_of(&receipt, "+49", &[]).is_none());
    }
}
