//! A turn for which other models are asked first.

use std::sync::Arc;

use hermes_llm::{Message, MessageContent};
use tokio_util::sync::CancellationToken;

use crate::agent::Agent;
use crate::event::{AgentEvent, NoticeLevel};
use crate::outcome::TurnResult;

use crate::moa::MoaRun;
use crate::moa::models::MoaModels;
use crate::model_chain::{ChainModel, ModelChain};

impl Agent {
    /// A turn in which other models are asked first. What they say goes to the model with the
    /// question, which then works as always; the mixture's own model answers if it names one.
    ///
    /// # Errors
    /// When no mixture is set up. Nothing was said then.
    pub async fn turn_with_moa(
        &mut self,
        said: impl Into<MessageContent>,
        cancel: &CancellationToken,
    ) -> Result<TurnResult, String> {
        let said = said.into();
        let models = MoaModels::gather(&self.context)?;
        let own = Arc::clone(&self.chain.current().model);
        let mixture = MoaRun {
            references: models.references.iter().map(|model| &**model).collect(),
            aggregator: models.aggregator.as_deref().unwrap_or(&*own),
            settings: &models.settings,
        };
        self.notice(NoticeLevel::Info, format!("asking {} models first", models.references.len()));
        let mut asked = self.conversation.messages().to_vec();
        asked.push(Message::user(said.clone()));
        let advice = mixture.consult(&asked, cancel).await;
        for (model, problem) in &advice.failed {
            self.notice(NoticeLevel::Warning, format!("{model} gave no advice: {problem}"));
        }
        if let Some(text) = advice.text() {
            self.attach_note(&text);
        }
        let before = models.aggregator.map(|model| {
            let window = self.chain.primary().window.clone();
            std::mem::replace(
                &mut self.chain,
                ModelChain::new(ChainModel::new(model, window), Vec::new()),
            )
        });
        let mut result = self.turn(said, cancel).await;
        if let Some(before) = before {
            self.chain = before;
        }
        result.usage += advice.usage;
        Ok(result)
    }

    fn notice(&self, level: NoticeLevel, text: String) {
        self.context.front.on_event(AgentEvent::Notice { level, text });
    }
}
