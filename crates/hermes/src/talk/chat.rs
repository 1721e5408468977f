//! A conversation at a terminal: the agent behind the chat.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context as _;
use base64::Engine as _;
use hermes_agent::conversation::Conversation as Messages;
use hermes_agent::{Agent, ExitReason, SteerBox, TurnResult, title};
use hermes_approval::{Approvals, SessionYolo};
use hermes_llm::discover::{self, Place};
use hermes_llm::message::ImageUrl;
use hermes_llm::model::{BoxFuture, Effort};
use hermes_llm::{Choice, Content, Message, Part, Usage};
use hermes_mcp::client::Servers;
use hermes_plugins::Plugins;
use hermes_store::sessions::{ListFilter, SessionStore, new_session_id, when};
use tokio_util::sync::CancellationToken;

use super::models::{Models, NoModel, Sources};
use super::{Company, Talk, hooks, session};
use crate::chat::conversation::{
    Answered, Ask, Compress, Conversation, ModelChoice, PluginCommand, Reach, SessionLine, Status,
    TurnEnd, TurnOutcome, Yolo,
};
use crate::chat::display::{Colour, Style};
use crate::chat::settings::ChatSettings;
use crate::chat::welcome::{self, LocalServer};
use crate::chat::{Chat, Wire};
use crate::cli::TalkFlags;
use crate::exit::Exit;
use crate::host::{Host, PLATFORM};
use crate::ui::Ui;

/// Sessions that end for this reason can be taken up again.
const LEFT: &str = "user_exit";

/// Talks until the person has had enough.
pub(crate) fn run(flags: &TalkFlags, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host.warn_about_files(ui)?;
    let workers = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("start the async runtime")?;
    let exit = workers.block_on(talk(flags, host, ui));
    workers.shutdown_background();
    exit
}

async fn talk(flags: &TalkFlags, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    let (wire, inbox) = Wire::pair();
    let company = Company {
        front: wire.front(),
        asker: Some(wire.asker()),
        approver: wire.approver(),
        person: Some(wire.person()),
        vars: host.call_vars(),
        platform: PLATFORM,
    };
    let talk = match Talk::open(host, flags, company, ui).await {
        Ok(talk) => talk,
        Err(problem) if problem.is::<NoModel>() => {
            return without_model(&problem, ui).await;
        }
        Err(problem) => return Err(problem),
    };
    for warning in &talk.warnings {
        ui.warn(warning)?;
    }
    if let Some(warning) = talk.models.learn_window().await {
        ui.warn(warning)?;
    }
    let before = talk.agent.conversation().messages().to_vec();
    let emojis = talk
        .agent
        .runtime()
        .registry()
        .snapshot()
        .tools()
        .into_iter()
        .map(|tool| (tool.name().to_string(), tool.emoji().to_owned()))
        .collect();
    let Talk { agent, models, approvals, environments, plugins, servers, store, .. } = talk;
    plugins.set_messages(wire.messages());
    let mut conversation = AgentTalk::new(agent, &models, approvals, store.clone(), host)?;
    conversation.plugins = Some(Arc::clone(&plugins));
    conversation.servers = Some(servers.clone());
    let conversation = Arc::new(conversation);
    let exit = crate::chat::run(Chat {
        conversation: Arc::clone(&conversation) as Arc<dyn Conversation>,
        inbox,
        emojis,
        settings: ChatSettings::read(&host.config),
        home: host.home.clone(),
        vars: host.vars.clone(),
        flags: host.flags().clone(),
        before,
    })
    .await;
    conversation.interrupt();
    conversation.leave().await;
    servers.stop().await;
    environments.close_all().await;
    plugins.close().await;
    if let Err(problem) = store.close() {
        tracing::debug!(%problem, "close the database");
    }
    exit
}

/// Nobody to talk with: what can be done about it.
async fn without_model(problem: &anyhow::Error, ui: &mut Ui) -> anyhow::Result<Exit> {
    let found = discover::local_servers(&Place::usual()).await;
    let servers: Vec<LocalServer> = found
        .into_iter()
        .map(|server| LocalServer {
            provider: server.kind.provider().to_owned(),
            address: server.base_url,
            models: server.models.into_iter().map(|model| model.id).collect(),
        })
        .collect();
    let colour = match anstream::AutoStream::choice(&std::io::stderr()) {
        anstream::ColorChoice::Never => Colour::Off,
        _ => Colour::On,
    };
    for row in welcome::without_model(&servers, &Style::new(colour, 80)) {
        ui.note(row)?;
    }
    ui.note(format_args!("\n{problem}"))?;
    Ok(Exit::Failed)
}

