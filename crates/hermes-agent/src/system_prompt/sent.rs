//! The instructions a conversation began with, as they are sent.

use std::sync::Arc;

use hermes_llm::Model;

use super::model_lines;

/// The text, and the model it names.
#[derive(Clone, Debug)]
pub struct SystemPrompt {
    text: Arc<str>,
    own_lines: String,
    situation: Option<Arc<str>>,
}

impl SystemPrompt {
    /// A text that ends by naming this model; other texts are sent as they are.
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>, model: &str, provider: &str) -> Self {
        Self { text: text.into(), own_lines: model_lines(model, provider), situation: None }
    }

    /// The same instructions for an agent that works here: what is said at the head of its first message.
    #[must_use]
    pub fn with_situation(self, situation: impl Into<Arc<str>>) -> Self {
        Self { situation: Some(situation.into()), ..self }
    }

    /// Where and when the agent works; not part of the text, so that all sessions share it.
    #[must_use]
    pub fn situation(&self) -> Option<&Arc<str>> {
        self.situation.as_ref()
    }

    /// Whether somebody who was sent this knows the directory already.
    pub(crate) fn is_told(&self, sent: &str) -> bool {
        let first = self.situation.as_deref().and_then(|text| text.lines().next());
        first.is_none_or(|first| sent.contains(first))
    }

    /// Byte for byte what every request of the session begins with.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text as it is sent to a model: a stand-in is told its own name.
    #[must_use]
    pub fn for_model(&self, model: &dyn Model) -> Arc<str> {
        let lines = model_lines(model.name(), model.provider());
        match self.text.strip_suffix(&self.own_lines) {
            Some(rest) if lines != self.own_lines => format!("{rest}{lines}").into(),
            _ => Arc::clone(&self.text),
        }
    }
}
