//! Which system prompt a session gets: the one it was begun with, or a new one. What stands in it:
//! [`hermes_agent::system_prompt`].

use std::sync::Arc;

use hermes_agent::steer::Steering;
use hermes_agent::system_prompt::{self, ProjectRules, PromptSections};
use hermes_agent::{AgentContext, AgentTemplate, SystemPrompt};
use hermes_runtime::{DefinitionRequest, ToolScope};
use hermes_tools::memory::{MemorySettings, MemorySnapshot, MemoryStore};

use super::skills::{PreloadedSkills, SessionSkills};
use super::{SessionNotes, SessionOptions};
use crate::Host;

/// What a system prompt is made from.
pub(crate) struct PromptParts<'a> {
    pub(crate) host: &'a Host,
    pub(crate) options: &'a SessionOptions,
    pub(crate) model: &'a str,
    pub(crate) provider: &'a str,
    pub(crate) window: u64,
    pub(crate) scope: &'a ToolScope,
}

/// A system prompt with what belongs to it.
pub(crate) struct PreparedPrompt {
    pub(crate) prompt: SystemPrompt,
    pub(crate) steering: Steering,
    pub(crate) memory: Arc<MemoryStore>,
    pub(crate) warnings: Vec<String>,
}

impl Host {
    /// The system prompt for a session that begins now, of an agent that has had others: notes, settings
    /// and files may have changed since.
    pub async fn fresh_prompt(
        &self,
        options: &SessionOptions,
        template: &AgentTemplate,
        session: &str,
    ) -> SystemPrompt {
        let entry = template.chain().primary();
        let parts = PromptParts {
            host: self,
            options,
            model: entry.model.name(),
            provider: entry.model.provider(),
            window: entry.window.tokens(),
            scope: template.scope(),
        };
        let preloaded = parts.preloaded(template.context(), session).await;
        parts.prepare(template.context(), None, session, preloaded).prompt
    }
}

impl PromptParts<'_> {
    /// The skills that the options want loaded from the start.
    pub(crate) async fn preloaded(&self, context: &AgentContext, session: &str) -> PreloadedSkills {
        SessionSkills::of(context, &[], session).preload(&self.options.skills).await
    }

    /// The stored prompt if it was made for this model, a new one with these skills if not.
    pub(crate) fn prepare(
        &self,
        context: &AgentContext,
        stored: Option<&str>,
        session: &str,
        preloaded: PreloadedSkills,
    ) -> PreparedPrompt {
        let config = self.host.config().value();
        let Self { model, provider, .. } = *self;
        let memory =
            Arc::new(MemoryStore::new(self.host.home(), MemorySettings::from_config(config)));
        let request =
            DefinitionRequest { scope: self.scope.clone(), ..DefinitionRequest::default() };
        let definitions = context.runtime.definitions(&request);
        let rules = self.options.rules;
        let snapshot = match rules {
            ProjectRules::Load if self.options.notes == SessionNotes::Kept => memory.snapshot(),
            ProjectRules::Load | ProjectRules::Ignore => MemorySnapshot::default(),
        };
        let skills = SessionSkills::of(context, definitions.available(), session);
        let instructions = self.options.instructions.as_deref();
        let added: Vec<&str> = preloaded.text.as_deref().into_iter().chain(instructions).collect();
        let caller = (!added.is_empty()).then(|| added.join("\n\n"));
        let steering = Steering::of_home(self.host.home());
        let index = || skills.index();
        let guidance =
            system_prompt::guidance_of(definitions.available(), context.runtime.registry());
        let sources = system_prompt::PromptSources {
            home: self.host.home(),
            config,
            vars: self.host.vars(),
            cwd: &context.cwd,
            tools: definitions.available(),
            guidance: &guidance,
            model,
            provider,
            window: Some(self.window),
            platform: &self.options.platform,
            profile: None,
            steering: &steering,
            skills: Some(&index),
            caller: caller.as_deref(),
            rules,
            memory: &snapshot,
            external_memory: None,
            detail: context.runtime.schema_detail(self.scope),
            today: jiff::Zoned::now().date(),
            session_id: self.options.tell_session_id.then_some(session),
        };
        // Skills that are asked for belong into the prompt, also where a session goes on.
        let asks_for_skills = !self.options.skills.is_empty();
        // So do instructions, unless they are those it was begun with.
        let is_told = |stored: &str| instructions.is_none_or(|added| stored.contains(added));
        let kept = stored
            .filter(|stored| !asks_for_skills && is_told(stored))
            .filter(|stored| system_prompt::fits(stored, model, provider));
        if let Some((kept, steering)) =
            kept.and_then(|kept| Some((kept, Steering::from_prompt(kept)?)))
        {
            let prompt = SystemPrompt::new(kept, model, provider)
                .with_situation(system_prompt::situation(&sources));
            return PreparedPrompt { prompt, steering, memory, warnings: Vec::new() };
        }
        let made = PromptSections::build(&sources);
        let prompt =
            SystemPrompt::new(made.text(), model, provider).with_situation(made.situation_text());
        let warnings = made.warnings.into_iter().chain(preloaded.missing).collect();
        PreparedPrompt { prompt, steering, memory, warnings }
    }
}
