//! An answer that grows.
//!
//! Both wires put their events into one [`ResponseDraft`]. It holds what was said and thought and the calls that
//! are being written, tells the listener what is new, and in the end decides what a stream that stopped
//! without a reason is worth.

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::details;
use crate::endpoint::Endpoint;
use crate::error;
use crate::message::RequestedCall;
use crate::model::{Delta, ErrorClass, Finish, ModelError, ModelResponse, TokenUsage};

/// The most bytes of an answer, calls included.
const MAX_ANSWER_BYTES: usize = 64 << 20;

/// The most calls in one answer; more can only be a runaway server.
const MAX_CALLS: usize = 1024;

/// What an event was worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StreamProgress {
    /// Nothing: a ping, or something unknown.
    Nothing,
    /// A part of the answer.
    Something,
    /// The answer is whole; nothing of it comes any more.
    End,
}

/// An answer that grows.
#[derive(Debug, Default)]
pub(crate) struct ResponseDraft {
    pub(crate) content: String,
    pub(crate) reasoning: String,
    pub(crate) details: Vec<Value>,
    /// The server, which alone may see the details again.
    pub(crate) origin: String,
    pub(crate) calls: Vec<Slot>,
    pub(crate) finish_reason: Option<String>,
    pub(crate) refusal: Option<String>,
    pub(crate) usage: Option<TokenUsage>,
    pub(crate) model: Option<String>,
    /// Whether the server marked the end.
    pub(crate) ended: bool,
    /// Whether text went to the listener.
    pub(crate) shown: bool,
    /// Events that could not be read.
    unreadable: u32,
    /// Whether one of them may have held a part of a call.
    is_holed: bool,
    bytes: usize,
}

/// A call that is being written.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// The server's number of it.
    pub(crate) index: Option<u64>,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
    pub(crate) extra_content: Option<Value>,
    shape: Shape,
}

impl ResponseDraft {
    /// The answer of a server, before its first word.
    pub(crate) fn of(endpoint: &Endpoint) -> Self {
        Self { origin: endpoint.host(), ..Self::default() }
    }

    /// More text. It is not shown once a call has begun: what follows then is an afterthought.
    pub(crate) fn say(&mut self, text: &str, listener: &mut dyn FnMut(Delta)) {
        if text.is_empty() {
            return;
        }
        self.bytes += text.len();
        self.content.push_str(text);
        if self.calls.is_empty() {
            self.shown = true;
            listener(Delta::Text(text.to_owned()));
        }
    }

    /// More thinking.
    pub(crate) fn think(&mut self, text: &str, listener: &mut dyn FnMut(Delta)) {
        if !text.is_empty() {
            self.bytes += text.len();
            self.reasoning.push_str(text);
            listener(Delta::Reasoning(text.to_owned()));
        }
    }

    /// A new call.
    pub(crate) fn open_call(&mut self, index: Option<u64>) -> usize {
        if self.calls.len() >= MAX_CALLS {
            self.bytes = usize::MAX;
        }
        self.calls.push(Slot { index, ..Slot::default() });
        self.calls.len() - 1
    }

    /// The name of a call; the first time it is known the listener hears of it.
    pub(crate) fn name_call(&mut self, place: usize, name: &str, listener: &mut dyn FnMut(Delta)) {
        let Some(slot) = self.calls.get_mut(place).filter(|_| !name.is_empty()) else { return };
        if slot.name.is_empty() {
            listener(Delta::ToolCall(name.to_owned()));
        }
        name.clone_into(&mut slot.name);
    }

    /// More of a call's arguments.
    pub(crate) fn argue(&mut self, place: usize, text: &str) {
        if let Some(slot) = self.calls.get_mut(place) {
            self.bytes = self.bytes.saturating_add(text.len());
            slot.arguments.push_str(text);
            slot.shape.follow(text);
        }
    }

    /// An event that could not be read. Whatever it held is missing now.
    pub(crate) fn lose(&mut self, event: &str) {
        self.unreadable += 1;
        self.is_holed |= event.contains('{');
    }

    pub(crate) fn is_too_large(&self) -> bool {
        self.bytes > MAX_ANSWER_BYTES
    }

    /// Whether nothing of an answer has arrived.
    pub(crate) fn is_empty(&self) -> bool {
        self.content.is_empty()
            && self.reasoning.is_empty()
            && self.details.is_empty()
            && self.calls.is_empty()
            && self.refusal.is_none()
    }

