//! `feishu_drive_list_comments`: what people noted on a file.

use hermes_media::chat_services::PlatformCall;
use hermes_tool::{CallDisplay, ToolContext, ToolError, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::comments::{comments_of, kind, page};
use crate::feishu_office::{ask, has_app};

/// Arguments of `feishu_drive_list_comments`.
#[derive(Deserialize, JsonSchema)]
struct ListComments {
    /// The file: its token, or its address.
    file_token: String,
    /// What kind of file it is.
    #[schemars(extend("default" = "docx"))]
    file_type: Option<String>,
    /// Only comments on the whole file, or only those on places in it.
    is_whole: Option<bool>,
    /// How many comments at most, up to 100.
    #[schemars(extend("default" = 100))]
    page_size: Option<u32>,
    /// Where the last page ended.
    page_token: Option<String>,
}

/// List the comments on a Feishu (Lark) file, page by page.
#[tool(
    toolset = "feishu_drive",
    emoji = "💬",
    effects(network),
    check = has_app,
    requires_env("FEISHU_APP_ID", "FEISHU_APP_SECRET"),
    display = CallDisplay::verb("comments on").args(&["file_token"])
)]
async fn feishu_drive_list_comments(args: ListComments, cx: &ToolContext) -> ToolResult {
    ToolOutput::json(&ask(&request(&args)?, cx).await?)
}

fn request(args: &ListComments) -> Result<PlatformCall, ToolError> {
    let call = PlatformCall::get(comments_of(&args.file_token)?)
        .query("file_type", Some(kind(args.file_type.as_deref())?))
        .query("is_whole", args.is_whole);
    Ok(page(call, args.page_size, args.page_token.as_deref()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_page_is_asked_for() {
        let args =
            json!({"file_token": "f1", "is_whole": true, "page_size": 900, "page_token": "p"});
        let call = request(&serde_json::from_value(args).unwrap()).unwrap();
        let path = "/open-apis/drive/v1/files/f1/comments\
                    ?file_type=docx&is_whole=true&page_size=100&page_token=p";
        assert_eq!(call.parts(), ("GET".into(), path.into(), None));
        let odd = json!({"file_token": "f1", "file_type": "../x"});
        assert!(request(&serde_json::from_value(odd).unwrap()).is_err());
    }
}
