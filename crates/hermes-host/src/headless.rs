//! A front end for agents that nobody watches.

use hermes_agent::{AgentEvent, FrontEnd};
use hermes_llm::model::BoxFuture;

/// What an agent hears that asks a person who is not there.
pub const NOBODY_ANSWERS: &str =
    "(Nobody can answer: decide for yourself, and say what you assumed.)";

/// Ignores what happens, and has the agent decide for itself where it would ask.
#[derive(Clone, Copy, Debug, Default)]
pub struct Headless;

impl FrontEnd for Headless {
    fn on_event(&self, _: AgentEvent) {}

    fn clarify<'a>(&'a self, _: &'a str, _: &'a [String]) -> BoxFuture<'a, Option<String>> {
        Box::pin(std::future::ready(Some(NOBODY_ANSWERS.to_owned())))
    }
}
