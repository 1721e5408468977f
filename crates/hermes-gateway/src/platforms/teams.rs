//! Microsoft Teams: the Bot Framework calls us with signed activities, and is asked to say something in a conversation.
//!
//! A call counts only with a token of the Bot Framework for this very bot, about the service that the call names; answers
//! and the bot's own token go to that service and nowhere else.

mod token;

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio::sync::Mutex;

use self::token::Verifier;
use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, Addressing, Capabilities, ChatKind, ChatSource,
    DisplayDefaults, InboundEvent, InboundMessage, Inbox, LengthUnit, LinkError, ListenAt,
    MessageLimit, Outgoing, Platform, Receiving, SendClass, SendError, SetupError, Target,
    Variable, WebhookRequest, WebhookResponse, exchange, is_on_host, receive_calls,
};
use crate::markdown::{Document, MarkupRules, Rendered, markup};

static TEAMS: Platform = Platform {
    label: "Microsoft Teams",
    emoji: "👥",
    required: &[
        Variable::open("TEAMS_CLIENT_ID", "Application (client) id of the bot")
            .from("https://dev.teams.microsoft.com/bots"),
        Variable::secret("TEAMS_CLIENT_SECRET", "Client secret of the bot"),
    ],
    optional: &[
        Variable::open("TEAMS_TENANT_ID", "The only tenant whose people may talk"),
        Variable::open("TEAMS_HOST", "Where to listen (127.0.0.1)"),
        Variable::open("TEAMS_PORT", "The port (3978)"),
    ],
    // An activity may have 28 KB, with everything around the words.
    limit: MessageLimit { length: 20_000, unit: LengthUnit::Bytes },
    capabilities: Capabilities { edit: true, delete: true, typing: true, ..Capabilities::NONE },
    display: DisplayDefaults::CHAT,
    binds_port: true,
    open: |setup| Ok(Arc::new(Teams::new(&setup)?)),
    ..Platform::named("teams", "TEAMS", "hermes-teams")
};
crate::register_platform!(&TEAMS);

const MAX_BODY: usize = 256 * 1024;
/// Where conversations are, when none has told us yet.
const USUAL_SERVICE: &str = "https://smba.trafficmanager.net/teams";
/// Hosts that a bot's token may go to.
const SERVICE_HOSTS: [&str; 3] =
    ["smba.trafficmanager.net", ".smba.trafficmanager.net", ".botframework.com"];
/// A token is renewed this long before its end.
const MARGIN: Duration = Duration::from_secs(120);

struct Bot {
    http: reqwest::Client,
    /// Set when everything is at one other address.
    elsewhere: Option<String>,
    id: String,
    secret: String,
    tenant: Option<String>,
    verifier: Verifier,
    key: Mutex<Option<(String, Instant)>>,
    inbox: Mutex<Option<Inbox>>,
}

struct Teams {
    bot: Arc<Bot>,
    at: ListenAt,
}

impl Teams {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let other = setup.base_url("");
        let elsewhere = (!other.is_empty()).then_some(other);
        let http = setup.http(elsewhere.as_deref().unwrap_or("https://login.botframework.com"))?;
        let id = setup.required("TEAMS_CLIENT_ID")?;
        let bot = Bot {
            verifier: Verifier::new(http.clone(), elsewhere.as_deref(), &id),
            http,
            elsewhere,
            id,
            secret: setup.required("TEAMS_CLIENT_SECRET")?,
            tenant: setup.variable("TEAMS_TENANT_ID"),
            key: Mutex::default(),
            inbox: Mutex::default(),
        };
        Ok(Self { bot: Arc::new(bot), at: ListenAt::read(setup, "TEAMS", 3_978)? })
    }
}

/// Under which the service of a conversation is remembered.
fn mark_of(chat: &str) -> String {
    format!("service:{chat}")
}

impl Bot {
    fn is_service(&self, address: &str) -> bool {
        is_on_host(address, &SERVICE_HOSTS, self.elsewhere.as_deref().unwrap_or_default())
    }

