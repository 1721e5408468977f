//! `x_search`: posts on X.

use hermes_media::x_search::{XQuery, XSearchError, XSearchSettings, search};
use hermes_tool::settings::Settings as _;
use hermes_tool::{
    Availability, CallDisplay, ToolContext, ToolError, ToolOutput, ToolResult, Vars, tool,
};
use schemars::JsonSchema;
use serde::Deserialize;

/// Arguments of `x_search`.
#[derive(Deserialize, JsonSchema)]
struct XSearch {
    /// What to look for, as a question or in a few words.
    query: String,
    /// Only posts of these people; at most ten.
    #[serde(default)]
    allowed_x_handles: Vec<String>,
    /// No posts of these people; at most ten.
    #[serde(default)]
    excluded_x_handles: Vec<String>,
    /// Only posts from this day on (YYYY-MM-DD).
    from_date: Option<String>,
    /// Only posts up to this day (YYYY-MM-DD).
    to_date: Option<String>,
    /// Look at the pictures in posts, too.
    #[serde(default)]
    enable_image_understanding: bool,
    /// Look at the videos in posts, too.
    #[serde(default)]
    enable_video_understanding: bool,
}

fn has_key(vars: &Vars) -> Availability {
    Availability::needs_env(vars, &["XAI_API_KEY"])
}

/// Search posts on X and get an answer with its sources.
///
/// For what people say there now: reactions, announcements, events as they happen.
#[tool(
    toolset = "x_search",
    emoji = "🐦",
    effects(network),
    check = has_key,
    requires_env("XAI_API_KEY"),
    display = CallDisplay::verb("search X").args(&["query"])
)]
async fn x_search(args: XSearch, cx: &ToolContext) -> ToolResult {
    let query = XQuery {
        query: args.query,
        allowed: args.allowed_x_handles,
        excluded: args.excluded_x_handles,
        from_date: args.from_date,
        to_date: args.to_date,
        images: args.enable_image_understanding,
        videos: args.enable_video_understanding,
    };
    let settings = XSearchSettings::read(cx.config(), cx.vars());
    match search(&query, &settings, cx.vars(), cx.cancellation()).await {
        Ok(found) => ToolOutput::json(&found),
        Err(XSearchError::Service(error)) => Err(ToolError::from(error).with("success", false)),
        Err(error) => Err(ToolError::answer(error.to_string()).with("success", false)),
    }
}
