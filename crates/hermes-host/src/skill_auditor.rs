//! The model that looks at skills before they are installed, and merges those that overlap.

use std::sync::Arc;

use hermes_llm::{ClientOptions, Endpoint, Message, Model as _, ModelClient, ModelRequest};
use hermes_skills::scan::{AuditAnswer, AuditModel};
use tokio_util::sync::CancellationToken;

use crate::Host;
use crate::models::ModelSources;

/// The work on the side that a user may name another model for: `auxiliary.skills_hub`.
const TASK: &str = "skills_hub";
/// Room for the answer.
const MAX_TOKENS: u32 = 4000;

/// A model that is asked single questions about skills. Nothing is opened before the first.
struct SkillAuditor {
    endpoint: Endpoint,
    options: ClientOptions,
}

impl Host {
    /// The model that may look at skills; none where no model can be asked.
    #[must_use]
    pub fn skill_auditor(&self) -> Option<Arc<dyn AuditModel>> {
        let sources = ModelSources::of(self);
        let endpoint = sources.for_task(TASK).ok().filter(|found| !found.model.is_empty())?;
        Some(Arc::new(SkillAuditor { endpoint, options: sources.options() }))
    }
}

impl AuditModel for SkillAuditor {
    fn name(&self) -> &str {
        &self.endpoint.model
    }

    fn ask<'a>(&'a self, prompt: &'a str) -> AuditAnswer<'a> {
        Box::pin(async move {
            let model = ModelClient::new(self.endpoint.clone(), self.options.clone());
            let request = ModelRequest {
                messages: vec![Message::user(prompt.to_owned())],
                max_tokens: Some(MAX_TOKENS),
                temperature: Some(0.0),
                ..ModelRequest::default()
            };
            let answered = model.answer(&request, &mut |_| {}, &CancellationToken::new()).await;
            answered
                .inspect_err(|problem| tracing::warn!(problem = problem.message, "skill audit"))
                .ok()
                .map(|answer| answer.content)
        })
    }
}
