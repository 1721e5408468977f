//! A server asks for a model's answer: `sampling/createMessage`.
//!
//! The server pays with our key, so every request passes a row of limits before the model sees it: how
//! many a minute, which model, how many tokens, how long, and how many times in a row the model may ask
//! for the server's tools. [`Sampling`] keeps one server's limits and counters; [`Sampler`] is the model,
//! of which nothing is known here but that it answers.
//!
//! | module | what |
//! |---|---|
//! | [`settings`] | the limits, as the configuration says them |
//! | [`window`] | so many in any minute |
//! | [`turns`] | the server's messages in the shape of a chat; pure |
//!
//! What never happens here: a request passes with more tokens than the cap, a model that is not on the
//! list is asked, or a tool of ours is offered. The tools a server sends are its own; it runs them.

pub mod settings;
pub mod turns;
pub mod window;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use hermes_tool::BoxFuture;
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use super::request_error::RequestError;
pub use settings::SamplingSettings;
pub use turns::{SamplingMessage, SamplingPart, TurnCall};
use window::RateWindow;

/// The method this module answers.
pub const METHOD: &str = "sampling/createMessage";
/// What the model's settings and the accounts call this work.
pub const TASK: &str = "mcp";

/// A model's answer is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleRequest {
    /// The server that asks.
    pub server: String,
    /// The model, or the usual one for this task.
    pub model: Option<String>,
    /// The conversation, instructions first.
    pub turns: Vec<SamplingMessage>,
    /// The server's tools, as chat-completions function definitions.
    pub tools: Vec<Value>,
    /// Whether the model may, must or must not use them.
    pub tool_choice: ToolChoice,
    /// The most tokens of the answer.
    pub max_tokens: u32,
    /// How freely words are chosen.
    pub temperature: Option<f32>,
    /// Words at which the answer ends.
    pub stop: Vec<String>,
}

/// Whether the model uses tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// At least one.
    Required,
    /// None.
    None,
}

/// A model's answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SampleAnswer {
    /// The model that answered.
    pub model: String,
    /// What it said.
    pub text: String,
    /// The tools it wants called.
    pub calls: Vec<TurnCall>,
    /// Whether the answer was cut off at the cap.
    pub is_cut_off: bool,
    /// Tokens of question and answer.
    pub tokens: u64,
}

/// Whoever can put a question to a model. The error is a text for people.
pub trait Sampler: Send + Sync {
    /// The model's answer.
    fn sample(&self, request: SampleRequest) -> BoxFuture<Result<SampleAnswer, String>>;
}

/// What a server has had of our models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SamplingCounters {
    /// Requests that reached the model.
    pub requests: u64,
    /// Requests that were refused or failed.
    pub errors: u64,
    /// Tokens of questions and answers.
    pub tokens_used: u64,
    /// Answers that asked for tools.
    pub tool_use_count: u64,
}

#[derive(Default)]
struct Counts {
    requests: AtomicU64,
    errors: AtomicU64,
    tokens: AtomicU64,
    tool_uses: AtomicU64,
}

/// One server's access to a model.
pub struct Sampling {
    server: String,
    settings: SamplingSettings,
    window: RateWindow,
    rounds: AtomicU32,
    counts: Counts,
}

impl Sampling {
    /// Access for this server, within these limits.
    #[must_use]
    pub fn new(server: &str, settings: SamplingSettings) -> Self {
        let window = RateWindow::per_minute(settings.max_rpm);
        Self {
            server: server.to_owned(),
            settings,
            window,
            rounds: AtomicU32::new(0),
            counts: Counts::default(),
        }
    }

    /// What the server has had so far.
    #[must_use]
    pub fn counters(&self) -> SamplingCounters {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        SamplingCounters {
            requests: read(&self.counts.requests),
            errors: read(&self.counts.errors),
            tokens_used: read(&self.counts.tokens),
            tool_use_count: read(&self.counts.tool_uses),
        }
    }

    /// Answers the parameters of a request with the result to send.
    ///
    /// # Errors
    ///
    /// When a limit is reached, the request makes no sense, or the model does not answer.
    pub async fn answer(
        &self,
        params: &Value,
        sampler: &dyn Sampler,
    ) -> Result<Value, RequestError> {
        let answer = self.try_answer(params, sampler).await;
        match &answer {
            Ok(_) => self.settings.log_level.log(&self.server, "a model's answer was given"),
            Err(problem) => {
                self.counts.errors.fetch_add(1, Ordering::Relaxed);
                tracing::warn!(server = %self.server, "sampling was refused or failed: {problem}");
            }
        }
        answer
    }

