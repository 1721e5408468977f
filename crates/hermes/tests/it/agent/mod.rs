//! The agent over real HTTP, on both wires: `hermes -z` and a scripted model.
//!
//! Each test tells a model server what to say, asks one question and looks at the exit code, what was
//! printed, what is on disk, and what was sent. What was sent is checked as a whole in every test: roles
//! legal, every call answered once, the tools the same bytes, nothing said before rewritten.

mod chat;
mod engine;
mod errors;
mod first_run;
mod locked;
mod loop_tests;
mod planning;
mod real_model;
mod recovery;
mod servers;
mod session;
mod slips;
mod small;
mod stream;
mod terminal;

pub(crate) use terminal::Terminal;

use hermes_testkit::{ModelServer, Script, Seen};

use crate::support::{Run, Sandbox};

/// How the model is spoken to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wire {
    Chat,
    Messages,
}

pub(crate) const BOTH: [Wire; 2] = [Wire::Chat, Wire::Messages];

/// The program and a model.
pub(crate) struct Scene {
    pub(crate) sandbox: Sandbox,
    pub(crate) server: ModelServer,
}

impl Scene {
    pub(crate) fn new(wire: Wire, script: impl Into<Script>) -> Self {
        Self::with_config(wire, script, "")
    }

    /// With further settings.
    pub(crate) fn with_config(wire: Wire, script: impl Into<Script>, settings: &str) -> Self {
        Self::with_window(wire, script, 200_000, settings)
    }

    /// With a window of this size.
    pub(crate) fn with_window(
        wire: Wire,
        script: impl Into<Script>,
        window: u64,
        settings: &str,
    ) -> Self {
        let server = ModelServer::start(script);
        let base = match wire {
            Wire::Chat => server.url(),
            Wire::Messages => format!("{}/anthropic", server.origin()),
        };
        let sandbox = Sandbox::with_config(&format!(
            "model:\n  provider: custom\n  base_url: {base}\n  default: scripted\n  \
             context_length: {window}\n{settings}"
        ));
        Self { sandbox, server }
    }

    pub(crate) fn asks(&self, question: &str) -> Run {
        self.sandbox.run(["-z", question])
    }

    pub(crate) fn asks_with(&self, flags: &[&str], question: &str) -> Run {
        let all = flags.iter().copied().chain(["-z", question]);
        self.sandbox.run(all)
    }

    /// What was sent, after checking that it is well-formed.
    pub(crate) fn sent(&self) -> Vec<Seen> {
        self.server.conversation().assert_sound();
        self.server.questions()
    }

    /// The results of tools in the last request.
    pub(crate) fn results(&self) -> Vec<String> {
        let sent = self.sent();
        let view = sent.last().unwrap().view();
        view.turns.iter().filter(|turn| turn.role == "tool").map(|turn| turn.text.clone()).collect()
    }
}