    async fn answer(&self, call: &WebhookRequest, inbox: &Inbox) -> WebhookResponse {
        if call.method != "POST" {
            return WebhookResponse::status(405);
        }
        let bearer = call.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
        let Some(bearer) = bearer else { return WebhookResponse::status(401) };
        let Ok(claims) = self.verifier.claims(bearer.trim()).await else {
            return WebhookResponse::status(403);
        };
        let Ok(activity) = serde_json::from_slice::<Value>(&call.body) else {
            return WebhookResponse::status(400);
        };
        let service = activity["serviceUrl"].as_str().unwrap_or_default().trim_end_matches('/');
        let signed = claims["serviceurl"].as_str().map(|url| url.trim_end_matches('/'));
        if signed.is_some_and(|signed| signed != service) || !self.is_service(service) {
            return WebhookResponse::status(403);
        }
        let Some(said) = message_of(&activity, self.tenant.as_deref()) else {
            return WebhookResponse::status(200);
        };
        let mark = mark_of(&said.source.chat_id);
        let marks = [(mark.as_str(), service.to_owned())];
        match inbox.accept(vec![InboundEvent::Message(Box::new(said))], &marks).await {
            Ok(()) => WebhookResponse::status(200),
            Err(_) => WebhookResponse::status(503),
        }
    }

    async fn key(&self) -> Result<String, SendError> {
        let mut key = self.key.lock().await;
        if let Some((key, until)) = key.as_ref().filter(|(_, until)| *until > Instant::now()) {
            let _ = until;
            return Ok(key.clone());
        }
        let tenant = self.tenant.as_deref().unwrap_or("botframework.com");
        let base = self.elsewhere.as_deref().unwrap_or("https://login.microsoftonline.com");
        let form = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("grant_type", "client_credentials")
            .append_pair("client_id", &self.id)
            .append_pair("client_secret", &self.secret)
            .append_pair("scope", "https://api.botframework.com/.default")
            .finish();
        let request = self.http.post(format!("{base}/{tenant}/oauth2/v2.0/token"));
        let request =
            request.header("content-type", "application/x-www-form-urlencoded").body(form);
        let told = exchange(request).await?;
        // A wrong secret is a 400 or a 401 there.
        if matches!(told.status, 400 | 401) {
            return Err(SendError::new(
                SendClass::Forbidden,
                "Teams does not take TEAMS_CLIENT_ID with TEAMS_CLIENT_SECRET",
            ));
        }
        let told = told.accepted("Teams", &["error"])?;
        let fresh = told["access_token"].as_str().unwrap_or_default().to_owned();
        let lasts = Duration::from_secs(told["expires_in"].as_u64().unwrap_or(3_600));
        *key = Some((fresh.clone(), Instant::now() + lasts.saturating_sub(MARGIN)));
        Ok(fresh)
    }

    async fn service_of(&self, chat: &str) -> String {
        let inbox = self.inbox.lock().await.clone();
        let known = match inbox {
            Some(inbox) => inbox.mark(&mark_of(chat)).await,
            None => None,
        };
        let usual = || self.elsewhere.clone().unwrap_or_else(|| USUAL_SERVICE.to_owned());
        known.filter(|known| self.is_service(known)).unwrap_or_else(usual)
    }

    /// Does something in a conversation.
    async fn act(
        &self,
        method: reqwest::Method,
        target: &Target,
        below: &str,
        body: Option<&Value>,
    ) -> Result<Value, SendError> {
        let chat = conversation(target);
        let mut address = url::Url::parse(&self.service_of(&target.chat_id).await)
            .map_err(|_| SendError::new(SendClass::Unknown, "the service has no address"))?;
        if let Ok(mut path) = address.path_segments_mut() {
            path.pop_if_empty().extend(["v3", "conversations", &chat, "activities"]);
            if !below.is_empty() {
                path.push(below);
            }
        }
        let mut request = self.http.request(method, address).bearer_auth(self.key().await?);
        if let Some(body) = body {
            request = request.json(body);
        }
        let reply = exchange(request).await?;
        if reply.status == 401 {
            *self.key.lock().await = None;
        }
        let retry_after = reply.retry_after;
        if (200..300).contains(&reply.status) {
            return Ok(reply.body);
        }
        let said = reply.body["error"]["message"].as_str().unwrap_or_default();
        let said: String = said.chars().filter(|c| !c.is_control()).take(200).collect();
        let what = format!("Teams: {} {said}", reply.status).trim_end().to_owned();
        Err(SendError { retry_after, ..SendError::from_status(reply.status, what) })
    }
}

/// The id of a conversation at the service: a thread of a channel is one of its own.
fn conversation(target: &Target) -> String {
    match &target.thread_id {
        Some(root) => format!("{};messageid={root}", target.chat_id),
        None => target.chat_id.clone(),
    }
}

