//! From a conversation to the text a model was trained on.
//!
//! The model's own template decides. Templates are small programs in Jinja and come with the file; they run here
//! without files, network or time. One that knows nothing of tools gets them as a paragraph of the instructions, in the
//! form most models have seen.

use minijinja::value::Value as JinjaValue;
use minijinja::{Environment, Error, ErrorKind};
use serde_json::{Value, json};

/// What a template is given besides messages and tools.
pub(super) struct TemplateTokens {
    pub(super) bos: String,
    pub(super) eos: String,
}

/// The prompt for a request, up to where the model goes on.
pub(super) fn prompt(template: Option<&str>, tokens: &TemplateTokens, request: &Value) -> String {
    let tools = request["tools"].as_array().cloned().unwrap_or_default();
    let messages = request["messages"].as_array().cloned().unwrap_or_default();
    let messages: Vec<Value> = messages.iter().map(plain).collect();
    let knows_tools = template.is_some_and(|template| template.contains("tools"));
    let folded = if knows_tools { None } else { Some(folded(&messages, &tools)) };
    let messages = folded.unwrap_or(messages);
    let tools = if knows_tools { tools } else { Vec::new() };
    template
        .and_then(|template| match rendered(template, tokens, &messages, &tools) {
            Ok(text) => Some(text),
            Err(problem) => {
                tracing::warn!(%problem, "the model's template; a plain one is used");
                None
            }
        })
        .unwrap_or_else(|| chatml(&folded_again(&messages, &tools)))
}

fn folded_again(messages: &[Value], tools: &[Value]) -> Vec<Value> {
    if tools.is_empty() { messages.to_vec() } else { folded(messages, tools) }
}

fn rendered(
    template: &str,
    tokens: &TemplateTokens,
    messages: &[Value],
    tools: &[Value],
) -> Result<String, Error> {
    let mut environment = Environment::new();
    environment.set_trim_blocks(true);
    environment.set_lstrip_blocks(true);
    environment.set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
    // The filter of the library escapes for HTML, which no model has seen in its training.
    environment.add_filter("tojson", |value: JinjaValue| {
        serde_json::to_string(&value)
            .map_err(|problem| Error::new(ErrorKind::BadSerialization, problem.to_string()))
    });
    environment.add_function("raise_exception", |text: String| -> Result<String, Error> {
        Err(Error::new(ErrorKind::InvalidOperation, text))
    });
    environment.add_function("strftime_now", |_: String| String::new());
    environment.add_template("chat", template)?;
    let tools = if tools.is_empty() { Value::Null } else { json!(tools) };
    environment.get_template("chat")?.render(json!({
        "messages": messages,
        "tools": tools,
        "add_generation_prompt": true,
        "bos_token": tokens.bos,
        "eos_token": tokens.eos,
    }))
}

/// A message as templates expect it: content as text, arguments as objects.
fn plain(message: &Value) -> Value {
    let mut message = message.clone();
    let content = match &message["content"] {
        Value::Array(parts) => {
            let texts: Vec<&str> = parts.iter().filter_map(|part| part["text"].as_str()).collect();
            Value::from(texts.join("\n"))
        }
        Value::Null => Value::from(""),
        other => other.clone(),
    };
    message["content"] = content;
    if let Some(calls) = message.get_mut("tool_calls").and_then(Value::as_array_mut) {
        for call in calls {
            let read = call["function"]["arguments"].as_str().map(serde_json::from_str::<Value>);
            if let Some(Ok(arguments)) = read {
                call["function"]["arguments"] = arguments;
            }
        }
    }
    message
}

