//! `patch`: changing parts of files.

use hermes_tool::{
    CallDisplay, CallJudgement, CutAt, SchemaPatch, SchemaScope, ShownCall, ToolContext, ToolError,
    ToolResult, tool,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

mod files;
mod multi;
mod single;
mod transaction;

use super::changing::CrossProfile;
use super::lenient::truth;
use super::workspace::Workspace;
use crate::brief_schema::{brief, without_other_profiles};

/// How the change is described.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    /// One file: the old text and the new.
    #[default]
    Replace,
    /// Several files: a patch.
    Patch,
}

/// Arguments of `patch`.
#[derive(Deserialize, JsonSchema)]
struct PatchFiles {
    /// How the change is described.
    #[serde(default)]
    mode: Mode,
    /// For `replace`: the file to change.
    path: Option<String>,
    /// For `replace`: the text to replace, quoted from the file.
    old_string: Option<String>,
    /// For `replace`: the text to put in its place.
    new_string: Option<String>,
    /// For `replace`: change every place that matches, not just one.
    #[serde(default, deserialize_with = "truth")]
    replace_all: bool,
    /// For `patch`: the patch text.
    patch: Option<String>,
    /// Set this to change the state of another agent profile on purpose.
    #[serde(default, deserialize_with = "truth")]
    cross_profile: bool,
}

fn adapted(scope: &SchemaScope<'_>) -> SchemaPatch {
    let arguments = [
        ("path", "string", ""),
        ("old_string", "string", "text of the file, exactly"),
        ("new_string", "string", "what it becomes"),
    ];
    brief(scope, "Change a part of a file.", &arguments, 3)
        .unwrap_or_else(|| without_other_profiles(scope, &patch_tool()))
}

/// What was changed is changed, whatever the checks after it say.
fn judge(result: &Map<String, Value>) -> Option<CallJudgement> {
    (result.get("success") == Some(&Value::Bool(true))).then_some(CallJudgement::Ok)
}

#[tool(
    toolset = "file",
    emoji = "🔧",
    effects(reads(path), writes(path)),
    max_result_chars = 100_000,
    failure = judge,
    dynamic_schema = adapted,
    display = CallDisplay::verb("patch").detail(files_shown).cut_at(CutAt::Start),
    description = include_str!("patch.md")
)]
async fn patch(args: PatchFiles, cx: &ToolContext) -> ToolResult {
    let workspace = Workspace::of(cx).await?;
    let cross_profile = CrossProfile::from(args.cross_profile);
    match args.mode {
        Mode::Replace => {
            let (path, old, new) = match (args.path, args.old_string, args.new_string) {
                (Some(path), Some(old), Some(new)) => (path, old, new),
                (path, old, new) => {
                    return Err(gaps(path.is_some(), old.is_some(), new.is_some()));
                }
            };
            let change = single::Change { path, old, new, replace_all: args.replace_all };
            single::apply(&workspace, change, cross_profile).await
        }
        Mode::Patch => {
            let text = args
                .patch
                .filter(|text| !text.trim().is_empty())
                .ok_or_else(|| missing("patch", "the patch text"))?;
            multi::apply(&workspace, &text, cross_profile).await
        }
    }
}

/// Names every argument that is missing, so that one more call is enough.
fn gaps(path: bool, old: bool, new: bool) -> ToolError {
    let needed = [
        (path, "path (the file to change)"),
        (old, "old_string (the text to replace, quoted from the file)"),
        (new, "new_string (the text to put in its place)"),
    ];
    let missing: Vec<&str> =
        needed.iter().filter(|(is_there, _)| !is_there).map(|(_, what)| *what).collect();
    ToolError::answer(format!("Nothing was changed; missing: {}", missing.join(", ")))
}

fn missing(what: &str, meaning: &str) -> ToolError {
    ToolError::answer(format!("{what} is needed: {meaning}"))
}

/// The file, or those a patch names.
fn files_shown(call: &ShownCall<'_>) -> String {
    let path = call.text("path");
    if !path.is_empty() {
        return path;
    }
    let patch = call.args.get("patch").and_then(Value::as_str).unwrap_or_default();
    let files: Vec<&str> = patch
        .lines()
        .filter_map(|line| line.strip_prefix("*** "))
        .filter_map(|line| line.split_once(" File: "))
        .map(|(_, file)| file.trim())
        .collect();
    files.join(", ")
}
