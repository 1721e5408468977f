//! The policy: the model that is trained, asked in a way that can be trained on.
//!
//! To an agent it is a [`Model`] like any other. Behind that it keeps the conversation as it went over the wire, and only
//! ever adds to it: the answer exactly as the server wrote it, then what the agent has to say since (results, notes). The
//! agent's own copy of the history, in which answers may be tidied up, is used to find out what is new and for nothing else.
//! If it is not the earlier one with something added, the rollout is over: [`EarlyEnd::Rewritten`].
//!
//! A request holds the model, the messages, the tools of the first request, the sampling parameters that were given, and
//! the wish for ids (`return_token_ids` as vLLM knows it) and log-probabilities. Nothing else: defaults of ours would
//! change what is sampled.
//!
//! Ids are read where servers put them: `prompt_token_ids` of the body or the choice, `token_ids` of the choice, or `id`
//! beside each log-probability as llama.cpp writes it.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_llm::http::{Proxies, client};
use hermes_llm::model::{BoxFuture, DeltaListener};
use hermes_llm::wire::{self, Adaptations, Delivery};
use hermes_llm::{
    Delta, Endpoint, ErrorClass, Model, ModelError, ModelRequest, ModelResponse, Secret, WireApi,
    error,
};
use hermes_tool::Vars;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use crate::tokens::{RolloutTokens, SampledTurn};

/// Until there is a connection.
const CONNECT: Duration = Duration::from_secs(30);
/// What of an answer goes back to the server.
const ANSWER_FIELDS: [&str; 5] =
    ["role", "content", "tool_calls", "reasoning_content", "reasoning"];

/// Where a policy is, and how it is sampled.
#[derive(Clone, Debug)]
pub struct PolicyOptions {
    /// The base of its addresses, as `http://127.0.0.1:8001/v1`.
    pub base_url: String,
    /// What requests call it.
    pub model: String,
    /// Its key, if it wants one.
    pub api_key: Option<String>,
    /// Sampling parameters, sent as they are and with no others.
    pub sampling: Map<String, Value>,
    /// Whether ids and log-probabilities are asked for; some servers refuse fields they do not know.
    pub wants_ids: bool,
    /// How long an answer may take.
    pub timeout: Duration,
}

/// Why a rollout ended without the model having come to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EarlyEnd {
    /// The conversation does not fit into the model any more.
    Length,
    /// The agent has used up its turns.
    MaxTurns,
    /// The next request would not have begun with the one before.
    Rewritten,
}

impl EarlyEnd {
    /// The class in records.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Length => "length",
            Self::MaxTurns => "max_turns",
            Self::Rewritten => "rewritten",
        }
    }
}

#[derive(Debug, Default)]
struct PolicyState {
    /// The agent's copy in its last request.
    known: Vec<Value>,
    /// What goes over the wire.
    said: Vec<Value>,
    /// The tools of the first request.
    tools: Option<Value>,
    /// The last answer has been sent back by the agent, or stands for itself.
    answered: bool,
    /// Ids of calls, the agent's and the server's, where they differ.
    ids: Vec<(String, String)>,
    tokens: RolloutTokens,
    ended: Option<EarlyEnd>,
}

/// A policy in one rollout.
#[derive(Debug)]
pub struct PolicyModel {
    endpoint: Endpoint,
    options: PolicyOptions,
    http: reqwest::Client,
    state: Mutex<PolicyState>,
}

impl PolicyModel {
    /// A policy that has not been asked anything yet. `vars` say which proxy leads there.
    ///
    /// # Errors
    /// If no client can be made for its address.
    pub fn new(options: PolicyOptions, vars: &Vars) -> Result<Self, String> {
        let proxies = Proxies::from_vars(&|name| vars.get(name).map(str::to_owned));
        let http =
            client(&options.base_url, CONNECT, &proxies).map_err(|error| error.to_string())?;
        Ok(Self::on(options, http))
    }

