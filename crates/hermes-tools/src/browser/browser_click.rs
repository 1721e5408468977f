//! `browser_click`: clicks an element.

use hermes_tool::{CallDisplay, ToolContext, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::context::{BrowserContext, available, check_page, news, opened, said, success};

/// Arguments of `browser_click`.
#[derive(Deserialize, JsonSchema)]
struct BrowserClick {
    /// The element's reference from a snapshot, such as `@e5`.
    #[serde(rename = "ref", alias = "element", alias = "selector")]
    reference: String,
}

/// Click an element of the page that is open.
///
/// Waits for the page it leads to. Take a snapshot afterwards to see what changed. If a dialog opens, it is in the
/// answer and waits for `browser_dialog`.
#[tool(
    toolset = "browser",
    emoji = "👆",
    effects(network, writes),
    output = untrusted,
    display = CallDisplay::verb("click").args(&["ref"]),
    check = available
)]
async fn browser_click(args: BrowserClick, cx: &ToolContext) -> ToolResult {
    let browser = BrowserContext::of(cx)?;
    let mut lease = browser.current().await?;
    let session = opened(&mut lease)?;
    session.browser.click(&args.reference).await.map_err(|error| said(&error))?;
    check_page(session).await?;
    let mut fields = success();
    fields.insert("clicked".into(), args.reference.into());
    news(session, "click", &mut fields).await;
    ToolOutput::json(&Value::Object(fields))
}
