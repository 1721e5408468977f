//! What was sent, made into messages. Whatever is not understood is refused by its place, never dropped.

use hermes_llm::message::ImageUrl;
use hermes_llm::{ContentPart, Message, MessageContent, RequestedCall};
use serde_json::{Map, Value};

use crate::problem::Refusal;

/// Longest text of one request, in bytes, all rows together.
const MAX_TEXT: usize = 4 * 1024 * 1024;
/// Most rows of one request.
const MAX_ROWS: usize = 10_000;

/// The rows of a request, sorted out.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Conversation {
    /// What is added to the system prompt.
    pub(crate) instructions: Option<String>,
    /// What was said before.
    pub(crate) history: Vec<Message>,
    /// What is said now.
    pub(crate) said: MessageContent,
}

/// Rows of chat completions, whose last one must be the user's.
pub(crate) fn of_messages(rows: Option<&Value>) -> Result<Conversation, Refusal> {
    let mut read = of_history(rows, "messages")?;
    match read.history.pop() {
        Some(last) if last.role == hermes_llm::Role::User => {
            if last.content.is_blank() {
                return Err(Refusal::bad("empty_message", "The last message says nothing")
                    .about("messages"));
            }
            read.said = last.content;
            Ok(read)
        }
        _ => Err(Refusal::bad("no_user_message", "The last message must be the user's")
            .about("messages")),
    }
}

/// Rows that were said before.
pub(crate) fn of_history(rows: Option<&Value>, name: &str) -> Result<Conversation, Refusal> {
    let Some(rows) = rows.and_then(Value::as_array).filter(|rows| !rows.is_empty()) else {
        let text = format!("`{name}` must be a list with at least one message");
        return Err(Refusal::bad("invalid_messages", text).about(name));
    };
    let mut read = Conversation::default();
    let mut instructions: Vec<String> = Vec::new();
    let mut left = Allowance::new(rows.len(), name)?;
    for (at, row) in rows.iter().enumerate() {
        let place = format!("{name}[{at}]");
        let Some(row) = row.as_object() else {
            let text = format!("`{place}` is no object with `role` and `content`");
            return Err(Refusal::bad("invalid_messages", text).about(place));
        };
        let place = format!("{place}.content");
        let content = content(row.get("content"), &place, &mut left)?;
        match row.get("role").and_then(Value::as_str) {
            Some("system" | "developer") => instructions.push(content.text().into_owned()),
            Some("user") => read.history.push(Message::user(content)),
            Some("assistant") => read.history.push(assistant(row, content, &place)?),
            Some("tool") => {
                let call = row.get("tool_call_id").and_then(Value::as_str).unwrap_or_default();
                let name = row.get("name").and_then(Value::as_str).unwrap_or_default();
                read.history.push(Message::tool(call, name, content));
            }
            other => {
                let text = format!(
                    "`{name}[{at}].role` is {}; known are system, developer, user, assistant and tool",
                    other.map_or("missing".to_owned(), |role| format!("`{role}`"))
                );
                return Err(Refusal::bad("invalid_role", text).about(format!("{name}[{at}].role")));
            }
        }
    }
    instructions.retain(|text| !text.trim().is_empty());
    read.instructions = (!instructions.is_empty()).then(|| instructions.join("\n"));
    Ok(read)
}

/// What an assistant said, with the calls it made.
fn assistant(
    row: &Map<String, Value>,
    content: MessageContent,
    place: &str,
) -> Result<Message, Refusal> {
    let mut message = Message::assistant(content);
    for call in row.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let (id, name) = (text(&call["id"]), text(&call["function"]["name"]));
        let (Some(id), Some(name)) = (id, name) else {
            let what = "A tool call needs `id` and `function.name`";
            return Err(Refusal::bad("invalid_messages", what).about(place));
        };
        let arguments = text(&call["function"]["arguments"]).unwrap_or_else(|| "{}".to_owned());
        message.tool_calls.push(RequestedCall { id, name, arguments, extra_content: None });
    }
    Ok(message)
}

/// How much may still be said.
pub(crate) struct Allowance {
    bytes: usize,
}

impl Allowance {
    fn new(rows: usize, name: &str) -> Result<Self, Refusal> {
        if rows > MAX_ROWS {
            let text = format!("`{name}` has more than {MAX_ROWS} rows");
            return Err(Refusal::bad("too_many_messages", text).about(name));
        }
        Ok(Self { bytes: MAX_TEXT })
    }

