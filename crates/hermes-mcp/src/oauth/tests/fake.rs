//! An authorization server and the server it protects, in one, on loopback.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use hermes_tool::BoxFuture;
use serde_json::{Map, Value, json};
use url::Url;
use url::form_urlencoded;

use crate::oauth::{Guide, LoginPage, Said};

/// What was asked of the server, and what it shall answer.
#[derive(Default)]
pub(super) struct Book {
    /// Every request: what, and its parameters.
    pub(super) seen: Vec<(&'static str, Map<String, Value>)>,
    /// What the server says it is; its own address if empty.
    pub(super) resource: String,
    /// What is laid over the description of the authorization server.
    pub(super) metadata: Map<String, Value>,
    /// Errors the token endpoint gives, one a request, before it goes on to succeed.
    pub(super) refusals: Vec<(u16, &'static str)>,
    /// How long tokens last, in seconds.
    pub(super) lifetime: u64,
    issued: u64,
}

impl Book {
    pub(super) fn count(&self, what: &str) -> usize {
        self.seen.iter().filter(|(seen, _)| *seen == what).count()
    }

    pub(super) fn last(&self, what: &str) -> Map<String, Value> {
        self.seen.iter().rev().find(|(seen, _)| *seen == what).expect(what).1.clone()
    }
}

#[derive(Clone)]
pub(super) struct Fake {
    address: SocketAddr,
    book: Arc<Mutex<Book>>,
}

impl Fake {
    pub(super) async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let book = Arc::new(Mutex::new(Book { lifetime: 3600, ..Book::default() }));
        let fake = Self { address: listener.local_addr().unwrap(), book };
        let app = Router::new()
            .route("/.well-known/oauth-protected-resource/mcp", get(resource))
            .route("/.well-known/oauth-authorization-server", get(moved))
            .route("/moved", get(server))
            .route("/authorize", get(authorize))
            .route("/token", post(token))
            .route("/register", post(register))
            .with_state(fake.clone());
        tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
        fake
    }

    pub(super) fn url(&self) -> Url {
        Url::parse(&format!("http://{}/mcp", self.address)).unwrap()
    }

    fn at(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(super) fn book<T>(&self, act: impl FnOnce(&mut Book) -> T) -> T {
        act(&mut self.book.lock().unwrap())
    }
}

async fn resource(State(fake): State<Fake>) -> Json<Value> {
    let own = fake.at("/mcp");
    let resource = fake.book(|book| {
        book.seen.push(("resource", Map::new()));
        if book.resource.is_empty() { own } else { book.resource.clone() }
    });
    Json(json!({"resource": resource, "authorization_servers": [fake.at("")]}))
}

/// The description has moved, as it does on some servers.
async fn moved() -> Response {
    (StatusCode::TEMPORARY_REDIRECT, [("location", "/moved")]).into_response()
}

async fn server(State(fake): State<Fake>) -> Json<Value> {
    let mut described = json!({
        "issuer": fake.at(""),
        "authorization_endpoint": fake.at("/authorize"),
        "token_endpoint": fake.at("/token"),
        "registration_endpoint": fake.at("/register"),
        "code_challenge_methods_supported": ["S256"],
    });
    for (key, value) in fake.book(|book| book.metadata.clone()) {
        described[key] = value;
    }
    Json(described)
}

async fn authorize(
    State(fake): State<Fake>,
    Query(params): Query<std::collections::BTreeMap<String, String>>,
) -> Response {
    let map: Map<String, Value> =
        params.iter().map(|(key, value)| (key.clone(), value.as_str().into())).collect();
    fake.book(|book| book.seen.push(("authorize", map)));
    let back = form_urlencoded::Serializer::new(String::new())
        .append_pair("code", "the-code")
        .append_pair("state", &params["state"])
        .finish();
    let location = format!("{}?{back}", params["redirect_uri"]);
    (StatusCode::FOUND, [("location", location)]).into_response()
}

async fn token(State(fake): State<Fake>, headers: HeaderMap, body: String) -> Response {
    let mut params: Map<String, Value> = form_urlencoded::parse(body.as_bytes())
        .map(|(key, value)| (key.into_owned(), value.into_owned().into()))
        .collect();
    if let Some(header) = headers.get("authorization") {
        params.insert("authorization".to_owned(), header.to_str().unwrap().into());
    }
    fake.book(|book| {
        book.seen.push(("token", params));
        if !book.refusals.is_empty() {
            let (status, error) = book.refusals.remove(0);
            let status = StatusCode::from_u16(status).unwrap();
            return (status, Json(json!({"error": error}))).into_response();
        }
        book.issued += 1;
        let tokens = json!({"access_token": format!("access-{}", book.issued),
            "refresh_token": format!("refresh-{}", book.issued), "token_type": "Bearer",
            "expires_in": book.lifetime});
        Json(tokens).into_response()
    })
}

async fn register(State(fake): State<Fake>, Json(form): Json<Value>) -> Response {
    let id = fake.book(|book| {
        book.seen.push(("register", form.as_object().cloned().unwrap_or_default()));
        format!("client-{}", book.count("register"))
    });
    (StatusCode::CREATED, Json(json!({"client_id": id}))).into_response()
}

/// A person with a browser that needs no clicks: goes to the page, and says where it led.
pub(super) struct Browser;

impl Guide for Browser {
    fn show(&self, page: LoginPage) -> BoxFuture<Said> {
        Box::pin(async move {
            let http = super::http();
            let answer = http.get(page.url).send().await.unwrap();
            let location = answer.headers()["location"].to_str().unwrap().to_owned();
            // The browser comes back by itself, so nothing is said.
            http.get(location).send().await.unwrap();
            std::future::pending().await
        })
    }
}

/// A person who pastes this text.
pub(super) struct Pasting(pub(super) &'static str);

impl Guide for Pasting {
    fn show(&self, _page: LoginPage) -> BoxFuture<Said> {
        let said = match self.0 {
            "skip" => Said::Skipped,
            text => Said::Pasted(text.to_owned()),
        };
        Box::pin(async { said })
    }
}
