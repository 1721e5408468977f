//! What a surface needs from an agent, and no more.
//!
//! A surface starts turns, interrupts and steers them, and manages the session around them and what
//! works beside it. It knows the agent only as a [`ChatSession`], so it can be tried with one that
//! follows a script.
//!
//! What is asked for while a turn runs ([`ChatSession::history`], [`ChatSession::tasks`],
//! [`ChatSession::goal`] and so on) is answered without waiting for its end.

use std::path::PathBuf;
use std::time::Duration;

use hermes_llm::model::{BoxFuture, Effort};
use hermes_llm::{Message, TokenUsage};
use hermes_store::config::Config;

/// What a request comes to, once it has.
pub type Reply<'a, T> = BoxFuture<'a, anyhow::Result<T>>;

/// An agent with its session, as a surface sees it: everything a person can ask for, and nothing else.
pub trait ChatSession: Send + Sync + 'static {
    /// Runs a turn to its end. Everything that happens is told to the surface's
    /// [`FrontEnd`](crate::FrontEnd), in order and before the turn ends.
    fn turn(&self, ask: UserInput) -> BoxFuture<'_, TurnEnd>;

    /// Ends the running turn soon; streams end within 0.3 s.
    fn interrupt(&self);

    /// Tells the running turn something without ending it.
    fn steer(&self, text: &str);

    /// How things are. Called often; must not block.
    fn status(&self) -> SessionStatus;

    /// Begins an empty session.
    fn new_session(&self, title: Option<String>) -> Reply<'_, ()>;

    /// Everything said so far.
    fn history(&self) -> Reply<'_, Vec<Message>>;

    /// Takes back the last turns and gives what the person had said in the first of them; nothing if
    /// there was no turn to take back.
    fn undo(&self, turns: usize) -> Reply<'_, Option<String>>;

    /// Gives the session a title.
    fn set_title(&self, title: String) -> Reply<'_, ()>;

    /// The newest sessions.
    fn sessions(&self, most: usize) -> Reply<'_, Vec<SessionEntry>>;

    /// Goes on with another session, by id or title; gives what was said in it.
    fn resume(&self, which: String) -> Reply<'_, Vec<Message>>;

    /// Goes on with a copy of the session; gives its id.
    fn branch(&self, title: Option<String>) -> Reply<'_, String>;

    /// Makes the history shorter; gives a line on what came of it.
    fn compress(&self, how: CompactRequest) -> Reply<'_, String>;

    /// The models that the present provider offers; none if it does not tell.
    fn models(&self) -> Reply<'_, Vec<ModelEntry>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Talks with another model from now on; gives a line on what came of it.
    fn set_model(&self, choice: ModelChoice) -> Reply<'_, String>;

    /// Thinks more or less from now on; without a level as the provider sees fit.
    fn set_effort(&self, effort: Option<Effort>) -> Reply<'_, ()>;

    /// Runs flagged commands without asking, or asks again.
    fn set_yolo(&self, yolo: Yolo) -> Reply<'_, ()>;

    /// Only looks until a plan is accepted, or does everything again.
    fn set_planning(&self, _planning: Planning) -> Reply<'_, ()> {
        Box::pin(async { anyhow::bail!("this conversation cannot plan") })
    }

    /// Has somebody who can change nothing look a change over; gives a line on it. What they found is
    /// announced when it is over.
    fn review(&self, _what: ReviewTarget) -> Reply<'_, String> {
        Box::pin(async { anyhow::bail!("nobody can review here") })
    }

    /// Deletes the session for good.
    fn delete(&self) -> Reply<'_, ()>;

    /// Has somebody else work on something, in a session of its own; gives a line on it. What comes
    /// of it is announced to the surface when it is over.
    fn background(&self, prompt: String) -> Reply<'_, String>;

    /// What works beside the conversation. Must not block.
    fn tasks(&self) -> Vec<TaskSummary>;

    /// Ends something that works beside the conversation, or everything; gives a line on it.
    fn stop_task(&self, which: StopTarget) -> Reply<'_, String>;

    /// Sets, shows or changes what the agent works towards.
    fn goal(&self, order: GoalRequest) -> Reply<'_, GoalUpdate>;

    /// A turn is over: is the goal reached? Nothing if there is none to reach.
    fn judge(&self) -> Reply<'_, Option<GoalUpdate>>;

    /// The ways the agent can speak.
    fn personalities(&self) -> Reply<'_, Vec<PersonalitySummary>>;

    /// Has the agent speak differently from the next session on; gives a line on it.
    fn choose_personality(&self, name: String) -> Reply<'_, String>;

    /// Reads settings and keys anew.
    fn reload(&self) -> Reply<'_, ReloadedSettings>;

    /// Connects to the MCP servers of the settings as they are now; gives a line on each.
    fn reload_servers(&self) -> Reply<'_, String>;

    /// Runs a command of the person's own, with all the rules for commands; gives what it wrote.
    fn run_quick(&self, command: String) -> Reply<'_, String>;

    /// What a page on the web says, by the rules for addresses from outside.
    fn read_page(&self, _address: String) -> Reply<'_, String> {
        Box::pin(async { anyhow::bail!("pages cannot be read here") })
    }

    /// The slash commands that plugins bring.
    fn plugin_commands(&self) -> Vec<PluginCommand> {
        Vec::new()
    }

    /// The slash commands that skills bring. A message that begins with some of them is a turn like any other, in
    /// which those skills are at hand. Must not block for long.
    fn skill_commands(&self) -> Vec<PluginCommand> {
        Vec::new()
    }

    /// Looks for skills anew; gives a line on what came and went.
    fn reload_skills(&self) -> Reply<'_, String> {
        Box::pin(async { anyhow::bail!("this conversation has no skills") })
    }

    /// Runs a command of a plugin; gives what it says, if anything.
    fn run_plugin_command(&self, name: String, _args: String) -> Reply<'_, Option<String>> {
        Box::pin(async move { anyhow::bail!("no plugin has the command /{name}") })
    }
}