    /// The same at the beginning of another rollout: connections are shared, nothing else is.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self::on(self.options.clone(), self.http.clone())
    }

    fn on(options: PolicyOptions, http: reqwest::Client) -> Self {
        let mut endpoint = Endpoint::new(WireApi::Chat, &options.base_url, &options.model);
        endpoint.api_key = options.api_key.clone().map(Secret::new);
        Self { endpoint, options, http, state: Mutex::default() }
    }

    /// The model that the server lists first.
    ///
    /// # Errors
    /// If it lists none.
    pub async fn first_listed(&self) -> Result<String, String> {
        let mut request =
            self.http.get(format!("{}/models", self.endpoint.base_url)).timeout(CONNECT);
        if let Some(key) = &self.options.api_key {
            request = request.bearer_auth(key);
        }
        let answer = request.send().await.map_err(|error| error.to_string())?;
        let text = answer.text().await.map_err(|error| error.to_string())?;
        let list: Value = serde_json::from_str(&text).unwrap_or_default();
        let first = list["data"][0]["id"].as_str().map(str::to_owned);
        first.ok_or_else(|| "the server lists no model".to_owned())
    }

    fn state(&self) -> MutexGuard<'_, PolicyState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The tokens so far.
    #[must_use]
    pub fn tokens(&self) -> RolloutTokens {
        self.state().tokens.clone()
    }

    /// The conversation as it went over the wire, the last answer included.
    #[must_use]
    pub fn said(&self) -> Vec<Value> {
        self.state().said.clone()
    }

    /// Why no more can be asked, if that is so.
    #[must_use]
    pub fn ended(&self) -> Option<EarlyEnd> {
        self.state().ended
    }

    /// The next request, if it goes on where the last one ended.
    fn next_body(&self, request: &ModelRequest) -> Result<Value, EarlyEnd> {
        let plain = ModelRequest {
            max_tokens: None,
            effort: None,
            temperature: None,
            session_id: None,
            cache: hermes_llm::model::CachePlan::Once,
            ..request.clone()
        };
        let mut written =
            wire::body(&self.endpoint, &plain, &Adaptations::default(), Delivery::Whole);
        let Value::Array(messages) = written["messages"].take() else {
            return Err(EarlyEnd::Rewritten);
        };
        let mut state = self.state();
        if let Some(ended) = state.ended {
            return Err(ended);
        }
        let tools = Some(written["tools"].take()).filter(|tools| !tools.is_null());
        if state.said.is_empty() {
            state.tools = tools;
            state.said.clone_from(&messages);
        } else {
            if tools.is_none() && state.tools.is_some() {
                // The agent asks for a last word without tools; tools are part of what the model has read.
                state.ended = Some(EarlyEnd::MaxTurns);
                return Err(EarlyEnd::MaxTurns);
            }
            if let Err(ended) = state.extend(&messages) {
                state.ended = Some(ended);
                return Err(ended);
            }
        }
        state.known = messages;
        let mut body = Map::new();
        body.insert("model".to_owned(), json!(self.options.model));
        body.insert("messages".to_owned(), Value::Array(state.said.clone()));
        if let Some(tools) = &state.tools {
            body.insert("tools".to_owned(), tools.clone());
        }
        if self.options.wants_ids {
            body.insert("logprobs".to_owned(), json!(true));
            body.insert("return_token_ids".to_owned(), json!(true));
        }
        body.extend(self.options.sampling.clone());
        Ok(Value::Object(body))
    }

    async fn ask(&self, body: &Value) -> Result<Value, ModelError> {
        let url = format!("{}/chat/completions", self.endpoint.base_url);
        let mut request = self.http.post(url).timeout(self.options.timeout).json(body);
        if let Some(key) = &self.options.api_key {
            request = request.bearer_auth(key);
        }
        let failed = |failure: &reqwest::Error| error::from_transport(&self.endpoint, failure);
        let answer = request.send().await.map_err(|failure| failed(&failure))?;
        let status = answer.status().as_u16();
        let wait = answer.headers().get("retry-after").and_then(|value| value.to_str().ok());
        let wait = wait.and_then(|value| error::retry_after(value, jiff::Timestamp::now()));
        let text = answer.text().await.map_err(|failure| failed(&failure))?;
        if status >= 300 {
            return Err(error::from_status(&self.endpoint, status, &text, wait));
        }
        serde_json::from_str(&text).map_err(|_| {
            error::error(
                &self.endpoint,
                ErrorClass::InvalidResponse,
                "the policy's answer is no JSON",
            )
        })
    }

    fn taken(&self, value: &Value) -> Result<ModelResponse, ModelError> {
        let response = wire::whole(&self.endpoint, &value.to_string())?;
        let mut answer = value["choices"][0]["message"].clone();
        if let Some(fields) = answer.as_object_mut() {
            fields.retain(|name, value| {
                ANSWER_FIELDS.contains(&name.as_str())
                    && (name == "content" || !value.is_null())
                    && value.as_array().is_none_or(|list| !list.is_empty())
            });
            fields.entry("content").or_insert(Value::Null);
        }
        let mut state = self.state();
        state.said.push(answer);
        state.answered = true;
        match sampled(value) {
            Some(turn) => state.tokens.push(&turn),
            None => state.tokens.without_ids += 1,
        }
        Ok(response)
    }
}

