//! What comes of something that took a while, on its way back to the loop.

use std::path::PathBuf;

use hermes_llm::Message;
use hermes_protocol::{GoalUpdate, ReloadedSettings, TurnEnd};

use super::picker::Picker;
use super::printed::RowSource;
use crate::clipboard::Clip;

/// What came of something that took a while.
#[derive(Debug)]
pub(crate) enum Completion {
    /// A turn is over.
    Turn(TurnEnd),
    /// A picture was got ready.
    Picture(Vec<String>),
    /// A command is done.
    Command(anyhow::Result<CommandOutcome>),
}

/// What a command gives.
#[derive(Debug)]
pub(crate) enum CommandOutcome {
    /// A line on it.
    Line(String),
    /// Rows, as they are to be shown.
    Rows(Vec<String>),
    /// What can be drawn for any width.
    Drawn(RowSource),
    /// What was said and taken back, to be said once more.
    SayAgain(String),
    /// Something to be said after what waits already.
    Planned(String),
    /// Something was taken back, and could be said differently.
    Undone(Option<String>),
    /// A conversation goes on.
    Resumed(Vec<Message>),
    /// What was said, to be shown.
    Said(Vec<Message>),
    /// A command of the person's own has run.
    Ran(OwnOutput),
    /// The change in the repository, to be looked at.
    Change(String),
    /// A list to choose from.
    Pick(Picker),
    /// Text for the clipboard.
    Copy(String),
    /// A new session has begun.
    Fresh(Scrollback),
    /// Something came of the goal.
    Goal(GoalUpdate),
    /// Settings were read anew.
    Reloaded(Box<ReloadedSettings>),
    /// What lay in the clipboard.
    Pasted(Clip),
    /// The program is to end.
    Leave,
}

/// What a command wrote that the person ran with `!`.
#[derive(Clone, Debug)]
pub(crate) struct OwnOutput {
    pub(crate) command: String,
    pub(crate) output: String,
}

impl OwnOutput {
    /// As the agent is told of it.
    pub(crate) fn told(&self) -> String {
        let Self { command, output } = self;
        format!("<command_run_by_user>\n$ {command}\n{output}\n</command_run_by_user>")
    }
}

/// What goes with a message beside its words.
#[derive(Debug, Default)]
pub(crate) struct ToldExtras {
    pub(crate) outputs: Vec<OwnOutput>,
    pub(crate) images: Vec<PathBuf>,
}

/// What becomes of the screen when a new session begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scrollback {
    Kept,
    Cleared,
}
