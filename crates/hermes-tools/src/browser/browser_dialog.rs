//! `browser_dialog`: answers a dialog.

use hermes_tool::{CallDisplay, ToolContext, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::context::{BrowserContext, available, check_page, opened, said, success};

/// Arguments of `browser_dialog`.
#[derive(Deserialize, JsonSchema)]
struct BrowserDialog {
    /// accept (OK) or dismiss (Cancel).
    action: Answer,
    /// What to write into a prompt.
    prompt_text: Option<String>,
    /// Which one, if several are open: d-1, d-2, ….
    dialog_id: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Accept,
    Dismiss,
}

/// Answer a dialog that the page opened: alert, confirm or prompt. The page stands still until then.
#[tool(
    toolset = "browser",
    emoji = "💬",
    effects(network, writes),
    output = untrusted,
    display = CallDisplay::verb("dialog").args(&["action"]),
    check = available
)]
async fn browser_dialog(args: BrowserDialog, cx: &ToolContext) -> ToolResult {
    let browser = BrowserContext::of(cx)?;
    let mut lease = browser.current().await?;
    let session = opened(&mut lease)?;
    let accept = args.action == Answer::Accept;
    let (id, text) = (args.dialog_id.as_deref(), args.prompt_text.as_deref());
    let dialog =
        session.browser.answer_dialog(id, accept, text).await.map_err(|error| said(&error))?;
    // Its answer may have led the page elsewhere.
    check_page(session).await?;
    let mut fields = success();
    fields.insert("action".into(), if accept { "accept" } else { "dismiss" }.into());
    fields.insert("dialog".into(), json!(dialog));
    ToolOutput::json(&Value::Object(fields))
}
