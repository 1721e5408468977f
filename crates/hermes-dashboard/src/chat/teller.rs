//! Makes blocks of what happens in a turn.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hermes_agent::{AgentEvent, FrontEnd, NoticeLevel};
use hermes_llm::model::BoxFuture;

use super::block::{BlockKind, Choice, cut, readable};
use super::questions::{Decision, NewQuestion, OpenQuestions};
use super::room::Room;

/// Characters of what a running program wrote last.
const MAX_TAIL: usize = 2_000;

/// Tells a room.
pub(crate) struct Teller {
    room: Arc<Room>,
    questions: Arc<OpenQuestions>,
    /// Blocks of calls, by their ids.
    calls: Mutex<HashMap<String, u64>>,
}

impl Teller {
    pub(crate) fn new(room: Arc<Room>, questions: Arc<OpenQuestions>) -> Self {
        Self { room, questions, calls: Mutex::default() }
    }

    fn block_of(&self, call: &str) -> Option<u64> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).get(call).copied()
    }

    fn progress(&self, call: &str, shown: &str) {
        let Some(block) = self.block_of(call) else { return };
        self.room.change(block, |what| {
            if let BlockKind::Tool { output, .. } = what {
                *output = cut(shown, MAX_TAIL);
            }
        });
    }
}

impl FrontEnd for Teller {
    fn on_event(&self, event: AgentEvent) {
        match event {
            AgentEvent::Text(more) if !more.is_empty() => self.room.go_on(
                |last| match last {
                    BlockKind::Text { text } => {
                        text.push_str(&more);
                        true
                    }
                    _ => false,
                },
                BlockKind::Text { text: more.clone() },
            ),
            AgentEvent::Reasoning(more) if !more.is_empty() => self.room.go_on(
                |last| match last {
                    BlockKind::Reasoning { text } => {
                        text.push_str(&more);
                        true
                    }
                    _ => false,
                },
                BlockKind::Reasoning { text: more.clone() },
            ),
            AgentEvent::ToolStarted { id, tool, args } => {
                let block = self.room.add(BlockKind::call(&tool, &args));
                self.calls.lock().unwrap_or_else(PoisonError::into_inner).insert(id, block);
            }
            AgentEvent::ToolProgress { id, message } => self.progress(&id, &message),
            AgentEvent::ToolOutput { id, tail } => self.progress(&id, &tail.lines.join("\n")),
            AgentEvent::ToolFinished { id, output: given, failed, took: time, .. } => {
                let Some(block) = self.block_of(&id) else { return };
                self.room.change(block, |what| {
                    if let BlockKind::Tool { output, state, took, .. } = what {
                        *output = readable(&given);
                        *state = if failed { "failed" } else { "done" };
                        *took = seconds(time);
                    }
                });
            }
            AgentEvent::Notice { level, text } => {
                let level = match level {
                    NoticeLevel::Info => "info",
                    NoticeLevel::Warning => "warning",
                };
                self.room.add(BlockKind::Notice { level, text });
            }
            AgentEvent::Compacting => {
                let text = "The conversation is made shorter.".to_owned();
                self.room.add(BlockKind::Notice { level: "info", text });
            }
            _ => {}
        }
    }

    fn clarify<'a>(
        &'a self,
        question: &'a str,
        choices: &'a [String],
    ) -> BoxFuture<'a, Option<String>> {
        let choices = choices.iter().map(|choice| Choice {
            value: choice.clone(),
            label: choice.clone(),
            style: "plain",
        });
        let asked = NewQuestion {
            headline: question.to_owned(),
            subject: String::new(),
            reasons: Vec::new(),
            choices: choices.collect(),
            free: true,
        };
        Box::pin(async move {
            match self.questions.put(&self.room, asked).await? {
                Decision::Choice(words) | Decision::Words(words) => Some(words),
            }
        })
    }
}

/// How long something took; nothing if that is not worth a word.
fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        short if short < 0.1 => String::new(),
        short if short < 60.0 => format!("{short:.1} s"),
        long => format!("{} min {} s", long as u64 / 60, long as u64 % 60),
    }
}
