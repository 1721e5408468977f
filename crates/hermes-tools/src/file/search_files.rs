//! `search_files`: lines or files in a tree.
//!
//! The search itself is the file system's; here the place is checked, files that may not be read are
//! kept out of it unopened, and secrets are hidden in what it found. A search counts as repeated when it
//! asks for the same and finds the same: in a tree that changes, asking again is no loop. No argument is
//! refused that can be understood.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use hermes_files::fs::{ContentQuery, NameQuery, SearchRoot};
use hermes_files::search::{
    ContentOutput, MatchStyle, Page, SearchError, render_content, render_error, render_files,
};
use hermes_files::state::{LoopVerdict, ReaderKind, SearchKey};
use hermes_guard::paths::PathFaces;
use hermes_tool::{
    CallDisplay, PastCall, SchemaPatch, SchemaScope, ShownCall, ToolContext, ToolError, ToolOutput,
    ToolResult, tool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::lenient::{number_or, word_or_default};
use super::read_file::join;
use super::workspace::{Workspace, refused};
use crate::brief_schema::brief;

/// Results returned unless more or fewer are asked for.
const DEFAULT_LIMIT: u64 = 50;

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
    #[serde(default, deserialize_with = "word_or_default")]
    target: SearchTarget,
    /// Directory or file to search.
    #[serde(default = "here")]
    path: String,
    /// Only files that match this glob, such as `*.py` or `src/**`, or of this type, such as `rust`.
    file_glob: Option<String>,
    /// Most results to return.
    #[serde(default = "default_limit", deserialize_with = "number_or::<DEFAULT_LIMIT, _>")]
    limit: u64,
    /// Results to pass over first, to see the next page.
    #[serde(default, deserialize_with = "number_or::<0, _>")]
    offset: u64,
    /// What to return of matching lines.
    #[serde(default)]
    output_mode: OutputMode,
    /// Lines to show before and after each match.
    #[serde(default, deserialize_with = "number_or::<0, _>")]
    context: u64,
}

fn briefly(scope: &SchemaScope<'_>) -> SchemaPatch {
    let arguments = [
        ("pattern", "string", "regular expression for lines, or glob for files"),
        ("path", "string", "where"),
        ("target", "string", "\"content\" (lines) or \"files\" (names)"),
    ];
    brief(scope, "Find lines or files.", &arguments, 1).unwrap_or(SchemaPatch::Keep)
}

fn here() -> String {
    ".".to_owned()
}

fn default_limit() -> u64 {
    DEFAULT_LIMIT
}

#[tool(
    toolset = "file",
    emoji = "🔎",
    effects(reads),
    max_result_chars = 100_000,
    aliases("search"),
    display = CallDisplay::verb_by(verb).detail(pattern_and_place).counted_as("search", "searches"),
    summary = summary,
    dynamic_schema = briefly,
    description = include_str!("search_files.md")
)]
async fn search_files(args: SearchFiles, cx: &ToolContext) -> ToolResult {
    let workspace = Workspace::of(cx).await?;
    let target = workspace.target(&args.path).await?;
    workspace.rules.check_read(&target.faces()).map_err(|refusal| refused(&refusal))?;
    let asked = Asked::of(&args);
    let rules = Arc::clone(&workspace.rules);
    let search_in = SearchRoot {
        root: target.canonical().to_owned(),
        shown_root: args.path.clone(),
        cancel: cx.cancellation().clone(),
        denied: Arc::new(move |path: &Path| {
            let faces = PathFaces { literal: path, hops: &[], canonical: path };
            rules.check_read(&faces).is_err()
        }),
    };
    let whole = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let page = Page { limit: whole(args.limit.max(1)), offset: whole(args.offset) };
    let mut fields = match args.target {
        SearchTarget::Files => {
            let query = NameQuery { pattern: args.pattern, page };
            let reply = workspace.files.search_names(search_in, query).await;
            render_files(&reply.map_err(|problem| told(&problem))?)
        }
        SearchTarget::Content => {
            let output = match args.output_mode {
                OutputMode::Content => ContentOutput::Rows,
                OutputMode::FilesOnly => ContentOutput::FilesOnly,
                OutputMode::Count => ContentOutput::Counts,
            };
            let SearchFiles { pattern, file_glob, context, .. } = args;
            let query = ContentQuery { pattern, file_glob, output, context: whole(context), page };
            let reply = workspace.files.search_content(search_in, query).await;
            let style = match workspace.reader {
                ReaderKind::Conversation => MatchStyle::Compact,
                ReaderKind::Script => MatchStyle::List,
            };
            render_content(&reply.map_err(|problem| told(&problem))?, style)
        }
    };
    let repeated = asked.count(&workspace, &fields)?;
    redact(&mut fields, &workspace);
    if let Some(warning) = join(repeated, target.outside) {
        fields.insert("_warning".into(), warning.into());
    }
    ToolOutput::json(&Value::Object(fields))
}

/// A search, to tell whether it is made again and again.
struct Asked {
    pattern: String,
    all: String,
}

impl Asked {
    fn of(args: &SearchFiles) -> Self {
        let SearchFiles { pattern, target, path, file_glob, limit, offset, output_mode, context } =
            args;
        let all = format!(
            "{pattern:?} {target:?} {path:?} {file_glob:?} {limit} {offset} {output_mode:?} {context}"
        );
        Self { pattern: pattern.clone(), all }
    }

    /// Counts the search; a repetition that finds the same is warned about and then refused.
    fn count(
        self,
        workspace: &Workspace,
        found: &Map<String, Value>,
    ) -> Result<Option<String>, ToolError> {
        if workspace.reader == ReaderKind::Script {
            return Ok(None);
        }
        let mut hasher = DefaultHasher::new();
        found.hash(&mut hasher);
        let key = SearchKey(format!("{} {:x}", self.all, hasher.finish()));
        match workspace.state.count_search(&workspace.task, key) {
            LoopVerdict::Fine => Ok(None),
            LoopVerdict::Warn => {
                Ok(Some("This is the third identical search in a row.".to_owned()))
            }
            LoopVerdict::Block { times } => Err(ToolError::answer(
                "BLOCKED: the same search was made several times in a row. \
                 Use what it found, or search for something else.",
            )
            .with("pattern", self.pattern)
            .with("already_searched", times)),
        }
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
fn redact(fields: &mut Map<String, Value>, workspace: &Workspace) {
    if let Some(Value::String(text)) = fields.get_mut("matches_text") {
        *text = workspace.redacted(text);
    }
    if let Some(Value::Array(rows)) = fields.get_mut("matches") {
        for row in rows {
            if let Some(Value::String(text)) = row.get_mut("content") {
                *text = workspace.redacted(text);
            }
        }
    }
}

/// Whether names are looked for or text.
fn verb(call: &ShownCall<'_>) -> &'static str {
    if call.text("target") == "files" { "find" } else { "grep" }
}

fn pattern_and_place(call: &ShownCall<'_>) -> String {
    let pattern = call.text("pattern");
    match call.text("path").as_str() {
        "" | "." => pattern,
        path if pattern.is_empty() => format!("in {path}"),
        path => format!("{pattern} in {path}"),
    }
}

fn summary(call: &PastCall<'_>) -> Option<String> {
    let pattern = call.text("pattern")?;
    let place = call.text("path").unwrap_or_else(|| ".".to_owned());
    Some(format!("searched {pattern} in {place} ({} chars)", call.chars))
}
