//! A message of the model and the results of its calls, put together as they come.

use std::collections::HashSet;

use hermes_llm::message::{Message, MessageContent, RequestedCall, Role};

use super::{MISSING_RESULT, NAMELESS_TOOL, UNREADABLE_ARGUMENTS, arguments, content};

/// The ids used in the copy so far. Servers that number their calls anew in every answer would
/// otherwise have two calls of one id in a conversation.
#[derive(Default)]
pub(super) struct Ids(HashSet<String>);

impl Ids {
    /// The id itself where it is free, else the first free one made from it.
    fn claim(&mut self, id: &str) -> String {
        let base = if id.is_empty() { "call" } else { id };
        let mut free = base.to_owned();
        let mut count = 1;
        while !self.0.insert(free.clone()) {
            count += 1;
            free = format!("{base}_{count}");
        }
        free
    }
}

/// The model's message and its calls.
#[derive(Default)]
pub(super) struct Exchange {
    said: MessageContent,
    reasoning: Option<String>,
    details: Option<serde_json::Value>,
    calls: Vec<Call>,
}

struct Call {
    /// Id and argument text as stored, to recognise a result or the same call again.
    stored: RequestedCall,
    sent: RequestedCall,
    readable: bool,
    result: Option<MessageContent>,
}

impl Exchange {
    pub(super) fn has_results(&self) -> bool {
        self.calls.iter().any(|call| call.result.is_some())
    }

    /// Takes in a message of the model; of a call that is there already, only once.
    pub(super) fn join(&mut self, message: &Message, said: MessageContent, ids: &mut Ids) {
        content::append(&mut self.said, said);
        let thought = message.reasoning_content.as_ref().or(message.reasoning.as_ref());
        match (&mut self.reasoning, thought) {
            (Some(first), Some(second)) => *first = format!("{first}\n\n{second}"),
            (none, thought) => *none = none.take().or_else(|| thought.cloned()),
        }
        if message.reasoning_details.is_some() {
            self.details.clone_from(&message.reasoning_details);
        }
        for stored in &message.tool_calls {
            if self.calls.iter().any(|call| call.stored == *stored) {
                continue;
            }
            let arguments = arguments::rewrite(&stored.arguments);
            let name = stored.name.trim();
            let sent = RequestedCall {
                id: ids.claim(stored.id.trim()),
                name: if name.is_empty() { NAMELESS_TOOL } else { name }.to_owned(),
                arguments: arguments.text,
                extra_content: stored.extra_content.clone(),
            };
            let readable = arguments.readable;
            self.calls.push(Call { stored: stored.clone(), sent, readable, result: None });
        }
    }

    /// Takes in a result, if a call waits for it.
    pub(super) fn answer(&mut self, message: &Message) {
        let id = message.tool_call_id.as_deref().unwrap_or_default().trim();
        let waiting =
            self.calls.iter_mut().find(|call| call.result.is_none() && call.stored.id.trim() == id);
        if let Some(call) = waiting {
            let mut result = content::sent(message);
            if !call.readable {
                let mut marked = MessageContent::from(UNREADABLE_ARGUMENTS);
                content::append(&mut marked, result);
                result = marked;
            }
            call.result = Some(result);
        }
    }

    /// The message and a result for each of its calls.
    pub(super) fn finish(self, sent: &mut Vec<Message>) {
        let mut message = Message::assistant(self.said);
        message.reasoning_content = self.reasoning;
        message.reasoning_details = self.details;
        message.tool_calls = self.calls.iter().map(|call| call.sent.clone()).collect();
        debug_assert_eq!(message.role, Role::Assistant);
        sent.push(message);
        for call in self.calls {
            let result = call.result.unwrap_or_else(|| MISSING_RESULT.into());
            sent.push(Message::tool(&call.sent.id, &call.sent.name, result));
        }
    }
}
