//! The model chain: the chosen model and its fallback models.
//!
//! A fallback serves until the end of the turn. After a rate limit the chosen model cools down for a
//! while, so that the next turn does not begin with the same wait. What makes the loop fall back is
//! decided by whoever makes the call, from the class of a failure.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hermes_llm::{Model, TokenUsage};

/// How long the chosen model is left alone after a rate limit.
pub const COOLDOWN: Duration = Duration::from_secs(60);

/// Gives the price of a call in dollars, where it is known.
pub type Pricing = Arc<dyn Fn(&TokenUsage) -> Option<f64> + Send + Sync>;

/// One model of a chain, with what the loop has to know about it.
#[derive(Clone)]
pub struct ChainModel {
    /// Answers requests; makes one attempt each.
    pub model: Arc<dyn Model>,
    /// How much it can look at; may be learned while the conversation goes on.
    pub window: ContextWindow,
    /// What its calls cost; unknown if absent.
    pub pricing: Option<Pricing>,
}

impl std::fmt::Debug for ChainModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ChainModel({} at {})", self.model.name(), self.model.provider())
    }
}

impl ChainModel {
    /// A model with a context window and no price.
    #[must_use]
    pub fn new(model: Arc<dyn Model>, window: ContextWindow) -> Self {
        Self { model, window, pricing: None }
    }

    /// What a call cost in dollars, where prices are known.
    #[must_use]
    pub fn cost(&self, usage: &TokenUsage) -> Option<f64> {
        self.pricing.as_ref().and_then(|price| price(usage))
    }

    fn is_same(&self, other: &Self) -> bool {
        self.model.name() == other.model.name() && self.model.provider() == other.model.provider()
    }
}

/// The size of a model's context window in tokens, shared by all who learn it: the conversation, its
/// subagents and the task that asks the provider for it.
#[derive(Clone, Debug)]
pub struct ContextWindow(Arc<AtomicU64>);

impl ContextWindow {
    /// A window of this many tokens, for now.
    #[must_use]
    pub fn new(tokens: u64) -> Self {
        Self(Arc::new(AtomicU64::new(tokens)))
    }

    /// Its size, as far as it is known.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Takes over a size from somebody who should know: the provider, or its error message.
    pub fn learn(&self, tokens: u64) {
        self.0.store(tokens, Ordering::Relaxed);
    }
}

/// The chosen model and its fallbacks, in the order they are tried.
#[derive(Clone, Debug)]
pub struct ModelChain {
    models: Vec<ChainModel>,
    current: usize,
    cooldown_until: Option<Instant>,
}

impl ModelChain {
    /// The chosen model and its fallbacks, in order. A fallback that is the same model at the same
    /// provider is left out: it would fail the same way.
    #[must_use]
    pub fn new(primary: ChainModel, fallbacks: Vec<ChainModel>) -> Self {
        let mut models = vec![primary];
        for fallback in fallbacks {
            if !models.iter().any(|other| other.is_same(&fallback)) {
                models.push(fallback);
            }
        }
        Self { models, current: 0, cooldown_until: None }
    }

    /// The same chain with every model replaced, such as by one that is counted or slowed down.
    #[must_use]
    pub fn map(mut self, mut with: impl FnMut(ChainModel) -> ChainModel) -> Self {
        self.models = self.models.into_iter().map(&mut with).collect();
        self
    }

    /// The model that is asked next: the chosen one, or the fallback of this turn.
    #[must_use]
    pub fn current(&self) -> &ChainModel {
        &self.models[self.current]
    }

    /// The chosen model, whether or not it is asked at the moment.
    #[must_use]
    pub fn primary(&self) -> &ChainModel {
        &self.models[0]
    }

    /// Whether there is another model behind the current one.
    #[must_use]
    pub fn has_fallback(&self) -> bool {
        self.current + 1 < self.models.len()
    }

    /// Goes on to the next fallback; whether there was one.
    pub fn fall_back(&mut self) -> bool {
        let there_is = self.has_fallback();
        self.current += usize::from(there_is);
        there_is
    }

    /// The chosen model met a rate limit: turns that begin within [`COOLDOWN`] do not go back to it.
    pub fn cool_down(&mut self, now: Instant) {
        if self.current == 0 {
            self.cooldown_until = Some(now + COOLDOWN);
        }
    }

    /// A turn begins: back to the chosen model, unless it cools down.
    pub fn begin_turn(&mut self, now: Instant) {
        if self.cooldown_until.is_none_or(|until| until <= now) {
            self.cooldown_until = None;
            self.current = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use hermes_llm::model::{BoxFuture, DeltaListener};
    use hermes_llm::{ModelError, ModelRequest, ModelResponse};
    use tokio_util::sync::CancellationToken;

    use super::*;

    struct Named(&'static str);

    impl Model for Named {
        fn name(&self) -> &str {
            self.0
        }

        fn provider(&self) -> &'static str {
            "somewhere"
        }

        fn answer<'a>(
            &'a self,
            _: &'a ModelRequest,
            _: &'a mut DeltaListener<'_>,
            _: &'a CancellationToken,
        ) -> BoxFuture<'a, Result<ModelResponse, ModelError>> {
            Box::pin(std::future::pending())
        }
    }

    fn named(name: &'static str) -> ChainModel {
        ChainModel::new(Arc::new(Named(name)), ContextWindow::new(1))
    }

    #[test]
    fn a_fallback_serves_for_the_turn() {
        let mut chain = ModelChain::new(named("a"), vec![named("a"), named("b")]);
        assert!(chain.fall_back());
        assert_eq!(chain.current().model.name(), "b");
        assert!(!chain.fall_back());
        chain.begin_turn(Instant::now());
        assert_eq!(chain.current().model.name(), "a");
    }

    #[test]
    fn after_a_rate_limit_the_chosen_model_cools_down() {
        let mut chain = ModelChain::new(named("a"), vec![named("b")]);
        let now = Instant::now();
        chain.cool_down(now);
        chain.fall_back();
        chain.begin_turn(now + Duration::from_secs(59));
        assert_eq!(chain.current().model.name(), "b");
        chain.begin_turn(now + COOLDOWN);
        assert_eq!(chain.current().model.name(), "a");
    }
}
