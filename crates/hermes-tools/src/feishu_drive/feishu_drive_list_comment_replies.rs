//! `feishu_drive_list_comment_replies`: what was answered to a comment.

use hermes_media::chat_services::PlatformCall;
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::comments::{comments_of, kind, page};
use crate::feishu_office::{ask, has_app, token};

/// Arguments of `feishu_drive_list_comment_replies`.
#[derive(Deserialize, JsonSchema)]
struct ListReplies {
    /// The file: its token, or its address.
    file_token: String,
    /// The comment, by its id.
    comment_id: String,
    /// What kind of file it is.
    #[schemars(extend("default" = "docx"))]
    file_type: Option<String>,
    /// How many replies at most, up to 100.
    #[schemars(extend("default" = 100))]
    page_size: Option<u32>,
    /// Where the last page ended.
    page_token: Option<String>,
}

/// List the replies to one comment on a Feishu (Lark) file, page by page.
#[tool(
    toolset = "feishu_drive",
    emoji = "💬",
    effects(network),
    check = has_app,
    requires_env("FEISHU_APP_ID", "FEISHU_APP_SECRET"),
    display = CallDisplay::verb("replies to").args(&["comment_id"])
)]
async fn feishu_drive_list_comment_replies(args: ListReplies, cx: &ToolContext) -> ToolResult {
    ToolOutput::json(&ask(&request(&args)?, cx).await?)
}

fn request(args: &ListReplies) -> Result<PlatformCall, ToolError> {
    let (file, comment) = (comments_of(&args.file_token)?, token(&args.comment_id, "comment_id")?);
    let call = PlatformCall::get(format!("{file}/{comment}/replies"))
        .query("file_type", Some(kind(args.file_type.as_deref())?));
    Ok(page(call, args.page_size, args.page_token.as_deref()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_replies_stand_below_their_comment() {
        let args = json!({"file_token": "f1", "comment_id": "6916", "file_type": "sheet"});
        let call = request(&serde_json::from_value(args).unwrap()).unwrap();
        let path =
            "/open-apis/drive/v1/files/f1/comments/6916/replies?file_type=sheet&page_size=100";
        assert_eq!(call.parts(), ("GET".into(), path.into(), None));
    }
}
