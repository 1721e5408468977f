//! Chat completions over HTTP, on loopback, for whoever has the key.

use std::collections::hash_map::RandomState;
use std::convert::Infallible;
use std::hash::BuildHasher as _;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use hermes_runtime::repair::written::calls_in_text;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::chat::{self, TemplateTokens};
use super::llama::{Ended, Job, LoadedModel, Spent};
use super::{EngineAddress, EngineError, EngineOptions};
use crate::grammar::{CallRule, grammar_of};

/// The most tokens of an answer where nobody says.
const MAX_ANSWER: u64 = 2_048;

/// What the thread of the model tells of one answer.
enum Told {
    Text(String),
    End(Result<(Ended, Spent), String>),
}

type Work = (Job, UnboundedSender<Told>);

struct ServerState {
    model: String,
    key: String,
    window: u64,
    template: Option<String>,
    tokens: TemplateTokens,
    work: std::sync::Mutex<Sender<Work>>,
}

/// Loads the model and serves it.
pub(super) async fn serve(
    options: EngineOptions,
    tell: impl FnOnce(&EngineAddress) + Send,
) -> Result<(), EngineError> {
    let (model, port) = (options.model.clone(), options.port);
    let (work, jobs) = channel::<Work>();
    let (ready, loaded) = tokio::sync::oneshot::channel();
    std::thread::Builder::new().name("model".to_owned()).spawn(move || {
        let loaded = match LoadedModel::load(options) {
            Ok(loaded) => loaded,
            Err(error) => return drop(ready.send(Err(error))),
        };
        let about = (loaded.template(), loaded.tokens(), u64::from(loaded.window()));
        if ready.send(Ok(about)).is_ok() {
            answer_all(&loaded, &jobs);
        }
    })?;
    let about = loaded.await.map_err(|_| EngineError::Model("the engine ended".to_owned()))?;
    let (template, tokens, window) = about?;
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    // The hasher's keys come from the system's randomness; two draws make a key of 128 bits.
    let draw = || RandomState::new().hash_one(std::process::id());
    let key = format!("{:016x}{:016x}", draw(), draw());
    let base_url = format!("http://{}/v1", listener.local_addr()?);
    tell(&EngineAddress { base_url, key: key.clone(), model: model.clone(), window });
    let work = std::sync::Mutex::new(work);
    let state = Arc::new(ServerState { model, key, window, template, tokens, work });
    let routes = axum::Router::new()
        .route("/v1/models", get(models))
        .route("/v1/chat/completions", post(complete))
        .with_state(state);
    axum::serve(listener, routes).await?;
    Ok(())
}

/// Answers one request after another, on the thread that has the model.
fn answer_all(loaded: &LoadedModel, jobs: &Receiver<Work>) {
    let mut reader = None;
    while let Ok((job, told)) = jobs.recv() {
        let answered = match &mut reader {
            Some(reader) => Ok(reader),
            None => loaded.reader().map(|made| reader.insert(made)),
        };
        let end = answered.and_then(|reader| {
            let mut heard = |text: &str| match text.is_empty() {
                true => !told.is_closed(),
                false => told.send(Told::Text(text.to_owned())).is_ok(),
            };
            reader.answer(&job, &mut heard)
        });
        let _ = told.send(Told::End(end.map_err(|error| error.to_string())));
    }
}

fn refused(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({"error": {"message": message, "type": "invalid_request_error"}})))
        .into_response()
}

impl ServerState {
    fn admits(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        given.and_then(|value| value.strip_prefix("Bearer ")) == Some(self.key.as_str())
    }

    fn job(&self, request: &Value) -> Job {
        let tools = request["tools"].as_array().cloned().unwrap_or_default();
        let rule = match &request["tool_choice"] {
            Value::String(word) if word == "required" => CallRule::Required,
            _ => CallRule::Free,
        };
        let wants_tools = request["tool_choice"] != "none";
        let prompt = chat::prompt(self.template.as_deref(), &self.tokens, request);
        let mut beginning = request.clone();
        if let Some(messages) = beginning["messages"].as_array_mut() {
            messages.retain(|message| message["role"] == "system");
            messages.push(json!({"role": "user", "content": ""}));
        }
        let beginning = chat::prompt(self.template.as_deref(), &self.tokens, &beginning);
        let stable =
            prompt.bytes().zip(beginning.bytes()).take_while(|(one, other)| one == other).count();
        let stable = (0..=stable).rev().find(|at| prompt.is_char_boundary(*at)).unwrap_or(0);
        let most = ["max_tokens", "max_completion_tokens"];
        let most = most.iter().find_map(|key| request[*key].as_u64()).unwrap_or(MAX_ANSWER);
        Job {
            grammar: grammar_of(&tools, rule).filter(|_| wants_tools),
            prompt,
            stable,
            max_tokens: usize::try_from(most).unwrap_or(usize::MAX),
            temperature: request["temperature"].as_f64().unwrap_or(0.0) as f32,
        }
    }
}

async fn models(State(state): State<Arc<ServerState>>, headers: HeaderMap) -> Response {
    if !state.admits(&headers) {
        return refused(StatusCode::UNAUTHORIZED, "the key is wrong");
    }
    let model = json!({"id": state.model, "object": "model", "owned_by": "local",
        "context_length": state.window});
    Json(json!({"object": "list", "data": [model]})).into_response()
}

