//! `browser_console`: the console of the page, and scripts in it.

use hermes_browser::{ConsoleMessage, JsError, Reach};
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::context::{
    BrowserContext, available, check_page, clean, opened, refused, said, success,
};

/// Arguments of `browser_console`.
#[derive(Deserialize, JsonSchema)]
struct BrowserConsole {
    /// Forget the entries after this.
    #[serde(default)]
    clear: bool,
    /// A JavaScript expression to run in the page instead; promises are waited for.
    expression: Option<String>,
}

/// Words that give a script more than the page shows.
const RESTRICTED: &[&str] = &[
    "cookie",
    "localstorage",
    "sessionstorage",
    "indexeddb",
    "caches",
    "clipboard",
    "credentials",
    "serviceworker",
    "fetch",
    "xmlhttprequest",
    "websocket",
    "eventsource",
    "sendbeacon",
    ".value",
    "formdata",
];

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
    if settings.restrict_evaluate && !settings.allow_unsafe_evaluate {
        allowed(&expression)?;
    }
    if session.guard.reach() == Reach::Elsewhere {
        session.guard.script(&expression).map_err(|refusal| refused(&refusal))?;
    }
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

/// Refuses scripts that name what the user closed, also when the name is put together from pieces.
fn allowed(expression: &str) -> Result<(), ToolError> {
    let lower = expression.to_lowercase();
    // `'coo' + 'kie'`, `"local"+"Storage"`, `\x63ookie`: without marks the pieces stand together.
    let joined: String =
        lower.chars().filter(|letter| letter.is_alphanumeric() || *letter == '.').collect();
    let escaped = lower.contains("\\x") || lower.contains("\\u");
    let named = RESTRICTED.iter().find(|word| lower.contains(*word) || joined.contains(*word));
    match named {
        Some(word) => Err(ToolError::answer(format!(
            "Blocked: scripts may not use {} here; use what the page shows",
            word.trim_start_matches('.')
        ))),
        None if escaped => {
            Err(ToolError::answer("Blocked: scripts may not hide words behind escapes here"))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_the_user_closed_are_found_in_every_spelling() {
        for script in [
            "document.cookie",
            "window['local' + 'Storage']",
            "self[`fet` + `ch`]('x')",
            "document['\\x63ookie']",
            "document.querySelector('input').value",
            "navigator.sendBeacon('/x')",
            "new WebSocket('ws://x')",
        ] {
            assert!(allowed(script).is_err(), "{script}");
        }
        for script in ["document.title", "[...document.links].map((one) => one.href)", "1 + 1"] {
            assert!(allowed(script).is_ok(), "{script}");
        }
    }
}
