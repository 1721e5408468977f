//! Replacing a part of a file, with the matcher of the file tools.

use std::fs;

use hermes_files::edit::{ReplaceError, ReplaceScope, render_near_misses, replace};
use serde_json::json;

use crate::document::validate::validate;
use crate::layout::SKILL_FILE;
use crate::refusal::SkillRefusal;

use super::files::{Target, check_size, folder_name, located};
use super::plan::Plan;
use super::{SkillChange, SkillEditor, needed};

/// Characters of a file that a miss shows.
const PREVIEW_CHARS: usize = 500;

impl SkillEditor<'_> {
    pub(super) fn plan_patch(&self, change: &SkillChange) -> Result<Plan, SkillRefusal> {
        let old = change.old_string.as_deref().filter(|old| !old.is_empty());
        let Some(old) = old else {
            return Err(needed(
                "old_string_required",
                "patch",
                "`old_string`: the text to replace, quoted from the file",
            ));
        };
        let Some(new) = change.new_string.as_deref() else {
            return Err(needed(
                "new_string_required",
                "patch",
                "`new_string`: the new text, an empty string to delete",
            ));
        };
        let path = change
            .file_path
            .as_deref()
            .map(str::trim)
            .filter(|path| !path.is_empty())
            .unwrap_or(SKILL_FILE);
        let skill = self.skill(&change.name)?;
        let (target, file) = located(&skill, &change.name, path)?;
        if file.is_dir() {
            return Err(SkillRefusal::new(
                "is_directory",
                format!("`{path}` is a folder, not a file."),
            ));
        }
        let before = fs::read(&file).map_err(|_| {
            SkillRefusal::new("file_not_found", format!("The skill has no file `{path}`."))
        })?;
        if std::str::from_utf8(&before).is_err() {
            return Err(SkillRefusal::new(
                "binary",
                format!("`{path}` is not text and cannot be patched."),
            ));
        }
        let scope = if change.replace_all { ReplaceScope::All } else { ReplaceScope::One };
        let edited =
            replace(&before, old, new, scope).map_err(|problem| refusal(&problem, &before))?;
        let text = String::from_utf8_lossy(&edited.bytes);
        match target {
            Target::Document => {
                validate(&text, folder_name(&skill)).map_err(|inner| match inner.kind {
                    "content_too_large" => inner,
                    _ => {
                        let error = format!(
                            "The patch would break SKILL.md ({}): {}",
                            inner.kind, inner.error
                        );
                        SkillRefusal::new("breaks_structure", error)
                    }
                })?;
            }
            Target::Support(_) => check_size(&text)?,
        }
        let places = if edited.count == 1 {
            "1 replacement".to_owned()
        } else {
            format!("{} replacements", edited.count)
        };
        let message = format!("Patched {path} of the skill `{}` ({places}).", change.name);
        Ok(Plan::Write { skill, file, bytes: edited.bytes, message, path: path.to_owned() })
    }
}

fn refusal(problem: &ReplaceError, file: &[u8]) -> SkillRefusal {
    match problem {
        ReplaceError::NotFound { closest } => {
            let text = String::from_utf8_lossy(file);
            let mut preview: String = text.chars().take(PREVIEW_CHARS).collect();
            if preview.len() < text.len() {
                preview.push_str("...");
            }
            let near = render_near_misses(closest);
            let refusal = SkillRefusal::new(
                "no_match",
                "Nothing in the file matches `old_string`. Quote it as it is.",
            )
            .with("file_preview", json!(preview));
            if near.is_empty() { refusal } else { refusal.hint(near) }
        }
        ReplaceError::Ambiguous { count, .. } => {
            let error = format!("{problem}");
            let ways = "Quote more of the lines around the place, or set `replace_all`.";
            SkillRefusal::new("ambiguous", error).with("matches", json!(count)).hint(ways)
        }
        ReplaceError::NothingToDo => SkillRefusal::new("identical", problem.to_string()),
        other => SkillRefusal::new("no_match", other.to_string()),
    }
}
