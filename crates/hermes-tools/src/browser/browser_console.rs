//! `browser_console`: the console of the page, and scripts in it.

use hermes_browser::{ConsoleMessage, JsError};
use hermes_tool::{CallDisplay, ToolContext, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::context::{
    BrowserContext, available, check_page, clean, opened, refused, said, success,
};
use super::restrict::{is_restricted, script_allowed};

/// Arguments of `browser_console`.
#[derive(Deserialize, JsonSchema)]
struct BrowserConsole {
    /// Forget the entries after this.
    #[serde(default)]
    clear: bool,
    /// A JavaScript expression to run in the page instead; promises are waited for.
    expression: Option<String>,
}

/// Read what the page's scripts wrote to the console and which errors they had, or run a JavaScript expression.
///
/// Expressions are for what no other browser tool tells, such as state of the page's program. Give back plain data.
#[tool(
    toolset = "browser",
    emoji = "🖥️",
    effects(network, writes),
    output = untrusted,
    display = CallDisplay::verb("console").args(&["expression"]),
    check = available
)]
async fn browser_console(args: BrowserConsole, cx: &ToolContext) -> ToolResult {
    let browser = BrowserContext::of(cx)?;
    let mut lease = browser.current().await?;
    let session = opened(&mut lease)?;
    let mut fields = success();
    let Some(expression) = args.expression.filter(|text| !text.trim().is_empty()) else {
        let (messages, errors) = session.browser.console(args.clear);
        let messages: Vec<ConsoleMessage> = messages
            .into_iter()
            .map(|one| ConsoleMessage { text: clean(&one.text), ..one })
            .collect();
        let errors: Vec<JsError> =
            errors.into_iter().map(|one| JsError { message: clean(&one.message), ..one }).collect();
        fields.insert("total_messages".into(), messages.len().into());
        fields.insert("total_errors".into(), errors.len().into());
        fields.insert("console_messages".into(), json!(messages));
        fields.insert("js_errors".into(), json!(errors));
        return ToolOutput::json(&Value::Object(fields));
    };
    let settings = browser.sessions.settings();
    if is_restricted(settings) {
        script_allowed(&expression)?;
    }
    session.guard.script(&expression).map_err(|refusal| refused(&refusal))?;
    let value = session.browser.evaluate(&expression).await.map_err(|error| said(&error))?;
    check_page(session).await?;
    let result = match value.result {
        Value::String(text) => {
            let text = clean(&text);
            serde_json::from_str(&text).ok().filter(is_structure).unwrap_or(Value::String(text))
        }
        other => match serde_json::from_str(&clean(&other.to_string())) {
            Ok(cleaned) => cleaned,
            Err(_) => Value::String(clean(&other.to_string())),
        },
    };
    fields.insert("result".into(), result);
    fields.insert("result_type".into(), value.kind.into());
    ToolOutput::json(&Value::Object(fields))
}

fn is_structure(value: &Value) -> bool {
    value.is_object() || value.is_array()
}
