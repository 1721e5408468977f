//! Conversations with a model, built from the user's settings.
//!
//! [`Talk::open`] finds the model, the tools, the session to go on with and the instructions, and makes
//! an agent of them. [`oneshot`] asks one question; the chat holds a conversation.
//!
//! What never happens here: a request to a model before a person said something, or more than one
//! request to find out about it.

pub(crate) mod chat;
mod hooks;
mod models;
pub(crate) mod oneshot;
mod plugins;
mod review;
pub(crate) mod sampler;
mod session;

use std::sync::Arc;

use anyhow::Context as _;
use hermes_agent::memory::{MemorySettings, MemoryStore, Snapshot};
use hermes_agent::prompt::{self, Prompt, Rules};
use hermes_agent::steer::Steering;
use hermes_agent::{Agent, FrontEnd, Kin, Setup, SystemPrompt, World};
use hermes_approval::{Approvals, Asker};
use hermes_exec::manager::Environments;
use hermes_files::state::FileState;
use hermes_guard::redact::{Redactor, Switch};
use hermes_mcp::client::Servers;
use hermes_mcp::client::elicitation::Person;
use hermes_plugins::{Plugins, Wake};
use hermes_runtime::approval::Approver;
use hermes_runtime::{DefinitionRequest, Runtime, ToolScope};
use hermes_store::sessions::SessionStore;
use hermes_tool::{Services, Vars};
use serde_json::Map;

use crate::cli::TalkFlags;
use crate::exit::UsageError;
use crate::host::Host;
use crate::ui::Ui;
use models::Models;
pub(crate) use models::Sources;

/// Who is on the other side of a conversation.
pub(crate) struct Company {
    /// Is told what happens and asked questions.
    pub(crate) front: Arc<dyn FrontEnd>,
    /// Is asked about commands.
    pub(crate) asker: Option<Arc<dyn Asker>>,
    /// Is asked about calls that a hook is unsure of.
    pub(crate) approver: Arc<dyn Approver>,
    /// Answers the questions of MCP servers.
    pub(crate) person: Option<Arc<dyn Person>>,
    /// What commands know of them.
    pub(crate) vars: Vars,
    /// Where the conversation takes place, for the instructions and the session: `cli`.
    pub(crate) platform: &'static str,
}

/// An agent with what belongs to it.
pub(crate) struct Talk {
    pub(crate) agent: Agent,
    pub(crate) models: Arc<Models>,
    pub(crate) approvals: Arc<Approvals>,
    pub(crate) environments: Arc<Environments>,
    pub(crate) plugins: Arc<Plugins>,
    /// MCP servers. They start beside everything else.
    pub(crate) servers: Servers,
    pub(crate) store: SessionStore,
    /// What the person should know before the first word.
    pub(crate) warnings: Vec<String>,
}

impl Talk {
    /// Gets everything ready. Must be called inside the async runtime.
    pub(crate) async fn open(
        host: &Host,
        flags: &TalkFlags,
        company: Company,
        ui: &mut Ui,
    ) -> anyhow::Result<Self> {
        let models = Arc::new(Models::choose(&Sources::of(host), flags).await?);
        let runtime = Arc::new(host.runtime_asking(Arc::clone(&company.approver)));
        let servers = host.mcp_servers(runtime.registry(), company.person.clone());
        servers.start();
        let plugins = Arc::new(host.plugins(&runtime, ui)?);
        plugins.wake(Wake::All, plugins::patience(&plugins, &company)).await;
        host.register_shell_hooks(&runtime, ui)?;
        let scope = scope(host, &flags.toolsets, &runtime, ui)?;
        let mut settings = host.approval_settings(ui)?;
        if company.asker.is_none() && host.config.value()["approvals"]["oneshot"] == "allow" {
            settings.yolo = true;
        }
        let approvals =
            host.approvals_with(settings, &runtime, company.asker.clone(), models.reviewer());
        let environments = host.environments();
        let store = SessionStore::at(host.home.state_db());
        let chosen = session::choose(flags, &store, company.platform)?;
        let world = Arc::new(World {
            runtime: Arc::clone(&runtime),
            services: Services::default()
                .with(Arc::clone(&approvals))
                .with(Arc::clone(&environments))
                .with(Arc::new(FileState::default())),
            config: Arc::new(host.config.value().clone()),
            vars: company.vars.clone(),
            cwd: std::env::current_dir().context("find the current directory")?,
            home: host.home.root().to_owned(),
            store: Some(store.clone()),
            front: Arc::clone(&company.front),
            summariser: models.summariser(),
            models: Some(Sources::of(host).finder()),
            redactor: Redactor::new(redaction(host)),
        });
        plugins.set_context(plugins::context(&world));
        plugins.set_model(plugins::model_door(&models));
        let (model, provider) = models.names();
        let who = Who { model, provider, window: models.window() };
        let instructions = Instructions { host, flags, who, scope: &scope };
        let (prompt, steering, memory, mut warnings) =
            instructions.prepare(&world, chosen.prompt.as_deref(), &chosen.id, company.platform);
        warnings.extend(models.problems());
        let agent = Agent::new(
            world,
            Setup {
                seats: models.seats(),
                scope,
                conversation: chosen.conversation,
                prompt,
                source: flags.source.clone().unwrap_or_else(|| company.platform.to_owned()),
                depth: 0,
                memory,
                max_turns: flags.max_turns,
                origin: Map::new(),
                steering,
                task: None,
                vars: None,
            },
        );
        Ok(Self { agent, models, approvals, environments, plugins, servers, store, warnings })
    }