/// A background agent or process, in the list of `/agents`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskSummary {
    /// By which it is stopped.
    pub id: String,
    /// What it was asked, or which command it is.
    pub about: String,
    /// How it stands: `running`, `done`, `exit 1` …
    pub state: String,
    /// What it does right now.
    pub doing: Option<String>,
    /// How long it has been at it, or was.
    pub took: Duration,
}

/// Which background tasks `/stop` ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopTarget {
    /// The one with this id.
    One(String),
    /// Every one, processes included.
    All,
}

/// What `/goal` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GoalRequest {
    /// Says what the goal is and how far it got.
    Show,
    /// Begins to work towards this, turn after turn, until a judge says it is reached.
    Set(String),
    /// Something that has to be reached on the way.
    AddStep(String),
    /// Stops after the present turn; the goal is kept.
    Pause,
    /// Goes on with a paused goal.
    Resume,
    /// Forgets the goal.
    Clear,
}

/// What a request about the goal, or the judge after a turn, came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoalUpdate {
    /// For the person.
    pub line: String,
    /// What the agent is to be told next.
    pub say: Option<String>,
}

/// A way to speak, in the list of `/personality`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PersonalitySummary {
    /// By which it is chosen.
    pub name: String,
    /// How it speaks, in a line.
    pub about: String,
    /// Whether the next session begins with it.
    pub is_chosen: bool,
}

/// What reading settings anew came to.
#[derive(Clone, Debug)]
pub struct ReloadedSettings {
    /// What changed and what that means, for the person.
    pub lines: Vec<String>,
    /// The settings as they are now, for what the surface itself reads from them.
    pub config: Config,
}

/// A slash command that a plugin or a skill brings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PluginCommand {
    /// Without the slash.
    pub name: String,
    /// What it takes, for people.
    pub takes: String,
    /// A line on what it does.
    pub help: String,
}

