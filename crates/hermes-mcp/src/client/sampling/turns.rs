//! A server's messages in the shape of a chat.
//!
//! The protocol puts everything into blocks of two speakers; a chat has a place of its own for instructions and
//! for the results of tools. Content that no chat can hold becomes a word in brackets, so that the model knows
//! something is missing.

use serde_json::{Value, json};

/// One turn of a chat.
#[derive(Clone, Debug, PartialEq)]
pub enum SamplingMessage {
    /// Instructions.
    System(String),
    /// What the server says in the person's place.
    User(Vec<SamplingPart>),
    /// What the model said before.
    Assistant {
        /// Its words.
        text: String,
        /// The tools it wanted.
        calls: Vec<TurnCall>,
    },
    /// What a tool answered.
    Tool {
        /// The call it answers.
        id: String,
        /// The answer.
        text: String,
    },
}

/// A part of what is said.
#[derive(Clone, Debug, PartialEq)]
pub enum SamplingPart {
    /// Text.
    Text(String),
    /// An image, as a `data:` address.
    Image(String),
}

/// A model's wish to call a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnCall {
    /// The id that the answer will bear.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments, as JSON text.
    pub arguments: String,
}

/// The conversation of a request, instructions first.
///
/// # Errors
///
/// A text for the server when there is no message, or one that cannot be read.
pub fn read(params: &Value) -> Result<Vec<SamplingMessage>, String> {
    let messages = params["messages"].as_array().ok_or("`messages` is not a list")?;
    let mut turns = Vec::new();
    if let Some(system) = params["systemPrompt"].as_str().filter(|text| !text.is_empty()) {
        turns.push(SamplingMessage::System(system.to_owned()));
    }
    for message in messages {
        let content = &message["content"];
        let blocks = match content {
            Value::Array(blocks) => blocks.iter().collect(),
            Value::Null => Vec::new(),
            one => vec![one],
        };
        match message["role"].as_str() {
            Some("user") => push_user(&mut turns, &blocks),
            Some("assistant") => turns.push(assistant(&blocks)),
            role => return Err(format!("nobody speaks as {}", role.unwrap_or("nobody"))),
        }
    }
    if turns.iter().all(|turn| matches!(turn, SamplingMessage::System(_))) {
        return Err("there is no message to answer".to_owned());
    }
    Ok(turns)
}

/// Results of tools come in the person's place; in a chat they have a place of their own, right after
/// the calls they answer.
fn push_user(turns: &mut Vec<SamplingMessage>, blocks: &[&Value]) {
    let mut pieces = Vec::new();
    for block in blocks {
        if block["type"] == "tool_result" {
            let id = block["toolUseId"].as_str().unwrap_or_default().to_owned();
            turns.push(SamplingMessage::Tool { id, text: result_text(block) });
        } else {
            pieces.push(piece(block));
        }
    }
    if !pieces.is_empty() {
        turns.push(SamplingMessage::User(pieces));
    }
}

fn assistant(blocks: &[&Value]) -> SamplingMessage {
    let mut texts = Vec::new();
    let mut calls = Vec::new();
    for block in blocks {
        if block["type"] == "tool_use" {
            calls.push(TurnCall {
                id: block["id"].as_str().unwrap_or_default().to_owned(),
                name: block["name"].as_str().unwrap_or_default().to_owned(),
                arguments: block["input"].to_string(),
            });
        } else if let SamplingPart::Text(text) = piece(block) {
            texts.push(text);
        }
    }
    SamplingMessage::Assistant { text: texts.join("\n"), calls }
}

fn piece(block: &Value) -> SamplingPart {
    match block["type"].as_str() {
        Some("text") => SamplingPart::Text(block["text"].as_str().unwrap_or_default().to_owned()),
        Some("image") => {
            let kind = block["mimeType"].as_str().unwrap_or("image/png");
            let data = block["data"].as_str().unwrap_or_default();
            SamplingPart::Image(format!("data:{kind};base64,{data}"))
        }
        // No chat has a place for the rest; the model is told rather than left guessing.
        other => {
            SamplingPart::Text(format!("[{} that cannot be shown]", other.unwrap_or("content")))
        }
    }
}

/// The text of a tool's answer, structured when there is nothing else.
fn result_text(block: &Value) -> String {
    let texts: Vec<String> = block["content"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|part| match piece(part) {
            SamplingPart::Text(text) => text,
            SamplingPart::Image(_) => "[image that cannot be shown]".to_owned(),
        })
        .collect();
    if texts.is_empty() && !block["structuredContent"].is_null() {
        return block["structuredContent"].to_string();
    }
    texts.join("\n")
}

/// The server's tools, as chat-completions function definitions.
#[must_use]
pub fn tools(tools: &Value) -> Vec<Value> {
    let tools = tools.as_array().into_iter().flatten();
    tools
        .filter_map(|tool| {
            let name = tool["name"].as_str()?;
            let schema = crate::schema::normalise(tool["inputSchema"].clone());
            Some(json!({"type": "function", "function": {
                "name": name,
                "description": tool["description"].as_str().unwrap_or_default(),
                "parameters": schema,
            }}))
        })
        .collect()
}

/// The strings of a list.
pub(super) fn strings(list: &Value) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(messages: &Value) -> Vec<SamplingMessage> {
        read(&json!({"systemPrompt": "Be kind.", "messages": messages})).unwrap()
    }

    #[test]
    fn text_and_images_keep_their_places() {
        let image = json!({"type": "image", "data": "AAAA", "mimeType": "image/jpeg"});
        let said = turns(&json!([
            {"role": "user", "content": [{"type": "text", "text": "Look:"}, image]},
            {"role": "assistant", "content": {"type": "text", "text": "A cat."}},
        ]));
        let pieces = vec![
            SamplingPart::Text("Look:".into()),
            SamplingPart::Image("data:image/jpeg;base64,AAAA".into()),
        ];
        let answer = SamplingMessage::Assistant { text: "A cat.".into(), calls: vec![] };
        assert_eq!(
            said,
            [SamplingMessage::System("Be kind.".into()), SamplingMessage::User(pieces), answer]
        );
    }

    #[test]
    fn tool_use_and_its_results_become_calls_and_answers() {
        let said = turns(&json!([
            {"role": "assistant", "content": [
                {"type": "tool_use", "id": "c1", "name": "add", "input": {"a": 1}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "toolUseId": "c1", "content": [{"type": "text", "text": "2"}]},
                {"type": "text", "text": "And now?"}]},
        ]));
        let call = TurnCall { id: "c1".into(), name: "add".into(), arguments: r#"{"a":1}"#.into() };
        assert_eq!(said[1], SamplingMessage::Assistant { text: String::new(), calls: vec![call] });
        assert_eq!(said[2], SamplingMessage::Tool { id: "c1".into(), text: "2".into() });
        assert_eq!(said[3], SamplingMessage::User(vec![SamplingPart::Text("And now?".into())]));
    }

    #[test]
    fn a_conversation_without_a_message_is_refused() {
        for params in [json!({}), json!({"messages": []}), json!({"messages": [{"role": "ghost"}]})]
        {
            assert!(read(&params).is_err(), "{params}");
        }
    }

    #[test]
    fn a_tool_without_a_schema_takes_nothing() {
        let tools = tools(&json!([{"name": "now"}, {"description": "no name"}]));
        assert_eq!(tools.len(), 1);
        assert_eq!(tools[0]["function"]["parameters"], json!({"type": "object", "properties": {}}));
    }
}
