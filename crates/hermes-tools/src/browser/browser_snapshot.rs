//! `browser_snapshot`: the page as text.

use hermes_browser::{BrowserError, Detail};
use hermes_tool::{CallDisplay, ToolContext, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::context::{BrowserContext, available, check_page, opened, said, success};

/// Arguments of `browser_snapshot`.
#[derive(Deserialize, JsonSchema)]
struct BrowserSnapshot {
    /// All of the page instead of what can be used and what explains it.
    #[serde(default)]
    full: bool,
}

/// Get the page that is open as text, with a reference such as `@e5` for everything that can be used.
///
/// Take one after the page changed; references of elements that stayed are the same. `browser_navigate` already gives
/// one.
#[tool(
    toolset = "browser",
    emoji = "📸",
    effects(network),
    output = untrusted,
    display = CallDisplay::verb("snapshot").args(&["full"]),
    check = available
)]
async fn browser_snapshot(args: BrowserSnapshot, cx: &ToolContext) -> ToolResult {
    let browser = BrowserContext::of(cx)?;
    let mut lease = browser.current().await?;
    let session = opened(&mut lease)?;
    let detail = if args.full { Detail::Full } else { Detail::Compact };
    let mut fields = success();
    match session.browser.snapshot(detail).await {
        Ok(snapshot) => browser.snapshot_fields(&snapshot, &mut fields).await,
        // The page stands still; what it waits for is below.
        Err(BrowserError::Dialog(_)) => {
            fields.insert(
                "snapshot".into(),
                "(a dialog is open; answer it with browser_dialog to see the page)".into(),
            );
            fields.insert("element_count".into(), 0.into());
        }
        Err(error) => return Err(said(&error)),
    }
    check_page(session).await?;
    let (pending, recent) = session.browser.dialogs();
    if pending.is_empty()
        && let Ok(tree) = session.browser.frame_tree().await
        && !tree.children.is_empty()
    {
        fields.insert("frame_tree".into(), json!(tree));
    }
    if !pending.is_empty() {
        fields.insert("pending_dialogs".into(), json!(pending));
    }
    if !recent.is_empty() {
        fields.insert("recent_dialogs".into(), json!(recent));
    }
    ToolOutput::json(&Value::Object(fields))
}
