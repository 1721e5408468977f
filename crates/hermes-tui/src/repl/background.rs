//! What happens beside the conversation: work in the background, subagents, goals.

use std::collections::BTreeMap;
use std::time::Instant;

use hermes_protocol::Notification;
use hermes_protocol::text::seconds;
use hermes_protocol::{AgentEvent, NoticeLevel};
use hermes_protocol::{GoalRequest, GoalUpdate, StopTarget, TaskSummary, TurnStatus, UserInput};

use super::outcome::CommandOutcome;
use super::{ChatTerminal, Repl};
use crate::display::fit::{cut, on_one_line, padded};
use crate::display::markdown::render;
use crate::display::{Ink, Style, fit, notices};

/// The subagents of the running turn.
#[derive(Default)]
pub(super) struct Subagents(BTreeMap<usize, Child>);

struct Child {
    goal: String,
    doing: Option<String>,
    since: Instant,
}

impl Subagents {
    /// Takes note of what happens.
    pub(super) fn hear(&mut self, event: &AgentEvent) {
        match event {
            AgentEvent::Child { task, goal, event } => {
                let child = self.0.entry(*task).or_insert_with(|| Child {
                    goal: goal.clone(),
                    doing: None,
                    since: Instant::now(),
                });
                child.goal.clone_from(goal);
                match &**event {
                    AgentEvent::ToolStarted { tool, .. } => child.doing = Some(tool.clone()),
                    AgentEvent::ToolFinished { .. } => child.doing = None,
                    _ => {}
                }
            }
            // Whatever has subagents at work runs alone, so it is this call that has ended.
            AgentEvent::ToolFinished { .. } => self.forget(),
            _ => {}
        }
    }

    /// The turn is over.
    pub(super) fn forget(&mut self) {
        self.0.clear();
    }

    fn lines(&self) -> impl Iterator<Item = TaskSummary> {
        self.0.iter().map(|(task, child)| TaskSummary {
            id: format!("subagent {}", task + 1),
            about: child.goal.clone(),
            state: "running".to_owned(),
            doing: child.doing.clone(),
            took: child.since.elapsed(),
        })
    }
}

impl<S: ChatTerminal> Repl<S> {
    /// Something happened beside the conversation. Within a turn only the line is shown; the rest
    /// waits, so that an answer is not torn apart.
    pub(super) fn on_news(&mut self, news: Notification) {
        if !self.in_turn {
            self.show_news(&news);
            return;
        }
        let event = AgentEvent::Notice { level: news.level, text: news.title.clone() };
        self.hear(&event);
        if news.text.is_some() {
            self.held.push(news);
        }
    }

    /// Shows what had to wait for the end of the turn.
    pub(super) fn show_held(&mut self) {
        for news in std::mem::take(&mut self.held) {
            self.show_news(&news);
        }
    }

    fn show_news(&mut self, news: &Notification) {
        let (news, markdown) = (news.clone(), self.settings.shown.markdown);
        self.show(move |style| {
            let mut rows = vec![String::new()];
            rows.extend(notices::notice(news.level, &news.title, style));
            if let Some(text) = &news.text {
                rows.push(String::new());
                rows.extend(render(text.trim(), markdown, style));
            }
            rows.push(String::new());
            rows
        });
    }

    /// Lists what works beside the conversation.
    pub(super) fn list_tasks(&mut self) {
        let mut lines: Vec<TaskSummary> = self.children.lines().collect();
        lines.extend(self.conversation.tasks());
        self.show(move |style| rows(&lines, style));
    }

    /// Ends the turn, or something beside it.
    pub(super) fn stop(&mut self, which: Option<StopTarget>) {
        match which {
            None if self.in_turn => {
                self.conversation.interrupt();
                self.flash("Stopping.");
            }
            None => {
                let running = self.conversation.tasks().into_iter();
                let running: Vec<String> =
                    running.filter(|task| task.state == "running").map(|task| task.id).collect();
                let text = match running.is_empty() {
                    true => "Nothing is running.".to_owned(),
                    false => format!(
                        "No turn is running. In the background: {}.\n/stop ID ends one, /stop all \
                         all of them.",
                        running.join(", ")
                    ),
                };
                self.notice(NoticeLevel::Info, &text);
            }
            Some(which) => {
                if which == StopTarget::All && self.in_turn {
                    self.conversation.interrupt();
                }
                self.ask_agent(move |agent| async move {
                    agent.stop_task(which).await.map(CommandOutcome::Line)
                });
            }
        }
    }

    /// A turn of an agent with a goal is over; whether something follows from it by itself.
    pub(super) fn pursue_goal(&mut self, outcome: &TurnStatus) -> bool {
        let is_free = self.queue.is_empty() && self.ending.is_none();
        if !is_free || self.conversation.status().goal.is_none() {
            return false;
        }
        match outcome {
            TurnStatus::Done | TurnStatus::Partial(_) => self.ask_agent(|agent| async move {
                let step = agent.judge().await?;
                Ok(CommandOutcome::Goal(step.unwrap_or_default()))
            }),
            // Whoever stops a turn does not want the next one to begin.
            TurnStatus::Interrupted | TurnStatus::Failed(_) => {
                self.order_goal(GoalRequest::Pause);
            }
        }
        true
    }

    pub(super) fn order_goal(&mut self, order: GoalRequest) {
        self.ask_agent(
            move |agent| async move { agent.goal(order).await.map(CommandOutcome::Goal) },
        );
    }

    /// What the goal wants next. What the person has said since comes first.
    pub(super) fn follow_goal(&mut self, step: GoalUpdate) {
        if !step.line.is_empty() {
            self.notice(NoticeLevel::Info, &step.line);
        }
        if let Some(say) = step.say.filter(|_| self.queue.is_empty()) {
            self.queue.push_back(UserInput::from(say));
        }
    }
}

/// What works beside the conversation, a row each and one for what it does.
fn rows(lines: &[TaskSummary], style: &Style) -> Vec<String> {
    if lines.is_empty() {
        let text = "· Nothing works in the background. /background PROMPT begins something.";
        return vec![style.paint(Ink::DIM, &cut(text, style.width))];
    }
    let width = |text: fn(&TaskSummary) -> String| {
        lines.iter().map(|line| fit::columns(&text(line))).max().unwrap_or(0)
    };
    let state = |line: &TaskSummary| format!("{} {}", line.state, seconds(line.took));
    let (ids, states) = (width(|line| line.id.clone()), width(state));
    let mut rows = Vec::new();
    for line in lines {
        let room = style.width.saturating_sub(ids + states + 6);
        let about = cut(&on_one_line(&line.about), room);
        let id = style.paint(Ink::CYAN, &padded(&line.id, ids));
        let state = style.paint(Ink::DIM, &padded(&state(line), states));
        rows.push(format!("  {id}  {state}  {about}"));
        if let Some(doing) = &line.doing {
            let row = format!("  {}  {}", " ".repeat(ids), on_one_line(doing));
            rows.push(style.paint(Ink::DIM, &cut(&row, style.width)));
        }
    }
    rows.push(style.paint(Ink::DIM, "  /stop ID ends one, /stop all all of them."));
    rows
}
