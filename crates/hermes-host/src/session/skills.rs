//! The skills of a session: their index in its prompt, and those a person calls by name.

use std::sync::Arc;

use hermes_agent::AgentContext;
use hermes_exec::manager::Environments;
use hermes_exec::settings::configured_backend;
use hermes_runtime::registry::Registry;
use hermes_skills::activation::{
    self, ActivationContext, ActivationMessage, ParsedActivation, SkillCommand,
};
use hermes_skills::offer::SessionTools;
use hermes_skills::{SkillLibrary, SkillRefusal, prompt, setup};
use hermes_tool::Vars;
use hermes_tools::skills::session_tools;
use serde_json::Value;

use crate::Host;

/// The toolset without which a model cannot load skills.
const TOOLSET: &str = "skills";

/// What a session sees of the skills of its home.
pub struct SessionSkills {
    library: Option<Arc<SkillLibrary>>,
    environments: Option<Arc<Environments>>,
    config: Arc<Value>,
    vars: Vars,
    tools: SessionTools,
}

/// What a line of a person becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expanded {
    /// It calls no skill.
    AsIs,
    /// It calls skills: what the model is told, and what the person should know.
    With {
        /// The whole message.
        message: String,
        /// Skills that could not be used.
        notes: Vec<String>,
    },
}

impl Host {
    /// The skills as an agent with these tools would see them, for whoever has no agent.
    #[must_use]
    pub fn session_skills(&self, tools: &[Arc<str>], registry: &Registry) -> SessionSkills {
        SessionSkills {
            library: Some(Arc::new(SkillLibrary::new(self.home()))),
            environments: None,
            config: self.config_value(),
            vars: self.vars().clone(),
            tools: session_tools(tools, registry),
        }
    }
}

impl SessionSkills {
    /// The skills as an agent with these tools sees them.
    #[must_use]
    pub fn of(context: &AgentContext, tools: &[Arc<str>]) -> Self {
        Self {
            library: context.services.get::<SkillLibrary>(),
            environments: context.services.get::<Environments>(),
            config: Arc::clone(&context.config),
            vars: context.vars.clone(),
            tools: session_tools(tools, context.runtime.registry()),
        }
    }

    /// The block for the prompt. The skills we ship are put into the home first, where that is wanted.
    #[must_use]
    pub fn index(&self, platform: &str) -> Option<String> {
        let library = self.library.as_ref().filter(|_| self.tools.toolsets.contains(TOOLSET))?;
        for problem in library.seed(&self.config, &self.vars).problems {
            tracing::warn!(problem, "a skill we ship");
        }
        self.listed(platform)
    }

    /// The block for the prompt, of the skills that are there now.
    #[must_use]
    pub fn listed(&self, platform: &str) -> Option<String> {
        let library = self.library.as_ref().filter(|_| self.tools.toolsets.contains(TOOLSET))?;
        let store = library.store(&self.config, &self.vars);
        prompt::block(&store.listed_table(), &store.offers(Some(platform)), &self.tools)
    }

    /// What skills say that are loaded from the start, and what is to be told of those that cannot be.
    #[must_use]
    pub fn preload(&self, names: &[String], session: &str) -> (Option<String>, Vec<String>) {
        match &self.library {
            Some(library) if !names.is_empty() => {
                library.seed(&self.config, &self.vars);
                let store = library.store(&self.config, &self.vars);
                let offers = store.offers(None);
                let made = store.preload(names, self.activation(&offers, session));
                self.grant(&made, session);
                (Some(made.text).filter(|text| !text.is_empty()), made.notes)
            }
            _ => (None, Vec::new()),
        }
    }

    /// The slash commands of skills, without those whose words are taken.
    #[must_use]
    pub fn commands(&self, taken: &[String]) -> Vec<SkillCommand> {
        let Some(library) = &self.library else { return Vec::new() };
        let store = library.store(&self.config, &self.vars);
        store.commands(&store.offers(None), taken).into_values().collect()
    }

    /// What becomes of a line: a message with the skills it calls, or itself.
    ///
    /// # Errors
    /// When it calls skills and none can be used.
    pub fn expand(&self, line: &str, session: &str) -> Result<Expanded, SkillRefusal> {
        let Some(library) = self.library.as_ref().filter(|_| line.trim_start().starts_with('/'))
        else {
            return Ok(Expanded::AsIs);
        };
        let store = library.store(&self.config, &self.vars);
        let offers = store.offers(None);
        let commands = store.commands(&offers, &[]);
        let Some(asked): Option<ParsedActivation> = activation::parse(line, &commands) else {
            return Ok(Expanded::AsIs);
        };
        let made = store.activate(&asked, self.activation(&offers, session))?;
        self.grant(&made, session);
        Ok(Expanded::With { message: made.text, notes: made.notes })
    }

    /// Lets the session's commands see what its skills need.
    fn grant(&self, made: &ActivationMessage, session: &str) {
        if let (Some(library), Some(environments)) = (&self.library, &self.environments) {
            environments.grant(session, setup::values(&made.variables, library.home(), &self.vars));
            environments.grant_files(session, made.files.clone());
        }
    }

    fn activation<'a>(
        &'a self,
        offers: &'a hermes_skills::offer::OfferContext,
        session: &'a str,
    ) -> ActivationContext<'a> {
        let backend = configured_backend(&self.config, &self.vars).name();
        ActivationContext { offers, session: Some(session), backend }
    }
}
