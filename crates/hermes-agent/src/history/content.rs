//! What a message says, cleaned for sending.

use hermes_llm::message::{Content, Message, Part};

/// The content as it is sent: what was really sent before where that is known, without outer white
/// space and without empty parts.
pub(super) fn sent(message: &Message) -> Content {
    match (&message.api_content, &message.content) {
        (Some(sent), Content::Text(_)) => Content::Text(sent.trim().to_owned()),
        (Some(sent), Content::Parts(parts)) => {
            let images = parts.iter().filter(|part| part.as_text().is_none()).cloned();
            clean(std::iter::once(Part::Text { text: sent.clone() }).chain(images))
        }
        (None, Content::Text(text)) => Content::Text(text.trim().to_owned()),
        (None, Content::Parts(parts)) => clean(parts.iter().cloned()),
    }
}

fn clean(parts: impl Iterator<Item = Part>) -> Content {
    let parts: Vec<Part> = parts
        .filter_map(|part| match part {
            Part::Text { text } if text.trim().is_empty() => None,
            Part::Text { text } => Some(Part::Text { text: text.trim().to_owned() }),
            image @ Part::ImageUrl { .. } => Some(image),
        })
        .collect();
    if parts.is_empty() { Content::default() } else { Content::Parts(parts) }
}

/// Says more in the same message, after a blank line.
pub(super) fn append(content: &mut Content, more: Content) {
    if more.is_blank() {
        return;
    }
    if content.is_blank() {
        *content = more;
        return;
    }
    *content = match (std::mem::take(content), more) {
        (Content::Text(first), Content::Text(second)) => Content::Text(first + "\n\n" + &second),
        (first, second) => {
            let mut parts = parts_of(first);
            parts.append(&mut parts_of(second));
            Content::Parts(parts)
        }
    };
}

fn parts_of(content: Content) -> Vec<Part> {
    match content {
        Content::Text(text) => vec![Part::Text { text }],
        Content::Parts(parts) => parts,
    }
}
