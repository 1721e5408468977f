//! Reading an answer, streamed or whole.
//!
//! A stream is a list of changes. Servers differ in how they number calls, whether they repeat a name,
//! where they put thinking and cost; what is here takes them all, and never fails on a field of an
//! unexpected kind: it is as if the field were not there.

use serde_json::{Map, Value};

use crate::endpoint::Endpoint;
use crate::error;
use crate::model::{Delta, ErrorClass, Finish, ModelError, ModelResponse, TokenUsage};
use crate::wire::draft::{ResponseDraft, StreamProgress};

/// An answer that grows by chat-completions events.
#[derive(Debug)]
pub struct ChatStream {
    pub(crate) draft: ResponseDraft,
}

impl ChatStream {
    pub(crate) fn new(endpoint: &Endpoint) -> Self {
        Self { draft: ResponseDraft::of(endpoint) }
    }

    /// Takes one event.
    pub(crate) fn take(
        &mut self,
        event: &Value,
        listener: &mut dyn FnMut(Delta),
    ) -> StreamProgress {
        let mut heard = self.frame(event);
        let choices = event["choices"].as_array().into_iter().flatten();
        for choice in choices.filter(|choice| choice["index"].as_u64().unwrap_or(0) == 0) {
            // A few servers send the whole message again at the end: it is new only if it is all there is.
            let delta = match &choice["delta"] {
                Value::Null if self.draft.is_empty() => &choice["message"],
                delta => delta,
            };
            let changed = self.change(delta, listener);
            let finished = self.finish_reason(choice);
            if changed || finished {
                heard = StreamProgress::Something;
            }
        }
        heard
    }

    /// Takes an answer that came at once; whether it was one.
    pub(crate) fn read_whole(&mut self, body: &Value) -> bool {
        let Some(choice) = body["choices"].get(0) else { return false };
        self.frame(body);
        let message = choice.get("message").or(choice.get("delta"));
        let Some(message) = message.filter(|message| message.is_object()) else { return false };
        self.change(message, &mut |_| {});
        self.finish_reason(choice);
        // What came at once is whole, even if the server does not say why it stopped.
        self.draft.finish_reason.get_or_insert_with(|| "stop".to_owned());
        true
    }

    /// What is beside the choices.
    fn frame(&mut self, event: &Value) -> StreamProgress {
        if self.draft.model.is_none() {
            self.draft.model = event["model"].as_str().map(str::to_owned);
        }
        match usage(&event["usage"]) {
            Some(usage) => {
                self.draft.usage = Some(usage);
                StreamProgress::Something
            }
            None => StreamProgress::Nothing,
        }
    }

