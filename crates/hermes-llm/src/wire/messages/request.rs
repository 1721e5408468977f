//! Writing a request.
//!
//! The wire has two roles that must alternate, and its own idea of where things belong: instructions
//! beside the messages, results of tools inside a user message and before any text there, signed thinking
//! at the head of the newest answer only. Empty texts are refused, so there are placeholders.

use serde_json::{Map, Value, json};

use super::thinking;
use crate::endpoint::Endpoint;
use crate::message::{ContentPart, Message, MessageContent, Role};
use crate::metadata;
use crate::model::ModelRequest;
use crate::wire::chat::request::NO_IMAGE;
use crate::wire::{Adaptations, Delivery, cache, details, simpler_schema};

/// The cap for models that the table does not know.
const DEFAULT_CAP: u32 = 128_000;

/// Screenshots that are sent; older ones say little and cost much.
const NEWEST_IMAGES: usize = 3;

const EMPTY_ANSWER: &str = "(nothing said)";
const EMPTY_RESULT: &str = "(no output)";
const EMPTY_QUESTION: &str = "(continue)";
const OLD_IMAGE: &str = "[an older image was here]";

/// The body of a request.
#[must_use]
pub fn body(
    endpoint: &Endpoint,
    request: &ModelRequest,
    adaptations: &Adaptations,
    delivery: Delivery,
) -> Value {
    let limit = metadata::output_cap(&endpoint.model).unwrap_or(DEFAULT_CAP);
    let limit = adaptations.output_cap.map_or(limit, |cap| cap.min(limit));
    let mut body = Map::new();
    body.insert("model".to_owned(), json!(endpoint.model));
    body.insert("max_tokens".to_owned(), json!(request.max_tokens.unwrap_or(limit).min(limit)));
    let mark = cache::mark(endpoint, request.cache);
    if let Some(system) = system(request) {
        body.insert(
            "system".to_owned(),
            match &mark {
                Some(mark) => json!([{"type": "text", "text": system, "cache_control": mark}]),
                None => json!(system),
            },
        );
    }
    let mut messages = Messages::new(endpoint, request, adaptations).write(&request.messages);
    if let Some(mark) = &mark {
        cache::mark_blocks(&mut messages, mark);
    }
    body.insert("messages".to_owned(), Value::Array(messages));
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| written_tool(tool, adaptations));
        body.insert("tools".to_owned(), tools.collect());
        body.insert("tool_choice".to_owned(), json!({"type": "auto"}));
    }
    if delivery == Delivery::Streamed {
        body.insert("stream".to_owned(), json!(true));
    }
    if let Some(temperature) = request.temperature {
        body.insert("temperature".to_owned(), json!(temperature));
    }
    let interrupted = acts_without_thought(endpoint, request, adaptations);
    thinking::ask(&endpoint.model, request.effort, interrupted, limit, &mut body);
    body.extend(endpoint.extra_body.clone());
    Value::Object(body)
}

