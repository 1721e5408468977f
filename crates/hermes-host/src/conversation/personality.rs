//! How the agent speaks, and the instructions of a session that begins within the chat.

use hermes_agent::SystemPrompt;
use hermes_agent::system_prompt::personality;
use hermes_protocol::PersonalitySummary;
use hermes_protocol::text::nearest;
use hermes_store::{config_edit, key_path::KeyPath};
use serde_json::Value;

use super::{AgentConversation, lock};
use crate::Host;

impl AgentConversation {
    /// Instructions as a session that begins now gets them: notes, settings and files may have
    /// changed since this one began.
    pub(super) async fn fresh_prompt(&self, session: &str) -> anyhow::Result<SystemPrompt> {
        let host = self.host.reread();
        host.require_sound_config()?;
        let template = lock(&self.template).clone();
        Ok(host.fresh_prompt(&self.options, &template, session).await)
    }
}

/// The ways to speak, the one in force marked.
pub(super) fn lines(host: &Host) -> Vec<PersonalitySummary> {
    let config = host.config().value();
    let chosen = personality::chosen(config);
    let line = |one: personality::Personality| PersonalitySummary {
        is_chosen: chosen.as_ref() == Some(&one),
        name: one.name,
        about: one.about,
    };
    personality::all(config).into_iter().map(line).collect()
}

/// Has the settings name another one; a line on it.
pub(super) fn choose(host: &Host, name: &str) -> anyhow::Result<String> {
    host.require_sound_config()?;
    let (file, key) = (host.home().config_file(), KeyPath::parse("agent.personality")?);
    let name = name.trim().to_lowercase();
    if personality::NONE.contains(&name.as_str()) {
        config_edit::unset(&file, &key)?;
        return Ok("The agent speaks as usual from the next session on (/new).".to_owned());
    }
    let all = personality::all(host.config().value());
    if !all.iter().any(|one| one.name == name) {
        let near = nearest(&name, all.iter().map(|one| one.name.as_str()));
        let hint = near.map(|near| format!("\n  did you mean `{near}`?")).unwrap_or_default();
        anyhow::bail!("unknown personality `{name}`{hint}\n  `/personality` lists them");
    }
    config_edit::set(&file, &key, Value::from(name.as_str()))?;
    Ok(format!("The agent speaks as `{name}` from the next session on (/new)."))
}