    /// Lets go of everything: commands end, the database is closed.
    pub(crate) async fn close(mut self, reason: &str) {
        hooks::finalized(&self.agent, reason).await;
        self.agent.conversation_mut().end(reason);
        self.servers.stop().await;
        self.environments.close_all().await;
        self.plugins.close().await;
        if let Err(problem) = self.store.close() {
            tracing::debug!(%problem, "close the database");
        }
    }
}

fn redaction(host: &Host) -> Switch {
    match host.config.value()["security"]["redact_secrets"].as_bool() {
        Some(false) => Switch::Off,
        _ => Switch::On,
    }
}

/// The toolsets of the conversation: those named now, or the configured ones.
pub(crate) fn scope(
    host: &Host,
    named: &[String],
    runtime: &Runtime,
    ui: &mut Ui,
) -> anyhow::Result<ToolScope> {
    if named.is_empty() {
        return host.scope(runtime, ui);
    }
    let tables = runtime.registry().snapshot();
    let toolsets = runtime.toolsets().snapshot();
    for name in named {
        if !toolsets.is_valid(name, &*tables) {
            let near = toolsets.suggestion(name, &*tables);
            let near = near.as_ref().map(AsRef::as_ref);
            return Err(UsageError::unknown("toolset", name, near, "hermes toolsets list").into());
        }
    }
    Ok(ToolScope { enabled: Some(named.to_vec()), disabled: Vec::new() })
}

/// What instructions are made from.
struct Instructions<'a> {
    host: &'a Host,
    flags: &'a TalkFlags,
    who: Who<'a>,
    scope: &'a ToolScope,
}

/// Whom instructions are for.
#[derive(Clone, Copy)]
struct Who<'a> {
    model: &'a str,
    provider: &'a str,
    window: u64,
}

/// Instructions for a session that begins now, of an agent that has had others.
fn fresh_instructions(host: &Host, flags: &TalkFlags, kin: &Kin, session: &str) -> String {
    let seat = kin.seats().primary();
    let who = Who {
        model: seat.model.name(),
        provider: seat.model.provider(),
        window: seat.window.tokens(),
    };
    let instructions = Instructions { host, flags, who, scope: kin.scope() };
    let (prompt, ..) = instructions.prepare(kin.world(), None, session, crate::host::PLATFORM);
    prompt.text().to_owned()
}

impl Instructions<'_> {
    /// The stored instructions if they were made for this model, new ones if not.
    fn prepare(
        &self,
        world: &World,
        stored: Option<&str>,
        session: &str,
        platform: &str,
    ) -> (SystemPrompt, Steering, Option<Arc<MemoryStore>>, Vec<String>) {
        let config = self.host.config.value();
        let Who { model, provider, window } = self.who;
        let memory =
            Arc::new(MemoryStore::new(&self.host.home, MemorySettings::from_config(config)));
        let kept = stored.filter(|stored| prompt::fits(stored, model, provider));
        if let Some((kept, steering)) =
            kept.and_then(|kept| Some((kept, Steering::from_prompt(kept)?)))
        {
            return (SystemPrompt::new(kept, model, provider), steering, Some(memory), Vec::new());
        }
        let steering = Steering::draw();
        let request =
            DefinitionRequest { scope: self.scope.clone(), ..DefinitionRequest::default() };
        let definitions = world.runtime.definitions(&request);
        let rules = if self.flags.ignore_rules { Rules::Ignore } else { Rules::Load };
        let snapshot = match rules {
            Rules::Load => memory.snapshot(),
            Rules::Ignore => Snapshot::default(),
        };
        let made = Prompt::build(&prompt::Sources {
            home: &self.host.home,
            config,
            vars: &self.host.vars,
            cwd: &world.cwd,
            tools: definitions.available(),
            model,
            provider,
            window: Some(window),
            platform,
            profile: None,
            steering: &steering,
            skills: None,
            caller: None,
            rules,
            memory: &snapshot,
            external_memory: None,
            today: jiff::Zoned::now().date(),
            session_id: self.flags.pass_session_id.then_some(session),
        });
        (SystemPrompt::new(made.text(), model, provider), steering, Some(memory), made.warnings)
    }
}
