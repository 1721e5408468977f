//! Calls of other programs: signed, filtered, and turned into a prompt in which everything from outside is marked as data.
//!
//! | module | what it does |
//! |---|---|
//! | `signature` | whether a call is genuine and fresh |
//! | `route` | what is listened to, filters, templates |
//!
//! A signed call is not a trusted one: it gets the narrow toolset of web hooks, and what it wants to do that needs a person's
//! word is asked where its answer goes.

mod route;
mod signature;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, ChatKind, ChatSource, InboundEvent, InboundMessage,
    Inbox, LinkError, Listener, Outgoing, Platform, Receiving, SendError, SetupError, Variable,
    WebhookRequest, WebhookResponse, hex,
};
use route::{Incoming, Route};
use signature::{CallMark, FRESH, Genuine};

static WEBHOOK: Platform = Platform {
    label: "Webhook",
    emoji: "🪝",
    required: &[Variable::open("WEBHOOK_ENABLED", "Whether other programs may call (yes)")],
    optional: &[
        Variable::secret("WEBHOOK_SECRET", "Secret of routes that have none of their own"),
        Variable::open("WEBHOOK_HOST", "Where to listen (127.0.0.1)"),
        Variable::open("WEBHOOK_PORT", "The port (8644)"),
    ],
    binds_port: true,
    vouches_for_all: true,
    is_event_source: true,
    ignores_strangers: true,
    open: |setup| Ok(Arc::new(Webhook::new(&setup)?)),
    ..Platform::named("webhook", "WEBHOOK", "hermes-webhook")
};
crate::register_platform!(&WEBHOOK);

const USUAL_PORT: u64 = 8_644;
const USUAL_BODY: u64 = 1024 * 1024;
const USUAL_RATE: u64 = 30;

struct Webhook {
    host: String,
    port: u16,
    most: usize,
    routes: Arc<Routes>,
}

struct Routes {
    all: HashMap<String, Route>,
    rate: usize,
    calls: Mutex<HashMap<String, Vec<Instant>>>,
    /// Signatures with a time stamp, and when they came.
    seen: Mutex<HashMap<String, Instant>>,
}

fn short_digest(text: &str) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    hex(digest.as_ref()).chars().take(32).collect()
}

impl Webhook {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let host = setup.variable("WEBHOOK_HOST").unwrap_or_else(|| "127.0.0.1".to_owned());
        let is_local = matches!(host.as_str(), "127.0.0.1" | "localhost" | "::1");
        let common = setup.variable("WEBHOOK_SECRET");
        let written = setup.value("routes").and_then(Value::as_object).cloned().unwrap_or_default();
        let mut all = HashMap::new();
        for (name, value) in &written {
            if let Some(route) = Route::read(name, value, common.as_deref(), is_local)? {
                all.insert(name.clone(), route);
            }
        }
        let number =
            |name: &str, usual: u64| setup.value(name).and_then(Value::as_u64).unwrap_or(usual);
        Ok(Self {
            host,
            port: u16::try_from(setup.number("WEBHOOK_PORT", USUAL_PORT))
                .map_err(|_| SetupError::new("WEBHOOK_PORT is no port"))?,
            most: usize::try_from(number("max_body_bytes", USUAL_BODY)).unwrap_or(1 << 20),
            routes: Arc::new(Routes {
                all,
                rate: usize::try_from(number("rate_limit", USUAL_RATE)).unwrap_or(30),
                calls: Mutex::default(),
                seen: Mutex::default(),
            }),
        })
    }
}