    fn finish_reason(&mut self, choice: &Value) -> bool {
        let reason = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty());
        if let Some(reason) = reason {
            self.draft.finish_reason = Some(reason.to_owned());
        }
        reason.is_some()
    }

    /// A change of the message; whether there was anything in it.
    fn change(&mut self, delta: &Value, listener: &mut dyn FnMut(Delta)) -> bool {
        let before = self.draft.is_empty();
        let mut useful = self.think(delta, listener);
        useful |= self.say(&delta["content"], listener);
        if let Some(refusal) = delta["refusal"].as_str().filter(|text| !text.is_empty()) {
            self.draft.refusal.get_or_insert_default().push_str(refusal);
            useful = true;
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            useful |= self.call(call, listener);
        }
        useful || before != self.draft.is_empty()
    }

    fn say(&mut self, content: &Value, listener: &mut dyn FnMut(Delta)) -> bool {
        match content {
            Value::String(text) => {
                self.draft.say(text, listener);
                !text.is_empty()
            }
            Value::Array(parts) => {
                for part in parts {
                    if part["type"] == "thinking" {
                        self.draft.think(&joined_text(&part["thinking"]), listener);
                    } else if let Some(text) = part["text"].as_str() {
                        self.draft.say(text, listener);
                    }
                }
                !parts.is_empty()
            }
            _ => false,
        }
    }

    fn think(&mut self, delta: &Value, listener: &mut dyn FnMut(Delta)) -> bool {
        let text = |name: &str| delta[name].as_str().filter(|text| !text.is_empty());
        let mut thought =
            text("reasoning_content").or_else(|| text("reasoning")).map(str::to_owned);
        let details = delta["reasoning_details"].as_array().into_iter().flatten();
        let mut told = String::new();
        for item in details {
            told.push_str(item["text"].as_str().or(item["summary"].as_str()).unwrap_or_default());
            add_detail(&mut self.draft.details, item);
        }
        if thought.is_none() && !told.is_empty() {
            thought = Some(told);
        }
        self.draft.think(thought.as_deref().unwrap_or_default(), listener);
        thought.is_some()
    }

    fn call(&mut self, call: &Value, listener: &mut dyn FnMut(Delta)) -> bool {
        if !call.is_object() {
            return false;
        }
        let id = match &call["id"] {
            Value::String(id) => id.clone(),
            Value::Number(id) => id.to_string(),
            _ => String::new(),
        };
        let name = call["function"]["name"].as_str().unwrap_or_default();
        let arguments = match &call["function"]["arguments"] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            object => object.to_string(),
        };
        let place = self.slot(call["index"].as_u64(), &id, name, &arguments);
        if let Some(slot) = self.draft.calls.get_mut(place) {
            if slot.id.is_empty() {
                slot.id = id;
            }
            if let Some(extra) = call.get("extra_content").filter(|extra| !extra.is_null()) {
                slot.extra_content = Some(extra.clone());
            }
        }
        self.draft.name_call(place, name, listener);
        self.draft.argue(place, &arguments);
        true
    }

    /// The call that a change belongs to: an open one, or a new one.
    fn slot(&mut self, index: Option<u64>, id: &str, name: &str, arguments: &str) -> usize {
        let calls = &self.draft.calls;
        let found = match index {
            Some(_) => calls.iter().rposition(|call| call.index == index),
            // Without a number it is the call of that id, or else the latest.
            None if !id.is_empty() => {
                let known = calls.iter().rposition(|call| call.id == id);
                let nameless =
                    calls.last().is_some_and(|call| call.id.is_empty() && !call.is_whole());
                known.or_else(|| nameless.then(|| calls.len().saturating_sub(1)))
            }
            None => calls.len().checked_sub(1),
        };
        if let Some(place) = found
            && let Some(call) = calls.get(place)
        {
            // A new id under a known number is a new call: some servers number every call 0.
            let another_id = !id.is_empty() && !call.id.is_empty() && call.id != id;
            // So is a name after a whole object, where there are no ids to go by.
            let begins = arguments.is_empty() || arguments.trim_start().starts_with('{');
            let another_name = id.is_empty() && !name.is_empty() && call.is_whole() && begins;
            if !another_id && !another_name {
                return place;
            }
        }
        self.draft.open_call(index)
    }

    /// The whole answer.
    pub(crate) fn finish(self, endpoint: &Endpoint) -> Result<ModelResponse, ModelError> {
        let draft = self.draft;
        let refused = draft.refusal.is_some() && draft.content.trim().is_empty();
        let finish = match draft.finish_reason.as_deref() {
            _ if refused && draft.calls.is_empty() => Some(Finish::Refusal),
            None => None,
            Some("length" | "max_tokens" | "model_length" | "max_output_tokens") => {
                Some(Finish::Length)
            }
            Some("content_filter" | "refusal" | "safety" | "SAFETY") => Some(Finish::Refusal),
            Some("error") if draft.is_empty() => {
                let said = "the provider broke the answer off";
                return Err(error::error(endpoint, ErrorClass::ServerError, said));
            }
            Some("error") => None,
            Some(_) => Some(Finish::Stop),
        };
        draft.conclude(endpoint, finish)
    }
}

fn joined_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// Adds a piece of signed thinking: pieces of one item belong together.
fn add_detail(details: &mut Vec<Value>, item: &Value) {
    let same = |last: &Value| last["type"] == item["type"] && last["index"] == item["index"];
    let (Some(Value::Object(last)), Value::Object(more)) =
        (details.last_mut().filter(|last| same(last)), item)
    else {
        if item.is_object() {
            details.push(item.clone());
        }
        return;
    };
    for (name, value) in more {
        join_field(last, name, value);
    }
}

fn join_field(item: &mut Map<String, Value>, name: &str, value: &Value) {
    let grows = matches!(name, "text" | "summary" | "data");
    match (item.get_mut(name), value) {
        (_, Value::Null) => {}
        (Some(Value::String(text)), Value::String(more)) if grows => text.push_str(more),
        _ => {
            item.insert(name.to_owned(), value.clone());
        }
    }
}

/// The cost, in the words of any of the servers; `None` if there is none.
pub(crate) fn usage(usage: &Value) -> Option<TokenUsage> {
    let number = |path: &str| {
        let value = usage.pointer(path)?;
        value.as_u64().or_else(|| value.as_f64().filter(|n| *n >= 0.0).map(|n| n as u64))
    };
    let first = |paths: &[&str]| paths.iter().find_map(|path| number(path));
    let prompt = first(&["/prompt_tokens", "/input_tokens"]);
    let output = first(&["/completion_tokens", "/output_tokens"]);
    if prompt.is_none() && output.is_none() {
        return None;
    }
    let read =
        first(&["/prompt_tokens_details/cached_tokens", "/prompt_cache_hit_tokens"]).unwrap_or(0);
    let write = number("/prompt_tokens_details/cache_write_tokens").unwrap_or(0);
    Some(TokenUsage {
        input_tokens: prompt.unwrap_or(0).saturating_sub(read).saturating_sub(write),
        output_tokens: output.unwrap_or(0),
        cache_read_tokens: read,
        cache_write_tokens: write,
        reasoning_tokens: number("/completion_tokens_details/reasoning_tokens").unwrap_or(0),
    })
}

#[cfg(test)]
mod tests;
