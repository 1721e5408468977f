//! `mixture_of_agents`: several models on one question.

use std::sync::Arc;

use hermes_llm::Message;
use hermes_tool::{ToolContext, ToolError, ToolOutput, ToolResult};
use hermes_tools::agent_level::MixtureOfAgents;

use super::{Desk, lock};
use crate::mixture::Party;
use crate::moa::Mixture;

impl Desk {
    pub(super) async fn mixture(&self, args: MixtureOfAgents, cx: &ToolContext) -> ToolResult {
        let party = Party::gather(&self.world).map_err(ToolError::answer)?;
        let aggregator = party.aggregator.clone().unwrap_or_else(|| {
            let delegator = Arc::clone(&lock(&self.delegator));
            Arc::clone(&delegator.seats.current().model)
        });
        let mixture = Mixture {
            references: party.references.iter().map(|model| &**model).collect(),
            aggregator: &*aggregator,
            settings: &party.settings,
        };
        let question = [Message::user(args.user_prompt)];
        match mixture.answer(&question, cx.cancellation()).await {
            Ok(answer) => ToolOutput::json(&answer.to_value()),
            Err(problem) => Err(ToolError::answer(problem.message)),
        }
    }
}
