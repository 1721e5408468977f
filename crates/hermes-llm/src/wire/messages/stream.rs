//! Reading an answer, streamed or whole.
//!
//! A stream builds blocks: each is begun, filled by changes, and ended. Text and calls go into the draft
//! as they come; thinking is also kept as blocks, with its signature, so that it can go back unchanged.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::endpoint::Endpoint;
use crate::error;
use crate::model::{Delta, ErrorClass, Finish, ModelError, ModelResponse, TokenUsage};
use crate::wire::draft::{ResponseDraft, StreamProgress};

/// An answer that grows by messages events.
#[derive(Debug)]
pub struct MessagesStream {
    pub(crate) draft: ResponseDraft,
    /// What the server's numbers of blocks mean.
    blocks: BTreeMap<u64, BlockKind>,
    latest: u64,
}

/// What a block is, and where in the draft its text goes.
#[derive(Clone, Copy, Debug)]
enum BlockKind {
    Text,
    Thinking(usize),
    Call(usize),
    Unknown,
}

impl MessagesStream {
    pub(crate) fn new(endpoint: &Endpoint) -> Self {
        Self { draft: ResponseDraft::of(endpoint), blocks: BTreeMap::new(), latest: 0 }
    }

    /// Takes one event.
    pub(crate) fn take(
        &mut self,
        event: &Value,
        listener: &mut dyn FnMut(Delta),
    ) -> StreamProgress {
        let index = event["index"].as_u64().unwrap_or(self.latest);
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => {
                self.draft.model = event["message"]["model"].as_str().map(str::to_owned);
                self.usage(&event["message"]["usage"]);
                StreamProgress::Something
            }
            "content_block_start" => {
                self.latest = index;
                let block = self.begin(&event["content_block"], listener);
                self.blocks.insert(index, block);
                StreamProgress::Something
            }
            "content_block_delta" => {
                let block = self.blocks.get(&index).copied().unwrap_or(BlockKind::Unknown);
                self.change(block, &event["delta"], listener);
                StreamProgress::Something
            }
            "message_delta" => {
                self.stop_reason(&event["delta"]);
                self.usage(&event["usage"]);
                StreamProgress::Something
            }
            "message_stop" => {
                self.draft.ended = true;
                StreamProgress::End
            }
            _ => StreamProgress::Nothing,
        }
    }

    /// Takes an answer that came at once; whether it was one.
    pub(crate) fn read_whole(&mut self, body: &Value) -> bool {
        let Some(blocks) = body["content"].as_array() else { return false };
        for block in blocks {
            self.begin(block, &mut |_| {});
        }
        self.draft.model = body["model"].as_str().map(str::to_owned);
        self.stop_reason(body);
        self.usage(&body["usage"]);
        self.draft.finish_reason.get_or_insert_with(|| "end_turn".to_owned());
        true
    }

    fn begin(&mut self, block: &Value, listener: &mut dyn FnMut(Delta)) -> BlockKind {
        match block["type"].as_str().unwrap_or_default() {
            "text" => {
                self.draft.say(block["text"].as_str().unwrap_or_default(), listener);
                BlockKind::Text
            }
            "thinking" => {
                let thought = block["thinking"].as_str().unwrap_or_default();
                self.draft.think(thought, listener);
                let signature = block["signature"].as_str().unwrap_or_default();
                let item = json!({"type": "thinking", "thinking": thought, "signature": signature});
                self.draft.details.push(item);
                BlockKind::Thinking(self.draft.details.len() - 1)
            }
            "redacted_thinking" => {
                self.draft.details.push(block.clone());
                BlockKind::Unknown
            }
            "tool_use" => {
                let call = self.draft.open_call(None);
                if let Some(slot) = self.draft.calls.get_mut(call) {
                    block["id"].as_str().unwrap_or_default().clone_into(&mut slot.id);
                }
                self.draft.name_call(call, block["name"].as_str().unwrap_or_default(), listener);
                // An input that is there at once is whole; an empty one is about to be written.
                let input = &block["input"];
                if input.as_object().is_some_and(|input| !input.is_empty()) {
                    self.draft.argue(call, &input.to_string());
                }
                BlockKind::Call(call)
            }
            _ => BlockKind::Unknown,
        }
    }

    fn change(&mut self, block: BlockKind, delta: &Value, listener: &mut dyn FnMut(Delta)) {
        let text = |name: &str| delta[name].as_str().unwrap_or_default();
        match (delta["type"].as_str().unwrap_or_default(), block) {
            ("text_delta", _) => self.draft.say(text("text"), listener),
            ("thinking_delta", BlockKind::Thinking(item)) => {
                self.draft.think(text("thinking"), listener);
                self.grow(item, "thinking", text("thinking"));
            }
            ("signature_delta", BlockKind::Thinking(item)) => {
                self.grow(item, "signature", text("signature"));
            }
            ("input_json_delta", BlockKind::Call(call)) => {
                self.draft.argue(call, text("partial_json"));
            }
            _ => {}
        }
    }

    fn grow(&mut self, item: usize, field: &str, more: &str) {
        let value = self.draft.details.get_mut(item).and_then(|item| item.get_mut(field));
        if let Some(Value::String(text)) = value {
            text.push_str(more);
        }
    }

    fn stop_reason(&mut self, holder: &Value) {
        if let Some(reason) = holder["stop_reason"].as_str() {
            self.draft.finish_reason = Some(reason.to_owned());
        }
    }

    /// The cost comes in parts: what the request took at the start, what the answer took at the end.
    fn usage(&mut self, part: &Value) {
        let Some(part) = part.as_object() else { return };
        let usage = self.draft.usage.get_or_insert_default();
        let set = |name: &str, field: &mut u64| {
            if let Some(number) = part.get(name).and_then(Value::as_u64) {
                *field = number;
            }
        };
        let TokenUsage {
            input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, ..
        } = usage;
        set("input_tokens", input_tokens);
        set("output_tokens", output_tokens);
        set("cache_read_input_tokens", cache_read_tokens);
        set("cache_creation_input_tokens", cache_write_tokens);
    }

    /// The whole answer.
    pub(crate) fn finish(self, endpoint: &Endpoint) -> Result<ModelResponse, ModelError> {
        let mut draft = self.draft;
        let reason = draft.finish_reason.as_deref();
        if draft.is_empty() && !matches!(reason, None | Some("end_turn" | "refusal")) {
            let said = format!("an empty answer that stopped for {}", reason.unwrap_or_default());
            return Err(error::error(endpoint, ErrorClass::InvalidResponse, &said));
        }
        let finish = reason.map(|reason| match reason {
            "max_tokens" | "model_context_window_exceeded" => Finish::Length,
            "refusal" => Finish::Refusal,
            "pause_turn" => Finish::Paused,
            _ => Finish::Stop,
        });
        if finish.is_some() {
            for call in draft.calls.iter_mut().filter(|call| call.arguments.trim().is_empty()) {
                call.arguments = "{}".to_owned();
            }
        }
        draft.conclude(endpoint, finish)
    }
}

#[cfg(test)]
mod tests;
