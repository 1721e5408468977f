//! `--worktree`: a checkout of its own around a conversation or a question.

use anyhow::Context as _;
use hermes_host::Worktree;
use hermes_tui::line_prompt::{answer, is_interactive};

use crate::exit::{Exit, UsageError};
use crate::ui::Ui;

/// Does something in a worktree, and asks at the end what becomes of it.
pub(crate) fn within(
    name: Option<&str>,
    ui: &mut Ui,
    work: impl FnOnce(&mut Ui) -> anyhow::Result<Exit>,
) -> anyhow::Result<Exit> {
    let here = std::env::current_dir().context("the current folder cannot be used")?;
    let tree = Worktree::begin(&here, name)
        .map_err(|problem| UsageError::new(hermes_protocol::text::error_chain(&*problem)))?;
    std::env::set_current_dir(tree.folder()).context("enter the worktree")?;
    ui.note(format_args!("Working in {} ({})", tree.folder().display(), tree.branch()))?;
    let done = work(ui);
    // Its own folder must not be stood in when it goes.
    std::env::set_current_dir(&here).context("go back to where it was begun")?;
    let ended = end(&tree, ui);
    let exit = done?;
    ended.map(|()| exit)
}

fn end(tree: &Worktree, ui: &mut Ui) -> anyhow::Result<()> {
    let ended = match is_interactive() {
        true => tree.conclude(answer)?,
        // Nobody can say what becomes of it, so it stays.
        false => tree.conclude(|_| None)?,
    };
    Ok(ended.map_or(Ok(()), |line| ui.note(line))?)
}
