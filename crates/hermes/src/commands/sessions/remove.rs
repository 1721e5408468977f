//! Removing sessions for good, after a look and a question.

use hermes_sessions::{Act, PruneFilter, SessionDatabase};
use hermes_tui::line_prompt::{answer, is_interactive};

use super::look::table;
use crate::exit::Exit;
use crate::ui::{Ui, count};

/// Whether the user has agreed already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Consent {
    Given,
    Ask,
}

impl Consent {
    pub(super) fn given(yes: bool) -> Self {
        if yes { Self::Given } else { Self::Ask }
    }

    /// Asks if need be; a refusal, or nobody to ask, is no consent.
    fn obtained(self, question: &str, ui: &mut Ui) -> anyhow::Result<bool> {
        if self == Self::Given {
            return Ok(true);
        }
        if !is_interactive() {
            anyhow::bail!("nothing was removed: nobody is there to ask; pass --yes to go ahead");
        }
        let agreed = matches!(answer(question).as_deref(), Some("y" | "yes"));
        if !agreed {
            ui.note("nothing was removed")?;
        }
        Ok(agreed)
    }
}

pub(super) fn delete(
    store: &SessionDatabase,
    wanted: &str,
    consent: Consent,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let session = store.find(wanted)?;
    let name = session.title.as_deref().unwrap_or("(untitled)");
    let messages = count(usize::try_from(session.message_count).unwrap_or_default(), "message");
    ui.note(format_args!("{} {name}, {messages}", session.id))?;
    if !consent.obtained("Remove it for good? [y/N]: ", ui)? {
        return Ok(Exit::Failed);
    }
    store.delete(&session.id)?;
    ui.line(format_args!("removed {}", session.id))?;
    Ok(Exit::Done)
}

/// What to prune, and how.
pub(super) struct Prune {
    pub(super) filter: PruneFilter,
    pub(super) is_dry: bool,
    pub(super) consent: Consent,
    pub(super) as_json: bool,
}

pub(super) fn prune(store: &SessionDatabase, how: &Prune, ui: &mut Ui) -> anyhow::Result<Exit> {
    let chosen = store.prune(&how.filter, Act::Pretend)?;
    if !how.as_json && !chosen.is_empty() {
        table(&chosen, ui)?;
    }
    if how.is_dry || chosen.is_empty() {
        if how.as_json {
            ui.json(&chosen)?;
        }
        let what = if chosen.is_empty() {
            "nothing to remove".to_owned()
        } else {
            format!("{} would be removed", count(chosen.len(), "session"))
        };
        ui.note(what)?;
        return Ok(Exit::Done);
    }
    let question = format!("Remove {} for good? [y/N]: ", count(chosen.len(), "session"));
    if !how.consent.obtained(&question, ui)? {
        return Ok(Exit::Failed);
    }
    let removed = store.prune(&how.filter, Act::Perform)?;
    if how.as_json {
        ui.json(&removed)?;
    } else {
        ui.line(format_args!("removed {}", count(removed.len(), "session")))?;
    }
    Ok(Exit::Done)
}