    fn take(&mut self, text: &str, place: &str) -> Result<(), Refusal> {
        match self.bytes.checked_sub(text.len()) {
            Some(left) => {
                self.bytes = left;
                Ok(())
            }
            None => {
                let text =
                    format!("The texts are longer than {} MiB in all", MAX_TEXT / 1024 / 1024);
                Err(Refusal::bad("string_above_max_length", text).about(place))
            }
        }
    }
}

/// The content of one row: a text, or parts.
fn content(
    value: Option<&Value>,
    place: &str,
    left: &mut Allowance,
) -> Result<MessageContent, Refusal> {
    match value {
        None | Some(Value::Null) => Ok(MessageContent::default()),
        Some(Value::String(text)) => {
            left.take(text, place)?;
            Ok(MessageContent::Text(text.clone()))
        }
        Some(Value::Array(parts)) => {
            let read: Result<Vec<ContentPart>, Refusal> =
                parts.iter().map(|value| part(value, place, left)).collect();
            let read = read?;
            match read.iter().any(|part| matches!(part, ContentPart::ImageUrl { .. })) {
                true => Ok(MessageContent::Parts(read)),
                false => Ok(MessageContent::Text(MessageContent::Parts(read).text().into_owned())),
            }
        }
        Some(_) => {
            let text = format!("`{place}` must be a text or a list of parts");
            Err(Refusal::bad("invalid_content", text).about(place))
        }
    }
}

fn part(value: &Value, place: &str, left: &mut Allowance) -> Result<ContentPart, Refusal> {
    if let Some(text) = value.as_str() {
        left.take(text, place)?;
        return Ok(ContentPart::Text { text: text.to_owned() });
    }
    let kind = value["type"].as_str().unwrap_or_default();
    match kind {
        "text" | "input_text" | "output_text" => {
            let text = value["text"].as_str().unwrap_or_default();
            left.take(text, place)?;
            Ok(ContentPart::Text { text: text.to_owned() })
        }
        "image_url" | "input_image" => {
            let url = value["image_url"]["url"].as_str().or_else(|| value["image_url"].as_str());
            let url = url.unwrap_or_default();
            let is_known = ["http://", "https://", "data:image/"].iter().any(|begin| {
                url.get(..begin.len()).is_some_and(|head| head.eq_ignore_ascii_case(begin))
            });
            if !is_known {
                let text = format!("A picture in `{place}` must be an http(s) or data:image/ URL");
                return Err(Refusal::bad("invalid_image_url", text).about(place));
            }
            Ok(ContentPart::ImageUrl { image_url: ImageUrl { url: url.to_owned() } })
        }
        other => {
            let text =
                format!("`{place}` has a part of the type `{other}`; text and pictures are read");
            Err(Refusal::bad("unsupported_content_type", text).about(place))
        }
    }
}

/// The input of responses and runs: a text, or rows like those of a chat, calls and their results among them.
pub(crate) fn of_input(input: Option<&Value>) -> Result<Conversation, Refusal> {
    match input {
        Some(Value::String(text)) => {
            let row = serde_json::json!([{"role": "user", "content": text}]);
            of_messages(Some(&row)).map_err(|refusal| refusal.about("input"))
        }
        Some(Value::Array(items)) => {
            let rows: Vec<Value> = items.iter().map(row_of_item).collect();
            of_messages(Some(&Value::Array(rows))).map_err(|refusal| refusal.about("input"))
        }
        _ => Err(Refusal::bad("missing_input", "`input` must be a text or a list").about("input")),
    }
}

/// An input item as a row of a chat. Parts that stand by themselves are the user's.
fn row_of_item(item: &Value) -> Value {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match item["type"].as_str() {
        Some("function_call") => {
            serde_json::json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": item["call_id"], "function": {"name": item["name"], "arguments": item["arguments"]}}]})
        }
        Some("function_call_output") => serde_json::json!({"role": "tool",
            "tool_call_id": item["call_id"], "content": text(&item["output"])}),
        Some("input_text" | "input_image" | "text" | "image_url") => {
            serde_json::json!({"role": "user", "content": [item]})
        }
        _ => match item {
            Value::String(text) => serde_json::json!({"role": "user", "content": text}),
            other => other.clone(),
        },
    }
}

/// A yes or no, also in words.
pub(crate) fn flag(value: Option<&Value>, name: &str) -> Result<bool, Refusal> {
    match value {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(Value::String(word)) => match word.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(true),
            "false" | "0" | "no" | "off" | "" => Ok(false),
            _ => Err(not_a_flag(name)),
        },
        Some(_) => Err(not_a_flag(name)),
    }
}

