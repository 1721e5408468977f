//! A conversation at a terminal: the agent behind the chat.
//!
//! [`run`] opens everything, shows the chat and cleans up. In between the chat talks with an
//! [`AgentTalk`], which holds the agent behind a lock that a turn keeps from its beginning to its end.
//! What the chat may ask meanwhile is therefore kept beside it: the status, a copy of what further
//! agents are made of ([`Kin`]), the goal, the news. Nothing the chat asks for in the middle of a turn
//! waits for that lock.

mod background;
mod beside;
mod content;
mod goals;
mod naming;
mod news;
mod personality;
mod reload;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::Context as _;
use hermes_agent::conversation::{Conversation as Messages, message_of};
use hermes_agent::{Agent, ExitReason, Kin, SteerBox, TurnResult};
use hermes_approval::{Approvals, SessionYolo};
use hermes_llm::discover::{self, Place};
use hermes_llm::model::{BoxFuture, Effort};
use hermes_llm::{Choice, Message, Usage};
use hermes_mcp::client::Servers;
use hermes_plugins::Plugins;
use hermes_store::sessions::{ListFilter, SessionStore, new_session_id, when};
use tokio_util::sync::CancellationToken;

use background::Background;
use beside::Beside;
pub(super) use content::content;
use goals::Goals;
use naming::Naming;
use news::ProcessNews;
use reload::InForce;

use super::models::{Models, NoModel, Sources};
use super::{Company, Talk, hooks, session};
use crate::chat::conversation::{
    Answered, Ask, Compress, Conversation, GoalOrder, GoalStep, ModelChoice, PersonalityLine,
    PluginCommand, Reach, Reloaded, SessionLine, Status, Stopped, TaskLine, TurnEnd, TurnOutcome,
    Way, Yolo,
};
use crate::chat::display::{Colour, Style};
use crate::chat::quick::QuickCommand;
use crate::chat::settings::ChatSettings;
use crate::chat::welcome::{self, LocalServer};
use crate::chat::{Chat, Wire};
use crate::cli::{GlobalFlags, TalkFlags};
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
    let beside = Beside {
        background: Background::new(wire.clone(), Arc::clone(&approvals)),
        processes: ProcessNews::new(Arc::clone(environments.processes())),
        goals: Goals::new(store.clone(), host.config.value()),
    };
    let mut conversation =
        AgentTalk::new(agent, &models, (approvals, store.clone()), beside, (host, flags))?;
    conversation.plugins = Some(Arc::clone(&plugins));
    conversation.servers = Some(servers.clone());
    let conversation = Arc::new(conversation);
    conversation.beside.processes.listen(Arc::clone(&conversation.status), wire);
    let exit = crate::chat::run(Chat {
        conversation: Arc::clone(&conversation) as Arc<dyn Conversation>,
        inbox,
        emojis,
        settings: ChatSettings::read(&host.config),
        home: host.home.clone(),
        vars: host.vars.clone(),
        flags: host.flags().clone(),
        before,
        quick: QuickCommand::read(&host.config),
    })
    .await;
    conversation.interrupt();
    conversation.beside.background.leave().await;
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

