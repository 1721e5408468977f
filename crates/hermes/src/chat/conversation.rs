//! What the chat needs from an agent, and no more.
//!
//! The chat starts turns, interrupts and steers them, and manages the session around them and what
//! works beside it. It knows the agent only as a [`Conversation`], so it can be tried with one that
//! follows a script.
//!
//! What is asked for while a turn runs ([`Conversation::history`], [`Conversation::tasks`],
//! [`Conversation::goal`] and so on) is answered without waiting for its end.

use std::path::PathBuf;
use std::time::Duration;

use hermes_llm::model::{BoxFuture, Effort};
use hermes_llm::{Message, Usage};

use super::quick::QuickCommand;
use super::settings::ChatSettings;

/// An answer that takes a while.
pub(crate) type Answered<'a, T> = BoxFuture<'a, anyhow::Result<T>>;

/// An agent with a session.
pub(crate) trait Conversation: Send + Sync + 'static {
    /// Runs a turn to its end. Everything that happens is told to the chat's front end (see
    /// [`super::wire::Wire`]), in order and before the turn ends.
    fn turn(&self, ask: Ask) -> BoxFuture<'_, TurnEnd>;

    /// Ends the running turn soon; streams end within 0.3 s.
    fn interrupt(&self);

    /// Tells the running turn something without ending it.
    fn steer(&self, text: &str);

    /// How things are. Called often; must not block.
    fn status(&self) -> Status;

    /// Begins an empty session.
    fn new_session(&self, title: Option<String>) -> Answered<'_, ()>;

    /// Everything said so far.
    fn history(&self) -> Answered<'_, Vec<Message>>;

    /// Takes back the last turns and gives what the person had said in the first of them; nothing if
    /// there was no turn to take back.
    fn undo(&self, turns: usize) -> Answered<'_, Option<String>>;

    /// Gives the session a title.
    fn set_title(&self, title: String) -> Answered<'_, ()>;

    /// The newest sessions.
    fn sessions(&self, most: usize) -> Answered<'_, Vec<SessionLine>>;

    /// Goes on with another session, by id or title; gives what was said in it.
    fn resume(&self, which: String) -> Answered<'_, Vec<Message>>;

    /// Goes on with a copy of the session; gives its id.
    fn branch(&self, title: Option<String>) -> Answered<'_, String>;

    /// Makes the history shorter; gives a line on what came of it.
    fn compress(&self, how: Compress) -> Answered<'_, String>;

    /// Talks with another model from now on; gives a line on what came of it.
    fn set_model(&self, choice: ModelChoice) -> Answered<'_, String>;

    /// Thinks more or less from now on; without a level as the provider sees fit.
    fn set_effort(&self, effort: Option<Effort>) -> Answered<'_, ()>;

    /// Runs flagged commands without asking, or asks again.
    fn set_yolo(&self, yolo: Yolo) -> Answered<'_, ()>;

    /// Deletes the session for good.
    fn delete(&self) -> Answered<'_, ()>;

    /// Has somebody else work on something, in a session of its own; gives a line on it. What comes
    /// of it is announced (see [`super::wire::Told::News`]).
    fn background(&self, prompt: String) -> Answered<'_, String>;

    /// What works beside the conversation. Must not block.
    fn tasks(&self) -> Vec<TaskLine>;

    /// Ends something that works beside the conversation, or everything; gives a line on it.
    fn stop_task(&self, which: Stopped) -> Answered<'_, String>;

    /// Sets, shows or changes what the agent works towards.
    fn goal(&self, order: GoalOrder) -> Answered<'_, GoalStep>;

    /// A turn is over: is the goal reached? Nothing if there is none to reach.
    fn judge(&self) -> Answered<'_, Option<GoalStep>>;

    /// The ways the agent can speak.
    fn personalities(&self) -> Answered<'_, Vec<PersonalityLine>>;

    /// Has the agent speak differently from the next session on; gives a line on it.
    fn choose_personality(&self, name: String) -> Answered<'_, String>;

    /// Reads settings and keys anew.
    fn reload(&self) -> Answered<'_, Reloaded>;

    /// Connects to the MCP servers of the settings as they are now; gives a line on each.
    fn reload_servers(&self) -> Answered<'_, String>;

    /// Runs a command of the person's own, with all the rules for commands; gives what it wrote.
    fn run_quick(&self, command: String) -> Answered<'_, String>;

    /// The slash commands that plugins bring.
    fn plugin_commands(&self) -> Vec<PluginCommand> {
        Vec::new()
    }

    /// Runs one of them; gives what it says, if anything.
    fn run_plugin_command(&self, name: String, _args: String) -> Answered<'_, Option<String>> {
        Box::pin(async move { anyhow::bail!("no plugin has the command /{name}") })
    }
}

