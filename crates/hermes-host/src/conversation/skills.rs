//! Skills in a chat: called by name, looked for anew.

use std::collections::BTreeSet;

use hermes_protocol::text::count;
use hermes_protocol::{AgentEvent, NoticeLevel, PluginCommand, UserInput};
use tokio_util::sync::CancellationToken;

use super::{AgentConversation, lock};
use crate::session::{Expanded, SessionSkills};

impl AgentConversation {
    fn skills(&self) -> SessionSkills {
        SessionSkills::of_agent(&lock(&self.template).clone())
    }

    /// What a person says, with the skills it calls.
    pub(super) async fn with_skills(
        &self,
        ask: UserInput,
        stop: &CancellationToken,
    ) -> Result<UserInput, String> {
        match self.skills().expand(&ask.text, stop).await {
            Ok(Expanded::AsIs) => Ok(ask),
            Ok(Expanded::With { message, notes }) => {
                for text in notes {
                    let event = AgentEvent::Notice { level: NoticeLevel::Warning, text };
                    lock(&self.template).context().front.on_event(event);
                }
                Ok(UserInput { text: message, ..ask })
            }
            Err(refusal) => Err(refusal.error),
        }
    }

    /// The commands of skills, as they were when they were last looked for.
    pub(super) fn known_skill_commands(&self) -> Vec<PluginCommand> {
        let commands = self.skills().commands(&[]).into_iter();
        let commands: Vec<PluginCommand> = commands
            .map(|command| PluginCommand {
                name: command.slug,
                takes: String::new(),
                help: command.about,
            })
            .collect();
        *lock(&self.skill_names) = commands.iter().map(|command| command.name.clone()).collect();
        commands
    }

    /// Looks for skills anew and says what came and went. The prompt of the session stays as it is.
    pub(super) async fn skills_anew(&self) -> anyhow::Result<String> {
        let before: BTreeSet<String> = lock(&self.skill_names).clone();
        self.known_skill_commands();
        let after: BTreeSet<String> = lock(&self.skill_names).clone();
        let named = |names: Vec<&String>| {
            names.into_iter().map(|name| format!("/{name}")).collect::<Vec<_>>().join(", ")
        };
        let added = named(after.difference(&before).collect());
        let removed = named(before.difference(&after).collect());
        let mut line = format!("{} can be called by name", count(after.len(), "skill"));
        if !added.is_empty() {
            line += &format!("; new: {added}");
        }
        if !removed.is_empty() {
            line += &format!("; gone: {removed}");
        }
        if added.is_empty() && removed.is_empty() {
            line += "; nothing changed";
        }
        Ok(line + ".")
    }
}
