//! The model on the side that tools ask about texts of strangers (`auxiliary.web_extract`, or the main one).

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher as _;
use std::time::Duration;

use hermes_llm::endpoint::OnDemandServers;
use hermes_llm::provider::{self, Auxiliary};
use hermes_llm::{ClientOptions, Message, MessageContent, Model as _, ModelClient, ModelRequest};
use hermes_tool::ToolContext;

/// The side task under `auxiliary`.
const TASK: &str = "web_extract";
/// Most tokens of an answer.
const MAX_TOKENS: u32 = 4_000;
const TEMPERATURE: f32 = 0.1;
/// How long an answer may take, unless the settings say otherwise.
const USUAL_TIME: Duration = Duration::from_secs(120);

/// A model that reads what is too long for the conversation.
pub(crate) struct SideModel(ModelClient);

impl SideModel {
    /// The one that the settings name.
    ///
    /// # Errors
    /// There is none, in words.
    pub(crate) fn of(cx: &ToolContext) -> Result<Self, String> {
        let lookup = |name: &str| cx.vars().get(name).map(str::to_owned);
        let found = provider::side_task(TASK, cx.config(), &lookup);
        let Auxiliary { mut endpoint, timeout } =
            found.map_err(|problem| format!("there is no model to sum it up: {problem}"))?;
        if let Some(servers) = cx.service::<OnDemandServers>() {
            servers.give(&mut endpoint);
        }
        let mut options = ClientOptions::read(cx.config(), &lookup);
        options.timeouts.call = timeout.unwrap_or(USUAL_TIME);
        Ok(Self(ModelClient::new(endpoint, options)))
    }

    /// What it answers.
    ///
    /// # Errors
    /// It did not, in words.
    pub(crate) async fn answer(&self, prompt: String, cx: &ToolContext) -> Result<String, String> {
        let request = ModelRequest {
            messages: vec![Message::user(MessageContent::Text(prompt))],
            max_tokens: Some(MAX_TOKENS),
            temperature: Some(TEMPERATURE),
            ..ModelRequest::default()
        };
        let name = self.0.name();
        let answer = self.0.answer(&request, &mut |_| {}, cx.cancellation()).await;
        let answer =
            answer.map_err(|error| format!("{name} did not sum it up: {}", error.message))?;
        match answer.content.trim() {
            "" => Err(format!("{name} said nothing about it")),
            words => Ok(words.to_owned()),
        }
    }
}

/// A mark around a text of strangers that nobody can foresee.
pub(crate) fn mark(text: &str) -> String {
    format!("page-{:016x}", RandomState::new().hash_one(text.len()))
}
