//! What a turn looks like: events in, rows out.
//!
//! A [`Transcript`] is told everything that happens ([`Transcript::on_event`]) and gives back rows
//! that stay on the screen, in the order of the events. What is only true for the moment (a line
//! still being written, a tool that runs, the wait for a model) is drawn anew whenever somebody
//! asks ([`Transcript::live`]) and leaves no trace.
//!
//! Rows that belong together stand together; between an answer, tools and notices there is one empty
//! row. Events of subagents are set in, and of those only what they did is shown: their words go to
//! the agent, not to the person.
//!
//! What never happens here: anything is written anywhere, a clock is read, or a row is lost. With a
//! style and the same events the rows are always the same.

use std::time::{Duration, Instant};

use hermes_protocol::AgentEvent;
use hermes_tool::ShownCall;

use super::call_log::CallLog;
use super::call_rows::{below, read_result};
use super::explored::{Explored, Look};
use super::fit::{cut, shown, wrap_text};
use super::markdown::{Markdown, MarkdownMode, render};
use super::notices::{self, TurnCost};
use super::running::{RunningCalls, WorkClock};
use super::spinner::{self, Doing};
use super::style::{Ink, Style};
use super::tool_lines::{FinishedCall, ToolLines};

/// How much is told about tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verbosity {
    /// Nothing.
    Off,
    /// A tool is named when another was used before.
    New,
    /// Every call.
    #[default]
    All,
    /// Every call, with its arguments and its result.
    Verbose,
}

impl Verbosity {
    /// The next one, and after the last the first.
    pub(crate) fn next(self) -> Self {
        match self {
            Self::Off => Self::New,
            Self::New => Self::All,
            Self::All => Self::Verbose,
            Self::Verbose => Self::Off,
        }
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::New => "new",
            Self::All => "all",
            Self::Verbose => "verbose",
        }
    }
}

/// What of a turn is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisplayOptions {
    /// How the formatting of answers is treated.
    pub markdown: MarkdownMode,
    /// Answers appear while they are written.
    pub streaming: bool,
    /// The model's thoughts are shown.
    pub reasoning: bool,
    /// Edits are shown as differences.
    pub diffs: bool,
    /// How much is told about tools.
    pub tools: Verbosity,
}

impl Default for DisplayOptions {
    fn default() -> Self {
        Self {
            markdown: MarkdownMode::default(),
            streaming: true,
            reasoning: true,
            diffs: true,
            tools: Verbosity::default(),
        }
    }
}

/// What kind of rows came last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Section {
    Start,
    Thoughts,
    Answer,
    Tools,
    Notices,
}

#[derive(Debug)]
enum Waiting {
    Thinking(usize),
    Named(String),
}

/// A turn as it is shown.
#[derive(Debug)]
pub(crate) struct Transcript {
    pub(crate) shown: DisplayOptions,
    pub(crate) activity: ToolLines,
    answer: Markdown,
    thoughts: String,
    section: Section,
    has_streamed: bool,
    /// What would have been shown by now, if answers appeared while they are written.
    held: String,
    running: RunningCalls,
    /// Calls that only looked and wait to be told together.
    explored: Explored,
    /// Every call of the conversation, to be looked at again.
    pub(crate) calls: CallLog,
    clock: WorkClock,
    waiting: Waiting,
    since: Instant,
    started: Instant,
    last_tool: Option<String>,
    cost: TurnCost,
}

impl Transcript {
    /// A turn that has not begun.
    pub(crate) fn new(shown: DisplayOptions, activity: ToolLines, now: Instant) -> Self {
        Self {
            answer: Markdown::new(shown.markdown),
            shown,
            activity,
            thoughts: String::new(),
            section: Section::Start,
            has_streamed: false,
            held: String::new(),
            running: RunningCalls::default(),
            explored: Explored::default(),
            calls: CallLog::default(),
            clock: WorkClock::new(),
            waiting: Waiting::Thinking(0),
            since: now,
            started: now,
            last_tool: None,
            cost: TurnCost::default(),
        }
    }

    /// A new turn begins.
    pub(crate) fn begin(&mut self, now: Instant) {
        *self = Self {
            cost: TurnCost { context: self.cost.context, ..TurnCost::default() },
            calls: std::mem::take(&mut self.calls),
            ..Self::new(self.shown, std::mem::take(&mut self.activity), now)
        };
    }

