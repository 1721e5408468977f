//! The skills of a session: their index in its prompt, and those a person calls by name.
//!
//! Every surface gets them here. One that has an agent takes [`SessionSkills::of_agent`], one that has none yet
//! [`AgentFactory::skills`](crate::AgentFactory::skills): [`commands`](SessionSkills::commands) for its menu,
//! [`calls`](SessionSkills::calls) to tell a call from other words, [`expand`](SessionSkills::expand) for what the model
//! is told. All of them keep to what is disabled on the session's platform.

use std::sync::Arc;

use hermes_agent::{AgentContext, AgentTemplate};
use hermes_exec::manager::Environments;
use hermes_exec::settings::configured_backend;
use hermes_runtime::registry::Registry;
use hermes_skills::activation::{
    self, ActivationContext, ActivationMessage, OpenedActivation, ParsedActivation, SkillCommand,
};
use hermes_skills::offer::{OfferContext, SessionPlatform, SessionTools};
use hermes_skills::{SkillLibrary, SkillRefusal, SkillStore, prompt, setup};
use hermes_tool::{CallIds, ContextParts, ToolContext};
use hermes_tools::skills::{limit_of_commands, put_in_outputs, session_tools};
use tokio_util::sync::CancellationToken;

use crate::{AgentFactory, Host};

/// The toolset without which a model cannot load skills.
const TOOLSET: &str = "skills";

/// What a session sees of the skills of its home.
pub struct SessionSkills {
    library: Option<Arc<SkillLibrary>>,
    platform: Option<String>,
    session: String,
    tools: SessionTools,
    /// What a call of the session would know, for the commands in skills.
    call: ContextParts,
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

/// Skills that were loaded for a prompt.
#[derive(Clone, Debug, Default)]
pub(crate) struct PreloadedSkills {
    /// What they say.
    pub(crate) text: Option<String>,
    /// What is to be told of those that could not be loaded.
    pub(crate) missing: Vec<String>,
}

impl Host {
    /// The skills as an agent with these tools would see them on a platform, for whoever has no agent.
    #[must_use]
    pub fn session_skills(
        &self,
        tools: &[Arc<str>],
        registry: &Registry,
        platform: &str,
    ) -> SessionSkills {
        let call = ContextParts {
            config: self.config_value(),
            vars: self.vars().clone(),
            ..ContextParts::default()
        };
        SessionSkills {
            library: Some(Arc::new(SkillLibrary::new(self.home()))),
            platform: Some(platform.to_owned()),
            session: String::new(),
            tools: session_tools(tools, registry),
            call,
        }
    }
}

impl AgentFactory {
    /// The skills that people of a platform can call by name: for menus, and to tell a call from other words before there is
    /// an agent. What a call becomes [`SessionSkills::of_agent`] says.
    #[must_use]
    pub fn skills(&self, host: &Host, platform: &str) -> SessionSkills {
        let call = ContextParts {
            config: host.config_value(),
            vars: host.vars().clone(),
            services: self.tools().services().clone(),
            ..ContextParts::default()
        };
        SessionSkills {
            library: self.tools().services().get::<SkillLibrary>(),
            platform: Some(platform.to_owned()),
            session: String::new(),
            tools: SessionTools::default(),
            call,
        }
    }
}

impl SessionSkills {
    /// The skills of a session as its agent with these tools sees them.
    #[must_use]
    pub fn of(context: &AgentContext, tools: &[Arc<str>], session: &str) -> Self {
        let call = ContextParts {
            ids: CallIds { session_id: session.to_owned(), ..CallIds::default() },
            cwd: Some(context.cwd.clone()),
            vars: context.vars.clone(),
            config: Arc::clone(&context.config),
            services: context.services.clone(),
            ..ContextParts::default()
        };
        Self {
            library: context.services.get::<SkillLibrary>(),
            platform: context.services.get::<SessionPlatform>().map(|one| one.0.clone()),
            session: session.to_owned(),
            tools: session_tools(tools, context.runtime.registry()),
            call,
        }
    }

    /// The skills that a person who talks with this agent can call by name.
    #[must_use]
    pub fn of_agent(agent: &AgentTemplate) -> Self {
        let call = agent.call_context(&CancellationToken::new());
        Self { call: call.clone(), ..Self::of(agent.context(), &[], &call.ids.session_id) }
    }

