//! `hermes api`: the wire of chat front ends, over real sockets, with a scripted model behind the agent.

mod chat;
mod clients;
mod doors;
mod responses;
mod runs;
mod sessions;

use hermes_testkit::{ModelServer, Script};
use serde_json::Value;

use crate::support::Sandbox;
use crate::wire::{Answer, Request, Served};

/// The server with its model.
pub(crate) struct Api {
    pub(crate) sandbox: Sandbox,
    pub(crate) model: ModelServer,
    pub(crate) server: Served,
    pub(crate) key: String,
}

impl Api {
    /// With a model that says these things.
    pub(crate) fn start(script: impl Into<Script>) -> Self {
        Self::with(script, "")
    }

    /// With further settings.
    pub(crate) fn with(script: impl Into<Script>, settings: &str) -> Self {
        let model = ModelServer::start(script);
        let config = format!(
            "model:\n  provider: custom\n  base_url: {}\n  default: scripted\n  context_length: 200000\n\
             auxiliary: {{ title_generation: {{ enabled: false }} }}\n{settings}",
            model.url()
        );
        let sandbox = Sandbox::with_config(&config);
        Self::in_sandbox(sandbox, model)
    }

    /// In a sandbox that is ready.
    pub(crate) fn in_sandbox(sandbox: Sandbox, model: ModelServer) -> Self {
        let server = Served::start(&sandbox, &["api", "--listen", "127.0.0.1:0"]);
        let key = sandbox.read("api.token").trim().to_owned();
        Self { sandbox, model, server, key }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.server.send(&Request::get(path).token(&self.key))
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_with(path, body, &[])
    }

    pub(crate) fn post_with(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> Answer {
        let body = body.to_string();
        let mut request = Request::post(path, body.as_bytes()).token(&self.key);
        for (name, value) in headers {
            request = request.header(name, *value);
        }
        self.server.send(&request)
    }

    pub(crate) fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        let body = body.to_string();
        let request = Request { method, ..Request::post(path, body.as_bytes()) };
        self.server.send(&request.token(&self.key))
    }

    /// What the model was asked, the `number`-th time from zero.
    pub(crate) fn asked(&self, number: usize) -> Value {
        self.model.questions()[number].body.clone()
    }
}

/// The data of a stream's events: name (if any), id (if any) and text. Chunk sizes of the transfer are taken out.
pub(crate) fn events(body: &str) -> Vec<(String, String, String)> {
    let mut events = Vec::new();
    let (mut name, mut id, mut data) = (String::new(), String::new(), String::new());
    for line in dechunked(body).lines() {
        match line.split_once(": ").or_else(|| line.split_once(':')) {
            Some(("event", value)) => name = value.to_owned(),
            Some(("id", value)) => id = value.to_owned(),
            Some(("data", value)) => data.push_str(value),
            _ if line.is_empty() && !data.is_empty() => {
                events.push((
                    std::mem::take(&mut name),
                    std::mem::take(&mut id),
                    std::mem::take(&mut data),
                ));
            }
            _ => {}
        }
    }
    events
}

fn dechunked(body: &str) -> String {
    let (mut rest, mut whole) = (body, String::new());
    while let Some((size, after)) = rest.split_once("\r\n") {
        let Ok(size) = usize::from_str_radix(size.trim(), 16) else { break };
        let Some(piece) = after.get(..size) else { break };
        whole.push_str(piece);
        rest = after.get(size + 2..).unwrap_or_default();
    }
    whole
}
