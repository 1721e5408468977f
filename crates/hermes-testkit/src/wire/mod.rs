//! From a step to what goes over a wire.

mod chat;
mod messages;

use crate::step::{Call, ScriptedUsage, Step};
use crate::view::{ModelWire, View};

/// What a step says, with everything filled in that depends on the request.
pub(crate) struct Lines {
    pub(crate) step: Step,
    pub(crate) model: String,
    pub(crate) text: String,
    pub(crate) calls: Vec<Line>,
    pub(crate) finish: String,
    pub(crate) usage: ScriptedUsage,
}

/// A call with its id and argument text.
pub(crate) struct Line {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) arguments: String,
}

impl Lines {
    /// Fills in a step for the request with this number.
    pub(crate) fn new(step: Step, view: &View, number: usize) -> Self {
        let text = step.text.as_deref().unwrap_or_default();
        let text = text
            .replace("{{tool}}", view.last_text("tool"))
            .replace("{{user}}", view.last_text("user"));
        let line = |(place, call): (usize, &Call)| Line {
            id: call.id.clone().unwrap_or_else(|| format!("call_{number}_{place}")),
            name: call.name.clone(),
            arguments: call.argument_text(),
        };
        let calls: Vec<Line> = step.calls.iter().enumerate().map(line).collect();
        let usual = if calls.is_empty() { "stop" } else { "tool_calls" };
        let said = text.len() + calls.iter().map(|call| call.arguments.len()).sum::<usize>();
        let counted = |characters: usize| (characters as u64).div_ceil(4);
        Self {
            model: view.model.clone(),
            finish: step.finish.clone().unwrap_or_else(|| usual.to_owned()),
            usage: step.usage.unwrap_or_else(|| ScriptedUsage {
                input: counted(view.raw.len()),
                output: counted(said),
                ..ScriptedUsage::default()
            }),
            text,
            calls,
            step,
        }
    }

    /// The answer as one body.
    pub(crate) fn body(&self, wire: ModelWire) -> String {
        match wire {
            ModelWire::Chat => chat::body(self),
            ModelWire::Messages => messages::body(self),
        }
    }

    /// The answer as the events of a stream.
    pub(crate) fn events(&self, wire: ModelWire) -> Vec<String> {
        match wire {
            ModelWire::Chat => chat::events(self),
            ModelWire::Messages => messages::events(self),
        }
    }

    fn pieces(&self, text: &str) -> Vec<String> {
        let characters: Vec<char> = text.chars().collect();
        let size = if self.step.chunk == 0 { characters.len().max(1) } else { self.step.chunk };
        characters.chunks(size).map(String::from_iter).collect()
    }
}