    /// The answer, given why the model stopped, if it said so.
    pub(crate) fn conclude(
        mut self,
        endpoint: &Endpoint,
        finish: Option<Finish>,
    ) -> Result<ModelResponse, ModelError> {
        self.calls.retain(|call| !call.is_void());
        // Arguments with a hole in them may be whole to look at, and mean something else.
        let has_calls = !self.calls.is_empty() || self.says_it_calls();
        if self.is_holed && has_calls && !matches!(finish, Some(Finish::Length | Finish::Refusal)) {
            self.calls.clear();
            return Ok(self.answer(Finish::BrokenCall));
        }
        let finish = match finish {
            Some(Finish::Stop | Finish::ToolCalls) if self.calls.is_empty() => Finish::Stop,
            Some(Finish::Stop | Finish::ToolCalls) => Finish::ToolCalls,
            Some(other) => other,
            None => self.guess_finish(endpoint)?,
        };
        Ok(self.answer(finish))
    }

    fn says_it_calls(&self) -> bool {
        matches!(self.finish_reason.as_deref(), Some("tool_calls" | "tool_use" | "function_call"))
    }

    /// Why a stream stopped that does not say so.
    fn guess_finish(&mut self, endpoint: &Endpoint) -> Result<Finish, ModelError> {
        if !self.calls.is_empty() {
            let before = self.calls.len();
            self.calls.retain(|call| call.shape.is_whole());
            let lost = self.calls.len() < before;
            return Ok(if lost { Finish::BrokenCall } else { Finish::ToolCalls });
        }
        if !self.content.trim().is_empty() {
            // A server that marks the end without a reason has come to it; what is missing of the reason
            // may have been in an event that could not be read.
            return Ok(match (self.ended, self.unreadable) {
                (false, _) => Finish::ConnectionLost,
                (true, 0) => Finish::Length,
                (true, _) => Finish::Stop,
            });
        }
        if self.ended && !self.is_empty() {
            return Ok(Finish::Stop);
        }
        let (class, said) = match (self.is_empty(), self.unreadable) {
            (true, 0) => (ErrorClass::Dropped, "the model's stream ended without a word"),
            (true, _) => {
                (ErrorClass::InvalidResponse, "nothing in the model's stream could be read")
            }
            (false, _) => (ErrorClass::Dropped, "the model's stream ended while it was thinking"),
        };
        let mut failure = error::error(endpoint, class, said);
        let partial = std::mem::take(self);
        failure.partial = (!partial.is_empty()).then(|| Box::new(partial.broken_off()));
        Err(failure)
    }

    /// What there is, where nothing more will come.
    pub(crate) fn broken_off(mut self) -> ModelResponse {
        let calls = self.calls.len();
        self.calls.retain(|call| call.shape.is_whole());
        let lost = self.calls.len() < calls;
        self.answer(if lost { Finish::BrokenCall } else { Finish::ConnectionLost })
    }

    fn answer(self, finish: Finish) -> ModelResponse {
        let mut calls: Vec<RequestedCall> = Vec::with_capacity(self.calls.len());
        for (position, slot) in self.calls.into_iter().enumerate() {
            let taken = calls.iter().any(|call| call.id == slot.id);
            let id = if slot.id.is_empty() || taken { slot.made_up_id(position) } else { slot.id };
            calls.push(RequestedCall {
                id,
                name: slot.name,
                arguments: slot.arguments,
                extra_content: slot.extra_content,
            });
        }
        ModelResponse {
            content: self.content,
            reasoning: (!self.reasoning.is_empty()).then_some(self.reasoning),
            reasoning_details: (!self.details.is_empty())
                .then(|| details::wrap(&self.origin, &self.details)),
            tool_calls: calls,
            finish,
            finish_reason: self.finish_reason,
            refusal: self.refusal,
            usage: self.usage,
            model: self.model,
            unreadable: self.unreadable,
        }
    }
}

impl Slot {
    /// Whether the arguments so far are a whole object.
    pub(crate) fn is_whole(&self) -> bool {
        self.shape.is_whole()
    }

    fn is_void(&self) -> bool {
        self.id.is_empty() && self.name.is_empty() && self.arguments.trim().is_empty()
    }

    /// An id for a call without one: the same for the same call at the same place.
    fn made_up_id(&self, position: usize) -> String {
        let text = format!("{}:{}:{position}", self.name, self.arguments);
        let digest = Sha256::digest(text.as_bytes());
        let hex: String = digest.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
        format!("call_{hex}")
    }
}

/// Follows brackets and strings of JSON as it comes, so that the end of an object is known without
/// reading it again and again.
#[derive(Debug, Default)]
struct Shape {
    depth: usize,
    opened: bool,
    in_string: bool,
    escaped: bool,
}

impl Shape {
    fn follow(&mut self, text: &str) {
        for byte in text.bytes() {
            if self.escaped {
                self.escaped = false;
            } else if self.in_string {
                match byte {
                    b'\\' => self.escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
            } else {
                match byte {
                    b'"' => self.in_string = true,
                    b'{' | b'[' => {
                        self.depth += 1;
                        self.opened = true;
                    }
                    b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                    _ => {}
                }
            }
        }
    }

    fn is_whole(&self) -> bool {
        self.opened && self.depth == 0 && !self.in_string
    }
}