/// Something that works beside the conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TaskLine {
    /// By which it is stopped.
    pub(crate) id: String,
    /// What it was asked, or which command it is.
    pub(crate) about: String,
    /// How it stands: `running`, `done`, `exit 1` …
    pub(crate) state: String,
    /// What it does right now.
    pub(crate) doing: Option<String>,
    pub(crate) took: Duration,
}

/// What is to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// The one with this id.
    One(String),
    All,
}

/// What becomes of the goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GoalOrder {
    Show,
    Set(String),
    /// Something that has to be reached on the way.
    AddStep(String),
    Pause,
    Resume,
    Clear,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GoalStep {
    /// For the person.
    pub(crate) line: String,
    /// What the agent is to be told next.
    pub(crate) say: Option<String>,
}

/// A way to speak, in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PersonalityLine {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) is_chosen: bool,
}

/// What reading settings anew came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reloaded {
    /// What changed and what that means, for the person.
    pub(crate) lines: Vec<String>,
    pub(crate) settings: ChatSettings,
    pub(crate) quick: Vec<QuickCommand>,
}

/// A slash command that a plugin brings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PluginCommand {
    /// Without the slash.
    pub(crate) name: String,
    /// What it takes, for people.
    pub(crate) takes: String,
    /// A line on what it does.
    pub(crate) help: String,
}

/// What a person says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ask {
    pub(crate) text: String,
    pub(crate) images: Vec<PathBuf>,
    pub(crate) way: Way,
}

/// Who thinks about what a person says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Way {
    /// The agent.
    #[default]
    Alone,
    /// Other models first, then the agent with their advice.
    Mixture,
}

impl From<String> for Ask {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// How a turn ended.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct TurnEnd {
    pub(crate) outcome: TurnOutcome,
    /// Something the person said to steer the turn, which came too late for it.
    pub(crate) pending_steer: Option<String>,
    /// What the turn cost, where prices are known.
    pub(crate) dollars: Option<f64>,
}

/// Whether there is an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum TurnOutcome {
    /// Yes.
    #[default]
    Done,
    /// The person did not want it any more.
    Interrupted,
    /// Half of one; this is missing and why.
    Partial(String),
    /// No; this went wrong, and what to do about it.
    Failed(String),
}

/// How things are.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Status {
    pub(crate) model: String,
    pub(crate) provider: String,
    pub(crate) session_id: String,
    pub(crate) title: Option<String>,
    pub(crate) messages: usize,
    /// Calls to the model in this session.
    pub(crate) calls: usize,
    /// Tokens the conversation takes up, and how many there is room for.
    pub(crate) context_tokens: u64,
    pub(crate) window: Option<u64>,
    /// What the session has used.
    pub(crate) usage: Usage,
    pub(crate) dollars: Option<f64>,
    pub(crate) effort: Option<Effort>,
    pub(crate) yolo: Yolo,
    /// Tools on offer.
    pub(crate) tools: usize,
    /// What the agent works towards by itself.
    pub(crate) goal: Option<String>,
}

/// Whether flagged commands run without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Yolo {
    On,
    #[default]
    Off,
}

/// A session in a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SessionLine {
    pub(crate) id: String,
    pub(crate) title: Option<String>,
    /// When it was last used, for people.
    pub(crate) when: String,
    pub(crate) messages: usize,
    /// How it began.
    pub(crate) preview: String,
}

/// How the history is made shorter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Compress {
    /// All but the end, with special regard to a topic.
    All(Option<String>),
    /// All but this many of the last messages.
    KeepLast(usize),
    /// Not at all: it is only said what would happen.
    Preview,
}

/// A model to talk with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModelChoice {
    pub(crate) model: String,
    pub(crate) provider: Option<String>,
    pub(crate) reach: Reach,
}

/// How far a choice reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// This session.
    Session,
    /// This session and all later ones.
    Global,
}
