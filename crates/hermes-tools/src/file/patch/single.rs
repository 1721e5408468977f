//! Replacing a quotation in one file.

use std::path::PathBuf;

use hermes_files::edit::{
    Edited, ReplaceError, ReplaceScope, render_near_misses, replace, unified_diff,
};
use hermes_files::state::{ReaderKind, WriteExtent};
use hermes_tool::{ToolError, ToolOutput, ToolResult};
use serde_json::{Map, Value, json};

use super::super::changing::{CrossProfile, may_change, present};
use super::super::read_file::join;
use super::super::syntax;
use super::super::workspace::{Target, Workspace, fs_error, gate_text};

/// Failures in a row on one file after which the hint gets longer.
const ESCALATE_AT: u32 = 3;
/// Shorter texts stand in files by chance.
const MIN_RECOGNISED: usize = 4;

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
    may_change(workspace, &target, cross_profile).await?;
    let _alone = workspace.state.lock([target.canonical().to_owned()]).await;
    let Some((before, stamp)) = present(workspace, &target).await? else {
        return Err(workspace.not_found(&target).await);
    };
    let path = target.canonical();
    let (wanted, unwanted) = (change.new.clone(), change.old.clone());
    let looked_at = workspace.is_models_turn().then(|| before.clone());
    let prepared = prepare(before, change, path.to_owned()).await?;
    let prepared = match prepared {
        Ok(prepared) => prepared,
        Err(ReplaceError::NotFound { .. })
            if looked_at.is_some_and(|before| is_there(&before, &wanted, &unwanted)) =>
        {
            return already_there(&target);
        }
        Err(problem) => return Err(refused(workspace, &target, &problem)),
    };
    if let Some(problem) = &prepared.objection {
        return Err(ToolError::answer(format!(
            "Nothing was changed: the file would no longer be valid: {problem}"
        )));
    }
    let stale = workspace.stale(path, Some(stamp), WriteExtent::Quoted);
    workspace.checkpoint(&[path.to_owned()], "before patch").await;
    let Prepared { edited, diff, lint, .. } = prepared;
    let Edited { bytes, strategy, count, replacements } = edited;
    let text = gate_text(&bytes);
    let written = workspace.files.write(path.to_owned(), bytes).await.map_err(fs_error)?;
    workspace.wrote(path, written.stamp, text);

    let shown = path.display().to_string();
    let lines: Vec<Value> = replacements
        .iter()
        .map(|place| json!({"first": place.after.first, "last": place.after.last}))
        .collect();
    let mut fields = Map::new();
    fields.insert("success".into(), true.into());
    fields.insert("diff".into(), workspace.redacted(&diff).into());
    fields.insert("files_modified".into(), json!([shown]));
    fields.insert("match_strategy".into(), strategy.name().into());
    fields.insert("replacements".into(), count.into());
    fields.insert("lines".into(), lines.into());
    fields.insert("lint".into(), lint);
    fields.insert("resolved_path".into(), shown.into());
    if let Some(warning) = join(stale, target.outside.clone()) {
        fields.insert("_warning".into(), warning.into());
    }
    ToolOutput::json(&Value::Object(fields))
}

/// Whether a change was made before: its new text is in the file once, and more than a word of it.
fn is_there(before: &[u8], new: &str, old: &str) -> bool {
    let new = new.trim();
    let Ok(text) = std::str::from_utf8(before) else { return false };
    let text = text.replace("\r\n", "\n");
    new.len() >= MIN_RECOGNISED && !old.contains(new) && text.matches(new).count() == 1
}

fn already_there(target: &Target) -> ToolResult {
    ToolOutput::json(&json!({
        "success": true,
        "unchanged": true,
        "message": "nothing to do: the file holds new_string already, and old_string no longer",
        "resolved_path": target.canonical().display().to_string(),
    }))
}

/// An edit that has not been written, and everything there is to say about it.
struct Prepared {
    edited: Edited,
    objection: Option<String>,
    lint: Value,
    diff: String,
}

/// Matching, checking and comparing may take a while on a large file: they do not belong on an
/// async worker. Done in one go they need no copy of the content.
async fn prepare(
    before: Vec<u8>,
    change: Change,
    path: PathBuf,
) -> Result<Result<Prepared, ReplaceError>, ToolError> {
    let scope = if change.replace_all { ReplaceScope::All } else { ReplaceScope::One };
    let work = move || {
        let edited = replace(&before, &change.old, &change.new, scope)?;
        let (old, new) = (Some(before.as_slice()), edited.bytes.as_slice());
        Ok(Prepared {
            objection: syntax::objection(&path, old, new),
            lint: syntax::report(&path, old, new),
            diff: unified_diff(&before, new, &change.path),
            edited,
        })
    };
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|gone| ToolError::failure("Matching", gone.to_string()))
}

/// Why nothing was changed, with the closest places and, after a few failures, another way.
fn refused(workspace: &Workspace, target: &Target, problem: &ReplaceError) -> ToolError {
    let failures = match workspace.reader {
        ReaderKind::Conversation => {
            workspace.state.edit_failed(&workspace.task, target.canonical())
        }
        ReaderKind::Script => 0,
    };
    let mut message = problem.to_string();
    let mut has_places = false;
    if let ReplaceError::NotFound { closest } = problem {
        let places = render_near_misses(closest);
        has_places = !places.is_empty();
        if has_places {
            message.push_str("\n\n");
            message.push_str(&workspace.redacted(&places));
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
    let is_miss = matches!(problem, ReplaceError::NotFound { .. });
    if is_miss && !has_places {
        return error.with("_hint", "Read the file again and quote its lines exactly.");
    }
    error
}
