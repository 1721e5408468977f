//! Skills that people call by name in a chat: `/bake-bread two loaves`.

use hermes_host::{Expanded, SessionSkills};
use tokio_util::sync::CancellationToken;

use super::commands::COMMANDS;
use super::{Gateway, target_of};
use crate::adapter::InboundMessage;
use crate::link::Link;

impl Gateway {
    /// Whether a message calls a skill that people of its platform may use.
    pub(super) fn calls_skill(&self, link: &Link, text: &str) -> bool {
        self.factory.skills(&self.host, link.platform.name).calls(text)
    }

    /// Names and what they do, for a platform's own menu: our commands, then its skills.
    pub(crate) fn menu(&self, link: &Link) -> Vec<(String, String)> {
        let own = COMMANDS.iter().map(|one| (one.name.to_owned(), one.about.to_owned()));
        let taken = COMMANDS.iter().flat_map(|one| one.aliases.iter().chain([&one.name]));
        let taken: Vec<String> = taken.map(|name| (*name).to_owned()).collect();
        let skills = self.factory.skills(&self.host, link.platform.name).commands(&taken);
        let skills = skills.into_iter().filter(|one| !one.about.trim().is_empty());
        own.chain(skills.map(|one| (one.slug, one.about))).collect()
    }
}

/// What a message says, with the texts of the skills it calls. The chat is told of those that cannot be used.
pub(super) async fn with_skills(
    link: &Link,
    message: &InboundMessage,
    skills: &SessionSkills,
    stop: &CancellationToken,
) -> String {
    if message.is_news {
        return message.text.clone();
    }
    match skills.expand(&message.text, stop).await {
        Ok(Expanded::With { message: text, notes }) => {
            for note in notes {
                let _ = link.say(&target_of(&message.source), &note, Vec::new()).await;
            }
            text
        }
        // The model sees what was called, and what it lacks.
        Ok(Expanded::AsIs) | Err(_) => message.text.clone(),
    }
}