/// Whether conversations get titles by themselves.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    On,
    Off,
}

impl Naming {
    fn read(host: &Host) -> Self {
        match host.config.value()["auxiliary"]["title_generation"]["enabled"].as_bool() {
            Some(false) => Self::Off,
            _ => Self::On,
        }
    }
}

/// An agent that a chat talks with.
struct AgentTalk {
    agent: tokio::sync::Mutex<Agent>,
    steer: Mutex<SteerBox>,
    stop: Mutex<CancellationToken>,
    status: Arc<Mutex<Status>>,
    approvals: Arc<Approvals>,
    store: SessionStore,
    /// What another model is chosen from.
    sources: Sources,
    naming: Naming,
    plugins: Option<Arc<Plugins>>,
    servers: Option<Servers>,
    /// Servers are waited for before the first turn; who comes later joins at a later one.
    has_waited: AtomicBool,
}

impl AgentTalk {
    /// Lets MCP servers that are about to answer have their tools in the first turn.
    async fn wait_for_servers(&self, stop: &CancellationToken) {
        let Some(servers) = &self.servers else { return };
        if !self.has_waited.swap(true, Ordering::Relaxed) {
            let ready = servers.wait_ready(servers.discovery_timeout());
            stop.run_until_cancelled(ready).await;
        }
    }

    fn new(
        agent: Agent,
        models: &Models,
        approvals: Arc<Approvals>,
        store: SessionStore,
        host: &Host,
    ) -> anyhow::Result<Self> {
        let talk = Self {
            steer: Mutex::new(agent.steer()),
            agent: tokio::sync::Mutex::new(agent),
            stop: Mutex::default(),
            status: Arc::default(),
            approvals,
            store,
            sources: Sources::of(host),
            naming: Naming::read(host),
            plugins: None,
            servers: None,
            has_waited: AtomicBool::new(false),
        };
        {
            let agent = talk.agent.try_lock().context("nobody else has it yet")?;
            talk.note(&agent);
        }
        let (model, provider) = models.names();
        let mut status = lock(&talk.status);
        (status.model, status.provider) = (model.to_owned(), provider.to_owned());
        drop(status);
        Ok(talk)
    }

    /// Keeps what is asked for often.
    fn note(&self, agent: &Agent) {
        let seat = agent.seats().current();
        let mut status = lock(&self.status);
        status.model = seat.model.name().to_owned();
        status.provider = seat.model.provider().to_owned();
        status.session_id = agent.conversation().id().to_owned();
        status.messages = agent.conversation().messages().len();
        status.context_tokens = agent.context_tokens();
        status.window = Some(seat.window.tokens());
        status.effort = agent.effort();
        status.tools = agent.tool_names().len();
    }

    fn spent(&self, result: &TurnResult) {
        let mut status = lock(&self.status);
        status.calls += result.api_calls as usize;
        status.usage += result.usage;
        if let Some(dollars) = result.cost_usd {
            *status.dollars.get_or_insert(0.0) += dollars;
        }
    }

    /// A session was begun or taken up: what is counted begins anew.
    fn turn_to(&self, agent: &Agent, title: Option<String>) {
        {
            let mut status = lock(&self.status);
            (status.usage, status.dollars, status.calls) = (Usage::default(), None, 0);
            status.title = title;
        }
        *lock(&self.steer) = agent.steer();
        self.note(agent);
    }

    /// Gives the conversation a title after its first exchange, beside whatever happens next.
    fn name_it(&self, agent: &Agent) {
        if self.naming == Naming::Off || lock(&self.status).title.is_some() {
            return;
        }
        let Some(request) = title::request(agent.conversation().messages()) else { return };
        let (model, store) = (Arc::clone(&agent.seats().current().model), self.store.clone());
        let (session, status) = (agent.conversation().id().to_owned(), Arc::clone(&self.status));
        // One try: if it fails, the next exchange brings another.
        tokio::spawn(async move {
            let cancel = CancellationToken::new();
            let Ok(answer) = model.answer(&request, &mut |_| {}, &cancel).await else { return };
            let Some(title) = title::read(&answer.content) else { return };
            if let Ok(kept) = store.set_title_if_none(&session, &title) {
                let mut status = lock(&status);
                if status.session_id == session {
                    status.title = Some(kept);
                }
            }
        });
    }

