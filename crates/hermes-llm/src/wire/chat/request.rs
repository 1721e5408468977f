//! Writing a request.

use serde_json::{Map, Value, json};

use super::dialect::ChatDialect;
use crate::endpoint::Endpoint;
use crate::message::{ContentPart, Message, MessageContent, RequestedCall, Role};
use crate::model::ModelRequest;
use crate::wire::{Adaptations, Delivery, cache, details, simpler_schema};

/// What stands where an image was that cannot be sent.
pub(crate) const NO_IMAGE: &str = "[an image was here; this model does not take images]";

/// Thinking for models that insist on some and messages that have none.
const NO_THOUGHT: &str = " ";

/// The body of a request.
#[must_use]
pub fn body(
    endpoint: &Endpoint,
    request: &ModelRequest,
    adaptations: &Adaptations,
    delivery: Delivery,
) -> Value {
    let dialect = ChatDialect::of(endpoint);
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(endpoint.model));
    let mut messages = Messages { endpoint, dialect, adaptations, list: Vec::new() };
    messages.write(request);
    let mut messages = messages.list;
    if let Some(mark) = cache::mark(endpoint, request.cache) {
        cache::mark_messages(&mut messages, &mark);
    }
    body.insert("messages".to_owned(), Value::Array(messages));
    if !request.tools.is_empty() {
        body.insert("tools".to_owned(), tools(request, adaptations));
    }
    if delivery == Delivery::Streamed {
        body.insert("stream".to_owned(), json!(true));
        body.insert("stream_options".to_owned(), json!({"include_usage": true}));
    }
    if let Some(cap) = adaptations.capped(request.max_tokens) {
        body.insert(dialect.cap_field.to_owned(), json!(cap));
    }
    if let Some(temperature) = request.temperature.filter(|_| dialect.takes_temperature) {
        body.insert("temperature".to_owned(), json!(temperature));
    }
    dialect.thinking.ask(request.effort, &mut body);
    if let Some(window) = adaptations.num_ctx {
        body.insert("options".to_owned(), json!({"num_ctx": window}));
    }
    if let Some(session) = request.session_id.as_ref().filter(|_| endpoint.is_at("openrouter.ai")) {
        body.insert("session_id".to_owned(), json!(session));
    }
    body.extend(endpoint.extra_body.clone());
    Value::Object(body)
}

fn tools(request: &ModelRequest, adaptations: &Adaptations) -> Value {
    if !adaptations.plain_schemas {
        return Value::Array(request.tools.to_vec());
    }
    let plain = request.tools.iter().map(|tool| {
        let mut tool = tool.clone();
        if let Some(parameters) = tool.pointer_mut("/function/parameters") {
            *parameters = simpler_schema::without_patterns(parameters);
        }
        tool
    });
    plain.collect()
}

struct Messages<'a> {
    endpoint: &'a Endpoint,
    dialect: ChatDialect,
    adaptations: &'a Adaptations,
    list: Vec<Value>,
}

impl Messages<'_> {
    fn write(&mut self, request: &ModelRequest) {
        if let Some(system) = &request.system {
            self.list.push(json!({"role": self.dialect.system_role, "content": system.as_ref()}));
        }
        // Images that tools gave wait here until all results of a batch are written.
        let mut waiting: Vec<Value> = Vec::new();
        for message in &request.messages {
            match message.role {
                Role::Tool => self.result(message, &mut waiting),
                Role::User => {
                    let mut parts = std::mem::take(&mut waiting);
                    let content = self.content(message);
                    if parts.is_empty() {
                        self.list.push(json!({"role": "user", "content": content}));
                    } else {
                        parts.extend(as_parts(content));
                        self.list.push(json!({"role": "user", "content": parts}));
                    }
                }
                Role::Assistant => {
                    self.show(&mut waiting);
                    self.assistant(message);
                }
                Role::System => {
                    self.show(&mut waiting);
                    let role = self.dialect.system_role;
                    self.list.push(json!({"role": role, "content": self.content(message)}));
                }
            }
        }
        self.show(&mut waiting);
    }

    /// Images that tools gave, said in the user's place: no server takes them in a result.
    fn show(&mut self, waiting: &mut Vec<Value>) {
        if !waiting.is_empty() {
            let parts = std::mem::take(waiting);
            self.list.push(json!({"role": "user", "content": parts}));
        }
    }

    fn result(&mut self, message: &Message, waiting: &mut Vec<Value>) {
        let mut text = sent_text(message);
        if let (MessageContent::Parts(parts), None) = (&message.content, &message.api_content) {
            let images: Vec<&ContentPart> =
                parts.iter().filter(|part| part.as_text().is_none()).collect();
            if !images.is_empty() {
                if !text.is_empty() {
                    text.push('\n');
                }
                if self.adaptations.no_images {
                    text.push_str(NO_IMAGE);
                } else {
                    text.push_str("[the image follows in the next message]");
                    waiting.extend(images.into_iter().map(|image| json!(image)));
                }
            }
        }
        let mut result = json!({"role": "tool", "tool_call_id": message.tool_call_id});
        if let Some(name) = &message.tool_name {
            result["name"] = json!(name);
        }
        result["content"] = json!(text);
        self.list.push(result);
    }

    fn content(&self, message: &Message) -> Value {
        if let Some(sent) = &message.api_content {
            return json!(sent);
        }
        match &message.content {
            MessageContent::Parts(parts) if self.adaptations.no_images => {
                let texts = parts.iter().map(|part| part.as_text().unwrap_or(NO_IMAGE));
                json!(texts.collect::<Vec<_>>().join("\n"))
            }
            content => json!(content),
        }
    }

    fn assistant(&mut self, message: &Message) {
        let mut said = json!({"role": "assistant"});
        said["content"] = if message.content.is_blank() && !message.tool_calls.is_empty() {
            Value::Null
        } else {
            self.content(message)
        };
        if self.dialect.echoes_reasoning {
            let thought = message.reasoning_content.as_deref().or(message.reasoning.as_deref());
            said["reasoning_content"] = json!(thought.unwrap_or(NO_THOUGHT));
        }
        if !self.adaptations.no_signed_thinking {
            let details = details::for_server(self.endpoint, message.reasoning_details.as_ref());
            if !details.is_empty() {
                said["reasoning_details"] = json!(details);
            }
        }
        if !message.tool_calls.is_empty() {
            said["tool_calls"] = message.tool_calls.iter().map(|call| self.call(call)).collect();
        }
        self.list.push(said);
    }

    fn call(&self, call: &RequestedCall) -> Value {
        let function = json!({"name": call.name, "arguments": call.arguments});
        let mut written = json!({"id": call.id, "type": "function", "function": function});
        if let Some(extra) = call.extra_content.as_ref().filter(|_| self.dialect.takes_extras) {
            written["extra_content"] = extra.clone();
        }
        written
    }
}

fn sent_text(message: &Message) -> String {
    message.api_content.clone().unwrap_or_else(|| message.text().into_owned())
}

fn as_parts(content: Value) -> Vec<Value> {
    match content {
        Value::Array(parts) => parts,
        text => vec![json!({"type": "text", "text": text})],
    }
}

#[cfg(test)]
mod tests;
