//! Asking a model until there is an answer, or no hope of one.
//!
//! One [`Ask`] is one iteration of the loop: it streams what arrives to the front end, waits and
//! tries again where that may help, goes to a stand-in where it may not, and hands back to the loop
//! what only the loop can mend: a conversation that has grown too long.
//!
//! What never happens here: a second attempt after the person has stopped the turn, or a wait that
//! an interrupt cannot end at once.

use std::time::{Duration, Instant};

use hermes_llm::retry::{self, Fallback, Remedy};
use hermes_llm::{Answer, Delta, ErrorClass, ModelError, Request};
use tokio_util::sync::CancellationToken;

use crate::event::{Event, FrontEnd, Level};
use crate::seats::{Seat, Seats};
use crate::thinking::{Filter, Pieces};

/// What came of asking.
#[derive(Debug)]
pub enum Asked {
    /// An answer.
    Answer(Box<Answer>),
    /// The conversation does not fit; `limit` is the window the provider named.
    TooLong {
        /// The window.
        limit: Option<u64>,
        /// What it said.
        error: ModelError,
    },
    /// Nothing helped.
    Failed(ModelError),
    /// The person stopped it.
    Interrupted {
        /// What was shown of the answer.
        shown: String,
    },
}

/// One iteration's question.
pub struct Ask<'a> {
    /// Who answers.
    pub seats: &'a mut Seats,
    /// Attempts after the first.
    pub max_retries: u32,
    /// Who watches.
    pub front: &'a dyn FrontEnd,
    /// Stops it.
    pub cancel: &'a CancellationToken,
    /// Whether the conversation is so long that a broken connection may be due to that.
    pub is_long: bool,
    /// Whether the answer goes on where one was cut off.
    pub goes_on: bool,
}

/// What to do about an error.
enum Step {
    Wait(Duration),
    Again,
    StandIn,
    Compress,
}

impl Ask<'_> {
    /// Asks. `build` makes the request for whoever answers.
    pub async fn run(&mut self, build: &(dyn Fn(&Seat) -> Request + Sync)) -> Asked {
        let mut failures = 0;
        loop {
            if self.cancel.is_cancelled() {
                return Asked::Interrupted { shown: String::new() };
            }
            let seat = self.seats.current().clone();
            let (answered, shown) = self.attempt(&seat, &build(&seat)).await;
            if self.cancel.is_cancelled() {
                return Asked::Interrupted { shown };
            }
            let error = match answered {
                Ok(answer) => return Asked::Answer(Box::new(answer)),
                Err(error) if error.class == ErrorClass::Cancelled => {
                    return Asked::Interrupted { shown };
                }
                Err(error) => error,
            };
            failures += 1;
            match self.step(&error, failures) {
                Step::Again => failures -= 1,
                Step::Compress => return Asked::TooLong { limit: error.limit, error },
                Step::Wait(wait) => {
                    let (what, left) = (&error.message, brief(wait));
                    let of = self.max_retries;
                    self.notice(format!("{what}; trying again in {left} ({failures} of {of})"));
                    if self.wait(wait).await.is_err() {
                        return Asked::Interrupted { shown: String::new() };
                    }
                }
                Step::StandIn if self.seats.stand_in() => {
                    let next = self.seats.current().model.clone();
                    let (name, provider) = (next.name(), next.provider());
                    self.notice(format!("{}; {name} at {provider} stands in", error.message));
                    failures = 0;
                }
                Step::StandIn => return Asked::Failed(error),
            }
        }
    }

    async fn attempt(
        &self,
        seat: &Seat,
        request: &Request,
    ) -> (Result<Answer, ModelError>, String) {
        let mut shown = Shown {
            front: self.front,
            filter: if self.goes_on { Filter::of_rest() } else { Filter::default() },
            text: String::new(),
            is_calling: false,
        };
        let mut listener = |delta| shown.take(delta);
        let answered = seat.model.answer(request, &mut listener, self.cancel).await;
        shown.finish();
        (answered, shown.text)
    }

    fn step(&mut self, error: &ModelError, failures: u32) -> Step {
        let class = error.class;
        if matches!(class, ErrorClass::RateLimit | ErrorClass::UpstreamRateLimit) {
            self.seats.rest(Instant::now());
        }
        let stand_in_is_due = match retry::fallback(class) {
            Fallback::After(count) => failures >= count,
            Fallback::WhenOut => false,
        };
        match retry::remedy(class) {
            Remedy::Compress => Step::Compress,
            // A connection that breaks under a long conversation often means that it is too long.
            Remedy::Wait if class == ErrorClass::Dropped && self.is_long => Step::Compress,
            Remedy::Adapt => match self.seats.current().model.adapt(error) {
                Some(changed) => {
                    self.notice(format!("{}; {changed}", error.message));
                    Step::Again
                }
                None => Step::StandIn,
            },
            Remedy::None => Step::StandIn,
            Remedy::Wait if self.seats.current().model.has_given_up() => Step::StandIn,
            Remedy::Wait if stand_in_is_due && self.seats.has_stand_in() => Step::StandIn,
            Remedy::Wait if failures > self.max_retries => Step::StandIn,
            Remedy::Wait => {
                let random = f64::from(fastrand::u16(..)) / f64::from(u16::MAX);
                Step::Wait(retry::delay(class, failures, error.retry_after, random))
            }
        }
    }

    async fn wait(&self, wait: Duration) -> Result<(), ()> {
        tokio::select! {
            () = self.cancel.cancelled() => Err(()),
            () = tokio::time::sleep(wait) => Ok(()),
        }
    }

    fn notice(&self, text: String) {
        self.front.on_event(Event::Notice { level: Level::Warning, text });
    }
}

fn brief(wait: Duration) -> String {
    if wait < Duration::from_secs(1) {
        format!("{} ms", wait.as_millis())
    } else {
        format!("{:.1} s", wait.as_secs_f64())
    }
}

/// What a person sees of an answer while it arrives.
struct Shown<'a> {
    front: &'a dyn FrontEnd,
    filter: Filter,
    text: String,
    is_calling: bool,
}

impl Shown<'_> {
    fn take(&mut self, delta: Delta) {
        match delta {
            // What follows the first call is often the call again, in words.
            Delta::Text(_) if self.is_calling => {}
            Delta::Text(text) => {
                let piece = self.filter.push(&text);
                self.show(piece);
            }
            Delta::Reasoning(text) => self.front.on_event(Event::Reasoning(text)),
            Delta::ToolCall(tool) => {
                self.is_calling = true;
                self.front.on_event(Event::WritingCall { tool });
            }
        }
    }

    fn finish(&mut self) {
        let piece = std::mem::take(&mut self.filter).finish();
        self.show(piece);
    }

    fn show(&mut self, piece: Pieces) {
        if !piece.reasoning.is_empty() {
            self.front.on_event(Event::Reasoning(piece.reasoning));
        }
        if !piece.visible.is_empty() {
            self.text.push_str(&piece.visible);
            self.front.on_event(Event::Text(piece.visible));
        }
    }
}
