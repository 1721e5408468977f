//! `read_file`: a window into a file.
//!
//! The order of the checks is the order of what they cost: whether the path may be read at all, what
//! stands there, whether this very window was shown before, and only then the file itself. Secrets are
//! hidden after the window is cut to size, so a marker never pushes a line out of it. Only a read that
//! returned content is remembered as shown.

use hermes_files::fs::{
    FileKind, FilesLocation, OpenFile, Stamp, batch_io, inline_or_spawn_io, spawn_blocking_io,
};
use hermes_files::state::{LoopVerdict, ReadKey, ReaderKind, SeenBefore};
use hermes_files::view::{
    DEFAULT_MAX_CHARS, DocumentKind, FileView, LineWindow, ViewError, WindowRequest, show,
};
use hermes_tool::settings::Settings;
use hermes_tool::{
    CallDisplay, CutAt, OutputCaps, PastCall, SchemaPatch, SchemaScope, ShownCall, ToolContext,
    ToolError, ToolOutput, ToolResult, tool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio::task::JoinError;

use super::lenient::number_or;
use super::workspace::{Target, Workspace, fs_error, refused};
use crate::brief_schema::brief;

/// Lines shown unless more or fewer are asked for.
const DEFAULT_LINES: u64 = 500;
/// A file with fewer lines is shown whole to a model that asks for a part: two calls cost more than the rest.
const WHOLE_BELOW: usize = 100;
/// Most entries of a directory that are listed.
const MAX_ENTRIES: usize = 500;

/// How much of a file one read may show.
#[derive(Settings)]
struct ReadSettings {
    /// Longest file read, in characters.
    #[setting(default = DEFAULT_MAX_CHARS, range = 1..)]
    file_read_max_chars: usize,
}

/// Arguments of `read_file`.
#[derive(Deserialize, JsonSchema)]
struct ReadFile {
    /// File to read; relative paths start at the working directory, `~` is your home.
    #[serde(alias = "file_path")]
    path: String,
    /// First line to show, counted from 1.
    #[serde(default = "first", deserialize_with = "number_or::<1, _>")]
    offset: u64,
    /// How many lines to show.
    #[serde(default = "default_lines", deserialize_with = "number_or::<DEFAULT_LINES, _>")]
    limit: u64,
    /// First character of each line to show, counted from 1; to see the rest of lines that were cut.
    column: Option<u64>,
}

fn briefly(scope: &SchemaScope<'_>) -> SchemaPatch {
    let arguments = [("path", "string", ""), ("offset", "integer", "first line, for long files")];
    brief(scope, "Read a file, or list a directory.", &arguments, 1).unwrap_or(SchemaPatch::Keep)
}

fn first() -> u64 {
    1
}

fn default_lines() -> u64 {
    DEFAULT_LINES
}

#[tool(
    toolset = "file",
    emoji = "📖",
    effects(reads(path)),
    max_result_chars = 100_000,
    never_spilled,
    dynamic_schema = briefly,
    display = CallDisplay::verb("read").detail(window_shown).cut_at(CutAt::Start).counted_as("file", "files"),
    summary = summary,
    description = include_str!("read_file.md")
)]
async fn read_file(args: ReadFile, cx: &ToolContext) -> ToolResult {
    let workspace = Workspace::of(cx).await?;
    let request = request(&args, cx);
    match workspace.files.location() {
        FilesLocation::Local => {
            batch_io(move || read(workspace, args, request)).await.map_err(broken)?
        }
        FilesLocation::Remote | FilesLocation::Container => read(workspace, args, request).await,
    }
}