    /// The block for the prompt. The skills we ship are put into the home first, where that is wanted.
    #[must_use]
    pub fn index(&self) -> Option<String> {
        let library = self.library.as_ref().filter(|_| self.tools.toolsets.contains(TOOLSET))?;
        for problem in library.seed(&self.call.config, &self.call.vars).problems {
            tracing::warn!(problem, "a skill we ship");
        }
        self.listed()
    }

    /// The block for the prompt, of the skills that are there now.
    #[must_use]
    pub fn listed(&self) -> Option<String> {
        let library = self.library.as_ref().filter(|_| self.tools.toolsets.contains(TOOLSET))?;
        let store = self.store(library);
        prompt::block(&store.listed_table(), &self.offers(&store), &self.tools)
    }

    /// Loads skills from the start, with what the commands in them say.
    pub(crate) async fn preload(&self, names: &[String]) -> PreloadedSkills {
        let Some(library) = self.library.as_ref().filter(|_| !names.is_empty()) else {
            return PreloadedSkills::default();
        };
        library.seed(&self.call.config, &self.call.vars);
        let store = self.store(library);
        let offers = self.offers(&store);
        let made = store.open_preloaded(names, self.activation(&offers));
        let made = self.worded(&store, made, &CancellationToken::new()).await;
        let text = Some(made.text).filter(|text| !text.is_empty());
        PreloadedSkills { text, missing: made.notes }
    }

    /// The slash commands of skills, bundles and plugins, without those whose words are taken.
    #[must_use]
    pub fn commands(&self, taken: &[String]) -> Vec<SkillCommand> {
        let Some(library) = &self.library else { return Vec::new() };
        let store = self.store(library);
        store.commands(&self.offers(&store), taken).into_values().collect()
    }

    /// Whether a line begins with the command of a skill or a bundle.
    #[must_use]
    pub fn calls(&self, line: &str) -> bool {
        self.library.as_ref().is_some_and(|library| {
            let store = self.store(library);
            self.parsed(&store, &self.offers(&store), line).is_some()
        })
    }

    /// What becomes of a line: a message with the skills it calls, or itself. Commands in the skills' texts are run where
    /// the user wants that; `stop` ends them.
    ///
    /// # Errors
    /// When it calls skills and none can be used.
    pub async fn expand(
        &self,
        line: &str,
        stop: &CancellationToken,
    ) -> Result<Expanded, SkillRefusal> {
        let Some(library) = &self.library else { return Ok(Expanded::AsIs) };
        let store = self.store(library);
        let offers = self.offers(&store);
        let Some(asked) = self.parsed(&store, &offers, line) else { return Ok(Expanded::AsIs) };
        let made = store.open_called(&asked, self.activation(&offers))?;
        let made = self.worded(&store, made, stop).await;
        Ok(Expanded::With { message: made.text, notes: made.notes })
    }

    fn store<'a>(&'a self, library: &'a SkillLibrary) -> SkillStore<'a> {
        library.store(&self.call.config, &self.call.vars)
    }

    fn offers(&self, store: &SkillStore<'_>) -> OfferContext {
        store.offers(self.platform.as_deref())
    }

    fn parsed(
        &self,
        store: &SkillStore<'_>,
        offers: &OfferContext,
        line: &str,
    ) -> Option<ParsedActivation> {
        let line = line.trim_start();
        line.starts_with('/')
            .then(|| activation::parse(line, &store.commands(offers, &[])))
            .flatten()
    }

    /// Puts opened skills into words, and lets the session's commands see what they need.
    async fn worded(
        &self,
        store: &SkillStore<'_>,
        mut made: OpenedActivation,
        stop: &CancellationToken,
    ) -> ActivationMessage {
        let call = ContextParts { cancellation: stop.child_token(), ..self.call.clone() };
        let call = ToolContext::from(call);
        for opened in made.skills_mut() {
            if let Some(limit) = limit_of_commands(store, &opened.located) {
                put_in_outputs(opened, limit, &call).await;
            }
        }
        let made = store.message(made, configured_backend(call.config(), call.vars()).name());
        if let Some(environments) = call.service::<Environments>() {
            let values = setup::values(&made.variables, store.home(), call.vars());
            environments.grant(&self.session, values);
            environments.grant_files(&self.session, made.files.clone());
        }
        made
    }

    fn activation<'a>(&'a self, offers: &'a OfferContext) -> ActivationContext<'a> {
        ActivationContext { offers, session: Some(&self.session) }
    }
}
