//! `write_file`: the whole content of a file.

use hermes_files::state::WriteExtent;
use hermes_tool::{
    CallDisplay, CallJudgement, CutAt, ResultView, ToolContext, ToolError, ToolOutput, ToolResult,
    tool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::changing::{dressed_like, may_change, present};
use super::display_text::looks_displayed;
use super::lenient::truth;
use super::read_file::join;
use super::syntax;
use super::workspace::{Workspace, fs_error};

/// Arguments of `write_file`.
#[derive(Deserialize, JsonSchema)]
struct WriteFile {
    /// File to write; directories above it are made as needed.
    path: String,
    /// The whole new content.
    content: String,
    /// Set this to write into the state of another agent profile on purpose.
    #[serde(default, deserialize_with = "truth")]
    cross_profile: bool,
}

/// What was written is written, whatever the checks after it say.
fn judge(result: &Map<String, Value>) -> Option<CallJudgement> {
    let is_written = result.contains_key("bytes_written");
    let went_well = result
        .get("error")
        .is_none_or(|error| error.as_str().unwrap_or_default().trim().is_empty());
    (is_written && went_well).then_some(CallJudgement::Ok)
}

#[tool(
    toolset = "file",
    emoji = "✍️",
    effects(writes(path)),
    max_result_chars = 100_000,
    failure = judge,
    display = CallDisplay::verb("write").args(&["path"]).cut_at(CutAt::Start).view(ResultView::Written),
    description = include_str!("write_file.md")
)]
async fn write_file(args: WriteFile, cx: &ToolContext) -> ToolResult {
    let workspace = Workspace::of(cx).await?;
    let target = workspace.target(&args.path).await?;
    may_change(&workspace, &target, args.cross_profile.into()).await?;
    if let Some(problem) = looks_displayed(&args.path, &args.content) {
        return Err(ToolError::answer(format!("Nothing was written: {problem}")));
    }
    let _alone = workspace.state.lock([target.canonical().to_owned()]).await;
    let before = present(&workspace, &target).await?;
    let stamp = before.as_ref().map(|(_, stamp)| *stamp);
    let before = before.map(|(content, _)| content);
    let after = match &before {
        Some(old) => dressed_like(old, &args.content),
        None => args.content.into_bytes(),
    };
    if let Some(problem) =
        syntax::objection_async(target.canonical(), before.as_deref(), &after).await
    {
        return Err(ToolError::answer(format!(
            "Nothing was written: the content is not valid: {problem}"
        )));
    }
    let stale = workspace.stale(target.canonical(), stamp, WriteExtent::Whole);
    workspace.checkpoint(&[target.canonical().to_owned()], "before write_file").await;
    let written = workspace
        .files
        .write(target.canonical().to_owned(), after.clone())
        .await
        .map_err(fs_error)?;
    workspace.state.after_write(&workspace.task, target.canonical(), written.stamp);

    let path = target.canonical().display().to_string();
    let mut fields = Map::new();
    fields.insert("bytes_written".into(), written.bytes.into());
    fields.insert("dirs_created".into(), written.made_directories.into());
    let lint = syntax::report_async(target.canonical(), before.as_deref(), &after).await;
    fields.insert("lint".into(), lint);
    fields.insert("resolved_path".into(), path.as_str().into());
    fields.insert("files_modified".into(), json!([path]));
    if let Some(warning) = join(stale, target.outside) {
        fields.insert("_warning".into(), warning.into());
    }
    ToolOutput::json(&Value::Object(fields))
}