async fn complete(
    State(state): State<Arc<ServerState>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if !state.admits(&headers) {
        return refused(StatusCode::UNAUTHORIZED, "the key is wrong");
    }
    let Ok(request) = serde_json::from_slice::<Value>(&body) else {
        return refused(StatusCode::BAD_REQUEST, "the request is not JSON");
    };
    if !request["messages"].is_array() {
        return refused(StatusCode::BAD_REQUEST, "messages are missing");
    }
    let job = state.job(&request);
    let has_tools = job.grammar.is_some();
    let (told, mut heard) = unbounded_channel();
    let sent = state.work.lock().map(|work| work.send((job, told)).is_ok()).unwrap_or(false);
    if !sent {
        return refused(StatusCode::INTERNAL_SERVER_ERROR, "the engine has ended");
    }
    // Nothing is promised before the first word: a request that does not fit has a status of its own.
    let first = heard.recv().await;
    if let Some(Told::End(Err(problem))) = &first {
        let status = match problem.contains("context window") {
            true => StatusCode::BAD_REQUEST,
            false => StatusCode::INTERNAL_SERVER_ERROR,
        };
        return refused(status, problem);
    }
    let answer = Answer {
        heard,
        first,
        text: String::new(),
        has_tools,
        model: state.model.clone(),
        begun: false,
        ended: false,
    };
    match request["stream"].as_bool() {
        Some(true) => streamed(answer),
        _ => whole(answer).await,
    }
}

/// An answer on its way.
struct Answer {
    heard: UnboundedReceiver<Told>,
    first: Option<Told>,
    text: String,
    has_tools: bool,
    model: String,
    begun: bool,
    ended: bool,
}

impl Answer {
    async fn next(&mut self) -> Option<Told> {
        match self.first.take() {
            Some(first) => Some(first),
            None => self.heard.recv().await,
        }
    }

    /// Whether what came so far is a call, or may become one.
    fn is_call(&self) -> bool {
        self.has_tools && self.text.trim_start().starts_with('<')
    }

    /// The calls of a whole answer.
    fn calls(&self) -> Option<Vec<Value>> {
        let calls = self.has_tools.then(|| calls_in_text(&self.text, &|_| true)).flatten()?;
        let call = |(at, call): (usize, hermes_runtime::repair::written::TextCall)| {
            json!({"index": at, "id": format!("call_{at}"), "type": "function", "function": {
                "name": call.name, "arguments": Value::Object(call.arguments).to_string()}})
        };
        Some(calls.into_iter().enumerate().map(call).collect())
    }

    fn event(&self, delta: &Value, finish: Option<&str>) -> String {
        let event = json!({"id": "chatcmpl-local", "object": "chat.completion.chunk", "model": self.model,
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
        format!("data: {event}\n\n")
    }

    /// The events for what comes next; nothing at the end.
    async fn events(&mut self) -> Option<String> {
        if self.ended {
            return None;
        }
        let mut events = String::new();
        if !std::mem::replace(&mut self.begun, true) {
            events += &self.event(&json!({"role": "assistant"}), None);
        }
        match self.next().await {
            Some(Told::Text(text)) => {
                self.text += &text;
                if !self.is_call() {
                    events += &self.event(&json!({"content": text}), None);
                }
            }
            Some(Told::End(Ok((ended, spent)))) => {
                self.ended = true;
                let (delta, finish) = self.ending(ended);
                events += &self.event(&delta, Some(finish));
                let usage = json!({"object": "chat.completion.chunk", "model": self.model,
                    "choices": [], "usage": usage(spent)});
                events += &format!("data: {usage}\n\ndata: [DONE]\n\n");
            }
            Some(Told::End(Err(problem))) => {
                self.ended = true;
                events += &format!("data: {}\n\n", json!({"error": {"message": problem}}));
            }
            None => {
                self.ended = true;
                let problem = json!({"error": {"message": "the engine has ended"}});
                events += &format!("data: {problem}\n\n");
            }
        }
        Some(events)
    }

    /// The last piece and why it is the last.
    fn ending(&self, ended: Ended) -> (Value, &'static str) {
        match (self.calls(), ended) {
            (Some(calls), _) => (json!({"tool_calls": calls}), "tool_calls"),
            (None, ended) => {
                // A call that was cut off was held back; as text it may still tell something.
                let delta = if self.is_call() { json!({"content": self.text}) } else { json!({}) };
                (delta, if ended == Ended::Length { "length" } else { "stop" })
            }
        }
    }
}

fn usage(spent: Spent) -> Value {
    json!({"prompt_tokens": spent.prompt, "completion_tokens": spent.answer,
        "total_tokens": spent.prompt + spent.answer,
        "prompt_tokens_details": {"cached_tokens": spent.known}})
}

fn streamed(answer: Answer) -> Response {
    let events = futures_util::stream::unfold(answer, |mut answer| async move {
        let events = answer.events().await?;
        Some((Ok::<_, Infallible>(Bytes::from(events)), answer))
    });
    let kind = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")];
    (kind, Body::from_stream(events)).into_response()
}

async fn whole(mut answer: Answer) -> Response {
    loop {
        match answer.next().await {
            Some(Told::Text(text)) => answer.text += &text,
            Some(Told::End(Ok((ended, spent)))) => {
                let (mut message, finish) = answer.ending(ended);
                message["role"] = "assistant".into();
                if finish != "tool_calls" {
                    message["content"] = answer.text.as_str().into();
                }
                return Json(json!({"id": "chatcmpl-local", "object": "chat.completion",
                    "model": answer.model, "usage": usage(spent),
                    "choices": [{"index": 0, "message": message, "finish_reason": finish}]}))
                .into_response();
            }
            Some(Told::End(Err(problem))) => {
                return refused(StatusCode::INTERNAL_SERVER_ERROR, &problem);
            }
            None => return refused(StatusCode::INTERNAL_SERVER_ERROR, "the engine has ended"),
        }
    }
}
