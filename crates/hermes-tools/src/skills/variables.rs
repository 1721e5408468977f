//! What a skill needs. Variables are asked of the person at the terminal, kept in `.env`, given to commands; files with
//! credentials are brought to where commands run.
//!
//! Nobody is asked for a credential of ours, in a messenger, or twice in a conversation.

use std::path::PathBuf;
use std::time::Duration;

use hermes_skills::SkillLibrary;
use hermes_skills::setup::{self, SetupSurface, SkillSetup, may_be_given};
use hermes_skills::view::OpenedSkill;
use hermes_store::dotenv;
use hermes_tool::ToolContext;

use super::session::surface;
use crate::terminal::context::TerminalContext;

/// How long there is to type a value.
const VALUE_WAIT: Duration = Duration::from_secs(120);

/// Asks for what is missing, where somebody can be asked, and lets the conversation's commands see what is there.
pub(super) async fn provide(opened: &mut OpenedSkill, library: &SkillLibrary, cx: &ToolContext) {
    if opened.setup.variables.is_empty() && opened.setup.files.is_empty() {
        return;
    }
    let Ok(terminal) = TerminalContext::of(cx) else { return };
    terminal.environments.grant_files(terminal.conversation(), opened.setup.files.clone());
    if surface(cx) == SetupSurface::Local && terminal.can_ask_unseen() {
        ask_for_missing(opened, library, &terminal, cx).await;
    }
    let given = setup::values(&opened.setup.present, library.home(), cx.vars());
    terminal.environments.grant(terminal.conversation(), given);
}

async fn ask_for_missing(
    opened: &mut OpenedSkill,
    library: &SkillLibrary,
    terminal: &TerminalContext,
    cx: &ToolContext,
) {
    let (skill, conversation) = (opened.name(), terminal.conversation());
    let mut has_new = false;
    for variable in &opened.setup.missing.clone() {
        let name = &variable.name;
        if !may_be_given(name) || terminal.environments.is_own_credential(name) {
            continue;
        }
        if library.declined().holds(conversation, name) {
            opened.setup.skipped = true;
            continue;
        }
        let home = library.home();
        let known = || Some(setup::values(std::slice::from_ref(name), home, cx.vars()).pop()?.1);
        let typed = terminal.ask_unseen(setup::question(&skill, variable), VALUE_WAIT, known).await;
        let typed = typed.map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        match typed {
            Some(value) => match keep(home.home().env_file(), name.clone(), value).await {
                Ok(()) => has_new = true,
                Err(problem) => {
                    tracing::warn!(problem, "a variable for a skill could not be kept");
                    opened.setup.skipped = true;
                }
            },
            None => {
                library.declined().note(conversation, name);
                opened.setup.skipped = true;
            }
        }
    }
    if has_new {
        let skipped = opened.setup.skipped;
        let anew = SkillSetup::check(&opened.document.frontmatter, library.home(), cx.vars());
        opened.setup = SkillSetup { skipped, ..anew };
    }
}

/// Writes a variable into `.env`, which nobody but its owner can read.
async fn keep(env: PathBuf, name: String, value: String) -> Result<(), String> {
    let kept = tokio::task::spawn_blocking(move || dotenv::set(&env, &name, &value));
    match kept.await {
        Ok(Ok(_)) => Ok(()),
        Ok(Err(problem)) => Err(problem.to_string()),
        Err(problem) => Err(problem.to_string()),
    }
}
