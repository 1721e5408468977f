//! A request, read the same way whatever wire it came over.

use serde_json::Value;

/// The two ways of talking to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelWire {
    /// Chat completions.
    Chat,
    /// Anthropic's messages.
    Messages,
}

impl ModelWire {
    /// The wire of a path, if it is one of a model.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or(path).trim_end_matches('/');
        if path.ends_with("/chat/completions") {
            Some(Self::Chat)
        } else if path.ends_with("/messages") {
            Some(Self::Messages)
        } else {
            None
        }
    }
}

/// What matters of a request.
#[derive(Clone, Debug)]
pub struct View {
    /// The model asked for.
    pub model: String,
    /// The standing instructions.
    pub system: String,
    /// The conversation after them.
    pub turns: Vec<Turn>,
    /// The names of the tools on offer.
    pub tools: Vec<String>,
    /// Whether a stream is wanted.
    pub stream: bool,
    /// The whole request as text.
    pub raw: String,
}

/// One message on the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// `user`, `assistant` or `tool`; a user message of results on the messages wire counts as `tool`.
    pub role: String,
    /// Its text, results of tools included.
    pub text: String,
    /// The ids of the calls it makes.
    pub calls: Vec<String>,
    /// The ids of the calls it answers.
    pub answers: Vec<String>,
}

impl View {
    /// Reads a request to this path.
    #[must_use]
    pub fn of(path: &str, body: &Value) -> Self {
        let wire = ModelWire::of(path).unwrap_or(ModelWire::Chat);
        let mut system = text_of(&body["system"]);
        let mut turns = Vec::new();
        for message in list(&body["messages"]) {
            match message["role"].as_str() {
                Some("system" | "developer") => system.push_str(&text_of(&message["content"])),
                _ if wire == ModelWire::Chat => turns.push(chat_turn(message)),
                _ => turns.push(messages_turn(message)),
            }
        }
        let name = |tool: &Value| {
            let named = tool["function"]["name"].as_str().or(tool["name"].as_str());
            named.unwrap_or_default().to_owned()
        };
        Self {
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            system,
            turns,
            tools: list(&body["tools"]).iter().map(name).collect(),
            stream: body["stream"].as_bool().unwrap_or_default(),
            raw: body.to_string(),
        }
    }

    /// The text of the newest message of a role; empty if there is none.
    #[must_use]
    pub fn last_text(&self, role: &str) -> &str {
        self.turns.iter().rev().find(|turn| turn.role == role).map_or("", |turn| &turn.text)
    }
}

fn chat_turn(message: &Value) -> Turn {
    let id = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Turn {
        role: id(&message["role"]),
        text: text_of(&message["content"]),
        calls: list(&message["tool_calls"]).iter().map(|call| id(&call["id"])).collect(),
        answers: message.get("tool_call_id").map(id).into_iter().collect(),
    }
}

fn messages_turn(message: &Value) -> Turn {
    let blocks = list(&message["content"]);
    let ids = |kind: &str, field: &str| -> Vec<String> {
        let of_kind = blocks.iter().filter(|block| block["type"] == kind);
        of_kind.map(|block| block[field].as_str().unwrap_or_default().to_owned()).collect()
    };
    let answers = ids("tool_result", "tool_use_id");
    let role = message["role"].as_str().unwrap_or_default();
    Turn {
        role: if answers.is_empty() { role } else { "tool" }.to_owned(),
        text: text_of(&message["content"]),
        calls: ids("tool_use", "id"),
        answers,
    }
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The text of a content: itself, or that of its parts and of the results among them.
pub(crate) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().map(|part| match part["text"].as_str() {
                Some(text) => text.to_owned(),
                None => text_of(&part["content"]),
            });
            texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn both_wires_read_the_same() {
        let chat = json!({"model": "m", "messages": [
            {"role": "developer", "content": "rules"},
            {"role": "user", "content": [{"type": "text", "text": "go"}]},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "c1"}]},
            {"role": "tool", "tool_call_id": "c1", "content": "42"}],
            "tools": [{"type": "function", "function": {"name": "todo"}}]});
        let messages = json!({"model": "m", "system": [{"type": "text", "text": "rules"}],
            "messages": [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "todo"}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1",
                "content": [{"type": "text", "text": "42"}]}]}],
            "tools": [{"name": "todo"}]});
        let chat = View::of("/v1/chat/completions", &chat);
        let messages = View::of("/v1/messages?beta=true", &messages);
        assert_eq!(chat.turns, messages.turns);
        assert_eq!((&chat.system, &chat.tools), (&messages.system, &messages.tools));
        assert_eq!(chat.last_text("tool"), "42");
    }
}