impl PolicyState {
    /// Adds what is new in the agent's copy. The answer in it stands for the server's own, which is there already.
    fn extend(&mut self, messages: &[Value]) -> Result<(), EarlyEnd> {
        if !self.answered {
            // The last request failed: the same one again.
            return if messages == self.known { Ok(()) } else { Err(EarlyEnd::Rewritten) };
        }
        let mut new = messages.strip_prefix(&self.known[..]).ok_or(EarlyEnd::Rewritten)?;
        if let Some((first, rest)) = new.split_first()
            && first["role"] == "assistant"
        {
            let own = self.said.last().map(|said| said["tool_calls"].clone()).unwrap_or_default();
            let pairs = calls(&first["tool_calls"]).zip(calls(&own));
            self.ids.extend(pairs.filter(|(ours, theirs)| ours != theirs));
            new = rest;
        }
        if new.is_empty() || new.iter().any(|message| message["role"] == "assistant") {
            return Err(EarlyEnd::Rewritten);
        }
        for message in new {
            let mut message = message.clone();
            let id = message["tool_call_id"].as_str();
            if let Some((_, theirs)) = self.ids.iter().find(|(ours, _)| Some(ours.as_str()) == id) {
                message["tool_call_id"] = json!(theirs);
            }
            self.said.push(message);
        }
        self.answered = false;
        Ok(())
    }
}

/// The ids of calls, in order.
fn calls(list: &Value) -> impl Iterator<Item = String> {
    let list: Vec<String> = list
        .as_array()
        .into_iter()
        .flatten()
        .map(|call| call["id"].as_str().unwrap_or_default().to_owned())
        .collect();
    list.into_iter()
}

/// The tokens of an answer, if all of them are told.
fn sampled(answer: &Value) -> Option<SampledTurn> {
    let choice = &answer["choices"][0];
    let list = |value: &Value| -> Option<Vec<u32>> {
        let ids = value.as_array()?.iter();
        ids.map(|id| id.as_u64().and_then(|id| u32::try_from(id).ok())).collect()
    };
    let prompt = list(&answer["prompt_token_ids"]).or_else(|| list(&choice["prompt_token_ids"]))?;
    let told = choice["logprobs"]["content"].as_array()?;
    let logprobs: Vec<f64> =
        told.iter().map(|one| one["logprob"].as_f64()).collect::<Option<_>>()?;
    let beside = || told.iter().map(|one| u32::try_from(one["id"].as_u64()?).ok()).collect();
    let tokens: Vec<u32> = list(&choice["token_ids"]).or_else(beside)?;
    let fits = tokens.len() == logprobs.len() && !tokens.is_empty();
    fits.then_some(SampledTurn { prompt, tokens, logprobs })
}

