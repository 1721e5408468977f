//! `browser_press`: presses a key.

use hermes_tool::{CallDisplay, ToolContext, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::context::{BrowserContext, available, check_page, news, opened, said, success};

/// Arguments of `browser_press`.
#[derive(Deserialize, JsonSchema)]
struct BrowserPress {
    /// The key: Enter, Tab, Escape, ArrowDown, a letter, or with others held down, such as Control+a.
    key: String,
}

/// Press a key on the page that is open, where the focus is: Enter sends a form, Escape closes, Tab goes on.
#[tool(
    toolset = "browser",
    emoji = "⏎",
    effects(network, writes),
    output = untrusted,
    display = CallDisplay::verb("press").args(&["key"]),
    check = available
)]
async fn browser_press(args: BrowserPress, cx: &ToolContext) -> ToolResult {
    let browser = BrowserContext::of(cx)?;
    let mut lease = browser.current().await?;
    let session = opened(&mut lease)?;
    session.browser.press(&args.key).await.map_err(|error| said(&error))?;
    check_page(session).await?;
    let mut fields = success();
    fields.insert("pressed".into(), args.key.into());
    news(session, "press", &mut fields).await;
    ToolOutput::json(&Value::Object(fields))
}