fn message_of(activity: &Value, tenant: Option<&str>) -> Option<InboundMessage> {
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    if activity["type"] != "message" {
        return None;
    }
    let chat = &activity["conversation"];
    let theirs = text(&chat["tenantId"]).or_else(|| text(&activity["channelData"]["tenant"]["id"]));
    if tenant.is_some() && theirs.as_deref() != tenant {
        return None;
    }
    let whole = text(&chat["id"])?;
    let (chat_id, thread) = match whole.split_once(";messageid=") {
        Some((chat, root)) => (chat.to_owned(), Some(root.to_owned())),
        None => (whole, None),
    };
    let kind = match chat["conversationType"].as_str() {
        Some("channel") => ChatKind::Channel,
        Some("groupChat") => ChatKind::Group,
        _ if chat["isGroup"] == true => ChatKind::Group,
        _ => ChatKind::Dm,
    };
    let us = activity["recipient"]["id"].as_str()?;
    let mut words = activity["text"].as_str().unwrap_or_default().to_owned();
    let mut is_named = false;
    for mention in activity["entities"].as_array().into_iter().flatten() {
        if mention["type"] == "mention" && mention["mentioned"]["id"] == us {
            is_named = true;
            if let Some(shown) = mention["text"].as_str().filter(|shown| !shown.is_empty()) {
                words = words.replace(shown, "");
            }
        }
    }
    let id = text(&activity["id"])?;
    let from = &activity["from"];
    Some(InboundMessage {
        source: ChatSource {
            platform: TEAMS.name.to_owned(),
            chat_id,
            kind,
            user_id: text(&from["aadObjectId"]).or_else(|| text(&from["id"])),
            user_name: text(&from["name"]),
            thread_id: thread,
            scope_id: text(&activity["channelData"]["team"]["id"]),
            is_bot: from["role"] == "bot",
            message_id: Some(id.clone()),
            ..ChatSource::default()
        },
        message_id: id,
        text: words.trim().to_owned(),
        addressing: match kind == ChatKind::Dm || is_named {
            true => Addressing::Direct,
            false => Addressing::Ambient,
        },
        sent_at: activity["timestamp"]
            .as_str()
            .and_then(|at| at.parse::<jiff::Timestamp>().ok())
            .map(|at| at.as_millisecond() as f64 / 1_000.0),
        ..InboundMessage::default()
    })
}

fn said(text: &str) -> Value {
    json!({"type": "message", "text": text, "textFormat": "markdown"})
}

impl Adapter for Teams {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        Box::pin(async move {
            self.bot.key().await.map_err(|error| {
                LinkError::while_connecting(
                    error,
                    "Check TEAMS_CLIENT_ID, TEAMS_CLIENT_SECRET and TEAMS_TENANT_ID.",
                )
            })?;
            *self.bot.inbox.lock().await = Some(inbox.clone());
            let bot = Arc::clone(&self.bot);
            receive_calls(&self.at, MAX_BODY, bot, inbox, |bot, call, inbox| {
                Box::pin(bot.answer(call, inbox))
            })
            .await
        })
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let mut body = said(&message.content.text);
            if let Some(id) = &message.reply_to {
                body["replyToId"] = json!(id);
            }
            let sent =
                self.bot.act(reqwest::Method::POST, &message.target, "", Some(&body)).await?;
            Ok(sent["id"].as_str().unwrap_or_default().to_owned())
        })
    }

    fn edit<'a>(
        &'a self,
        id: &'a str,
        message: &'a Outgoing,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let body = said(&message.content.text);
            self.bot.act(reqwest::Method::PUT, &message.target, id, Some(&body)).await.map(drop)
        })
    }

    fn delete<'a>(
        &'a self,
        target: &'a Target,
        id: &'a str,
    ) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(
            async move { self.bot.act(reqwest::Method::DELETE, target, id, None).await.map(drop) },
        )
    }

    fn typing<'a>(&'a self, target: &'a Target) -> AdapterFuture<'a, Result<(), SendError>> {
        Box::pin(async move {
            let body = json!({"type": "typing"});
            self.bot.act(reqwest::Method::POST, target, "", Some(&body)).await.map(drop)
        })
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        Box::pin(async move {
            self.bot.key().await?;
            Ok(format!("the bot {}", self.bot.id))
        })
    }

    fn render(&self, document: &Document) -> Rendered {
        Rendered::text(markup(document, &MarkupRules::MARKDOWN))
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        let text = text.trim();
        let (chat, root) = match text.split_once(";messageid=") {
            Some((chat, root)) => (chat, Some(root)),
            None => (text, None),
        };
        let is_id = (chat.starts_with("19:") || chat.starts_with("a:") || chat.starts_with("29:"))
            && chat.len() > 3
            && !chat.contains(char::is_whitespace);
        match is_id {
            true => Ok(Target { chat_id: chat.to_owned(), thread_id: root.map(str::to_owned) }),
            false => {
                Err(format!("`{text}` is no conversation of Teams: they begin with 19: or a:"))
            }
        }
    }
}

#[cfg(test)]
mod tests;
