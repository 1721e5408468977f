//! Notices when a model goes round in circles, and says so.
//!
//! Within one turn [`Guardrails`] watches three patterns: the same call failing again, one tool
//! failing again and again with whatever arguments, and a reading call that keeps giving the same
//! answer. Past a first count the model gets a line of [`Advice`] at the end of the result. Past a
//! second count, and only where the user switched hard stops on, the next identical call is refused
//! ([`Block`]) or the turn ends after this one ([`AdviceKind::Halt`]).
//!
//! One call goes like this:
//!
//! 1. [`Signature::new`] from the name and the arguments (of the real tool, not of a bridge to it);
//! 2. [`Guardrails::before_call`]; a block becomes the result, and the handler does not run;
//! 3. the handler;
//! 4. [`classify_output`] tells whether the result means failure, [`is_idempotent`] whether the
//!    tool only looks at things;
//! 5. [`Guardrails::after_call`]; its advice goes to the end of the result with [`append_advice`].
//!
//! [`Guardrails::reset`] begins a new turn. What never happens here: no I/O, no clock, no lock; raw
//! arguments are never kept, only their hash; nothing is blocked by default.

mod append;
mod config;
mod failure;
mod idempotent;
mod signature;
mod tracker;
mod verdict;

pub use append::append_advice;
pub use config::{Counts, GuardrailConfig};
pub use failure::{classify_failure, classify_output};
pub use idempotent::is_idempotent;
pub use signature::Signature;
pub use tracker::{Guardrails, Observation};
pub use verdict::{Advice, AdviceKind, Block, Pattern};
