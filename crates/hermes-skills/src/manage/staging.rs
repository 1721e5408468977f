//! Changes that wait for a person's word.

use hermes_store::pending::{NewPending, Pending, PendingError, PendingStore};
use serde_json::{Value, json};

use crate::layout::SkillsHome;
use crate::refusal::SkillRefusal;

use super::plan::Plan;
use super::{ChangeMode, SkillChange, SkillEditor};

/// By which these changes are found among all that wait.
pub const SUBSYSTEM: &str = "skills";

/// The changes of a home's skills that wait.
#[must_use]
pub fn pending(home: &SkillsHome) -> PendingStore {
    PendingStore::new(home.home(), SUBSYSTEM)
}

pub(super) fn stage(
    editor: &SkillEditor<'_>,
    change: &SkillChange,
    plan: &Plan,
) -> Result<Value, SkillRefusal> {
    let gist = plan.gist();
    let payload = serde_json::to_value(change).unwrap_or_default();
    let new = NewPending {
        action: change.action.clone(),
        summary: gist.clone(),
        origin: editor.origin.word().to_owned(),
        payload,
    };
    let staged = pending(editor.store.home())
        .stage(new)
        .map_err(|problem| SkillRefusal::new("not_staged", problem.to_string()))?;
    let message =
        "The change waits for the user's word. Go on without it, and tell the user that it waits.";
    Ok(
        json!({"success": true, "staged": true, "pending_id": staged.id, "gist": gist, "message": message}),
    )
}

/// Makes a change that waited, as it was asked for.
///
/// # Errors
/// When what waits cannot be understood or let go of. That the change itself is refused now is part of the answer.
pub fn approve(editor: &SkillEditor<'_>, waiting: &Pending) -> Result<Value, PendingError> {
    let change: SkillChange = serde_json::from_value(waiting.payload.clone()).unwrap_or_default();
    let answer = editor.apply(&change, ChangeMode::Agreed);
    if answer["success"] == true {
        pending(editor.store.home()).remove(waiting)?;
    }
    Ok(answer)
}

/// What a change that waits would do, as a diff or as the whole text.
#[must_use]
pub fn diff(editor: &SkillEditor<'_>, waiting: &Pending) -> String {
    let change: SkillChange = serde_json::from_value(waiting.payload.clone()).unwrap_or_default();
    match editor.plan(&change) {
        Err(refusal) => format!("It can no longer be made: {}\n", refusal.error),
        Ok(Plan::Create { name, text, .. }) => crate::bundled::unified(&name, "", &text),
        Ok(Plan::Write { file, bytes, path, .. }) => {
            let old = std::fs::read(&file).unwrap_or_default();
            crate::bundled::unified(
                &path,
                &String::from_utf8_lossy(&old),
                &String::from_utf8_lossy(&bytes),
            )
        }
        Ok(plan) => format!("{}\n", plan.gist()),
    }
}
