//! From what is stored to what is sent: a well-formed copy of a conversation.
//!
//! What lies in the database may be out of order: a process was killed between a call and its
//! result, a turn was interrupted, another program wrote rows of its own. [`for_wire`] makes a copy
//! that every provider takes, by rules that look at nothing but the messages:
//!
//! * neighbouring messages of the model become one with all their calls, and neighbouring messages
//!   of the person one with a blank line between them;
//! * every call is answered exactly once, right behind it and in the order of the calls: a missing
//!   result is replaced by a note, a second one and one that answers nothing are dropped;
//! * ids of calls are unique, names are not blank, arguments are compact JSON with sorted keys;
//! * what only people read (thinking, the reason for stopping) is left out, thinking that the model's
//!   family wants back is put in, blank messages vanish, outer white space goes.
//!
//! The copy of a longer history begins with the copy of a shorter one, but for the last exchange,
//! which may still grow; so providers can cache it. Lone surrogates need no rule: our text types
//! cannot hold one, and the reader of arguments replaces those that are escaped.
//!
//! What never happens here: a stored message is changed, a clock is read, anything is random.

mod arguments;
mod content;
mod exchange;
mod tokens;

#[cfg(test)]
pub(crate) mod tests;

use hermes_llm::message::{Message, Role};

use exchange::Exchange;
pub use tokens::estimate_tokens;

/// Stands for a tool whose name the model left out.
pub const NAMELESS_TOOL: &str = "invalid_tool_call";
/// Stands for the result of a call that has none.
pub const MISSING_RESULT: &str =
    "[No result: the call was not finished. Its effects are unknown; check before repeating it.]";
/// Put before the result of a call whose arguments cannot be shown.
pub const UNREADABLE_ARGUMENTS: &str =
    "[The arguments of this call could not be read and are shown as {}.]";

/// Whether a model wants its own thinking back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReasoningEcho {
    /// No: it is left out.
    LeaveOut,
    /// Yes, in every message; a space where there was none.
    Required,
}

impl ReasoningEcho {
    /// What a model of this name wants.
    #[must_use]
    pub fn for_model(model: &str) -> Self {
        let model = model.to_ascii_lowercase();
        let wants = ["deepseek", "kimi", "mimo"].iter().any(|family| model.contains(family));
        if wants { Self::Required } else { Self::LeaveOut }
    }
}

/// The copy of a conversation that is sent. Standing instructions go another way and are left out.
#[must_use]
pub fn for_wire(messages: &[Message], echo: ReasoningEcho) -> Vec<Message> {
    let mut copy = Copy { sent: Vec::with_capacity(messages.len()), open: None };
    let mut ids = exchange::Ids::default();
    for message in messages {
        match message.role {
            Role::System => {}
            Role::User => copy.user(message),
            Role::Assistant => copy.assistant(message, &mut ids),
            Role::Tool => copy.result(message),
        }
    }
    copy.close();
    for message in &mut copy.sent {
        echo_reasoning(message, echo);
    }
    copy.sent
}

/// The same with something more behind what the person said in one of the messages. It is sent and
/// not recorded.
pub(crate) fn for_wire_with(
    messages: &[Message],
    echo: ReasoningEcho,
    extra: Option<&(usize, String)>,
) -> Vec<Message> {
    let mut copy = for_wire(messages, echo);
    if let Some((at, text)) = extra {
        // The copy begins with the copy of everything up to that message.
        let place = for_wire(&messages[..=*at], echo).len();
        if let Some(message) = place.checked_sub(1).and_then(|place| copy.get_mut(place)) {
            content::append(&mut message.content, text.as_str().into());
        }
    }
    copy
}

/// The copy so far, and the model's last message with the results that have come in for it.
struct Copy {
    sent: Vec<Message>,
    open: Option<Exchange>,
}

impl Copy {
    fn user(&mut self, message: &Message) {
        let text = content::sent(message);
        if text.is_blank() {
            return;
        }
        self.close();
        match self.sent.last_mut() {
            Some(last) if last.role == Role::User => content::append(&mut last.content, text),
            _ => self.sent.push(Message::user(text)),
        }
    }

    fn assistant(&mut self, message: &Message, ids: &mut exchange::Ids) {
        let said = content::sent(message);
        if said.is_blank() && message.tool_calls.is_empty() {
            return;
        }
        // A message after results begins a new exchange; one right behind another joins it.
        if self.open.as_ref().is_some_and(Exchange::has_results) {
            self.close();
        }
        self.open.get_or_insert_default().join(message, said, ids);
    }

    fn result(&mut self, message: &Message) {
        if let Some(open) = &mut self.open {
            open.answer(message);
        }
    }

    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            open.finish(&mut self.sent);
        }
    }
}

fn echo_reasoning(message: &mut Message, echo: ReasoningEcho) {
    if message.role != Role::Assistant || echo == ReasoningEcho::LeaveOut {
        message.reasoning_content = None;
    } else if message.reasoning_content.as_deref().is_none_or(str::is_empty) {
        message.reasoning_content = Some(" ".to_owned());
    }
}
