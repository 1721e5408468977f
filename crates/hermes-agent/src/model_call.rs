//! Asking a model until there is an answer, or no hope of one: retries and fallback.
//!
//! One [`ModelCall`] is one iteration of the loop: it streams what arrives to the front end, waits and
//! tries again where that may help, falls back to the next model of the chain where it may not, and
//! hands back to the loop what only the loop can mend: a conversation that has grown too long.
//!
//! What never happens here: a second attempt after the person has stopped the turn, or a wait that
//! an interrupt cannot end at once.

use std::time::{Duration, Instant};

use hermes_llm::retry::{self, Fallback, Remedy};
use hermes_llm::{Delta, ErrorClass, ModelError, ModelRequest, ModelResponse};
use tokio_util::sync::CancellationToken;

use crate::event::{AgentEvent, FrontEnd, NoticeLevel};
use crate::model_chain::{ChainModel, ModelChain};
use crate::thinking::{ThinkingFilter, ThinkingPieces};

/// How a call of the model ended, after all retries and fallbacks.
#[derive(Debug)]
pub enum ModelCallOutcome {
    /// The model answered.
    Answer(Box<ModelResponse>),
    /// The conversation does not fit; `limit` is the window the provider named.
    TooLong {
        /// In tokens, if the message names one.
        limit: Option<u64>,
        /// The failure as the provider worded it.
        error: ModelError,
    },
    /// No retry and no fallback helped; the last failure.
    Failed(ModelError),
    /// The person stopped it.
    Interrupted {
        /// What was shown of the answer.
        shown: String,
    },
}

/// One iteration's question to the model chain.
pub struct ModelCall<'a> {
    /// Asked in order, from its current model on.
    pub chain: &'a mut ModelChain,
    /// Attempts after the first.
    pub max_retries: u32,
    /// Sees the answer as it arrives, and notices of retries.
    pub front: &'a dyn FrontEnd,
    /// Ends streams and waits at once.
    pub cancel: &'a CancellationToken,
    /// Whether the conversation is so long that a broken connection may be due to that.
    pub is_long: bool,
    /// Whether the answer goes on where one was cut off.
    pub goes_on: bool,
}

/// What follows from a failed attempt.
enum NextStep {
    Wait(Duration),
    Again,
    FallBack,
    Compress,
}

impl ModelCall<'_> {
    /// Asks until it is decided. `build` makes the request for the model that is asked.
    pub async fn run(
        &mut self,
        build: &(dyn Fn(&ChainModel) -> ModelRequest + Sync),
    ) -> ModelCallOutcome {
        let mut failures = 0;
        loop {
            if self.cancel.is_cancelled() {
                return ModelCallOutcome::Interrupted { shown: String::new() };
            }
            let entry = self.chain.current().clone();
            let (answered, shown) = self.attempt(&entry, &build(&entry)).await;
            if self.cancel.is_cancelled() {
                return ModelCallOutcome::Interrupted { shown };
            }
            let error = match answered {
                Ok(answer) => return ModelCallOutcome::Answer(Box::new(answer)),
                Err(error) if error.class == ErrorClass::Cancelled => {
                    return ModelCallOutcome::Interrupted { shown };
                }
                Err(error) => error,
            };
            failures += 1;
            match self.step(&error, failures) {
                NextStep::Again => failures -= 1,
                NextStep::Compress => {
                    return ModelCallOutcome::TooLong { limit: error.limit, error };
                }
                NextStep::Wait(wait) => {
                    let (what, left) = (&error.message, brief(wait));
                    let of = self.max_retries;
                    self.notice(format!("{what}; trying again in {left} ({failures} of {of})"));
                    if self.wait(wait).await.is_err() {
                        return ModelCallOutcome::Interrupted { shown: String::new() };
                    }
                }
                NextStep::FallBack if self.chain.fall_back() => {
                    let next = self.chain.current().model.clone();
                    let (name, provider) = (next.name(), next.provider());
                    self.notice(format!("{}; falling back to {name} at {provider}", error.message));
                    failures = 0;
                }
                NextStep::FallBack => return ModelCallOutcome::Failed(error),
            }
        }
    }

    async fn attempt(
        &self,
        entry: &ChainModel,
        request: &ModelRequest,
    ) -> (Result<ModelResponse, ModelError>, String) {
        let mut shown = Shown {
            front: self.front,
            filter: if self.goes_on {
                ThinkingFilter::of_rest()
            } else {
                ThinkingFilter::default()
            },
            text: String::new(),
            is_calling: false,
        };
        let mut listener = |delta| shown.take(delta);
        let answered = entry.model.answer(request, &mut listener, self.cancel).await;
        shown.finish();
        (answered, shown.text)
    }

    fn step(&mut self, error: &ModelError, failures: u32) -> NextStep {
        let class = error.class;
        if matches!(class, ErrorClass::RateLimit | ErrorClass::UpstreamRateLimit) {
            self.chain.cool_down(Instant::now());
        }
        let fallback_is_due = match retry::fallback(class) {
            Fallback::After(count) => failures >= count,
            Fallback::WhenOut => false,
        };
        match retry::remedy(class) {
            Remedy::Compress => NextStep::Compress,
            // A connection that breaks under a long conversation often means that it is too long.
            Remedy::Wait if class == ErrorClass::Dropped && self.is_long => NextStep::Compress,
            Remedy::Adapt => match self.chain.current().model.adapt(error) {
                Some(changed) => {
                    self.notice(format!("{}; {changed}", error.message));
                    NextStep::Again
                }
                None => NextStep::FallBack,
            },
            Remedy::None => NextStep::FallBack,
            Remedy::Wait if self.chain.current().model.has_given_up() => NextStep::FallBack,
            Remedy::Wait if fallback_is_due && self.chain.has_fallback() => NextStep::FallBack,
            Remedy::Wait if failures > self.max_retries => NextStep::FallBack,
            Remedy::Wait => {
                let random = f64::from(fastrand::u16(..)) / f64::from(u16::MAX);
                NextStep::Wait(retry::delay(class, failures, error.retry_after, random))
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
        self.front.on_event(AgentEvent::Notice { level: NoticeLevel::Warning, text });
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
    filter: ThinkingFilter,
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
            Delta::Reasoning(text) => self.front.on_event(AgentEvent::Reasoning(text)),
            Delta::ToolCall(tool) => {
                self.is_calling = true;
                self.front.on_event(AgentEvent::WritingCall { tool });
            }
        }
    }

    fn finish(&mut self) {
        let piece = std::mem::take(&mut self.filter).finish();
        self.show(piece);
    }

    fn show(&mut self, piece: ThinkingPieces) {
        if !piece.reasoning.is_empty() {
            self.front.on_event(AgentEvent::Reasoning(piece.reasoning));
        }
        if !piece.visible.is_empty() {
            self.text.push_str(&piece.visible);
            self.front.on_event(AgentEvent::Text(piece.visible));
        }
    }
}
