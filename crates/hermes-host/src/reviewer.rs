//! Asks a model about a flagged command.

use std::sync::Arc;

use hermes_approval::{ReviewPrompt, Reviewer};
use hermes_llm::{Message, Model, ModelRequest};
use hermes_tool::BoxFuture;
use tokio_util::sync::CancellationToken;

/// A model that reviews.
pub(crate) struct ModelReviewer(pub(crate) Arc<dyn Model>);

impl Reviewer for ModelReviewer {
    fn review(&self, prompt: ReviewPrompt) -> BoxFuture<Result<String, String>> {
        let model = Arc::clone(&self.0);
        Box::pin(async move {
            let request = ModelRequest {
                system: Some(prompt.system.into()),
                messages: vec![Message::user(prompt.user)],
                max_tokens: Some(prompt.max_tokens),
                temperature: Some(0.0),
                ..ModelRequest::default()
            };
            let cancel = CancellationToken::new();
            let answered = model.answer(&request, &mut |_| {}, &cancel).await;
            answered.map(|answer| answer.content).map_err(|problem| problem.message)
        })
    }
}