/// One message of a person, which begins a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserInput {
    /// The words, pasted texts in full.
    pub text: String,
    /// Texts that go along for the model alone: files the words name, output of commands. They are sent and never shown
    /// as something that was said.
    pub attached: Vec<String>,
    /// Files that go along as pictures.
    pub images: Vec<PathBuf>,
    /// Who thinks about it.
    pub way: TurnMode,
}

/// Who thinks about what a person says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TurnMode {
    /// The agent.
    #[default]
    Alone,
    /// Other models first, then the agent with their advice.
    MixtureOfAgents,
}

impl From<String> for UserInput {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// What a surface shows after the last word of a turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TurnEnd {
    /// Whether there is an answer.
    pub outcome: TurnStatus,
    /// Something the person said to steer the turn, which came too late for it.
    pub pending_steer: Option<String>,
    /// What the turn cost, where prices are known.
    pub dollars: Option<f64>,
}

/// Whether a turn came to an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TurnStatus {
    /// There is a whole answer.
    #[default]
    Done,
    /// The person did not want it any more.
    Interrupted,
    /// Half of one; this is missing and why.
    Partial(String),
    /// No; this went wrong, and what to do about it.
    Failed(String),
}

/// A session at a glance: the status line, `/status` and `/usage` are drawn from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionStatus {
    /// Which model answers, as its provider calls it.
    pub model: String,
    /// Who serves the model.
    pub provider: String,
    /// For `--resume`; empty before there is a session.
    pub session_id: String,
    /// Given by the person or made up after the first turn.
    pub title: Option<String>,
    /// Messages in the history, tool results included.
    pub messages: usize,
    /// Calls to the model in this session.
    pub calls: usize,
    /// Tokens the history takes up.
    pub context_tokens: u64,
    /// Tokens there is room for, where the model's window is known.
    pub window: Option<u64>,
    /// Tokens the session has used.
    pub usage: TokenUsage,
    /// What they cost, where prices are known.
    pub dollars: Option<f64>,
    /// How much the model is to think; none: as the provider sees fit.
    pub effort: Option<Effort>,
    /// Whether flagged commands run without asking.
    pub yolo: Yolo,
    /// Whether the agent only looks and plans.
    pub planning: Planning,
    /// How many tools are offered to the model.
    pub tools: usize,
    /// What the agent works towards by itself.
    pub goal: Option<String>,
}

/// Whether flagged commands run without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Yolo {
    /// They run; what is never allowed still is not.
    On,
    /// A person is asked.
    #[default]
    Off,
}

/// Whether the agent only looks and plans.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Planning {
    /// Tools that change something are refused until a plan is accepted.
    On,
    /// All tools are there.
    #[default]
    Off,
}

/// Which change `/review` looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewTarget {
    /// What is not committed yet, new files included.
    WorkingTree,
    /// What the next commit would hold.
    Staged,
    /// What this branch has that another has not; without a name, the main one.
    Branch(Option<String>),
    /// One commit.
    Commit(String),
}

/// A session in the list of `/sessions`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionEntry {
    /// By which it is resumed.
    pub id: String,
    /// By which it can be resumed too, if it has one.
    pub title: Option<String>,
    /// When it was last used, for people.
    pub when: String,
    /// How many messages it holds.
    pub messages: usize,
    /// How it began.
    pub preview: String,
}

/// A model in the list of `/model`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelEntry {
    /// As its provider calls it.
    pub name: String,
    /// Tokens it has room for, where the provider says so.
    pub window: Option<u64>,
}

/// What `/compress` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompactRequest {
    /// All but the end, with special regard to a topic.
    All(Option<String>),
    /// All but this many of the last messages.
    KeepLast(usize),
    /// Not at all: it is only said what would happen.
    Preview,
}

/// What `/model` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChoice {
    /// The model, as its provider calls it.
    pub model: String,
    /// Who serves it; none: whoever is known to.
    pub provider: Option<String>,
    /// For how long it is chosen.
    pub reach: ChoiceScope,
}

/// For how long a model is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChoiceScope {
    /// This session.
    Session,
    /// This session and all later ones.
    Global,
}