/// The same conversation for a template that knows no tools.
fn folded(messages: &[Value], tools: &[Value]) -> Vec<Value> {
    let mut folded = Vec::with_capacity(messages.len() + 1);
    let mut rest = messages;
    let mut system = String::new();
    if let Some(first) = messages.first().filter(|first| first["role"] == "system") {
        system = first["content"].as_str().unwrap_or_default().to_owned();
        rest = &messages[1..];
    }
    if !tools.is_empty() {
        let listed: Vec<String> = tools.iter().map(|tool| tool["function"].to_string()).collect();
        system += &format!(
            "\n\n# Tools\n\nYou may call these functions:\n<tools>\n{}\n</tools>\n\nTo call one, answer with nothing but\n\
             <tool_call>\n{{\"name\": <name>, \"arguments\": <arguments as JSON>}}\n</tool_call>",
            listed.join("\n")
        );
    }
    if !system.is_empty() {
        folded.push(json!({"role": "system", "content": system.trim()}));
    }
    for message in rest {
        let content = message["content"].as_str().unwrap_or_default();
        match (message["role"].as_str(), message["tool_calls"].as_array()) {
            (Some("assistant"), Some(calls)) if !calls.is_empty() => {
                let calls: Vec<String> = calls
                    .iter()
                    .map(|call| {
                        let function = &call["function"];
                        format!(
                            "<tool_call>\n{{\"name\": {}, \"arguments\": {}}}\n</tool_call>",
                            function["name"], function["arguments"]
                        )
                    })
                    .collect();
                let said = [content, &calls.join("\n")].join("\n").trim().to_owned();
                folded.push(json!({"role": "assistant", "content": said}));
            }
            (Some("tool"), _) => {
                let answer = format!("<tool_response>\n{content}\n</tool_response>");
                match folded.last_mut() {
                    // Results of one answer stand in one message: roles must alternate.
                    Some(last) if last["role"] == "user" && last["result"] == true => {
                        let before = last["content"].as_str().unwrap_or_default().to_owned();
                        last["content"] = format!("{before}\n{answer}").into();
                    }
                    _ => folded.push(json!({"role": "user", "content": answer, "result": true})),
                }
            }
            (role, _) => folded.push(json!({"role": role.unwrap_or("user"), "content": content})),
        }
    }
    folded
}

/// The form that most small models know.
fn chatml(messages: &[Value]) -> String {
    let mut text = String::new();
    for message in messages {
        let (role, content) = (message["role"].as_str(), message["content"].as_str());
        text += &format!(
            "<|im_start|>{}\n{}<|im_end|>\n",
            role.unwrap_or("user"),
            content.unwrap_or_default()
        );
    }
    text + "<|im_start|>assistant\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens() -> TemplateTokens {
        TemplateTokens { bos: "<s>".to_owned(), eos: "</s>".to_owned() }
    }

    fn request() -> Value {
        json!({
            "tools": [{"type": "function", "function": {"name": "look", "description": "a <b> & 'c'"}}],
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": [{"type": "text", "text": "look"}]},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "1", "function": {"name": "look", "arguments": "{\"at\":\"<x>\"}"}}]},
                {"role": "tool", "tool_call_id": "1", "content": "seen"},
                {"role": "tool", "tool_call_id": "2", "content": "again"},
            ],
        })
    }

    #[test]
    fn a_template_gets_its_tools_without_html_in_them() {
        let template = "{{ bos_token }}{% for tool in tools %}{{ tool.function | tojson }}{% endfor %}\
            {% for message in messages %}[{{ message.role.upper() }}] {{ message.content | trim }}\
            {% for call in message.tool_calls %}{{ call.function.arguments | tojson }}{% endfor %}{% endfor %}";
        let text = prompt(Some(template), &tokens(), &request());
        assert!(text.starts_with("<s>{"), "{text}");
        assert!(text.contains("a <b> & 'c'") && text.contains("{\"at\":\"<x>\"}"), "{text}");
        assert!(text.contains("[USER] look[ASSISTANT]"), "{text}");
    }

    #[test]
    fn tools_are_folded_into_the_instructions_where_no_template_knows_them() {
        for template in [None, Some("{{ raise_exception('tools are not for me') }}")] {
            let text = prompt(template, &tokens(), &request());
            assert!(text.starts_with("<|im_start|>system\nBe brief.\n\n# Tools"), "{text}");
            assert!(text.contains("\"description\":\"a <b> & 'c'\""), "{text}");
            assert!(
                text.contains("<tool_call>\n{\"name\": \"look\", \"arguments\": {\"at\":\"<x>\"}}"),
                "{text}"
            );
            let results = "<tool_response>\nseen\n</tool_response>\n<tool_response>\nagain\n</tool_response><|im_end|>";
            assert!(text.contains(results), "{text}");
            assert!(text.ends_with("<|im_start|>assistant\n"), "{text}");
        }
    }
}
