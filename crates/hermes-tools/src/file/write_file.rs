//! `write_file`: the whole content of a file.

use std::collections::HashSet;

use hermes_files::state::WriteExtent;
use hermes_tool::{
    CallDisplay, CallJudgement, CutAt, ResultView, SchemaPatch, SchemaScope, ToolContext,
    ToolError, ToolOutput, ToolResult, tool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::changing::{dressed_like, may_change, present};
use super::display_text::looks_displayed;
use super::lenient::truth;
use super::read_file::join;
use super::syntax;
use super::workspace::{Target, Workspace, fs_error, gate_text};
use crate::brief_schema::{brief, without_other_profiles};

/// Arguments of `write_file`.
#[derive(Deserialize, JsonSchema)]
struct WriteFile {
    /// File to write; directories above it are made as needed.
    path: String,
    /// The whole new content, or what is added.
    content: String,
    /// Add the content at the end instead of replacing the file.
    #[serde(default, deserialize_with = "truth")]
    append: bool,
    /// Set this to write into the state of another agent profile on purpose.
    #[serde(default, deserialize_with = "truth")]
    cross_profile: bool,
}

fn adapted(scope: &SchemaScope<'_>) -> SchemaPatch {
    let arguments = [
        ("path", "string", ""),
        ("content", "string", ""),
        ("append", "boolean", "add at the end instead of replacing the file"),
    ];
    brief(scope, "Create a file, or replace all of it.", &arguments, 2)
        .unwrap_or_else(|| without_other_profiles(scope, &write_file_tool()))
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
    dynamic_schema = adapted,
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
        Some(old) if args.append => appended(old, &args.content),
        Some(old) => {
            let after = dressed_like(old, &args.content);
            losing_unread(&workspace, &target, old, &after)?;
            after
        }
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
    workspace.wrote(target.canonical(), written.stamp, gate_text(&after));

    let path = target.canonical().display().to_string();
    let mut fields = Map::new();
    fields.insert("bytes_written".into(), written.bytes.into());
    fields.insert("message".into(), told(before.as_deref(), &after, args.append).into());
    // What goes without saying is left out where a model pays for it.
    if written.made_directories || !workspace.is_models_turn() {
        fields.insert("dirs_created".into(), written.made_directories.into());
    }
    let lint = syntax::report_async(target.canonical(), before.as_deref(), &after).await;
    fields.insert("lint".into(), lint);
    fields.insert("resolved_path".into(), path.as_str().into());
    fields.insert("files_modified".into(), json!([path]));
    if let Some(warning) = join(stale, target.outside) {
        fields.insert("_warning".into(), warning.into());
    }
    ToolOutput::json(&Value::Object(fields))
}

/// The old content with the new behind it, which begins on a line of its own.
fn appended(old: &[u8], new: &str) -> Vec<u8> {
    let more = dressed_like(old, new);
    let mark = "\u{feff}".as_bytes();
    let more = more.strip_prefix(mark).unwrap_or(&more);
    let ending: &[u8] = if old.windows(2).any(|pair| pair == b"\r\n") { b"\r\n" } else { b"\n" };
    let mut whole = old.to_vec();
    if !old.is_empty() && !old.ends_with(b"\n") && !more.is_empty() {
        whole.extend_from_slice(ending);
    }
    whole.extend_from_slice(more);
    whole
}

/// Refuses to replace what a model has not seen, if something of it would be gone afterwards.
fn losing_unread(
    workspace: &Workspace,
    target: &Target,
    old: &[u8],
    new: &[u8],
) -> Result<(), ToolError> {
    if !workspace.is_models_turn() || workspace.state.is_known(&workspace.task, target.canonical())
    {
        return Ok(());
    }
    let kept: HashSet<&[u8]> = lines(new).collect();
    let lost = lines(old).filter(|line| !line.is_empty() && !kept.contains(line)).count();
    if lost == 0 {
        return Ok(());
    }
    let (given, of) = (&target.given, count(lines(old).count()));
    let are = if lost == 1 { "1 of them would be" } else { &format!("{lost} of them would be") };
    Err(ToolError::answer(format!(
        "Nothing was written: {given} exists with {of} you have not read, and {are} lost. Read it first; \
         to add to it set append, to change a part of it use patch."
    ))
    .with("rule", "unread_file"))
}

fn lines(content: &[u8]) -> impl Iterator<Item = &[u8]> {
    let content = content.strip_suffix(b"\n").unwrap_or(content);
    let is_empty = content.is_empty();
    content.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(move |_| !is_empty)
}

fn count(lines: usize) -> String {
    if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") }
}

/// What became of the file, in lines.
fn told(before: Option<&[u8]>, after: &[u8], append: bool) -> String {
    let new = lines(after).count();
    match before.map(|old| lines(old).count()) {
        None => format!("created with {}", count(new)),
        Some(old) if append => format!("added {} to {old}", count(new.saturating_sub(old))),
        Some(old) => format!("replaced {} by {new}", count(old)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_begins_on_a_line_of_its_own() {
        assert_eq!(appended(b"a\n", "b\n"), b"a\nb\n");
        assert_eq!(appended(b"a", "b"), b"a\nb");
        assert_eq!(appended(b"a\r\nb", "c\n"), b"a\r\nb\r\nc\r\n");
        assert_eq!(appended(b"", "x"), b"x");
        assert_eq!(appended("\u{feff}a\n".as_bytes(), "b"), "\u{feff}a\nb".as_bytes());
    }

    #[test]
    fn the_answer_counts_lines() {
        assert_eq!(told(None, b"a\nb\n", false), "created with 2 lines");
        assert_eq!(told(Some(b"a\nb\nc\nd\n"), b"x\n", false), "replaced 4 lines by 1");
        assert_eq!(told(Some(b"a\n"), b"a\nb\n", true), "added 1 line to 1");
        assert_eq!(told(Some(b""), b"a", false), "replaced 0 lines by 1");
    }
}
