//! What a turn tells whoever watches it, and what it may ask.
//!
//! The loop says what happens as [`AgentEvent`]s and does not know how they are shown: the command line
//! draws them, one-shot mode drops most, a server passes them on. What it needs from a person goes
//! through [`FrontEnd`].

use std::time::Duration;

use hermes_llm::TokenUsage;
use hermes_llm::model::BoxFuture;
use hermes_tool::OutputTail;
use serde_json::Value;

/// Something that happened in a turn.
#[derive(Clone, Debug)]
pub enum AgentEvent {
    /// The model is being asked, for the n-th time in this turn.
    Asking {
        /// Counts from one.
        call: usize,
    },
    /// More of the answer's text.
    Text(String),
    /// More of the model's thinking.
    Reasoning(String),
    /// The model is writing a call of this tool.
    WritingCall {
        /// The tool.
        tool: String,
    },
    /// A message of the model is whole. What was streamed since the last one belongs to it.
    Said {
        /// Its text, thinking removed; empty if it only called tools.
        text: String,
    },
    /// A tool begins.
    ToolStarted {
        /// The model's id of the call.
        id: String,
        /// The tool.
        tool: String,
        /// Its arguments, secrets masked.
        args: Value,
    },
    /// A tool has come further.
    ToolProgress {
        /// The model's id of the call.
        id: String,
        /// What it does.
        message: String,
    },
    /// A program that a tool runs has written more.
    ToolOutput {
        /// The model's id of the call.
        id: String,
        /// What it wrote last, secrets masked.
        tail: OutputTail,
    },
    /// A tool is done.
    ToolFinished {
        /// The model's id of the call.
        id: String,
        /// The tool.
        tool: String,
        /// Its arguments, secrets masked.
        args: Value,
        /// Its result, as the model gets it.
        output: String,
        /// Whether it failed.
        failed: bool,
        /// How long it took.
        took: Duration,
    },
    /// Something the person should know: a retry, another provider, a compaction.
    Notice {
        /// How serious it is.
        level: NoticeLevel,
        /// One line, perhaps a second with advice.
        text: String,
    },
    /// The history is being made shorter.
    Compacting,
    /// A call to the model was paid for.
    Spent {
        /// What it cost.
        usage: TokenUsage,
        /// Tokens the conversation takes up now.
        context_tokens: u64,
    },
    /// Something happened in a subagent.
    Child {
        /// Which of the tasks, from zero.
        task: usize,
        /// What it works on.
        goal: String,
        /// What happened there.
        event: Box<AgentEvent>,
    },
}

/// How serious a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeLevel {
    /// Good to know.
    Info,
    /// Something did not go as it should.
    Warning,
}

/// Something that happened beside the conversation: a background task ended, a process exited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notification {
    /// How serious it is.
    pub level: NoticeLevel,
    /// What happened, in a line or two.
    pub title: String,
    /// What came of it, as Markdown.
    pub text: Option<String>,
}

/// What a person says to something that needs their word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confirmed {
    /// Yes.
    Yes,
    /// No, and perhaps why.
    No {
        /// In their words.
        reason: Option<String>,
    },
    /// Nothing: nobody is there, or they would not say.
    NoAnswer,
}

/// Who watches a turn and answers its questions.
pub trait FrontEnd: Send + Sync {
    /// Is told what happens, from any task, in order. Must not block.
    fn on_event(&self, event: AgentEvent);

    /// Is told of something beside the conversation, at any time. Must not block.
    fn notify(&self, _notification: Notification) {}

    /// Asks the person. `None`: there was no answer in time, or nobody is there.
    fn clarify<'a>(
        &'a self,
        question: &'a str,
        choices: &'a [String],
    ) -> BoxFuture<'a, Option<String>>;

    /// Asks for a person's word on something that can wait. Where nobody is there, it does.
    fn confirm<'a>(&'a self, _question: &'a str) -> BoxFuture<'a, Confirmed> {
        Box::pin(std::future::ready(Confirmed::NoAnswer))
    }
}
