//! `feishu_drive_reply_comment`: an answer to a comment.

use hermes_media::chat_services::PlatformCall;
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::comments::{comments_of, kind, words};
use crate::feishu_office::{ask, has_app, token};

/// Arguments of `feishu_drive_reply_comment`.
#[derive(Deserialize, JsonSchema)]
struct ReplyComment {
    /// The file: its token, or its address.
    file_token: String,
    /// The comment, by its id.
    comment_id: String,
    /// What is answered.
    content: String,
    /// What kind of file it is.
    #[schemars(extend("default" = "docx"))]
    file_type: Option<String>,
}

/// Answer a comment on a Feishu (Lark) file, as the app.
#[tool(
    toolset = "feishu_drive",
    emoji = "💬",
    effects(network, writes),
    check = has_app,
    requires_env("FEISHU_APP_ID", "FEISHU_APP_SECRET"),
    display = CallDisplay::verb("answer").args(&["comment_id", "content"])
)]
async fn feishu_drive_reply_comment(args: ReplyComment, cx: &ToolContext) -> ToolResult {
    ToolOutput::json(&ask(&request(&args)?, cx).await?)
}

fn request(args: &ReplyComment) -> Result<PlatformCall, ToolError> {
    let (file, comment) = (comments_of(&args.file_token)?, token(&args.comment_id, "comment_id")?);
    Ok(PlatformCall::post(format!("{file}/{comment}/replies"))
        .query("file_type", Some(kind(args.file_type.as_deref())?))
        .body(json!({"content": words(&args.content)?})))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_is_words_below_a_comment() {
        let args = json!({"file_token": "f1", "comment_id": "6916", "content": "done"});
        let call = request(&serde_json::from_value(args).unwrap()).unwrap();
        let path = "/open-apis/drive/v1/files/f1/comments/6916/replies?file_type=docx";
        let run = json!({"type": "text_run", "text_run": {"text": "done"}});
        let body = json!({"content": {"elements": [run]}});
        assert_eq!(call.parts(), ("POST".into(), path.into(), Some(body)));
        let blank = json!({"file_token": "f1", "comment_id": "6916", "content": " "});
        assert!(request(&serde_json::from_value(blank).unwrap()).is_err());
    }
}
