//! What runs on this machine, and what a server tells about its models.
//!
//! Questions here are cheap and few: they have short deadlines, a server that does not answer is simply
//! not there, and for the window of a model at most one question is asked, whose answer is kept in a file.

mod cache;
mod context;
mod local;

pub use cache::ContextCache;
pub use context::{WindowSize, WindowSource, context_length, known_context};
pub use local::{LocalServer, ServerAddress, ServerKind, USUAL_PLACES, local_servers, server_kind};

use std::time::Duration;

use serde_json::Value;

use crate::endpoint::{Endpoint, NO_KEY, WireApi};
use crate::http::{self, Proxies};

/// The longest that a single question may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// The most bytes of an answer that are read.
const MAX_BYTES: usize = 8 << 20;

/// What a server tells about one of its models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelInfo {
    /// Its name.
    pub id: String,
    /// How much it reads, where the server says so.
    pub context_length: Option<u64>,
}

/// The models of a server; empty if it does not tell.
pub async fn models(endpoint: &Endpoint, proxies: &Proxies) -> Vec<ModelInfo> {
    let url = list_address(endpoint);
    let Some(asker) = Asker::new(endpoint, proxies) else { return Vec::new() };
    asker.get(&url).await.map(|body| read_models(&body)).unwrap_or_default()
}

/// Whether a server answers, and takes the key: asked for its list of models, which costs nothing.
pub async fn ask_server(endpoint: &Endpoint, proxies: &Proxies) -> ServerAnswer {
    let url = list_address(endpoint);
    let Some(asker) = Asker::new(endpoint, proxies) else {
        return ServerAnswer::Unreachable(format!("{} is no address", endpoint.base_url));
    };
    match tokio::time::timeout(PATIENCE, asker.question(asker.http.get(&url)).send()).await {
        Err(_) => ServerAnswer::Unreachable(format!("{url} did not answer in time")),
        Ok(Err(problem)) if problem.is_timeout() => {
            ServerAnswer::Unreachable(format!("{url} did not answer in time"))
        }
        Ok(Err(_)) => ServerAnswer::Unreachable(format!("{url} cannot be reached")),
        Ok(Ok(answer)) => match answer.status().as_u16() {
            200..=299 => ServerAnswer::Fine,
            401 | 403 => ServerAnswer::KeyRefused,
            // It is there and has no such list.
            status => ServerAnswer::Status(status),
        },
    }
}

/// What came of asking a server whether it is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerAnswer {
    /// It lists its models.
    Fine,
    /// It is there and does not take the key.
    KeyRefused,
    /// It is there and answers something else.
    Status(u16),
    /// It is not there; why, without the key.
    Unreachable(String),
}

fn list_address(endpoint: &Endpoint) -> String {
    let base = endpoint.base_url.trim_end_matches('/');
    match endpoint.wire {
        WireApi::Chat => format!("{base}/models"),
        WireApi::Messages => format!("{}/v1/models", base.strip_suffix("/v1").unwrap_or(base)),
    }
}

/// The model of a server that has exactly one.
pub async fn only_model(endpoint: &Endpoint, proxies: &Proxies) -> Option<ModelInfo> {
    let mut models = models(endpoint, proxies).await;
    (models.len() == 1).then(|| models.remove(0))
}

/// Models in a list of any of the servers.
fn read_models(body: &Value) -> Vec<ModelInfo> {
    let list = body["data"].as_array().or_else(|| body["models"].as_array());
    let read = |model: &Value| {
        let id = ["id", "name", "model", "key"].iter().find_map(|field| model[*field].as_str())?;
        let id = id.strip_prefix("models/").unwrap_or(id).to_owned();
        Some(ModelInfo { id, context_length: window_in(model) })
    };
    list.into_iter().flatten().filter_map(read).collect()
}

/// The window among a model's fields.
fn window_in(model: &Value) -> Option<u64> {
    // What a server has loaded counts for more than what the model could do.
    let fields = [
        "/loaded_context_length",
        "/loaded_instances/0/config/context_length",
        "/context_length",
        "/max_model_len",
        "/meta/n_ctx",
        "/n_ctx",
        "/max_context_length",
        "/context_window",
        "/meta/n_ctx_train",
    ];
    fields.iter().find_map(|field| model.pointer(field)?.as_u64()).filter(|window| *window > 0)
}

/// Asks a server, with the key that is meant for it.
struct Asker {
    http: reqwest::Client,
    headers: Vec<(&'static str, String)>,
}

impl Asker {
    fn new(endpoint: &Endpoint, proxies: &Proxies) -> Option<Self> {
        let http = http::client(&endpoint.base_url, PATIENCE, proxies).ok()?;
        let key = endpoint.api_key.as_ref().map(|key| key.expose()).filter(|key| *key != NO_KEY);
        let headers = match (key, endpoint.wire) {
            (None, _) => Vec::new(),
            (Some(key), WireApi::Chat) => vec![("authorization", format!("Bearer {key}"))],
            (Some(key), WireApi::Messages) => {
                vec![("x-api-key", key.to_owned()), ("anthropic-version", "2023-06-01".to_owned())]
            }
        };
        Some(Self { http, headers })
    }

    async fn get(&self, url: &str) -> Option<Value> {
        self.read(self.http.get(url)).await
    }

    async fn post(&self, url: &str, body: &Value) -> Option<Value> {
        self.read(self.http.post(url).json(body)).await
    }

    /// A question with the key.
    fn question(&self, mut question: reqwest::RequestBuilder) -> reqwest::RequestBuilder {
        for (name, value) in &self.headers {
            question = question.header(*name, value);
        }
        question
    }

    async fn read(&self, question: reqwest::RequestBuilder) -> Option<Value> {
        let question = self.question(question);
        let asked = async {
            let mut response =
                question.send().await.ok().filter(|answer| answer.status().is_success())?;
            let mut bytes = Vec::new();
            while let Some(chunk) = response.chunk().await.ok()? {
                bytes.extend_from_slice(&chunk);
                if bytes.len() > MAX_BYTES {
                    return None;
                }
            }
            serde_json::from_slice(&bytes).ok()
        };
        tokio::time::timeout(PATIENCE, asked).await.ok().flatten()
    }
}

#[cfg(test)]
mod tests;
