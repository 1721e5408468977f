//! `feishu_drive_add_comment`: a comment on a whole file.

use hermes_media::chat_services::PlatformCall;
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::comments::{comments_of, kind, words};
use crate::feishu_office::{ask, has_app};

/// Arguments of `feishu_drive_add_comment`.
#[derive(Deserialize, JsonSchema)]
struct AddComment {
    /// The file: its token, or its address.
    file_token: String,
    /// What the comment says.
    content: String,
    /// What kind of file it is.
    #[schemars(extend("default" = "docx"))]
    file_type: Option<String>,
}

/// Put a comment on a Feishu (Lark) file as a whole, as the app.
#[tool(
    toolset = "feishu_drive",
    emoji = "💬",
    effects(network, writes),
    check = has_app,
    requires_env("FEISHU_APP_ID", "FEISHU_APP_SECRET"),
    display = CallDisplay::verb("comment on").args(&["file_token", "content"])
)]
async fn feishu_drive_add_comment(args: AddComment, cx: &ToolContext) -> ToolResult {
    ToolOutput::json(&ask(&request(&args)?, cx).await?)
}

fn request(args: &AddComment) -> Result<PlatformCall, ToolError> {
    let first = json!({"content": words(&args.content)?});
    Ok(PlatformCall::post(comments_of(&args.file_token)?)
        .query("file_type", Some(kind(args.file_type.as_deref())?))
        .body(json!({"reply_list": {"replies": [first]}})))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_comment_is_the_first_of_its_replies() {
        let args = json!({"file_token": "f1", "content": "good", "file_type": "docx"});
        let call = request(&serde_json::from_value(args).unwrap()).unwrap();
        let run = json!({"type": "text_run", "text_run": {"text": "good"}});
        let reply = json!({"content": {"elements": [run]}});
        let body = json!({"reply_list": {"replies": [reply]}});
        let path = "/open-apis/drive/v1/files/f1/comments?file_type=docx";
        assert_eq!(call.parts(), ("POST".into(), path.into(), Some(body)));
    }
}
