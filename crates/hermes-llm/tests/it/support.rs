//! What all of these tests need.

use std::sync::Arc;
use std::time::Duration;

use hermes_llm::http::Timeouts;
use hermes_llm::{
    ClientOptions, Delta, Endpoint, Message, Model, ModelClient, ModelError, ModelRequest,
    ModelResponse, Secret, WireApi,
};
use hermes_testkit::{ModelServer, Script};
use serde_json::json;
use tokio_util::sync::CancellationToken;

pub(crate) const BOTH: [WireApi; 2] = [WireApi::Chat, WireApi::Messages];

/// A server with a client that talks to it.
pub(crate) struct Pair {
    pub(crate) server: ModelServer,
    pub(crate) client: ModelClient,
    pub(crate) heard: Vec<Delta>,
}

impl Pair {
    pub(crate) fn new(wire: WireApi, script: impl Into<Script>) -> Self {
        Self::with(wire, script, Timeouts { stream_retries: 0, ..Timeouts::default() })
    }

    pub(crate) fn with(wire: WireApi, script: impl Into<Script>, timeouts: Timeouts) -> Self {
        let server = ModelServer::start(script);
        let base = match wire {
            WireApi::Chat => server.url(),
            WireApi::Messages => server.origin(),
        };
        let mut endpoint = Endpoint::new(wire, &base, "scripted");
        endpoint.api_key = Some(Secret::new("sk-of-the-test"));
        let client =
            ModelClient::new(endpoint, ClientOptions { timeouts, ..ClientOptions::default() });
        Self { server, client, heard: Vec::new() }
    }

    pub(crate) async fn ask(&mut self) -> Result<ModelResponse, ModelError> {
        self.ask_for(&request()).await
    }

    pub(crate) async fn ask_for(
        &mut self,
        request: &ModelRequest,
    ) -> Result<ModelResponse, ModelError> {
        let heard = &mut self.heard;
        let mut listen = |delta| heard.push(delta);
        self.client.answer(request, &mut listen, &CancellationToken::new()).await
    }

    /// The text that was shown.
    pub(crate) fn shown(&self) -> String {
        let texts = self.heard.iter().filter_map(|delta| match delta {
            Delta::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }
}

/// A question with instructions and one tool.
pub(crate) fn request() -> ModelRequest {
    let parameters =
        json!({"type": "object", "properties": {"path": {"type": "string", "pattern": "."}}});
    let tool = json!({"type": "function",
        "function": {"name": "look", "description": "Looks.", "parameters": parameters}});
    ModelRequest {
        system: Some("Be brief.".into()),
        messages: vec![Message::user("Hello?")],
        tools: Arc::from([tool]),
        ..ModelRequest::default()
    }
}

pub(crate) fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}
