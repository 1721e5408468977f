//! `browser_type`: fills in a field.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use hermes_browser::Typed;
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::context::{BrowserContext, available, check_page, clean, news, opened, said, success};
use crate::file::whole_file::read_whole;
use crate::media_cache;

/// Largest file that is given to a page.
const LARGEST_FILE: usize = 50 << 20;

/// Arguments of `browser_type`.
#[derive(Deserialize, JsonSchema)]
struct BrowserType {
    /// The field's reference from a snapshot, such as `@e3`.
    #[serde(rename = "ref", alias = "element", alias = "selector")]
    reference: String,
    /// What it should hold; replaces what stands there. For lists the option, for file fields a path.
    text: String,
}

/// Fill in a field of the page that is open: text, dates, numbers, lists and files.
///
/// What stands in the field is replaced. Press Enter with `browser_press`, or click a button, to send a form.
#[tool(
    toolset = "browser",
    emoji = "⌨️",
    effects(network, writes),
    output = untrusted,
    // Not the text: it may be a password, and what kind of field it goes to is not known before.
    display = CallDisplay::verb("type").args(&["ref"]),
    check = available
)]
async fn browser_type(args: BrowserType, cx: &ToolContext) -> ToolResult {
    let browser = BrowserContext::of(cx)?;
    let mut lease = browser.current().await?;
    let session = opened(&mut lease)?;
    let wants_file = AtomicBool::new(false);
    let ask = |_: &str| {
        wants_file.store(true, Ordering::Relaxed);
        Err(String::new())
    };
    let typed = session.browser.type_text(&args.reference, &args.text, ask).await;
    let typed = if wants_file.load(Ordering::Relaxed) {
        let file = file_to_give(&args.text, cx).await?;
        session.browser.type_text(&args.reference, &args.text, |_| Ok(file.clone())).await
    } else {
        typed
    };
    let Typed { role, name, is_password } = typed.map_err(|error| said(&error))?;
    check_page(session).await?;
    let mut fields = success();
    let shown = if is_password { "••••".to_owned() } else { clean(&args.text) };
    fields.insert("typed".into(), shown.into());
    fields.insert(
        "element".into(),
        json!({"ref": args.reference, "role": role, "name": clean(&name)}),
    );
    news(session, "type", &mut fields).await;
    ToolOutput::json(&Value::Object(fields))
}

/// A copy of a file that the file tools may read, under its own name: the browser sees nothing else of the disk.
async fn file_to_give(path: &str, cx: &ToolContext) -> Result<PathBuf, ToolError> {
    let bytes = read_whole(path, LARGEST_FILE, cx).await?;
    let name = std::path::Path::new(path);
    let stem = name.file_stem().and_then(|stem| stem.to_str()).unwrap_or("file");
    let extension = name.extension().and_then(|end| end.to_str()).unwrap_or("bin");
    media_cache::save("browser/uploads", stem.to_owned(), extension, bytes, cx).await
}
