//! A conversation as plain text, for models that did not take part in it.

use std::fmt::Write as _;

use hermes_llm::message::{ContentPart, Message, MessageContent, Role};

/// Most characters of a tool result.
const RESULT_CHARS: usize = 4_000;

/// The conversation as one question. A single message of the person is the question itself.
pub(super) fn question(conversation: &[Message]) -> Message {
    match conversation {
        [only] if only.role == Role::User => Message::user(only.content.clone()),
        several => {
            let mut text = "The conversation so far:\n".to_owned();
            for message in several.iter().filter(|message| message.role != Role::System) {
                write(&mut text, message);
            }
            text += "\nAnswer the last message of the user, as things stand now.";
            Message::user(text)
        }
    }
}

fn write(text: &mut String, message: &Message) {
    let said = message.text();
    let said = said.trim();
    let _ = match message.role {
        Role::Tool => {
            let tool = message.tool_name.as_deref().unwrap_or("a tool");
            let mut shown: String = said.chars().take(RESULT_CHARS).collect();
            if shown.len() < said.len() {
                shown += " […]";
            }
            write!(text, "\n[Result of {tool}]\n{shown}\n")
        }
        role => write!(text, "\n[{}]\n{said}\n", role.as_str()),
    };
    for call in &message.tool_calls {
        let _ = writeln!(text, "(calls {} {})", call.name, call.arguments);
    }
}

/// Says more in a message.
pub(super) fn add(message: &mut Message, more: &str) {
    match &mut message.content {
        MessageContent::Text(text) => {
            text.push_str("\n\n");
            text.push_str(more);
        }
        MessageContent::Parts(parts) => parts.push(ContentPart::Text { text: more.to_owned() }),
    }
}