impl Model for PolicyModel {
    fn name(&self) -> &str {
        &self.options.model
    }

    fn provider(&self) -> &'static str {
        "policy"
    }

    fn answer<'a>(
        &'a self,
        request: &'a ModelRequest,
        listener: &'a mut DeltaListener<'_>,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
        Box::pin(async move {
            let body = self.next_body(request).map_err(|ended| {
                let said = format!("the rollout ends here: {}", ended.word());
                error::error(&self.endpoint, ErrorClass::FormatError, &said)
            })?;
            let asked = tokio::select! {
                asked = self.ask(&body) => asked,
                () = cancel.cancelled() => Err(error::error(&self.endpoint, ErrorClass::Cancelled, "stopped")),
            };
            let mut response = match asked.and_then(|value| self.taken(&value)) {
                Ok(response) => response,
                Err(failure) => {
                    if matches!(failure.class, ErrorClass::ContextOverflow | ErrorClass::OutputCap)
                    {
                        self.state().ended = Some(EarlyEnd::Length);
                        let said = failure.message;
                        return Err(error::error(&self.endpoint, ErrorClass::FormatError, &said));
                    }
                    return Err(failure);
                }
            };
            if response.finish == hermes_llm::Finish::Length {
                self.state().ended = Some(EarlyEnd::Length);
            }
            if !response.content.is_empty() {
                listener(Delta::Text(response.content.clone()));
            }
            response.model.get_or_insert_with(|| self.options.model.clone());
            Ok(response)
        })
    }
}

#[cfg(test)]
mod tests {
    use hermes_llm::{Message, RequestedCall};

    use super::*;

    fn policy() -> PolicyModel {
        let sampling = json!({"temperature": 1.0}).as_object().unwrap().clone();
        let options = PolicyOptions {
            base_url: "http://127.0.0.1:9/v1".to_owned(),
            model: "m".to_owned(),
            api_key: None,
            sampling,
            wants_ids: true,
            timeout: Duration::from_secs(5),
        };
        PolicyModel::new(options, &Vars::default()).unwrap()
    }

    fn asked(messages: Vec<Message>) -> ModelRequest {
        let tools = vec![json!({"type": "function", "function": {"name": "todo"}})];
        ModelRequest {
            system: Some("be good".into()),
            messages,
            tools: tools.into(),
            max_tokens: Some(5),
            temperature: Some(0.1),
            ..ModelRequest::default()
        }
    }

    fn answered(policy: &PolicyModel, message: &Value) {
        let logprobs = json!({"content": [{"token": "x", "logprob": -0.5}]});
        let prompt: Vec<usize> = (0..policy.said().len()).collect();
        let choice = json!({"message": message, "finish_reason": "stop", "token_ids": [7], "logprobs": logprobs});
        policy.taken(&json!({"choices": [choice], "prompt_token_ids": prompt})).unwrap();
    }

    #[test]
    fn a_request_holds_what_was_given_and_nothing_else() {
        let body = policy().next_body(&asked(vec![Message::user("go")])).unwrap();
        let names: Vec<&String> = body.as_object().unwrap().keys().collect();
        let wanted = ["model", "messages", "tools", "logprobs", "return_token_ids", "temperature"];
        assert_eq!(names, wanted);
        assert_eq!(body["temperature"], 1.0, "what the agent would like does not count");
    }