    async fn leave(&self) {
        let mut agent = self.agent.lock().await;
        hooks::finalized(&agent, LEFT).await;
        agent.conversation_mut().end(LEFT);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Conversation for AgentTalk {
    fn turn(&self, ask: Ask) -> BoxFuture<'_, TurnEnd> {
        Box::pin(async move {
            let stop = CancellationToken::new();
            *lock(&self.stop) = stop.clone();
            let content = match content(ask) {
                Ok(content) => content,
                Err(problem) => {
                    let outcome = TurnOutcome::Failed(problem.to_string());
                    return TurnEnd { outcome, ..TurnEnd::default() };
                }
            };
            let mut agent = self.agent.lock().await;
            self.wait_for_servers(&stop).await;
            let result = agent.turn(content, &stop).await;
            self.spent(&result);
            self.note(&agent);
            self.name_it(&agent);
            end_of(result)
        })
    }

    fn interrupt(&self) {
        lock(&self.stop).cancel();
    }

    fn steer(&self, text: &str) {
        lock(&self.steer).leave(text);
    }

    fn status(&self) -> Status {
        lock(&self.status).clone()
    }

    fn new_session(&self, title: Option<String>) -> Answered<'_, ()> {
        Box::pin(async move {
            let mut agent = self.agent.lock().await;
            let talk = Messages::new(new_session_id(), Some(self.store.clone()));
            let old = agent.conversation().id().to_owned();
            hooks::finalized(&agent, "session_reset").await;
            agent.turn_to("session_reset", talk, None);
            hooks::reset(&agent, &old, "new_session").await;
            self.turn_to(&agent, None);
            drop(agent);
            match title {
                Some(title) => self.set_title(title).await,
                None => Ok(()),
            }
        })
    }

    fn history(&self) -> Answered<'_, Vec<Message>> {
        Box::pin(async move { Ok(self.agent.lock().await.conversation().messages().to_vec()) })
    }

    fn undo(&self, turns: usize) -> Answered<'_, Option<String>> {
        Box::pin(async move {
            let mut agent = self.agent.lock().await;
            let taken_back = agent.undo(turns);
            self.note(&agent);
            Ok(taken_back)
        })
    }

    fn set_title(&self, title: String) -> Answered<'_, ()> {
        Box::pin(async move {
            let mut agent = self.agent.lock().await;
            agent.begin_session();
            let kept = self.store.set_title(agent.conversation().id(), &title)?;
            lock(&self.status).title = Some(kept);
            Ok(())
        })
    }

    fn sessions(&self, most: usize) -> Answered<'_, Vec<SessionLine>> {
        Box::pin(async move {
            let filter = ListFilter { limit: Some(most), ..ListFilter::default() };
            let found = self.store.list(&filter)?;
            Ok(found
                .into_iter()
                .map(|session| SessionLine {
                    id: session.id,
                    title: session.title,
                    when: when(session.last_active),
                    messages: usize::try_from(session.message_count).unwrap_or(0),
                    preview: session.preview,
                })
                .collect())
        })
    }

    fn resume(&self, which: String) -> Answered<'_, Vec<Message>> {
        Box::pin(async move {
            let row = session::find(&self.store, &which)?;
            let title = row.title.clone();
            let chosen = session::take_up(&self.store, row)?;
            let mut agent = self.agent.lock().await;
            agent.turn_to(LEFT, chosen.conversation, chosen.prompt);
            self.turn_to(&agent, title);
            Ok(agent.conversation().messages().to_vec())
        })
    }

    fn branch(&self, title: Option<String>) -> Answered<'_, String> {
        Box::pin(async move {
            let mut agent = self.agent.lock().await;
            agent.begin_session();
            let from = agent.conversation().id().to_owned();
            let id = new_session_id();
            let row = self.store.branch(&from, &id, title.as_deref())?;
            let title = row.title.clone();
            let chosen = session::take_up(&self.store, row)?;
            agent.turn_to("branched", chosen.conversation, chosen.prompt);
            self.turn_to(&agent, title);
            Ok(id)
        })
    }

    fn compress(&self, how: Compress) -> Answered<'_, String> {
        Box::pin(async move {
            let mut agent = self.agent.lock().await;
            let stop = CancellationToken::new();
            *lock(&self.stop) = stop.clone();
            let done = match how {
                Compress::Preview => Ok(agent.preview_compression()),
                Compress::All(focus) => agent.compress(focus.as_deref(), None, &stop).await,
                Compress::KeepLast(kept) => agent.compress(None, Some(kept), &stop).await,
            };
            self.note(&agent);
            done.map_err(anyhow::Error::msg)
        })
    }

    fn set_model(&self, choice: ModelChoice) -> Answered<'_, String> {
        Box::pin(async move {
            let asked = Choice {
                provider: choice.provider.clone(),
                model: Some(choice.model.clone()),
                ..Choice::default()
            };
            let models = Models::of(&self.sources, &asked).await?;
            let warning = models.learn_window().await;
            let (model, provider) = models.names();
            let mut line = format!("{model} ({provider}) answers from now on");
            let mut agent = self.agent.lock().await;
            agent.change_model(models.seats());
            self.note(&agent);
            if choice.reach == Reach::Global {
                self.sources.remember(model, provider)?;
                line.push_str(", in all later sessions too");
            }
            Ok(warning.map_or(line.clone(), |warning| format!("{line}\n{warning}")))
        })
    }

    fn set_effort(&self, effort: Effort) -> Answered<'_, ()> {
        Box::pin(async move {
            let mut agent = self.agent.lock().await;
            agent.set_effort(Some(effort));
            self.note(&agent);
            Ok(())
        })
    }

    fn set_yolo(&self, yolo: Yolo) -> Answered<'_, ()> {
        Box::pin(async move {
            let agent = self.agent.lock().await;
            let session = agent.conversation().id();
            let wanted = match yolo {
                Yolo::On => SessionYolo::On,
                Yolo::Off => SessionYolo::Off,
            };
            self.approvals.set_yolo(session, wanted);
            lock(&self.status).yolo = yolo;
            Ok(())
        })
    }

    fn plugin_commands(&self) -> Vec<PluginCommand> {
        let commands = self.plugins.iter().flat_map(|plugins| plugins.commands());
        commands
            .map(|command| PluginCommand {
                name: command.name,
                takes: command.args_hint,
                help: command.description,
            })
            .collect()
    }

    fn run_plugin_command(&self, name: String, args: String) -> Answered<'_, Option<String>> {
        Box::pin(async move {
            let session = lock(&self.status).session_id.clone();
            let plugins = self.plugins.as_ref().context("there are no plugins")?;
            let said = plugins.run_command(&name, &args, &session).await;
            Ok(said.with_context(|| format!("no plugin has the command /{name} any more"))??)
        })
    }

    fn delete(&self) -> Answered<'_, ()> {
        Box::pin(async move {
            let agent = self.agent.lock().await;
            self.store.delete(agent.conversation().id())?;
            Ok(())
        })
    }
}