async fn read(workspace: Workspace, args: ReadFile, request: WindowRequest) -> ToolResult {
    let target = workspace.target(&args.path).await?;
    workspace.rules.check_read(&target.faces()).map_err(|refusal| refused(&refusal))?;
    match target.kind() {
        None => return Err(workspace.not_found(&target).await),
        Some(FileKind::File) => {}
        Some(FileKind::Directory) => {
            return list(&workspace, &target).await;
        }
        Some(kind) => {
            return Err(ToolError::answer(format!(
                "{} is {}; only regular files can be read",
                target.given,
                kind.name()
            )));
        }
    }
    let key = ReadKey {
        path: target.canonical().to_owned(),
        offset: request.offset as u64,
        limit: request.limit as u64,
        column: args.column.unwrap_or(1),
    };
    let stamp = target.resolved.stat.map(|stat| stat.stamp);
    if let Some(answer) = stamp.and_then(|stamp| already_shown(&workspace, &target, &key, stamp)) {
        return answer;
    }
    let (mut shown, mut stamp) = look(&workspace, &target, request).await?;
    let mut key = key;
    if workspace.is_models_turn()
        && let FileView::Text(window) = &shown
        && window.total_lines < WHOLE_BELOW
        && (key.offset > 1 || window.truncated)
        && args.column.is_none()
    {
        let whole = WindowRequest { offset: 1, limit: WHOLE_BELOW, ..request };
        (shown, stamp) = look(&workspace, &target, whole).await?;
        key = ReadKey { offset: 1, limit: WHOLE_BELOW as u64, ..key };
    }
    match shown {
        FileView::Binary(reason) => Err(ToolError::answer(reason.message(target.canonical()))),
        FileView::Image { format, part, file_size } => {
            workspace.state.after_read(&workspace.task, target.canonical(), stamp, false);
            let summary = format!("{} ({format:?} picture, {file_size} bytes)", target.given);
            let text = json!({"type": "text", "text": summary});
            Ok(ToolOutput::Multimodal { content: vec![text, part], text_summary: Some(summary) })
        }
        FileView::Text(window) => answer(&workspace, &target, key, stamp, &window, false),
        FileView::Document(window) => answer(&workspace, &target, key, stamp, &window, true),
    }
}

/// What is in a directory, with sizes: whoever reads one wants to see it.
async fn list(workspace: &Workspace, target: &Target) -> ToolResult {
    let directory = target.canonical().to_owned();
    let mut names =
        workspace.files.names(directory.clone(), MAX_ENTRIES + 1).await.map_err(fs_error)?;
    names.sort();
    let is_cut = names.len() > MAX_ENTRIES;
    names.truncate(MAX_ENTRIES);
    let mut lines = Vec::with_capacity(names.len());
    for name in names {
        // Elsewhere each look is a round trip; the names are worth one, the sizes are not.
        let seen = match workspace.files.location() {
            FilesLocation::Local => workspace.files.resolve(directory.join(&name)).await.ok(),
            FilesLocation::Remote | FilesLocation::Container => None,
        };
        lines.push(match seen.and_then(|seen| seen.stat) {
            Some(stat) if stat.kind == FileKind::Directory => format!("{name}/"),
            Some(stat) if stat.kind == FileKind::File => {
                format!("{name}  {} bytes", stat.stamp.size)
            }
            _ => name,
        });
    }
    let mut fields = Map::new();
    fields.insert("directory".into(), target.given.as_str().into());
    fields.insert("entries".into(), lines.len().into());
    fields.insert("content".into(), workspace.redacted(&lines.join("\n")).into());
    if is_cut {
        let hint =
            format!("only the first {MAX_ENTRIES} are listed; search_files finds others by name");
        fields.insert("hint".into(), hint.into());
    }
    ToolOutput::json(&Value::Object(fields))
}

fn request(args: &ReadFile, cx: &ToolContext) -> WindowRequest {
    let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let caps = OutputCaps::read(cx.config(), cx.vars());
    WindowRequest {
        offset: whole(args.offset.max(1)),
        limit: whole(args.limit).clamp(1, caps.max_lines),
        max_line_chars: caps.max_line_length,
        max_chars: ReadSettings::read(cx.config(), cx.vars()).file_read_max_chars,
        column: args.column.map(whole),
    }
}

/// The answer to a window that was shown before and has not changed.
fn already_shown(
    workspace: &Workspace,
    target: &Target,
    key: &ReadKey,
    stamp: Stamp,
) -> Option<ToolResult> {
    let seen = match workspace.reader {
        ReaderKind::Conversation => workspace.state.seen_before(&workspace.task, key, stamp),
        ReaderKind::Script => SeenBefore::Never,
    };
    match seen {
        SeenBefore::Never => None,
        SeenBefore::Unchanged => Some(ToolOutput::json(&json!({
            "status": "unchanged",
            "message": "This part of the file was shown before and has not changed since; \
                        look at that earlier result.",
            "path": target.given,
            "dedup": true,
            "content_returned": false,
        }))),
        SeenBefore::Repeated { times } => Some(Err(ToolError::answer(
            "BLOCKED: this part of the file was read again and again without a change. \
             Use what you have, or read another part.",
        )
        .with("path", target.given.as_str())
        .with("already_read", times))),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "shaped for `map_err`")]
fn broken(gone: JoinError) -> ToolError {
    ToolError::failure("Reading", gone.to_string())
}

