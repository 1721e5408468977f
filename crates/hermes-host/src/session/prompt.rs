//! The system prompt of a session: the one it was begun with, or a new one.

use std::sync::Arc;

use hermes_agent::steer::Steering;
use hermes_agent::system_prompt::{self, ProjectRules, PromptSections};
use hermes_agent::{AgentContext, AgentTemplate, SystemPrompt};
use hermes_runtime::{DefinitionRequest, ToolScope};
use hermes_tools::memory::{MemorySettings, MemorySnapshot, MemoryStore};

use super::SessionOptions;
use super::skills::SessionSkills;
use crate::Host;

/// What a system prompt is made from.
pub(super) struct PromptParts<'a> {
    pub(super) host: &'a Host,
    pub(super) options: &'a SessionOptions,
    pub(super) model: &'a str,
    pub(super) provider: &'a str,
    pub(super) window: u64,
    pub(super) scope: &'a ToolScope,
}

/// A system prompt with what belongs to it.
pub(super) struct PreparedPrompt {
    pub(super) prompt: SystemPrompt,
    pub(super) steering: Steering,
    pub(super) memory: Arc<MemoryStore>,
    pub(super) warnings: Vec<String>,
}

impl Host {
    /// The system prompt for a session that begins now, of an agent that has had others: notes, settings
    /// and files may have changed since.
    #[must_use]
    pub fn fresh_prompt(
        &self,
        options: &SessionOptions,
        template: &AgentTemplate,
        session: &str,
    ) -> String {
        let entry = template.chain().primary();
        let parts = PromptParts {
            host: self,
            options,
            model: entry.model.name(),
            provider: entry.model.provider(),
            window: entry.window.tokens(),
            scope: template.scope(),
        };
        parts.prepare(template.context(), None, session).prompt.text().to_owned()
    }
}

impl PromptParts<'_> {
    /// The stored prompt if it was made for this model, a new one if not.
    pub(super) fn prepare(
        &self,
        context: &AgentContext,
        stored: Option<&str>,
        session: &str,
    ) -> PreparedPrompt {
        let config = self.host.config().value();
        let Self { model, provider, .. } = *self;
        let memory =
            Arc::new(MemoryStore::new(self.host.home(), MemorySettings::from_config(config)));
        // Skills that are asked for belong into the prompt, also where a session goes on.
        let asks_for_skills = !self.options.skills.is_empty();
        let kept = stored
            .filter(|stored| !asks_for_skills && system_prompt::fits(stored, model, provider));
        if let Some((kept, steering)) =
            kept.and_then(|kept| Some((kept, Steering::from_prompt(kept)?)))
        {
            let prompt = SystemPrompt::new(kept, model, provider);
            return PreparedPrompt { prompt, steering, memory, warnings: Vec::new() };
        }
        let steering = Steering::draw();
        let request =
            DefinitionRequest { scope: self.scope.clone(), ..DefinitionRequest::default() };
        let definitions = context.runtime.definitions(&request);
        let rules = self.options.rules;
        let snapshot = match rules {
            ProjectRules::Load => memory.snapshot(),
            ProjectRules::Ignore => MemorySnapshot::default(),
        };
        let skills = SessionSkills::of(context, definitions.available());
        let (preloaded, missing) = skills.preload(&self.options.skills, session);
        let made = PromptSections::build(&system_prompt::PromptSources {
            home: self.host.home(),
            config,
            vars: self.host.vars(),
            cwd: &context.cwd,
            tools: definitions.available(),
            guidance: &system_prompt::guidance_of(
                definitions.available(),
                context.runtime.registry(),
            ),
            model,
            provider,
            window: Some(self.window),
            platform: &self.options.platform,
            profile: None,
            steering: &steering,
            skills: Some(&|| skills.index(&self.options.platform)),
            caller: preloaded.as_deref(),
            rules,
            memory: &snapshot,
            external_memory: None,
            today: jiff::Zoned::now().date(),
            session_id: self.options.tell_session_id.then_some(session),
        });
        let prompt = SystemPrompt::new(made.text(), model, provider);
        let warnings = made.warnings.into_iter().chain(missing).collect();
        PreparedPrompt { prompt, steering, memory, warnings }
    }
}