impl Routes {
    /// Whether a signature was not seen while its time stamp counts.
    fn is_new(&self, signature: &str) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|_, at| at.elapsed() < Duration::from_secs_f64(2.0 * FRESH));
        seen.insert(short_digest(signature), Instant::now()).is_none()
    }

    /// Whether one more call within a minute is fine.
    fn has_room(&self, name: &str) -> bool {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = calls.entry(name.to_owned()).or_default();
        recent.retain(|at| at.elapsed() < Duration::from_secs(60));
        let has = recent.len() < self.rate;
        if has {
            recent.push(Instant::now());
        }
        has
    }

    async fn answer(&self, call: &WebhookRequest, inbox: &Inbox) -> WebhookResponse {
        let said =
            |status: u16, what: &str| WebhookResponse::json(status, &json!({"status": what}));
        if call.path == "/health" {
            return said(200, "ok");
        }
        let name = call.path.strip_prefix("/webhooks/").unwrap_or_default();
        let Some(route) = self.all.get(name).filter(|_| call.method == "POST") else {
            return said(404, "there is no such route");
        };
        match signature::check(call, &route.secret, hermes_store::clock::now()) {
            Genuine::Yes => {}
            Genuine::OldScheme if route.allows_v1 => {}
            Genuine::OldScheme => {
                return said(401, "this signature can be replayed; sign with a timestamp");
            }
            Genuine::No => return said(401, "the signature is not right"),
        }
        if !self.has_room(name) {
            return said(429, "too many calls");
        }
        let Some(incoming) = Incoming::read(call) else {
            return said(400, "the body is neither JSON nor a form");
        };
        if !route.wants(&incoming) {
            return said(200, "ignored");
        }
        let id = ["x-github-delivery", "svix-id", "x-request-id"];
        let id = id.iter().find_map(|name| call.header(name)).map(str::to_owned);
        let id = id.unwrap_or_else(|| {
            hex(ring::digest::digest(&ring::digest::SHA256, &call.body).as_ref())
        });
        let id: String =
            id.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(64).collect();
        // What nobody signed is only a name: a copy under another one is still a copy.
        let known_by = match signature::mark(call, &route.secret) {
            CallMark::Unsigned => id.clone(),
            CallMark::Signed(mark) => short_digest(&mark),
            CallMark::Stamped(mark) if !self.is_new(&mark) => {
                return said(200, "this call has come already");
            }
            CallMark::Stamped(_) => id.clone(),
        };
        let message = InboundMessage {
            source: ChatSource {
                platform: WEBHOOK.name.to_owned(),
                // Each event is a conversation of its own.
                chat_id: format!("{name}/{known_by}"),
                chat_name: Some(name.to_owned()),
                kind: ChatKind::Webhook,
                message_id: Some(id.clone()),
                ..ChatSource::default()
            },
            message_id: known_by,
            text: route.prompt(name, &incoming),
            deliver_to: route.deliver.clone(),
            is_answer: route.deliver_only,
            ..InboundMessage::default()
        };
        match inbox.accept(vec![InboundEvent::Message(Box::new(message))], &[]).await {
            Ok(()) => WebhookResponse::json(202, &json!({"status": "accepted", "delivery_id": id})),
            Err(_) => said(503, "it could not be stored; try again"),
        }
    }
}

impl Adapter for Webhook {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        Box::pin(async move {
            let listener = Listener::bind(&self.host, self.port).await?;
            let routes = Arc::clone(&self.routes);
            let answer = move |call: WebhookRequest| {
                let (routes, inbox) = (Arc::clone(&routes), inbox.clone());
                Box::pin(async move { routes.answer(&call, &inbox).await })
                    as AdapterFuture<'static, WebhookResponse>
            };
            Ok(Box::pin(listener.serve(self.most, answer)) as Receiving)
        })
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        // A route without a place to deliver to has its answer in the session, and a line here.
        let letters = message.content.text.chars().count();
        tracing::info!(event = message.target.chat_id, letters, "a call was answered, to nobody");
        Box::pin(std::future::ready(Ok(format!("{:016x}", hermes_store::clock::random()))))
    }

    fn parse_target(&self, _: &str) -> Result<crate::adapter::Target, String> {
        Err("web hooks are received and cannot be written to".to_owned())
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        let line = format!("{} routes on {}:{}", self.routes.all.len(), self.host, self.port);
        Box::pin(std::future::ready(Ok(line)))
    }
}