/// An agent that a chat talks with.
struct AgentTalk {
    agent: tokio::sync::Mutex<Agent>,
    steer: Mutex<SteerBox>,
    stop: Mutex<CancellationToken>,
    status: Arc<Mutex<Status>>,
    approvals: Arc<Approvals>,
    store: SessionStore,
    /// What another model is chosen from, and how the present one was.
    sources: Mutex<Sources>,
    choice: Mutex<Choice>,
    naming: Naming,
    /// What further agents are made of.
    kin: Mutex<Kin>,
    beside: Beside,
    in_force: Mutex<InForce>,
    flags: (GlobalFlags, TalkFlags),
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
        (approvals, store): (Arc<Approvals>, SessionStore),
        beside: Beside,
        (host, flags): (&Host, &TalkFlags),
    ) -> anyhow::Result<Self> {
        beside.goals.turn_to(agent.conversation().id());
        let choice = Choice {
            provider: flags.provider.clone(),
            model: flags.model.clone(),
            ..Choice::default()
        };
        let talk = Self {
            steer: Mutex::new(agent.steer()),
            kin: Mutex::new(agent.kin()),
            agent: tokio::sync::Mutex::new(agent),
            stop: Mutex::default(),
            status: Arc::default(),
            approvals,
            store,
            sources: Mutex::new(Sources::of(host)),
            choice: Mutex::new(choice),
            naming: Naming::read(host),
            beside,
            in_force: Mutex::new(InForce::of(host)),
            flags: (host.flags().clone(), flags.clone()),
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
        *lock(&self.kin) = agent.kin();
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
        self.beside.goals.turn_to(agent.conversation().id());
        self.note(agent);
    }

    fn session(&self) -> String {
        lock(&self.status).session_id.clone()
    }

    /// A wait that an interrupt ends.
    fn begin_wait(&self) -> CancellationToken {
        let stop = CancellationToken::new();
        *lock(&self.stop) = stop.clone();
        stop
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
            let stop = self.begin_wait();
            let (way, reminder) = (ask.way, self.beside.goals.reminder(&ask.text));
            let content = match content(ask) {
                Ok(content) => content,
                Err(problem) => return failed(problem.to_string()),
            };
            let mut agent = self.agent.lock().await;
            self.wait_for_servers(&stop).await;
            let session = agent.conversation().id().to_owned();
            for text in self.beside.processes.take(&session).iter().chain(&reminder) {
                agent.tell(text);
            }
            let result = match way {
                Way::Alone => agent.turn(content, &stop).await,
                Way::Mixture => match agent.turn_as_mixture(content, &stop).await {
                    Ok(result) => result,
                    Err(problem) => return failed(problem),
                },
            };
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
        let goal = self.beside.goals.name();
        Status { goal, ..lock(&self.status).clone() }
    }

    fn new_session(&self, title: Option<String>) -> Answered<'_, ()> {
        Box::pin(async move {
            let mut agent = self.agent.lock().await;
            let id = new_session_id();
            let prompt = self.fresh_prompt(&id).ok();
            let talk = Messages::new(id, Some(self.store.clone()));
            let old = agent.conversation().id().to_owned();
            hooks::finalized(&agent, "session_reset").await;
            agent.turn_to("session_reset", talk, prompt);
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
        Box::pin(async move {
            // In the middle of a turn the record has all that was said so far.
            match self.agent.try_lock() {
                Ok(agent) => Ok(agent.conversation().messages().to_vec()),
                Err(_) => {
                    let rows = self.store.messages(&self.session())?;
                    Ok(rows.into_iter().map(message_of).collect())
                }
            }
        })
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
            // A turn has begun its session already.
            if let Ok(mut agent) = self.agent.try_lock() {
                agent.begin_session();
            }
            let kept = self.store.set_title(&self.session(), &title)?;
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
            let stop = self.begin_wait();
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
            let sources = lock(&self.sources).clone();
            let models = Models::of(&sources, &asked).await?;
            *lock(&self.choice) = asked;
            let warning = models.learn_window().await;
            let (model, provider) = models.names();
            let mut line = format!("{model} ({provider}) answers from now on");
            let mut agent = self.agent.lock().await;
            agent.change_model(models.seats());
            self.note(&agent);
            if choice.reach == Reach::Global {
                sources.remember(model, provider)?;
                line.push_str(", in all later sessions too");
            }
            Ok(warning.map_or(line.clone(), |warning| format!("{line}\n{warning}")))
        })
    }

    fn set_effort(&self, effort: Option<Effort>) -> Answered<'_, ()> {
        Box::pin(async move {
            let mut agent = self.agent.lock().await;
            agent.set_effort(effort);
            self.note(&agent);
            Ok(())
        })
    }

    fn set_yolo(&self, yolo: Yolo) -> Answered<'_, ()> {
        Box::pin(async move {
            let wanted = match yolo {
                Yolo::On => SessionYolo::On,
                Yolo::Off => SessionYolo::Off,
            };
            self.approvals.set_yolo(&self.session(), wanted);
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

    fn background(&self, prompt: String) -> Answered<'_, String> {
        Box::pin(async move {
            let (kin, yolo) = (lock(&self.kin).clone(), lock(&self.status).yolo);
            self.beside.background.start(&kin, prompt, yolo)
        })
    }

    fn tasks(&self) -> Vec<TaskLine> {
        self.beside.lines()
    }

    fn stop_task(&self, which: Stopped) -> Answered<'_, String> {
        Box::pin(self.beside.stop(which))
    }

    fn goal(&self, order: GoalOrder) -> Answered<'_, GoalStep> {
        Box::pin(async move { self.beside.goals.order(order) })
    }

    fn judge(&self) -> Answered<'_, Option<GoalStep>> {
        Box::pin(async move {
            let stop = self.begin_wait();
            let own = Arc::clone(&lock(&self.kin).seats().current().model);
            let judge = lock(&self.sources).clone().on_the_side(JUDGE, &*own);
            let messages = self.history().await?;
            self.beside.goals.judge(judge.unwrap_or(own), &messages, &stop).await
        })
    }

    fn personalities(&self) -> Answered<'_, Vec<PersonalityLine>> {
        Box::pin(async move { Ok(personality::lines(&Host::open(&self.flags.0)?)) })
    }

    fn choose_personality(&self, name: String) -> Answered<'_, String> {
        Box::pin(async move { personality::choose(&Host::open(&self.flags.0)?, &name) })
    }

    fn reload(&self) -> Answered<'_, Reloaded> {
        Box::pin(self.read_anew())
    }

    fn reload_servers(&self) -> Answered<'_, String> {
        Box::pin(self.connect_anew())
    }

    fn run_quick(&self, command: String) -> Answered<'_, String> {
        Box::pin(async move {
            let stop = self.begin_wait();
            let kin = lock(&self.kin).clone();
            Ok(beside::run_command(&kin, &command, &stop).await)
        })
    }
}

/// The side task of judging goals: `auxiliary.goal_judge`.
const JUDGE: &str = "goal_judge";

fn failed(why: String) -> TurnEnd {
    TurnEnd { outcome: TurnOutcome::Failed(why), ..TurnEnd::default() }
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
