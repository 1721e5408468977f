//! `browser_vision`: a look at the page.

use std::time::{Duration, SystemTime};

use hermes_media::picture::Picture;
use hermes_media::vision;
use hermes_tool::{CallDisplay, ToolContext, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::context::{BrowserContext, available, check_page, opened, said};
use crate::{host_services, media_cache};

/// How long screenshots are kept.
const KEPT: Duration = Duration::from_secs(24 * 3600);
/// Where they are, below the cache.
const FOLDER: &str = "screenshots";

/// Arguments of `browser_vision`.
#[derive(Deserialize, JsonSchema)]
struct BrowserVision {
    /// What you want to know about the page.
    question: String,
    /// Draw numbers into the picture: `[5]` is the element `@e5` of the last snapshot.
    #[serde(default)]
    annotate: bool,
}

/// Look at the page that is open: takes a picture of all of it and answers a question about it.
///
/// For layout, charts, captchas and pictures, which a snapshot does not tell. The picture is kept as a file.
#[tool(
    toolset = "browser",
    emoji = "👁️",
    effects(network),
    output = untrusted,
    display = CallDisplay::verb("look").args(&["question"]),
    check = available
)]
async fn browser_vision(args: BrowserVision, cx: &ToolContext) -> ToolResult {
    let browser = BrowserContext::of(cx)?;
    let mut lease = browser.current().await?;
    let session = opened(&mut lease)?;
    let shot = session.browser.screenshot(args.annotate).await.map_err(|error| said(&error))?;
    check_page(session).await?;
    drop(lease);
    remove_old(cx);
    let stem = format!("browser_{}", jiff::Timestamp::now().as_millisecond());
    let path = media_cache::save(FOLDER, stem, "png", shot.png.clone(), cx).await?;
    let path = path.display().to_string();
    let picture = Picture::recognise(shot.png).map_err(|error| vision::failed(&error.to_string()));
    let mut about = format!("screenshot_path: {path}");
    if args.annotate {
        let labels: Vec<String> = shot
            .annotations
            .iter()
            .map(|one| format!("[{}] {} {:?}", one.label, one.reference, one.name))
            .collect();
        about = format!("{about}\nlabels: {}", labels.join(", "));
    }
    let looked = match picture {
        Ok(picture) => vision::look(picture, &args.question, Some(&about), cx).await,
        Err(error) => Err(error),
    };
    match looked {
        Ok(ToolOutput::Text(text)) => {
            let mut answer: serde_json::Value = serde_json::from_str(&text)?;
            if let Some(fields) = answer.as_object_mut() {
                fields.remove("note");
                fields.insert("screenshot_path".into(), path.into());
                if args.annotate {
                    fields.insert("annotations".into(), json!(shot.annotations));
                }
            }
            ToolOutput::json(&answer)
        }
        Ok(shown) => Ok(shown),
        // The picture is there, even if nobody could look at it.
        Err(error) => Err(error.with("screenshot_path", path)),
    }
}

/// Removes screenshots that are older than a day.
fn remove_old(cx: &ToolContext) {
    let Some(home) = host_services::home(cx) else { return };
    let Ok(entries) = std::fs::read_dir(home.cache().join(FOLDER)) else { return };
    for entry in entries.flatten() {
        let age = entry.metadata().and_then(|found| found.modified()).ok();
        let age = age.and_then(|then| SystemTime::now().duration_since(then).ok());
        if age.is_some_and(|age| age > KEPT) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
