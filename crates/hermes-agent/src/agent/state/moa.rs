//! `mixture_of_agents`: several models on one question.

use std::sync::Arc;

use hermes_llm::Message;
use hermes_llm::model::BoxFuture;
use hermes_tool::ToolError;
use hermes_tools::moa::ModelPanel;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{AgentState, lock};
use crate::moa::MoaRun;
use crate::moa::models::MoaModels;

impl ModelPanel for AgentState {
    fn ask<'a>(
        &'a self,
        question: String,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<Value, ToolError>> {
        Box::pin(async move {
            let models = MoaModels::gather(&self.context).map_err(ToolError::answer)?;
            let aggregator = models.aggregator.clone().unwrap_or_else(|| {
                let delegator = Arc::clone(&lock(&self.delegator));
                Arc::clone(&delegator.chain.current().model)
            });
            let mixture = MoaRun {
                references: models.references.iter().map(|model| &**model).collect(),
                aggregator: &*aggregator,
                settings: &models.settings,
            };
            match mixture.answer(&[Message::user(question)], cancel).await {
                Ok(answer) => Ok(answer.to_value()),
                Err(problem) => Err(ToolError::answer(problem.message)),
            }
        })
    }
}
