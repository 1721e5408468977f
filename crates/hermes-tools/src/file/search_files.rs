//! `search_files`: lines or files in a tree.

use std::path::Path;
use std::sync::Arc;

use hermes_files::fs::{ContentQuery, NameQuery, SearchPlace};
use hermes_files::search::{
    MatchStyle, Output, Page, SearchError, render_content, render_error, render_files,
};
use hermes_files::state::{LoopVerdict, SearchKey};
use hermes_guard::paths::PathFaces;
use hermes_guard::redact::redact_file;
use hermes_tool::{ToolContext, ToolError, ToolOutput, ToolResult, tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::read_file::join;
use super::workspace::{Workspace, refused};

/// What to look at.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum SearchTarget {
    /// Lines that match a regular expression.
    #[default]
    #[serde(alias = "grep")]
    Content,
    /// Files whose name matches a glob, newest first.
    #[serde(alias = "find")]
    Files,
}

/// What to return of matching lines.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OutputMode {
    /// The lines.
    #[default]
    Content,
    /// The files that have any.
    FilesOnly,
    /// How many lines in each file.
    Count,
}

/// Arguments of `search_files`.
#[derive(Deserialize, JsonSchema)]
struct SearchFiles {
    /// A regular expression for lines, or a glob such as `*.rs` for files.
    pattern: String,
    /// What to look at.
    #[serde(default)]
    target: SearchTarget,
    /// Directory or file to search.
    #[serde(default = "here")]
    path: String,
    /// Only files that match this glob, such as `*.py` or `src/**`.
    file_glob: Option<String>,
    /// Most results to return.
    #[serde(default = "fifty")]
    #[schemars(range(min = 1))]
    limit: usize,
    /// Results to pass over first, to see the next page.
    #[serde(default)]
    offset: usize,
    /// What to return of matching lines.
    #[serde(default)]
    output_mode: OutputMode,
    /// Lines to show before and after each match.
    #[serde(default)]
    context: usize,
}

fn here() -> String {
    ".".to_owned()
}

fn fifty() -> usize {
    50
}

#[tool(
    toolset = "file",
    emoji = "🔎",
    effects(reads),
    max_result_chars = 100_000,
    description = include_str!("search_files.md")
)]
async fn search_files(args: SearchFiles, cx: &ToolContext) -> ToolResult {
    let workspace = Workspace::of(cx);
    let target = workspace.target(&args.path).await?;
    workspace.rules.check_read(&target.faces()).map_err(|refusal| refused(&refusal))?;
    let repeated = count(&workspace, &args)?;
    let rules = Arc::clone(&workspace.rules);
    let place = SearchPlace {
        root: target.canonical().to_owned(),
        shown_root: args.path.clone(),
        cancel: cx.cancellation().clone(),
        denied: Arc::new(move |path: &Path| {
            let faces = PathFaces { literal: path, hops: &[], canonical: path };
            rules.check_read(&faces).is_err()
        }),
    };
    let page = Page { limit: args.limit.max(1), offset: args.offset };
    let mut fields = match args.target {
        SearchTarget::Files => {
            let query = NameQuery { pattern: args.pattern, page };
            let reply = workspace.files.search_names(place, query).await;
            render_files(&reply.map_err(|problem| told(&problem))?)
        }
        SearchTarget::Content => {
            let output = match args.output_mode {
                OutputMode::Content => Output::Rows,
                OutputMode::FilesOnly => Output::FilesOnly,
                OutputMode::Count => Output::Counts,
            };
            let SearchFiles { pattern, file_glob, context, .. } = args;
            let query = ContentQuery { pattern, file_glob, output, context, page };
            let reply = workspace.files.search_content(place, query).await;
            render_content(&reply.map_err(|problem| told(&problem))?, MatchStyle::Compact)
        }
    };
    redact(&mut fields);
    if let Some(warning) = join(repeated, target.outside) {
        fields.insert("_warning".into(), warning.into());
    }
    ToolOutput::json(&Value::Object(fields))
}

/// Counts the search; a repetition is warned about and then refused.
fn count(workspace: &Workspace, args: &SearchFiles) -> Result<Option<String>, ToolError> {
    let key = format!(
        "{:?} {:?} {:?} {:?} {} {} {:?} {}",
        args.pattern,
        args.target,
        args.path,
        args.file_glob,
        args.limit,
        args.offset,
        args.output_mode,
        args.context
    );
    match workspace.state.count_search(&workspace.task, SearchKey(key)) {
        LoopVerdict::Fine => Ok(None),
        LoopVerdict::Warn => Ok(Some("This is the third identical search in a row.".to_owned())),
        LoopVerdict::Block { times } => Err(ToolError::answer(
            "BLOCKED: the same search was made several times in a row. \
             Use what it found, or search for something else.",
        )
        .with("pattern", args.pattern.as_str())
        .with("already_searched", times)),
    }
}

fn told(problem: &SearchError) -> ToolError {
    let mut fields = render_error(problem);
    let message = match fields.shift_remove("error") {
        Some(Value::String(message)) => message,
        _ => problem.to_string(),
    };
    fields
        .into_iter()
        .fold(ToolError::answer(message), |error, (name, value)| error.with(name, value))
}

/// Hides secrets in everything that quotes a file.
fn redact(fields: &mut Map<String, Value>) {
    if let Some(Value::String(text)) = fields.get_mut("matches_text") {
        *text = redact_file(text).into_owned();
    }
    if let Some(Value::Array(rows)) = fields.get_mut("matches") {
        for row in rows {
            if let Some(Value::String(text)) = row.get_mut("content") {
                *text = redact_file(text).into_owned();
            }
        }
    }
}
