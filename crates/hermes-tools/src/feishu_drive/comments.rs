//! What the tools for comments share: what a comment is on, and the words of one.

use hermes_media::chat_services::PlatformCall;
use hermes_tool::ToolError;
use serde_json::{Value, json};

use crate::feishu_office::token;

/// Most characters of a comment that is written.
const MAX_WORDS: usize = 10_000;
/// Most comments on a page.
const MAX_PAGE: u32 = 100;

/// Below what a file's comments are.
pub(super) fn comments_of(file: &str) -> Result<String, ToolError> {
    Ok(format!("/open-apis/drive/v1/files/{}/comments", token(file, "file_token")?))
}

/// The kind of a file, which is a document unless somebody says otherwise.
pub(super) fn kind(given: Option<&str>) -> Result<String, ToolError> {
    let kind = given.map(str::trim).filter(|kind| !kind.is_empty()).unwrap_or("docx");
    match ["docx", "doc", "sheet", "file", "slides", "bitable", "wiki"].contains(&kind) {
        true => Ok(kind.to_owned()),
        false => Err(ToolError::answer(format!("file_type {kind:?} is no kind of file at Feishu"))),
    }
}

/// A page of a list.
pub(super) fn page(call: PlatformCall, size: Option<u32>, from: Option<&str>) -> PlatformCall {
    call.query("page_size", Some(size.unwrap_or(MAX_PAGE).clamp(1, MAX_PAGE)))
        .query("page_token", from.filter(|from| !from.trim().is_empty()))
}

/// Words as Feishu wants them.
pub(super) fn words(content: &str) -> Result<Value, ToolError> {
    if content.trim().is_empty() {
        return Err(ToolError::answer("content is empty; say what the comment says"));
    }
    if content.chars().count() > MAX_WORDS {
        return Err(ToolError::answer(format!("content has more than {MAX_WORDS} characters")));
    }
    Ok(json!({"elements": [{"type": "text_run", "text_run": {"text": content}}]}))
}
