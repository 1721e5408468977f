//! `clarify`: a question to the user in the middle of the work.

use hermes_tool::{ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::agent_level::{ForAgent, needs_agent};

/// Choices offered with a question; more are cut off.
pub const MAX_CHOICES: usize = 4;

/// Arguments of `clarify`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Clarify {
    /// The question.
    pub question: String,
    // Taken as they come: models also send objects with a label.
    /// Answers to choose from, if there are any; the user can always answer otherwise.
    #[schemars(with = "Option<Vec<String>>", length(max = MAX_CHOICES))]
    pub choices: Option<Vec<Value>>,
}

/// Ask the user a question and wait for the answer.
///
/// For decisions that are theirs: when the request can be read in ways that lead to different
/// work, when a choice is costly to undo, or to hear whether a result is what they meant. Where a
/// sensible assumption will do, make it, say so and go on. Dangerous commands are confirmed by
/// other means; do not ask about them here.
#[tool(toolset = "clarify", emoji = "❓", effects(interactive, agent_state))]
fn clarify(_: ForAgent<Clarify>) -> ToolResult {
    needs_agent("clarify")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn choices_may_be_objects_although_texts_are_asked_for() {
        let clarify: Clarify =
            serde_json::from_value(json!({"question": "Which?", "choices": [{"label": "a"}, "b"]}))
                .unwrap();
        assert_eq!(clarify.choices.map(|choices| choices.len()), Some(2));
        let tool = clarify_tool();
        let declared = &tool.parameters()["properties"]["choices"];
        assert_eq!(declared["items"], json!({"type": "string"}));
        assert_eq!(declared["maxItems"], 4);
    }

    #[test]
    fn only_the_question_is_required() {
        assert_eq!(clarify_tool().parameters()["required"], json!(["question"]));
    }
}