fn end_of(result: TurnResult) -> TurnEnd {
    let explained = |result: &TurnResult| {
        let what = result.error.clone().unwrap_or_else(|| result.exit.name().to_owned());
        match &result.advice {
            Some(advice) => format!("{what}\n{advice}"),
            None => what,
        }
    };
    let outcome = match result.exit {
        ExitReason::TextResponse => TurnOutcome::Done,
        ExitReason::Interrupted => TurnOutcome::Interrupted,
        exit if exit.is_partial() => TurnOutcome::Partial(explained(&result)),
        _ => TurnOutcome::Failed(explained(&result)),
    };
    TurnEnd { outcome, pending_steer: result.pending_steer, dollars: result.cost_usd }
}

/// What a person says, with the images they show.
pub(super) fn content(ask: Ask) -> anyhow::Result<Content> {
    if ask.images.is_empty() {
        return Ok(Content::Text(ask.text));
    }
    let mut parts = vec![Part::Text { text: ask.text }];
    for path in &ask.images {
        parts.push(Part::ImageUrl { image_url: ImageUrl { url: image(path)? } });
    }
    Ok(Content::Parts(parts))
}

/// An image as a `data:` URL.
fn image(path: &Path) -> anyhow::Result<String> {
    /// Providers refuse larger ones.
    const MAX_BYTES: u64 = 20 * 1024 * 1024;
    let size =
        std::fs::metadata(path).with_context(|| format!("look at {}", path.display()))?.len();
    anyhow::ensure!(size <= MAX_BYTES, "{} is larger than 20 MiB", path.display());
    let bytes = std::fs::read(path).with_context(|| format!("read {}", path.display()))?;
    let kind = match bytes.as_slice() {
        [0x89, b'P', b'N', b'G', ..] => "png",
        [0xFF, 0xD8, 0xFF, ..] => "jpeg",
        [b'G', b'I', b'F', b'8', ..] => "gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "webp",
        _ => anyhow::bail!("{} is no PNG, JPEG, GIF or WebP image", path.display()),
    };
    let text = base64::engine::general_purpose::STANDARD.encode(&bytes);
    Ok(format!("data:image/{kind};base64,{text}"))
}
