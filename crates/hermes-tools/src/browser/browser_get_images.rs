//! `browser_get_images`: the pictures of the page.

use hermes_browser::PageImage;
use hermes_tool::{CallDisplay, ToolContext, ToolOutput, ToolResult, tool};
use serde_json::{Value, json};

use super::context::{BrowserContext, available, check_page, clean, opened, said, success};

/// List the pictures of the page that is open, with address, description and size.
#[tool(
    toolset = "browser",
    emoji = "🖼️",
    effects(network),
    output = untrusted,
    display = CallDisplay::verb("images"),
    check = available
)]
async fn browser_get_images(cx: &ToolContext) -> ToolResult {
    let browser = BrowserContext::of(cx)?;
    let mut lease = browser.current().await?;
    let session = opened(&mut lease)?;
    let images = session.browser.images().await.map_err(|error| said(&error))?;
    check_page(session).await?;
    let images: Vec<PageImage> = images
        .into_iter()
        .map(|image| PageImage { src: clean(&image.src), alt: clean(&image.alt), ..image })
        .collect();
    let mut fields = success();
    fields.insert("count".into(), images.len().into());
    fields.insert("images".into(), json!(images));
    ToolOutput::json(&Value::Object(fields))
}
