//! What a message says, cleaned for sending.

use hermes_llm::message::{ContentPart, Message, MessageContent};

/// The content as it is sent: what was really sent before where that is known, without outer white
/// space and without empty parts.
pub(super) fn sent(message: &Message) -> MessageContent {
    match (&message.api_content, &message.content) {
        (Some(sent), MessageContent::Text(_)) => MessageContent::Text(sent.trim().to_owned()),
        (Some(sent), MessageContent::Parts(parts)) => {
            let images = parts.iter().filter(|part| part.as_text().is_none()).cloned();
            clean(std::iter::once(ContentPart::Text { text: sent.clone() }).chain(images))
        }
        (None, MessageContent::Text(text)) => MessageContent::Text(text.trim().to_owned()),
        (None, MessageContent::Parts(parts)) => clean(parts.iter().cloned()),
    }
}

fn clean(parts: impl Iterator<Item = ContentPart>) -> MessageContent {
    let parts: Vec<ContentPart> = parts
        .filter_map(|part| match part {
            ContentPart::Text { text } if text.trim().is_empty() => None,
            ContentPart::Text { text } => Some(ContentPart::Text { text: text.trim().to_owned() }),
            image @ ContentPart::ImageUrl { .. } => Some(image),
        })
        .collect();
    if parts.is_empty() { MessageContent::default() } else { MessageContent::Parts(parts) }
}

/// Says more in the same message, after a blank line.
pub(super) fn append(content: &mut MessageContent, more: MessageContent) {
    if more.is_blank() {
        return;
    }
    if content.is_blank() {
        *content = more;
        return;
    }
    *content = match (std::mem::take(content), more) {
        (MessageContent::Text(first), MessageContent::Text(second)) => {
            MessageContent::Text(first + "\n\n" + &second)
        }
        (first, second) => {
            let mut parts = parts_of(first);
            parts.append(&mut parts_of(second));
            MessageContent::Parts(parts)
        }
    };
}

fn parts_of(content: MessageContent) -> Vec<ContentPart> {
    match content {
        MessageContent::Text(text) => vec![ContentPart::Text { text }],
        MessageContent::Parts(parts) => parts,
    }
}
