//! `browser_scroll`: scrolls the page.

use hermes_browser::ScrollDirection;
use hermes_tool::{CallDisplay, ToolContext, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::context::{BrowserContext, available, check_page, news, opened, said, success};

/// Arguments of `browser_scroll`.
#[derive(Deserialize, JsonSchema)]
struct BrowserScroll {
    /// Where to: up or down.
    direction: Direction,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Direction {
    Up,
    Down,
}

/// Scroll the page that is open by 500 pixels, for pages that load more as one goes.
///
/// Not needed to click or to read: snapshots hold the whole page, and clicks bring their element into view.
#[tool(
    toolset = "browser",
    emoji = "📜",
    effects(network),
    output = untrusted,
    display = CallDisplay::verb("scroll").args(&["direction"]),
    check = available
)]
async fn browser_scroll(args: BrowserScroll, cx: &ToolContext) -> ToolResult {
    let browser = BrowserContext::of(cx)?;
    let mut lease = browser.current().await?;
    let session = opened(&mut lease)?;
    let (direction, word) = match args.direction {
        Direction::Up => (ScrollDirection::Up, "up"),
        Direction::Down => (ScrollDirection::Down, "down"),
    };
    session.browser.scroll(direction).await.map_err(|error| said(&error))?;
    check_page(session).await?;
    let mut fields = success();
    fields.insert("scrolled".into(), word.into());
    news(session, "scroll", &mut fields).await;
    ToolOutput::json(&Value::Object(fields))
}