/// All instructions, those among the messages too: there is no role for them.
fn system(request: &ModelRequest) -> Option<String> {
    let among = request.messages.iter().filter(|message| message.role == Role::System);
    let own = request.system.as_deref().map(str::to_owned);
    let texts: Vec<String> = own
        .into_iter()
        .chain(among.map(|message| message.text().into_owned()))
        .filter(|text| !text.trim().is_empty())
        .collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

/// Whether the newest answer called tools without signed thinking that we could show.
fn acts_without_thought(
    endpoint: &Endpoint,
    request: &ModelRequest,
    adaptations: &Adaptations,
) -> bool {
    let newest = request.messages.iter().rev().find(|message| message.role == Role::Assistant);
    let in_a_loop = request.messages.last().is_some_and(|last| last.role == Role::Tool);
    in_a_loop
        && newest.is_some_and(|message| {
            adaptations.no_signed_thinking
                || details::for_server(endpoint, message.reasoning_details.as_ref()).is_empty()
        })
}

fn written_tool(tool: &Value, adaptations: &Adaptations) -> Value {
    let function = tool.get("function").unwrap_or(tool);
    let mut parameters = simpler_schema::input_schema(&function["parameters"]);
    if adaptations.plain_schemas {
        parameters = simpler_schema::without_patterns(&parameters);
    }
    let mut written = json!({"name": function["name"]});
    if let Some(description) = function["description"].as_str() {
        written["description"] = json!(description);
    }
    written["input_schema"] = parameters;
    written
}

/// An id with the characters that the wire takes.
fn plain_id(id: &str) -> String {
    let fits = |character: char| character.is_ascii_alphanumeric() || "_-".contains(character);
    let id: String = id.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    if id.is_empty() { "call".to_owned() } else { id }
}

struct Messages<'a> {
    endpoint: &'a Endpoint,
    adaptations: &'a Adaptations,
    /// Images of results that are too old to be sent.
    images_to_skip: usize,
    newest_answer: Option<usize>,
    list: Vec<(&'static str, Vec<Value>)>,
}

impl<'a> Messages<'a> {
    fn new(endpoint: &'a Endpoint, request: &ModelRequest, adaptations: &'a Adaptations) -> Self {
        let messages = &request.messages;
        let results = messages.iter().filter(|message| message.role == Role::Tool);
        let images: usize = results.map(|message| message.content.images()).sum();
        Self {
            endpoint,
            adaptations,
            images_to_skip: images.saturating_sub(NEWEST_IMAGES),
            newest_answer: messages.iter().rposition(|message| message.role == Role::Assistant),
            list: Vec::new(),
        }
    }

    fn write(mut self, messages: &[Message]) -> Vec<Value> {
        for (place, message) in messages.iter().enumerate() {
            match message.role {
                Role::System => {}
                Role::User => {
                    let blocks = self.content(message, EMPTY_QUESTION);
                    self.add("user", blocks);
                }
                Role::Tool => {
                    let result = self.result(message);
                    self.add("user", vec![result]);
                }
                Role::Assistant => {
                    let blocks = self.answer(message, Some(place) == self.newest_answer);
                    self.add("assistant", blocks);
                }
            }
        }
        if self.list.first().is_none_or(|(role, _)| *role == "assistant") {
            self.list.insert(0, ("user", vec![text(EMPTY_QUESTION)]));
        }
        if let Some(("assistant", blocks)) =
            self.list.last_mut().map(|(role, blocks)| (*role, blocks))
        {
            trim_end(blocks);
        }
        let list = self.list.into_iter();
        list.map(|(role, blocks)| json!({"role": role, "content": blocks})).collect()
    }

    /// Adds blocks, to the newest message if it has the same role. Results go before text.
    fn add(&mut self, role: &'static str, blocks: Vec<Value>) {
        match self.list.last_mut().filter(|(last, _)| *last == role) {
            Some((_, content)) => {
                let is_result = |block: &Value| block["type"] == "tool_result";
                for block in blocks {
                    let place = if is_result(&block) {
                        content.iter().rposition(is_result).map_or(0, |last| last + 1)
                    } else {
                        content.len()
                    };
                    content.insert(place, block);
                }
            }
            None => self.list.push((role, blocks)),
        }
    }

    fn content(&self, message: &Message, empty: &str) -> Vec<Value> {
        if let Some(sent) = &message.api_content {
            return vec![text(if sent.trim().is_empty() { empty } else { sent })];
        }
        let blocks: Vec<Value> = match &message.content {
            MessageContent::Text(said) => {
                vec![said.as_str()].into_iter().filter_map(spoken).collect()
            }
            MessageContent::Parts(parts) => {
                parts.iter().filter_map(|part| self.block(part)).collect()
            }
        };
        if blocks.is_empty() { vec![text(empty)] } else { blocks }
    }

    fn block(&self, part: &ContentPart) -> Option<Value> {
        match part {
            ContentPart::Text { text: said } => spoken(said),
            ContentPart::ImageUrl { .. } if self.adaptations.no_images => Some(text(NO_IMAGE)),
            ContentPart::ImageUrl { image_url } => Some(image(&image_url.url)),
        }
    }

    fn result(&mut self, message: &Message) -> Value {
        let mut blocks = Vec::new();
        match &message.content {
            MessageContent::Parts(parts) if message.content.images() > 0 => {
                for part in parts {
                    if part.as_text().is_none() && self.images_to_skip > 0 {
                        self.images_to_skip -= 1;
                        blocks.push(text(OLD_IMAGE));
                    } else {
                        blocks.extend(self.block(part));
                    }
                }
            }
            _ => {}
        }
        let content = if blocks.is_empty() {
            let said = message.api_content.clone().unwrap_or_else(|| message.text().into_owned());
            json!(if said.trim().is_empty() { EMPTY_RESULT } else { &said })
        } else {
            json!(blocks)
        };
        let id = plain_id(message.tool_call_id.as_deref().unwrap_or_default());
        json!({"type": "tool_result", "tool_use_id": id, "content": content})
    }

    fn answer(&self, message: &Message, is_newest: bool) -> Vec<Value> {
        let mut blocks = Vec::new();
        if is_newest && !self.adaptations.no_signed_thinking {
            let items = details::for_server(self.endpoint, message.reasoning_details.as_ref());
            blocks.extend(items.iter().filter_map(returned_thinking));
        }
        if !message.content.is_blank() {
            blocks.extend(self.content(message, EMPTY_ANSWER));
        }
        for call in &message.tool_calls {
            let input = serde_json::from_str::<Value>(&call.arguments).ok();
            let input = input.filter(Value::is_object).unwrap_or_else(|| json!({}));
            blocks.push(json!({
                "type": "tool_use", "id": plain_id(&call.id), "name": call.name, "input": input,
            }));
        }
        if blocks.iter().all(is_thinking) {
            blocks.push(text(EMPTY_ANSWER));
        }
        blocks
    }
}

/// An answer that the model is to go on with must not end in white space.
fn trim_end(blocks: &mut [Value]) {
    if let Some(Value::String(said)) = blocks.last_mut().and_then(|block| block.get_mut("text")) {
        said.truncate(said.trim_end().len());
    }
}

fn is_thinking(block: &Value) -> bool {
    block["type"] == "thinking" || block["type"] == "redacted_thinking"
}

/// Signed thinking goes back as it came; unsigned thinking is only text.
fn returned_thinking(item: &Value) -> Option<Value> {
    let signed = item["signature"].as_str().is_some_and(|signature| !signature.is_empty());
    if signed || item["type"] == "redacted_thinking" {
        return Some(item.clone());
    }
    item["thinking"].as_str().and_then(spoken)
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn spoken(said: &str) -> Option<Value> {
    (!said.trim().is_empty()).then(|| text(said))
}

/// An image by address, or with its data.
fn image(url: &str) -> Value {
    let inline = url.strip_prefix("data:").and_then(|rest| rest.split_once(','));
    let source = match inline {
        Some((kind, data)) => {
            let media = kind.split(';').next().filter(|media| !media.is_empty());
            json!({"type": "base64", "media_type": media.unwrap_or("image/png"), "data": data})
        }
        None => json!({"type": "url", "url": url}),
    };
    json!({"type": "image", "source": source})
}

#[cfg(test)]
mod tests;
