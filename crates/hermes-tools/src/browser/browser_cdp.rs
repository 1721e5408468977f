//! `browser_cdp`: the browser's own protocol.

use std::time::Duration;

use hermes_browser::{BrowserSession, RawTarget};
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::context::{
    BrowserContext, available, check_page, clean, opened, refused, said, success,
};
use super::restrict::{is_restricted, method_allowed};

/// Longest time a call may be given, in seconds.
const LONGEST: u64 = 300;

/// Arguments of `browser_cdp`.
#[derive(Deserialize, JsonSchema)]
struct BrowserCdp {
    /// The method, such as `Page.getLayoutMetrics`.
    method: String,
    /// Its parameters.
    #[serde(default)]
    params: Map<String, Value>,
    /// Another target than the page that is open.
    target_id: Option<String>,
    /// A frame with a process of its own, from `frame_tree`.
    frame_id: Option<String>,
    /// Seconds to wait.
    #[serde(default = "usual")]
    #[schemars(range(min = 1, max = 300))]
    timeout: u64,
}

fn usual() -> u64 {
    30
}

/// Methods that reach files of this machine, or end what others use.
const CLOSED: &[&str] = &[
    "Browser.close",
    "Browser.crash",
    "Browser.crashGpuProcess",
    "Browser.setDownloadBehavior",
    "DOM.setFileInputFiles",
    "Page.setDownloadBehavior",
    "Page.setInterceptFileChooserDialog",
    "IO.read",
    "Target.exposeDevToolsProtocol",
    // What it carries would be a call that nobody looked at.
    "Target.sendMessageToTarget",
    "Tethering.bind",
    "Extensions.loadUnpacked",
    "Page.addCompilationCache",
];

/// Make a call of the Chrome DevTools Protocol on the page that is open, for what no other browser tool does.
#[tool(
    toolset = "browser",
    emoji = "🔧",
    effects(network, writes),
    output = untrusted,
    display = CallDisplay::verb("cdp").args(&["method"]),
    check = available
)]
async fn browser_cdp(args: BrowserCdp, cx: &ToolContext) -> ToolResult {
    let browser = BrowserContext::of(cx)?;
    if CLOSED.iter().any(|closed| closed.eq_ignore_ascii_case(&args.method)) {
        return Err(ToolError::answer(format!("Blocked: {} is not open to calls", args.method)));
    }
    if is_restricted(browser.sessions.settings()) {
        method_allowed(&args.method)?;
    }
    let mut lease = browser.current().await?;
    let session = opened(&mut lease)?;
    // Whatever the method calls it: an address is judged before a page is led there.
    for name in ["url", "targetUrl"] {
        if let Some(url) = args.params.get(name).and_then(Value::as_str)
            && url != "about:blank"
        {
            session.guard.before(url).await.map_err(|refusal| refused(&refusal))?;
        }
    }
    for name in ["expression", "functionDeclaration", "source", "scriptSource"] {
        let script = args.params.get(name).and_then(Value::as_str).unwrap_or_default();
        session.guard.script(script).map_err(|refusal| refused(&refusal))?;
    }
    let target = match (&args.target_id, &args.frame_id) {
        (_, Some(frame)) => RawTarget::Frame(frame.clone()),
        (Some(target), None) => RawTarget::Target(target.clone()),
        (None, None) => RawTarget::Front,
    };
    check_target(session, &target).await?;
    let limit = Duration::from_secs(args.timeout.clamp(1, LONGEST));
    let params = Value::Object(args.params);
    let answer = session.browser.raw(&args.method, &params, &target, limit).await;
    let answer = answer.map_err(|error| said(&error))?;
    check_page(session).await?;
    check_target(session, &target).await?;
    let mut fields = success();
    fields.insert("method".into(), args.method.into());
    let text = clean(&answer.result.to_string());
    fields.insert("result".into(), serde_json::from_str(&text).unwrap_or(Value::String(text)));
    for (name, value) in
        [("target_id", args.target_id), ("frame_id", args.frame_id), ("session_id", answer.session)]
    {
        if let Some(value) = value {
            fields.insert(name.into(), value.into());
        }
    }
    ToolOutput::json(&Value::Object(fields))
}

/// Refuses a target whose page its browser may not show. The page in front is looked at elsewhere.
async fn check_target(session: &BrowserSession, target: &RawTarget) -> Result<(), ToolError> {
    if *target == RawTarget::Front {
        return Ok(());
    }
    // One that the call closed shows nothing any more.
    let Ok(page) = session.browser.target_state(target).await else { return Ok(()) };
    session.guard.after(&page).map_err(|refusal| refused(&refusal))
}
