//! Replacing a quotation in one file.

use hermes_files::edit::{EditError, Edited, Scope, render_places, replace, unified_diff};
use hermes_files::state::{Extent, Reader};
use hermes_guard::redact::redact_file;
use hermes_tool::{ToolError, ToolOutput, ToolResult};
use serde_json::{Map, Value, json};

use super::super::changing::{CrossProfile, gate, may_change, present, syntax};
use super::super::read_file::join;
use super::super::workspace::{Target, Workspace, told};

/// Failures in a row on one file after which the hint gets longer.
const ESCALATE_AT: u32 = 3;

/// One replacement, as asked for.
pub(super) struct Change {
    pub(super) path: String,
    pub(super) old: String,
    pub(super) new: String,
    pub(super) replace_all: bool,
}

pub(super) async fn apply(
    workspace: &Workspace,
    change: Change,
    cross_profile: CrossProfile,
) -> ToolResult {
    let target = workspace.target(&change.path).await?;
    may_change(workspace, &target, cross_profile)?;
    let _alone = workspace.state.lock([target.canonical().to_owned()]).await;
    let Some((before, stamp)) = present(workspace, &target).await? else {
        return Err(workspace.not_found(&target).await);
    };
    let scope = if change.replace_all { Scope::All } else { Scope::One };
    let (before, edited) = blocking(before, change, scope).await?;
    let edited = edited.map_err(|problem| refused(workspace, &target, &problem))?;
    let path = target.canonical();
    if let Some(problem) = gate(path, Some(&before), &edited.bytes).await {
        return Err(ToolError::answer(format!(
            "Nothing was changed: the file would no longer be valid: {problem}"
        )));
    }
    let stale = workspace.stale(path, Some(stamp), Extent::Quoted);
    workspace.checkpoint(&[path.to_owned()], "before patch").await;
    let written =
        workspace.files.write(path.to_owned(), edited.bytes.clone()).await.map_err(told)?;
    workspace.state.after_write(&workspace.task, path, written.stamp);
    let lint = syntax(path, Some(&before), &edited.bytes).await;
    answer(&target, &before, &edited, lint, stale)
}

/// Matching may take a while on a large file; it does not belong on an async worker.
async fn blocking(
    before: Vec<u8>,
    change: Change,
    scope: Scope,
) -> Result<(Vec<u8>, Result<Edited, EditError>), ToolError> {
    tokio::task::spawn_blocking(move || {
        let edited = replace(&before, &change.old, &change.new, scope);
        (before, edited)
    })
    .await
    .map_err(|gone| ToolError::failure("Matching", gone.to_string()))
}

fn answer(
    target: &Target,
    before: &[u8],
    edited: &Edited,
    lint: Value,
    stale: Option<String>,
) -> ToolResult {
    let path = target.canonical();
    let shown = path.display().to_string();
    let diff = unified_diff(before, &edited.bytes, &target.given);
    let lines: Vec<Value> = edited
        .replacements
        .iter()
        .map(|place| json!({"first": place.after.first, "last": place.after.last}))
        .collect();
    let mut fields = Map::new();
    fields.insert("success".into(), true.into());
    fields.insert("diff".into(), redact_file(&diff).into_owned().into());
    fields.insert("files_modified".into(), json!([shown]));
    fields.insert("match_strategy".into(), edited.strategy.name().into());
    fields.insert("replacements".into(), edited.count.into());
    fields.insert("lines".into(), lines.into());
    fields.insert("lint".into(), lint);
    fields.insert("resolved_path".into(), shown.into());
    if let Some(warning) = join(stale, target.outside.clone()) {
        fields.insert("_warning".into(), warning.into());
    }
    ToolOutput::json(&Value::Object(fields))
}

/// Why nothing was changed, with the closest places and, after a few failures, another way.
fn refused(workspace: &Workspace, target: &Target, problem: &EditError) -> ToolError {
    let failures = match workspace.reader {
        Reader::Conversation => workspace.state.edit_failed(&workspace.task, target.canonical()),
        Reader::Script => 0,
    };
    let mut message = problem.to_string();
    let mut has_places = false;
    if let EditError::NotFound { closest } = problem {
        let places = render_places(closest);
        has_places = !places.is_empty();
        if has_places {
            message.push_str("\n\n");
            message.push_str(&redact_file(&places));
        }
    }
    let error = ToolError::answer(message).with("success", false);
    if failures >= ESCALATE_AT {
        return error.with(
            "_hint",
            format!(
                "{failures} edits of this file failed in a row. Read the part you mean again, \
                 quote fewer lines, or write the whole file with write_file."
            ),
        );
    }
    let is_miss = matches!(problem, EditError::NotFound { .. });
    if is_miss && !has_places {
        return error.with("_hint", "Read the file again and quote its lines exactly.");
    }
    error
}
