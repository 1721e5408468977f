//! What a command asks for.

use std::path::PathBuf;

use hermes_llm::model::Effort;
use hermes_protocol::{CompactRequest, GoalRequest, ModelChoice, ReviewTarget, StopTarget};

use crate::display::Verbosity;

/// What a command asks for, ready to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SlashAction {
    Help(HelpTopic),
    Quit {
        delete: bool,
    },
    Clear,
    New(Option<String>),
    History,
    Save(Option<PathBuf>),
    Retry,
    Undo(usize),
    /// Shows the title, or sets it.
    Title(Option<String>),
    /// Lists sessions, or goes on with one.
    Resume(Option<String>),
    Sessions,
    Branch(Option<String>),
    Compress(CompactRequest),
    /// Shows the model, or changes it.
    Model(Option<ModelChoice>),
    /// Ends the turn, or something that works beside it.
    Stop(Option<StopTarget>),
    Steer(String),
    Queue(String),
    /// Shows what typing does while the agent works, or changes it.
    Busy(Option<BusyMode>),
    Yolo,
    Reasoning(ReasoningChange),
    /// Tells more or less about tools; without a level the next one.
    Verbose(Option<Verbosity>),
    Status,
    Usage,
    Compose,
    Image(PathBuf),
    /// Copies one of the last answers, counted from the end.
    Copy(usize),
    Version,
    PickProfile,
    /// The same as on the command line: these are the words after `hermes`.
    CommandLine(Vec<String>),
    /// Something else to be worked on, beside the conversation.
    Background(String),
    /// What works beside the conversation.
    Tasks,
    Goal(GoalRequest),
    /// Something to be asked of several models.
    Moa(String),
    /// Shows the ways to speak, or chooses one.
    Personality(Option<String>),
    /// Thinks as little as possible, or as before.
    Fast,
    Reload,
    /// Connects to the MCP servers of the settings as they are now.
    ReloadServers,
    ReloadSkills,
    Paste,
    Debug,
    /// The shades are chosen from a list, or by name.
    Theme(Option<String>),
    /// A tool is chosen from a list.
    PickTool,
    /// A checkpoint is chosen from a list.
    PickCheckpoint,
    /// An MCP server is chosen from a list.
    PickServer,
    /// What was changed in the repository is shown.
    Diff,
    /// What fills the window is shown.
    Context,
    /// The agent plans first, or carries out what it planned.
    Plan(PlanRequest),
    /// Somebody looks a change over.
    Review(ReviewTarget),
    /// The session is written to a file: Markdown, or a page for browsers.
    Export(Option<PathBuf>),
    /// A tool call is shown whole: the newest, or the one with this number.
    Expand(Option<usize>),
}

/// What `/help` is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum HelpTopic {
    /// The names of all commands, on a page.
    Names,
    /// What each of them takes and does.
    All,
    /// One command.
    One(&'static str),
}

/// What `/plan` asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlanRequest {
    /// Plans from now on; while planning, the choices are shown.
    Begin,
    /// Plans this.
    About(String),
    /// The plan is carried out.
    Accept,
    /// Plans no more.
    Leave,
}

/// What typing does while the agent works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, hermes_tool::settings::SettingWords)]
pub enum BusyMode {
    /// It ends the turn, and what was typed begins the next one.
    #[default]
    Interrupt,
    /// It waits for the end of the turn.
    Queue,
    /// The agent hears it without stopping.
    Steer,
}

impl BusyMode {
    /// All, with their names.
    pub(crate) const ALL: [(&'static str, Self); 3] =
        [("interrupt", Self::Interrupt), ("queue", Self::Queue), ("steer", Self::Steer)];

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, mode)| *mode == self).map_or("", |(name, _)| name)
    }
}

/// What becomes of thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReasoningChange {
    /// Nothing; it is only told how it is.
    None,
    /// Thoughts are shown.
    Show,
    /// Thoughts are not shown.
    Hide,
    /// The model thinks this much.
    Effort(Effort),
}

/// How much a model may think, with names.
pub(crate) const EFFORTS: [(&str, Effort); 8] = [
    ("none", Effort::None),
    ("minimal", Effort::Minimal),
    ("low", Effort::Low),
    ("medium", Effort::Medium),
    ("high", Effort::High),
    ("xhigh", Effort::XHigh),
    ("max", Effort::Max),
    ("ultra", Effort::Ultra),
];

/// The name of an effort.
pub(crate) fn effort_name(effort: Effort) -> &'static str {
    EFFORTS.iter().find(|(_, known)| *known == effort).map_or("", |(name, _)| name)
}
