//! A title for a conversation, from how it began.

use hermes_llm::{Message, ModelRequest};

use crate::notes::is_note;
use crate::thinking;

/// Characters of a title that was made up.
const MAX_CHARS: usize = 80;
/// Characters shown of what was said.
const MAX_SHOWN: usize = 1_500;

const TITLE_PROMPT: &str = "Give the conversation below a title of three to seven words, in its own language. \
    Answer with the title alone: no quotation marks, no full stop.";

/// The question for a title, once there is something to name.
#[must_use]
pub fn request(messages: &[Message]) -> Option<ModelRequest> {
    let said = |role| {
        messages
            .iter()
            .find(|message| {
                message.role == role && !message.content.is_blank() && !is_note(&message.text())
            })
            .map(|message| message.text().chars().take(MAX_SHOWN).collect::<String>())
    };
    let (asked, answered) = (said(hermes_llm::Role::User)?, said(hermes_llm::Role::Assistant)?);
    Some(ModelRequest {
        system: Some(TITLE_PROMPT.into()),
        messages: vec![Message::user(format!("The person:\n{asked}\n\nThe answer:\n{answered}"))],
        max_tokens: Some(500),
        effort: Some(hermes_llm::model::Effort::None),
        ..ModelRequest::default()
    })
}

/// The title in an answer, if it is one.
#[must_use]
pub fn read(answer: &str) -> Option<String> {
    let visible = thinking::split(answer).visible;
    let line = visible.lines().map(str::trim).find(|line| !line.is_empty())?;
    let line = line.strip_prefix("Title:").unwrap_or(line).trim();
    let quotes: &[char] = &['"', '\'', '`', '“', '”', '«', '»', '*', '#', ' '];
    let title = line.trim_matches(quotes).trim_end_matches('.').trim();
    let title: String = title.chars().take(MAX_CHARS).collect();
    (!title.trim().is_empty()).then(|| title.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_is_taken_out_of_what_models_put_around_it() {
        for answer in [
            "Counting sheep",
            "\"Counting sheep.\"",
            "Title: **Counting sheep**",
            "<think>hm</think>\nCounting sheep\n\nIt is about sheep.",
        ] {
            assert_eq!(read(answer).as_deref(), Some("Counting sheep"), "{answer}");
        }
        assert_eq!(read(" \n\"\" "), None);
        assert_eq!(read(&"x".repeat(200)).map(|title| title.len()), Some(MAX_CHARS));
    }

    #[test]
    fn there_is_nothing_to_name_before_an_answer() {
        assert!(request(&[Message::user("hello")]).is_none());
        let talk = [Message::user("hello"), Message::assistant("Hi.")];
        assert!(request(&talk).is_some());
    }
}
