//! `browser_back`: goes back one page.

use hermes_tool::{CallDisplay, ToolContext, ToolOutput, ToolResult, tool};
use serde_json::Value;

use super::context::{BrowserContext, available, check_page, clean, news, opened, said, success};

/// Go back to the page before this one in the browser's history.
#[tool(
    toolset = "browser",
    emoji = "◀️",
    effects(network),
    output = untrusted,
    display = CallDisplay::verb("back"),
    check = available
)]
async fn browser_back(cx: &ToolContext) -> ToolResult {
    let browser = BrowserContext::of(cx)?;
    let mut lease = browser.current().await?;
    let session = opened(&mut lease)?;
    let page = session.browser.back().await.map_err(|error| said(&error))?;
    check_page(session).await?;
    let mut fields = success();
    fields.insert("url".into(), clean(&page.url).into());
    fields.insert("title".into(), clean(&page.title).into());
    news(session, "back", &mut fields).await;
    ToolOutput::json(&Value::Object(fields))
}