async fn look(
    workspace: &Workspace,
    target: &Target,
    request: WindowRequest,
) -> Result<(FileView, Stamp), ToolError> {
    let OpenFile { mut content, stamp } =
        workspace.files.open(target.canonical().to_owned()).await.map_err(fs_error)?;
    let path = target.canonical().to_owned();
    // Documents are unpacked, and what is not in memory yet may be large.
    let is_brief = content.as_file().is_none() && DocumentKind::of(&path).is_none();
    let work = move || show(&path, &mut content, &request);
    let shown =
        if is_brief { inline_or_spawn_io(work).await } else { spawn_blocking_io(work).await };
    let shown = shown.map_err(broken)?;
    shown
        .map(|shown| (shown, stamp))
        .map_err(|problem: ViewError| ToolError::answer(format!("{}: {problem}", target.given)))
}

fn answer(
    workspace: &Workspace,
    target: &Target,
    key: ReadKey,
    stamp: Stamp,
    window: &LineWindow,
    is_document: bool,
) -> ToolResult {
    let is_partial = key.offset > 1 || window.truncated;
    workspace.state.after_read(&workspace.task, target.canonical(), stamp, is_partial);
    let repeated = match workspace.reader {
        ReaderKind::Conversation => workspace.state.count_read(&workspace.task, key, stamp),
        ReaderKind::Script => LoopVerdict::Fine,
    };
    if let LoopVerdict::Block { times } = repeated {
        return Err(ToolError::answer(
            "BLOCKED: the same part of this file was read several times in a row. \
             Use what you have, or do something else first.",
        )
        .with("path", target.given.as_str())
        .with("already_read", times));
    }
    let mut fields = Map::new();
    fields.insert("content".into(), workspace.redacted(&window.content).into());
    fields.insert("total_lines".into(), window.total_lines.into());
    fields.insert("file_size".into(), window.file_size.into());
    // What goes without saying is left out where a model pays for it.
    let says_all = !workspace.is_models_turn();
    if says_all || window.truncated {
        fields.insert("truncated".into(), window.truncated.into());
    }
    if let Some(next) = window.next_offset {
        fields.insert("truncated_by".into(), "bytes".into());
        fields.insert("next_offset".into(), next.into());
    }
    let mut put = |name: &str, text: Option<String>| {
        if let Some(text) = text {
            fields.insert(name.into(), text.into());
        }
    };
    put("hint", window.hint.clone());
    put("_hint", window.advice.map(str::to_owned));
    put("long_lines", window.long_lines.clone());
    put("encoding", window.encoding.map(|encoding| encoding.name().to_owned()));
    let repeated = (repeated == LoopVerdict::Warn).then(|| {
        "This is the third identical read in a row; do something else before reading it again."
            .to_owned()
    });
    put("_warning", join(repeated, target.outside.clone()));
    if says_all {
        fields.insert("is_binary".into(), false.into());
        fields.insert("is_image".into(), false.into());
    }
    if is_document {
        fields.insert("extracted_document".into(), true.into());
    }
    ToolOutput::json(&Value::Object(fields))
}

/// Two notes as one.
pub(super) fn join(first: Option<String>, second: Option<String>) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) => Some(format!("{first} | {second}")),
        (first, second) => first.or(second),
    }
}

/// The path and the lines asked for: `src/main.rs L10-14`.
fn window_shown(call: &ShownCall<'_>) -> String {
    let path = call.text("path");
    match (call.number("offset"), call.number("limit")) {
        (None, None) => path,
        (from, None) => format!("{path} L{}-", from.unwrap_or(1)),
        (from, Some(count)) => {
            let from = from.unwrap_or(1);
            format!("{path} L{from}-{}", from.saturating_add(count).saturating_sub(1))
        }
    }
}

fn summary(call: &PastCall<'_>) -> Option<String> {
    let path = call.text("path").filter(|_| call.result.get("content").is_some())?;
    let from = call.args.get("offset").and_then(Value::as_u64).unwrap_or(1);
    Some(format!("read {path} from line {from} ({} chars)", call.chars))
}

#[cfg(test)]
mod tests {
    use hermes_tool::{ResultLimit, SpillRule};

    use super::*;

    #[test]
    fn follow_read_file_is_registered_at_100_000_but_pinned_unlimited() {
        let tool = read_file_tool();
        assert_eq!(tool.result_limit(), ResultLimit::Chars(100_000));
        assert_eq!(tool.policy().spill, SpillRule::Never);
    }
}