    async fn try_answer(
        &self,
        params: &Value,
        sampler: &dyn Sampler,
    ) -> Result<Value, RequestError> {
        if !self.settings.is_enabled {
            return Err(RequestError::method_not_found(METHOD));
        }
        if !self.window.admit() {
            return Err(RequestError::refused(&format!(
                "no more than {} requests a minute are answered; try again later",
                self.settings.max_rpm
            )));
        }
        let request = self.request(params)?;
        self.counts.requests.fetch_add(1, Ordering::Relaxed);
        let limit = self.settings.timeout;
        let answer = timeout(limit, sampler.sample(request))
            .await
            .map_err(|_| {
                RequestError::refused(&format!("no answer within {} s", limit.as_secs_f64()))
            })?
            .map_err(|problem| RequestError::refused(&problem))?;
        self.counts.tokens.fetch_add(answer.tokens, Ordering::Relaxed);
        self.result(&answer)
    }

    /// The server's wish, within its limits.
    fn request(&self, params: &Value) -> Result<SampleRequest, RequestError> {
        let settings = &self.settings;
        let model = settings.model.clone().or_else(|| first_hint(params));
        if let Some(model) = &model
            && !settings.allowed_models.is_empty()
            && !settings.allowed_models.contains(model)
        {
            return Err(RequestError::refused(&format!("the model {model:?} is not allowed here")));
        }
        let wanted = params["maxTokens"].as_u64().unwrap_or(u64::from(settings.max_tokens_cap));
        let max_tokens = u32::try_from(wanted).unwrap_or(u32::MAX).min(settings.max_tokens_cap);
        let tools = match settings.max_tool_rounds {
            0 => Vec::new(),
            _ => turns::tools(&params["tools"]),
        };
        #[expect(clippy::cast_possible_truncation, reason = "a temperature has few digits")]
        let temperature = params["temperature"].as_f64().map(|value| value as f32);
        Ok(SampleRequest {
            server: self.server.clone(),
            model,
            turns: turns::read(params).map_err(|problem| RequestError::invalid(&problem))?,
            tools,
            tool_choice: match params["toolChoice"]["mode"].as_str() {
                Some("required") => ToolChoice::Required,
                Some("none") => ToolChoice::None,
                _ => ToolChoice::Auto,
            },
            max_tokens,
            temperature,
            stop: turns::strings(&params["stopSequences"]),
        })
    }

    /// The model's answer, as the server wants it.
    fn result(&self, answer: &SampleAnswer) -> Result<Value, RequestError> {
        if answer.calls.is_empty() {
            self.rounds.store(0, Ordering::Relaxed);
            let stop = if answer.is_cut_off { "maxTokens" } else { "endTurn" };
            return Ok(json!({
                "role": "assistant",
                "content": {"type": "text", "text": answer.text},
                "model": answer.model,
                "stopReason": stop,
            }));
        }
        let most = self.settings.max_tool_rounds;
        if self.rounds.fetch_add(1, Ordering::Relaxed) >= most {
            self.rounds.store(0, Ordering::Relaxed);
            return Err(RequestError::refused(&match most {
                0 => "the model may not use tools here".to_owned(),
                most => format!("the model asked for tools more than {most} times in a row"),
            }));
        }
        self.counts.tool_uses.fetch_add(1, Ordering::Relaxed);
        let mut content = Vec::new();
        if !answer.text.is_empty() {
            content.push(json!({"type": "text", "text": answer.text}));
        }
        content.extend(answer.calls.iter().map(|call| {
            json!({"type": "tool_use", "id": call.id, "name": call.name,
                "input": arguments(&call.arguments)})
        }));
        Ok(json!({
            "role": "assistant",
            "content": content,
            "model": answer.model,
            "stopReason": "toolUse",
        }))
    }
}

/// The first model the server would like.
fn first_hint(params: &Value) -> Option<String> {
    let name = params["modelPreferences"]["hints"].get(0)?["name"].as_str()?.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// A call's arguments; what cannot be read is passed on as text.
fn arguments(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(map)) => Value::Object(map),
        _ => json!({"_raw": text}),
    }
}