fn not_a_flag(name: &str) -> Refusal {
    Refusal::bad("invalid_type", format!("`{name}` must be true or false")).about(name)
}

/// Whether the tools of a request mean none; those of the client cannot be called from here.
pub(crate) fn offer(tools: Option<&Value>) -> Result<hermes_host::ToolOffer, Refusal> {
    match tools {
        None | Some(Value::Null) => Ok(hermes_host::ToolOffer::Configured),
        Some(Value::Array(list)) if list.is_empty() => Ok(hermes_host::ToolOffer::None),
        Some(_) => Err(Refusal::bad(
            "unsupported_parameter",
            "Tools of the client are not called from here: the agent has its own. Leave `tools` \
             out, or send an empty list for an agent without tools",
        )
        .about("tools")),
    }
}

/// The names in a request that are neither used nor refused.
pub(crate) fn ignored(body: &Map<String, Value>, known: &[&str]) -> Vec<String> {
    body.keys().filter(|name| !known.contains(&name.as_str())).cloned().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_role_has_its_place() {
        let rows = json!([
            {"role": "system", "content": "Be brief."},
            {"role": "developer", "content": [{"type": "text", "text": "Speak Latin."}]},
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "function": {"name": "t", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c", "content": "done"},
            {"role": "user", "content": [{"type": "text", "text": "two"}, {"type": "input_text", "text": "three"}]},
        ]);
        let read = of_messages(Some(&rows)).unwrap();
        assert_eq!(read.instructions.as_deref(), Some("Be brief.\nSpeak Latin."));
        assert_eq!(read.history.len(), 3);
        assert_eq!(read.history[1].tool_calls[0].name, "t");
        assert_eq!(read.said.text(), "two\nthree");
    }

    /// The reference drops some of these without a word, and breaks on others.
    #[test]
    fn what_is_not_understood_is_refused_by_its_place() {
        let code = |rows: Value| {
            let body = of_messages(Some(&rows)).unwrap_err().body();
            (body["error"]["code"].clone(), body["error"]["param"].clone())
        };
        assert_eq!(code(json!(["hi"])), (json!("invalid_messages"), json!("messages[0]")));
        assert_eq!(code(json!([])).0, "invalid_messages");
        assert_eq!(
            code(json!([{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]))
                .0,
            "no_user_message"
        );
        assert_eq!(
            code(json!([{"role": "pirate", "content": "a"}])),
            (json!("invalid_role"), json!("messages[0].role"))
        );
        assert_eq!(
            code(json!([{"role": "user", "content": 7}])),
            (json!("invalid_content"), json!("messages[0].content"))
        );
        assert_eq!(code(json!([{"role": "user", "content": " "}])).0, "empty_message");
        let image = |url: &str| json!([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}]);
        assert_eq!(code(image("file:///etc/passwd")).0, "invalid_image_url");
        assert!(of_messages(Some(&image("data:image/png;base64,AA=="))).is_ok());
        let audio = json!([{"role": "user", "content": [{"type": "input_audio"}]}]);
        assert_eq!(code(audio), (json!("unsupported_content_type"), json!("messages[0].content")));
        assert_eq!(
            code(json!([{"role": "user", "content": "x".repeat(MAX_TEXT + 1)}])).0,
            "string_above_max_length"
        );
    }

    #[test]
    fn input_items_are_rows_in_another_form() {
        let read = of_input(Some(&json!([
            {"role": "user", "content": [{"type": "input_text", "text": "list"}]},
            {"type": "function_call", "call_id": "c", "name": "t", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "a b"},
            {"type": "message", "role": "user", "content": "and?"},
        ])))
        .unwrap();
        assert_eq!((read.history.len(), read.said.text().into_owned()), (3, "and?".to_owned()));
        assert_eq!(of_input(Some(&json!("hello"))).unwrap().said.text(), "hello");
        assert!(of_input(None).is_err());
    }

    #[test]
    fn flags_are_booleans_or_their_words() {
        assert_eq!(flag(Some(&json!("True")), "stream"), Ok(true));
        assert_eq!(flag(Some(&json!(false)), "stream"), Ok(false));
        assert_eq!(flag(None, "stream"), Ok(false));
        assert!(flag(Some(&json!(1)), "stream").is_err());
    }
}
