//! `clarify`: a question to the person.

use hermes_tool::{ToolContext, ToolError, ToolOutput, ToolResult};
use hermes_tools::agent_level::{Clarify, MAX_CHOICES};
use serde_json::{Value, json};

use super::Desk;

impl Desk {
    pub(super) async fn clarify(&self, args: Clarify, cx: &ToolContext) -> ToolResult {
        let question = args.question.trim().to_owned();
        if question.is_empty() {
            return Err(ToolError::answer("The question is blank"));
        }
        let choices: Vec<String> =
            args.choices.unwrap_or_default().iter().filter_map(choice).take(MAX_CHOICES).collect();
        let front = std::sync::Arc::clone(&self.world.front);
        let answer = tokio::select! {
            () = cx.cancellation().cancelled() => None,
            answer = tokio::time::timeout(
                self.settings.clarify_timeout,
                front.clarify(&question, &choices),
            ) => answer.ok().flatten(),
        };
        let answer = answer.unwrap_or_else(|| {
            "(No answer came. Decide for yourself, and say what you assumed.)".to_owned()
        });
        let offered = if choices.is_empty() { Value::Null } else { json!(choices) };
        ToolOutput::json(
            &json!({"question": question, "choices_offered": offered, "user_response": answer}),
        )
    }
}

/// A choice as text; models also send objects with a label.
fn choice(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => ["label", "description", "text", "title"]
            .iter()
            .find_map(|name| fields.get(*name)?.as_str())?
            .to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_come_in_many_shapes() {
        let shapes =
            [json!("a"), json!({"label": "b"}), json!({"title": " c "}), json!(4), json!(" ")];
        let texts: Vec<String> = shapes.iter().filter_map(choice).collect();
        assert_eq!(texts, ["a", "b", "c", "4"]);
    }
}