    #[test]
    fn the_servers_own_answer_goes_back_and_requests_only_grow() {
        let policy = policy();
        let first = policy.next_body(&asked(vec![Message::user("go")])).unwrap();
        let call = json!({"id": "srv-1", "type": "function", "function": {"name": "todo", "arguments": "{ \"b\":1,\"a\":2 }"}});
        let raw =
            json!({"role": "assistant", "content": " <think>hm</think>ok ", "tool_calls": [call]});
        answered(&policy, &raw);
        // The agent tidies up: other spaces, sorted arguments, an id of its own.
        let mut tidy = Message::assistant("ok");
        tidy.tool_calls.push(RequestedCall {
            id: "call_9".into(),
            name: "todo".into(),
            arguments: "{\"a\":2,\"b\":1}".into(),
            extra_content: None,
        });
        let history = vec![Message::user("go"), tidy, Message::tool("call_9", "todo", "done")];
        let second = policy.next_body(&asked(history)).unwrap();
        let (first, second) =
            (first["messages"].as_array().unwrap(), second["messages"].as_array().unwrap());
        assert!(second.starts_with(first));
        assert_eq!(second[2], raw);
        assert_eq!(
            (&second[3]["tool_call_id"], &second[3]["content"]),
            (&json!("srv-1"), &json!("done"))
        );
        assert_eq!(second.len(), 4);
    }

    #[test]
    fn a_history_that_was_changed_ends_the_rollout() {
        let policy = policy();
        policy.next_body(&asked(vec![Message::user("a long story")])).unwrap();
        answered(&policy, &json!({"role": "assistant", "content": "yes"}));
        let shorter =
            vec![Message::user("a summary"), Message::assistant("yes"), Message::user("on")];
        assert_eq!(policy.next_body(&asked(shorter)), Err(EarlyEnd::Rewritten));
        assert_eq!(policy.ended(), Some(EarlyEnd::Rewritten));
    }

    #[test]
    fn an_answer_that_the_agent_dropped_stays_said() {
        let policy = policy();
        let begun = vec![Message::user("go")];
        policy.next_body(&asked(begun.clone())).unwrap();
        answered(&policy, &json!({"role": "assistant", "content": "  "}));
        assert_eq!(
            policy.next_body(&asked(begun)),
            Err(EarlyEnd::Rewritten),
            "the same question again would hide the first answer"
        );
    }

    #[test]
    fn a_request_that_failed_is_made_again_as_it_was() {
        let policy = policy();
        let begun = vec![Message::user("go")];
        let first = policy.next_body(&asked(begun.clone())).unwrap();
        assert_eq!(policy.next_body(&asked(begun)).unwrap(), first);
    }

    #[test]
    fn a_last_word_without_tools_is_not_asked_for() {
        let policy = policy();
        policy.next_body(&asked(vec![Message::user("go")])).unwrap();
        answered(&policy, &json!({"role": "assistant", "content": "yes"}));
        let mut last =
            asked(vec![Message::user("go"), Message::assistant("yes"), Message::user("sum up")]);
        last.tools = Vec::new().into();
        assert_eq!(policy.next_body(&last), Err(EarlyEnd::MaxTurns));
    }

    #[test]
    fn ids_are_found_where_servers_put_them_and_never_made_up() {
        let logprobs = json!({"content": [{"id": 4, "logprob": -0.1}, {"id": 5, "logprob": -0.2}]});
        let plain = json!({"prompt_token_ids": [1, 2], "choices": [{"logprobs": logprobs}]});
        assert_eq!(sampled(&plain).unwrap().tokens, [4, 5]);
        let vllm = json!({"prompt_token_ids": [1], "choices": [{"token_ids": [8],
            "logprobs": {"content": [{"token": "token_id:8", "logprob": -1}]}}]});
        assert_eq!(
            sampled(&vllm),
            Some(SampledTurn { prompt: vec![1], tokens: vec![8], logprobs: vec![-1.0] })
        );
        for missing in ["prompt_token_ids", "choices"] {
            let mut less = vllm.clone();
            less.as_object_mut().unwrap().remove(missing);
            assert_eq!(sampled(&less), None, "{missing}");
        }
        let mut uneven = vllm;
        uneven["choices"][0]["token_ids"] = json!([8, 9]);
        assert_eq!(sampled(&uneven), None);
    }
}
