//! Which model answers: the chosen one, or one of those that stand in for it.
//!
//! A stand-in serves until the end of the turn. After a rate limit the chosen model rests for a
//! while, so that the next turn does not begin with the same wait.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hermes_llm::{Model, Usage};

/// How long the chosen model rests after a rate limit.
pub const REST: Duration = Duration::from_secs(60);

/// Tells the price of a call.
pub type Pricing = Arc<dyn Fn(&Usage) -> Option<f64> + Send + Sync>;

/// A model and what the loop has to know about it.
#[derive(Clone)]
pub struct Seat {
    /// The model.
    pub model: Arc<dyn Model>,
    /// Tokens it can look at; may be learned while the conversation goes on.
    pub window: Window,
    /// What its calls cost.
    pub pricing: Option<Pricing>,
}

impl std::fmt::Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Seat({} at {})", self.model.name(), self.model.provider())
    }
}

impl Seat {
    /// A model with a window and no price.
    #[must_use]
    pub fn new(model: Arc<dyn Model>, window: Window) -> Self {
        Self { model, window, pricing: None }
    }

    /// What a call cost, where it is known.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Option<f64> {
        self.pricing.as_ref().and_then(|price| price(usage))
    }

    fn is_same(&self, other: &Self) -> bool {
        self.model.name() == other.model.name() && self.model.provider() == other.model.provider()
    }
}

/// The size of a model's window in tokens, shared by all who learn it.
#[derive(Clone, Debug)]
pub struct Window(Arc<AtomicU64>);

impl Window {
    /// Assumed where nothing is known.
    pub const ASSUMED: u64 = 256_000;

    /// A window of this size.
    #[must_use]
    pub fn new(tokens: u64) -> Self {
        Self(Arc::new(AtomicU64::new(tokens)))
    }

    /// Its size.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Somebody who should know named another size.
    pub fn learn(&self, tokens: u64) {
        self.0.store(tokens, Ordering::Relaxed);
    }
}

/// The chosen model and its stand-ins.
#[derive(Clone, Debug)]
pub struct Seats {
    seats: Vec<Seat>,
    current: usize,
    rests_until: Option<Instant>,
}

impl Seats {
    /// The chosen model, and those that stand in, in order. A stand-in that is the same model at
    /// the same provider is left out: it would fail the same way.
    #[must_use]
    pub fn new(primary: Seat, stand_ins: Vec<Seat>) -> Self {
        let mut seats = vec![primary];
        for seat in stand_ins {
            if !seats.iter().any(|other| other.is_same(&seat)) {
                seats.push(seat);
            }
        }
        Self { seats, current: 0, rests_until: None }
    }

    /// Who answers now.
    #[must_use]
    pub fn current(&self) -> &Seat {
        &self.seats[self.current]
    }

    /// The chosen model.
    #[must_use]
    pub fn primary(&self) -> &Seat {
        &self.seats[0]
    }

    /// Whether somebody could stand in for who answers now.
    #[must_use]
    pub fn has_stand_in(&self) -> bool {
        self.current + 1 < self.seats.len()
    }

    /// Goes to the next stand-in; whether there was one.
    pub fn stand_in(&mut self) -> bool {
        let there_is = self.has_stand_in();
        self.current += usize::from(there_is);
        there_is
    }

    /// The chosen model is not asked for a while.
    pub fn rest(&mut self, now: Instant) {
        if self.current == 0 {
            self.rests_until = Some(now + REST);
        }
    }

    /// A turn begins: back to the chosen model, unless it rests.
    pub fn begin_turn(&mut self, now: Instant) {
        if self.rests_until.is_none_or(|until| until <= now) {
            self.rests_until = None;
            self.current = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use hermes_llm::model::{BoxFuture, Listener};
    use hermes_llm::{Answer, ModelError, Request};
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
            _: &'a Request,
            _: &'a mut Listener<'_>,
            _: &'a CancellationToken,
        ) -> BoxFuture<'a, Result<Answer, ModelError>> {
            Box::pin(std::future::pending())
        }
    }

    fn seat(name: &'static str) -> Seat {
        Seat::new(Arc::new(Named(name)), Window::new(1))
    }

    #[test]
    fn a_stand_in_serves_for_the_turn() {
        let mut seats = Seats::new(seat("a"), vec![seat("a"), seat("b")]);
        assert!(seats.stand_in());
        assert_eq!(seats.current().model.name(), "b");
        assert!(!seats.stand_in());
        seats.begin_turn(Instant::now());
        assert_eq!(seats.current().model.name(), "a");
    }

    #[test]
    fn after_a_rate_limit_the_chosen_model_rests() {
        let mut seats = Seats::new(seat("a"), vec![seat("b")]);
        let now = Instant::now();
        seats.rest(now);
        seats.stand_in();
        seats.begin_turn(now + Duration::from_secs(59));
        assert_eq!(seats.current().model.name(), "b");
        seats.begin_turn(now + REST);
        assert_eq!(seats.current().model.name(), "a");
    }
}
