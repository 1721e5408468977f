//! `mixture_of_agents`: several models on one question.

use std::sync::Arc;

use hermes_llm::{Message, Model};
use hermes_tool::{ToolContext, ToolError, ToolOutput, ToolResult};
use hermes_tools::agent_level::{MixtureOfAgents, MoaSettings, ModelRef};

use super::{Desk, lock};
use crate::moa::Mixture;

impl Desk {
    pub(super) async fn mixture(&self, args: MixtureOfAgents, cx: &ToolContext) -> ToolResult {
        let settings = MoaSettings::from_config(&self.world.config, None)
            .filter(MoaSettings::is_usable)
            .ok_or_else(|| {
                ToolError::answer(
                    "No mixture is set up: moa.presets in config.yaml names the models",
                )
            })?;
        let find =
            self.world.models.as_ref().ok_or_else(|| ToolError::answer("No models to ask"))?;
        let named = |wanted: &ModelRef| {
            let provider = Some(wanted.provider.as_str()).filter(|name| !name.is_empty());
            find(provider, &wanted.model).map_err(ToolError::answer)
        };
        let references: Vec<Arc<dyn Model>> =
            settings.references.iter().map(named).collect::<Result<_, _>>()?;
        let aggregator = match &settings.aggregator {
            Some(wanted) => named(wanted)?,
            None => {
                let delegator = Arc::clone(&lock(&self.delegator));
                Arc::clone(&delegator.seats.current().model)
            }
        };
        let mixture = Mixture {
            references: references.iter().map(|model| &**model).collect(),
            aggregator: &*aggregator,
            settings: &settings,
        };
        let question = [Message::user(args.user_prompt)];
        match mixture.answer(&question, cx.cancellation()).await {
            Ok(answer) => ToolOutput::json(&answer.to_value()),
            Err(problem) => Err(ToolError::answer(problem.message)),
        }
    }
}