    /// The rows that an event adds.
    pub(crate) fn on_event(
        &mut self,
        event: &AgentEvent,
        now: Instant,
        style: &Style,
    ) -> Vec<String> {
        let mut rows = Vec::new();
        match event {
            AgentEvent::Asking { call } => self.wait(Waiting::Thinking(*call), now),
            AgentEvent::Text(text) => self.on_text(text, style, &mut rows),
            AgentEvent::Reasoning(text) => self.on_thought(text, style, &mut rows),
            AgentEvent::WritingCall { tool } => {
                self.wait(Waiting::Named(format!("✎ {tool}")), now);
            }
            AgentEvent::Said { text } => {
                self.end_message(text, style, &mut rows);
                self.wait(Waiting::Thinking(0), now);
            }
            AgentEvent::ToolStarted { id, tool, args } => {
                self.running.start(None, (id, tool, args), now, &self.clock);
            }
            AgentEvent::ToolProgress { id, message } => self.running.progress(None, id, message),
            AgentEvent::ToolOutput { id, tail } => self.running.output(None, id, tail),
            AgentEvent::ToolFinished { id, tool, args, output, failed, took } => {
                let asked = self.running.finish(None, id, now, &self.clock);
                let (failed, took) = (*failed, took.saturating_sub(asked));
                let call = FinishedCall { tool, args, output, failed, took, child: None };
                self.finish_call(call, style, &mut rows);
                self.wait(Waiting::Thinking(0), now);
            }
            AgentEvent::Notice { level, text } => {
                self.enter(Section::Notices, style, &mut rows);
                rows.extend(notices::notice(*level, text, style));
            }
            AgentEvent::Compacting => {
                self.wait(Waiting::Named("compressing the conversation".to_owned()), now);
            }
            AgentEvent::Spent { usage, context_tokens } => {
                self.cost.usage += *usage;
                self.cost.context = *context_tokens;
            }
            AgentEvent::Child { task, event, .. } => {
                self.on_child(*task, event, now, style, &mut rows);
            }
        }
        rows
    }

    /// The turn is over, as it should be or not: what is unfinished is shown as it is.
    pub(crate) fn end(&mut self, now: Instant, style: &Style) -> (Vec<String>, TurnCost) {
        let mut rows = Vec::new();
        self.end_thoughts(style, &mut rows);
        rows.extend(self.answer.finish(style));
        let held = std::mem::take(&mut self.held);
        self.end_message(&held, style, &mut rows);
        self.end_looking(style, &mut rows);
        self.running.clear();
        self.clock.set_asking(false, now);
        self.cost.took = now.duration_since(self.started).saturating_sub(self.clock.asked(now));
        (rows, self.cost)
    }

    /// A person is asked something, or no longer: their time is not the agent's.
    pub(crate) fn set_asking(&mut self, is_asked: bool, now: Instant) {
        self.clock.set_asking(is_asked, now);
    }

    /// What is true for the moment, in at most this many rows.
    pub(crate) fn live(&self, now: Instant, most: usize, style: &Style) -> Vec<String> {
        let mut rows = self.explored.rows(style);
        rows.extend(self.tail(style));
        let below = self.running_rows(now, style);
        let room = most.saturating_sub(below.len() + 1);
        rows.drain(..rows.len().saturating_sub(room));
        rows.push(String::new());
        rows.extend(below);
        rows.truncate(most);
        rows
    }

    fn tail(&self, style: &Style) -> Vec<String> {
        if !self.thoughts.is_empty() {
            return thought_rows(&self.thoughts, style);
        }
        self.answer.tail(style)
    }

    fn running_rows(&self, now: Instant, style: &Style) -> Vec<String> {
        if self.running.is_empty() {
            let doing = match &self.waiting {
                Waiting::Thinking(seed) => Doing::Thinking(*seed),
                Waiting::Named(name) => Doing::Named(name),
            };
            return vec![spinner::row(doing, now.duration_since(self.since), style)];
        }
        self.running.rows(&self.activity, now, &self.clock, style)
    }

    fn wait(&mut self, what: Waiting, now: Instant) {
        self.waiting = what;
        self.since = now;
    }

    /// Rows of another kind follow: an empty row sets them off.
    fn enter(&mut self, section: Section, style: &Style, rows: &mut Vec<String>) {
        self.end_looking(style, rows);
        self.set_off(section, rows);
    }

    /// What was looked at is told once something else happens.
    fn end_looking(&mut self, style: &Style, rows: &mut Vec<String>) {
        if !self.explored.is_empty() {
            self.set_off(Section::Tools, rows);
            rows.extend(self.explored.take(style));
        }
    }

    fn set_off(&mut self, section: Section, rows: &mut Vec<String>) {
        if self.section != section {
            rows.push(String::new());
            self.section = section;
        }
    }

    fn on_text(&mut self, text: &str, style: &Style, rows: &mut Vec<String>) {
        if !self.shown.streaming {
            self.held.push_str(text);
            return;
        }
        self.end_thoughts(style, rows);
        // Models like to begin with line breaks.
        let text = if self.has_streamed { text } else { text.trim_start_matches(['\n', '\r']) };
        if text.is_empty() {
            return;
        }
        self.has_streamed = true;
        self.enter(Section::Answer, style, rows);
        rows.extend(self.answer.push(text, style));
    }

