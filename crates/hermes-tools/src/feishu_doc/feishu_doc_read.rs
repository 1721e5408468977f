//! `feishu_doc_read`: a document as text.

use hermes_media::chat_services::PlatformCall;
use hermes_tool::{CallDisplay, ToolContext, ToolError, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::feishu_office::{ask, has_app, token};

/// Arguments of `feishu_doc_read`.
#[derive(Deserialize, JsonSchema)]
struct ReadDocument {
    /// The document: its token, or its address.
    doc_token: String,
}

/// Read a Feishu (Lark) document as plain text. The document must be shared with the app.
#[tool(
    toolset = "feishu_doc",
    emoji = "📄",
    effects(network),
    check = has_app,
    requires_env("FEISHU_APP_ID", "FEISHU_APP_SECRET"),
    display = CallDisplay::verb("read").args(&["doc_token"])
)]
async fn feishu_doc_read(args: ReadDocument, cx: &ToolContext) -> Result<Value, ToolError> {
    let document = token(&args.doc_token, "doc_token")?;
    let call = PlatformCall::get(format!("/open-apis/docx/v1/documents/{document}/raw_content"));
    let found = ask(&call, cx).await?;
    Ok(json!({"success": true, "content": found["content"]}))
}
