//! `clarify`: a question to the user in the middle of the work.

use hermes_protocol::FrontEnd;
use hermes_tool::settings::{Seconds, Settings};
use hermes_tool::{CallDisplay, State, ToolContext, ToolError, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Choices offered with a question; more are cut off.
pub const MAX_CHOICES: usize = 4;

/// What the model hears where no answer came.
const NO_ANSWER: &str = "(No answer came. Decide for yourself, and say what you assumed.)";

/// Arguments of `clarify`.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Clarify {
    /// What you want to know, in one or two sentences.
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
#[tool(
    toolset = "clarify",
    emoji = "❓",
    effects(interactive, agent_state),
    subagents = withheld,
    display = CallDisplay::verb("ask").args(&["question"])
)]
async fn clarify(
    args: Clarify,
    person: State<dyn FrontEnd>,
    cx: &ToolContext,
) -> Result<Value, ToolError> {
    let question = args.question.trim().to_owned();
    if question.is_empty() {
        return Err(ToolError::answer("The question is blank"));
    }
    let choices: Vec<String> =
        args.choices.unwrap_or_default().iter().filter_map(choice).take(MAX_CHOICES).collect();
    let asked = person.clarify(&question, &choices);
    let wait = ClarifySettings::read(cx.config(), cx.vars()).clarify_timeout.duration();
    let answer = tokio::select! {
        () = cx.cancellation().cancelled() => None,
        answer = tokio::time::timeout(wait, asked) => answer.ok().flatten(),
    };
    let offered = if choices.is_empty() { Value::Null } else { json!(choices) };
    Ok(json!({
        "question": question,
        "choices_offered": offered,
        "user_response": answer.unwrap_or_else(|| NO_ANSWER.to_owned()),
    }))
}

/// How long a person may think.
#[derive(Settings)]
#[settings(path = "agent", open)]
struct ClarifySettings {
    /// How long a question to you stays open, in seconds.
    #[setting(default = Seconds::new(3_600.0), range = Seconds::new(0.001)..)]
    clarify_timeout: Seconds,
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
    use hermes_tool::Vars;

    use super::*;

    #[test]
    fn choices_come_in_many_shapes() {
        let shapes =
            [json!("a"), json!({"label": "b"}), json!({"title": " c "}), json!(4), json!(" ")];
        let texts: Vec<String> = shapes.iter().filter_map(choice).collect();
        assert_eq!(texts, ["a", "b", "c", "4"]);
    }

    #[test]
    fn a_wait_that_makes_no_sense_is_the_usual_one() {
        let wait = |seconds: f64| {
            let config = json!({"agent": {"clarify_timeout": seconds}});
            ClarifySettings::read(&config, &Vars::default()).clarify_timeout.duration()
        };
        assert_eq!(wait(0.5).as_millis(), 500);
        assert_eq!(wait(-1.0).as_secs(), 3_600);
    }

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