    fn end_message(&mut self, text: &str, style: &Style, rows: &mut Vec<String>) {
        self.end_thoughts(style, rows);
        if self.has_streamed {
            rows.extend(self.answer.finish(style));
        } else if !text.trim().is_empty() {
            self.enter(Section::Answer, style, rows);
            rows.extend(render(text.trim_matches(['\n', '\r']), self.shown.markdown, style));
        }
        self.has_streamed = false;
        self.held.clear();
    }

    fn on_thought(&mut self, text: &str, style: &Style, rows: &mut Vec<String>) {
        if !self.shown.reasoning {
            return;
        }
        self.thoughts.push_str(text);
        let Some(end) = self.thoughts.rfind('\n') else { return };
        let rest = self.thoughts.split_off(end + 1);
        let whole = std::mem::replace(&mut self.thoughts, rest);
        self.add_thoughts(&whole, style, rows);
    }

    fn end_thoughts(&mut self, style: &Style, rows: &mut Vec<String>) {
        let rest = std::mem::take(&mut self.thoughts);
        self.add_thoughts(&rest, style, rows);
    }

    fn add_thoughts(&mut self, text: &str, style: &Style, rows: &mut Vec<String>) {
        if text.trim().is_empty() {
            return;
        }
        self.enter(Section::Thoughts, style, rows);
        rows.extend(text.lines().flat_map(|line| thought_rows(line, style)));
    }

    fn finish_call(&mut self, call: FinishedCall<'_>, style: &Style, rows: &mut Vec<String>) {
        self.calls.add(&call);
        let is_new = self.last_tool.as_deref() != Some(call.tool);
        self.last_tool = Some(call.tool.to_owned());
        match self.shown.tools {
            Verbosity::Off => return,
            Verbosity::New if !is_new && !call.failed => return,
            _ => {}
        }
        let line = self.activity.finished(call, style);
        let is_verbose = self.shown.tools == Verbosity::Verbose;
        if let Some((counted_as, detail)) = self.activity.look_of(&call)
            && self.shown.tools == Verbosity::All
        {
            self.explored.add(Look { counted_as, detail, took: call.took, line });
            return;
        }
        self.enter(Section::Tools, style, rows);
        rows.push(line);
        if call.child.is_some() {
            return;
        }
        let result = read_result(call.output);
        let told = ShownCall { args: call.args, result: result.as_ref() };
        let view = self.activity.result_view(call.tool);
        rows.extend(below(&told, view, self.shown.diffs, style));
        if is_verbose {
            rows.extend(details(&call.args.to_string(), "←", style));
            rows.extend(details(call.output, "→", style));
        }
    }

    fn on_child(
        &mut self,
        task: usize,
        event: &AgentEvent,
        now: Instant,
        style: &Style,
        rows: &mut Vec<String>,
    ) {
        match event {
            AgentEvent::ToolStarted { id, tool, args } => {
                self.running.start(Some(task), (id, tool, args), now, &self.clock);
            }
            AgentEvent::ToolProgress { id, message } => {
                self.running.progress(Some(task), id, message);
            }
            AgentEvent::ToolOutput { id, tail } => self.running.output(Some(task), id, tail),
            AgentEvent::ToolFinished { id, tool, args, output, failed, took } => {
                let asked = self.running.finish(Some(task), id, now, &self.clock);
                let (failed, took) = (*failed, took.saturating_sub(asked));
                let call = FinishedCall { tool, args, output, failed, took, child: Some(task) };
                self.finish_call(call, style, rows);
            }
            AgentEvent::Notice { level, text } => {
                self.enter(Section::Tools, style, rows);
                let text = format!("[{}] {text}", task + 1);
                rows.extend(notices::notice(*level, &text, style));
            }
            AgentEvent::Spent { usage, .. } => self.cost.usage += *usage,
            _ => {}
        }
    }
}

/// A line of thoughts.
fn thought_rows(line: &str, style: &Style) -> Vec<String> {
    wrap_text(&shown(line), style.width - 2)
        .iter()
        .map(|row| style.paint(Ink::DIM.and(Ink::ITALIC), format!("┊ {row}").trim_end()))
        .collect()
}

/// Arguments or a result, for those who want to see everything, within reason.
fn details(text: &str, sign: &str, style: &Style) -> Vec<String> {
    const MAX_ROWS: usize = 20;
    let text = shown(text);
    let mut rows: Vec<String> = text
        .lines()
        .take(MAX_ROWS)
        .map(|line| style.paint(Ink::DIM, &format!("    {sign} {}", cut(line, style.width - 6))))
        .collect();
    let more = text.lines().count().saturating_sub(MAX_ROWS);
    if more > 0 {
        rows.push(style.paint(Ink::DIM, &format!("    {sign} … {more} more lines")));
    }
    rows
}

/// How long a moment's rows stay true.
pub(crate) const REFRESH: Duration = spinner::FRAME;

#[cfg(test)]
#[path = "transcript_tests.rs"]
mod tests;
